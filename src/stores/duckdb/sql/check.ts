import { ownValue } from "../../../core/values/json.ts";
import { all, expression, expressionsIn, innerQuery } from "./expression.ts";
import { type Extent, LEAF, type Scope, type SqlTable, together } from "./extent.ts";
import { refuseUnread } from "./faults.ts";
import type { Written } from "./hogql/written.ts";
import {
  folded,
  inText,
  isNode,
  type Node,
  named,
  nodesIn,
  onlyWith,
  refuse,
  worded,
} from "./tree.ts";

/** Parts of a SELECT after each alias is replaced by its expression. */
export const SQL_SIZE_MAX = 30_000;

/** Parts of all SELECTs that UNION and the like combine. Each SELECT is planned alone. */
export const SQL_SETS_SIZE_MAX = 75_000;

/** SELECTs that UNION, EXCEPT and INTERSECT combine to one query. Most keep all their rows. */
export const SQL_SETS_MAX = 64;

/** Columns of one query or subquery. */
export const SQL_COLUMNS_MAX = 1000;

/** Grouping sets of one query. */
const GROUPING_SETS_MAX = 64;

/** Parts that a table counts for, so that a statement has at most 60 tables. */
const TABLE_SIZE = 500;

/** Columns of the tables that may be read, by name. */
export type SqlTables = Readonly<Record<string, object>>;

/**
 * Checks the tree of a statement from DuckDB's `json_serialize_sql` against the allow-list (decision 81).
 * Fails `invalid_input` with the name and the place of the first part that is not on it.
 */
export function checkSql(tree: Node, tables: SqlTables, written?: Written): void {
  if (tree["error"] !== false) refuseUnread(tree, written);
  inText(written, () => {
    const [statement, ...more] = nodesIn(tree["statements"]);
    if (statement === undefined || more.length > 0) refuse("One SELECT is expected.");
    const scope: Scope = {
      ...{ ctes: new Map(), used: new Set(), tables: new Set(), aliases: new Map(), growth: 1 },
      query: (node, outer) => query(node, outer, tables),
    };
    scope.query(innerQuery(statement), scope);
  });
}

function query(node: Node, outer: Scope, tables: SqlTables): SqlTable {
  const { ctes, own } = ctesOf(node["cte_map"], outer);
  const scope = { ...outer, ctes };
  const isSelect = node.type === "SELECT_NODE";
  if (!isSelect && node.type !== "SET_OPERATION_NODE")
    refuse(`${worded(node.type)} is not allowed.`, node);
  const extent = isSelect ? select(node, scope, tables) : setOperation(node, scope);
  for (const cte of own) extent.size += scope.used.has(cte) ? 0 : cte.size;
  const most = isSelect ? SQL_SIZE_MAX : SQL_SETS_SIZE_MAX;
  if (extent.size > most) {
    const detail = "The statement is too large once its names are written out.";
    refuse(`${detail} It has ${extent.size} parts of ${most}.`, node);
  }
  if (extent.columns > SQL_COLUMNS_MAX) {
    refuse(`A query has at most ${SQL_COLUMNS_MAX} columns.`, node);
  }
  return extent;
}

/**
 * Checks the queries of WITH. Each sees the ones before it and not itself, so its own name is that of a
 * view or unknown. The size of a used query counts at its uses.
 */
function ctesOf(map: unknown, scope: Scope): { ctes: Scope["ctes"]; own: SqlTable[] } {
  const ctes = new Map(scope.ctes);
  const own = nodesIn(isNode(map) ? map["map"] : []).map(({ key, value }) => {
    if (!isNode(value)) return refuse("A query is expected.");
    onlyWith(value, "aliases query materialized");
    const extent = scope.query(innerQuery(value["query"]), { ...scope, ctes });
    ctes.set(folded(key), extent);
    return extent;
  });
  return { ctes, own };
}

