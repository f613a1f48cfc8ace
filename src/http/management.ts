import { type Elysia, type TSchema, t } from "elysia";
import { noteCaller } from "../core/access/callers.ts";
import { JSON_DEPTH_MAX, OBJECT_KEYS_MAX, scanBody } from "../core/events/json-limits.ts";
import type { Log } from "../core/ports/log.ts";
import { Failure } from "../core/values/failure.ts";
import { isObject, type JsonObject, storableText } from "../core/values/json.ts";
import { EventStream, eventStream } from "./answer/event-stream.ts";
import { hasTable } from "./answer/format.ts";
import { Streamed, sent } from "./answer/stream.ts";
import { changesOf } from "./changes.ts";
import {
  type Ask,
  hasProject,
  type Route,
  shapesOf,
  type Thing,
  takesBody,
} from "./operation/route.ts";
import type { publicAddress } from "./request/address.ts";
import type { AskFor } from "./request/asked.ts";
import type { Authorizer, Granted } from "./request/auth.ts";
import { type Meter, parsedBody, readBody } from "./request/body.ts";
import { checkFields } from "./request/fields.ts";
import { checkParameters, decoded } from "./request/parameters.ts";
import { answerOf, type Preference, prefersTable } from "./request/preferences.ts";
import { isSame } from "./request/versions.ts";

type Sent = { query: Record<string, unknown>; body: unknown };

/** Bytes of the body of a request to the API. */
export const MANAGEMENT_BODY_BYTES_MAX = 1_048_576;

/** The checks of every operation, and its defaults. */
type Guards = Authorizer & {
  requestId: (request: Request) => string;
  log: Log;
  address: ReturnType<typeof publicAddress>;
  ask: AskFor;
  prefer: Preference;
};

/**
 * Serves an operation. It authorizes before it validates: without a key, an invalid body gets 401. `thing` is what it reads,
 * changes or deletes, if that is one thing.
 */
export function mountManagement(
  app: Elysia,
  route: Route,
  guards: Guards,
  thing: Thing | undefined,
): void {
  const { authorize, address, prefer } = guards;
  const { current, change, etagOf } = changesOf(route, thing, address);
  const isTable = hasTable(route);
  const meter: Meter = { held: 0 };
  type Context = { request: Request; params: Record<string, string> };
  const accessOf = ({ request, params }: Context) => {
    const projectId = hasProject(route) ? params["project_id"] : undefined;
    const isOpen = route.openFor !== undefined && route.openFor === params["id"];
    return { request, scope: isOpen ? undefined : route.scope, projectId };
  };
  const authenticate = (context: Context) => authorize(accessOf(context));
  const send = (handled: unknown, request: Request, { project }: Granted) => {
    // By its id: `@current` may be another project by now.
    const access = { request, scope: route.scope, projectId: project?.toString() };
    const check = () => guards.reauthorize(access);
    if (handled instanceof EventStream) {
      const isHead = request.method === "HEAD";
      return eventStream(handled, { check, isHead, signal: request.signal });
    }
    if (!(handled instanceof Streamed)) return handled;
    return sent(handled, { check, requestId: guards.requestId(request), log: guards.log });
  };
  const handle = async (context: Context & { query: object; body: unknown }) => {
    const granted = await authenticate(context);
    const { request } = context;
    const { signal } = request;
    noteCaller(signal, granted.principal.key_id);
    const ask: Ask = (asked) => guards.ask(request, asked);
    const input = { ...context, ...granted, url: address(request), signal, ask };
    const run = () => route.handle(input as Parameters<Route["handle"]>[0]);
    const handled = await change(run, context, granted);
    const result = send(handled, request, granted);
    const answer = answerOf(route, context.request, { result, byDefault: prefer });
    if (isTable) answer.headers.append("vary", "Accept");
    // Keys and persons must not be cached, and a browser must not guess their type.
    answer.headers.set("cache-control", "no-store");
    answer.headers.set("x-content-type-options", "nosniff");
    const etag = etagOf(handled);
    if (etag === undefined) return answer;
    answer.headers.set("etag", etag);
    if (!isSame(request, etag)) return answer;
    answer.headers.delete("content-type");
    return new Response(null, { status: 304, headers: answer.headers });
  };
  app.route(route.method, route.path, handle as () => Promise<Response>, {
    parse: [
      async (context: unknown) => {
        await authenticate(context as Context);
      },
      // A body is read also where none is taken: its fields are refused. Null keeps Elysia from reading it.
      ({ request }: { request: Request }) =>
        takesBody(route) ? readJson(request, meter, route.body ?? NO_BODY) : null,
    ],
    transform: async (context: unknown) => {
      await authenticate(context as Context);
      // The key may end during an upload, which may take minutes.
      if (route.body !== undefined) await guards.reauthorize(accessOf(context as Context));
      const { request, query, body } = context as Context & Sent;
      checkEncoding(route, request);
      // Some operations are always refused (contract 4.4).
      if (route.status !== 405) checkParameters(route, request);
      readScalars(route, query);
      if (isObject(body)) {
        const read = async () =>
          current(context as Context, await authenticate(context as Context));
        await checkFields(route, body, read);
      }
      if (isTable && prefersTable(request.headers.get("accept"))) query["format"] ??= "csv";
    },
    ...shapesOf(route),
  });
}

const NO_BODY: TSchema = t.Object({});

