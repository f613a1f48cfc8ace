import type { CapturedEvent } from "../events/event.ts";
import type {
  ChangedPerson,
  IdsOfPerson,
  Merged,
  NewPerson,
  Override,
  PersonRef,
  StoredProperties,
} from "../ports/person-writes.ts";
import type { JsonObject } from "../values/json.ts";
import { storableJson } from "../values/json.ts";
import type { Lifts } from "./auto-properties.ts";
import { gain, gainedKeys } from "./merge.ts";
import { PERSON_BYTES_MAX, personUuid } from "./person.ts";

/** A person while a slice is worked through. */
export type Draft = {
  project_id: number;
  /** Undefined for one that the slice makes. */
  id: number | undefined;
  uuid: string;
  created_at: string;
  is_identified: boolean;
  lifted: Lifts;
  properties: JsonObject;
  /** UTF-8 bytes of the properties as JSON, or more. */
  bytes: number;
  dirty: boolean;
  /** The person that this one has become part of. */
  into: Draft | undefined;
  /** Its distinct ids, once they are to be written. */
  ids: Ids | undefined;
  /** The distinct id that is to be the main one. */
  main: string | undefined;
};

/** Distinct ids in their order; joined without being copied, so that long chains stay cheap. */
type Ids = IdsOfPerson["entries"][number] | { left: Ids; right: Ids };

/** What a slice knows beforehand of the persons in it. */
export type Known = {
  ref(project: number, distinctId: string): PersonRef | undefined;
  properties: ReadonlyMap<number, StoredProperties>;
};

/** The persons of a slice: found, made, joined. Nothing is stored. */
export function people({ ref, properties }: Known) {
  const byId = new Map<number, Map<string, Draft | undefined>>();
  const stored = new Map<number, Draft>();
  const fresh: Draft[] = [];
  const merged: Merged[] = [];
  const overrides: { overridden_uuid: string; draft: Draft }[] = [];

  const idsOf = (project: number) => {
    const known = byId.get(project) ?? new Map<string, Draft | undefined>();
    byId.set(project, known);
    return known;
  };

  const ofStored = (project_id: number, known: PersonRef): Draft => {
    const found = stored.get(known.id);
    if (found !== undefined) return found;
    const draft = draftOf(known, project_id, properties.get(known.id));
    stored.set(known.id, draft);
    return draft;
  };

  return {
    /** The person of a distinct id; undefined if there is none. */
    of(project: number, distinctId: string): Draft | undefined {
      const ids = idsOf(project);
      const draft = ids.get(distinctId);
      if (draft !== undefined) return rootOf(draft);
      const known = ref(project, distinctId);
      if (known === undefined) return undefined;
      const found = ofStored(project, known);
      ids.set(distinctId, found);
      return rootOf(found);
    },

    /** Makes the person of a distinct id that has none. */
    make(project_id: number, distinctId: string, created_at: string): Draft {
      const uuid = personUuid(project_id, distinctId);
      const nobody = { id: undefined, uuid, created_at, is_identified: false, lifted: 0 };
      const draft = draftOf(nobody, project_id, undefined);
      draft.dirty = true;
      draft.ids = { distinct_id: distinctId, initial_uuid: uuid };
      idsOf(project_id).set(distinctId, draft);
      fresh.push(draft);
      return draft;
    },

    /** Gives a person another distinct id, one that was nobody's. Its earlier events follow. */
    attach(draft: Draft, distinctId: string): void {
      draft.dirty = true;
      const overridden_uuid = personUuid(draft.project_id, distinctId);
      draft.ids = {
        left: ownIds(draft),
        right: { distinct_id: distinctId, initial_uuid: draft.uuid },
      };
      idsOf(draft.project_id).set(distinctId, draft);
      if (overridden_uuid !== draft.uuid) overrides.push({ overridden_uuid, draft });
    },

    /**
     * Joins `source` into `target`, which wins where both have a property. Says whether the
     * properties fitted; if not, the target keeps its own.
     */
    merge(source: Draft, target: Draft, event: Pick<CapturedEvent, "uuid" | "timestamp">): boolean {
      const gained = gainedKeys(source.properties, target.properties);
      const fits = gained.length === 0 || join(source, target, gained);
      merged.push(mergeOf(source, target, { gained: fits ? gained : [], event }));
      target.ids = { left: ownIds(target), right: ownIds(source) };
      if (source.created_at < target.created_at) target.created_at = source.created_at;
      target.dirty = true;
      source.into = target;
      overrides.push({ overridden_uuid: source.uuid, draft: target });
      return fits;
    },

    /** What is to be stored: persons that were joined into others are not among them. */
    changes() {
      const changed = [...stored.values()];
      const remaining = [...changed, ...fresh].filter(({ into }) => into === undefined);
      return {
        created: fresh.filter(({ into }) => into === undefined).map(asNew),
        changed: changed.filter(({ into, dirty }) => into === undefined && dirty).map(asChanged),
        merged,
        ids: remaining.flatMap(idsToWrite),
        overrides: overrides.map(({ overridden_uuid, draft }): Override => {
          const { project_id, uuid } = rootOf(draft);
          return { project_id, overridden_uuid, uuid };
        }),
      };
    },
  };
}

