import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { ownValue } from "../../../core/values/json.ts";
import { HOGQL_COLUMNS_REFUSED, known } from "./hogql/refused.ts";
import { withType, zipped } from "./hogql/special-calls.ts";
import { castOnClock, onClock, sameClock } from "./hogql/zoned.ts";
import {
  checkedUnion,
  firstSelect,
  grouped,
  hasAggregate,
  isUnnamed,
  listName,
  type Marks,
  markOf,
  marksOf,
  OF_PLACES,
  OF_ROWS,
  selected,
  shownAs,
  tooOften,
  withList,
  zonesOf,
} from "./items.ts";
import {
  ARRAY_JOIN,
  type From,
  foundIn,
  fromOf,
  hides,
  isJsonColumn,
  isOf,
  nameOf,
  ROW_TIME,
  relate,
  tablesIn,
  VIEW_COLUMNS,
  withoutNames,
  withRelations,
} from "./names.ts";
import { isText, isTextList, limitedBy, numbersTable, turned } from "./nodes.ts";
import { listAndPlace, placed, pointerOf } from "./places.ts";
import type { Templates } from "./templates.ts";
import {
  columnOf,
  folded,
  isNode,
  lastName,
  NAME,
  type Node,
  named,
  namesOf,
  nodesIn,
  numberIn,
  operator,
  refuse,
  TEXT,
  unnamed,
  ZONES,
} from "./tree.ts";
import { Typing } from "./typing.ts";

/** Characters of the trees of expressions that a statement repeats in place of their names. */
const REPEATED_CHARS_MAX = 200_000;

/**
 * Rewrites HogQL in the tree of a statement to DuckDB's SQL. Columns without a name get those of `columns`. `numbers`
 * are the names of texts of properties that are shown as numbers, `zones` those of times on another clock.
 */
export const rewritten = (templates: Templates, tree: Node, columns: readonly string[]) =>
  new Rewriting(templates).statement(tree, columns);

/** The rewriting of one statement. */
class Rewriting {
  readonly #typing: Typing;
  readonly #templates: Templates;
  /** Marks of the columns of queries of WITH. */
  readonly #ctes = new Map<string, Marks>();
  /** Characters of the trees of expressions that are repeated. */
  #repeatedChars = 0;

  constructor(templates: Templates) {
    this.#templates = templates;
    this.#typing = new Typing(templates);
  }

