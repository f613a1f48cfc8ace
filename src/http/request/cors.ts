/**
 * CORS headers of answers to SDKs, also of errors. They repeat the origin and allow credentials: with
 * `*`, posthog-js 1.57 and 1.130 count delivered requests as failed and send them again (decision 18).
 */
export function corsHeaders(request: Request): Record<string, string> {
  const origin = request.headers.get("origin");
  if (origin === null) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "Retry-After, Hoglet-Dropped",
    vary: "Origin",
  };
}

/** Seconds for which a browser may keep the answer to a preflight. */
const PREFLIGHT_MAX_AGE_S = 7200;

/** The answer to OPTIONS on a path for SDKs. */
export function preflight(request: Request): Response {
  const requested = request.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(request),
      "access-control-allow-methods": "GET, POST, OPTIONS",
      ...(requested === null ? {} : { "access-control-allow-headers": requested }),
      "access-control-max-age": String(PREFLIGHT_MAX_AGE_S),
    },
  });
}

/** First parts of the paths for SDKs, except for the few below `/api/`. */
const SDK_SEGMENTS: ReadonlySet<string> = new Set([
  "array",
  "batch",
  "capture",
  "decide",
  "e",
  "engage",
  "flags",
  "i",
  "s",
  "static",
  "track",
]);

/** Whether the path of a request is one for SDKs. */
export function isOfSdk({ url }: Request): boolean {
  return SDK_SEGMENTS.has(firstSegment(url));
}

/** The path of a normalised URL. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** The first part of the path of a normalised URL. */
export function firstSegment(url: string): string {
  const path = pathOf(url);
  const end = path.indexOf("/", 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}
