import { isExactNumber, isObject, type Json, type JsonObject, ownValue } from "../values/json.ts";
import { SQL_FUNCTIONS, SQL_VIEWS } from "./allowed.ts";
import { SQL_SIZE_MAX } from "./check.ts";
import { folded, named, nodesIn, refuse } from "./extent.ts";
import { called, constantText, SPECIAL_CALLS } from "./hogql-calls.ts";
import { HOGQL_AGGREGATES, HOGQL_FUNCTIONS, HOGQL_REFUSED } from "./hogql-functions.ts";
import {
  type From,
  foundIn,
  HOGQL_RELATIONS,
  isOf,
  isView,
  relationColumns,
  tablesIn,
  withRelations,
} from "./hogql-names.ts";
import {
  isBounce,
  isNumber,
  isTime,
  ofSamePersons,
  placeIn,
  pointer,
  withKeys,
  withType,
  withUuids,
} from "./hogql-nodes.ts";

/** The selections whose trees {@link hogqlRewriter} takes, in this order. */
export const HOGQL_TEMPLATES: readonly string[] = [
  "$1->>$2",
  "TRY_CAST($1 AS DOUBLE)",
  "TRY_CAST($1 AS TIMESTAMP)",
  "coalesce($1, 0)",
  ...Object.values(HOGQL_RELATIONS),
  ...Object.values(HOGQL_FUNCTIONS).flat(),
];

/** Functions that take a property as a number, and as a time. */
const OF_NUMBERS = new Set(
  `sum avg median stddev_pop stddev_samp var_pop var_samp quantile_cont quantile round floor ceil abs
  + - * / % //`.split(/\s+/),
);
const OF_TIMES = new Set(["date_diff", "datediff", "date_trunc", "datetrunc"]);

type Templates = {
  property: JsonObject;
  double: JsonObject;
  time: JsonObject;
  sum: JsonObject;
  relations: Map<string, JsonObject>;
  functions: Map<string, Map<number, JsonObject>>;
};

