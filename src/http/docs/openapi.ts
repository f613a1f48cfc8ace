import { STATUS_CODES } from "node:http";
import { swagger } from "@elysiajs/swagger";
import { Elysia, type TSchema, t } from "elysia";
import { Failure, RETRY_AFTER_S, serverError } from "../../core/values/failure.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { type Route, type SdkRoute, shapesOf } from "../operation/route.ts";
import { ProblemShape, pageLink } from "../operation/schemas.ts";
import { tooManyKeys } from "../request/auth.ts";
import { PreferHeader } from "../request/preferences.ts";
import { type Hints, mendPaths } from "./openapi-corrections.ts";

const SECURITY_SCHEME = "personal_api_key";
const DERIVED_AT = "/derived";

/** What operations are grouped by: the noun of their path. */
const TAGS: Record<string, string> = {
  capture: "Events, sent by applications.",
  logs: "Log records, found.",
  persons: "Who did something, and what is known of them.",
  session_recording_playlists: "Collections of session recordings.",
  insights: "Questions about events, and their answers.",
  events: "What was captured.",
  event_definitions: "What events there are.",
  property_definitions: "What properties events, persons and groups have.",
  groups: "Companies, teams and whatever else events belong to.",
  ingestion_warnings: "What was not stored as it was sent, and why.",
  projects: "Projects and their project keys.",
  personal_api_keys: "The personal keys of the user who asks.",
  users: "Users.",
  metrics: "How the server is doing.",
};

/** One failure of each status, as an example. */
const FAILURES = [
  new Failure("invalid_input", "A whole number is expected.", "limit"),
  new Failure("not_authenticated", "A personal API key is required: Bearer phx_…."),
  new Failure("permission_denied", "The API key lacks the scope 'person:read'."),
  new Failure("not_found", "Not found."),
  new Failure("request_timeout", "The body took too long to arrive."),
  new Failure("payload_too_large", "The body is over 1048576 bytes."),
  new Failure("unsupported_media_type", "The body must be application/json."),
  tooManyKeys(42),
  serverError("m3x2k1-1a"),
  new Failure("unavailable", "The event store is being brought up from the journal."),
  new Failure(
    "query_timeout",
    "Reading took longer than 30 s. Ask for less, or for a shorter time.",
  ),
];

/**
 * The OpenAPI 3.1 document of the server, derived by @elysiajs/swagger from the schemas that
 * the routes are checked by, and mended where that misreports them (decision 20).
 */
export async function openApi(
  management: readonly Route[],
  sdk: readonly SdkRoute[],
  version: string,
): Promise<JsonObject> {
  const app = new Elysia().use(swagger({ path: DERIVED_AT, documentation: {} }));
  for (const route of sdk) if (route.operationId !== undefined) describeSdk(app, route);
  for (const route of management) describe(app, route);
  const derived = await app.handle(new Request(`http://localhost${DERIVED_AT}/json`));
  const { paths: inlined } = (await derived.json()) as JsonObject;
  const { paths, schemas } = mendPaths(inlined ?? {}, { Problem: ProblemShape });
  return {
    openapi: "3.1.0",
    info: {
      title: "Hoglet",
      version,
      description:
        "Capture is public and takes the project key in its body. Everything else takes a personal API key with a scope: `Authorization: Bearer phx_…`. Press Authorize to try it here. Paths work without their trailing slash, too.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This server." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      responses: Object.fromEntries(FAILURES.map((failure) => [failure.status, answerOf(failure)])),
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: "http",
          scheme: "bearer",
          description: "A personal API key, `phx_…`, with the scope that the operation names.",
        },
      },
    },
  };
}

/** A failure as an answer. */
function answerOf({ status, problem, retryAfterS }: Failure): JsonObject {
  const header = (name: string, description: string, schema: JsonObject) => ({
    headers: { [name]: { description, schema } },
  });
  const retry = header("Retry-After", `Seconds to wait: ${RETRY_AFTER_S} if not known better.`, {
    type: "integer",
    examples: [retryAfterS],
  });
  return {
    description: STATUS_CODES[status] ?? "",
    ...(status === 401
      ? header("WWW-Authenticate", "How to authenticate.", { type: "string", const: "Bearer" })
      : {}),
    ...(status === 429 || status === 503 ? retry : {}),
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Problem" }, example: problem },
    },
  };
}

