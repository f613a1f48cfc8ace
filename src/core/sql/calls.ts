import { isExactNumber, isObject, type Json, type JsonObject } from "../values/json.ts";
import { closestNames } from "../values/similar-names.ts";
import {
  type FunctionRule,
  type LiteralRule,
  literalProblem,
  SQL_FUNCTION_NAMES,
  SQL_FUNCTIONS,
  SQL_TYPES,
} from "./allowed.ts";
import { type Extent, folded, named, nodesIn, refuse, type Scope } from "./extent.ts";

/** Factor by which a text or list may become longer than the stored ones. */
export const SQL_GROWTH_MAX = 64;

/** Functions that a failure offers for an unknown one. */
const OFFERED_MAX = 8;

/** Returns the rule of the function of a node. Fails `invalid_input` if it is not allowed here. */
export function ruleOf(isKnown: boolean, node: JsonObject, { text }: Scope): FunctionRule {
  const name = folded(node["function_name"]);
  const rule = SQL_FUNCTIONS.get(name);
  // The parser writes some functions with the schema `main`, in which callers cannot make others.
  const isOwn = node["schema"] === "" || node["schema"] === "main";
  if (isKnown && isOwn && rule !== undefined) return rule;
  const called = named(node["function_name"]);
  if (rule !== undefined && isOwn) refuse(`The function ${called} has no OVER here.`, node, text);
  const likely = closestNames(name, SQL_FUNCTION_NAMES).filter(({ like }) => like > 0);
  const offered = likely.slice(0, OFFERED_MAX).map((one) => one.name);
  const others = offered.length === 0 ? "" : ` There are: ${offered.join(", ")}.`;
  return refuse(`The function ${called} is not allowed.${others}`, node, text);
}

/** Checks the arguments of a call. Fails `invalid_input`. */
export function checkCall(rule: FunctionRule, node: JsonObject, scope: Scope): void {
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

/** Returns the growth of the result of a call. Fails `invalid_input` if it is too large. */
export function grown(rule: FunctionRule, parts: Extent[], node: JsonObject, scope: Scope): number {
  const growth = growthBy(rule, parts, nodesIn(node["children"]));
  if (growth > SQL_GROWTH_MAX) {
    const detail = `Texts and lists may become at most ${SQL_GROWTH_MAX} times longer than stored ones, those of JSON five times.`;
    refuse(detail, node, scope.text);
  }
  return growth;
}

function growthBy(rule: FunctionRule, parts: Extent[], children: JsonObject[]): number {
  const most = Math.max(1, ...parts.map(({ growth }) => growth));
  const sum = parts.reduce((all, { growth }) => all + growth, 0);
  const [, searched = "", put = ""] = children.map((child) => textOf(child) ?? "");
  if (typeof rule.grows === "number") return most * rule.grows;
  const factors = {
    sum: sum / most,
    separated: (2 * sum) / most,
    // A control character takes six characters in JSON.
    escaped: (6 * sum) / most,
    joined: 1 + searched.length,
    replaced: 1 + Math.ceil(put.length / Math.max(1, searched.length)),
    replaced_by_pattern: 1 + put.length,
  };
  return most * (rule.grows === undefined ? 1 : factors[rule.grows]);
}

/** Returns the text of a constant. */
export function textOf(node: Json | undefined): string | undefined {
  if (!isObject(node) || node["class"] !== "CONSTANT") return undefined;
  const { value } = node;
  if (!isObject(value) || typeof value["value"] !== "string") return undefined;
  return value["value"];
}

/** Checks a text that must be written out. Fails `invalid_input`. */
export function checkLiteral(rule: LiteralRule, node: Json, scope: Scope): void {
  const text = textOf(node);
  if (text === undefined) {
    const isIndex = rule === "path" && isObject(node) && node["class"] === "CONSTANT";
    if (!isIndex) refuse("Here a text is expected that is written out.", node, scope.text);
    return;
  }
  const problem = literalProblem(rule, text);
  if (problem !== undefined) refuse(problem, node, scope.text);
}

/**
 * Replaces aggregates whose texts DuckDB neither counts against its memory limit nor frees when a
 * statement runs out of memory. After five such statements `max` had left 989 MB, `arg_max` 93 to 176.
 * The replacement takes the same value twice.
 */
const COUNTED = new Map([
  ["min", "arg_min"],
  ["max", "arg_max"],
]);

/** A selected expression whose name the replacement of aggregates changes. */
export type Renamed = {
  /** The new expression; its `alias` must be set. */
  item: JsonObject;
  /** A statement that selects only the old expression. */
  was: JsonObject;
};

/**
 * Replaces aggregates that the memory limit does not bind, and returns the expressions that need
 * their old name. `tree` comes from {@link import("../values/json.ts").exactJson}.
 */
export function countedAggregates(tree: Json): { tree: Json; renamed: Renamed[] } {
  const renamed: Renamed[] = [];
  const counted = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(counted);
    if (!isObject(value) || isExactNumber(value)) return value;
    const fields = Object.entries(value).map(([field, part]) => [field, counted(part)]);
    const node: JsonObject = Object.fromEntries(fields);
    if (value["type"] === "SELECT_NODE") renamed.push(...renamedIn(value, node));
    const name = COUNTED.get(folded(value["function_name"]));
    const [child, ...more] = nodesIn(node["children"]);
    if (value["class"] !== "FUNCTION" || name === undefined) return node;
    if (child === undefined || more.length > 0 || isOfFixedSize(child)) return node;
    return { ...node, function_name: name, children: [child, child] };
  };
  return { tree: counted(tree), renamed };
}

/** Returns whether a value is a cast to a type without texts, whose aggregates keep nothing that grows. */
function isOfFixedSize({ class: kind, cast_type: type }: JsonObject): boolean {
  const id = isObject(type) ? String(type["id"]) : "";
  return kind === "CAST" && id !== "VARCHAR" && SQL_TYPES.has(id);
}

/** Returns the changed expressions of a SELECT that have no name: DuckDB names them after their own text. */
export function renamedIn(before: JsonObject, after: JsonObject): Renamed[] {
  const items = nodesIn(after["select_list"]);
  return nodesIn(before["select_list"]).flatMap((was, at) => {
    const item = items[at];
    if (item === undefined || was["alias"] !== "" || was["class"] === "STAR") return [];
    return JSON.stringify(item) === JSON.stringify(was)
      ? []
      : [{ item, was: selecting(before, was) }];
  });
}

function selecting(query: JsonObject, item: JsonObject): JsonObject {
  const nothing = { modifiers: [], cte_map: { map: [] }, where_clause: null, having: null };
  const node = {
    ...{ ...query, ...nothing, group_expressions: [], group_sets: [], qualify: null },
    aggregate_handling: "STANDARD_HANDLING",
    select_list: [item],
    from_table: { type: "EMPTY", alias: "", sample: null },
  };
  return { error: false, statements: [{ node, named_param_map: [] }] };
}
