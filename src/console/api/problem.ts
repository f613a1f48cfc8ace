import { withTitles } from "../state/scopes.ts";

/** The body of each error of the API. */
export type Envelope = { type: string; code: string; detail: string; attr: string | null };

/** An error that the API answered, or that the connection had. */
export class Problem extends Error {
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The code of the API, such as `permission_denied`. */
  readonly code: string;
  /** The field that is wrong; null if none is. */
  readonly attr: string | null;
  /** The id by which the server's log has the request; null without an answer. */
  readonly requestId: string | null;

  constructor(status: number, envelope: Partial<Envelope>, requestId: string | null) {
    super(envelope.detail ?? "The server did not answer.");
    this.status = status;
    this.code = envelope.code ?? "no_answer";
    this.attr = envelope.attr ?? null;
    this.requestId = requestId;
  }
}

/** The problem of an answer that is no success. */
export function problemOf(response: Response, body: unknown): Problem {
  const envelope = typeof body === "object" && body !== null ? (body as Partial<Envelope>) : {};
  const said = envelope.detail ?? `The server answered ${response.status}.`;
  const detail = envelope.code === "permission_denied" ? withTitles(said) : said;
  return new Problem(
    response.status,
    { ...envelope, detail },
    response.headers.get("x-request-id"),
  );
}

/** Anything thrown as a problem: a connection that failed becomes one without a status. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail =
    error instanceof TypeError
      ? "The server cannot be reached. Is it running, and is this machine online?"
      : String(error);
  return new Problem(0, { detail, code: "no_answer" }, null);
}
