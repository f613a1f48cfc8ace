import { isObject, type Json, type JsonObject } from "../../../core/values/json.ts";
import {
  SQL_FUNCTIONS,
  SQL_LITERAL_CHARS,
  SQL_TYPE_NAMES,
  SQL_WINDOW_FUNCTIONS,
} from "./allowed.ts";
import {
  checkCall,
  checkLiteral,
  grown,
  isListOfTexts,
  isType,
  LAMBDA_CHARS_MAX,
  mapped,
  ruleOf,
  textOf,
} from "./calls.ts";
import {
  type Extent,
  folded,
  growthOf,
  LEAF,
  named,
  nodesIn,
  onlyWith,
  refuse,
  type Scope,
  together,
} from "./extent.ts";

/** Levels of nested expressions. Planning takes time by their square, and ignores interrupts. */
export const SQL_DEPTH_MAX = 60;

/** The failure of a statement with more levels. */
export const SQL_DEPTH_DETAIL = `At most ${SQL_DEPTH_MAX} parts may stand within each other.`;

/** Levels that a query within an expression counts for, as each doubles the time of planning. */
const QUERY_DEPTH = 10;

type Look = (node: JsonObject, scope: Scope) => Extent;

/** Returns the extent of an expression. Fails `invalid_input` if a part is not allowed. */
export function expression(node: Json | undefined, scope: Scope): Extent {
  if (!isObject(node)) return { ...LEAF, size: 0 };
  const look = EXPRESSIONS[String(node["class"])];
  if (look === undefined) return refuse(`${node["class"]} is not allowed.`, node, scope.text);
  const extent = look(node, scope);
  if (extent.depth > SQL_DEPTH_MAX) refuse(SQL_DEPTH_DETAIL, node, scope.text);
  return extent;
}

const all = (nodes: (Json | undefined)[], scope: Scope) =>
  together(nodes.map((node) => expression(node, scope)));

/** Checks the expressions of ORDER BY. Fails `invalid_input`. */
export function orders(list: Json | undefined, scope: Scope): Extent {
  return together(
    nodesIn(list).map((order) => {
      onlyWith(order, ["null_order", "expression"], scope.text);
      return expression(order["expression"], scope);
    }),
  );
}

/** Checks an expression whose parts are in some of its fields. */
const madeOf =
  (...fields: string[]): Look =>
  (node, scope) => {
    onlyWith(node, fields, scope.text);
    return all(
      fields.flatMap((field) => {
        const value = node[field];
        return Array.isArray(value) ? value : [value];
      }),
      scope,
    );
  };

// Not TRY: over a column of GROUP BY, DuckDB 1.5 has an internal error.
const OPERATORS = new Set([
  ...["OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE"],
  ...["OPERATOR_NULLIF", "COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT", "ARRAY_SLICE"],
  "GROUPING_FUNCTION",
]);

