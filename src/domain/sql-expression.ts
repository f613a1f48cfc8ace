import { isNothing, isObject, type Json, type JsonObject } from "./json.ts";
import {
  type FunctionRule,
  literalProblem,
  SQL_FUNCTIONS,
  SQL_LITERAL_CHARS,
  SQL_TYPES,
  SQL_WINDOW_FUNCTIONS,
} from "./sql-allowed.ts";
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
} from "./sql-part.ts";

/** How much longer than what is stored, and short, a text may become. */
export const SQL_GROWTH_MAX = 64;

/** Parts within each other: planning takes time by their square, and cannot be interrupted. */
export const SQL_DEPTH_MAX = 60;

/** What a query within an expression counts for: with each, planning takes twice as long. */
const QUERY_DEPTH = 10;

type Look = (node: JsonObject, scope: Scope) => Extent;

/** The extent of an expression. Fails `invalid_input` on what is not allowed. */
export function expression(node: Json | undefined, scope: Scope): Extent {
  if (!isObject(node)) return { ...LEAF, size: 0 };
  const look = EXPRESSIONS[String(node["class"])];
  if (look === undefined) return refuse(`${node["class"]} is not allowed.`, node, scope.text);
  const extent = look(node, scope);
  if (extent.depth > SQL_DEPTH_MAX) {
    refuse(`At most ${SQL_DEPTH_MAX} parts may stand within each other.`, node, scope.text);
  }
  return extent;
}

const all = (nodes: (Json | undefined)[], scope: Scope) =>
  together(nodes.map((node) => expression(node, scope)));

/** The expressions of what is ordered by. */
export function orders(list: Json | undefined, scope: Scope): Extent {
  return together(
    nodesIn(list).map((order) => {
      onlyWith(order, ["null_order", "expression"], scope.text);
      return expression(order["expression"], scope);
    }),
  );
}

/** An expression that consists of those in some of its fields. */
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

const OPERATORS = new Set([
  ...["OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE"],
  ...["OPERATOR_NULLIF", "OPERATOR_TRY", "COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT"],
  "GROUPING_FUNCTION",
]);

const EXPRESSIONS: Record<string, Look> = {
  BETWEEN: madeOf("input", "lower", "upper"),
  COMPARISON: madeOf("left", "right"),
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
    if (!isType(node["cast_type"])) refuse("This type is not allowed.", node, scope.text);
    return all([node["child"]], scope);
  },
  COLUMN_REF: columnRef,
  CONSTANT(node, scope) {
    onlyWith(node, ["value"], scope.text);
    const text = textOf(node);
    return { ...LEAF, growth: Math.max(1, Math.ceil((text?.length ?? 0) / SQL_LITERAL_CHARS)) };
  },
  FUNCTION: called,
  // What `->` looks like behind a name; as an arrow of JSON it has something written out behind it.
  LAMBDA(node, scope) {
    onlyWith(node, ["lhs", "expr"], scope.text);
    const key = node["expr"];
    if (!isObject(key) || key["class"] !== "CONSTANT") {
      refuse("A lambda is not allowed.", node, scope.text);
    }
    checkLiteral("path", key, scope);
    return all([node["lhs"]], scope);
  },
  OPERATOR(node, scope) {
    onlyWith(node, ["children"], scope.text);
    if (!OPERATORS.has(String(node["type"]))) {
      refuse(`${node["type"]} is not allowed.`, node, scope.text);
    }
    return all(nodesIn(node["children"]), scope);
  },
  SUBQUERY(node, scope) {
    onlyWith(node, ["subquery_type", "subquery", "child", "comparison_type"], scope.text);
    const query = scope.query(innerQuery(node["subquery"], scope), scope);
    const both = together([query, expression(node["child"], scope)]);
    return { ...both, depth: both.depth + QUERY_DEPTH };
  },
  WINDOW: windowed,
};

/** The query of a statement within the statement. */
export function innerQuery(statement: Json | undefined, { text }: Scope): JsonObject {
  if (!isObject(statement)) return refuse("A query is expected.", statement, text);
  onlyWith(statement, ["node"], text);
  const { node } = statement;
  return isObject(node) ? node : refuse("A query is expected.", statement, text);
}

function isType(type: Json | undefined): boolean {
  if (!isObject(type)) return false;
  const { id, type_info: info = null } = type;
  if (id === "DECIMAL") return true;
  if (id !== "UNBOUND") return SQL_TYPES.has(String(id)) && info === null;
  return (
    isObject(info) &&
    folded(info["name"]) === "json" &&
    Object.entries(info).every(
      ([field, value]) => field === "type" || field === "name" || isNothing(value),
    )
  );
}

