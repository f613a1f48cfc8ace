import type { TSchema } from "elysia";
import { isObject, type Json, type JsonObject } from "../../core/values/json.ts";

/** Returns a shape as JSON Schema; a shape that has an `$id` as a reference to it. */
export type WriteSchema = (shape: TSchema) => JsonObject;

/** Writes shapes of routes as JSON Schema 2020-12. Shapes that have an `$id` are added to `named`. */
export function schemaWriter(named: JsonObject): WriteSchema {
  const write = (node: Json): Json => {
    if (Array.isArray(node)) return node.map(write);
    if (!isObject(node)) return node;
    const { $id, ...schema } = standardSchema(node);
    const written = Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [
        key,
        key === "examples" ? value : write(value),
      ]),
    );
    if (typeof $id !== "string") return written;
    named[$id] = written;
    return { $ref: `#/components/schemas/${$id}` };
  };
  // The detour over JSON removes the symbols that TypeBox keeps in a shape.
  return (shape) => write(JSON.parse(JSON.stringify(shape))) as JsonObject;
}

/** Replaces the keywords that only TypeBox and Elysia know. */
function standardSchema(shape: JsonObject): JsonObject {
  // Each operation decides about unknown fields by itself, so `additionalProperties` says nothing.
  const {
    nullable: _,
    additionalProperties: _any,
    patternProperties,
    multipleOf,
    anyOf,
    ...rest
  } = shape;
  const schema: JsonObject = rest;
  if (isObject(patternProperties)) {
    schema["additionalProperties"] = Object.values(patternProperties)[0] ?? {};
  }
  if (multipleOf === 1 || Number.isInteger(schema["const"])) schema["type"] = "integer";
  if (!Array.isArray(anyOf)) return schema;
  const choices = anyOf.filter(isObject).filter((choice) => !isCoercion(choice));
  const [only = {}, ...others] = choices;
  if (others.length === 0) return { ...schema, ...only };
  const words = choices.map((choice) => choice["const"] ?? null);
  return words.every((word) => typeof word === "string")
    ? { ...schema, type: "string", enum: words }
    : { ...schema, anyOf: choices };
}

/** Whether a choice is the text that Elysia reads a number from. */
function isCoercion({ type, format }: JsonObject): boolean {
  return type === "string" && (format === "integer" || format === "numeric");
}
