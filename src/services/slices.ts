import type { CapturedEvent } from "../domain/event.ts";
import { storableJson } from "../domain/json.ts";
import {
  HOUR_MS,
  hourStart,
  hoursBefore,
  hourTag,
  SEEN_FIELDS,
  type SeenEntries,
  seenFilter,
  seenHash,
  seenHashOf,
} from "../domain/seen.ts";
import type { KnownEvent, Suspect } from "../storage/events.ts";
import type { Frame, JournalReader } from "../storage/journal.ts";
import type { ChangedPerson, PersonChanges, PersonWrites } from "../storage/persons.ts";
import type { MirrorPerson, Slice, SliceEvent, sliceFiles } from "../storage/slices.ts";
import { identify } from "./identity.ts";

/** A slice that was read: what the event store has to be asked before it can be applied. */
export type SliceRead = { first: number; last: number; count: number; suspects: Suspect[] };

/** What became of a slice on its way to the event store. */
export type SliceApplied = { slice: Slice; duplicates: Duplicate[] };

/** An event left out because its uuid was stored before; `same` if the event was the same one. */
export type Duplicate = { project_id: number; uuid: string; distinct_id: string; same: boolean };

/** Events of a slice; a frame is never split, so the last one may go beyond. */
export const SLICE_EVENTS_MAX = 25_000;

