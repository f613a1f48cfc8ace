import type { Ask } from "../operation/route.ts";

/** Asks this server on behalf of a request. */
export type AskFor = (by: Request, asked: Parameters<Ask>[0]) => Promise<Response>;

/** Headers that are about the body or the answer of one request alone. */
const OWN_HEADERS = [
  ...["accept", "content-encoding", "content-length", "content-type", "expect", "prefer"],
  ...["if-match", "if-none-match", "transfer-encoding"],
];

type Needs = {
  /** The address at the other end of a request's connection. */
  connectionOf: (request: Request) => string | undefined;
  /** The id of a request. */
  requestId: (request: Request) => string;
  answer: (request: Request) => Promise<Response>;
};

/**
 * Requests that the server itself asks on behalf of another one: their caller, their connection and their id are those of
 * the other. So they are checked as if the caller had sent them, and get the same answers.
 */
export function askedRequests({ connectionOf, requestId, answer }: Needs) {
  const outer = new WeakMap<Request, Request>();
  const outerOf = (request: Request) => outer.get(request) ?? request;
  const ask: AskFor = (by, { method, path, body, headers: own, signal = by.signal }) => {
    const headers = new Headers(by.headers);
    for (const name of OWN_HEADERS) headers.delete(name);
    for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value);
    if (body !== undefined) headers.set("content-type", "application/json");
    const sent = body === undefined ? null : JSON.stringify(body);
    const url = new URL(path, by.url).href;
    const made = new Request(url, { method, headers, body: sent, signal });
    outer.set(made, by);
    return answer(made);
  };
  return {
    ask,
    connectionOf: (request: Request) => connectionOf(outerOf(request)),
    requestId: (request: Request) => requestId(outerOf(request)),
  };
}
