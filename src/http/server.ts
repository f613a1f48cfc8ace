import { Elysia } from "elysia";
import { Failure } from "../domain/errors.ts";
import { isObject, type JsonObject } from "../domain/json.ts";
import type { Clock } from "../domain/time.ts";
import type { Log } from "../log.ts";
import { attempts } from "../services/attempts.ts";
import type { Capture } from "../services/capture.ts";
import type { Events } from "../services/events.ts";
import type { Groups } from "../services/groups.ts";
import type { Keys } from "../services/keys.ts";
import type { Logs } from "../services/logs.ts";
import type { Metrics } from "../services/metrics.ts";
import type { Persons } from "../services/persons.ts";
import type { Projects } from "../services/projects.ts";
import type { Warnings } from "../services/warnings.ts";
import { type AddressOptions, publicAddress } from "./address.ts";
import { authorizer } from "./auth.ts";
import { type Meter, readBody } from "./body.ts";
import { captureRoutes } from "./capture.ts";
import { corsHeaders, isOfSdk } from "./cors.ts";
import { docsRoutes } from "./docs.ts";
import { failureOf, problem } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { groupRoutes } from "./groups.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { warningRoutes } from "./ingestion-warnings.ts";
import { keyRoutes } from "./keys.ts";
import { logRoutes } from "./logs.ts";
import { refuseOtherMethods } from "./methods.ts";
import { metricRoutes } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import { peerAddress } from "./peer.ts";
import { personRoutes } from "./persons.ts";
import { projectRoutes } from "./projects.ts";
import { requestIds } from "./request-id.ts";
import { hasProject, type Route, shapesOf } from "./route.ts";
import { type SdkRoute, sdkRoutes } from "./sdk.ts";

/** What the HTTP floor needs of the floors below. */
export type HttpNeeds = {
  capture: Capture;
  logs: Logs;
  projects: Projects;
  keys: Keys;
  persons: Persons;
  events: Events;
  groups: Groups;
  warnings: Warnings;
  metrics: Metrics;
  /** Counts the capture bodies that are in memory. */
  meter: Meter;
  readiness: () => Readiness;
  newUuid: () => string;
  now: Clock;
  log: Log;
  version: string;
  /** The address at the other end of a request's connection, if there is one. */
  connectionOf: (request: Request) => string | undefined;
  /** Proxies whose word on where a request comes from counts (setting `trusted_proxies`). */
  trustedProxies: readonly string[];
} & AddressOptions;

/** Answers any request. */
export type HttpServer = (request: Request) => Promise<Response>;

/** Bytes of a management request's body. */
export const MANAGEMENT_BODY_BYTES_MAX = 1_048_576;

/** Every management operation, in the order of contract 4.1. */
export const managementRoutes = (
  needs: Pick<
    HttpNeeds,
    "persons" | "events" | "groups" | "warnings" | "projects" | "keys" | "metrics"
  >,
) => [
  ...personRoutes(needs.persons),
  ...eventRoutes(needs.events),
  ...groupRoutes(needs.groups),
  ...warningRoutes(needs.warnings),
  ...projectRoutes(needs.projects),
  ...keyRoutes(needs.keys),
  ...metricRoutes(needs.metrics),
];

/** The server as a function from request to answer. */
export function httpServer(needs: HttpNeeds): HttpServer {
  const { projects, keys, log } = needs;
  const requestId = requestIds(needs.newUuid());
  const allowed = new Map<string, Set<string>>();
  const peerOf = peerAddress(needs.trustedProxies);
  const authorize = authorizer({
    keys,
    projects,
    attempts: attempts(needs.now),
    addressOf: (request) => peerOf(request, needs.connectionOf(request)),
    log,
  });
  const app = new Elysia({
    strictPath: false,
    // Elysia looks for the path from a fixed place of the URL on: the 12th character, which misses
    // it behind short hosts, or the 8th, which is still in the scheme of https.
    handler: { standardHostname: needs.listenUrl.startsWith("https:") },
  });
  const refusal = (error: unknown, request: Request) => {
    const failure = failureOf(error, requestId(request), log);
    return problem(failure, isOfSdk(request) ? corsHeaders(request) : {});
  };
  app.onError(({ error, request }) => refusal(error, request));
  const allow = (path: string, method: string) => {
    allowed.set(path, (allowed.get(path) ?? new Set()).add(method));
  };

  const guards = { authorize, address: publicAddress(needs) };
  const management = managementRoutes(needs);
  for (const route of management) {
    allow(route.path, route.method);
    mountManagement(app, route, guards);
  }
  const sdk = [
    ...captureRoutes(needs.capture, needs.meter),
    ...logRoutes(needs.logs, projects, needs.meter),
    ...sdkRoutes(projects, needs.newUuid),
  ];
  for (const route of sdk) {
    allow(route.path, route.method);
    mountSdk(app, route, (error, request) => failureOf(error, requestId(request), log));
  }
  const pages = {
    ...healthRoutes(needs.readiness),
    ...docsRoutes(() => openApi(management, sdk, needs.version)),
  };
  for (const [path, handle] of Object.entries(pages)) {
    allow(path, "GET");
    app.get(path, handle, { detail: { hide: true } });
  }
  refuseOtherMethods(app, allowed, new Set(sdk.map(({ path }) => path)));

  const answer = async (request: Request): Promise<Response> => {
    if (!HOST.test(request.headers.get("host") ?? "localhost")) {
      return problem(new Failure("invalid_input", "The Host header is not valid."));
    }
    try {
      return await app.handle(request);
    } catch (error) {
      // Elysia throws what goes wrong while it prepares a route.
      return refusal(error, request);
    }
  };
  return async (request) => {
    const response = await answer(request);
    response.headers.set("x-request-id", requestId(request));
    return response;
  };
}

