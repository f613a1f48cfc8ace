import { type CapturedEvent, distinctIdIn, isCookielessId } from "../events/event.ts";
import { type Json, type JsonObject, setKey } from "../values/json.ts";
import type { EffectReason } from "../warnings/warning.ts";

/** A request of an event to merge the person of one distinct id into the person of another. */
export type MergeRequest = {
  /** The distinct id of the person that is merged. */
  source: string;
  /** The distinct id of the person that remains, with its id and uuid. */
  target: string;
  /** The merge is forbidden if this person is identified: the source, or both. */
  guard: "source" | "both" | "none";
  /** Whether `target` becomes the main distinct id. */
  main: boolean;
  /** The reason why the other id cannot be merged. */
  fault: EffectReason | undefined;
  /** Whether the other id was cut to the length of a distinct id. */
  isCut: boolean;
};

type Direction = Pick<MergeRequest, "source" | "target" | "guard" | "main">;

/**
 * The merge that an event asks for (contract 6, decision 25); undefined for most events. `$create_alias`
 * merges its person into the alias's person. `$identify` merges the anonymous person into its own, and
 * `$merge_dangerously` the alias's person.
 */
export function mergeRequest({ event, distinct_id, properties }: CapturedEvent) {
  switch (event) {
    case "$identify":
      // Without another id, it only sets properties (contract 6).
      return (properties["$anon_distinct_id"] ?? null) === null
        ? undefined
        : requestOf(properties["$anon_distinct_id"], (source) => {
            return { source, target: distinct_id, guard: "source", main: false };
          });
    case "$create_alias":
      return requestOf(properties["alias"], (target) => {
        return { source: distinct_id, target, guard: "both", main: true };
      });
    case "$merge_dangerously":
      return requestOf(properties["alias"], (source) => {
        return { source, target: distinct_id, guard: "none", main: false };
      });
    default:
      return undefined;
  }
}

function requestOf(other: Json | undefined, merge: (other: string) => Direction): MergeRequest {
  // A list or an object is a mistake of the sender. As a text, many persons could have the same id.
  const id = typeof other === "object" ? undefined : distinctIdIn(other);
  const isCut = typeof other === "string" && id !== undefined && other.length > id.length;
  if (id !== undefined) return { ...merge(id), fault: undefined, isCut };
  const isMissing = other === undefined || other === null;
  const fault = isMissing ? "missing_alias" : "cannot_merge_with_illegal_distinct_id";
  return { ...merge(""), fault, isCut };
}

/** Values that senders use by mistake in place of an id, in lower case. */
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

/** Such values that count only in this case, because in another case they may be names. */
const ILLEGAL = new Set(["[object Object]", "NaN", "None", "none", "null", "0", "undefined"]);

/** Whether a distinct id stands for many people, so that it must not be merged. */
export function isIllegalId(distinctId: string): boolean {
  const bare = distinctId.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const isListed = ILLEGAL.has(bare) || ILLEGAL_ANY_CASE.has(bare.toLowerCase());
  return bare.trim() === "" || isListed || isCookielessId(bare);
}

/** The reason why two distinct ids cannot be merged; undefined if they can. */
export function mergeRefusal({ source, target, fault }: MergeRequest): EffectReason | undefined {
  if (fault !== undefined) return fault;
  if (isIllegalId(source) || isIllegalId(target)) return "cannot_merge_with_illegal_distinct_id";
  return source === target ? "cannot_merge_with_itself" : undefined;
}

/**
 * Whether a merge is forbidden because persons are identified (decision 25): an identified person is a user,
 * and not the anonymous visitor before another user's login. A person that does not exist is undefined.
 */
export function isGuarded(
  guard: MergeRequest["guard"],
  source: { is_identified: boolean } | undefined,
  target: { is_identified: boolean } | undefined,
): boolean {
  if (guard === "none" || source?.is_identified !== true) return false;
  return guard === "source" || target?.is_identified === true;
}

/** The keys that a target gains from a source: it keeps its own. */
export function gainedKeys(source: JsonObject, target: JsonObject): string[] {
  return Object.keys(source).filter((key) => !Object.hasOwn(target, key));
}

/** Gives `target` the values of `source` for some keys. */
export function gainKeys(target: JsonObject, source: JsonObject, keys: readonly string[]): void {
  for (const key of keys) setKey(target, key, source[key] ?? null);
}
