import { Elysia } from "elysia";
import { Failure } from "../domain/errors.ts";
import { isObject, type JsonObject } from "../domain/json.ts";
import type { Log } from "../log.ts";
import type { Activities } from "../services/activity.ts";
import type { Capture } from "../services/capture.ts";
import type { Deletions } from "../services/deletions.ts";
import type { Events } from "../services/events.ts";
import type { Groups } from "../services/groups.ts";
import type { Keys } from "../services/keys.ts";
import type { Logs } from "../services/logs.ts";
import type { Metrics } from "../services/metrics.ts";
import type { PersonEdits } from "../services/person-edits.ts";
import type { Persons } from "../services/persons.ts";
import type { Projects } from "../services/projects.ts";
import type { Warnings } from "../services/warnings.ts";
import { type AddressOptions, publicAddress } from "./address.ts";
import { authorizer } from "./auth.ts";
import { type Meter, readBody } from "./body.ts";
import { captureRoutes } from "./capture.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { docsRoutes } from "./docs.ts";
import { failureOf, problem } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { groupRoutes } from "./groups.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { warningRoutes } from "./ingestion-warnings.ts";
import { logRoutes } from "./logs.ts";
import { metricRoutes } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import { personEditRoutes } from "./person-edits.ts";
import { activityRoutes, deletionRoutes, personRoutes } from "./persons.ts";
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
  personEdits: PersonEdits;
  activities: Activities;
  deletions: Deletions;
  events: Events;
  groups: Groups;
  warnings: Warnings;
  metrics: Metrics;
  /** Counts the capture bodies that are in memory. */
  meter: Meter;
  readiness: () => Readiness;
  newUuid: () => string;
  log: Log;
  version: string;
} & AddressOptions;

/** Bytes of a management request's body. */
export const MANAGEMENT_BODY_BYTES_MAX = 1_048_576;

/** Every management operation, in the order of contract 4.1. */
export const managementRoutes = (
  needs: Pick<
    HttpNeeds,
    | "persons"
    | "personEdits"
    | "activities"
    | "deletions"
    | "events"
    | "groups"
    | "warnings"
    | "projects"
    | "metrics"
  >,
) => [
  ...personRoutes(needs.persons),
  ...personEditRoutes(needs.personEdits),
  ...activityRoutes(needs.activities),
  ...deletionRoutes(needs.deletions),
  ...eventRoutes(needs.events),
  ...groupRoutes(needs.groups),
  ...warningRoutes(needs.warnings),
  ...projectRoutes(needs.projects),
  ...metricRoutes(needs.metrics),
];

/** The server as a function from request to answer. */
export function httpServer(needs: HttpNeeds): (request: Request) => Promise<Response> {
  const { projects, log } = needs;
  const requestId = requestIds(needs.newUuid());
  const allowed = new Map<string, Set<string>>();
  const app = new Elysia({
    strictPath: false,
    // Elysia looks for the path from a fixed place of the URL on: the 12th character, which misses
    // it behind short hosts, or the 8th, which is still in the scheme of https.
    handler: { standardHostname: needs.listenUrl.startsWith("https:") },
  });
  app.onError(({ error, request }) => problem(failureOf(error, requestId(request), log)));
  const allow = (path: string, method: string) => {
    allowed.set(path, (allowed.get(path) ?? new Set()).add(method));
  };

  const management = managementRoutes(needs);
  for (const route of management) {
    allow(route.path, route.method);
    mountManagement(app, route, needs);
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

  return async (request) => {
    const response = isWellFormed(request.url)
      ? await app.handle(request)
      : problem(new Failure("invalid_input", "The address is not valid percent-encoding."));
    response.headers.set("x-request-id", requestId(request));
    return response;
  };
}

function isWellFormed(url: string): boolean {
  if (!url.includes("%")) return true;
  return decoded(new URL(url).pathname)?.includes("\0") === false;
}

/** What percent-encoding says in UTF-8; undefined if it is not valid. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Authentication comes before validation: a stranger with a bad body gets 401. */
function mountManagement(app: Elysia, route: Route, needs: HttpNeeds): void {
  const authorize = authorizer(needs.keys, needs.projects);
  const address = publicAddress(needs);
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
    if (route.empty) return new Response(null, { status: route.status });
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

/** A JSON object; undefined when the body is empty. */
async function readJson(request: Request, meter: Meter): Promise<JsonObject | undefined> {
  const { bytes, release } = await readBody(request, meter, {
    bytesMax: MANAGEMENT_BODY_BYTES_MAX,
    onTooLarge: () =>
      new Failure("payload_too_large", `The body is over ${MANAGEMENT_BODY_BYTES_MAX} bytes.`),
  });
  release();
  if (bytes.length === 0) return undefined;
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
      const response = await route.handle(request, context.params);
      for (const [name, value] of Object.entries(cors)) response.headers.append(name, value);
      return response;
    } catch (error) {
      return problem(failure(error, request), cors);
    }
  };
  app.route(route.method, route.path, handle as () => Promise<Response>, { parse: "none" });
}

/**
 * Answers every other method on a known path with 405 and `Allow`, explicitly for each: a path
 * without parameters would else fall through to a sibling with one.
 */
function refuseOtherMethods(
  app: Elysia,
  allowed: ReadonlyMap<string, ReadonlySet<string>>,
  sdkPaths: ReadonlySet<string>,
): void {
  for (const [path, methods] of allowed) {
    const isSdk = sdkPaths.has(path);
    // Elysia answers HEAD wherever there is GET.
    const served = new Set([...methods, ...(methods.has("GET") ? ["HEAD"] : [])]);
    const allow = [...served, ...(isSdk ? ["OPTIONS"] : [])].join(", ");
    const refuse = ({ request }: { request: Request }) =>
      problem(new Failure("method_not_allowed", `Allowed here: ${allow}.`), {
        allow,
        ...(isSdk ? corsHeaders(request) : {}),
      });
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]) {
      if (served.has(method)) continue;
      const answer =
        isSdk && method === "OPTIONS"
          ? ({ request }: { request: Request }) => preflight(request)
          : refuse;
      app.route(method, path, answer as () => Response, { parse: "none" });
    }
  }
}