/** Returns a function that rewrites HogQL in the tree of a statement to DuckDB's SQL. */
export function hogqlRewriter(trees: readonly JsonObject[]) {
  const selects = trees.map(({ statements }) => nodesIn(statements)[0]?.["node"] as JsonObject);
  const items = selects.map((node) => nodesIn(node["select_list"])[0] as JsonObject);
  const [property, double, time, sum] = items as [JsonObject, JsonObject, JsonObject, JsonObject];
  const relations = new Map(
    Object.keys(HOGQL_RELATIONS).map((name, at) => [
      name,
      selects[at + 4]?.["from_table"] as JsonObject,
    ]),
  );
  const functions = byName(items.slice(4 + relations.size));
  const templates = { property, double, time, sum, relations, functions };
  return (tree: Json, text: string): Json =>
    new Rewriting(templates, text).walk(tree, { tables: [], relations: new Set() });
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
    switch (value["class"]) {
      case "COLUMN_REF":
        return this.#column(value, value["column_names"] as string[], from);
      case "OPERATOR":
        return this.#within(value, from) ?? this.#fields(value, from);
      case "FUNCTION":
        this.#refuseKnown(value);
        return this.#called(this.#fields(value, from));
      case "COMPARISON":
        return this.#compared(this.#fields(value, from), from);
      case "SUBQUERY":
        return withUuids(this.#fields(value, from), from);
      case "CAST":
        return withType(this.#fields(value, from));
      default:
        return this.#fields(value, from);
    }
  }

  #fields(value: JsonObject, from: From): JsonObject {
    const fields = Object.entries(value).map(([field, part]) => [field, this.walk(part, from)]);
    return Object.fromEntries(fields);
  }

  #select(value: JsonObject): JsonObject {
    const from: From = { tables: tablesIn(value["from_table"]), relations: new Set() };
    const node = this.#fields(value, from);
    if (from.relations.size === 0) return node;
    const { relations } = this.#templates;
    return {
      ...node,
      from_table: withRelations(node["from_table"] ?? null, from.relations, relations),
    };
  }

  /** Makes a property what a function or a comparison takes. */
  #as(type: "double" | "time", node: Json): Json {
    const isAs =
      isObject(node) && (this.#properties.has(node) || (type === "double" && isBounce(node)));
    return isAs ? this.#filled(this.#templates[type], [node], node) : node;
  }

  #refuseKnown(node: JsonObject): void {
    const advice = ownValue(HOGQL_REFUSED, folded(node["function_name"]));
    if (advice === undefined) return;
    refuse(
      `The function ${named(node["function_name"])} is not taken: ${advice}.`,
      node,
      this.#text,
    );
  }

  #called(node: JsonObject): JsonObject {
    const name = folded(node["function_name"]);
    const args = nodesIn(node["children"]);
    const isExtreme = name === "min" || name === "max";
    if (isExtreme && args.some((arg) => this.#properties.has(arg))) {
      const detail = `${name} of a property: write ${name}(toFloat(…)) for numbers, ${name}(toString(…)) for texts.`;
      refuse(detail, node, this.#text);
    }
    const make = SPECIAL_CALLS[name as keyof typeof SPECIAL_CALLS];
    const special = Object.hasOwn(SPECIAL_CALLS, name) ? make({ name, args, node }) : undefined;
    if (special !== undefined) {
      if ("refused" in special) return refuse(special.refused, node, this.#text);
      const { alias = "", query_location = 0 } = node;
      if ("node" in special) return { ...special.node, alias, query_location };
      return this.#called({ ...this.#nested(special), alias, query_location });
    }
    return this.#made(name, args, node) ?? this.#typed(node);
  }

  /** A call in whose arguments other calls of ClickHouse may stand. */
  #nested({ call, args }: { call: string; args: JsonObject[] }): JsonObject {
    const children = args.map((arg) =>
      arg["class"] === "FUNCTION" && arg["query_location"] === 0 ? this.#called(arg) : arg,
    );
    return called(call, children);
  }

  #made(name: string, args: JsonObject[], node: JsonObject): JsonObject | undefined {
    const made = this.#templates.functions.get(name);
    if (isObject(node["filter"]) || node["distinct"] === true) return undefined;
    const ofJson = name.startsWith("json") && made !== undefined;
    const keyed = ofJson ? withKeys(args) : args;
    const template = made?.get(keyed.length);
    if (template !== undefined) return this.#typed(this.#filled(template, keyed, node));
    if (SQL_FUNCTIONS.has(name)) return undefined;
    const base = name.replace(/if(\(\))?$/, "$1");
    if (base !== name && HOGQL_AGGREGATES.has(base) && args.length > 1) {
      const of = this.#called({ ...node, function_name: base, children: args.slice(0, -1) });
      const filtered = { ...of, filter: args.at(-1) ?? null };
      // A sum of nothing is 0 in ClickHouse.
      return base === "sum" ? this.#filled(this.#templates.sum, [filtered], node) : filtered;
    }
    if (made === undefined) return undefined;
    const counts = [...made.keys()].join(" or ");
    return refuse(`The function ${named(name)} takes ${counts} arguments here.`, node, this.#text);
  }

  /** Makes properties numbers or times in functions of these, such as the `avg` of avgIf. */
  #typed(node: JsonObject): JsonObject {
    if (node["class"] !== "FUNCTION") return node;
    const name = folded(node["function_name"]);
    const args = nodesIn(node["children"]);
    const isOfTime = OF_TIMES.has(name) || (/^[+-]$/.test(name) && args.some(isTime));
    if (!isOfTime && !OF_NUMBERS.has(name)) return node;
    return { ...node, children: args.map((arg) => this.#as(isOfTime ? "time" : "double", arg)) };
  }

  #compared(node: JsonObject, from: From): JsonObject {
    const sides = [node["left"], node["right"]].filter(isObject) as [JsonObject, JsonObject];
    const [left, right] = ofSamePersons(sides, from);
    const type = (other: JsonObject, one: JsonObject) => {
      if (isNumber(other)) return this.#as("double", one);
      return isTime(other) ? this.#as("time", one) : one;
    };
    return { ...node, left: type(right, left), right: type(left, right) };
  }

  /** Reads `properties['$browser']` as `properties.$browser`. */
  #within(node: JsonObject, from: From): Json | undefined {
    const keys: string[] = [];
    let inner: JsonObject | undefined = node;
    while (inner?.["type"] === "ARRAY_EXTRACT") {
      const [list, key] = nodesIn(inner["children"]);
      const text = constantText(key) ?? placeIn(key);
      if (text === undefined) return undefined;
      keys.unshift(text);
      inner = list;
    }
    if (keys.length === 0 || inner?.["class"] !== "COLUMN_REF") return undefined;
    const names = [...(inner["column_names"] as string[]), ...keys];
    const found = foundIn(names, from);
    return found === undefined || found.path.length === 0
      ? undefined
      : this.#column({ ...inner, alias: node["alias"] ?? "" }, names, from);
  }

  #column(node: JsonObject, names: readonly string[], from: From): JsonObject {
    const found = foundIn(names, from);
    if (found === undefined) return node;
    const { table, column, path, relation } = found;
    if (relation !== null) {
      const events = from.tables.filter((one) => isView("events", one));
      if (events.length === 0 || (table.length > 0 && !isOf("events", table, from))) {
        refuse(`${relation} is known where FROM has events.`, node, this.#text);
      }
      if (column === "") {
        refuse(`${relation} has ${relationColumns(relation)}.`, node, this.#text);
      }
      from.relations.add(relation);
    }
    const plain = { ...node, column_names: [...table, column] };
    const [first = ""] = path;
    if (path.length === 0) return plain;
    const isHot = path.length === 1 && first.startsWith("$") && Object.hasOwn(HOT, first);
    const made =
      isHot && relation === null && isOf("events", table, from)
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
