import { Elysia, NotFoundError } from "elysia";
import { attempts } from "../core/access/failed-keys.ts";
import type { Keys } from "../core/access/keys.ts";
import type { Projects } from "../core/access/projects.ts";
import type { RunningQueries } from "../core/access/running-queries.ts";
import type { Sessions } from "../core/access/sessions.ts";
import type { Capture } from "../core/capture/capture.ts";
import type { CountryOf } from "../core/capture/country.ts";
import type { Annotations } from "../core/dashboards/annotations.ts";
import type { Dashboards } from "../core/dashboards/dashboards.ts";
import type { DeletionRuns } from "../core/erasure/deletion-runs.ts";
import type { DeletionDesk } from "../core/erasure/deletions.ts";
import type { Definitions } from "../core/events/definitions.ts";
import type { IsCatchingUp } from "../core/events/freshness.ts";
import type { LiveEvents } from "../core/ingest/live.ts";
import type { Insights } from "../core/insights/insights.ts";
import type { Logs } from "../core/logs/logs.ts";
import type { Arrivals } from "../core/operations/arrivals.ts";
import type { Metrics } from "../core/operations/metrics.ts";
import type { Status } from "../core/operations/status.ts";
import type { RequestKind, Timings } from "../core/operations/timings.ts";
import type { Activities } from "../core/persons/activity-log.ts";
import type { PreviewDeletion } from "../core/persons/deletion-preview.ts";
import type { PersonMerges } from "../core/persons/merges.ts";
import type { PersonEdits } from "../core/persons/person-edits.ts";
import type { Persons } from "../core/persons/persons.ts";
import type { Playlists } from "../core/playlists/playlists.ts";
import type { UserReads } from "../core/ports/access.ts";
import type { DeletionReads } from "../core/ports/erasure.ts";
import type { EventReads } from "../core/ports/events.ts";
import type { Log } from "../core/ports/log.ts";
import type { LogReads } from "../core/ports/logs.ts";
import type { GroupReads } from "../core/ports/persons/groups.ts";
import type { WarningReads } from "../core/ports/warnings.ts";
import type { Sql } from "../core/sql/sql.ts";
import { Failure } from "../core/values/failure.ts";
import type { Clock } from "../core/values/time.ts";
import { refuseOtherMethods } from "./allowed-methods.ts";
import { asksForText, failureOf, problem, textProblem } from "./answer/errors.ts";
import { requestIds, requestLog } from "./answer/request-log.ts";
import { consoleRoutes } from "./console/routes.ts";
import { openApi } from "./docs/openapi.ts";
import { docsRoutes } from "./docs/pages.ts";
import { mountManagement } from "./management.ts";
import { mountPages, mountSdk } from "./mount.ts";
import { pagesOf, type Route, type SdkRoute, thingOf } from "./operation/route.ts";
import { type AddressNeeds, addresses } from "./request/address.ts";
import { askedRequests } from "./request/asked.ts";
import { authorizer } from "./request/auth.ts";
import type { Meter } from "./request/body.ts";
import { corsHeaders, firstSegment, isOfSdk } from "./request/cors.ts";
import { isHost, withHost } from "./request/host.ts";
import type { Preference } from "./request/preferences.ts";
import { CONSOLE_HEADER, sessionCookie } from "./request/session-cookie.ts";
import { activityRoutes } from "./routes/activity.ts";
import { annotationRoutes } from "./routes/dashboards/annotations.ts";
import { dashboardRoutes } from "./routes/dashboards/dashboards.ts";
import { queryStreamRoutes } from "./routes/dashboards/query-stream.ts";
import { definitionRoutes } from "./routes/definitions.ts";
import { deletionRoutes } from "./routes/deletions.ts";
import { eventRoutes } from "./routes/events.ts";
import { groupRoutes } from "./routes/groups.ts";
import { healthRoutes, type Readiness } from "./routes/health.ts";
import { warningRoutes } from "./routes/ingestion-warnings.ts";
import { insightRoutes } from "./routes/insights.ts";
import { keyRoutes } from "./routes/keys.ts";
import { logQueryRoutes } from "./routes/logs.ts";
import { METRICS_PATH, metricRoutes } from "./routes/metrics.ts";
import { personEditRoutes } from "./routes/person-edits.ts";
import { personRoutes } from "./routes/persons.ts";
import { playlistRoutes } from "./routes/playlists.ts";
import { projectRoutes } from "./routes/projects.ts";
import { readWordsRoutes } from "./routes/read-words.ts";
import { queryRoutes } from "./routes/sql.ts";
import { sqlSchemaRoutes } from "./routes/sql-schema.ts";
import { statusRoutes } from "./routes/status.ts";
import { organizationRoutes, userRoutes } from "./routes/users.ts";
import { captureRoutes, type OnRefused, type SenderOf } from "./sdk/capture.ts";
import { sdkRoutes } from "./sdk/config.ts";
import { meantPath } from "./sdk/meant-path.ts";
import { logRoutes } from "./sdk/otlp.ts";
import { refusalOf } from "./sdk/refusals.ts";
import { senderReader } from "./sdk/sender.ts";

