import { ownValue } from "../../../core/values/json.ts";
import {
  EACH,
  HOGQL_TYPE_NAMES,
  SQL_FUNCTIONS,
  SQL_LITERAL_CHARS,
  SQL_WINDOW_FUNCTIONS,
} from "./allowed.ts";
import { checkLiteral, grown, isListOfTexts, isType, ruleOf, SQL_GROWTH_MAX } from "./calls.ts";
import { type Extent, growthOf, LEAF, type Scope, together } from "./extent.ts";
import {
  constantText,
  folded,
  isNode,
  type Node,
  named,
  namesOf,
  nodesIn,
  onlyWith,
  refuse,
  worded,
} from "./tree.ts";

/** Levels of nested expressions. Planning takes time by their square, and ignores interrupts. */
export const SQL_DEPTH_MAX = 60;

/** The failure of a statement with more levels. */
export const SQL_DEPTH_DETAIL = `At most ${SQL_DEPTH_MAX} parts may stand within each other.`;

/** Levels that a query within an expression counts for, as each doubles the time of planning. */
const QUERY_DEPTH = 10;

/** Checks an expression. */
type Look = (node: Node, scope: Scope) => Extent;

/** Returns the extent of an expression. Fails `invalid_input` if a part is not allowed. */
export function expression(node: Node, scope: Scope): Extent {
  const kind = ownValue(EXPRESSIONS, String(node.class));
  if (kind === undefined) return refuse(`${worded(node.class)} is not allowed.`, node);
  const [fields, look] = kind;
  onlyWith(node, fields);
  const extent =
    look?.(node, scope) ??
    all(
      fields.split(" ").map((field) => node[field]),
      scope,
    );
  if (extent.depth > SQL_DEPTH_MAX) refuse(SQL_DEPTH_DETAIL, node);
  return extent;
}

/** Returns the expressions in a part of the tree, in lists and fields of it. */
export function expressionsIn(part: unknown): Node[] {
  if (Array.isArray(part)) return part.flatMap(expressionsIn);
  if (!isNode(part)) return [];
  if (part.class !== undefined) return [part];
  onlyWith(part, "null_order expression when_expr then_expr");
  return ["expression", "when_expr", "then_expr"].flatMap((field) => expressionsIn(part[field]));
}

/** Checks the expressions in a part of the tree. Fails `invalid_input`. */
export const all = (part: unknown, scope: Scope): Extent =>
  together(expressionsIn(part).map((node) => expression(node, scope)));

/** Fields of each class of expressions, and what else there is to check than the expressions in them. */
const EXPRESSIONS: Record<string, [fields: string, look?: Look]> = {
  BETWEEN: ["input lower upper"],
  CASE: ["case_checks else_expr"],
  CAST: ["child cast_type try_cast", cast],
  COLUMN_REF: ["column_names", columnRef],
  COMPARISON: ["left right"],
  CONJUNCTION: ["children"],
  CONSTANT: ["value", constant],
  FUNCTION: ["function_name schema children filter order_bys distinct is_operator", called],
  LAMBDA: ["lhs expr", arrow],
  OPERATOR: ["children", operator],
  SUBQUERY: ["subquery_type subquery child comparison_type", subquery],
  WINDOW: [
    "function_name schema children partitions orders arg_orders start end start_expr end_expr offset_expr default_expr filter_expr exclude_clause ignore_nulls",
    windowed,
  ],
};

function cast(node: Node, scope: Scope): Extent {
  const extent = all(node["child"], scope);
  const type = node.cast_type ?? {};
  if (isListOfTexts(type)) {
    // A list of texts grows as a text that is split; the values of JSON are a list already.
    const [, path] = nodesIn((node["child"] as Node).children);
    const split = SQL_FUNCTIONS.get("string_split");
    return split === undefined || constantText(path) === EACH
      ? extent
      : { ...extent, growth: grown(split, [extent], node) };
  }
  if (!isType(type)) refuse(`This type is not allowed. There are: ${HOGQL_TYPE_NAMES}.`, node);
  return extent;
}

