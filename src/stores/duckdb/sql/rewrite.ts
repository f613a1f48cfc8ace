import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { ownValue } from "../../../core/values/json.ts";
import { SQL_FUNCTIONS } from "./allowed.ts";
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
import { keyIn, limitedBy, numbersTable, pointer } from "./nodes.ts";
import { withType } from "./special-calls.ts";
import type { Templates } from "./templates.ts";
import {
  folded,
  isNode,
  lastName,
  NAME,
  type Node,
  named,
  namesOf,
  nodesIn,
  numberIn,
  refuse,
  TEXT,
  unnamed,
} from "./tree.ts";
import { Typing } from "./typing.ts";

/** Rewrites HogQL in the tree of a statement to DuckDB's SQL. Columns without a name get those of `columns`. */
export const rewritten = (templates: Templates, tree: Node, columns: readonly string[]): Node =>
  new Rewriting(templates).statement(tree, columns);

const fromOf = (tables: Node[] = []): From => {
  return { tables, relations: new Set(), texts: new Set(), isJoin: false };
};

/** The rewriting of one statement. */
class Rewriting {
  readonly #typing: Typing;
  readonly #templates: Templates;
  /** Columns of the queries of WITH that are texts of a property. */
  readonly #ctes = new Map<string, readonly string[]>();

  constructor(templates: Templates) {
    this.#templates = templates;
    this.#typing = new Typing(templates);
  }

  statement(tree: Node, columns: readonly string[]): Node {
    const walked = this.#fields(tree, fromOf());
    let node = nodesIn(walked["statements"])[0]?.["node"] as Node | undefined;
    while (node?.type === "SET_OPERATION_NODE") node = node.left ?? nodesIn(node.children)[0];
    const items = nodesIn(node?.["select_list"]);
    const shown = items.map((item, index) => {
      const isPlain = item.class === "COLUMN_REF" || item.class === "STAR";
      const text = items.length === columns.length && !isPlain ? columns[index] : undefined;
      const alias = item.alias || (item[NAME] ?? text ?? "");
      if (item[TEXT] !== "number") return { ...item, alias };
      return this.#typing.item("shown", [unnamed(item)], { ...item, alias });
    });
    if (node !== undefined) node["select_list"] = shown;
    return walked;
  }

