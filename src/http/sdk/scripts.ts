import array from "posthog-js/dist/array.js" with { type: "text" };
import deadClicks from "posthog-js/dist/dead-clicks-autocapture.js" with { type: "text" };
import exceptions from "posthog-js/dist/exception-autocapture.js" with { type: "text" };
import logs from "posthog-js/dist/logs.js" with { type: "text" };
import tracing from "posthog-js/dist/tracing-headers.js" with { type: "text" };
import vitals from "posthog-js/dist/web-vitals.js" with { type: "text" };
import vitalsSoft from "posthog-js/dist/web-vitals-soft-navs.js" with { type: "text" };
import vitalsWhy from "posthog-js/dist/web-vitals-with-attribution.js" with { type: "text" };
import vitalsWhySoft from "posthog-js/dist/web-vitals-with-attribution-soft-navs.js" with {
  type: "text",
};
import { Failure } from "../../core/values/failure.ts";
import type { SdkRoute } from "../operation/route.ts";
import { takesGzip } from "../request/preferences.ts";

/** posthog-js for the HTML snippet, and its parts that a page may load. */
const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ["array.js", array],
  ["dead-clicks-autocapture.js", deadClicks],
  ["exception-autocapture.js", exceptions],
  ["logs.js", logs],
  ["tracing-headers.js", tracing],
  ["web-vitals.js", vitals],
  ["web-vitals-soft-navs.js", vitalsSoft],
  ["web-vitals-with-attribution.js", vitalsWhy],
  ["web-vitals-with-attribution-soft-navs.js", vitalsWhySoft],
]);

const NO_SCRIPT = `Not found. Hoglet has no such script: it serves no session recordings, surveys, toolbar, product tours or conversations. Switch them off where the page calls posthog.init. It has ${[...SCRIPTS.keys()].join(", ")}.`;

/** Seconds for which a browser uses a script before it asks for a newer one. */
const SCRIPT_MAX_AGE_S = 3600;

/** A script ready to be sent, with the tag that changes with its content. */
type Prepared = { plain: Uint8Array; gzipped: Uint8Array; etag: string };

/**
 * Serves posthog-js from the executable: `/static/array.js`, and its parts. A path may have a version in
 * it; the answer is always the embedded version (decision 42).
 */
export function scriptRoutes(): SdkRoute[] {
  const prepared = new Map<string, Prepared>();
  return [
    {
      method: "GET",
      path: "/static/*",
      async handle(request, { "*": path = "" }) {
        const name = /^(?:[^/]+\/)?([^/]+)$/.exec(path)?.[1] ?? "";
        const text = SCRIPTS.get(name);
        if (text === undefined) throw new Failure("not_found", NO_SCRIPT);
        const script = prepared.get(name) ?? prepare(text);
        prepared.set(name, script);
        return answer(request, script);
      },
    },
  ];
}

/** Without the last line, which names a source map that we do not serve. */
function prepare(text: string): Prepared {
  const plain = Buffer.from(text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
  const etag = `W/"${Bun.hash(plain).toString(36)}"`;
  return { plain, gzipped: Bun.gzipSync(plain), etag };
}

function answer({ headers: requested }: Request, { plain, gzipped, etag }: Prepared): Response {
  const headers = {
    etag,
    "cache-control": `public, max-age=${SCRIPT_MAX_AGE_S}`,
    vary: "Accept-Encoding",
  };
  if (requested.get("if-none-match")?.includes(etag))
    return new Response(null, { status: 304, headers });
  const isZipped = takesGzip(requested);
  return new Response(isZipped ? gzipped : plain, {
    headers: {
      ...headers,
      "content-type": "application/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    },
  });
}
