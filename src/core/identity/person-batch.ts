import type { CapturedEvent } from "../events/event.ts";
import type {
  ChangedPerson,
  IdsOfPerson,
  Merged,
  NewPerson,
  Override,
  PersonRef,
  StoredProperties,
} from "../ports/persons/writes.ts";
import { storableJson } from "../values/json.ts";
import type { AutoProperties } from "./auto-properties.ts";
import { gainedKeys, gainKeys } from "./merge.ts";
import { personUuid } from "./person.ts";
import {
  type BoundedResult,
  changeWithin,
  PERSON_BYTES_MAX,
  type SizedProperties,
} from "./property-limits.ts";

/** A person during a batch, before its changes are stored. */
export type PendingPerson = SizedProperties & {
  project_id: number;
  /** Undefined if the batch makes the person. */
  id: number | undefined;
  uuid: string;
  created_at: string;
  is_identified: boolean;
  auto_properties: AutoProperties;
  isChanged: boolean;
  mergedInto: PendingPerson | undefined;
  /** All distinct ids in their order; undefined if they stay as they are stored. */
  ids: Ids | undefined;
  /** The distinct id that becomes the main one. */
  main: string | undefined;
};

/** Distinct ids in their order. Two lists are joined without a copy, so that long chains of merges are fast. */
type Ids = IdsOfPerson["entries"][number] | { left: Ids; right: Ids };

/** The stored persons that the events of a batch name. */
export type StoredPersons = {
  ref(project: number, distinctId: string): PersonRef | undefined;
  properties: ReadonlyMap<number, StoredProperties>;
};

/** Finds, makes and merges the persons of a batch, and collects the changes. Nothing is stored. */
export function personBatch({ ref, properties }: StoredPersons) {
  const byProject = new Map<number, Map<string, PendingPerson>>();
  const stored = new Map<number, PendingPerson>();
  const created: PendingPerson[] = [];
  const merged: Merged[] = [];
  const overrides: { overridden_uuid: string; person: PendingPerson }[] = [];

  const byDistinctId = (project: number) => {
    const ids = byProject.get(project) ?? new Map<string, PendingPerson>();
    byProject.set(project, ids);
    return ids;
  };

  const pendingOf = (project_id: number, known: PersonRef): PendingPerson => {
    const person = stored.get(known.id) ?? pending(known, project_id, properties.get(known.id));
    stored.set(known.id, person);
    return person;
  };

  return {
    /** Returns the person of a distinct id, or the person that it was merged into. */
    find(project: number, distinctId: string): PendingPerson | undefined {
      const ids = byDistinctId(project);
      const person = ids.get(distinctId);
      if (person !== undefined) return mergeRoot(person);
      const known = ref(project, distinctId);
      if (known === undefined) return undefined;
      const found = pendingOf(project, known);
      ids.set(distinctId, found);
      return mergeRoot(found);
    },

    /** Makes a person for a distinct id without one. */
    make(project_id: number, distinctId: string, created_at: string): PendingPerson {
      const uuid = personUuid(project_id, distinctId);
      const empty = { id: undefined, uuid, created_at, is_identified: false, auto_properties: 0 };
      const person = pending(empty, project_id, undefined);
      person.isChanged = true;
      person.ids = { distinct_id: distinctId, initial_uuid: uuid };
      byDistinctId(project_id).set(distinctId, person);
      created.push(person);
      return person;
    },

    /** Adds a distinct id without a person. Its earlier events become the person's. */
    attach(person: PendingPerson, distinctId: string): void {
      person.isChanged = true;
      const overridden_uuid = personUuid(person.project_id, distinctId);
      const added = { distinct_id: distinctId, initial_uuid: person.uuid };
      person.ids = { left: ownIds(person), right: added };
      byDistinctId(person.project_id).set(distinctId, person);
      if (overridden_uuid !== person.uuid) overrides.push({ overridden_uuid, person });
    },

    /**
     * Merges `source` into `target`, whose properties win. Returns the limit that both together exceed:
     * above the limit of bytes the target keeps only its own properties.
     */
    merge(
      source: PendingPerson,
      target: PendingPerson,
      event: Pick<CapturedEvent, "uuid" | "timestamp">,
    ): BoundedResult["limit"] {
      const keys = gainedKeys(source.properties, target.properties);
      const limit = keys.length === 0 ? undefined : gain(source, target, keys);
      const gained = keys.filter((key) => Object.hasOwn(target.properties, key));
      merged.push(mergeOf(source, target, { gained, event }));
      target.ids = { left: ownIds(target), right: ownIds(source) };
      if (source.created_at < target.created_at) target.created_at = source.created_at;
      target.isChanged = true;
      source.mergedInto = target;
      overrides.push({ overridden_uuid: source.uuid, person: target });
      return limit;
    },

    /** Returns the changes to be stored. Merged persons are not in `created` and `changed`. */
    changes() {
      const remaining = [...stored.values(), ...created].filter(isNotMerged);
      return {
        created: created.filter(isNotMerged).map(asNew),
        changed: remaining.flatMap((person) => asChanged(person) ?? []),
        merged,
        ids: remaining.flatMap(idsToWrite),
        overrides: overrides.map(({ overridden_uuid, person }): Override => {
          const { project_id, uuid } = mergeRoot(person);
          return { project_id, overridden_uuid, uuid };
        }),
      };
    },
  };
}

