import { type Json, type JsonObject, sameJson, setKey } from "../values/json.ts";

/** What merges change of a person. */
export type State = Pick<Whole, "properties" | "created_at" | "is_identified">;

/** Keys that somebody had from others, with the values. */
type Given = Map<string, Json>;

/**
 * Persons as they are without some of those who were merged into them, `leaving` by their uuids:
 * properties, times and what is kept of the merges that stay are as if these had never been
 * (decision 28). `merges` are all those into `whole`, also by way of others, oldest first.
 */
export function withoutSources(
  whole: Whole,
  merges: readonly KeptMerge[],
  leaving: ReadonlySet<string>,
) {
  const kept = merges.map((merge) => ({
    ...merge,
    source_properties: { ...merge.source_properties },
  }));
  const bySource = new Map(kept.map((merge) => [merge.source_uuid, merge]));
  const came = Map.groupBy(kept, ({ target_uuid }) => target_uuid);
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

  /** Takes those who leave out of one, and what they gave out of all whom it was passed on to. */
  const leave = (from: string, sources: readonly KeptMerge[]): void => {
    let given: Given = new Map(
      sources.flatMap((merge) =>
        givenBy(merge).map((key) => [key, merge.source_properties[key] ?? null] as const),
      ),
    );
    let before = createdOf(came.get(from) ?? []);
    for (let at = from; ; ) {
      const all = came.get(at) ?? [];
      const staying = all.filter(({ source_uuid }) => !leaving.has(source_uuid));
      came.set(at, staying);
      const state = stateOf(at);
      const lost = lose(state.properties, given);
      regain(state.properties, lost, staying, changed);
      const above = bySource.get(at);
      const isOnWay = above !== undefined && !leaving.has(at);
      const next = isOnWay ? createdOf(came.get(above.target_uuid) ?? []) : "";
      setState(at, dated(state, { all, staying, before }, changed));
      if (!isOnWay) return;
      changed.add(above);
      const passed = new Set(givenBy(above));
      given = new Map([...lost].filter(([key]) => passed.has(key)));
      above.gained = above.gained.filter((key) => !given.has(key));
      before = next;
      at = above.target_uuid;
    }
  };

  // Whoever was merged into another had all its own by then: so the last merges are the outermost.
  const outermost = kept.filter(({ source_uuid }) => leaving.has(source_uuid)).reverse();
  for (const [target, sources] of Map.groupBy(outermost, ({ target_uuid }) => target_uuid)) {
    leave(target, sources);
  }
  return {
    stateOf,
    changed: [...changed].filter(({ source_uuid }) => !leaving.has(source_uuid)),
  };
}

/** Keys that a target has from its source alone: who set one since has it by itself. */
function givenBy({ gained, kept }: KeptMerge): string[] {
  const own = new Set(kept);
  return gained.filter((key) => !own.has(key));
}

/** Removes what is still as it was given, and says what that was. */
function lose(properties: JsonObject, given: Given): Given {
  const lost: Given = new Map();
  for (const [key, value] of given) {
    if (!Object.hasOwn(properties, key) || !sameJson(properties[key] ?? null, value)) continue;
    delete properties[key];
    lost.set(key, value);
  }
  return lost;
}

/** Gives what was lost by those who stay: of several, by the one who came first. */
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

/** When a person was created who has those, by the merges alone. */
function createdOf(merges: readonly KeptMerge[]): string {
  const times = merges.map(({ source_created_at }) => source_created_at);
  return [merges[0]?.target_created_at ?? "", ...times].reduce(earlier);
}

const earlier = (a: string, b: string) => (a < b ? a : b);

/**
 * The state with the times of those who stay, and their merges with what the target was before each.
 * `before` is when it was created by all of them.
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

/** A person before a split. `ids` are in their order; `initial_uuid` is null if an id came by no merge. */
export type Whole = {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
  ids: { distinct_id: string; initial_uuid: string | null }[];
};

/** A merge that was kept: what the source was, and the target before. */
export type KeptMerge = {
  id: number;
  target_uuid: string;
  target_created_at: string;
  target_is_identified: boolean;
  /** Keys that the target got from the source, and those of them that a user has set since. */
  gained: string[];
  kept: string[];
  source_id: number | null;
  source_uuid: string;
  source_properties: JsonObject;
  source_created_at: string;
  /** When it was created by what was known before the merge, as it was listed; null if it was not. */
  source_listed_at: string | null;
  source_is_identified: boolean;
};
