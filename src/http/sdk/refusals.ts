import { UnknownKey } from "../../core/access/key.ts";
import type { Refusal } from "../../core/operations/arrivals.ts";
import type { Failure } from "../../core/values/failure.ts";

/** Characters of a path, an SDK or an origin that are kept of a refused request. */
const FACT_CHARS_MAX = 100;

/** The names by which SDKs of PostHog and of OTLP call themselves in User-Agent. */
const SDK_AGENT = /^(?:posthog|otel|opentelemetry)[\w.-]*\/[\w.+-]+/i;

/** The facts of a refused request of a sender: nothing of its body, its query or its address. */
export function refusalOf(request: Request, failure: Failure): Refusal {
  const { pathname = "", searchParams } = URL.parse(request.url) ?? {};
  const { headers } = request;
  const version = /^\d+[\w.+-]*$/.exec(searchParams?.get("ver") ?? "")?.[0];
  const agent = SDK_AGENT.exec(headers.get("user-agent") ?? "")?.[0];
  // Only posthog-js sends its version in the query.
  const sdk = headers.get("posthog-sdk-info") ?? agent ?? (version && `posthog-js/${version}`);
  return {
    status: failure.status,
    code: failure.code,
    method: request.method,
    // Only the mask of a key is kept, also of one in the path.
    path: cut(pathname.replace(/\/array\/[^/]+/, "/array/:key")),
    sdk: sdk === undefined ? null : cut(sdk),
    origin: headers.has("origin") ? cut(headers.get("origin") ?? "") : null,
    key_mask: failure instanceof UnknownKey ? failure.mask : null,
  };
}

/** A text of a stranger, cut to a length. */
export function cut(text: string): string {
  return text.length <= FACT_CHARS_MAX
    ? text
    : `${text.slice(0, FACT_CHARS_MAX - 1).toWellFormed()}…`;
}