/** The services and ports that management operations call. */
type ManagementNeeds = {
  logReads: LogReads;
  projects: Projects;
  keys: Keys;
  persons: Persons;
  personEdits: PersonEdits;
  activities: Activities;
  definitions: Definitions;
  deletions: Pick<DeletionReads, "list">;
  deletionDesk: Pick<DeletionDesk, "receipt" | "cancel">;
  previewDeletion: PreviewDeletion;
  merges: PersonMerges;
  playlists: Playlists;
  events: EventReads;
  live: Pick<LiveEvents, "join">;
  groups: GroupReads;
  annotations: Annotations;
  dashboards: Dashboards;
  insights: Insights;
  sql: Sql;
  runningQueries: RunningQueries;
  users: Pick<UserReads, "find">;
  warnings: Pick<WarningReads, "list">;
  metrics: Metrics;
  status: Status;
  /** Whether the event store lacks events that were accepted before the start. */
  isCatchingUp: IsCatchingUp;
  now: Clock;
};

/** The parts of the HTTP server. */
export type HttpNeeds = ManagementNeeds & {
  capture: Capture;
  logs: Logs;
  timings: Timings;
  /** Counts refused requests of senders, and notes pages that load posthog-js. */
  arrivals: Pick<Arrivals, "refuse" | "noteLoaded">;
  deletionRuns: Pick<DeletionRuns, "run">;
  /** Counts the bytes of capture bodies in memory. */
  meter: Meter;
  readiness: () => Readiness;
  /** The default for operations that the contract leaves empty. */
  prefer: Preference;
  newUuid: () => string;
  log: Log;
  version: string;
  sessions: Sessions;
  /** Whether browsers get the console (setting `console`). */
  hasConsole: boolean;
  /** Differs between servers; in the name of the console's cookie. */
  instance: string;
  /** Undefined if events get no country (setting `geoip`). */
  countryOf: CountryOf | undefined;
} & AddressNeeds;

/** Answers each request; never fails. */
export type HttpServer = (request: Request) => Promise<Response>;

/** Every management operation, in the order of contract 4.1. */
export const managementRoutes = (needs: ManagementNeeds) => [
  ...logQueryRoutes(needs),
  ...personRoutes(needs.persons),
  ...personEditRoutes(needs.personEdits, needs.merges),
  ...activityRoutes(needs.activities),
  ...deletionRoutes(needs),
  ...playlistRoutes(needs.playlists),
  ...annotationRoutes(needs.annotations),
  ...dashboardRoutes(needs.dashboards),
  ...insightRoutes(needs.insights),
  ...readWordsRoutes(needs.insights),
  ...queryRoutes(needs),
  ...queryStreamRoutes(),
  ...sqlSchemaRoutes(needs),
  ...eventRoutes(needs),
  ...definitionRoutes(needs.definitions),
  ...groupRoutes(needs),
  ...warningRoutes(needs.warnings),
  ...projectRoutes(needs.projects),
  ...statusRoutes(needs.status),
  ...keyRoutes(needs.keys),
  ...userRoutes(needs),
  ...organizationRoutes(needs.projects),
  ...metricRoutes(needs.metrics),
];

/** Clients of PostHog ask below `/api/projects/` for what others ask below `/api/environments/`. */
function withOtherPath(route: Route): Route[] {
  const path = route.path.replace(/^\/api\/(environments|projects)\//, (_, part) =>
    part === "projects" ? "/api/environments/" : "/api/projects/",
  );
  return path === route.path ? [route] : [route, { ...route, path }];
}