/** The persons of a batch. */
export type PersonBatch = ReturnType<typeof personBatch>;

const isNotMerged = ({ mergedInto }: PendingPerson) => mergedInto === undefined;

function pending(
  known: Pick<PendingPerson, "id" | "uuid" | "created_at" | "is_identified" | "auto_properties">,
  project_id: number,
  { properties, bytes }: StoredProperties = { properties: {}, bytes: 2 },
): PendingPerson {
  const unchanged = { isChanged: false, mergedInto: undefined, ids: undefined, main: undefined };
  return { ...known, project_id, properties, bytes, count: undefined, ...unchanged };
}

/** Describes a merge so that a split can undo it: both persons as they were before. */
function mergeOf(
  source: PendingPerson,
  target: PendingPerson,
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

/** Returns the last target of the merges of a person: the person itself if it is not merged. */
export function mergeRoot(person: PendingPerson): PendingPerson {
  let root = person;
  while (root.mergedInto !== undefined) root = root.mergedInto;
  // Each person on the way then leads straight to the root, so that a chain is walked once.
  for (let from = person; from.mergedInto !== undefined && from.mergedInto !== root; ) {
    const next: PendingPerson = from.mergedInto;
    from.mergedInto = root;
    from = next;
  }
  return root;
}

/** Gives `target` some properties of `source`, and returns the limit that they exceed. */
function gain(source: PendingPerson, target: PendingPerson, keys: string[]) {
  const { limit } = changeWithin(target, {
    keys: () => keys,
    bytesAdded: source.bytes,
    bytesMax: PERSON_BYTES_MAX,
    apply(properties) {
      gainKeys(properties, source.properties, keys);
      return true;
    },
  });
  return limit;
}

/** The distinct ids of a person: one entry for all ids of a stored person. */
function ownIds(person: PendingPerson): Ids {
  return person.ids ?? { person_id: person.id ?? 0, uuid: person.uuid };
}

function idsToWrite(person: PendingPerson): IdsOfPerson[] {
  const { project_id, uuid, main } = person;
  if (person.ids === undefined && main === undefined) return [];
  const entries: IdsOfPerson["entries"] = [];
  const unread: Ids[] = [ownIds(person)];
  for (let ids = unread.pop(); ids !== undefined; ids = unread.pop()) {
    if ("left" in ids) unread.push(ids.right, ids.left);
    else entries.push(ids);
  }
  return [{ project_id, uuid, entries, main: main ?? null }];
}

function asNew(person: PendingPerson): NewPerson {
  const { project_id, uuid, created_at, is_identified, properties } = person;
  return { project_id, uuid, created_at, is_identified, properties };
}

function asChanged(person: PendingPerson): ChangedPerson | undefined {
  const { id, isChanged } = person;
  return id === undefined || !isChanged ? undefined : { ...asNew(person), id };
}
