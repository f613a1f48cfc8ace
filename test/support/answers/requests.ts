import type { Answered } from "../start/app.ts";
import { PERSONAL_KEY, type Server } from "../start/server.ts";
import { bodyText, isStream } from "./body.ts";
import { documented } from "./document.ts";

/** An answer, with its body also as it came. */
export type Told = Answered & { text: string };

/** Options of a request; `key` is the personal key, null for no key. */
export type Sent = {
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
};

/** Any request to a server, by a client of HTTP. */
export type Ask = (method: string, path: string, sent?: Sent) => Promise<Told>;

/**
 * Makes requests to a server. `body` is sent as JSON unless it is text. Results that operations may
 * leave out are preferred. Fails if the answer of an operation is not as the OpenAPI document has it.
 */
export function asker(server: Server): Ask {
  return async (method, path, { body, key = PERSONAL_KEY, headers = {} } = {}) => {
    const leaving = new AbortController();
    const response = await fetch(server.url + path, {
      method,
      signal: leaving.signal,
      headers: {
        prefer: "return=representation",
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await bodyText(response);
    // A stream is left at once: a caller may have only a few.
    if (isStream(response)) leaving.abort();
    const { status, headers: answered } = response;
    const check = await documented(() => fetch(`${server.url}/openapi.json`));
    check({ method, path, status, headers: answered, text });
    const isJson = answered.get("content-type")?.startsWith("application/json");
    return { status, headers: answered, text, body: isJson ? JSON.parse(text) : text };
  };
}
