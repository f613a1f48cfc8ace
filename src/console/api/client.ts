import { BASE } from "../state/base.ts";
import { takeKnown } from "../state/known.ts";
import { project } from "../state/project.ts";
import { askAbout, changedSince, noteVersion, rowOf, versionOf } from "./conflict.ts";
import { noted } from "./connection.ts";
import { Problem, problemOf } from "./problem.ts";
import { isSignedOut } from "./signed-out.ts";
import { inSlot, sendPatiently } from "./slots.ts";
import type { components, paths } from "./types.ts";

/** The shapes of the API, such as `Schemas["Person"]`. */
export type Schemas = components["schemas"];

type Method = "get" | "post" | "patch" | "delete";

/** The operations with a method, by their path; those in a project lack its start. */
type Operations<M extends Method> = {
  [P in keyof paths as paths[P] extends Record<M, object> ? Short<P> : never]: paths[P][M];
};

type Short<P> = P extends `${typeof IN_PROJECT}${infer Rest}` ? Rest : P;

type Given<O> = PartsOf<O> & BodyOf<O> & { signal?: AbortSignal | undefined };

type PartsOf<O> = O extends { parameters: infer P extends { query?: object; header?: object } }
  ? Pick<P, "query" | "header"> & PathOf<P>
  : object;

/** The project is that of the page, if no other one is given. */
type PathOf<P> = P extends { path: infer Parts }
  ? Exclude<keyof Parts, "project_id"> extends never
    ? { path?: Parts }
    : { path: Omit<Parts, "project_id"> }
  : object;

type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { "application/json": infer B } } | undefined }
    ? { body?: B }
    : object;

type AnswerOf<O> = O extends { responses: infer R }
  ? Json<R[keyof R & (200 | 201 | 202 | 204)]>
  : never;

type Json<R> = R extends { content: { "application/json": infer J } } ? J : undefined;

type Call<M extends Method> = <P extends keyof Operations<M>>(
  path: P,
  ...[given]: object extends Given<Operations<M>[P]>
    ? [given?: Given<Operations<M>[P]>]
    : [given: Given<Operations<M>[P]>]
) => Promise<AnswerOf<Operations<M>[P]>>;

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
  path?: object;
  query?: object;
  header?: object;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/** The start of most paths; calls leave it out. */
const IN_PROJECT = "/api/environments/{project_id}/";

function requestOf(method: string, path: string, options: Options): Request {
  const { query = {}, header, signal } = options;
  const body = method === "GET" ? undefined : options.body;
  const parts: Record<string, unknown> = {
    project_id: project.value?.id ?? "@current",
    ...options.path,
  };
  const whole = path.startsWith("/") ? path : IN_PROJECT + path;
  const filled = whole.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts[name])));
  const search = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== undefined),
  );
  return new Request(`${location.origin}${BASE}${filled}${search.size > 0 ? `?${search}` : ""}`, {
    method,
    headers: {
      ...CONSOLE_HEADER,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...header,
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
  async (path: string, options: Options = {}): Promise<never> => {
    const sent = method === "PATCH" ? saved : plainly;
    const { response, body } = await sent((as) => requestOf(as ?? method, path, options), options);
    if (!response.ok) throw problemOf(response, body);
    return body as never;
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
 * The API, typed by its own document: `api.get("persons/{id}/", { path: { id } })`. A path without a slash at its start
 * is in the project of the page. Each call returns the body of a success, and throws a {@link Problem} for any other
 * answer. It sends the session's cookie, waits and repeats where the server is busy, and opens the sign-in dialog when
 * the session has ended.
 */
export const api: { [M in Method]: Call<M> } = {
  get: by("GET"),
  post: by("POST"),
  patch: by("PATCH"),
  delete: by("DELETE"),
};

/**
 * A request to a path that the document does not have, such as the session, or whose answer is no JSON.
 * Throws a {@link Problem} if it fails.
 */
export async function request(
  method: string,
  path: string,
  { body, signal, headers }: { body?: unknown; signal?: AbortSignal; headers?: HeadersInit } = {},
): Promise<Response> {
  const header = Object.fromEntries(new Headers(headers));
  const response = await send(requestOf(method, path, { header, body, signal }));
  if (!response.ok) throw problemOf(response, await response.json().catch(() => null));
  return response;
}

/** Whether an error only says that the reader has left. */
export const isAbort = (error: unknown): boolean =>
  !(error instanceof Problem) && (error as { name?: unknown } | null)?.name === "AbortError";