type Needs = {
  journal: JournalReader;
  persons: PersonWrites;
  files: ReturnType<typeof sliceFiles>;
  /** How long a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
};

type Candidate = Omit<SliceEvent, "person_id">;
type Identity = Pick<CapturedEvent, "event" | "distinct_id"> & { arrived_at: number };

/**
 * Makes slices of the journal, in the thread that owns SQLite: deduplicates (decision 4), applies what they
 * do to persons, writes them for DuckDB. Call `read`, then `apply`, one slice after the other.
 */
export function slices({ journal, persons, files, windowMs }: Needs) {
  const seen = seenFilter();
  // The events of the last two slices: the event store may not have committed them yet.
  let recent: Map<string, Identity>[] = [];
  let pending:
    | { range: { first: number; last: number }; candidates: Candidate[]; logs: Frame[] }
    | undefined;
  let lastHour = -1;

  const forgetOldHours = (now: number) => {
    if (hourTag(now) === lastHour) return;
    lastHour = hourTag(now);
    const hours = Math.ceil(windowMs / HOUR_MS) + 1;
    seen.forget((tag) => hoursBefore(now, tag) <= hours);
  };

  const suspectsOf = ({ project_id, arrived_at, event }: Candidate, place: number): Suspect[] =>
    seen.hours(seenHashOf(project_id, event.uuid)).map((tag) => {
      const start = hourStart(arrived_at, tag);
      const from = Math.max(start, arrived_at - windowMs);
      return { place, project_id, uuid: event.uuid, from, to: start + HOUR_MS };
    });

  return {
    /** Remembers what the event store holds of the window; before the first slice is read. */
    async remember(entries: SeenEntries): Promise<void> {
      for (let at = 0; at < entries.length; at += SEEN_FIELDS) {
        const [project = 0, a = 0, b = 0, c = 0, d = 0, hour = 0] = entries.subarray(
          at,
          at + SEEN_FIELDS,
        );
        seen.add(seenHash(project, a, b, c, d), hourTag(hour * HOUR_MS));
      }
    },

    /**
     * The next slice after a sequence number and up to another. It is empty where the journal
     * holds nothing in between: a corrupt frame was set aside.
     */
    async read(range: { after: number; upTo: number }): Promise<SliceRead> {
      const applied = await persons.applied();
      // What only the event store misses is its own slice: it changes no person again.
      const upTo = range.after < applied ? Math.min(range.upTo, applied) : range.upTo;
      const frames = journal.read({ after: range.after, upTo, eventsMax: SLICE_EVENTS_MAX });
      const last = frames.at(-1);
      if (last !== undefined) forgetOldHours(last.arrived_at);
      const logs = frames.filter(({ kind }) => kind === "logs");
      const candidates = frames.filter(({ kind }) => kind !== "logs").flatMap(eventsOf);
      const end = last === undefined ? upTo : last.first_seq + last.count - 1;
      const bounds = { first: range.after + 1, last: end };
      pending = { range: bounds, candidates, logs };
      const suspects = candidates.flatMap(suspectsOf);
      return { ...bounds, count: candidates.length, suspects };
    },

    /** Applies the slice that was read, given which of its suspects are stored. */
    async apply(stored: KnownEvent[]): Promise<SliceApplied> {
      if (pending === undefined) throw new Error("No slice was read");
      const { range, candidates, logs } = pending;
      pending = undefined;
      const { kept, duplicates, uuids } = deduplicate(candidates, stored, { recent, windowMs });
      const { person_ids, created, changed } = await identify(kept, persons);
      const replayed = range.last <= (await persons.applied());
      const changes = { created, changed, applied_seq: range.last };
      const mirrored = replayed ? await touched(kept, persons) : await applied(changes, persons);
      for (const { project_id, arrived_at, event } of kept) {
        seen.add(seenHashOf(project_id, event.uuid), hourTag(arrived_at));
      }
      const events = kept.map((event, at) => ({ ...event, person_id: person_ids[at] ?? "" }));
      const slice = files.write({ range, events, logs, persons: mirrored, replayed });
      // Only now: a slice that could not be written is read again, and must not know itself.
      recent = [...recent.slice(-1), uuids];
      return { slice, duplicates };
    },

    /** Gives back the memory of slices that are done with. */
    async release(): Promise<void> {
      recent = [];
      Bun.gc(true);
    },
  };
}

/** The surface of {@link slices} for the thread that drives it. */
export type Slices = ReturnType<typeof slices>;

function keyOf({ project_id, event }: Candidate): string {
  return `${project_id} ${event.uuid}`;
}

const utf8 = new TextDecoder();

function eventsOf(frame: Frame): Candidate[] {
  const lines = utf8.decode(frame.lines).split("\n");
  return lines.slice(0, frame.count).map((line, index) => ({
    seq: frame.first_seq + index,
    project_id: frame.project_id,
    arrived_at: frame.arrived_at,
    event: JSON.parse(line) as CapturedEvent,
    line,
  }));
}

/** Keeps the first of each (project, uuid), in the slice, in the last ones and in the store. */
function deduplicate(
  candidates: Candidate[],
  stored: KnownEvent[],
  { recent, windowMs }: { recent: Map<string, Identity>[]; windowMs: number },
): { kept: Candidate[]; duplicates: Duplicate[]; uuids: Map<string, Identity> } {
  const inStore = new Map(stored.map((event) => [event.place, event]));
  const uuids = new Map<string, Identity>();
  const duplicates: Duplicate[] = [];
  const kept = candidates.filter((candidate, place) => {
    const key = keyOf(candidate);
    const { event, project_id } = candidate;
    const inMemory = [uuids, ...recent].map((map) => map.get(key));
    const before =
      inStore.get(place) ??
      inMemory.find((known) => known && known.arrived_at >= candidate.arrived_at - windowMs);
    if (before === undefined) {
      const { arrived_at } = candidate;
      uuids.set(key, { event: event.event, distinct_id: event.distinct_id, arrived_at });
      return true;
    }
    const same = before.event === event.event && before.distinct_id === event.distinct_id;
    duplicates.push({ project_id, uuid: event.uuid, distinct_id: event.distinct_id, same });
    return false;
  });
  return { kept, duplicates, uuids };
}

/** Stores what a slice does to persons; returns them for the mirror. */
async function applied(changes: PersonChanges, persons: PersonWrites): Promise<MirrorPerson[]> {
  const ids = await persons.apply(changes);
  const created = changes.created.map(({ distinct_id, ...person }, at) => ({
    ...person,
    id: ids[at] ?? 0,
    properties: storableJson(person.properties),
    distinct_ids: [distinct_id],
    known: false,
  }));
  return [...created, ...changes.changed.map((person) => mirrored(person, []))];
}

/** The persons of events, as they are; for a slice that only the event store misses. */
async function touched(events: Candidate[], persons: PersonWrites): Promise<MirrorPerson[]> {
  const ids = new Set<number>();
  for (const [project, group] of Map.groupBy(events, ({ project_id }) => project_id)) {
    const refs = await persons.resolve(
      project,
      new Set(group.map(({ event }) => event.distinct_id)),
    );
    for (const { id } of refs.values()) ids.add(id);
  }
  return (await persons.rows(ids)).map((row) => mirrored(row, row.distinct_ids));
}

function mirrored(person: ChangedPerson, distinct_ids: string[]): MirrorPerson {
  const { id, project_id, uuid, created_at, properties } = person;
  return {
    id,
    project_id,
    uuid,
    created_at,
    properties: storableJson(properties),
    distinct_ids,
    known: true,
  };
}
