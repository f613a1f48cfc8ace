import { STATUS_CODES } from "node:http";
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { Failure, RETRY_AFTER_S, serverError } from "../../core/values/failure.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { type Route, type SdkRoute, thingOf } from "../operation/route.ts";
import { ProblemShape } from "../operation/schemas.ts";
import { tooManyKeys } from "../request/auth.ts";
import { schemaWriter, type WriteSchema } from "./json-schema.ts";
import { captureOperationOf, operationOf, SECURITY_SCHEME } from "./operations.ts";

const SERVED_AT = "/document";

/** Groups of operations: the noun of their path. */
const TAGS: Record<string, string> = {
  capture: "Events from applications.",
  logs: "Queries of log records.",
  persons: "Persons and their properties.",
  session_recording_playlists: "Collections of session recordings.",
  insights: "Questions about events, with their answers.",
  dashboards: "Dashboards of insights and texts.",
  annotations: "Notes on times, which charts show.",
  events: "Stored events.",
  event_definitions: "Names of events.",
  property_definitions: "Properties of events, persons and groups.",
  groups: "Companies, teams and other groups of events.",
  ingestion_warnings: "Reasons why events were not stored as sent.",
  projects: "Projects and their project keys.",
  organizations: "The one organization, for tools that begin with it.",
  personal_api_keys: "Personal keys of the caller.",
  users: "Users.",
  metrics: "Metrics of the server.",
};

/** An example of a failure for each status. */
const FAILURES = [
  new Failure("invalid_input", "A whole number is expected.", "limit"),
  new Failure("not_authenticated", "A personal API key is required: Bearer phx_…."),
  new Failure("permission_denied", "The API key lacks the scope 'person:read'."),
  new Failure("not_found", "Not found."),
  new Failure("conflict", "Changed since it was read: name. Read it again.", "name"),
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

/** The OpenAPI 3.1 document of the server, written from its own routes (decision 20). */
export async function openApi(
  management: readonly Route[],
  sdk: readonly SdkRoute[],
  version: string,
): Promise<JsonObject> {
  const schemas: JsonObject = {};
  const write = schemaWriter(schemas);
  const paths = pathsOf(management, sdk, write);
  write(ProblemShape);
  const documentation = {
    openapi: "3.1.0",
    info: {
      title: "Hoglet",
      version,
      description:
        "Capture is public and takes the project key in its body. All other operations take a personal API key with a scope: `Authorization: Bearer phx_…`. Press Authorize to try them here. Paths also work without the trailing slash.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: ".", description: "This server." }],
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
  // This application has no routes of its own, so the plugin derives nothing.
  const app = new Elysia().use(
    swagger({ path: SERVED_AT, documentation: documentation as object }),
  );
  const served = await app.handle(new Request(`http://localhost${SERVED_AT}/json`));
  return (await served.json()) as JsonObject;
}

/** The operations by path and method. */
function pathsOf(
  management: readonly Route[],
  sdk: readonly SdkRoute[],
  write: WriteSchema,
): object {
  const paths: Record<string, object> = {};
  const add = ({ path, method }: Pick<Route, "path" | "method">, operation: object) => {
    const address = path.replace(/:(\w+)/g, "{$1}");
    paths[address] = { ...paths[address], [method.toLowerCase()]: operation };
  };
  for (const route of sdk) {
    if (route.documented) add(route, captureOperationOf(route.documented, "capture", write));
  }
  for (const route of management) {
    const isOfThing = thingOf(route, management) !== undefined;
    add(route, operationOf(route, tagOf(route), write, isOfThing));
  }
  return paths;
}

/** The answer for a failure. */
function answerOf({ status, problem, retryAfterS }: Failure): JsonObject {
  const header = (name: string, description: string, schema: JsonObject) => ({
    headers: { [name]: { description, schema } },
  });
  const retry = header("Retry-After", `Seconds to wait, ${RETRY_AFTER_S} by default.`, {
    type: "integer",
    examples: [retryAfterS],
  });
  return {
    description: STATUS_CODES[status] ?? "",
    ...(status === 401
      ? header("WWW-Authenticate", "The way to authenticate.", { type: "string", const: "Bearer" })
      : {}),
    ...(status === 429 || status === 503 ? retry : {}),
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Problem" }, example: problem },
      "text/plain": {
        schema: { type: "string", description: "The detail alone, with `format=txt`." },
        example: `${problem.detail}\n`,
      },
    },
  };
}

/** Nouns of the contract for insights. */
const INSIGHT_NOUNS = ["max_tools", "query"];

/** The group of an operation: `groups` also for `…/groups_types/`. */
export function tagOf({ path }: Route): string {
  const [noun = ""] = path.replace(/^\/api\/(environments\/:project_id\/)?|^\//, "").split("/", 1);
  if (INSIGHT_NOUNS.includes(noun)) return "insights";
  return Object.keys(TAGS).find((tag) => `${noun}_`.startsWith(`${tag}_`)) ?? noun;
}
