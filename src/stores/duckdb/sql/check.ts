import { isObject, type Json, type JsonObject } from "../../../core/values/json.ts";
import { expression, innerQuery, orders } from "./expression.ts";
import {
  type Extent,
  folded,
  LEAF,
  named,
  nodesIn,
  onlyWith,
  refuse,
  type Scope,
  type SqlTable,
  together,
} from "./extent.ts";
import { refuseUnread } from "./faults.ts";

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
export function checkSql(tree: JsonObject, tables: SqlTables, text: string): void {
  if (tree["error"] !== false) refuseUnread(tree, text);
  const [statement, ...more] = nodesIn(tree["statements"]);
  if (statement === undefined || more.length > 0) refuse("One SELECT is expected.", null, text);
  const scope: Scope = {
    text,
    ctes: new Map(),
    used: new Set(),
    tables: new Set(),
    aliases: new Map(),
    growth: 1,
    query: (node, outer) => query(node, outer, tables),
  };
  scope.query(innerQuery(statement, scope), scope);
}

function query(node: JsonObject, outer: Scope, tables: SqlTables): SqlTable {
  const { ctes, own } = ctesOf(node["cte_map"], outer);
  const scope = { ...outer, ctes };
  const kinds: Record<string, () => SqlTable> = {
    SELECT_NODE: () => select(node, scope, tables),
    SET_OPERATION_NODE: () => setOperation(node, scope),
  };
  const kind = kinds[String(node["type"])];
  if (kind === undefined) return refuse(`${node["type"]} is not allowed.`, node, scope.text);
  const made = kind();
  for (const cte of own) made.size += scope.used.has(cte) ? 0 : cte.size;
  const most = node["type"] === "SELECT_NODE" ? SQL_SIZE_MAX : SQL_SETS_SIZE_MAX;
  if (made.size > most) {
    const detail = "The statement is too large once its names are written out.";
    refuse(`${detail} It has ${made.size} parts of ${most}.`, node, scope.text);
  }
  if (made.columns > SQL_COLUMNS_MAX) {
    refuse(`A query has at most ${SQL_COLUMNS_MAX} columns.`, node, scope.text);
  }
  return made;
}

/**
 * Checks the queries of WITH. Each sees the ones before it and not itself, so its own name is that of a
 * view or unknown. The size of a used query counts at its uses.
 */
function ctesOf(map: Json | undefined, scope: Scope): { ctes: Scope["ctes"]; own: SqlTable[] } {
  const ctes = new Map(scope.ctes);
  const own: SqlTable[] = [];
  for (const { key, value } of nodesIn(isObject(map) ? map["map"] : [])) {
    if (!isObject(value)) return refuse("A query is expected.", null, scope.text);
    onlyWith(value, ["aliases", "query", "materialized"], scope.text);
    const made = scope.query(innerQuery(value["query"], scope), { ...scope, ctes });
    ctes.set(folded(key), made);
    own.push(made);
  }
  return { ctes, own };
}

const OF_SELECT = [
  ...["modifiers", "cte_map", "select_list", "from_table", "where_clause", "group_expressions"],
  ...["group_sets", "aggregate_handling", "having", "qualify"],
];

function select(node: JsonObject, outer: Scope, tables: SqlTables): SqlTable {
  onlyWith(node, OF_SELECT, outer.text);
  const scope: Scope = {
    ...outer,
    tables: new Set(outer.tables),
    aliases: new Map(outer.aliases),
  };
  const from = tableOf(node["from_table"], scope, tables);
  let columns = 0;
  const items = nodesIn(node["select_list"]).map((item) => {
    const shown = item["class"] === "STAR" ? star(item, from, scope) : expression(item, scope);
    columns += item["class"] === "STAR" ? from.columns : 1;
    const { alias } = item;
    if (typeof alias === "string" && alias !== "") scope.aliases.set(folded(alias), shown);
    return shown;
  });
  if (Array.isArray(node["group_sets"]) && node["group_sets"].length > GROUPING_SETS_MAX) {
    refuse(`At most ${GROUPING_SETS_MAX} grouping sets are allowed.`, node, outer.text);
  }
  const conditions = ["where_clause", "having", "qualify"].map((field) =>
    expression(node[field], scope),
  );
  const groups = nodesIn(node["group_expressions"]).map((group) => expression(group, scope));
  const all = together([from, ...items, ...conditions, ...groups, modifiers(node, scope)]);
  return { ...all, columns, growth: together(items).growth };
}

