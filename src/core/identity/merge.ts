import { type CapturedEvent, distinctIdIn } from "../events/event.ts";
import { type Json, type JsonObject, setKey } from "../values/json.ts";
import type { EffectReason } from "../warnings/warning.ts";
import { COOKIELESS_ID } from "./person.ts";

/** What an event asks for: that the person of one distinct id becomes part of another's. */
export type MergeAsked = {
  /** The distinct id whose person goes. */
  source: string;
  /** The distinct id whose person stays and keeps its id and uuid. */
  target: string;
  /** Whose being identified forbids the merge: the source's, only both together, or nobody's. */
  guard: "source" | "both" | "none";
  /** Whether `target` becomes the main distinct id. */
  main: boolean;
  /** Why it cannot be, by the other id alone. */
  fault: EffectReason | undefined;
  /** Whether the other id was cut to the length of a distinct id. */
  isCut: boolean;
};

type Direction = Pick<MergeAsked, "source" | "target" | "guard" | "main">;

/**
 * The merge that an event asks for (contract 6, decision 25); undefined for most events.
 * `$create_alias` merges the person of its distinct id into the alias's, `$identify` the anonymous
 * person into the one it names, `$merge_dangerously` the alias's into its distinct id's.
 */
export function mergeAsked({ event, distinct_id, properties }: CapturedEvent) {
  switch (event) {
    case "$identify":
      // Without the other id it only sets properties (contract 6).
      return (properties["$anon_distinct_id"] ?? null) === null
        ? undefined
        : asked(properties["$anon_distinct_id"], (source) => {
            return { source, target: distinct_id, guard: "source", main: false };
          });
    case "$create_alias":
      return asked(properties["alias"], (target) => {
        return { source: distinct_id, target, guard: "both", main: true };
      });
    case "$merge_dangerously":
      return asked(properties["alias"], (source) => {
        return { source, target: distinct_id, guard: "none", main: false };
      });
    default:
      return undefined;
  }
}

function asked(other: Json | undefined, merge: (other: string) => Direction): MergeAsked {
  // A list or object is a mistake that many would share: as text it would be one id of them all.
  const id = typeof other === "object" ? undefined : distinctIdIn(other);
  const isCut = typeof other === "string" && id !== undefined && other.length > id.length;
  if (id !== undefined) return { ...merge(id), fault: undefined, isCut };
  const isMissing = other === undefined || other === null;
  const fault = isMissing ? "missing_alias" : "cannot_merge_with_illegal_distinct_id";
  return { ...merge(""), fault, isCut };
}

/** What careless code sends where an id should be, in lower case. */
const ILLEGAL_ANY_CASE = new Set([
  "anonymous",
  "guest",
  "distinctid",
  "distinct_id",
  "id",
  "not_authenticated",
  "email",
  "undefined",
  "true",
  "false",
]);

/** The same where the case tells a name from a mistake. */
const ILLEGAL = new Set([
  "[object Object]",
  "NaN",
  "None",
  "none",
  "null",
  "0",
  "undefined",
  COOKIELESS_ID,
]);

/** Whether a distinct id stands for many people at once, so that merging it would be wrong. */
export function isIllegalId(distinctId: string): boolean {
  const bare = distinctId.trim().replace(/^(["'])(.*)\1$/s, "$2");
  return bare.trim() === "" || ILLEGAL.has(bare) || ILLEGAL_ANY_CASE.has(bare.toLowerCase());
}

/** Why a merge cannot be, whoever the persons are; undefined if it can. */
export function mergeRefused({ source, target, fault }: MergeAsked): EffectReason | undefined {
  if (fault !== undefined) return fault;
  if (isIllegalId(source) || isIllegalId(target)) return "cannot_merge_with_illegal_distinct_id";
  return source === target ? "cannot_merge_with_itself" : undefined;
}

/**
 * Whether a merge of two persons, who may not exist yet, is forbidden because of who is identified
 * (decision 25): whoever is identified is not the anonymous side of somebody else.
 */
export function isGuarded(
  guard: MergeAsked["guard"],
  source: { is_identified: boolean } | undefined,
  target: { is_identified: boolean } | undefined,
): boolean {
  if (guard === "none" || source?.is_identified !== true) return false;
  return guard === "source" || target?.is_identified === true;
}

/** The keys that a target has only from its source: it wins where both have one. */
export function gainedKeys(source: JsonObject, target: JsonObject): string[] {
  return Object.keys(source).filter((key) => !Object.hasOwn(target, key));
}

/** Gives `target` the values that `source` has under keys. */
export function gain(target: JsonObject, source: JsonObject, keys: readonly string[]): void {
  for (const key of keys) setKey(target, key, source[key] ?? null);
}
