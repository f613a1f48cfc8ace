import type { TSchema } from "elysia";
import { Failure } from "../../core/values/failure.ts";
import {
  isNothing,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
  sameJson,
} from "../../core/values/json.ts";
import { unknownField } from "../../core/values/known-fields.ts";
import type { Route } from "../operation/route.ts";

/** Finds the counterpart of a part of a body in what it changes; undefined without one. */
type Counterpart = (current: Json) => Json | undefined;

/** A field of a body that its shape lacks, and the fields that the shape has in its place. */
type Unknown = {
  path: readonly string[];
  value: Json;
  known: readonly string[];
  counterpart: Counterpart;
};

/** Fields that say when and by whom a thing was last changed: another value of theirs is of an older state. */
const CHANGE_FIELDS = ["last_modified_at", "last_modified_by", "updated_at"];

/**
 * Fails `invalid_input` for a field of a body that is not known: it would be dropped. A field that the changed thing
 * has is taken if it is sent back as it was read; else it fails `invalid_input`, or `conflict` if the thing was changed
 * since. An empty field counts as absent. `current` reads the thing; it gives undefined if it is deleted.
 */
export async function checkFields(
  route: Route,
  sent: JsonObject,
  current: () => Promise<Json | undefined>,
): Promise<void> {
  const { body, method } = route;
  if (body === undefined) return checkNone(route, sent);
  const unknown = [...unknownIn(body, sent, [], (thing) => thing)];
  if (unknown.length === 0) return;
  const isChange = method === "PATCH";
  const thing = isChange ? await current() : undefined;
  for (const one of unknown) {
    if (thing !== undefined) checkShown(one, one.counterpart(thing), route);
    else if (isReference(one)) continue;
    else if (!isAnswered(route, one)) throw notKnown(one, route);
    // Nothing shows what a deleted thing has.
    else if (!isChange) throw notWritten(one, undefined);
  }
}

/** Fails for the first field that is not empty: the operation takes none. */
function checkNone(route: Route, sent: JsonObject): void {
  const name = Object.keys(sent).find((field) => !isNothing(ownValue(sent, field) ?? null));
  if (name === undefined) return;
  const detail = inAddress(route, name) ?? "This field is not known. The request takes no body.";
  throw new Failure("invalid_input", detail, name);
}

/** Says where a field of a body belongs that is a parameter; undefined of other names. */
function inAddress({ query }: Route, name: string): string | undefined {
  const shape = ownValue<TSchema>(query?.properties ?? {}, name);
  if (shape === undefined) return undefined;
  const value = shape["type"] === "boolean" ? "true" : "…";
  return `${name} is a parameter of the address, and no field of the body: write ?${name}=${value}.`;
}

function checkShown(one: Unknown, shown: Json | undefined, route: Route): void {
  if (shown === undefined && isReference(one)) return;
  if (shown === undefined) throw notKnown(one, route);
  if (!sameJson(shown, one.value)) throw notWritten(one, CHANGE_FIELDS);
}

/** Whether the answer of an operation has a field; of the fields inside one, only the outer one is known. */
const isAnswered = ({ response, method }: Route, { path: [name = "", ...inner] }: Unknown) =>
  inner.length > 0 ? method === "PATCH" : Object.hasOwn(response["properties"] ?? {}, name);

/** Whether a field is of another thing that a body names by its id: such a thing may be sent as it was read. */
const isReference = ({ known }: Unknown) => known.length === 1 && known[0] === "id";

const QUERY_OUTSIDE =
  'The query is a field of the body: write {"query": {"kind": "HogQLQuery", "query": "SELECT …"}}, with its kind inside.';

function notKnown({ path, known }: Unknown, route: Route): Failure {
  const name = path.at(-1) ?? "";
  const detail = path.length === 1 ? inAddress(route, name) : undefined;
  if (detail !== undefined) return new Failure("invalid_input", detail, name);
  if (name === "kind" && path.length === 1 && known.includes("query")) {
    return new Failure("invalid_input", QUERY_OUTSIDE, name);
  }
  return unknownField(name, { known, attr: path.slice(0, -1).join("__") });
}

/** `changing` has the fields that tell of changes; undefined if the body is of a new thing. */
function notWritten({ path }: Unknown, changing: readonly string[] | undefined): Failure {
  const [name = "", attr] = [path.at(-1), path.join("__")];
  if (!changing?.includes(name)) {
    const read = changing === undefined ? "" : ", or send it as it was read";
    return new Failure("invalid_input", `The server sets this field: leave it out${read}.`, attr);
  }
  const detail = `It was changed since it was read. Read it again, or leave out ${name}.`;
  return new Failure("conflict", detail, attr);
}

function* unknownIn(
  shape: TSchema,
  sent: Json | undefined,
  path: readonly string[],
  counterpart: Counterpart,
): Generator<Unknown> {
  const fit = fitting(shape, sent);
  if (Array.isArray(sent)) {
    for (const [at, item] of sent.entries()) {
      yield* unknownIn(fit?.["items"] ?? {}, item, [...path, `${at}`], (thing) =>
        sameItem(counterpart(thing), item),
      );
    }
    return;
  }
  const fields: Record<string, TSchema> | undefined = fit?.["properties"];
  if (!isObject(sent) || fields === undefined) return;
  for (const [name, value] of Object.entries(sent)) {
    const field = ownValue(fields, name);
    const part = { path: [...path, name], value, known: Object.keys(fields) };
    const here: Counterpart = (thing) => {
      const around = counterpart(thing);
      return isObject(around) ? ownValue(around, name) : undefined;
    };
    if (field !== undefined) yield* unknownIn(field, value, part.path, here);
    else if (!(fit?.["additionalProperties"] || isNothing(value))) {
      yield { ...part, counterpart: here };
    }
  }
}

/** The part of a shape that a value is of: a list or an object of a union. */
function fitting(shape: TSchema, sent: Json | undefined): TSchema | undefined {
  const type = Array.isArray(sent) ? "array" : "object";
  const parts = ({ anyOf, ...part }: TSchema): TSchema[] =>
    Array.isArray(anyOf) ? anyOf.flatMap(parts) : [part as TSchema];
  return parts(shape).find((part) => part["type"] === type);
}

/** The item of a list with the id of another item. */
function sameItem(list: Json | undefined, item: Json): Json | undefined {
  if (!(Array.isArray(list) && isObject(item))) return undefined;
  return list.find((one) => isObject(one) && one["id"] === item["id"]);
}