/** Fails for invalid encoding, which Elysia would keep or read as U+FFFD: such a filter finds nothing. */
function checkEncoding({ query }: Route, { url }: Request): void {
  if (!url.includes("%")) return;
  for (const parameter of new URL(url).search.slice(1).split("&")) {
    if (decoded(parameter) !== undefined) continue;
    const [name = ""] = parameter.split("=", 1);
    const attr = Object.hasOwn(query?.properties ?? {}, name) ? name : null;
    throw new Failure("invalid_input", "The query is not valid percent-encoding in UTF-8.", attr);
  }
}

/** Parameters of lists that count as absent if they are empty: forms send their empty fields. */
const MAY_BE_EMPTY = [
  "limit",
  "offset",
  "created_by",
  "distinct_id",
  "email",
  "event",
  "search",
  "short_id",
];

/**
 * Reads integers and booleans. Elysia would take `1e2`, `0x10` and `5.0` for integers, and would refuse
 * `True`, as Python writes it (decision 59).
 */
function readScalars(route: Route, query: Record<string, unknown>): void {
  for (const name of MAY_BE_EMPTY) if (query[name] === "") delete query[name];
  for (const [name, shape] of Object.entries(route.query?.properties ?? {})) {
    const value = query[name];
    if (typeof value !== "string") continue;
    // A plus sign that was not percent-encoded is a space.
    if (TIME_NAME.test(name)) query[name] = value.replace(SPACED_OFFSET, "$1+$2");
    const types = JSON.stringify(shape);
    if (types.includes('"type":"integer"') && !/^-?\d{1,16}$/.test(value)) {
      throw new Failure("invalid_input", "A whole number is expected.", name);
    }
    if (types.includes('"type":"boolean"')) query[name] = booleanOf(value, name);
  }
}

/** Names of parameters that take a time. */
const TIME_NAME = /^(?:after|before|date_from|date_to)$/;

/** A time with a space in place of the plus sign before its offset. */
const SPACED_OFFSET = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) (\d\d(?::?\d\d)?)$/;

const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function booleanOf(value: string, name: string): boolean {
  const boolean = BOOLEANS.get(value.toLowerCase());
  if (boolean !== undefined) return boolean;
  throw new Failure("invalid_input", "Either true or false is expected.", name);
}

/** Reads a JSON object; an empty one without a body, so that the answer names the missing fields. */
async function readJson(request: Request, meter: Meter, shape: TSchema): Promise<JsonObject> {
  const { bytes, release } = await readBody(request, meter, {
    bytesMax: MANAGEMENT_BODY_BYTES_MAX,
    onTooLarge: () =>
      new Failure("payload_too_large", `The body is over ${MANAGEMENT_BODY_BYTES_MAX} bytes.`),
  });
  release();
  if (bytes.length === 0) return {};
  if ((request.headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") {
    throw new Failure("unsupported_media_type", "The body must not be encoded.");
  }
  checkType(request.headers.get("content-type") ?? "");
  // Checked before it is read: a parser may not have the stack for it.
  const { refused, refusedAt, excesses } = scanBody(bytes);
  const [at = refusedAt] = excesses;
  if (at !== undefined) {
    const detail =
      refused === "open"
        ? `Byte ${at}: this list has no end.`
        : `Byte ${at}: nesting is at most ${JSON_DEPTH_MAX} deep, an object has at most ${OBJECT_KEYS_MAX} keys.`;
    throw new Failure("invalid_input", detail);
  }
  const body = parsedBody(bytes);
  // Checked here, because Elysia does not check an empty object against the shape of an optional body.
  if (!isObject(body)) throw new Failure("invalid_input", "The body must be a JSON object.");
  checkTexts(body, []);
  return withoutNulls(body, shape);
}

/** Fails for a text or a name that no store keeps as it is: one with NUL or half a surrogate pair. */
function checkTexts(value: unknown, path: readonly string[]): void {
  if (typeof value === "string" && storableText(value) !== value) {
    throw new Failure("invalid_input", UNSTORABLE, storableText(path.join("__")) || null);
  }
  for (const [name, inner] of typeof value === "object" ? Object.entries(value ?? {}) : []) {
    checkTexts(name, path);
    checkTexts(inner, [...path, name]);
  }
}

const UNSTORABLE =
  "A text here has NUL (\\u0000) or half a surrogate pair (\\ud800 to \\udfff), which is not kept: leave it out.";

/** Returns a body without the optional fields that are null where null is no value: they count as absent. */
function withoutNulls(body: JsonObject, { required = [], properties = {} }: TSchema): JsonObject {
  for (const [name, field] of Object.entries<TSchema>(properties)) {
    const value = body[name];
    if (isObject(value)) withoutNulls(value, field);
    const types = (field["anyOf"] ?? [field]) as TSchema[];
    const isValue =
      required.includes(name) || types.some(({ type }) => type === undefined || type === "null");
    if (value === null && !isValue) delete body[name];
  }
  return body;
}

/** Fails unless the body is JSON in UTF-8 (RFC 8259 8.1), of which US-ASCII is a part. */
function checkType(header: string): void {
  const [type, ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  if (type !== "application/json") {
    throw new Failure("unsupported_media_type", "The body must be application/json.");
  }
  for (const parameter of parameters) {
    const [, charset] = /^charset="?([^"]*)"?$/.exec(parameter) ?? [];
    if (charset === undefined || CHARSETS.has(charset)) continue;
    throw new Failure("unsupported_media_type", "The body must be in UTF-8.");
  }
}

const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);
