import { Failure } from "./errors.ts";
import { type JsonObject, sameJson } from "./json.ts";
import { personUuid } from "./person.ts";

/** Which distinct ids are to leave a person; both undefined: whatever was merged into it. */
export type SplitAsked = {
  /** Stays, with the ids it came with. */
  main_distinct_id?: string | undefined;
  distinct_ids_to_split?: string[] | undefined;
};

/** A person as a split sees it; `ids` in their order, `home` where one came from by a merge. */
export type Whole = {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
  ids: { distinct_id: string; home: string | null }[];
};

/** A merge that was kept: what the source was, and the target before. */
export type KeptMerge = {
  id: number;
  target_uuid: string;
  target_created_at: string;
  target_is_identified: boolean;
  gained: string[];
  source_id: number | null;
  source_uuid: string;
  source_properties: JsonObject;
  source_created_at: string;
  source_is_identified: boolean;
};

/** A person that a split brings back or makes. */
export type Part = {
  /** The integer id it had; null for a new one. */
  id: number | null;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
  distinct_ids: string[];
};

/** What a person falls into. */
export type Split = {
  parts: Part[];
  /** What is left of the person. */
  rest: Pick<Whole, "properties" | "created_at" | "is_identified">;
  /** Merges that are undone, by their ids. */
  undone: number[];
};

/**
 * Undoes merges (decision 28): each person who was merged comes back as it was, with the distinct
 * ids it had, less what it had gained from others who come back too. An id that came by no merge
 * becomes a new person. Fails `invalid_input` on ids that are not the person's, when nothing would
 * be left, and when there is nothing to undo.
 */
export function split(person: Whole, merges: readonly KeptMerge[], asked: SplitAsked): Split {
  const leaving = idsLeaving(person, asked);
  const bySource = new Map(merges.map((merge) => [merge.source_uuid, merge]));
  const byHome = Map.groupBy(leaving, ({ home }) => home);
  const homes = new Set([...byHome.keys()].filter((home) => home !== null));
  const isWhole = person.ids.every(({ home }) => home === null || homes.has(home));
  const parts: Part[] = [];
  for (const [home, ids] of byHome) {
    const merge = home === null ? undefined : bySource.get(home);
    const distinct_ids = ids.map(({ distinct_id }) => distinct_id);
    if (merge === undefined) parts.push(...distinct_ids.map((id) => made(person, id)));
    else parts.push({ ...before(merge, merges, homes), distinct_ids });
  }
  return {
    parts,
    rest: restOf(person, merges, { homes, isWhole }),
    undone: merges.filter(({ source_uuid }) => homes.has(source_uuid)).map(({ id }) => id),
  };
}

function idsLeaving({ ids }: Whole, asked: SplitAsked): Whole["ids"] {
  const { main_distinct_id: main, distinct_ids_to_split: listed } = asked;
  if (main !== undefined && listed !== undefined) {
    const detail = "Give main_distinct_id or distinct_ids_to_split, not both.";
    throw new Failure("invalid_input", detail, "main_distinct_id");
  }
  const own = new Map(ids.map((id) => [id.distinct_id, id]));
  const find = (id: string, attr: string) => {
    const found = own.get(id);
    if (found === undefined) {
      throw new Failure("invalid_input", "This is no distinct id of the person.", attr);
    }
    return found;
  };
  if (listed !== undefined) {
    const named = new Set(listed.map((id) => find(id, "distinct_ids_to_split")));
    const homes = new Set([...named].map(({ home }) => home));
    // Whoever comes back comes back whole: else two persons would have come from one.
    const leaving = ids.filter((id) => named.has(id) || (id.home !== null && homes.has(id.home)));
    if (leaving.length > 0 && leaving.length < ids.length) return leaving;
    const detail = "Name at least one distinct id, and leave the person one.";
    throw new Failure("invalid_input", detail, "distinct_ids_to_split");
  }
  const stays = main === undefined ? null : find(main, "main_distinct_id").home;
  const leaving = ids.filter(({ home }) => home !== null && home !== stays);
  if (leaving.length > 0) return leaving;
  const detail = "Nothing was merged into this person. Name what to split off.";
  throw new Failure("invalid_input", detail, "distinct_ids_to_split");
}

/** A person of an id that came by no merge: without properties, they stay where they are. */
function made({ project_id, uuid, created_at }: Whole, id: string): Part {
  const own = personUuid(project_id, id);
  if (own === uuid) {
    const detail = "The person began with one of these ids, which cannot leave it.";
    throw new Failure("invalid_input", detail, "distinct_ids_to_split");
  }
  const rest = { properties: {}, created_at, is_identified: false };
  return { id: null, uuid: own, ...rest, distinct_ids: [id] };
}

/** The source of a merge as it was before all merges that are undone. */
function before(merge: KeptMerge, merges: readonly KeptMerge[], homes: ReadonlySet<string>) {
  const earlier = merges.filter(
    ({ target_uuid, source_uuid }) => target_uuid === merge.source_uuid && homes.has(source_uuid),
  );
  const first = earlier[0];
  const properties = { ...merge.source_properties };
  for (const { gained, source_properties } of earlier) lose(properties, gained, source_properties);
  return {
    id: merge.source_id,
    uuid: merge.source_uuid,
    properties,
    created_at: first?.target_created_at ?? merge.source_created_at,
    is_identified: first?.target_is_identified ?? merge.source_is_identified,
  };
}

/** What stays: without the values that it has only from those who leave. */
function restOf(
  person: Whole,
  merges: readonly KeptMerge[],
  { homes, isWhole }: { homes: ReadonlySet<string>; isWhole: boolean },
): Split["rest"] {
  const bySource = new Map(merges.map((merge) => [merge.source_uuid, merge]));
  const properties = { ...person.properties };
  for (const merge of merges) {
    if (!homes.has(merge.source_uuid)) continue;
    let keys = merge.gained;
    for (
      let next = bySource.get(merge.target_uuid);
      next !== undefined;
      next = bySource.get(next.target_uuid)
    ) {
      const { gained } = next;
      keys = keys.filter((key) => gained.includes(key));
    }
    lose(properties, keys, merge.source_properties);
  }
  const first = merges.find(({ target_uuid }) => target_uuid === person.uuid);
  return isWhole && first !== undefined
    ? {
        properties,
        created_at: first.target_created_at,
        is_identified: first.target_is_identified,
      }
    : { properties, created_at: person.created_at, is_identified: person.is_identified };
}

/** Removes keys whose value is still the one that was gained. */
function lose(properties: JsonObject, keys: readonly string[], source: JsonObject): void {
  for (const key of keys) {
    const value = properties[key];
    if (value !== undefined && sameJson(value, source[key] ?? null)) delete properties[key];
  }
}
