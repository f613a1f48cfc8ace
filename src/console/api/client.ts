import type { Client } from "openapi-fetch";
import { BASE } from "../state/base.ts";
import { takeKnown } from "../state/known.ts";
import { askAbout, changedSince, noteVersion, rowOf, versionOf } from "./conflict.ts";
import { noted } from "./connection.ts";
import { Problem, problemOf } from "./problem.ts";
import { isSignedOut } from "./signed-out.ts";
import { inSlot, sendPatiently } from "./slots.ts";
import type { components, paths } from "./types.ts";

/** The shapes of the API, such as `Schemas["Person"]`. */
export type Schemas = components["schemas"];

/** Only the console's own pages send this header. Without it the cookie does not count. */
export const CONSOLE_HEADER = { "X-Hoglet-Console": "1" };

/** Paths whose requests read the event store, and so share the two slots. */
const IS_QUERY = /\/(query|max_tools|insights|events|logs)\//;

/** Paths of streams, which wait in no slot, and say themselves when they try again. */
const IS_STREAM = /\/events\/live\//;

/** Many questions in one request. The server answers as many at a time as the slots. */
const IS_TOGETHER = /\/query\/stream\//;

function sendInTurn(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (IS_STREAM.test(pathname)) return fetch(request);
  if (!IS_QUERY.test(pathname) || IS_TOGETHER.test(pathname)) return sendPatiently(request);
  return inSlot(() => sendPatiently(request), request.signal);
}

async function send(request: Request): Promise<Response> {
  const response = takeKnown(request) ?? (await noted(() => sendInTurn(request)));
  if (response.status === 401) isSignedOut.value = true;
  return response;
}

type Options = {
  params?: { path?: object; query?: object; header?: object };
  body?: unknown;
  signal?: AbortSignal | null;
};

function requestOf(method: string, path: string, options: Options): Request {
  const { params = {}, signal } = options;
  const body = method === "GET" ? undefined : options.body;
  const parts: Record<string, unknown> = { ...params.path };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts[name])));
  const query = new URLSearchParams(
    Object.entries(params.query ?? {}).filter(([, value]) => value !== undefined),
  );
  return new Request(`${location.origin}${BASE}${filled}${query.size > 0 ? `?${query}` : ""}`, {
    method,
    headers: {
      ...CONSOLE_HEADER,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...params.header,
    },
    body: body === undefined ? null : JSON.stringify(body),
    credentials: "same-origin",
    signal: signal ?? null,
  });
}

/** Answers have JSON, or nothing. A proxy may answer an error with another text. */
function bodyOf(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

type Sent = { response: Response; body: unknown };

const by =
  (method: string) =>
  async (path: string, options: Options = {}) => {
    const sent = method === "PATCH" ? saved : plainly;
    const { response, body } = await sent((as) => requestOf(as ?? method, path, options), options);
    return response.ok ? { data: body, response } : { error: body, response };
  };

/** Makes the request of an operation; as GET, without its body. */
type Making = (as?: "GET") => Request;

async function plainly(making: Making): Promise<Sent> {
  const request = making();
  const response = await send(request);
  noteVersion(request, response);
  return { response, body: bodyOf(await response.text()) };
}

/** Saves a change of the version that the page shows. If there is a newer one, the reader says how to go on. */
async function saved(making: Making, options: Options): Promise<Sent> {
  const row = rowOf(options.body);
  const now = row && (await plainly(() => making("GET")));
  const since = row && now?.response.ok ? changedSince(row, now.body) : undefined;
  if (since !== undefined) {
    const refused = { response: new Response(null, { status: 409 }), body: { detail: since } };
    return chosen(refused, making);
  }
  const request = making();
  const version = versionOf(request);
  if (version === undefined) return plainly(making);
  request.headers.set("if-match", version);
  const answer = await plainly(() => request);
  return answer.response.status === 409 ? chosen(answer, making) : answer;
}

/** Asks about a refused change: it is sent without a version, the newer one is loaded, or it stays refused. */
async function chosen(refused: Sent, making: Making): Promise<Sent> {
  const choice = await askAbout(problemOf(refused.response, refused.body).message);
  if (choice === "mine") return plainly(making);
  if (choice === "newer") location.assign(savedPlace());
  return refused;
}

/** The address without the changes in it that are not saved. */
function savedPlace(): string {
  const { pathname, search } = location;
  const query = new URLSearchParams(search);
  for (const name of ["q", "ask", "period", "filters"]) query.delete(name);
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}

/**
 * The API, typed by its own document: `read(api.GET("/api/projects/"))`. It sends the session's cookie,
 * waits and repeats where the server is busy, and opens the sign-in dialog when the session has ended.
 * The types are those of openapi-fetch; its code, 2.6 KB of what a browser loads, is not needed.
 */
export const api = {
  GET: by("GET"),
  POST: by("POST"),
  PATCH: by("PATCH"),
  DELETE: by("DELETE"),
} as Pick<Client<paths, "application/json">, "GET" | "POST" | "PATCH" | "DELETE">;

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The body of a success. Throws a {@link Problem} for any other answer. */
export async function read<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

/**
 * A request to a path that the document does not have, such as the session, or whose answer is no JSON.
 * `path` begins with a slash. Throws a {@link Problem} if it fails.
 */
export async function request(
  method: string,
  path: string,
  { body, signal, headers }: { body?: unknown; signal?: AbortSignal; headers?: HeadersInit } = {},
): Promise<Response> {
  const header = Object.fromEntries(new Headers(headers));
  const options = { params: { header }, body, ...(signal && { signal }) };
  const response = await send(requestOf(method, path, options));
  if (!response.ok) throw problemOf(response, await response.json().catch(() => null));
  return response;
}

/** Whether an error only says that the reader has left. */
export const isAbort = (error: unknown): boolean =>
  !(error instanceof Problem) && (error as { name?: unknown } | null)?.name === "AbortError";