function star(node: JsonObject, from: SqlTable, scope: Scope): Extent {
  const known = ["relation_name", "exclude_list", "qualified_exclude_list", "replace_list"];
  onlyWith(node, [...known, "rename_list"], scope.text);
  const replaced = nodesIn(node["replace_list"]).map(({ value }) => expression(value, scope));
  const all = together(replaced);
  return { ...all, size: all.size + from.columns, growth: Math.max(all.growth, from.growth) };
}

/** Counts the SELECTs that a query combines. */
const selectsIn = (node: JsonObject): number =>
  node["type"] === "SET_OPERATION_NODE"
    ? [node["left"], node["right"], ...nodesIn(node["children"])]
        .filter(isObject)
        .reduce((sum, part) => sum + selectsIn(part), 0)
    : 1;

function setOperation(node: JsonObject, scope: Scope): SqlTable {
  const selects = selectsIn(node);
  if (selects > SQL_SETS_MAX) {
    const detail = `UNION, EXCEPT and INTERSECT combine at most ${SQL_SETS_MAX} SELECTs, not ${selects}: write conditions with OR or IN, and groups with GROUP BY.`;
    refuse(detail, node, scope.text);
  }
  const sides = ["left", "right"].map((field) => {
    const side = node[field];
    return isObject(side)
      ? scope.query(side, scope)
      : refuse("A query is expected.", node, scope.text);
  });
  onlyWith(
    node,
    ["modifiers", "cte_map", "setop_type", "left", "right", "setop_all", "children"],
    scope.text,
  );
  const more = nodesIn(node["children"]).map((child) => scope.query(child, scope));
  const queries = [...sides, ...more];
  const all = together([...queries, modifiers(node, scope)]);
  const columns = queries.map((one) => one.columns);
  // UNION BY NAME also returns columns that only one side has.
  const isByName = node["setop_type"] === "UNION_BY_NAME";
  return {
    ...all,
    columns: isByName ? columns.reduce((sum, count) => sum + count, 0) : Math.max(...columns),
  };
}

// In ORDER BY, a name of both an alias and a table is the alias.
function modifiers(node: JsonObject, outer: Scope): Extent {
  const scope = {
    ...outer,
    tables: new Set([...outer.tables].filter((name) => !outer.aliases.has(name))),
  };
  return together(
    nodesIn(node["modifiers"]).map((modifier) => {
      switch (modifier["type"]) {
        case "ORDER_MODIFIER":
          onlyWith(modifier, ["orders"], scope.text);
          return orders(
            nodesIn(modifier["orders"]).filter((order) => !isOfAll(order, scope)),
            scope,
          );
        case "LIMIT_MODIFIER":
        case "LIMIT_PERCENT_MODIFIER":
          onlyWith(modifier, ["limit", "offset"], scope.text);
          return together([
            expression(modifier["limit"], scope),
            expression(modifier["offset"], scope),
          ]);
        case "DISTINCT_MODIFIER":
          onlyWith(modifier, ["distinct_on_targets"], scope.text);
          return together(
            nodesIn(modifier["distinct_on_targets"]).map((target) => expression(target, scope)),
          );
        default:
          return refuse(`${modifier["type"]} is not allowed.`, modifier, scope.text);
      }
    }),
  );
}

