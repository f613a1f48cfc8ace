import { STATUS_CODES } from "node:http";
import { swagger } from "@elysiajs/swagger";
import { Elysia, type TSchema, t } from "elysia";
import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { PreferHeader } from "./prefer.ts";
import { type Route, shapesOf } from "./route.ts";
import { ProblemShape } from "./schemas.ts";
import type { SdkRoute } from "./sdk.ts";

const SECURITY_SCHEME = "personal_api_key";
const DERIVED_AT = "/derived";

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
  const schemas: JsonObject = {};
  const { paths: inlined } = (await derived.json()) as JsonObject;
  const paths = mend(inlined, schemas);
  mend(plain(ProblemShape), schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Hoglet",
      version,
      description:
        "Capture is public and takes the project key in its body. Everything else takes a personal API key with a scope: `Authorization: Bearer phx_…`. Press Authorize to try it here.",
      license: { name: "MIT" },
    },
    paths,
    components: {
      schemas,
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

/** Answers without a body; 405 stands in the document only where the contract has it empty. */
const BODILESS = new Set(["204", "405"]);

const noHandler = () => "";

function describe(app: Elysia, route: Route): void {
  const { operationId, summary, scope } = route;
  const failures = [
    ...[400, 401, 403, 429],
    ...(route.path.includes("/:") ? [404] : []),
    // A body is read wherever there may be one, if only to refuse it.
    ...(route.method === "GET" ? [] : [408, 413, 415]),
  ];
  app.route(route.method, route.path, noHandler, {
    ...shapesOf(route),
    ...(route.empty ? { headers: PreferHeader } : {}),
    response: Object.fromEntries([
      ...successesOf(route),
      ...failures.map((failure) => [failure, ProblemShape]),
    ]),
    detail: {
      operationId,
      summary,
      description: `Requires the scope \`${scope}\`.`,
      tags: [operationId.split("_")[0] ?? ""],
      // OpenAPI 3.1 lets roles be named for any scheme.
      security: [{ [SECURITY_SCHEME]: [scope] }],
    },
  });
}

/** The answers of success. What a schema says of itself is said of the answer. */
function successesOf({ status, empty, response }: Route): [number, TSchema][] {
  if (!empty) return [[status, response]];
  const preferred = "With `Prefer: return=representation`, the result";
  if (status === 200) return [[200, { ...response, description: `${preferred}; else no body.` }]];
  return [
    [status, t.Void()],
    [200, { ...response, description: `${preferred}.` }],
  ];
}

function describeSdk(app: Elysia, route: SdkRoute): void {
  const { method, path, operationId, summary, description, body } = route;
  const response: Record<number, TSchema> = {
    200: t.Object({ status: t.Literal("Ok") }, { $id: "Captured" }),
    ...Object.fromEntries([400, 401, 408, 413, 415, 503].map((status) => [status, ProblemShape])),
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
    },
  });
}

/** A schema as plain JSON, without TypeBox's symbols. */
function plain(schema: object): Json {
  return JSON.parse(JSON.stringify(schema));
}

/**
 * Undoes what the deriver adds for its own coercion: integers as texts, three media types for
 * everything, models inlined where they are used. Named models land in `schemas`.
 */
function mend(node: Json | undefined, schemas: JsonObject): Json {
  if (Array.isArray(node)) return node.map((item) => mend(item, schemas));
  if (!isObject(node)) return node ?? null;
  const { anyOf } = node;
  if (Array.isArray(anyOf) && anyOf.some(isCoercion)) {
    const real = anyOf.filter((choice) => !isCoercion(choice));
    return mend(real.length === 1 ? (real[0] ?? null) : { ...node, anyOf: real }, schemas);
  }
  if (isObject(node["responses"])) return mendOperation(node, schemas);
  const { $id, nullable: _nullable, patternProperties, ...rest } = node;
  // The deriver repeats a parameter's example in its schema, where 3.1 has no such word.
  if (typeof rest["type"] === "string") delete rest["example"];
  // A record, in the words that generators of clients know.
  if (isObject(patternProperties)) {
    rest["additionalProperties"] = Object.values(patternProperties)[0] ?? {};
  }
  if (rest["multipleOf"] === 1) {
    rest["type"] = "integer";
    delete rest["multipleOf"];
  }
  const mended = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, mend(value, schemas)]),
  );
  if (typeof $id !== "string") return mended;
  schemas[$id] = mended;
  return { $ref: `#/components/schemas/${$id}` };
}

function isCoercion(choice: Json): boolean {
  return (
    isObject(choice) &&
    choice["type"] === "string" &&
    (choice["format"] === "integer" || choice["format"] === "numeric")
  );
}

function mendOperation(operation: JsonObject, schemas: JsonObject): JsonObject {
  const { responses, requestBody, parameters, ...rest } = operation;
  const mended: JsonObject = { ...rest };
  if (Array.isArray(parameters) && parameters.length > 0) {
    mended["parameters"] = mend(parameters, schemas);
  }
  if (isObject(requestBody)) {
    mended["requestBody"] = { required: true, content: contentOf(requestBody, schemas) };
  }
  mended["responses"] = Object.fromEntries(
    Object.entries(isObject(responses) ? responses : {}).map(([status, response]) => [
      status,
      {
        description: descriptionOf(response) ?? STATUS_CODES[Number(status)] ?? status,
        ...(isObject(response) && !BODILESS.has(status)
          ? { content: contentOf(response, schemas) }
          : {}),
      },
    ]),
  );
  return mended;
}

function descriptionOf(response: Json): string | undefined {
  const description = isObject(response) ? response["description"] : undefined;
  return typeof description === "string" ? description : undefined;
}

/**
 * Text is text, all else is JSON. The deriver leaves a named model's `$id` on the response instead
 * of its schema.
 */
function contentOf({ content, $id }: JsonObject, schemas: JsonObject): JsonObject {
  const json = isObject(content) ? content["application/json"] : undefined;
  const schema = isObject(json) && isObject(json["schema"]) ? json["schema"] : {};
  const named = typeof $id === "string" ? { ...schema, $id } : schema;
  const type = schema["type"] === "string" ? "text/plain" : "application/json";
  return { [type]: { schema: mend(named, schemas) } };
}
