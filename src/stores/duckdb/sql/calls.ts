import { isNothing } from "../../../core/values/json.ts";
import { closestNames } from "../../../core/values/similar-names.ts";
import {
  EACH,
  type FunctionRule,
  type LiteralRule,
  literalProblem,
  SQL_FUNCTIONS,
  SQL_TYPES,
} from "./allowed.ts";
import type { Extent } from "./extent.ts";
import { HOGQL_NAMES, inHogql } from "./hogql/own-names.ts";
import {
  constantText,
  folded,
  isNode,
  type Node,
  named,
  nodesIn,
  numberIn,
  refuse,
} from "./tree.ts";

/** Factor by which a text or list may become longer than the stored ones. */
export const SQL_GROWTH_MAX = 64;

/** Functions that a failure offers for an unknown one. */
const OFFERED_MAX = 8;

/** Returns the rule of the function of a node, and checks its arguments. Fails if it is not allowed here. */
export function ruleOf(isKnown: (name: string) => boolean, node: Node): FunctionRule {
  const name = folded(node.function_name);
  const called = named(node.function_name);
  // The parser writes some functions with the schema `main`, in which callers cannot make others.
  const isOwn = node["schema"] === "" || node["schema"] === "main";
  const rule = isOwn ? SQL_FUNCTIONS.get(name) : undefined;
  if (rule === undefined) {
    const likely = closestNames(name, HOGQL_NAMES, folded).filter(({ like }) => like > 0);
    const offered = likely.slice(0, OFFERED_MAX).map((one) => one.name);
    const others = offered.length === 0 ? "" : ` There are: ${offered.join(", ")}.`;
    return refuse(`The function ${called} is not allowed.${others}`, node);
  }
  if (!isKnown(name)) refuse(`The function ${called} has no OVER here.`, node);
  const children = nodesIn(node.children);
  if (children.length > rule.args) {
    refuse(`The function ${inHogql(called)} takes at most ${rule.args} arguments.`, node);
  }
  if (rule.is === "counts") checkRange(node, children);
  for (const [index, literal] of rule.literals) {
    const child = children[index];
    if (child !== undefined) checkLiteral(literal, child);
  }
  return rule;
}

/** Numbers of one `range` or `numbers`. */
export const RANGE_MAX = 4096;

/** Checks that a range is written out, and not too long; DuckDB makes it before it looks at the memory. */
function checkRange(node: Node, children: Node[]): void {
  const [first = 0, end = first, step = 1] = children.map(signed);
  const from = children.length === 1 ? 0 : first;
  if (Math.abs(end - from) / Math.abs(step) <= RANGE_MAX) return;
  const most = RANGE_MAX.toLocaleString("en");
  refuse(`A range has numbers that are written out, at most ${most} of them: range(1, 31).`, node);
}

const signed = (node: Node | undefined): number =>
  node?.function_name === "-" ? -signed(node.children?.[0]) : numberIn(node);

/** Returns the growth of the result of a call. Fails `invalid_input` if it is too large. */
export function grown(rule: FunctionRule, parts: Extent[], node: Node): number {
  const growth = rule.is === "counts" ? RANGE_MAX / 128 : growthBy(rule, parts, node);
  if (growth > SQL_GROWTH_MAX) {
    const detail = `Texts and lists may become at most ${SQL_GROWTH_MAX} times longer than stored ones, those of JSON five times.`;
    refuse(detail, node);
  }
  return growth;
}

/** Growth of a list of JSON, whose values take 16 bytes more than their own. */
const LIST_GROWTH = 17;

function growthBy({ grows }: FunctionRule, parts: Extent[], node: Node): number {
  const most = Math.max(1, ...parts.map(({ growth }) => growth));
  const sum = parts.reduce((all, { growth }) => all + growth, 0);
  const [, searched = "", put = ""] = nodesIn(node.children).map((one) => constantText(one) ?? "");
  if (searched === EACH) return most * LIST_GROWTH;
  if (grows === undefined || typeof grows === "number") return most * (grows ?? 1);
  const growths = {
    sum,
    separated: 2 * sum,
    // A control character takes six characters in JSON.
    escaped: 6 * sum,
    joined: most * (1 + searched.length),
    replaced: most * (1 + Math.ceil(put.length / Math.max(1, searched.length))),
    replaced_by_pattern: most * (1 + put.length),
  };
  return growths[grows];
}

/** Values of one `topK`. */
export const TOP_MAX = 50;

/** Checks a text that must be written out. Fails `invalid_input`. */
export function checkLiteral(rule: LiteralRule, node: Node): void {
  if (rule === "top") {
    const most = numberIn(node);
    if (most > 0 && most <= TOP_MAX) return;
    refuse(`The number of values is written out, and at most ${TOP_MAX}: topK(10)(x).`, node);
  }
  const text = constantText(node);
  // The path to a place in a list is a number.
  const isPlace = node.class === "CONSTANT" || node.cast_type?.id === "BIGINT";
  if (text === undefined && rule === "path" && isPlace) return;
  if (text === undefined) refuse("Here a text is expected that is written out.", node);
  const problem = literalProblem(rule, text);
  if (problem !== undefined) refuse(problem, node);
}

/**
 * Aggregates whose texts DuckDB neither counts against its memory limit nor frees when a statement runs out of
 * memory, and others for them, which take the same value twice. After five such statements `max` had left 989 MB,
 * `arg_max` 93 to 176.
 */
const COUNTED = new Map([
  ["min", "arg_min"],
  ["max", "arg_max"],
]);

/** Returns a node, or the aggregate for it that the memory limit binds. */
export function countedAggregate(node: Node): Node {
  const name = node.class === "FUNCTION" ? COUNTED.get(folded(node.function_name)) : undefined;
  const [child, ...more] = nodesIn(node.children);
  if (name === undefined || child === undefined || more.length > 0) return node;
  // A cast to a type without texts has nothing that grows.
  const id = child.class === "CAST" ? String(child.cast_type?.id) : "VARCHAR";
  if (id !== "VARCHAR" && SQL_TYPES.has(id)) return node;
  return { ...node, function_name: name, children: [child, child] };
}

type Type = Node["cast_type"];

const hasOnly = (info: object, fields: readonly string[]) =>
  Object.entries(info).every(([field, value]) => fields.includes(field) || isNothing(value));

/** Returns whether a cast may be to a type. */
export function isType({ id, type_info: info = null }: NonNullable<Type>): boolean {
  if (id === "DECIMAL") return true;
  if (id !== "UNBOUND") return SQL_TYPES.has(String(id)) && info === null;
  return info !== null && folded(info["name"]) === "json" && hasOnly(info, ["type", "name"]);
}

/** Returns whether a type is a list of texts. */
export function isListOfTexts({ id, type_info: info }: NonNullable<Type>): boolean {
  const child = info?.["child_type"];
  if (id !== "LIST" || !isNode(info) || !isNode(child) || child["id"] !== "VARCHAR") return false;
  return isNothing((child["type_info"] ?? null) as never) && hasOnly(info, ["type", "child_type"]);
}
