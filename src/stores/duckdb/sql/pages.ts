import { isObject, type Json, type JsonObject } from "../../../core/values/json.ts";
import { nodesIn } from "./extent.ts";
import { constant, numberIn } from "./special-calls.ts";

/** The rows of an answer: all of them without a limit. */
export type Page = { limit: number | null; offset: number };

/** All rows. */
const EVERYTHING: Page = { limit: null, offset: 0 };

/**
 * Returns the tree of a statement that also reads the row after its LIMIT, which shows whether there are more. One
 * without LIMIT gets that of `most`.
 */
export function paged(tree: Json, most: number | null): { tree: Json; page: Page } {
  const [statement, ...others] = nodesIn(isObject(tree) ? tree["statements"] : []);
  const node = statement?.["node"];
  if (!isObject(node) || others.length > 0) return { tree, page: EVERYTHING };
  const modifiers = nodesIn(node["modifiers"]);
  const own = modifiers.find(({ type }) => /^LIMIT/.test(String(type)));
  const given = (part: Json | undefined) => (isObject(part) ? numberIn(part) : 0);
  const offset = given(own?.["offset"]);
  const isWritten = isObject(own?.["limit"]);
  const limit = isWritten ? given(own?.["limit"]) : most;
  const isKnown = own?.["type"] !== "LIMIT_PERCENT_MODIFIER" && Number.isSafeInteger(offset);
  if (limit === null || !Number.isSafeInteger(limit) || limit < 0 || !isKnown) {
    return { tree, page: EVERYTHING };
  }
  const more: JsonObject = {
    type: "LIMIT_MODIFIER",
    offset: own?.["offset"] ?? null,
    limit: constant(limit + 1),
  };
  const rest = modifiers.filter((one) => one !== own);
  const whole = { ...node, modifiers: [...rest, more] };
  return {
    tree: { ...(tree as JsonObject), statements: [{ ...statement, node: whole }] },
    page: { limit, offset },
  };
}