const noHandler = () => "";

function describe(app: Elysia, route: Route): void {
  const { operationId, summary, scope, body } = route;
  const hints: Hints = {
    failures: [
      ...[400, 401, 403],
      ...(route.path.includes("/:") ? [404] : []),
      ...(body === undefined ? [] : [408, 413, 415]),
      ...[429, 500, 503, 504],
    ],
    needsBody: body !== undefined && t.Object({ body }).required !== undefined,
  };
  app.route(route.method, route.path, noHandler, {
    ...shapesOf(route),
    ...(route.empty ? { headers: PreferHeader } : {}),
    response: Object.fromEntries(successesOf(route)),
    detail: {
      operationId,
      summary,
      description: `Requires the scope \`${scope}\`.`,
      tags: [tagOf(route)],
      // OpenAPI 3.1 lets roles be named for any scheme.
      security: [{ [SECURITY_SCHEME]: [scope] }],
      ...hints,
    },
  });
}

/** What the paths of the contract are of that have no noun of ours in them. */
const INSIGHT_NOUNS = ["max_tools", "query"];

/** The noun of a path, which its kinds go with: `groups` of `…/groups_types/`. */
function tagOf({ path }: Route): string {
  const [noun = ""] = path.replace(/^\/api\/(environments\/:project_id\/)?|^\//, "").split("/", 1);
  if (INSIGHT_NOUNS.includes(noun)) return "insights";
  return Object.keys(TAGS).find((tag) => `${noun}_`.startsWith(`${tag}_`)) ?? noun;
}

/** The answers of success. What a schema says of itself is said of the answer. */
function successesOf(route: Route): [number, TSchema][] {
  const { status, empty } = route;
  const response = linked(route);
  if (!empty) return [[status, response]];
  const preferred = "With `Prefer: return=representation`, the result";
  if (status === 200) return [[200, { ...response, description: `${preferred}; else no body.` }]];
  return [
    [status, t.Void()],
    [200, { ...response, description: `${preferred}.` }],
  ];
}

/** The answer of success; of a page, the examples of its links are addresses of the route itself. */
function linked(route: Route): TSchema {
  const { path, query, response } = route;
  const properties: Properties = response["properties"] ?? {};
  if (!("next" in properties)) return response;
  const params: Properties = shapesOf(route).params?.properties ?? {};
  const address = path.replace(/:(\w+)/g, (_, name) => String(exampleOf(params[name])));
  const asked: Properties = query?.properties ?? {};
  const limit = exampleOf(asked["limit"]);
  const link = (more: object) => {
    const parts = Object.entries({ limit, ...more }).flatMap(([name, value]) =>
      name in asked ? `${name}=${encodeURIComponent(String(value))}` : [],
    );
    return pageLink(`${address}?${parts.join("&")}`);
  };
  const next = link({ cursor: exampleOf(asked["cursor"]), offset: limit, page: 2 });
  const previous = "previous" in properties ? { previous: link({ page: 1 }) } : {};
  return t.Object({ ...properties, next, ...previous }, { $id: response.$id ?? "" });
}

type Properties = Record<string, TSchema>;

function exampleOf(schema: TSchema | undefined): unknown {
  return schema?.examples?.[0];
}

function describeSdk(app: Elysia, route: SdkRoute): void {
  const { method, path, operationId, summary, description, body } = route;
  const hints: Hints = { failures: [400, 401, 408, 413, 415, 500, 503], needsBody: true };
  const response: Record<number, TSchema> = {
    200: t.Object({ status: t.Literal("Ok") }, { $id: "Captured" }),
  };
  app.route(method, path, noHandler, {
    ...(body === undefined ? {} : { body }),
    response,
    detail: {
      ...(operationId === undefined ? {} : { operationId }),
      ...(summary === undefined ? {} : { summary }),
      ...(description === undefined ? {} : { description }),
      tags: ["capture"],
      security: [],
      ...hints,
    },
  });
}
