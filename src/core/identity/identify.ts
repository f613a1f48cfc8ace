import type { CapturedEvent } from "../events/event.ts";
import type { PersonRef, PersonWrites } from "../ports/persons/writes.ts";
import type { EffectReason } from "../warnings/warning.ts";
import {
  type AutoProperties,
  autoPropertiesIn,
  autoPropertiesOf,
  autoValues,
  isWorthWriting,
  keysOf,
  union,
} from "./auto-properties.ts";
import { isGuarded, type MergeRequest, mergeRefusal, mergeRequest } from "./merge.ts";
import {
  applyUpdate,
  asksForProfile,
  isPersonless,
  makesPerson,
  type PersonUpdate,
  personUpdate,
  personUuid,
} from "./person.ts";
import { mergeRoot, type PendingPerson, type PersonBatch, personBatch } from "./person-batch.ts";
import { changeWithin, PERSON_BYTES_MAX } from "./property-limits.ts";

/** An event, its project, and its JSON in UTF-8. */
export type ProjectEvent = { project_id: number; event: CapturedEvent; line: Uint8Array };

/** An event that is stored, but has less effect than it asks for. */
export type Refused<E extends ProjectEvent> = { type: EffectReason; of: E };

/** The changes of persons by the first events of a list. */
export type Identified<E extends ProjectEvent> = {
  /** The number of these events: as many as change persons that fit into memory together. */
  taken: number;
  /** The uuid of the person of each event. An event without a person has the uuid of the one it would make. */
  person_ids: string[];
  changes: ReturnType<PersonBatch["changes"]>;
  refused: Refused<E>[];
};

/** The effects that one event asks for. Most events have neither `merge` nor `update`. */
type Effect = {
  update: PersonUpdate | undefined;
  autoProperties: AutoProperties;
  merge: MergeRequest | undefined;
};

const NO_EFFECT: Effect = { update: undefined, autoProperties: 0, merge: undefined };
const NO_UPDATE: PersonUpdate = { set: {}, set_once: {}, unset: [] };

/** Events about their person: each change that they make is written. */
const PERSON_EVENTS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$set"]);

/**
 * Decides which persons the events create, change and merge, in the order of the events (decisions 11, 24
 * and 25). Nothing is stored. Each person is written once, even if many events change it.
 */
export async function identify<E extends ProjectEvent>(
  events: readonly E[],
  store: Pick<PersonWrites, "resolve" | "properties">,
): Promise<Identified<E>> {
  const effects = events.map(({ event }) => effectOf(event));
  const refs = await resolveAll(events, effects, store);
  const ref = (project: number, id: string) => refs.get(project)?.get(id);
  const firstUses = personsToRead(events, effects, ref);
  const { found: properties, unread } = await store.properties(firstUses.keys());
  const taken = unread === undefined ? events.length : (firstUses.get(unread) ?? events.length);
  const some = taken === events.length ? events : events.slice(0, taken);
  const batch = personBatch({ ref, properties });
  const refused: Refused<E>[] = [];
  const persons = some.map((of, index) => {
    const effect = effects[index] ?? NO_EFFECT;
    return apply(of, effect, batch, (type) => refused.push({ type, of }));
  });
  const person_ids = some.map(({ project_id, event }, index) => {
    const person = persons[index];
    return person === undefined
      ? personUuid(project_id, event.distinct_id)
      : mergeRoot(person).uuid;
  });
  return { taken, person_ids, changes: batch.changes(), refused };
}

function effectOf(event: CapturedEvent): Effect {
  if (isPersonless(event)) return NO_EFFECT;
  return {
    update: personUpdate(event),
    autoProperties: autoPropertiesOf(event.event, event.properties),
    merge: mergeRequest(event),
  };
}

/** Reads the stored persons of all distinct ids in the events, by project. */
async function resolveAll(
  events: readonly ProjectEvent[],
  effects: readonly Effect[],
  store: Pick<PersonWrites, "resolve">,
): Promise<Map<number, Map<string, PersonRef>>> {
  const idsByProject = new Map<number, Set<string>>();
  for (const [index, { project_id, event }] of events.entries()) {
    const ids = idsByProject.get(project_id) ?? new Set<string>();
    idsByProject.set(project_id, ids.add(event.distinct_id));
    const merge = effects[index]?.merge;
    if (merge !== undefined) ids.add(merge.source).add(merge.target);
  }
  const refs = new Map<number, Map<string, PersonRef>>();
  for (const [project, ids] of idsByProject) refs.set(project, await store.resolve(project, ids));
  return refs;
}