  #walk(part: unknown, from: From): unknown {
    if (Array.isArray(part)) {
      return part.flatMap((one) =>
        isNode(one) && "null_order" in one ? this.#ordered(one, from) : [this.#walk(one, from)],
      );
    }
    if (!isNode(part)) return part;
    const walk = this.#kinds[String(part.class ?? part.type)];
    return walk === undefined ? this.#fields(part, from) : walk(part, from);
  }

  /** How parts of a statement are rewritten, by class or type. */
  readonly #kinds: Record<string, (node: Node, from: From) => Node> = {
    SELECT_NODE: (node, from) => this.#select(node, from),
    TABLE_FUNCTION: (node, from) => numbersTable(this.#fields(node, from)),
    JOIN: ({ condition, ...node }, from) => ({
      ...this.#fields(node, from),
      condition: this.#walk(condition, { ...from, isJoin: true }),
    }),
    COLUMN_REF: (node, from) => this.#column(node, namesOf(node), from),
    OPERATOR: (node, from) =>
      this.#within(node, from) ?? this.#typing.operator(this.#fields(node, from), from),
    FUNCTION: (node, from) => this.#typing.call(this.#fields(known(node), from), from),
    WINDOW: (node, from) => this.#typing.windowed(this.#fields(known(node), from)),
    COMPARISON: (node, from) => this.#typing.comparison(this.#fields(node, from), from),
    BETWEEN: (node, from) =>
      this.#typing.sameTyped(this.#fields(node, from), ["input", "lower", "upper"]),
    LAMBDA: (node, from) => this.#lambda(node, from),
    CAST: (node, from) => withType(this.#fields(node, from)),
  };

  #fields(node: Node, from: From): Node {
    const fields = Object.entries(node).map(([field, part]) => [field, this.#walk(part, from)]);
    return Object.fromEntries(fields);
  }

  /** A SELECT. One without FROM, as ARRAY JOIN makes it, reads the tables of the query around it. */
  #select({ cte_map, from_table, select_list, modifiers, ...rest }: Node, outer: From): Node {
    const isWithin = isNode(from_table) && from_table.type === "EMPTY";
    const ctes = this.#walk(cte_map, fromOf());
    for (const { key, value } of nodesIn(isNode(ctes) ? ctes["map"] : [])) {
      this.#ctes.set(folded(key), textsOf((value as Node)["query"]));
    }
    const own = fromOf(tablesIn(from_table));
    const from = isWithin ? outer : own;
    const table = this.#walk(from_table, own);
    for (const one of tablesIn(table)) {
      const texts = this.#ctes.get(folded(one.table_name ?? "")) ?? textsOf(one["subquery"]);
      for (const name of texts) from.texts.add(name).add(`${nameOf(one)}.${name}`);
    }
    const items = this.#walk(select_list, from) as Node[];
    const inOrder = { ...from, texts: new Set([...from.texts, ...textNames(items)]), items };
    return limitedBy({
      ...this.#fields(rest, from),
      ...{ modifiers: this.#walk(modifiers, inOrder), cte_map: ctes, select_list: items },
      // The relations are known once all other parts are read.
      from_table: isWithin
        ? table
        : withRelations(table, from.relations, this.#templates.relations),
    });
  }

  /** The expression of an ORDER BY; a property comes first by its number, then by its text. */
  #ordered(order: Node, from: From): Node[] {
    const walked = this.#fields(order, from);
    const by = walked["expression"] as Node;
    const place = by.class === "CONSTANT" ? from.items?.[numberIn(by) - 1] : by;
    if (place?.[TEXT] === undefined) return [walked];
    return [{ ...walked, expression: this.#typing.item("double", [unnamed(place)], by) }, walked];
  }

  /** A lambda, whose name is its own; a text in a list is compared as a property is. */
  #lambda(node: Node, from: From): Node {
    const { lhs, expr } = node;
    const isArrow = isNode(expr) && expr.class === "CONSTANT";
    if (isArrow || !isNode(lhs)) return this.#fields(node, from);
    return { ...node, expr: this.#walk(expr, { ...from, own: lastName(lhs) }) };
  }

  /** Reads `properties['$browser']` as `properties.$browser`. */
  #within(node: Node, from: From): Node | undefined {
    const keys: string[] = [];
    let inner: Node | undefined = node;
    while (inner?.type === "ARRAY_EXTRACT") {
      const [list, key] = nodesIn(inner.children);
      const text = keyIn(key);
      if (text === undefined) return undefined;
      keys.unshift(text);
      inner = list;
    }
    if (keys.length === 0 || inner?.class !== "COLUMN_REF") return undefined;
    const names = [...namesOf(inner), ...keys];
    const isProperty = (foundIn(names, from)?.path.length ?? 0) > 0;
    const { alias = "" } = node;
    return isProperty ? this.#column({ ...inner, alias }, names, from) : undefined;
  }

  #column(node: Node, names: readonly string[], from: From): Node {
    const last = folded(names.at(-1));
    const isOwn = names.length === 1 && from.own === last;
    if (isOwn || from.texts.has(names.map(folded).join("."))) return { ...node, [TEXT]: "text" };
    const advice = ownValue(HOGQL_COLUMNS_REFUSED, last);
    if (advice !== undefined && names.at(-2) !== "properties") {
      refuse(`${named(last)} is not kept here: ${advice}.`, node);
    }
    const found = foundIn(names, from);
    if (found === undefined) return node;
    relate(found, node, from);
    const { table, column, path, relation } = found;
    const plain = { ...node, column_names: [...table, column] };
    const [first = ""] = path;
    if (path.length === 0) return plain;
    const isHot = path.length === 1 && first.startsWith("$") && Object.hasOwn(HOT, first);
    const made =
      isHot && relation === undefined && isOf("events", table, from)
        ? { ...node, column_names: [...table, first] }
        : this.#typing.item("property", [unnamed(plain), pointer(path)], node);
    const name = path.join("__");
    return { ...made, [TEXT]: "text", [NAME]: VIEW_COLUMNS.has(name) ? names.join(".") : name };
  }
}

/** Returns the names of selected expressions that are texts of a property. */
const textNames = (items: readonly Node[]): string[] =>
  items
    .filter((item) => item[TEXT] !== undefined)
    .map((item) => folded(item.alias || item[NAME] || lastName(item)));

/** Returns the columns of a rewritten query that are texts of a property. */
function textsOf(query: unknown): string[] {
  const node = isNode(query) ? query["node"] : undefined;
  return textNames(nodesIn(isNode(node) ? node["select_list"] : []));
}

/** Returns a call; fails for a function of ClickHouse that is not taken. */
function known(node: Node): Node {
  const written = String(node.function_name).replace(/\(\)$/, "");
  const name = folded(written);
  const advice = [name, name.replace(/if$/, "")]
    .map((one) => ownValue(HOGQL_REFUSED, one))
    .find((one) => one !== undefined);
  if (advice === undefined || SQL_FUNCTIONS.has(name)) return node;
  return refuse(`The function ${named(written)} is not taken: ${advice}.`, node);
}

/** Notes a relation of events that a column is of. */
function relate({ relation, table, column }: Found, node: Node, from: From): void {
  if (relation === undefined) return;
  const hasEvents = from.tables.some((one) => isView("events", one));
  if (!hasEvents || (table.length > 0 && !isOf("events", table, from))) {
    refuse(`${relation} is known where FROM has events.`, node);
  }
  if (column === "") refuse(`${relation} has ${relationColumns(relation)}.`, node);
  from.relations.add(relation);
}

const HOT = SQL_VIEWS["events"] ?? {};
const VIEW_COLUMNS = new Set(
  Object.values(SQL_VIEWS)
    .flatMap((columns) => Object.keys(columns))
    .filter((name) => !name.startsWith("$")),
);