function draftOf(
  known: Pick<Draft, "id" | "uuid" | "created_at" | "is_identified" | "lifted">,
  project_id: number,
  { properties, bytes }: StoredProperties = { properties: {}, bytes: 2 },
): Draft {
  const open = { dirty: false, into: undefined, ids: undefined, main: undefined };
  return { ...known, project_id, properties, bytes, ...open };
}

/** What has to be kept of a merge to undo it; both persons as they were before. */
function mergeOf(
  source: Draft,
  target: Draft,
  { gained, event }: { gained: string[]; event: Pick<CapturedEvent, "uuid" | "timestamp"> },
): Merged {
  return {
    project_id: target.project_id,
    target_uuid: target.uuid,
    target_created_at: target.created_at,
    target_is_identified: target.is_identified,
    gained,
    source_id: source.id ?? null,
    source_uuid: source.uuid,
    source_properties: storableJson(source.properties),
    source_created_at: source.created_at,
    source_is_identified: source.is_identified,
    event_uuid: event.uuid,
    at: event.timestamp,
  };
}

/** The person that a draft is part of by now. */
export function rootOf(draft: Draft): Draft {
  let root = draft;
  while (root.into !== undefined) root = root.into;
  // Shortened on the way, so that a chain of merges is walked once.
  for (let at = draft; at.into !== undefined && at.into !== root; ) {
    const next: Draft = at.into;
    at.into = root;
    at = next;
  }
  return root;
}

/** Gives `target` the properties that only `source` has, if the person stays within its limit. */
function join(source: Draft, target: Draft, gained: string[]): boolean {
  const joined = { ...target.properties };
  gain(joined, source.properties, gained);
  const bytes = target.bytes + source.bytes;
  const exact = bytes > PERSON_BYTES_MAX ? Buffer.byteLength(storableJson(joined)) : bytes;
  if (exact > PERSON_BYTES_MAX) return false;
  target.properties = joined;
  target.bytes = exact;
  return true;
}

/** The ids that a person has; those of a stored one stand for themselves. */
function ownIds(draft: Draft): Ids {
  return draft.ids ?? { person_id: draft.id ?? 0, uuid: draft.uuid };
}

function idsToWrite(draft: Draft): IdsOfPerson[] {
  const { project_id, uuid, main } = draft;
  if (draft.ids === undefined && main === undefined) return [];
  const entries: IdsOfPerson["entries"] = [];
  const open: Ids[] = [ownIds(draft)];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if ("left" in part) open.push(part.right, part.left);
    else entries.push(part);
  }
  return [{ project_id, uuid, entries, main: main ?? null }];
}

function asNew({ project_id, uuid, created_at, is_identified, properties }: Draft): NewPerson {
  return { project_id, uuid, created_at, is_identified, properties };
}

function asChanged(draft: Draft): ChangedPerson {
  return { ...asNew(draft), id: draft.id ?? 0 };
}