  statement(tree: Node, columns: readonly string[]) {
    const walked = this.#fields(tree, fromOf());
    const node = firstSelect(nodesIn(walked["statements"])[0]) ?? {};
    const { numbers, zones, shown } = shownAs(node, columns);
    node["select_list"] = shown;
    return { tree: walked, numbers, zones };
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
    SET_OPERATION_NODE: (node, from) => checkedUnion(this.#fields(node, from)),
    TABLE_FUNCTION: (node, from) => numbersTable(this.#fields(node, from)),
    JOIN: ({ condition, ...node }, from) => ({
      ...this.#fields(node, from),
      condition: this.#walk(condition, { ...from, isJoin: true }),
    }),
    COLUMN_REF: (node, from) =>
      lastName(node) === ROW_TIME
        ? this.#column(columnOf("timestamp", node), ["timestamp"], { ...from, ...withoutNames() })
        : this.#column(node, namesOf(node), from),
    OPERATOR: (node, from) =>
      this.#within(node, from) ?? this.#typing.operator(this.#clocked(node, from), from),
    CASE: (node, from) => this.#typing.chosen(this.#fields(node, from)),
    FUNCTION: (node, from) => this.#call(node, from),
    WINDOW: (node, from) => this.#typing.windowed(this.#fields(known(node), from)),
    COMPARISON: (node, from) =>
      (this.#walk(turned(node), from) as Node | undefined) ??
      this.#typing.comparison(this.#clocked(node, from), from),
    BETWEEN: (node, from) => this.#typing.between(this.#clocked(node, from)),
    LAMBDA: (node, from) => this.#lambda(node, from),
    CAST: (node, from) =>
      this.#typing.cast(castOnClock(this.#typing, withType(this.#fields(node, from)))),
  };

  #fields(node: Node, from: From): Node {
    const fields = Object.entries(node).map(([field, part]) => [field, this.#walk(part, from)]);
    return Object.fromEntries(fields);
  }
  readonly #clocked = (node: Node, from: From) => sameClock(this.#typing, this.#fields(node, from));

  /** A SELECT. One without FROM, as ARRAY JOIN makes it, reads the tables of the query around it. */
  #select(
    { cte_map, from_table, select_list, group_expressions, ...rest }: Node,
    outer: From,
  ): Node {
    const isWithin = isNode(from_table) && from_table.type === "EMPTY";
    const ctes = this.#walk(cte_map, fromOf());
    for (const { key, value } of nodesIn(isNode(ctes) ? ctes["map"] : [])) {
      this.#ctes.set(folded(key), marksOf((value as Node)["query"]));
    }
    const isGrouped = nodesIn(group_expressions).length > 0;
    const own = { ...fromOf(tablesIn(from_table)), isGrouped };
    const from = isWithin ? { ...outer, ...withoutNames() } : own;
    const table = this.#walk(from_table, own);
    for (const one of tablesIn(table)) {
      const marks = this.#ctes.get(folded(one.table_name ?? "")) ?? marksOf(one["subquery"]);
      for (const [name, mark] of marks) {
        from.marks.set(name, mark).set(`${nameOf(one)}.${name}`, mark);
      }
    }
    const items = nodesIn(select_list).map((item) => {
      const made = this.#walk(item, from) as Node;
      for (const [name, mark] of item.alias ? markOf(made) : []) from.marks.set(name, mark);
      if (item.alias) from.named.set(folded(item.alias), unnamed(made));
      return made;
    });
    const marks = new Map([...from.marks, ...items.flatMap(markOf)]);
    const { where_clause, having, modifiers, ...others } = rest;
    const parts = {
      ...this.#fields(others, from),
      where_clause: this.#walk(where_clause, { ...from, isRow: true }),
      group_expressions: nodesIn(group_expressions).map(
        (one) => grouped(one, items) ?? this.#walk(one, { ...from, isRow: true }),
      ),
      having: this.#walk(having, { ...from, isAfter: true }),
      modifiers: this.#walk(modifiers, { ...from, marks, items }),
    };
    const { relations } = this.#templates;
    // They are known once all other parts are read.
    let joined = isWithin ? table : withRelations(table, from.relations, relations);
    for (const [at, list] of from.lists.entries()) {
      joined = withList(joined, list, { at, items, join: relations[ARRAY_JOIN] ?? {} });
    }
    const made = limitedBy({ ...parts, cte_map: ctes, select_list: items, from_table: joined });
    return { ...made, [ZONES]: zonesOf(items, from.marks) };
  }

  /** A call, or the column of the join with its list that arrayJoin becomes; a list of an aggregate stays. */
  #call(node: Node, from: From): Node {
    const name = folded(node.function_name);
    if (OF_PLACES.test(name)) {
      const { alias = "", query_location = 0 } = node;
      const made = operator("ARRAY_EXTRACT", listAndPlace(node), { alias, query_location });
      return this.#within(made, from) ?? this.#typing.operator(this.#fields(made, from), from);
    }
    const isAggregate = from.isAggregate || OF_ROWS.test(folded(node.function_name));
    const walked = this.#fields(zipped(known(node)), { ...from, isAggregate });
    const made = onClock(this.#typing, walked, (one) => this.#typing.call(one, from));
    const [list] = nodesIn(made.children);
    if (made.function_name === "->>") return { ...made, [TEXT]: "text" };
    if (name !== "arrayjoin" || list === undefined) return made;
    if (hasAggregate(list)) return made;
    const found = from.lists.map((one) => JSON.stringify(one)).indexOf(JSON.stringify(list));
    const at = found < 0 ? from.lists.push(list) - 1 : found;
    const column = columnOf(listName(at), node);
    return isTextList(list) ? { ...column, [TEXT]: "text" } : column;
  }

  /**
   * The selected expression of a name, where DuckDB does not take the name, or takes a column of FROM for it; undefined
   * where it does. An aggregate stands neither in another nor in WHERE: there its name is that of the column.
   */
  #repeated(name: string, at: Node, from: From): Node | undefined {
    const item = from.named.get(name);
    if (item === undefined) return undefined;
    // DuckDB finds a name itself in HAVING, and does not within another one of GROUP BY.
    const isFound = from.isAfter && !from.isAggregate && !isUnnamed(item);
    if (isFound) return { ...at, ...from.marks.get(name) };
    const isOut = (from.isAggregate || from.isRow) && hasAggregate(item);
    const isInner = from.isAggregate || (from.isGrouped && !hasAggregate(item));
    const isMeant = [isInner, VIEW_COLUMNS.has(name), isUnnamed(item)].includes(true);
    if (isOut || !(isMeant || hides(name, from, this.#ctes))) return undefined;
    this.#repeatedChars += JSON.stringify(item).length;
    if (this.#repeatedChars > REPEATED_CHARS_MAX) return isMeant ? tooOften(name, at) : undefined;
    return { ...item, alias: at.alias ?? "", query_location: at.query_location ?? 0 };
  }

  /** An expression of ORDER BY, where the name of a selected one stays. */
  #whole(node: Node, from: From): Node {
    const name = namesOf(node).length === 1 ? lastName(node) : "";
    if (from.named.has(name)) return { ...node, ...from.marks.get(name) };
    return this.#walk(node, from) as Node;
  }

  /** The expression of an ORDER BY; a property comes first by its number, then by its text. */
  #ordered(order: Node, from: From): Node[] {
    const by = this.#whole(order["expression"] as Node, from);
    const walked = { ...order, expression: by };
    const place = by.class === "CONSTANT" ? from.items?.[numberIn(by) - 1] : by;
    if (!isText(place)) return [walked];
    // Where a table has it, a name alone is the selected expression only outside of others.
    const isColumn = from.tables.length > 1 || hides(lastName(by), from, this.#ctes);
    const item = (isColumn && selected(by, from.items)) || place;
    return [{ ...walked, expression: this.#typing.item("double", [unnamed(item)], by) }, walked];
  }

  /** A lambda, whose name is its own; a text in a list is compared as a property is. */
  #lambda(node: Node, from: From): Node {
    const { lhs, expr } = node;
    const isArrow = isNode(expr) && expr.class === "CONSTANT";
    if (isArrow || !isNode(lhs)) return this.#fields(node, from);
    return { ...node, expr: this.#walk(expr, { ...from, own: lastName(lhs) }) };
  }

  /** A part of a list, or of the JSON of a property. */
  #within(node: Node, from: From): Node | undefined {
    return placed(this.#typing, node, {
      own: from.own,
      isProperty: (names) => (foundIn(names, from)?.path.length ?? 0) > 0,
      isJson: (one) => one[TEXT] === "json" || isJsonColumn(lastName(one)),
      column: (one, names) => this.#column(one, names, from),
      walk: (one) => this.#walk(one, from) as Node,
      operator: (one) => this.#typing.operator(one, from),
    });
  }

  /** A column of events that a property is; that of a group has an empty text where the property is missing. */
  #hot(node: Node): Node {
    const isGroup = lastName(node).startsWith("$group_");
    return isGroup ? this.#typing.item("known", [unnamed(node)], node) : node;
  }

  #column(node: Node, names: readonly string[], from: From): Node {
    const last = folded(names.at(-1));
    if (names.length === 1 && from.own === last) return { ...node, [TEXT]: "text" };
    const item = names.length === 1 ? this.#repeated(last, node, from) : undefined;
    if (item !== undefined) return item;
    const mark = from.marks.get(names.map(folded).join("."));
    if (mark !== undefined) return { ...node, ...mark };
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
    const isHot =
      path.length === 1 && first.startsWith("$") && Object.hasOwn(SQL_VIEWS["events"] ?? {}, first);
    const made =
      isHot && relation === undefined && isOf("events", table, from)
        ? this.#hot({ ...node, column_names: [...table, first] })
        : this.#typing.item("property", [unnamed(plain), pointerOf(path)], node);
    // In PostHog this column is never null.
    if (last === "elements_chain") return this.#typing.item("full", [unnamed(made)], node);
    const name = path.join("__");
    return { ...made, [TEXT]: "text", [NAME]: VIEW_COLUMNS.has(name) ? names.join(".") : name };
  }
}
