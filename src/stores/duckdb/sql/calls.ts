import {
  isExactNumber,
  isNothing,
  isObject,
  type Json,
  type JsonObject,
} from "../../../core/values/json.ts";
import { closestNames } from "../../../core/values/similar-names.ts";
import {
  type FunctionRule,
  type LiteralRule,
  literalProblem,
  SQL_FUNCTION_NAMES,
  SQL_FUNCTIONS,
  SQL_TYPES,
} from "./allowed.ts";
import {
  type Extent,
  folded,
  named,
  nodesIn,
  onlyWith,
  refuse,
  type Scope,
  together,
} from "./extent.ts";

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
  if (rule.counts === true) checkRange(node, scope);
  for (const [place, literal] of Object.entries(rule.literals ?? {})) {
    const child = children[Number(place)];
    if (child !== undefined) checkLiteral(literal, child, scope);
  }
}

/** Returns the number that a node is; NaN for other nodes. */
function numberOf(node: JsonObject | undefined): number {
  if (node?.["class"] === "FUNCTION" && folded(node["function_name"]) === "-") {
    return -numberOf(nodesIn(node["children"])[0]);
  }
  const value = node?.["class"] === "CONSTANT" ? node["value"] : undefined;
  return Number(isObject(value) ? (value["value"] ?? Number.NaN) : Number.NaN);
}

/** Numbers of one `range` or `numbers`. */
export const RANGE_MAX = 4096;

/** Checks that a range is written out, and not too long; DuckDB makes it before it looks at the memory. */
function checkRange(node: JsonObject, { text }: Scope): void {
  const [first = 0, end = first, step = 1] = nodesIn(node["children"]).map(numberOf);
  const from = nodesIn(node["children"]).length === 1 ? 0 : first;
  if (Math.abs(end - from) / Math.abs(step) <= RANGE_MAX) return;
  const detail = `A range has numbers that are written out, at most ${RANGE_MAX.toLocaleString("en")} of them: range(1, 31).`;
  refuse(detail, node, text);
}

/** Returns the growth of the result of a call. Fails `invalid_input` if it is too large. */
export function grown(rule: FunctionRule, parts: Extent[], node: JsonObject, scope: Scope): number {
  const children = nodesIn(node["children"]);
  const growth = rule.counts === true ? RANGE_MAX / 128 : growthBy(rule, parts, children);
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

/** Values of one `topK`. */
export const TOP_MAX = 50;

/** Checks a text that must be written out. Fails `invalid_input`. */
export function checkLiteral(rule: LiteralRule, node: Json, scope: Scope): void {
  const text = textOf(node);
  if (rule === "top") {
    const most = isObject(node) ? numberOf(node) : Number.NaN;
    if (most > 0 && most <= TOP_MAX) return;
    refuse(
      `The number of values is written out, and at most ${TOP_MAX}: topK(10)(x).`,
      node,
      scope.text,
    );
  }
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

/**
 * Replaces aggregates that the memory limit does not bind. `value` comes from
 * {@link import("../../../core/values/json.ts").exactJson}.
 */
export function countedAggregates(value: Json): Json {
  if (Array.isArray(value)) return value.map(countedAggregates);
  if (!isObject(value) || isExactNumber(value)) return value;
  const fields = Object.entries(value).map(([field, part]) => [field, countedAggregates(part)]);
  const node: JsonObject = Object.fromEntries(fields);
  const name = COUNTED.get(folded(value["function_name"]));
  const [child, ...more] = nodesIn(node["children"]);
  if (value["class"] !== "FUNCTION" || name === undefined) return node;
  if (child === undefined || more.length > 0 || isOfFixedSize(child)) return node;
  return { ...node, function_name: name, children: [child, child] };
}

/** Returns whether a value is a cast to a type without texts, whose aggregates keep nothing that grows. */
function isOfFixedSize({ class: kind, cast_type: type }: JsonObject): boolean {
  const id = isObject(type) ? String(type["id"]) : "";
  return kind === "CAST" && id !== "VARCHAR" && SQL_TYPES.has(id);
}

/** Returns whether a cast may be to a type. */
export function isType(type: Json | undefined): boolean {
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

/** Returns whether a type is a list of texts. */
export function isListOfTexts(type: Json | undefined): boolean {
  if (!isObject(type) || type["id"] !== "LIST" || !isObject(type["type_info"])) return false;
  const { child_type, ...info } = type["type_info"];
  const isOfTexts = isObject(child_type) && child_type["id"] === "VARCHAR";
  return (
    isOfTexts &&
    isNothing(child_type["type_info"] ?? null) &&
    Object.entries(info).every(([field, value]) => field === "type" || isNothing(value))
  );
}

type Look = (node: Json | undefined, scope: Scope) => Extent;

/** Characters of texts in a lambda, as each value of a list may get them. */
export const LAMBDA_CHARS_MAX = 16;

/**
 * Checks a call with a lambda. A value that it makes may have no other column in it, because each value of the list
 * would become as long; a test may have short columns.
 */
export function mapped(
  kind: "values" | "test",
  [list, lambda]: [Extent, JsonObject],
  { scope, node, look }: { scope: Scope; node: JsonObject; look: Look },
): Extent {
  onlyWith(lambda, ["lhs", "expr", "syntax_type"], scope.text);
  const { lhs } = lambda;
  const names =
    isObject(lhs) && lhs["class"] === "COLUMN_REF" ? (lhs["column_names"] as string[]) : [];
  if (names.length !== 1) {
    refuse("A lambda has one name: write arrayMap(x -> …, list).", node, scope.text);
  }
  if (scope.element !== undefined) {
    refuse("One lambda within another is not taken: unnest(list) makes rows.", node, scope.text);
  }
  const element = { name: folded(names[0]), kind };
  const body = look(lambda["expr"], { ...scope, element });
  if (body.hasQuery) refuse("A lambda has no query in it.", node, scope.text);
  const growth = list.growth * (kind === "values" ? body.growth : 1);
  if (growth > SQL_GROWTH_MAX) refuse("The list would become too long.", node, scope.text);
  return { ...together([list, body]), growth };
}