/** Characters of texts in a lambda, as each value of a list may get them. */
export const LAMBDA_CHARS_MAX = 16;

function constant(node: Node, { element }: Scope): Extent {
  const length = constantText(node)?.length ?? 0;
  if (element?.isTest === false && length > LAMBDA_CHARS_MAX) {
    refuse(`A text in arrayMap has at most ${LAMBDA_CHARS_MAX} characters.`, node);
  }
  return { ...LEAF, growth: Math.max(1, Math.ceil(length / SQL_LITERAL_CHARS)) };
}

// The parser makes `name -> x` a lambda. With a constant on the right it is an arrow of JSON.
function arrow(node: Node, scope: Scope): Extent {
  const { expr: key } = node;
  if (!isNode(key) || key.class !== "CONSTANT") {
    return refuse("A lambda is taken by arrayMap, arrayFilter, arrayExists and the like.", node);
  }
  checkLiteral("path", key);
  return all(node["lhs"], scope);
}

// Not TRY: over a column of GROUP BY, DuckDB 1.5 has an internal error.
const OPERATORS =
  /^(?:OPERATOR_(?:NOT|IS_NULL|IS_NOT_NULL|COALESCE|NULLIF)|COMPARE_(?:NOT_)?IN|ARRAY_(?:EXTRACT|SLICE)|GROUPING_FUNCTION)$/;

function operator(node: Node, scope: Scope): Extent {
  const type = String(node.type);
  if (!OPERATORS.test(type)) refuse(`${worded(type)} is not allowed.`, node);
  return all(node.children, scope);
}

function subquery(node: Node, scope: Scope): Extent {
  const query = scope.query(innerQuery(node["subquery"]), scope);
  const both = together([query, all(node["child"], scope)]);
  return { ...both, depth: both.depth + QUERY_DEPTH, hasQuery: true };
}

/** Returns the query of a nested statement. Fails `invalid_input`. */
export function innerQuery(statement: unknown): Node {
  if (!isNode(statement)) return refuse("A query is expected.");
  onlyWith(statement, "node");
  const { node } = statement;
  return isNode(node) ? node : refuse("A query is expected.", statement);
}

const OTHER_COLUMN =
  "A lambda takes the values of its list alone: arrayJoin(list) in a subquery makes rows with the other columns.";

function columnRef(node: Node, scope: Scope): Extent {
  const names = namesOf(node).map(folded);
  const [name = ""] = names;
  const own = growthOf(names.at(-1) ?? "");
  const { element } = scope;
  if (element !== undefined) {
    if (names.length === 1 && name === element.name) return LEAF;
    if (!element.isTest || own > 1) refuse(OTHER_COLUMN, node);
  }
  if (names.length > 2) refuse("A column is named by one table at most.", node);
  const growth = Math.max(scope.growth, own);
  if (names.length === 2) return { ...LEAF, growth };
  // A whole row as one value may contain rows itself, and doubles with each query around it.
  if (scope.tables.has(name)) {
    refuse(`${named(name)} is the name of a table, not of a column.`, node);
  }
  const alias = scope.aliases.get(name);
  return alias === undefined
    ? { ...LEAF, growth }
    : {
        ...{ size: 1 + alias.size, depth: 1 + alias.depth, hasQuery: alias.hasQuery },
        growth: Math.max(growth, alias.growth),
      };
}

