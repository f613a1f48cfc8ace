import type { CapturedEvent } from "../events/event.ts";
import type { PersonRef, PersonWrites } from "../ports/person-writes.ts";
import { storableJson } from "../values/json.ts";
import type { EffectReason } from "../warnings/warning.ts";
import {
  type Lifts,
  liftedBy,
  liftedIn,
  liftsAnew,
  liftsOf,
  withLifts,
} from "./auto-properties.ts";
import { isGuarded, type MergeAsked, mergeAsked, mergeRefused } from "./merge.ts";
import {
  applyUpdate,
  isPersonless,
  makesPerson,
  PERSON_BYTES_MAX,
  type PersonUpdate,
  personUpdate,
  personUuid,
} from "./person.ts";
import { type Draft, people, rootOf } from "./person-batch.ts";

/** An event, the project it is for, and its JSON in UTF-8. */
export type ProjectEvent = { project_id: number; event: CapturedEvent; line: Uint8Array };

/** An event that had less effect than it asked for. */
export type Refused<E extends ProjectEvent> = { type: EffectReason; of: E };

/** What the first of a run of events mean for persons. */
export type Identified<E extends ProjectEvent> = {
  /** How many: as many as change persons who fit into memory together. */
  taken: number;
  /** The person of each of them, by its place: a uuid, also where there is no person yet. */
  person_ids: string[];
  changes: ReturnType<ReturnType<typeof people>["changes"]>;
  refused: Refused<E>[];
};

/** What one event asks for; `asked` and `update` are undefined for most. */
type Effect = {
  update: PersonUpdate | undefined;
  lifts: Lifts;
  asked: MergeAsked | undefined;
};

type People = ReturnType<typeof people>;

const NO_EFFECT: Effect = { update: undefined, lifts: 0, asked: undefined };
const NO_UPDATE: PersonUpdate = { set: {}, set_once: {}, unset: [] };

/** Events that are about their person, so that every change of theirs is written. */
const ABOUT_PERSONS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$set"]);

/**
 * Decides what events do to persons, in their order, without storing anything: who is created,
 * changed, merged (decisions 11, 24 and 25). Each person is written once, however many events it
 * has.
 */
export async function identify<E extends ProjectEvent>(
  events: readonly E[],
  store: Pick<PersonWrites, "resolve" | "properties">,
): Promise<Identified<E>> {
  const effects = events.map(({ event }) => effectOf(event));
  const refs = await resolveAll(events, effects, store);
  const ref = (project: number, id: string) => refs.get(project)?.get(id);
  const ids = idsToChange(events, effects, ref);
  const { found: properties, unread } = await store.properties(ids.keys());
  const taken = unread === undefined ? events.length : (ids.get(unread) ?? events.length);
  const some = taken === events.length ? events : events.slice(0, taken);
  const slice = people({ ref, properties });
  const refused: Refused<E>[] = [];
  const drafts = some.map((of, at) => {
    const effect = effects[at] ?? NO_EFFECT;
    return applied(of, effect, slice, (type) => refused.push({ type, of }));
  });
  const person_ids = some.map(({ project_id, event }, at) => {
    const draft = drafts[at];
    return draft === undefined ? personUuid(project_id, event.distinct_id) : rootOf(draft).uuid;
  });
  return { taken, person_ids, changes: slice.changes(), refused };
}

function effectOf(event: CapturedEvent): Effect {
  if (isPersonless(event)) return NO_EFFECT;
  return {
    update: personUpdate(event),
    lifts: liftsOf(event.event, event.properties),
    asked: mergeAsked(event),
  };
}

/** The persons that events mean, as they are now, by project. */
async function resolveAll(
  events: readonly ProjectEvent[],
  effects: readonly Effect[],
  store: Pick<PersonWrites, "resolve">,
): Promise<Map<number, Map<string, PersonRef>>> {
  const idsByProject = new Map<number, Set<string>>();
  events.forEach(({ project_id, event }, at) => {
    const ids = idsByProject.get(project_id) ?? new Set<string>();
    idsByProject.set(project_id, ids.add(event.distinct_id));
    const asked = effects[at]?.asked;
    if (asked !== undefined) ids.add(asked.source).add(asked.target);
  });
  const refs = new Map<number, Map<string, PersonRef>>();
  for (const [project, ids] of idsByProject) refs.set(project, await store.resolve(project, ids));
  return refs;
}

/**
 * The stored persons whose properties count for what will be decided, and the place of the first event
 * that each counts for.
 */
