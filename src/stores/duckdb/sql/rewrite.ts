import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import {
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../../core/values/json.ts";
import { SQL_FUNCTIONS } from "./allowed.ts";
import { folded, named, nodesIn, refuse } from "./extent.ts";
import { HOGQL_COLUMNS_REFUSED, HOGQL_REFUSED } from "./functions.ts";
import {
  type Found,
  type From,
  foundIn,
  isOf,
  isView,
  nameOf,
  relationColumns,
  tablesIn,
  withRelations,
} from "./names.ts";
import { lastName, limitedBy, numbersTable, placeIn, pointer, withType } from "./nodes.ts";
import { constantText, numberIn } from "./special-calls.ts";
import type { Templates } from "./templates.ts";
import { Typing } from "./typing.ts";

/** Rewrites HogQL in the tree of a statement to DuckDB's SQL. Columns without a name get those of `columns`. */
export const rewritten = (
  templates: Templates,
  tree: Json,
  text: string,
  columns: readonly string[],
) => new Rewriting(templates, text).statement(tree as JsonObject, columns);

const nowhere = (tables: JsonObject[] = []): From => {
  return { tables, relations: new Set(), texts: new Set(), isJoin: false };
};

/** The rewriting of one statement. */
class Rewriting {
  readonly #typing: Typing;
  readonly #templates: Templates;
  readonly #text: string;
  /** Names of columns, and columns of queries, and of those of WITH, that are texts of a property. */
  readonly #names = new WeakMap<object, string>();
  readonly #texts = new WeakMap<object, ReadonlySet<string>>();
  readonly #ctes = new Map<string, ReadonlySet<string>>();

  constructor(templates: Templates, text: string) {
    this.#templates = templates;
    this.#text = text;
    this.#typing = new Typing(templates, text);
  }

  statement(tree: JsonObject, columns: readonly string[]): Json {
    const walked = this.#walk(tree, nowhere()) as JsonObject;
    let node = nodesIn(walked["statements"])[0]?.["node"] as JsonObject | undefined;
    while (node?.["type"] === "SET_OPERATION_NODE") {
      node = (isObject(node["left"]) ? node["left"] : nodesIn(node["children"])[0]) as JsonObject;
    }
    const items = nodesIn(node?.["select_list"]);
    const shown = items.map((item, at) => {
      const isPlain = item["class"] === "COLUMN_REF" || item["class"] === "STAR";
      const text = items.length === columns.length && !isPlain ? columns[at] : undefined;
      const alias = item["alias"] || (this.#names.get(item) ?? text ?? "");
      if (!this.#typing.extremes.has(item)) return { ...item, alias };
      return this.#typing.item("shown", [{ ...item, alias: "" }], { ...item, alias });
    });
    if (node !== undefined) node["select_list"] = shown;
    return walked;
  }

  #walk(value: Json, from: From): Json {
    if (Array.isArray(value)) {
      return value.flatMap((part) =>
        isObject(part) && "null_order" in part
          ? this.#ordered(part, from)
          : [this.#walk(part, from)],
      );
    }
    if (!isObject(value) || isExactNumber(value)) return value;
    const walk = this.#kinds[String(value["class"] ?? value["type"])];
    return walk === undefined ? this.#fields(value, from) : walk(value, from);
  }

  /** How parts of a statement are rewritten, by class or type. */
  readonly #kinds: Record<string, (node: JsonObject, from: From) => Json> = {
    SELECT_NODE: (node, from) => this.#select(node, from),
    TABLE_FUNCTION: (node, from) => numbersTable(this.#fields(node, from)),
    JOIN: ({ condition = null, ...node }, from) => ({
      ...this.#fields(node, from),
      condition: this.#walk(condition, { ...from, isJoin: true }),
    }),
    COLUMN_REF: (node, from) => this.#column(node, node["column_names"] as string[], from),
    OPERATOR: (node, from) =>
      this.#within(node, from) ?? this.#typing.operator(this.#fields(node, from), from.isJoin),
    FUNCTION: (node, from) => {
      this.#refuseKnown(node);
      return this.#typing.call(this.#fields(node, from), from);
    },
    WINDOW: (node, from) => {
      this.#refuseKnown(node);
      return this.#typing.windowed(this.#fields(node, from));
    },
    COMPARISON: (node, from) => this.#typing.comparison(this.#fields(node, from), from.isJoin),
    BETWEEN: (node, from) =>
      this.#typing.sameTyped(this.#fields(node, from), ["input", "lower", "upper"]),
    LAMBDA: (node, from) => this.#lambda(node, from),
    CAST: (node, from) => withType(this.#fields(node, from)),
  };

  #fields(value: JsonObject, from: From): JsonObject {
    const fields = Object.entries(value).map(([field, part]) => [field, this.#walk(part, from)]);
    return Object.fromEntries(fields);
  }

  /** A SELECT. One without FROM, as ARRAY JOIN makes it, reads the tables of the query around it. */
  #select(value: JsonObject, outer: From): JsonObject {
    const {
      cte_map = null,
      from_table = null,
      select_list = null,
      modifiers = null,
      ...rest
    } = value;
    const isWithin = isObject(from_table) && from_table["type"] === "EMPTY";
    const ctes = this.#walk(cte_map, nowhere());
    for (const { key, value: cte } of nodesIn(isObject(ctes) ? ctes["map"] : [])) {
      this.#ctes.set(folded(key), this.#textsOf(isObject(cte) ? cte["query"] : null));
    }
    const own = nowhere(tablesIn(from_table));
    const from = isWithin ? outer : own;
    const table = this.#walk(from_table, own);
    for (const one of tablesIn(table)) {
      const texts =
        this.#ctes.get(folded(one["table_name"] ?? "")) ?? this.#textsOf(one["subquery"]);
      for (const name of texts) from.texts.add(name).add(`${nameOf(one)}.${name}`);
    }
    const items = this.#walk(select_list, from) as JsonObject[];
    const texts = new Set(
      items
        .filter((item) => this.#typing.properties.has(item))
        .map((item) => folded(item["alias"] || this.#names.get(item) || lastName(item))),
    );
    const inOrder = { ...from, texts: new Set([...from.texts, ...texts]), items };
    const parts = { ...this.#fields(rest, from), modifiers: this.#walk(modifiers, inOrder) };
    const isRelated = !isWithin && from.relations.size > 0;
    const node = limitedBy({
      ...{ ...parts, cte_map: ctes, select_list: items },
      from_table: isRelated
        ? withRelations(table, from.relations, this.#templates.relations)
        : table,
    });
    this.#texts.set(node, texts);
    return node;
  }

  /** Columns of a query that are texts of a property. */
  #textsOf(query: Json | undefined): ReadonlySet<string> {
    const node = isObject(query) ? query["node"] : undefined;
    return (isObject(node) ? this.#texts.get(node) : undefined) ?? new Set();
  }

  /** The expression of an ORDER BY; a property comes first by its number, then by its text. */
  #ordered(order: JsonObject, from: From): JsonObject[] {
    const walked = this.#fields(order, from);
    const by = walked["expression"] as JsonObject;
    const place = by["class"] === "CONSTANT" ? from.items?.[numberIn(by) - 1] : by;
    if (place === undefined || !this.#typing.properties.has(place)) return [walked];
    const number = this.#typing.item("double", [{ ...place, alias: "" }], by);
    return [{ ...walked, expression: number }, walked];
  }

  #refuseKnown(node: JsonObject): void {
    const written = String(node["function_name"]).replace(/\(\)$/, "");
    const name = folded(written);
    if (SQL_FUNCTIONS.has(name)) return;
    const advice =
      ownValue(HOGQL_REFUSED, name) ?? ownValue(HOGQL_REFUSED, name.replace(/if$/, ""));
    if (advice === undefined) return;
    refuse(`The function ${named(written)} is not taken: ${advice}.`, node, this.#text);
  }

  /** A lambda, whose name is its own; a text in a list is compared as a property is. */
  #lambda(value: JsonObject, from: From): JsonObject {
    const { lhs = null, expr = null } = value;
    const isArrow = isObject(expr) && expr["class"] === "CONSTANT";
    if (isArrow || !isObject(lhs)) return this.#fields(value, from);
    return { ...value, expr: this.#walk(expr, { ...from, own: lastName(lhs) }) };
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
    const isProperty = (foundIn(names, from)?.path.length ?? 0) > 0;
    return isProperty
      ? this.#column({ ...inner, alias: node["alias"] ?? "" }, names, from)
      : undefined;
  }

  #column(node: JsonObject, names: readonly string[], from: From): JsonObject {
    const last = folded(names.at(-1));
    const isOwn = names.length === 1 && from.own === last;
    if (isOwn || from.texts.has(names.map(folded).join(".")))
      return this.#typing.marked({ ...node });
    const advice = ownValue(HOGQL_COLUMNS_REFUSED, last);
    if (advice !== undefined && names.at(-2) !== "properties") {
      refuse(`${named(last)} is not kept here: ${advice}.`, node, this.#text);
    }
    const found = foundIn(names, from);
    if (found === undefined) return node;
    this.#relate(found, node, from);
    const { table, column, path, relation } = found;
    const plain = { ...node, column_names: [...table, column] };
    const [first = ""] = path;
    if (path.length === 0) return plain;
    const isHot = path.length === 1 && first.startsWith("$") && Object.hasOwn(HOT, first);
    const made =
      isHot && relation === null && isOf("events", table, from)
        ? { ...node, column_names: [...table, first] }
        : this.#typing.item("property", [{ ...plain, alias: "" }, pointer(path)], node);
    const name = path.join("__");
    this.#names.set(made, VIEW_COLUMNS.has(name) ? names.join(".") : name);
    return this.#typing.marked(made);
  }

  /** Notes a relation of events that a column is of. */
  #relate({ relation, table, column }: Found, node: JsonObject, from: From): void {
    if (relation === null) return;
    const events = from.tables.filter((one) => isView("events", one));
    if (events.length === 0 || (table.length > 0 && !isOf("events", table, from))) {
      refuse(`${relation} is known where FROM has events.`, node, this.#text);
    }
    if (column === "") refuse(`${relation} has ${relationColumns(relation)}.`, node, this.#text);
    from.relations.add(relation);
  }
}

const HOT = SQL_VIEWS["events"] ?? {};
const VIEW_COLUMNS = new Set(
  Object.values(SQL_VIEWS)
    .flatMap((columns) => Object.keys(columns))
    .filter((name) => !name.startsWith("$")),
);
