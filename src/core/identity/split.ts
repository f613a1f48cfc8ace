import { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { personUuid } from "./person.ts";
import { type KeptMerge, type State, type Whole, withoutSources } from "./undo-merge.ts";

/** The distinct ids that leave a person. One of the two fields is given. */
export type SplitQuery = {
  /** This id stays, with the ids that came with it; all others leave. */
  main_distinct_id?: string | undefined;
  distinct_ids_to_split?: string[] | undefined;
};

/** A person that leaves: it comes back from a merge, or is new. */
export type Part = {
  /** The integer id that it had before the merge; null if it was never stored. */
  id: number | null;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  /** `created_at` in the list of persons at the merge. */
  listed_at: string;
  is_identified: boolean;
  distinct_ids: string[];
};

/** The result of a split. */
export type Split = {
  parts: Part[];
  /** The remaining person. */
  rest: State;
  /** Ids of the merges that are undone. */
  undone: number[];
  /** Remaining merges whose record changes, with their new values. */
  changed: KeptMerge[];
};

/**
 * Undoes merges (decision 28). Each person that leaves is restored, with its distinct ids and with the persons
 * that were merged into it, unless these leave too. The remaining person is as if they had never been merged. An id that came by no merge becomes a new person. Fails `invalid_input` on an id of another
 * person, if no id would stay, if there is nothing to undo,
 * and if neither field is given.
 */
export function split(person: Whole, merges: readonly KeptMerge[], query: SplitQuery): Split {
  const named = idsNamed(person, query);
  const bySource = new Map(merges.map((merge) => [merge.source_uuid, merge]));
  const isSource = (uuid: string | null): uuid is string => uuid !== null && bySource.has(uuid);
  const leaving = new Set(named.map(({ initial_uuid }) => initial_uuid).filter(isSource));
  const attached = new Set(named.filter(({ initial_uuid }) => !isSource(initial_uuid)));
  const rootOf = rootFinder(leaving, bySource);
  const idsOf = new Map<string, string[]>();
  for (const { distinct_id, initial_uuid } of person.ids) {
    const root = initial_uuid === null ? undefined : rootOf(initial_uuid);
    if (root !== undefined) idsOf.set(root, [...(idsOf.get(root) ?? []), distinct_id]);
  }
  const staying = person.ids.filter((id) => {
    const { initial_uuid } = id;
    return !attached.has(id) && (initial_uuid === null || rootOf(initial_uuid) === undefined);
  });
  if (staying.length === 0) {
    const detail = "Leave the person a distinct id.";
    throw new Failure("invalid_input", detail, "distinct_ids_to_split");
  }
  const { stateOf, changed } = withoutSources(person, merges, leaving);
  const parts = [...leaving].flatMap((uuid): Part[] => {
    const merge = bySource.get(uuid);
    if (merge === undefined) return [];
    const { source_id: id, source_listed_at: listed } = merge;
    const listed_at = listed ?? merge.source_created_at;
    return [{ id, uuid, ...stateOf(uuid), listed_at, distinct_ids: idsOf.get(uuid) ?? [] }];
  });
  return {
    parts: [...parts, ...[...attached].map(({ distinct_id }) => made(person, distinct_id))],
    rest: stateOf(person.uuid),
    undone: merges.filter(({ source_uuid }) => leaving.has(source_uuid)).map(({ id }) => id),
    changed,
  };
}

type BySource = ReadonlyMap<string, KeptMerge>;

/** Finds the leaving person that a person is or was merged into; undefined if it stays. */
function rootFinder(leaving: ReadonlySet<string>, bySource: BySource) {
  const known = new Map<string, string | undefined>();
  return (uuid: string): string | undefined => {
    const path: string[] = [];
    let next: string | undefined = uuid;
    while (next !== undefined && !leaving.has(next) && !known.has(next)) {
      path.push(next);
      next = bySource.get(next)?.target_uuid;
    }
    const root = next === undefined || leaving.has(next) ? next : known.get(next);
    for (const passed of path) known.set(passed, root);
    return root;
  };
}

/** The ids that leave by a query. */
function idsNamed(person: Whole, query: SplitQuery): Whole["ids"] {
  const { ids, project_id, uuid } = person;
  const { main_distinct_id: main, distinct_ids_to_split: listed } = query;
  if (main !== undefined && listed !== undefined) {
    const detail = "Give main_distinct_id or distinct_ids_to_split, not both.";
    throw new Failure("invalid_input", detail, "main_distinct_id");
  }
  const known = new Map(ids.map((id) => [id.distinct_id, id]));
  const find = (id: string, attr: string) => {
    const own = known.get(id);
    if (own !== undefined) return own;
    throw new Failure("invalid_input", "This is no distinct id of the person.", attr);
  };
  if (listed?.length === 0) {
    throw new Failure("invalid_input", "Name at least one distinct id.", "distinct_ids_to_split");
  }
  if (listed !== undefined) {
    return [...new Set(listed)].map((id) => find(id, "distinct_ids_to_split"));
  }
  if (main === undefined) {
    const detail =
      "Name the ids that leave in distinct_ids_to_split, or the id that stays in main_distinct_id.";
    throw new Failure("invalid_input", detail, "distinct_ids_to_split");
  }
  const stays = find(main, "main_distinct_id");
  const merged = ids.filter((id) => {
    const { initial_uuid } = id;
    if (id === stays || (initial_uuid !== null && initial_uuid === stays.initial_uuid))
      return false;
    return initial_uuid !== null || personUuid(project_id, id.distinct_id) !== uuid;
  });
  if (merged.length > 0) return merged;
  const detail =
    "Nothing else was merged into this person. To have this id leave, name it in distinct_ids_to_split.";
  throw new Failure("invalid_input", detail, "main_distinct_id");
}

/** A new person for an id that came by no merge. All properties stay with the other person. */
function made({ project_id, uuid, created_at }: Whole, id: string): Part {
  const own = personUuid(project_id, id);
  if (own === uuid) {
    const detail = "The person began with one of these ids, which cannot leave it.";
    throw new Failure("invalid_input", detail, "distinct_ids_to_split");
  }
  const rest = { properties: {}, created_at, listed_at: created_at, is_identified: false };
  return { id: null, uuid: own, ...rest, distinct_ids: [id] };
}