function select(node: Node, outer: Scope, tables: SqlTables): SqlTable {
  onlyWith(
    node,
    "modifiers cte_map select_list from_table where_clause group_expressions group_sets aggregate_handling having qualify",
  );
  const scope = { ...outer, tables: new Set(outer.tables), aliases: new Map(outer.aliases) };
  const from = tableOf(node["from_table"], scope, tables);
  const list = nodesIn(node["select_list"]);
  const items = list.map((item) => {
    const shown = item.class === "STAR" ? star(item, from, scope) : expression(item, scope);
    if (item.alias) scope.aliases.set(folded(item.alias), shown);
    return shown;
  });
  const columns = list.reduce((sum, one) => sum + (one.class === "STAR" ? from.columns : 1), 0);
  const { where_clause, having, qualify, group_expressions, group_sets } = node;
  if (Array.isArray(group_sets) && group_sets.length > GROUPING_SETS_MAX) {
    refuse(`At most ${GROUPING_SETS_MAX} grouping sets are allowed.`, node);
  }
  const rest = expressionsIn([where_clause, having, qualify, group_expressions]).map((part) =>
    expression(part, scope),
  );
  const extent = together([from, ...items, ...rest, modifiers(node, scope)]);
  return { ...extent, columns, growth: together(items).growth };
}

function star(node: Node, from: SqlTable, scope: Scope): Extent {
  onlyWith(node, "relation_name exclude_list qualified_exclude_list replace_list rename_list");
  const replaced = all(
    nodesIn(node["replace_list"]).map(({ value }) => value),
    scope,
  );
  return {
    ...replaced,
    size: replaced.size + from.columns,
    growth: Math.max(replaced.growth, from.growth),
  };
}

/** Returns the queries that a UNION, EXCEPT or INTERSECT combines. */
const sidesOf = ({ left, right, children }: Node): Node[] =>
  [left, right, ...nodesIn(children)].filter(isNode);

const selectsIn = (node: Node): number =>
  node.type === "SET_OPERATION_NODE"
    ? sidesOf(node).reduce((sum, side) => sum + selectsIn(side), 0)
    : 1;

function setOperation(node: Node, scope: Scope): SqlTable {
  const selects = selectsIn(node);
  if (selects > SQL_SETS_MAX) {
    const detail = `UNION, EXCEPT and INTERSECT combine at most ${SQL_SETS_MAX} SELECTs, not ${selects}: write conditions with OR or IN, and groups with GROUP BY.`;
    refuse(detail, node);
  }
  onlyWith(node, "modifiers cte_map setop_type left right setop_all children");
  const queries = sidesOf(node).map((side) => scope.query(side, scope));
  const columns = queries.map((one) => one.columns);
  // UNION BY NAME also returns columns that only one side has.
  const isByName = node["setop_type"] === "UNION_BY_NAME";
  return {
    ...together([...queries, modifiers(node, scope)]),
    columns: isByName ? columns.reduce((sum, count) => sum + count, 0) : Math.max(...columns),
  };
}

/** Fields of what stands after a query. */
const MODIFIERS: Record<string, string> = {
  ORDER_MODIFIER: "orders",
  LIMIT_MODIFIER: "limit offset",
  LIMIT_PERCENT_MODIFIER: "limit offset",
  DISTINCT_MODIFIER: "distinct_on_targets",
};

function modifiers(node: Node, outer: Scope): Extent {
  // In ORDER BY, a name of both an alias and a table is the alias.
  const tables = new Set([...outer.tables].filter((name) => !outer.aliases.has(name)));
  const parts = nodesIn(node["modifiers"]).map((modifier) => {
    const fields = ownValue(MODIFIERS, String(modifier.type));
    if (fields === undefined) return refuse(`${worded(modifier.type)} is not allowed.`, modifier);
    onlyWith(modifier, fields);
    const values = fields.split(" ").flatMap((field) => expressionsIn(modifier[field]));
    return all(
      values.filter((value) => !(fields === "orders" && isAll(value))),
      { ...outer, tables },
    );
  });
  return together(parts);
}