const EXPRESSIONS: Record<string, Look> = {
  BETWEEN: madeOf("input", "lower", "upper"),
  COMPARISON(node, scope) {
    onlyWith(node, ["left", "right"], scope.text);
    return allCompared([node["left"], node["right"]], scope);
  },
  CONJUNCTION: madeOf("children"),
  CASE(node, scope) {
    onlyWith(node, ["case_checks", "else_expr"], scope.text);
    const checks = nodesIn(node["case_checks"]).flatMap((check) => {
      onlyWith(check, ["when_expr", "then_expr"], scope.text);
      return [check["when_expr"], check["then_expr"]];
    });
    return all([...checks, node["else_expr"]], scope);
  },
  CAST(node, scope) {
    onlyWith(node, ["child", "cast_type", "try_cast"], scope.text);
    if (isListOfTexts(node["cast_type"])) return listed(node, all([node["child"]], scope), scope);
    if (!isType(node["cast_type"])) {
      refuse(`This type is not allowed. There are: ${SQL_TYPE_NAMES}.`, node, scope.text);
    }
    return all([node["child"]], scope);
  },
  COLUMN_REF: columnRef,
  CONSTANT(node, scope) {
    onlyWith(node, ["value"], scope.text);
    const text = textOf(node);
    if (scope.element?.kind === "values" && (text?.length ?? 0) > LAMBDA_CHARS_MAX) {
      const detail = `A text in arrayMap has at most ${LAMBDA_CHARS_MAX} characters.`;
      refuse(detail, node, scope.text);
    }
    return { ...LEAF, growth: Math.max(1, Math.ceil((text?.length ?? 0) / SQL_LITERAL_CHARS)) };
  },
  FUNCTION: (node, scope) => called(node, scope),
  // The parser makes `name -> x` a lambda. With a constant on the right it is an arrow of JSON.
  LAMBDA(node, scope) {
    onlyWith(node, ["lhs", "expr"], scope.text);
    const key = node["expr"];
    if (!isObject(key) || key["class"] !== "CONSTANT") {
      refuse(
        "A lambda is taken by arrayMap, arrayFilter, arrayExists and the like.",
        node,
        scope.text,
      );
    }
    checkLiteral("path", key, scope);
    return all([node["lhs"]], scope);
  },
  OPERATOR(node, scope) {
    onlyWith(node, ["children"], scope.text);
    if (!OPERATORS.has(String(node["type"]))) {
      refuse(`${node["type"]} is not allowed.`, node, scope.text);
    }
    const look = isIn(node) ? allCompared : all;
    return look(nodesIn(node["children"]), scope);
  },
  SUBQUERY(node, scope) {
    onlyWith(node, ["subquery_type", "subquery", "child", "comparison_type"], scope.text);
    const query = scope.query(innerQuery(node["subquery"], scope), scope);
    const both = together([query, compared(node["child"], scope)]);
    return { ...both, depth: both.depth + QUERY_DEPTH, hasQuery: true };
  },
  WINDOW: windowed,
};

const isIn = ({ type }: JsonObject) => type === "COMPARE_IN" || type === "COMPARE_NOT_IN";

/** Checks an operand of a comparison, which may also be `(a, b)`. */
const compared = (node: Json | undefined, scope: Scope): Extent =>
  isObject(node) && node["class"] === "FUNCTION"
    ? called(node, scope, { isCompared: true })
    : expression(node, scope);

const allCompared = (nodes: (Json | undefined)[], scope: Scope) =>
  together(nodes.map((node) => compared(node, scope)));

/** Returns the query of a nested statement. Fails `invalid_input`. */
export function innerQuery(statement: Json | undefined, { text }: Scope): JsonObject {
  if (!isObject(statement)) return refuse("A query is expected.", statement, text);
  onlyWith(statement, ["node"], text);
  const { node } = statement;
  return isObject(node) ? node : refuse("A query is expected.", statement, text);
}

/** The growth of a list of texts, as that of a text that is split. */
function listed(node: JsonObject, extent: Extent, scope: Scope): Extent {
  const rule = SQL_FUNCTIONS.get("string_split");
  return rule === undefined ? extent : { ...extent, growth: grown(rule, [extent], node, scope) };
}

const OTHER_COLUMN =
  "A lambda takes the values of its list alone: unnest(list) in a subquery makes rows with the other columns.";

function columnRef(node: JsonObject, scope: Scope): Extent {
  onlyWith(node, ["column_names"], scope.text);
  const names = Array.isArray(node["column_names"]) ? node["column_names"] : [];
  const [name] = names;
  const { element } = scope;
  if (element !== undefined) {
    if (names.length === 1 && folded(name) === element.name) return LEAF;
    if (element.kind === "values" || growthOf(folded(names.at(-1))) > 1) {
      refuse(OTHER_COLUMN, node, scope.text);
    }
  }
  if (names.length > 2) refuse("A column is named by one table at most.", node, scope.text);
  const growth = Math.max(scope.growth, growthOf(folded(names.at(-1))));
  if (names.length === 2) return { ...LEAF, growth };
  // A whole row as one value may contain rows itself, and doubles with each query around it.
  if (scope.tables.has(folded(name))) {
    refuse(`${named(name)} is the name of a table, not of a column.`, node, scope.text);
  }
  const alias = scope.aliases.get(folded(name));
  return {
    size: 1 + (alias?.size ?? 0),
    growth: Math.max(growth, alias?.growth ?? 1),
    depth: 1 + (alias?.depth ?? 0),
    hasQuery: alias?.hasQuery ?? false,
  };
}

/** Fields of a function that are checked, or that change nothing here. */
const OF_FUNCTIONS = ["function_name", "schema", "children", "filter", "order_bys", "distinct"];