function called(node: Node, scope: Scope): Extent {
  const { children, filter, order_bys: order } = node;
  const rule = ruleOf(() => true, node);
  // The memory limit does not count the texts that last() keeps.
  if (folded(node.function_name) === "last") {
    refuse("last() is for windows: use argMax(value, timestamp).", node);
  }
  if (isNode(order)) onlyWith(order, "orders");
  const rest = all([filter, isNode(order) ? order["orders"] : []], scope);
  const [list, lambda] = nodesIn(children);
  if (lambda?.class === "LAMBDA" && (rule.is === "values" || rule.is === "test")) {
    return mapped(rule.is === "test", [all(list, scope), lambda], scope);
  }
  // A pattern that is written out is in no value that a lambda makes.
  const isPattern = (index: number) =>
    rule.literals.some(([at, kind]) => at === index && kind === "regex");
  const { element: _, ...plain } = scope;
  const parts = nodesIn(children).map((one, index) =>
    expression(one, one.class === "CONSTANT" && isPattern(index) ? plain : scope),
  );
  const growth = isOneProperty(node, scope) ? scope.growth : grown(rule, parts, node);
  return { ...together([...parts, rest]), growth };
}

/**
 * Checks a call with a lambda. A value that it makes may have no other column in it, because each value of the list
 * would become as long; a test may have short columns.
 */
function mapped(isTest: boolean, [list, lambda]: [Extent, Node], scope: Scope): Extent {
  onlyWith(lambda, "lhs expr syntax_type");
  const names = namesOf(lambda["lhs"] as Node);
  if (names.length !== 1) refuse("A lambda has one name: write arrayMap(x -> …, list).", lambda);
  if (scope.element !== undefined) {
    refuse("One lambda within another is not taken: arrayJoin(list) makes rows.", lambda);
  }
  const body = all(lambda["expr"], { ...scope, element: { name: folded(names[0]), isTest } });
  if (body.hasQuery) refuse("A lambda has no query in it.", lambda);
  const growth = list.growth * (isTest ? 1 : body.growth);
  if (growth > SQL_GROWTH_MAX) refuse("The list would become too long.", lambda);
  return { ...together([list, body]), growth };
}

// A property that queries see is as short as a column, unlike all properties together.
function isOneProperty(node: Node, { aliases }: Scope): boolean {
  const [json, path] = nodesIn(node.children);
  const isArrow = /^(?:->>|json_extract|json_extract_string)$/.test(folded(node.function_name));
  const isColumn =
    /(?:^|[.])properties$/.test(folded(namesOf(json).at(-1) ?? "")) && !aliases.has("properties");
  return isArrow && isColumn && !/^\$?(?:\[\*\])?$/.test(constantText(path) ?? "");
}

/** The largest offset of `lag` and `lead`, in rows. */
export const WINDOW_OFFSET_MAX = 1_000_000;

/** Checks the offset of `lag` and `lead`: DuckDB 1.5 ends the process on the smallest BIGINT. */
function checkOffset(node: unknown): void {
  if (!isNode(node)) return;
  const { type, value = null } = node.value ?? {};
  const isInteger = type?.id === "INTEGER" && value !== null;
  if (isInteger && Math.abs(Number(value)) <= WINDOW_OFFSET_MAX) return;
  const most = WINDOW_OFFSET_MAX.toLocaleString("en");
  refuse(`The offset of lag and lead must be a whole number up to ${most}.`, node);
}

function windowed(node: Node, scope: Scope): Extent {
  if (node["exclude_clause"] !== "NO_OTHER") refuse("EXCLUDE is not allowed in a window.", node);
  // With a frame, or with IGNORE NULLS, DuckDB 1.5 reads beyond its vectors and ends the process.
  if (nodesIn(node["arg_orders"]).length > 0) {
    refuse("ORDER BY is not allowed in the arguments of a window function.", node);
  }
  ruleOf((name) => SQL_WINDOW_FUNCTIONS.has(name), node);
  checkOffset(node["offset_expr"]);
  const order = all(node["orders"], scope);
  // With a RANGE frame, DuckDB 1.5 has an internal error.
  if (order.hasQuery) refuse("A query within the ORDER BY of a window is not allowed.", node);
  const parts = ["children", "partitions", "start_expr", "end_expr", "offset_expr", "default_expr"];
  return together([
    all(
      [...parts, "filter_expr"].map((field) => node[field]),
      scope,
    ),
    order,
  ]);
}