function columnRef(node: JsonObject, scope: Scope): Extent {
  onlyWith(node, ["column_names"], scope.text);
  const names = Array.isArray(node["column_names"]) ? node["column_names"] : [];
  const [name] = names;
  if (names.length > 2) refuse("A column is named by one table at most.", node, scope.text);
  const growth = Math.max(scope.growth, growthOf(folded(names.at(-1))));
  if (names.length === 2) return { ...LEAF, growth };
  // A whole row as one value would hold other rows, twice as many in each query around it.
  if (scope.tables.has(folded(name))) {
    refuse(`${named(name)} is the name of a table, not of a column.`, node, scope.text);
  }
  const alias = scope.aliases.get(folded(name));
  return {
    size: 1 + (alias?.size ?? 0),
    growth: Math.max(growth, alias?.growth ?? 1),
    depth: 1 + (alias?.depth ?? 0),
  };
}

/** The text that a node is, written out. */
function textOf(node: Json | undefined): string | undefined {
  if (!isObject(node) || node["class"] !== "CONSTANT") return undefined;
  const { value } = node;
  if (!isObject(value) || typeof value["value"] !== "string") return undefined;
  return value["value"];
}

function checkLiteral(rule: Parameters<typeof literalProblem>[0], node: Json, scope: Scope): void {
  const text = textOf(node);
  if (text === undefined) {
    const isIndex = rule === "path" && isObject(node) && node["class"] === "CONSTANT";
    if (!isIndex) refuse("Here a text is expected that is written out.", node, scope.text);
    return;
  }
  const problem = literalProblem(rule, text);
  if (problem !== undefined) refuse(problem, node, scope.text);
}

/** Parts of a function's node that no SQL can set otherwise, or that change nothing here. */
const OF_FUNCTIONS = ["function_name", "schema", "children", "filter", "order_bys", "distinct"];

function called(node: JsonObject, scope: Scope): Extent {
  onlyWith(node, [...OF_FUNCTIONS, "is_operator"], scope.text);
  const name = folded(node["function_name"]);
  const rule = ruleOf(SQL_FUNCTIONS.has(name), node, scope);
  const children = nodesIn(node["children"]);
  const order = node["order_bys"];
  if (isObject(order)) onlyWith(order, ["orders"], scope.text);
  const parts = children.map((child) => expression(child, scope));
  const rest = [
    expression(node["filter"], scope),
    orders(isObject(order) ? order["orders"] : [], scope),
  ];
  checkCall(rule, node, scope);
  const growth = grown(rule, parts, children);
  if (growth > SQL_GROWTH_MAX) {
    const detail = `Texts may become at most ${SQL_GROWTH_MAX} times longer than what is stored, those of JSON five times.`;
    refuse(detail, node, scope.text);
  }
  return { ...together([...parts, ...rest]), growth };
}

function ruleOf(isKnown: boolean, node: JsonObject, { text }: Scope): FunctionRule {
  const name = folded(node["function_name"]);
  const rule = SQL_FUNCTIONS.get(name);
  // The parser itself writes some with the schema `main`, where nobody can make others.
  const isOwn = node["schema"] === "" || node["schema"] === "main";
  if (isKnown && isOwn && rule !== undefined) return rule;
  return refuse(`The function ${named(node["function_name"])} is not allowed.`, node, text);
}

function checkCall(rule: FunctionRule, node: JsonObject, scope: Scope): void {
  const children = nodesIn(node["children"]);
  if (children.length > rule.args) {
    const detail = `The function ${named(node["function_name"])} takes at most ${rule.args} arguments.`;
    refuse(detail, node, scope.text);
  }
  for (const [place, literal] of Object.entries(rule.literals ?? {})) {
    const child = children[Number(place)];
    if (child !== undefined) checkLiteral(literal, child, scope);
  }
}

function grown(rule: FunctionRule, parts: Extent[], children: JsonObject[]): number {
  const most = Math.max(1, ...parts.map(({ growth }) => growth));
  const sum = parts.reduce((all, { growth }) => all + growth, 0);
  const [, searched = "", put = ""] = children.map((child) => textOf(child) ?? "");
  const factors = {
    sum: sum / most,
    separated: (2 * sum) / most,
    replaced: 1 + Math.ceil(put.length / Math.max(1, searched.length)),
    replaced_by_pattern: 1 + put.length,
  };
  return most * (rule.grows === undefined ? 1 : factors[rule.grows]);
}

const OF_WINDOWS = [
  ...["children", "partitions", "start_expr", "end_expr", "offset_expr", "default_expr"],
  "filter_expr",
];

function windowed(node: JsonObject, scope: Scope): Extent {
  const known = ["function_name", "schema", "orders", "start", "end", "exclude_clause"];
  onlyWith(node, [...known, ...OF_WINDOWS, "ignore_nulls"], scope.text);
  if (node["exclude_clause"] !== "NO_OTHER") {
    refuse("EXCLUDE is not allowed in a window.", node, scope.text);
  }
  const rule = ruleOf(SQL_WINDOW_FUNCTIONS.has(folded(node["function_name"])), node, scope);
  checkCall(rule, node, scope);
  const parts = OF_WINDOWS.flatMap((field) => {
    const value = node[field];
    return Array.isArray(value) ? value : [value];
  });
  return together([all(parts, scope), orders(node["orders"], scope)]);
}
