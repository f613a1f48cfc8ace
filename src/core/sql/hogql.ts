import { isExactNumber, isObject, type Json, type JsonObject } from "../values/json.ts";
import { SQL_FUNCTIONS, SQL_VIEWS } from "./allowed.ts";
import { SQL_SIZE_MAX } from "./check.ts";
import { folded, named, nodesIn, refuse } from "./extent.ts";
import { HOGQL_FUNCTIONS, HOGQL_REFUSED } from "./hogql-functions.ts";

/** Events with what `person.` finds, as a table of FROM. */
const PERSON_EVENTS = `* FROM (SELECT e.*, p.properties AS person_properties,
  p.created_at AS person_created_at FROM events e LEFT JOIN persons p ON p.uuid = e.person_id) AS events`;

/** The selections whose trees {@link hogqlRewriter} takes, in this order. */
export const HOGQL_TEMPLATES: readonly string[] = [
  PERSON_EVENTS,
  "$1->>$2",
  "TRY_CAST($1 AS DOUBLE)",
  ...Object.values(HOGQL_FUNCTIONS).flat(),
];

/** Functions that take a property as a number. */
const OF_NUMBERS = new Set(
  `sum avg median stddev_pop stddev_samp var_pop var_samp quantile_cont quantile round floor ceil abs
  + - * / % //`.split(/\s+/),
);

/** The tables of one SELECT. */
type From = { tables: JsonObject[]; needsPerson: boolean };

type Templates = {
  events: JsonObject;
  property: JsonObject;
  double: JsonObject;
  functions: Map<string, Map<number, JsonObject>>;
};

/** Returns a function that rewrites HogQL in the tree of a statement to DuckDB's SQL. */
export function hogqlRewriter(trees: readonly JsonObject[]) {
  const selects = trees.map(({ statements }) => nodesIn(statements)[0]?.["node"] as JsonObject);
  const [, property, double, ...others] = selects.map(
    (node) => nodesIn(node["select_list"])[0] as JsonObject,
  ) as [JsonObject, JsonObject, JsonObject, ...JsonObject[]];
  const events = selects[0]?.["from_table"] as JsonObject;
  const templates = { events, property, double, functions: byName(others) };
  return (tree: Json, text: string): Json =>
    new Rewriting(templates, text).walk(tree, { tables: [], needsPerson: false });
}

/** The rewriting of one statement. */
class Rewriting {
  readonly #properties = new WeakSet<object>();
  readonly #counted: (node: JsonObject) => void;
  readonly #templates: Templates;
  readonly #text: string;

  constructor(templates: Templates, text: string) {
    this.#templates = templates;
    this.#text = text;
    this.#counted = counter(text);
  }

  walk(value: Json, from: From): Json {
    if (Array.isArray(value)) return value.map((part) => this.walk(part, from));
    if (!isObject(value) || isExactNumber(value)) return value;
    if (value["type"] === "SELECT_NODE") return this.#select(value);
    if (value["class"] === "COLUMN_REF") return this.#column(value, from);
    const node = this.#fields(value, from);
    if (value["class"] === "FUNCTION") return this.#called(node);
    return value["class"] === "COMPARISON" ? this.#compared(node) : node;
  }

  #fields(value: JsonObject, from: From): JsonObject {
    const fields = Object.entries(value).map(([field, part]) => [field, this.walk(part, from)]);
    return Object.fromEntries(fields);
  }

  #select(value: JsonObject): JsonObject {
    const from: From = { tables: tablesIn(value["from_table"]), needsPerson: false };
    const node = this.#fields(value, from);
    if (!from.needsPerson) return node;
    return { ...node, from_table: withPersons(node["from_table"] as Json, this.#templates.events) };
  }

  #number(node: Json): Json {
    const isProperty = isObject(node) && this.#properties.has(node);
    return isProperty ? this.#filled(this.#templates.double, [node], node) : node;
  }

  #called(node: JsonObject): JsonObject {
    const name = folded(node["function_name"]);
    const args = nodesIn(node["children"]);
    const isExtreme = name === "min" || name === "max";
    if (isExtreme && args.some((arg) => this.#properties.has(arg))) {
      const detail = `${name} of a property: write ${name}(toFloat(…)) for numbers, ${name}(toString(…)) for texts.`;
      refuse(detail, node, this.#text);
    }
    if (OF_NUMBERS.has(name)) return this.#withNumbers(node);
    return SQL_FUNCTIONS.has(name) ? node : this.#made(name, args, node);
  }

  #made(name: string, args: JsonObject[], node: JsonObject): JsonObject {
    const advice = HOGQL_REFUSED[name];
    if (advice !== undefined) {
      refuse(`The function ${named(name)} is not taken: ${advice}.`, node, this.#text);
    }
    const made = this.#templates.functions.get(name);
    if (made === undefined || isObject(node["filter"]) || node["distinct"] === true) return node;
    const template = made.get(args.length);
    if (template === undefined) {
      const counts = [...made.keys()].join(" or ");
      return refuse(
        `The function ${named(name)} takes ${counts} arguments here.`,
        node,
        this.#text,
      );
    }
    const keys = name.startsWith("json") ? args.map(key) : args;
    return this.#withNumbers(this.#filled(template, keys, node));
  }

  /** Makes properties numbers in a function of numbers, such as the `avg` of avgIf. */
  #withNumbers(node: JsonObject): JsonObject {
    const isOfNumbers = OF_NUMBERS.has(folded(node["function_name"]));
    if (node["class"] !== "FUNCTION" || !isOfNumbers) return node;
    return { ...node, children: nodesIn(node["children"]).map((child) => this.#number(child)) };
  }

  #compared(node: JsonObject): JsonObject {
    const { left = null, right = null } = node;
    if (isNumber(right)) return { ...node, left: this.#number(left) };
    return isNumber(left) ? { ...node, right: this.#number(right) } : node;
  }

  #column(node: JsonObject, from: From): JsonObject {
    const names = (node["column_names"] as Json[]).map(String);
    const found = pathIn(names, from);
    if (found === undefined) return node;
    if (found.isOfPerson && !from.tables.some(isEvents)) {
      refuse("person is known where FROM has events.", node, this.#text);
    }
    from.needsPerson ||= found.isOfPerson;
    const { table, column, path } = found;
    const plain = { ...node, column_names: [...table, column] };
    const [first = ""] = path;
    if (path.length === 0) return plain;
    const isHot = path.length === 1 && first.startsWith("$") && Object.hasOwn(HOT, first);
    const made =
      isHot && !found.isOfPerson && isOfEvents(table[0], from)
        ? { ...node, column_names: [...table, first] }
        : this.#filled(this.#templates.property, [{ ...plain, alias: "" }, pointer(path)], node);
    this.#properties.add(made);
    return made;
  }

  #filled(template: JsonObject, args: readonly JsonObject[], at: JsonObject): JsonObject {
    const fill = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(fill);
      if (!isObject(value) || isExactNumber(value)) return value;
      if (value["class"] === "PARAMETER") return args[Number(value["identifier"]) - 1] ?? null;
      const fields = Object.entries(value).map(([field, part]) => [field, fill(part)]);
      return Object.fromEntries(fields);
    };
    const { alias = "", query_location = 0 } = at;
    this.#counted(at);
    return { ...(fill(template) as JsonObject), alias, query_location };
  }
}

