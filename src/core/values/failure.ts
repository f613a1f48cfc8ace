/**
 * Every failure a caller can act on, with its HTTP status and the envelope's `type`
 * (decision 6). A code without a row does not compile.
 */
const FAILURES = {
  required: { status: 400, type: "validation_error" },
  invalid_input: { status: 400, type: "validation_error" },
  too_long: { status: 400, type: "validation_error" },
  invalid_choice: { status: 400, type: "validation_error" },
  invalid_payload: { status: 400, type: "validation_error" },
  parse_error: { status: 400, type: "invalid_request" },
  upload_aborted: { status: 400, type: "invalid_request" },
  query_cancelled: { status: 400, type: "invalid_request" },
  not_authenticated: { status: 401, type: "authentication_error" },
  authentication_failed: { status: 401, type: "authentication_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  sign_in_too_old: { status: 403, type: "authentication_error" },
  permission_denied: { status: 403, type: "authentication_error" },
  not_found: { status: 404, type: "invalid_request" },
  conflict: { status: 409, type: "invalid_request" },
  request_timeout: { status: 408, type: "invalid_request" },
  method_not_allowed: { status: 405, type: "invalid_request" },
  payload_too_large: { status: 413, type: "invalid_request" },
  unsupported_media_type: { status: 415, type: "invalid_request" },
  throttled: { status: 429, type: "throttled_error" },
  error: { status: 500, type: "server_error" },
  unavailable: { status: 503, type: "server_error" },
  query_timeout: { status: 504, type: "server_error" },
} as const;

/** The stable `code` of a failure. */
export type FailureCode = keyof typeof FAILURES;

/** The body of every error answer: always these four, `attr` null when no field is to blame. */
export type Problem = { type: string; code: FailureCode; detail: string; attr: string | null };

/** Seconds until a retry is worth it, by default (RFC 9110 10.2.3). */
export const RETRY_AFTER_S = 5;

/**
 * An error that the caller can act on. `detail` is shown to the caller and never repeats the request, except
 * words of a question (decision 72); `attr` names the field to blame, nested names joined by `__`.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly attr: string | null;
  /** When to try again, in seconds; sent with the codes that a retry may help. */
  readonly retryAfterS: number;

  constructor(
    code: FailureCode,
    detail: string,
    attr: string | null = null,
    retryAfterS = RETRY_AFTER_S,
  ) {
    super(detail);
    this.name = "Failure";
    this.code = code;
    this.attr = attr;
    this.retryAfterS = retryAfterS;
  }

  get status(): number {
    return FAILURES[this.code].status;
  }

  get problem(): Problem {
    return {
      type: FAILURES[this.code].type,
      code: this.code,
      detail: this.message,
      attr: this.attr,
    };
  }
}

/** The failure of a read whose signal aborts: that of who aborted it, else that the client is gone. */
export function endedBy({ reason }: AbortSignal): Failure {
  return reason instanceof Failure
    ? reason
    : new Failure("query_timeout", "The client has disconnected.");
}

/** The answer to a request that hit a bug: the cause is in the log, under the request id. */
export function serverError(requestId: string): Failure {
  return new Failure("error", `A server error occurred. Request id: ${requestId}.`);
}

/** Whether an error of the system, SQLite or DuckDB says that the disk is full. */
export function isDiskFull({ message }: Error): boolean {
  return /ENOSPC|EDQUOT|EFBIG|no space left|disk is full|file too large/i.test(message);
}

/** Whether an error says that no descriptor was free. */
export function isOutOfDescriptors({ message }: Error): boolean {
  return /EMFILE|ENFILE|too many open files/i.test(message);
}

/** The message of an error in one line, without quoted text: DuckDB and SQLite quote data. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n")[0] ?? "").replace(/["'`].*["'`]/s, "'…'");
}
