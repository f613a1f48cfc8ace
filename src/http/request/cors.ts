/**
 * The CORS headers of capture and SDK answers, errors included. The origin is reflected and
 * credentials allowed: with `*`, posthog-js 1.57 and 1.130 take every delivered request as
 * failed and send it again (decision 18).
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

/** How long a browser may remember a preflight's answer, in seconds. */
const PREFLIGHT_MAX_AGE_S = 7200;

/** The answer to OPTIONS on a capture or SDK path. */
export function preflight(request: Request): Response {
  const asked = request.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(request),
      "access-control-allow-methods": "GET, POST, OPTIONS",
      ...(asked === null ? {} : { "access-control-allow-headers": asked }),
      "access-control-max-age": String(PREFLIGHT_MAX_AGE_S),
    },
  });
}

/** What the paths of capture and SDKs begin with, the few below `/api/` left out. */
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

/** Whether a request is to a path of capture or SDKs, told by its path alone. */
export function isOfSdk({ url }: Request): boolean {
  return SDK_SEGMENTS.has(firstSegment(url));
}

/** The first part of the path of a request's URL, which is normalised already. */
export function firstSegment(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3) + 1;
  const length = url.slice(start).search(/[/?#]/);
  return length === -1 ? url.slice(start) : url.slice(start, start + length);
}