/** Whether an order is ORDER BY ALL; the selected expressions are checked elsewhere. */
function isOfAll(order: JsonObject, { text }: Scope): boolean {
  const { expression: by } = order;
  if (!isObject(by) || by["class"] !== "STAR" || by["columns"] !== true) return false;
  onlyWith(order, ["null_order", "expression"], text);
  onlyWith(by, ["columns"], text);
  return true;
}

/** Checks a table of FROM, and adds it to `scope`, because later tables may use it (LATERAL). */
function tableOf(node: Json | undefined, scope: Scope, tables: SqlTables): SqlTable {
  if (!isObject(node)) return refuse("A table is expected.", node, scope.text);
  const look = TABLES[String(node["type"])];
  if (look === undefined) {
    return refuse(`${node["type"]} is not allowed in FROM.`, node, scope.text);
  }
  const table = look(node, scope, tables);
  const { alias } = node;
  if (typeof alias === "string" && alias !== "") scope.tables.add(folded(alias));
  scope.growth = Math.max(scope.growth, table.growth);
  return node["type"] === "JOIN" ? table : { ...table, size: table.size + TABLE_SIZE };
}

// Not ASOF: over JSON columns, INTERSECT ALL and EXCEPT ALL, DuckDB 1.5 has an internal error.
const JOINS = ["REGULAR", "NATURAL", "CROSS"];

const noTable = (name: string, tables: SqlTables) =>
  `There is no table ${named(name)}: there are ${Object.keys(tables).join(", ")}.`;

const TABLES: Record<string, (node: JsonObject, scope: Scope, tables: SqlTables) => SqlTable> = {
  EMPTY(node, { text }) {
    onlyWith(node, [], text);
    return { ...LEAF, columns: 0 };
  },
  BASE_TABLE(node, scope, tables) {
    const name = folded(node["table_name"]);
    if (node["schema_name"])
      refuse(noTable(`${node["schema_name"]}.${name}`, tables), node, scope.text);
    onlyWith(node, ["table_name", "column_name_alias"], scope.text);
    scope.tables.add(name);
    const cte = scope.ctes.get(name);
    if (cte !== undefined) {
      scope.used.add(cte);
      return cte;
    }
    if (!Object.hasOwn(tables, name))
      refuse(noTable(String(node["table_name"]), tables), node, scope.text);
    return { ...LEAF, columns: Object.keys(tables[name] ?? {}).length };
  },
  SUBQUERY(node, scope) {
    onlyWith(node, ["subquery", "column_name_alias"], scope.text);
    return scope.query(innerQuery(node["subquery"], scope), scope);
  },
  TABLE_FUNCTION(node, scope) {
    const { function: call } = node;
    onlyWith(node, ["function", "column_name_alias", "with_ordinality"], scope.text);
    if (!isObject(call) || folded(call["function_name"]) !== "range") {
      const name = named(isObject(call) ? call["function_name"] : "");
      refuse(`${name} is no table here: numbers(10) and range(1, 10) are.`, node, scope.text);
    }
    return { ...expression(call ?? null, scope), columns: 1 };
  },
  JOIN(node, scope, tables) {
    const known = ["left", "right", "condition", "join_type", "ref_type", "using_columns"];
    onlyWith(node, known, scope.text);
    if (!JOINS.includes(String(node["ref_type"]))) {
      refuse(`${node["ref_type"]} JOIN is not allowed.`, node, scope.text);
    }
    const left = tableOf(node["left"], scope, tables);
    const right = tableOf(node["right"], scope, tables);
    const both = together([left, right, expression(node["condition"], scope)]);
    return { ...both, columns: left.columns + right.columns };
  },
  EXPRESSION_LIST(node, scope) {
    onlyWith(node, ["values"], scope.text);
    const rows = Array.isArray(node["values"]) ? node["values"] : [];
    const cells = rows.flatMap(nodesIn).map((cell) => expression(cell, scope));
    return { ...together(cells), columns: nodesIn(rows[0]).length };
  },
};
