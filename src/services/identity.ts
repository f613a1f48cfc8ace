import type { CapturedEvent } from "../domain/event.ts";
import type { JsonObject } from "../domain/json.ts";
import { applyUpdate, makesPerson, personUpdate, personUuid } from "../domain/person.ts";
import type { ChangedPerson, NewPerson, PersonRef, PersonWrites } from "../storage/persons.ts";

/** An event and the project it is for. */
export type ProjectEvent = { project_id: number; event: CapturedEvent };

/** What a run of events means for persons. */
export type Identified = {
  /** The person of each event, by its place: a uuid, also where there is no person yet. */
  person_ids: string[];
  created: NewPerson[];
  changed: ChangedPerson[];
};

/**
 * Decides what events do to persons, in their order, without storing anything: who is created,
 * whose properties change. Each person is changed once, however many events it has (decision 11).
 */
export async function identify(
  events: readonly ProjectEvent[],
  store: Pick<PersonWrites, "resolve" | "properties">,
): Promise<Identified> {
  const refs = await resolveAll(events, store);
  const properties = await store.properties(idsToChange(events, refs));
  const people = drafts(refs, properties);
  const person_ids = events.map(({ project_id, event }) => {
    const person = people.of(project_id, event);
    const update = personUpdate(event);
    if (person !== undefined && update !== undefined && applyUpdate(person.properties, update)) {
      person.dirty = true;
    }
    return person?.uuid ?? personUuid(project_id, event.distinct_id);
  });
  return { person_ids, created: people.created(), changed: people.changed() };
}

/** The persons that events mean, as they are now. */
async function resolveAll(
  events: readonly ProjectEvent[],
  store: Pick<PersonWrites, "resolve">,
): Promise<Map<string, PersonRef>> {
  const idsByProject = new Map<number, Set<string>>();
  for (const { project_id, event } of events) {
    const ids = idsByProject.get(project_id);
    if (ids === undefined) idsByProject.set(project_id, new Set([event.distinct_id]));
    else ids.add(event.distinct_id);
  }
  const refs = new Map<string, PersonRef>();
  for (const [project, ids] of idsByProject) {
    for (const [id, ref] of await store.resolve(project, ids)) refs.set(keyOf(project, id), ref);
  }
  return refs;
}

function idsToChange(
  events: readonly ProjectEvent[],
  refs: ReadonlyMap<string, PersonRef>,
): Set<number> {
  const ids = new Set<number>();
  for (const { project_id, event } of events) {
    const ref = refs.get(keyOf(project_id, event.distinct_id));
    if (ref !== undefined && personUpdate(event) !== undefined) ids.add(ref.id);
  }
  return ids;
}

type Draft = { uuid: string; properties: JsonObject; dirty: boolean };
type StoredDraft = Draft & ChangedPerson;

/** The persons of a slice while it is worked through; ids of one person share its draft. */
function drafts(refs: ReadonlyMap<string, PersonRef>, properties: ReadonlyMap<number, JsonObject>) {
  const stored = new Map<number, StoredDraft>();
  const fresh = new Map<string, Draft & NewPerson>();

  const ofStored = (project_id: number, ref: PersonRef): Draft => {
    const known = stored.get(ref.id);
    if (known !== undefined) return known;
    const draft = { ...ref, project_id, properties: properties.get(ref.id) ?? {}, dirty: false };
    stored.set(ref.id, draft);
    return draft;
  };

  return {
    /** The person of an event, made if the event makes one. */
    of(project_id: number, event: CapturedEvent): Draft | undefined {
      const key = keyOf(project_id, event.distinct_id);
      const ref = refs.get(key);
      if (ref !== undefined) return ofStored(project_id, ref);
      const known = fresh.get(key);
      if (known !== undefined || !makesPerson(event)) return known;
      const made = {
        project_id,
        uuid: personUuid(project_id, event.distinct_id),
        properties: {},
        created_at: event.timestamp,
        distinct_id: event.distinct_id,
        dirty: false,
      };
      fresh.set(key, made);
      return made;
    },
    created: (): NewPerson[] => [...fresh.values()].map(({ dirty: _, ...person }) => person),
    changed: (): ChangedPerson[] =>
      [...stored.values()].flatMap(({ dirty, ...person }) => (dirty ? [person] : [])),
  };
}

function keyOf(project: number, distinctId: string): string {
  return `${project} ${distinctId}`;
}
