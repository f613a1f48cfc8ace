import { STATUS_CODES } from "node:http";
import { isNothing, isObject, type Json, type JsonObject } from "../../core/values/json.ts";

/** What the deriver cannot know of an operation, passed through it. */
export type Hints = {
  /** Statuses of failures, each of which is among the document's `components.responses`. */
  failures: readonly number[];
  /** Whether there must be a body, if the operation takes one. */
  needsBody: boolean;
};

/**
 * Undoes what the deriver adds for its own coercion: integers as texts, three media types for
 * everything, models inlined where they are used. Named models land in `schemas`, those of
 * `named` among them.
 */
export function mendPaths(
  paths: Json,
  named: Record<string, object>,
): { paths: JsonObject; schemas: JsonObject } {
  const schemas: JsonObject = {};
  const mended = mend(paths, schemas) as JsonObject;
  // As plain JSON, without TypeBox's symbols.
  for (const shape of Object.values(named)) mend(JSON.parse(JSON.stringify(shape)), schemas);
  return { paths: mended, schemas };
}

function mend(node: Json | undefined, schemas: JsonObject): Json {
  if (Array.isArray(node)) return node.map((item) => mend(item, schemas));
  if (!isObject(node)) return node ?? null;
  const { anyOf } = node;
  if (Array.isArray(anyOf)) {
    const real = anyOf.filter((choice) => !isCoercion(choice));
    const words = real.map((choice) => (isObject(choice) ? choice["const"] : undefined));
    const { anyOf: _anyOf, ...rest } = node;
    if (words.every((word) => typeof word === "string")) {
      return mend({ ...rest, type: "string", enum: words }, schemas);
    }
    if (real.length < anyOf.length) {
      const [only] = real;
      const one = real.length === 1 && isObject(only) ? { ...rest, ...only } : undefined;
      return mend(one ?? { ...rest, anyOf: real }, schemas);
    }
  }
  if (isObject(node["responses"])) return mendOperation(node, schemas);
  if (typeof node["in"] === "string") return mendParameter(node, schemas);
  return mendSchema(node, schemas);
}

/**
 * The deriver takes the examples of a schema for those of the parameter. Forms are filled with an
 * example of the parameter itself: that is of use only where there must be a value.
 */
function mendParameter(parameter: JsonObject, schemas: JsonObject): Json {
  const { examples, schema, ...rest } = parameter;
  const [example] = Array.isArray(examples) ? examples : [];
  const mended = { ...rest, schema: mend(schema, schemas) };
  if (example === undefined) return mended;
  if (rest["required"] === true) return { ...mended, example };
  return { ...mended, schema: { ...(mended.schema as JsonObject), examples: [example] } };
}

function isCoercion(choice: Json): boolean {
  return (
    isObject(choice) &&
    choice["type"] === "string" &&
    (choice["format"] === "integer" || choice["format"] === "numeric")
  );
}

function mendSchema(node: JsonObject, schemas: JsonObject): Json {
  const { $id, nullable: _nullable, patternProperties, ...rest } = node;
  // Says that what is not known is refused by the operation itself, and not passed over.
  if (isNothing(rest["additionalProperties"] ?? null)) delete rest["additionalProperties"];
  // A record, in the words that generators of clients know.
  if (isObject(patternProperties)) {
    rest["additionalProperties"] = Object.values(patternProperties)[0] ?? {};
  }
  if (rest["multipleOf"] === 1) {
    rest["type"] = "integer";
    delete rest["multipleOf"];
  }
  if (Number.isInteger(rest["const"])) rest["type"] = "integer";
  const mended = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === "examples" ? value : mend(value, schemas),
    ]),
  );
  if (typeof $id !== "string") return mended;
  schemas[$id] = mended;
  return { $ref: `#/components/schemas/${$id}` };
}

function mendOperation(operation: JsonObject, schemas: JsonObject): JsonObject {
  const { responses, requestBody, parameters, failures, needsBody, ...rest } = operation;
  const mended: JsonObject = { ...rest };
  if (Array.isArray(parameters) && parameters.length > 0) {
    mended["parameters"] = mend(parameters, schemas);
  }
  if (isObject(requestBody)) {
    mended["requestBody"] = {
      required: needsBody === true,
      content: contentOf(requestBody, schemas) ?? {},
    };
  }
  const answered = isObject(responses) ? Object.entries(responses) : [];
  const failed = Array.isArray(failures) ? failures.map(String) : [];
  const table = tableOf(mended["parameters"]);
  mended["responses"] = Object.fromEntries([
    ...answered.map(([status, response]) => [
      status,
      success(status, { response, schemas, table }),
    ]),
    ...failed.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  ]);
  return mended;
}

type Answered = { response: Json; schemas: JsonObject; table: JsonObject };

function success(status: string, { response, schemas, table }: Answered): JsonObject {
  const { description } = isObject(response) ? response : {};
  const named = typeof description === "string" ? description : STATUS_CODES[Number(status)];
  const content = isObject(response) ? contentOf(response, schemas) : undefined;
  if (content === undefined) return { description: named ?? status };
  return { description: named ?? status, content: { ...content, ...table } };
}

/** What formats other than JSON answer. */
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
      schema: { type: "string", description: "A table with a bar a row." },
      example: "Visitors\n\n$pageview\n2026-11-21  42  ████\nall         42\n",
    },
  },
};

/** What the operation answers in the format that it takes beside JSON. */
function tableOf(parameters: Json | undefined): JsonObject {
  const format = (Array.isArray(parameters) ? parameters : []).find(
    (parameter) => isObject(parameter) && parameter["name"] === "format",
  );
  const schema = isObject(format) && isObject(format["schema"]) ? format["schema"] : {};
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return Object.assign({}, ...choices.map((choice) => TABLES[String(choice)] ?? {}));
}

/**
 * Text is text, all else is JSON, and a schema without a word is no body. The deriver leaves a named model's `$id` on the response instead
 * of its schema.
 */
function contentOf({ content, $id }: JsonObject, schemas: JsonObject): JsonObject | undefined {
  const json = isObject(content) ? content["application/json"] : undefined;
  const schema = isObject(json) && isObject(json["schema"]) ? json["schema"] : {};
  const named = typeof $id === "string" ? { ...schema, $id } : schema;
  if (Object.keys(named).length === 0) return undefined;
  const type = schema["type"] === "string" ? "text/plain" : "application/json";
  return { [type]: { schema: mend(named, schemas) } };
}