/** The stored persons whose properties are needed, and for each the index of the first event that needs them. */
function personsToRead(
  events: readonly ProjectEvent[],
  effects: readonly Effect[],
  ref: (project: number, id: string) => PersonRef | undefined,
): Map<number, number> {
  const firstUses = new Map<number, number>();
  const need = (person: PersonRef | undefined, index: number) => {
    if (person !== undefined && !firstUses.has(person.id)) firstUses.set(person.id, index);
  };
  for (const [index, { project_id, event }] of events.entries()) {
    const effect = effects[index] ?? NO_EFFECT;
    if (effect.merge !== undefined) {
      need(ref(project_id, effect.merge.source), index);
      need(ref(project_id, effect.merge.target), index);
    }
    if (effect.update === undefined && effect.autoProperties === 0) continue;
    const person = ref(project_id, event.distinct_id);
    if (person !== undefined && mayChange(event, effect, person)) need(person, index);
  }
  return firstUses;
}

/** Whether an event may change properties of its person other than volatile ones (decision 24). */
function mayChange(
  { event }: CapturedEvent,
  { update, autoProperties }: Effect,
  { auto_properties }: Pick<PersonRef, "auto_properties">,
): boolean {
  return (
    update !== undefined ||
    PERSON_EVENTS.has(event) ||
    isWorthWriting(autoProperties, auto_properties)
  );
}

/** Applies one event, and returns its person; undefined if it has no person. */
function apply(
  of: ProjectEvent,
  effect: Effect,
  batch: PersonBatch,
  refuse: (type: EffectReason) => void,
): PendingPerson | undefined {
  const { project_id, event } = of;
  const refusal = effect.merge && merge(of, effect.merge, batch);
  if (refusal !== undefined) refuse(refusal);
  if (effect.merge?.isCut) refuse("distinct_id_too_large");
  const person =
    batch.find(project_id, event.distinct_id) ??
    (makesPerson(event) ? batch.make(project_id, event.distinct_id, event.timestamp) : undefined);
  if (person !== undefined) update(person, of, effect, refuse);
  const isUnset = person === undefined && effect.update !== undefined;
  if (isUnset || asksForProfile(event)) refuse("ignored_without_profile");
  return person;
}

/** Merges the persons of the two ids that an event names, or returns why not. */
function merge(
  { project_id, event }: ProjectEvent,
  request: MergeRequest,
  batch: PersonBatch,
): EffectReason | undefined {
  const refusal = mergeRefusal(request);
  if (refusal !== undefined) return refusal;
  const source = batch.find(project_id, request.source);
  const target = batch.find(project_id, request.target);
  if (source !== target && isGuarded(request.guard, source, target)) {
    return "cannot_merge_already_identified";
  }
  if (source === undefined || target === undefined || source === target) {
    const one = target ?? source ?? batch.make(project_id, request.target, event.timestamp);
    if (source === undefined) batch.attach(one, request.source);
    else if (target === undefined) batch.attach(one, request.target);
    markIdentified(one, request);
    return undefined;
  }
  const limit = batch.merge(source, target, event);
  markIdentified(target, request);
  if (limit === undefined) return undefined;
  return limit === "bytes" ? "person_properties_size_violation" : "too_many_person_properties";
}

function markIdentified(person: PendingPerson, { main, target }: MergeRequest): void {
  if (!person.is_identified || main) person.isChanged = true;
  person.is_identified = true;
  if (main) person.main = target;
}

/** Changes a person's properties, within their limits. */
function update(
  person: PendingPerson,
  { event, line }: ProjectEvent,
  effect: Effect,
  refuse: (type: EffectReason) => void,
): void {
  const autoProperties = mayChange(event, effect, person) ? effect.autoProperties : 0;
  if (effect.update === undefined && autoProperties === 0) return;
  const { set, set_once, unset } = effect.update ?? NO_UPDATE;
  const { isChanged, limit } = changeWithin(person, {
    keys: () => [
      ...unset,
      ...keysOf(autoProperties),
      ...Object.keys(set_once),
      ...Object.keys(set),
    ],
    // Twice, because an automatic property has two values in the person.
    bytesAdded: line.length * 2,
    bytesMax: PERSON_BYTES_MAX,
    apply: (properties) => change(properties, event, { ...effect, autoProperties }),
  });
  if (limit === "bytes") refuse("person_properties_size_violation");
  if (limit === "count") refuse("too_many_person_properties");
  if (!isChanged) return;
  // A later event may set automatic properties again that this one removes, or leaves out.
  person.auto_properties =
    unset.length > 0 || limit !== undefined
      ? autoPropertiesIn(person.properties)
      : union(person.auto_properties, autoProperties);
  person.isChanged = true;
}

/** Sets properties as an event asks, and returns whether a change is to be written. */
function change(
  person: PendingPerson["properties"],
  { event, properties }: CapturedEvent,
  { update = NO_UPDATE, autoProperties }: Effect,
): boolean {
  if (autoProperties === 0) return applyUpdate(person, update);
  const { latest, volatile, first } = autoValues(properties, autoProperties, person);
  const isChanged = applyUpdate(person, {
    set: { ...latest, ...update.set },
    set_once: { ...first, ...update.set_once },
    unset: update.unset,
  });
  if (!isChanged && !PERSON_EVENTS.has(event)) return false;
  for (const key of [...Object.keys(update.set), ...update.unset]) delete volatile[key];
  return applyUpdate(person, { ...NO_UPDATE, set: volatile }) || isChanged;
}
