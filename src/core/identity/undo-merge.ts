import { type Json, type JsonObject, sameJson, setKey } from "../values/json.ts";

/** A person before a split. `ids` are in their order; `initial_uuid` is null if an id came by no merge. */
export type Whole = {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
  ids: { distinct_id: string; initial_uuid: string | null }[];
};

/** A stored merge: the source, and the target before it. */
export type KeptMerge = {
  id: number;
  target_uuid: string;
  target_created_at: string;
  target_is_identified: boolean;
  /** Keys that the target got from the source. */
  gained: string[];
  /** The keys of `gained` that a user has set since. */
  kept: string[];
  source_id: number | null;
  source_uuid: string;
  source_properties: JsonObject;
  source_created_at: string;
  /** `created_at` of the source in the list of persons at the merge; null if it was never stored. */
  source_listed_at: string | null;
  source_is_identified: boolean;
};

/** The fields of a person that merges change. */
export type State = Pick<Whole, "properties" | "created_at" | "is_identified">;

/** Properties that a person has from another one, with their values. */
type Given = Map<string, Json>;

/**
 * Computes a person without the merged persons whose uuids are in `leaving`. Properties, times and remaining
 * merges are as if those had never been merged (decision 28). `merges` are all merges into `whole`, direct and
 * indirect, oldest first.
 */
export function withoutSources(
  whole: Whole,
  merges: readonly KeptMerge[],
  leaving: ReadonlySet<string>,
) {
  const copies = merges.map((merge) => ({
    ...merge,
    source_properties: { ...merge.source_properties },
  }));
  const bySource = new Map(copies.map((merge) => [merge.source_uuid, merge]));
  const byTarget = Map.groupBy(copies, ({ target_uuid }) => target_uuid);
  const changed = new Set<KeptMerge>();
  const { created_at, is_identified } = whole;
  const rest: State = { properties: { ...whole.properties }, created_at, is_identified };

  const stateOf = (uuid: string): State => {
    const merge = bySource.get(uuid);
    if (merge === undefined) return rest;
    return {
      properties: merge.source_properties,
      created_at: merge.source_created_at,
      is_identified: merge.source_is_identified,
    };
  };
  const setState = (uuid: string, { created_at, is_identified }: State): void => {
    const merge = bySource.get(uuid);
    if (merge === undefined) Object.assign(rest, { created_at, is_identified });
    else
      Object.assign(merge, { source_created_at: created_at, source_is_identified: is_identified });
  };

  /** Takes leaving sources out of a person, and then out of the persons that it was merged into. */
  const leave = (from: string, sources: readonly KeptMerge[]): void => {
    let given: Given = new Map(
      sources.flatMap((merge) =>
        givenBy(merge).map((key) => [key, merge.source_properties[key] ?? null] as const),
      ),
    );
    let before = createdOf(byTarget.get(from) ?? []);
    for (let uuid = from; ; ) {
      const all = byTarget.get(uuid) ?? [];
      const staying = all.filter(({ source_uuid }) => !leaving.has(source_uuid));
      byTarget.set(uuid, staying);
      const state = stateOf(uuid);
      const lost = lose(state.properties, given);
      regain(state.properties, lost, staying, changed);
      const next = bySource.get(uuid);
      const isOnWay = next !== undefined && !leaving.has(uuid);
      const nextBefore = isOnWay ? createdOf(byTarget.get(next.target_uuid) ?? []) : "";
      setState(uuid, dated(state, { all, staying, before }, changed));
      if (!isOnWay) return;
      changed.add(next);
      const passed = new Set(givenBy(next));
      given = new Map([...lost].filter(([key]) => passed.has(key)));
      next.gained = next.gained.filter((key) => !given.has(key));
      before = nextBefore;
      uuid = next.target_uuid;
    }
  };

  // A person has all of its own sources before it is merged itself, so the last merges are the outermost.
  const outermost = copies.filter(({ source_uuid }) => leaving.has(source_uuid)).reverse();
  for (const [target, sources] of Map.groupBy(outermost, ({ target_uuid }) => target_uuid)) {
    leave(target, sources);
  }
  return {
    stateOf,
    changed: [...changed].filter(({ source_uuid }) => !leaving.has(source_uuid)),
  };
}

/** Returns the keys that a target has only from its source, and that no user has set since. */
function givenBy({ gained, kept }: KeptMerge): string[] {
  const own = new Set(kept);
  return gained.filter((key) => !own.has(key));
}

/** Removes given properties that have the same value still, and returns them. */
function lose(properties: JsonObject, given: Given): Given {
  const lost: Given = new Map();
  for (const [key, value] of given) {
    if (!Object.hasOwn(properties, key) || !sameJson(properties[key] ?? null, value)) continue;
    delete properties[key];
    lost.set(key, value);
  }
  return lost;
}

/** Sets lost properties again if a remaining source has them too. The first such source wins. */
function regain(
  properties: JsonObject,
  lost: Given,
  staying: readonly KeptMerge[],
  changed: Set<KeptMerge>,
): void {
  if (lost.size === 0) return;
  for (const merge of staying) {
    const { source_properties: source } = merge;
    for (const key of Object.keys(source)) {
      if (!lost.has(key) || Object.hasOwn(properties, key)) continue;
      setKey(properties, key, source[key] ?? null);
      merge.gained = [...merge.gained, key];
      changed.add(merge);
    }
  }
}

/** `created_at` of a target after all of its merges; an empty text without any. */
function createdOf(merges: readonly KeptMerge[]): string {
  const times = merges.map(({ source_created_at }) => source_created_at);
  return [merges[0]?.target_created_at ?? "", ...times].reduce(earlier);
}

const earlier = (a: string, b: string) => (a < b ? a : b);

/**
 * Returns a state with the times that the staying merges give, and corrects the target in these merges.
 * `before` is `created_at` by all merges.
 */
function dated(
  state: State,
  { all, staying, before }: { all: KeptMerge[]; staying: KeptMerge[]; before: string },
  changed: Set<KeptMerge>,
): State {
  const [first] = all;
  if (first === undefined) return state;
  const { target_created_at, target_is_identified } = first;
  if (staying.length === 0) {
    return { ...state, created_at: target_created_at, is_identified: target_is_identified };
  }
  let created = target_created_at;
  for (const [index, merge] of staying.entries()) {
    if (merge.target_created_at !== created || (index === 0 && merge !== first)) {
      merge.target_created_at = created;
      if (index === 0) merge.target_is_identified = target_is_identified;
      changed.add(merge);
    }
    created = earlier(created, merge.source_created_at);
  }
  return state.created_at === before ? { ...state, created_at: created } : state;
}
