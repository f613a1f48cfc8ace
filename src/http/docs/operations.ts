import { STATUS_CODES } from "node:http";
import { type TSchema, t } from "elysia";
import type { JsonObject } from "../../core/values/json.ts";
import { type Documented, type Route, shapesOf, takesBody } from "../operation/route.ts";
import { pageLink } from "../operation/schemas.ts";
import { PreferHeader } from "../request/preferences.ts";
import type { WriteSchema } from "./json-schema.ts";

/** The security scheme of every management operation. */
export const SECURITY_SCHEME = "personal_api_key";

/** Describes a management operation under a tag. */
export function operationOf(
  route: Route,
  tag: string,
  write: WriteSchema,
  isOfThing: boolean,
): object {
  const { operationId, summary, scope, body, empty } = route;
  const { params, query } = shapesOf(route);
  const isVersioned = isOfThing && route.method !== "GET";
  const isCached = isOfThing && route.method === "GET";
  const parameters = [
    ...(empty ? parametersOf("header", PreferHeader, write) : []),
    ...(isVersioned ? parametersOf("header", IfMatchHeader, write) : []),
    ...(isCached ? parametersOf("header", IfNoneMatchHeader, write) : []),
    ...parametersOf("path", params, write),
    ...parametersOf("query", query, write),
  ];
  const isRequired = body !== undefined && t.Object({ body }).required !== undefined;
  return {
    operationId,
    summary,
    description: `Requires the scope \`${scope}\`.`,
    tags: [tag],
    // OpenAPI 3.1 lets roles be named for any scheme.
    security: [{ [SECURITY_SCHEME]: [scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, isRequired, write) }),
    responses: {
      ...successesOf(route, write),
      ...(isCached ? { 304: { description: STATUS_CODES[304] } } : {}),
      ...failures(400, 401, 403),
      ...(route.path.includes("/:") ? failures(404) : {}),
      ...(isVersioned ? failures(409) : {}),
      ...(takesBody(route) ? failures(408, 413, 415) : {}),
      ...failures(429, 500, 503, 504),
    },
  };
}

/** The header that names the version to be changed. */
const IfMatchHeader = t.Object({
  "If-Match": t.Optional(
    t.String({
      description:
        "The `ETag` of the version that you change. The answer is 409 if there is a newer one. Without it, the last change counts.",
      examples: ['"1f3k9a2c.0b7d5e11"'],
    }),
  ),
});

/** The header that names the version that the caller has. */
const IfNoneMatchHeader = t.Object({
  "If-None-Match": t.Optional(
    t.String({
      description:
        "The `ETag` of what you have. The answer is 304 without a body if it is the same.",
      examples: ['"1f3k9a2c.0b7d5e11"'],
    }),
  ),
});

const Captured = t.Object({ status: t.Literal("Ok") }, { $id: "Captured" });

/** Describes a route of capture under a tag. */
export function captureOperationOf(
  { body, ...named }: Documented,
  tag: string,
  write: WriteSchema,
): object {
  return {
    ...named,
    tags: [tag],
    security: [],
    requestBody: bodyOf(body, true, write),
    responses: {
      200: answerOf(200, Captured, write),
      ...failures(400, 401, 408, 413, 415, 500, 503),
    },
  };
}

type Properties = Record<string, TSchema>;

function parametersOf(
  place: string,
  shape: { properties: Properties; required?: string[] | undefined } | undefined,
  write: WriteSchema,
): object[] {
  return Object.entries(shape?.properties ?? {}).map(([name, property]) => {
    const { description, examples, ...rest } = property;
    const required = shape?.required?.includes(name) ?? false;
    const parameter = { description, in: place, name, required };
    // Forms are filled with `example`, which helps only where there must be a value.
    return required
      ? { ...parameter, schema: write(rest), example: examples?.[0] }
      : { ...parameter, schema: { ...write(rest), examples } };
  });
}

const bodyOf = (shape: TSchema, required: boolean, write: WriteSchema) => ({
  required,
  content: { "application/json": { schema: write(shape) } },
});

/** Answers by status, each among the document's `components.responses`. */
const failures = (...statuses: number[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );

/**
 * The empty answer of an operation whose status is 200 with and without a body. A status has one entry, so
 * the entry of all successes says it: generated clients then know that there may be no data.
 */
const WITHOUT_BODY = { description: "Without this preference, 200 has no body." };

/** The answers of success by status. */
function successesOf(route: Route, write: WriteSchema): Record<string, object> {
  const { status, empty } = route;
  const preferred = "With `Prefer: return=representation`, the result";
  const answer = (description?: string) => {
    const shape = withPageLinks(route);
    const answered = answerOf(empty ? 200 : status, shape, write, description, route.streams);
    const { content } = answered;
    return content === undefined
      ? answered
      : { ...answered, content: { ...content, ...tablesOf(route) } };
  };
  if (!empty) return { [status]: answer() };
  if (status === 200) return { 200: answer(`${preferred}; else no body.`), "2XX": WITHOUT_BODY };
  return { 200: answer(`${preferred}.`), [status]: answerOf(status, t.Void(), write) };
}

function answerOf(
  status: number,
  shape: TSchema,
  write: WriteSchema,
  description = STATUS_CODES[status],
  text = "text/plain",
): { description: string | undefined; content?: object } {
  if (shape["type"] === "void") return { description };
  const type = shape["type"] === "string" ? text : "application/json";
  return { description, content: { [type]: { schema: write(shape) } } };
}

/** The answers in formats other than JSON. */
const TABLES: Record<string, JsonObject> = {
  csv: {
    "text/csv": {
      schema: {
        type: "string",
        description: "Nested values have columns of their own (RFC 4180).",
      },
      example: "id,name,properties.plan\r\n1,ann@example.com,pro\r\n",
    },
  },
  txt: {
    "text/plain": {
      schema: { type: "string", description: "A table with a bar in each row." },
      example: "Visitors\n\n$pageview\n2026-11-21  42  ████\nall         42\n",
    },
  },
};

/** The answers of a route in the formats that its parameter `format` takes besides JSON. */
function tablesOf({ query }: Route): JsonObject {
  const choices: TSchema[] = query?.properties["format"]?.["anyOf"] ?? [];
  return Object.assign({}, ...choices.map((choice) => TABLES[choice["const"]]));
}

/** The shape of success; the links of a page have addresses of the route as examples. */
function withPageLinks(route: Route): TSchema {
  const { path, query, response } = route;
  const properties: Properties = response["properties"] ?? {};
  if (!("next" in properties)) return response;
  const params: Properties = shapesOf(route).params?.properties ?? {};
  const address = path.replace(/:(\w+)/g, (_, name) => String(exampleOf(params[name])));
  const parameters: Properties = query?.properties ?? {};
  const limit = exampleOf(parameters["limit"]);
  const link = (more: object) => {
    const parts = Object.entries({ limit, ...more }).flatMap(([name, value]) =>
      name in parameters ? `${name}=${encodeURIComponent(String(value))}` : [],
    );
    return pageLink(`${address}?${parts.join("&")}`);
  };
  const next = link({ cursor: exampleOf(parameters["cursor"]), offset: limit, page: 2 });
  const previous = "previous" in properties ? { previous: link({ page: 1 }) } : {};
  return t.Object({ ...properties, next, ...previous }, { $id: response.$id ?? "" });
}

const exampleOf = (schema: TSchema | undefined): unknown => schema?.examples?.[0];
