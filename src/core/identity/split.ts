import { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { personUuid } from "./person.ts";
import type { KeptMerge, Whole } from "./undo-merge.ts";
import { type State, withoutSources } from "./undo-merge.ts";

/** Which distinct ids are to leave a person; both undefined: whatever was merged into it. */
export type SplitQuery = {
  /** Stays, with the ids it came with. */
  main_distinct_id?: string | undefined;
  distinct_ids_to_split?: string[] | undefined;
};

/** A person that a split brings back or makes. */
export type Part = {
  /** The integer id it had; null for a new one. */
  id: number | null;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  /** The same when it went: its place in the list. */
  listed_at: string;
  is_identified: boolean;
  distinct_ids: string[];
};

/** What a person falls into. */
export type Split = {
  parts: Part[];
  /** What is left of the person. */
  rest: State;
  /** Merges that are undone, by their ids. */
  undone: number[];
  /** Those of the others to which that makes a difference, as they are to be kept now. */
  changed: KeptMerge[];
};

/**
 * Undoes merges (decision 28): each person who leaves comes back as it was, with the distinct ids it
 * had, also those of others who had been merged into it and do not leave by themselves. Who stays is as
 * if who leaves had never come. An id that came by no merge becomes a new person. Fails `invalid_input` on ids that are not the person's,
 * when nothing would be left, and when there is nothing to undo.
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

/** Finds the leaving person that a person was merged into or is; undefined if it stays. */
function rootFinder(leaving: ReadonlySet<string>, bySource: BySource) {
  const known = new Map<string, string | undefined>();
  return (uuid: string): string | undefined => {
    const path: string[] = [];
    let at: string | undefined = uuid;
    while (at !== undefined && !leaving.has(at) && !known.has(at)) {
      path.push(at);
      at = bySource.get(at)?.target_uuid;
    }
    const root = at === undefined || leaving.has(at) ? at : known.get(at);
    for (const passed of path) known.set(passed, root);
    return root;
  };
}

/** The ids that a request names, or means if it names none. */
function idsNamed(person: Whole, query: SplitQuery): Whole["ids"] {
  const { ids, project_id, uuid } = person;
  const { main_distinct_id: main, distinct_ids_to_split: listed } = query;
  if (main !== undefined && listed !== undefined) {
    const detail = "Give main_distinct_id or distinct_ids_to_split, not both.";
    throw new Failure("invalid_input", detail, "main_distinct_id");
  }
  const known = new Map(ids.map((id) => [id.distinct_id, id]));
  const find = (id: string, attr: string) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    throw new Failure("invalid_input", "This is no distinct id of the person.", attr);
  };
  if (listed?.length === 0) {
    throw new Failure("invalid_input", "Name at least one distinct id.", "distinct_ids_to_split");
  }
  if (listed !== undefined) {
    return [...new Set(listed)].map((id) => find(id, "distinct_ids_to_split"));
  }
  const stays = main === undefined ? undefined : find(main, "main_distinct_id");
  const joined = ids.filter((id) => {
    const { initial_uuid } = id;
    if (id === stays || (initial_uuid !== null && initial_uuid === stays?.initial_uuid))
      return false;
    return initial_uuid !== null || personUuid(project_id, id.distinct_id) !== uuid;
  });
  if (joined.length > 0) return joined;
  throw main === undefined
    ? new Failure(
        "invalid_input",
        "Nothing was merged into this person, so there is nothing to undo.",
        "distinct_ids_to_split",
      )
    : new Failure(
        "invalid_input",
        "Nothing else was merged into this person. To have this id leave, name it in distinct_ids_to_split.",
        "main_distinct_id",
      );
}

/** A person of an id that came by no merge: without properties, they stay where they are. */
function made({ project_id, uuid, created_at }: Whole, id: string): Part {
  const own = personUuid(project_id, id);
  if (own === uuid) {
    const detail = "The person began with one of these ids, which cannot leave it.";
    throw new Failure("invalid_input", detail, "distinct_ids_to_split");
  }
  const rest = { properties: {}, created_at, listed_at: created_at, is_identified: false };
  return { id: null, uuid: own, ...rest, distinct_ids: [id] };
}