const HOT = SQL_VIEWS["events"] ?? {};

// No template takes an argument twice, so the tree grows with the number of rewritten parts.
function counter(text: string) {
  let count = 0;
  return (node: JsonObject) => {
    count += 1;
    if (count > SQL_SIZE_MAX) refuse("The statement is too large.", node, text);
  };
}

function byName(trees: readonly JsonObject[]): Map<string, Map<number, JsonObject>> {
  let at = 0;
  return new Map(
    Object.entries(HOGQL_FUNCTIONS).map(([name, sql]) => {
      const made = new Map<number, JsonObject>();
      for (const one of [sql].flat()) {
        const numbers = [...one.matchAll(/\$(\d)/g)].map(([, number]) => Number(number));
        made.set(Math.max(0, ...numbers), trees[at] as JsonObject);
        at += 1;
      }
      return [name.toLowerCase(), made];
    }),
  );
}

function tablesIn(node: Json | undefined): JsonObject[] {
  if (!isObject(node)) return [];
  return node["type"] === "JOIN" ? [node["left"], node["right"]].flatMap(tablesIn) : [node];
}

const isEvents = (table: JsonObject) =>
  table["type"] === "BASE_TABLE" && folded(table["table_name"]) === "events";

const nameOf = (table: JsonObject) => folded(table["alias"] || table["table_name"] || "");

const isOfEvents = (name: string | undefined, { tables }: From) =>
  name === undefined
    ? tables.length === 1 && tables.every(isEvents)
    : tables.some((table) => nameOf(table) === folded(name) && isEvents(table));

/** Reads a name such as `e.person.properties.email`; undefined if it is a column of a table. */
function pathIn(names: readonly string[], { tables }: From) {
  const known = new Set(tables.map(nameOf));
  const isTable = names.length > 1 && known.has(folded(names[0]));
  const table = isTable ? names.slice(0, 1) : [];
  const [first = "", second = "", ...rest] = isTable ? names.slice(1) : names;
  const isOfPerson = folded(first) === "person" && second !== "";
  const head = folded(isOfPerson ? second : first);
  if (isOfPerson && head === "id" && rest.length === 0) {
    return { table, column: "person_id", path: [], isOfPerson: false };
  }
  if (isOfPerson && head === "created_at" && rest.length === 0) {
    return { table, column: "person_created_at", path: [], isOfPerson };
  }
  const path = isOfPerson || second === "" ? rest : [second, ...rest];
  if (head !== "properties" || (path.length === 0 && !isOfPerson)) return undefined;
  return { table, column: isOfPerson ? "person_properties" : "properties", path, isOfPerson };
}

function withPersons(table: Json, events: JsonObject): Json {
  if (!isObject(table)) return table;
  if (table["type"] === "JOIN") {
    const [left, right] = ["left", "right"].map((side) => withPersons(table[side] ?? null, events));
    return { ...table, left: left ?? null, right: right ?? null };
  }
  return isEvents(table) ? { ...events, alias: table["alias"] || "events" } : table;
}

const isNumber = (node: Json) => {
  if (!isObject(node) || node["class"] !== "CONSTANT" || !isObject(node["value"])) return false;
  const { type } = node["value"];
  return isObject(type) && /^(?:INTEGER|BIGINT|DECIMAL|DOUBLE|HUGEINT)$/.test(String(type["id"]));
};

const escaped = (name: string) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const constant = (value: string): JsonObject => ({
  ...{ class: "CONSTANT", type: "VALUE_CONSTANT", alias: "", query_location: 0 },
  value: { type: { id: "VARCHAR", type_info: null }, is_null: false, value },
});

const pointer = (path: readonly string[]) => constant(path.map(escaped).join(""));

/** A key of JSONExtract finds only itself. */
function key(node: JsonObject): JsonObject {
  const { value } = node;
  const isText =
    node["class"] === "CONSTANT" && isObject(value) && typeof value["value"] === "string";
  return isText ? pointer([String(value["value"])]) : node;
}