function idsToChange(
  events: readonly ProjectEvent[],
  effects: readonly Effect[],
  ref: (project: number, id: string) => PersonRef | undefined,
): Map<number, number> {
  const ids = new Map<number, number>();
  const need = (known: PersonRef | undefined, at: number) => {
    if (known !== undefined && !ids.has(known.id)) ids.set(known.id, at);
  };
  events.forEach(({ project_id, event }, at) => {
    const { update, lifts, asked } = effects[at] ?? NO_EFFECT;
    if (asked !== undefined) {
      need(ref(project_id, asked.source), at);
      need(ref(project_id, asked.target), at);
    }
    if (update === undefined && lifts === 0) return;
    const known = ref(project_id, event.distinct_id);
    if (known !== undefined && isWorthALook(event, { update, lifts }, known)) need(known, at);
  });
  return ids;
}

/** Whether an event may change what is kept of its person, but for what is lifted quietly (decision 24). */
function isWorthALook(
  { event }: CapturedEvent,
  { update, lifts }: Pick<Effect, "update" | "lifts">,
  { lifted }: Pick<PersonRef, "lifted">,
): boolean {
  return update !== undefined || ABOUT_PERSONS.has(event) || liftsAnew(lifts, lifted);
}

/** Applies one event and says whose it is; undefined if nobody's yet. */
function applied(
  of: ProjectEvent,
  effect: Effect,
  slice: People,
  refuse: (type: EffectReason) => void,
): Draft | undefined {
  const { project_id, event } = of;
  const refused = effect.asked && merge(of, effect.asked, slice);
  if (refused !== undefined) refuse(refused);
  if (effect.asked?.isCut) refuse("distinct_id_too_large");
  const found = slice.of(project_id, event.distinct_id);
  const draft =
    found ??
    (makesPerson(event) ? slice.make(project_id, event.distinct_id, event.timestamp) : undefined);
  if (draft !== undefined) update(draft, of, effect, refuse);
  else if (effect.update !== undefined) refuse("set_on_cookieless");
  return draft;
}

/** Joins the two persons that an event names, or says why not. */
function merge(
  { project_id, event }: ProjectEvent,
  asked: MergeAsked,
  slice: People,
): EffectReason | undefined {
  const refused = mergeRefused(asked);
  if (refused !== undefined) return refused;
  const source = slice.of(project_id, asked.source);
  const target = slice.of(project_id, asked.target);
  if (source !== target && isGuarded(asked.guard, source, target)) {
    return "cannot_merge_already_identified";
  }
  if (source === undefined || target === undefined || source === target) {
    const one = target ?? source ?? slice.make(project_id, asked.target, event.timestamp);
    if (source === undefined) slice.attach(one, asked.source);
    else if (target === undefined) slice.attach(one, asked.target);
    identified(one, asked);
    return undefined;
  }
  const fits = slice.merge(source, target, event);
  identified(target, asked);
  return fits ? undefined : "person_properties_size_violation";
}

function identified(draft: Draft, { main, target }: MergeAsked): void {
  if (!draft.is_identified || main) draft.dirty = true;
  draft.is_identified = true;
  if (main) draft.main = target;
}

/** Changes a person's properties, unless they would exceed their limit. */
function update(
  draft: Draft,
  { event, line }: ProjectEvent,
  effect: Effect,
  refuse: (type: EffectReason) => void,
): void {
  const lifts = isWorthALook(event, effect, draft) ? effect.lifts : 0;
  if (effect.update === undefined && lifts === 0) return;
  // What is lifted stands twice in the person.
  const bytes = draft.bytes + line.length * 2;
  if (bytes <= PERSON_BYTES_MAX) {
    if (!change(draft.properties, event, { ...effect, lifts })) return;
    draft.bytes = bytes;
  } else {
    const copy = { ...draft.properties };
    if (!change(copy, event, { ...effect, lifts })) return;
    const exact = Buffer.byteLength(storableJson(copy));
    if (exact > PERSON_BYTES_MAX) {
      refuse("person_properties_size_violation");
      return;
    }
    draft.properties = copy;
    draft.bytes = exact;
  }
  // What is taken from a person may be lifted to it again.
  const isTaken = effect.update !== undefined && effect.update.unset.length > 0;
  draft.lifted = isTaken ? liftedIn(draft.properties) : withLifts(draft.lifted, lifts);
  draft.dirty = true;
}

/** Applies what an event sets and lifts; says whether anything changed that is worth a write. */
function change(
  person: Draft["properties"],
  { event, properties }: CapturedEvent,
  { update = NO_UPDATE, lifts }: Effect,
): boolean {
  if (lifts === 0) return applyUpdate(person, update);
  const { loud, quiet, first } = liftedBy(properties, lifts, person);
  const changed = applyUpdate(person, {
    set: { ...loud, ...update.set },
    set_once: { ...first, ...update.set_once },
    unset: update.unset,
  });
  if (!changed && !ABOUT_PERSONS.has(event)) return false;
  for (const key of [...Object.keys(update.set), ...update.unset]) delete quiet[key];
  return applyUpdate(person, { ...NO_UPDATE, set: quiet }) || changed;
}
