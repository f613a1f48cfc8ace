import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { closestNames } from "../values/similar-names.ts";
import {
  type FunctionRule,
  type LiteralRule,
  literalProblem,
  SQL_FUNCTION_NAMES,
  SQL_FUNCTIONS,
} from "./allowed.ts";
import { type Extent, folded, named, nodesIn, refuse, type Scope } from "./extent.ts";

/** Factor by which a text or list may become longer than the stored ones. */
export const SQL_GROWTH_MAX = 64;

/** Functions that are offered instead of one that there is not. */
const OFFERED_MAX = 8;

/** How the function of a node may be called. Fails `invalid_input` unless it is known as what it is here. */
export function ruleOf(isKnown: boolean, node: JsonObject, { text }: Scope): FunctionRule {
  const name = folded(node["function_name"]);
  const rule = SQL_FUNCTIONS.get(name);
  // The parser itself writes some with the schema `main`, where nobody can make others.
  const isOwn = node["schema"] === "" || node["schema"] === "main";
  if (isKnown && isOwn && rule !== undefined) return rule;
  const called = named(node["function_name"]);
  if (rule !== undefined && isOwn) refuse(`The function ${called} has no OVER here.`, node, text);
  const likely = closestNames(name, SQL_FUNCTION_NAMES).filter(({ like }) => like > 0);
  const offered = likely.slice(0, OFFERED_MAX).map((one) => one.name);
  const others = offered.length === 0 ? "" : ` There are: ${offered.join(", ")}.`;
  return refuse(`The function ${called} is not allowed.${others}`, node, text);
}

/** Holds the arguments of a call to what may be written. Fails `invalid_input`. */
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

/** How long what comes out may be, by what goes in. Fails `invalid_input` if that is too long. */
export function grown(rule: FunctionRule, parts: Extent[], node: JsonObject, scope: Scope): number {
  const growth = growthBy(rule, parts, nodesIn(node["children"]));
  if (growth > SQL_GROWTH_MAX) {
    const detail = `Texts and lists may become at most ${SQL_GROWTH_MAX} times longer than what is stored, those of JSON five times.`;
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
    // A character of control is six in JSON.
    escaped: (6 * sum) / most,
    joined: 1 + searched.length,
    replaced: 1 + Math.ceil(put.length / Math.max(1, searched.length)),
    replaced_by_pattern: 1 + put.length,
  };
  return most * (rule.grows === undefined ? 1 : factors[rule.grows]);
}

/** The text that a node is, written out. */
export function textOf(node: Json | undefined): string | undefined {
  if (!isObject(node) || node["class"] !== "CONSTANT") return undefined;
  const { value } = node;
  if (!isObject(value) || typeof value["value"] !== "string") return undefined;
  return value["value"];
}

/** Holds what must be written out to its rule. Fails `invalid_input`. */
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