/** Whether an expression is ALL of ORDER BY; the selected expressions are checked elsewhere. */
function isAll(node: Node): boolean {
  if (node.class !== "STAR" || node["columns"] !== true) return false;
  onlyWith(node, "columns");
  return true;
}

/** Checks a table of FROM, and adds it to `scope`, because later tables may use it (LATERAL). */
function tableOf(node: unknown, scope: Scope, tables: SqlTables): SqlTable {
  if (!isNode(node)) return refuse("A table is expected.");
  const kind = ownValue(TABLES, String(node.type));
  if (kind === undefined) return refuse(`${worded(node.type)} is not allowed in FROM.`, node);
  const [fields, look] = kind;
  onlyWith(node, fields);
  const table = look(node, scope, tables);
  if (node.alias) scope.tables.add(folded(node.alias));
  scope.growth = Math.max(scope.growth, table.growth);
  return node.type === "JOIN" ? table : { ...table, size: table.size + TABLE_SIZE };
}

type LookAtTable = (node: Node, scope: Scope, tables: SqlTables) => SqlTable;

/** Fields of each kind of table in FROM, and how it is checked. */
const TABLES: Record<string, [fields: string, look: LookAtTable]> = {
  EMPTY: ["", () => ({ ...LEAF, columns: 0 })],
  BASE_TABLE: ["catalog_name schema_name table_name column_name_alias", baseTable],
  SUBQUERY: [
    "subquery column_name_alias",
    (node, scope) => scope.query(innerQuery(node["subquery"]), scope),
  ],
  TABLE_FUNCTION: ["function column_name_alias with_ordinality", tableFunction],
  JOIN: ["left right condition join_type ref_type using_columns", join],
  EXPRESSION_LIST: ["values", values],
};

function baseTable(node: Node, scope: Scope, tables: SqlTables): SqlTable {
  const { catalog_name: catalog, schema_name: schema, table_name: written } = node;
  const name = folded(written);
  const isPlain = !(catalog || schema);
  scope.tables.add(name);
  const cte = isPlain ? scope.ctes.get(name) : undefined;
  if (cte !== undefined) {
    scope.used.add(cte);
    return cte;
  }
  const columns = isPlain ? ownValue(tables, name) : undefined;
  if (columns !== undefined) return { ...LEAF, columns: Object.keys(columns).length };
  const called = named(isPlain ? written : `${schema}.${name}`);
  return refuse(`There is no table ${called}: there are ${Object.keys(tables).join(", ")}.`, node);
}

function tableFunction({ function: call, ...node }: Node, scope: Scope): SqlTable {
  const name = isNode(call) ? call.function_name : "";
  if (folded(name) !== "range") {
    refuse(`${named(name)} is no table here: numbers(10) and range(1, 10) are.`, node);
  }
  // Its rows are single numbers.
  return { ...all(call, scope), columns: 1, growth: 1 };
}

// Not ASOF: over JSON columns, INTERSECT ALL and EXCEPT ALL, DuckDB 1.5 has an internal error.
const JOINS = ["REGULAR", "NATURAL", "CROSS"];

function join(node: Node, scope: Scope, tables: SqlTables): SqlTable {
  const kind = String(node["ref_type"]);
  if (!JOINS.includes(kind)) refuse(`${kind} JOIN is not allowed.`, node);
  const left = tableOf(node.left, scope, tables);
  const right = tableOf(node.right, scope, tables);
  const both = together([left, right, all(node["condition"], scope)]);
  return { ...both, columns: left.columns + right.columns };
}

function values({ values: rows }: Node, scope: Scope): SqlTable {
  return { ...all(rows, scope), columns: Array.isArray(rows) ? nodesIn(rows[0]).length : 0 };
}