/** The HTTP server as a function from a request to its answer. */
export function httpServer(needs: HttpNeeds): HttpServer {
  const { projects, keys, log } = needs;
  const { ask, connectionOf, requestId } = askedRequests({
    connectionOf: needs.connectionOf,
    requestId: requestIds(needs.newUuid()),
    answer: (request) => handled(request),
  });
  const allowed = new Map<string, Set<string>>();
  const { clientOf, address } = addresses({ ...needs, connectionOf });
  const wrongKeys = attempts(needs.now);
  const cookie = sessionCookie({ ...needs, address });
  const authority = authorizer({
    ...{ keys, projects, attempts: wrongKeys, addressOf: clientOf },
    console: needs.hasConsole ? { ...needs, cookie } : undefined,
  });
  const senderOf = senderReader(needs.countryOf, clientOf);
  const app = newApp(needs.listenUrl);
  const refusal = (error: unknown, request: Request) => {
    const { pathname } = new URL(request.url);
    const meant = error instanceof NotFoundError ? meantBy(request) : undefined;
    const thrown = meant === undefined ? error : new Failure("not_found", meant.detail);
    const failure = failureOf(thrown, requestId(request), log, pathname);
    if (isOfSdk(request) || meant?.isOfSender) return problem(failure, corsHeaders(request));
    return asksForText(request) ? textProblem(failure) : problem(failure);
  };
  app.onError(({ error, request }) => refusal(error, request));
  const allow = (path: string, method: string) => {
    allowed.set(path, (allowed.get(path) ?? new Set()).add(method));
  };
  const handled = async (request: Request): Promise<Response> => {
    try {
      return await app.handle(request);
    } catch (error) {
      // Elysia throws failures of the preparation of a route.
      return refusal(error, request);
    }
  };
  const guards = { ...authority, requestId, log, address, ask, prefer: needs.prefer };
  const management = managementRoutes(needs);
  const served = management.flatMap(withOtherPath);
  const paths = served.map(({ path }) => path);
  for (const route of served) {
    if (route.status !== 405) allow(route.path, route.method);
    mountManagement(app, route, guards, thingOf(route, served));
  }
  const refused = (request: Request, failure: Failure) => {
    needs.arrivals.refuse(refusalOf(request, failure));
    return failure;
  };
  const sdk = senderRoutes(needs, senderOf, refused);
  const meantBy = meantPath({ sdk: sdk.map(({ path }) => path), api: paths });
  const direct = mountSdk(app, sdk, allow, (error, request) =>
    refused(request, failureOf(error, requestId(request), log)),
  );
  const docs = docsRoutes(() => openApi(management, sdk, needs.version));
  const pages = { ...healthRoutes(needs.readiness), ...docs };
  const routes = consoleRoutes({ ...needs, address, ask, cookie, authority });
  mountPages(app, [...pagesOf(pages), ...routes], allow);
  refuseOtherMethods(app, allowed, new Set(sdk.map(({ path }) => path)));
  paths.push(...routes.map(({ path }) => path));
  const quiet = [METRICS_PATH, ...Object.keys(pages)];
  const logged = requestLog(log, { paths, quiet, quietHeader: CONSOLE_HEADER });

  /** The last valid Host, because most requests name the same. */
  let lastHost: string | null = null;
  const answer = async (request: Request): Promise<Response> => {
    const host = request.headers.get("host");
    if (host !== null && host !== lastHost && !isHost(host)) {
      return problem(new Failure("invalid_input", "The Host header is not valid."));
    }
    lastHost = host;
    return direct(request) ?? handled(request);
  };
  return async (request) => {
    const done = needs.timings.begin();
    const response = await answer(withHost(request, needs.listenUrl));
    const kind = kindOf(request);
    const ms = done(kind);
    const { status } = response;
    if (isLost(request, kind, status) || (status === 404 && meantBy(request)?.isOfSender)) {
      refused(request, new Failure("not_found", "Not found."));
    }
    response.headers.set("x-request-id", requestId(request));
    if (kind !== "capture") logged({ request, status, requestId: requestId(request), ms });
    return response;
  };
}

/** The application, before it has any route. */
const newApp = (listenUrl: string) =>
  new Elysia({
    strictPath: false,
    // Drops unknown fields. Elysia's own way would turn a text into a list before the check.
    normalize: "typebox",
    // Elysia starts to look for the path at a fixed character of the URL. The 12th is too late after a
    // short host; the 8th is still in the scheme with https.
    handler: { standardHostname: listenUrl.startsWith("https:") },
  });

/** The routes that SDKs call. */
const senderRoutes = (
  { capture, logs, projects, arrivals, meter, newUuid }: HttpNeeds,
  senderOf: SenderOf,
  refused: OnRefused,
): SdkRoute[] => [
  ...captureRoutes(capture, meter, senderOf, refused),
  ...logRoutes(logs, projects, meter),
  ...sdkRoutes({ projects, arrivals, newUuid }),
];

/** Whether an event may have been sent to a wrong path. */
function isLost({ method }: Request, kind: RequestKind, status: number): boolean {
  return method === "POST" && kind !== "api" && (status === 404 || status === 405);
}

function kindOf(request: Request): RequestKind {
  if (isOfSdk(request)) return "capture";
  return firstSegment(request.url) === "api" ? "api" : "other";
}
