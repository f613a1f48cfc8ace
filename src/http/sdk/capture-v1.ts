import { Failure, type FailureCode } from "../../core/values/failure.ts";
import { parseUuid } from "../../core/values/ids.ts";
import { parseTime } from "../../core/values/time.ts";
import { problem } from "../answer/errors.ts";
import type { SdkRoute } from "../operation/route.ts";

/**
 * The route of the newer capture protocol: the key is in a header, every event has its own result, and
 * errors have another shape (decision 33). `accept` gets requests with valid headers.
 */
export function v1Route(accept: (request: Request) => Promise<Response>): SdkRoute {
  return {
    method: "POST",
    path: "/i/v1/analytics/events/",
    async handle(request) {
      try {
        checkHeaders(request.headers);
        return await accept(request);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return v1Problem(error);
      }
    },
  };
}

/** The token of an `Authorization: Bearer` header (RFC 6750 2.1). */
export function bearerOf(headers: Headers): string | undefined {
  return /^bearer\s+(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** The headers that v1 requires, each with its check. */
const V1_HEADERS: Record<string, (value: string) => boolean> = {
  "PostHog-Sdk-Info": () => true,
  "PostHog-Attempt": (value) => /^[1-9]\d{0,8}$/.test(value),
  "PostHog-Request-Id": (value) => parseUuid(value) !== undefined,
  "PostHog-Request-Timestamp": (value) => parseTime(value) !== undefined,
  "Content-Type": () => true,
  "User-Agent": () => true,
};

function checkHeaders(headers: Headers): void {
  if (bearerOf(headers) === undefined) {
    throw new Failure("invalid_api_key", "A project API key is missing: Authorization: Bearer.");
  }
  const missing = Object.keys(V1_HEADERS).filter((name) => headers.get(name) === null);
  if (missing.length > 0) {
    throw new Failure("required", `Headers are missing: ${missing.join(", ")}.`);
  }
  for (const [name, isValid] of Object.entries(V1_HEADERS)) {
    if (isValid(headers.get(name) ?? "")) continue;
    throw new Failure("invalid_input", `The header ${name} is not valid.`);
  }
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new Failure("unsupported_media_type", "The body must be application/json.");
  }
}

/** v1's names of failures. */
const V1_ERRORS: Partial<Record<FailureCode, string>> = {
  required: "missing_required_headers",
  invalid_input: "invalid_header_value",
  invalid_payload: "invalid_batch",
  invalid_api_key: "invalid_api_token",
  unsupported_media_type: "unsupported_encoding",
  unavailable: "service_unavailable",
};

/** v1's own error shape. */
function v1Problem(failure: Failure): Response {
  const error = V1_ERRORS[failure.code] ?? failure.code;
  const envelope = { error, error_description: failure.message, error_uri: "/docs" };
  return problem(failure, {}, envelope);
}