/** Bun puts whatever Host says before the path: with a slash in it, the path would be another. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Elysia passes on what it cannot decode, as it stands. */
function checkPath(url: string): void {
  if (!url.includes("%") || decoded(new URL(url).pathname)?.includes("\0") === false) return;
  throw new Failure("invalid_input", "The address is not valid percent-encoding.");
}

/** What percent-encoding says in UTF-8; undefined if it is not valid. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

type Guards = {
  authorize: ReturnType<typeof authorizer>;
  address: ReturnType<typeof publicAddress>;
};

/** Authentication comes before validation: a stranger with a bad body gets 401. */
function mountManagement(app: Elysia, route: Route, { authorize, address }: Guards): void {
  const meter: Meter = { held: 0 };
  type Context = { request: Request; params: Record<string, string> };
  const authenticate = ({ request, params }: Context) => {
    const projectId = hasProject(route) ? params["project_id"] : undefined;
    return authorize({ request, scope: route.scope, projectId });
  };
  const handle = async (context: Context & { query: object; body: unknown }) => {
    const granted = await authenticate(context);
    const input = { ...context, ...granted, url: address(context.request) };
    const result = await route.handle(input as Parameters<Route["handle"]>[0]);
    return result instanceof Response ? result : Response.json(result, { status: route.status });
  };
  app.route(route.method, route.path, handle as () => Promise<Response>, {
    parse: [
      async (context: unknown) => {
        await authenticate(context as Context);
      },
      ({ request }: { request: Request }) => readJson(request, meter),
    ],
    transform: async (context: unknown) => {
      await authenticate(context as Context);
      checkPath((context as Context).request.url);
      checkEncoding(route, (context as Context).request);
      checkIntegers(route, context as { query: Record<string, unknown> });
    },
    ...shapesOf(route),
  });
}

/** Elysia reads what is not valid as U+FFFD or as it stands, and such a filter finds nothing. */
function checkEncoding({ query }: Route, { url }: Request): void {
  if (!url.includes("%")) return;
  for (const parameter of new URL(url).search.slice(1).split("&")) {
    if (decoded(parameter) !== undefined) continue;
    const [name = ""] = parameter.split("=", 1);
    const attr = Object.hasOwn(query?.properties ?? {}, name) ? name : null;
    throw new Failure("invalid_input", "The query is not valid percent-encoding in UTF-8.", attr);
  }
}

/** Elysia's coercion takes `1e2`, `0x10` and `5.0` for integers. */
function checkIntegers(route: Route, { query }: { query: Record<string, unknown> }): void {
  for (const [name, shape] of Object.entries(route.query?.properties ?? {})) {
    const value = query[name];
    const isInteger = JSON.stringify(shape).includes('"type":"integer"');
    if (isInteger && typeof value === "string" && !/^-?\d{1,16}$/.test(value)) {
      throw new Failure("invalid_input", "A whole number is expected.", name);
    }
  }
}

/** A JSON object; an empty one when there is no body, so that what is missing is told by name. */
async function readJson(request: Request, meter: Meter): Promise<JsonObject> {
  const { bytes, release } = await readBody(request, meter, {
    bytesMax: MANAGEMENT_BODY_BYTES_MAX,
    onTooLarge: () =>
      new Failure("payload_too_large", `The body is over ${MANAGEMENT_BODY_BYTES_MAX} bytes.`),
  });
  release();
  if (bytes.length === 0) return {};
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new Failure("unsupported_media_type", "The body must be application/json.");
  }
  const body = parse(bytes);
  // Checked here: Elysia holds a body that may be absent to its shape only if it has something in it.
  if (!isObject(body)) throw new Failure("invalid_input", "The body must be a JSON object.");
  return body;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Failure("parse_error", "The body is not valid JSON.");
  }
}

type FailureOf = (error: unknown, request: Request) => Failure;

function mountSdk(app: Elysia, route: SdkRoute, failure: FailureOf): void {
  const handle = async (context: { request: Request; params: Record<string, string> }) => {
    const { request } = context;
    const cors = corsHeaders(request);
    try {
      checkPath(request.url);
      const response = await route.handle(request, context.params);
      for (const [name, value] of Object.entries(cors)) response.headers.append(name, value);
      return response;
    } catch (error) {
      return problem(failure(error, request), cors);
    }
  };
  app.route(route.method, route.path, handle as () => Promise<Response>, { parse: "none" });
}