function called(node: JsonObject, scope: Scope, { isCompared = false } = {}): Extent {
  onlyWith(node, [...OF_FUNCTIONS, "is_operator"], scope.text);
  const name = folded(node["function_name"]);
  const rule = ruleOf(SQL_FUNCTIONS.has(name), node, scope);
  // The memory limit does not count the texts that last() keeps.
  if (name === "last") {
    refuse("last() is for windows: use arg_max(value, timestamp).", node, scope.text);
  }
  const children = nodesIn(node["children"]);
  const order = node["order_bys"];
  if (isObject(order)) onlyWith(order, ["orders"], scope.text);
  if (rule.isRow === true && !isCompared) {
    refuse("(a, b) may only be compared, be looked for with IN, or counted.", node, scope.text);
  }
  const look = rule.compares === true ? compared : expression;
  const [list, lambda] = children;
  if (rule.lambda !== undefined && lambda?.["class"] === "LAMBDA") {
    return mapped(rule.lambda, [expression(list, scope), lambda], {
      scope,
      node,
      look: expression,
    });
  }
  const parts = children.map((child) => look(child, scope));
  const rest = [
    expression(node["filter"], scope),
    orders(isObject(order) ? order["orders"] : [], scope),
  ];
  checkCall(rule, node, scope);
  const growth = isOneProperty(node, scope) ? scope.growth : grown(rule, parts, node, scope);
  return { ...together([...parts, ...rest]), growth };
}

const ARROWS = new Set(["->>", "json_extract", "json_extract_string"]);

// A property that queries see is as short as a column, unlike all properties together.
function isOneProperty(node: JsonObject, scope: Scope): boolean {
  const [json, path] = nodesIn(node["children"]);
  const names = json?.["class"] === "COLUMN_REF" ? (json["column_names"] as Json[]) : [];
  const isColumn = folded(names.at(-1) ?? "") === "properties" && !scope.aliases.has("properties");
  return (
    isColumn &&
    ARROWS.has(folded(node["function_name"])) &&
    !/^\$?$/.test(textOf(path ?? null) ?? "")
  );
}

/** The largest offset of `lag` and `lead`, in rows. */
export const WINDOW_OFFSET_MAX = 1_000_000;

/** Checks the offset of `lag` and `lead`: DuckDB 1.5 ends the process on the smallest BIGINT. */
function checkOffset(node: Json | undefined, { text }: Scope): void {
  if (!isObject(node)) return;
  const { type, value = null } = isObject(node["value"]) ? node["value"] : {};
  const isInteger = isObject(type) && type["id"] === "INTEGER" && value !== null;
  if (isInteger && Math.abs(Number(value)) <= WINDOW_OFFSET_MAX) return;
  const most = WINDOW_OFFSET_MAX.toLocaleString("en");
  refuse(`The offset of lag and lead must be a whole number up to ${most}.`, node, text);
}

const OF_WINDOWS = [
  ...["children", "partitions", "start_expr", "end_expr", "offset_expr", "default_expr"],
  "filter_expr",
];

function windowed(node: JsonObject, scope: Scope): Extent {
  const known = ["function_name", "schema", "orders", "arg_orders", "start", "end"];
  onlyWith(node, [...known, ...OF_WINDOWS, "exclude_clause", "ignore_nulls"], scope.text);
  if (node["exclude_clause"] !== "NO_OTHER") {
    refuse("EXCLUDE is not allowed in a window.", node, scope.text);
  }
  if (nodesIn(node["arg_orders"]).length > 0) {
    // With a frame, or with IGNORE NULLS, DuckDB 1.5 reads beyond its vectors and ends the process.
    refuse("ORDER BY is not allowed in the arguments of a window function.", node, scope.text);
  }
  const rule = ruleOf(SQL_WINDOW_FUNCTIONS.has(folded(node["function_name"])), node, scope);
  checkCall(rule, node, scope);
  const parts = OF_WINDOWS.flatMap((field) => {
    const value = node[field];
    return Array.isArray(value) ? value : [value];
  });
  checkOffset(node["offset_expr"], scope);
  const order = orders(node["orders"], scope);
  // With a RANGE frame, DuckDB 1.5 has an internal error.
  if (order.hasQuery) {
    refuse("A query within the ORDER BY of a window is not allowed.", node, scope.text);
  }
  return together([all(parts, scope), order]);
}
