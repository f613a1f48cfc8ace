import type { CapturedEvent } from "../domain/event.ts";
import { personUuid } from "../domain/person.ts";
import {
  blockOf,
  SEEN_FIELDS,
  type SeenEntries,
  type SeenHash,
  seenFilter,
  seenHash,
  seenHashOf,
} from "../domain/seen.ts";
import type { ProjectWarning, Warning } from "../domain/warning.ts";
import type { KnownEvent, Suspect } from "../storage/events.ts";
import type { Frame, JournalReader } from "../storage/journal.ts";
import type { PersonRef, PersonWrites } from "../storage/persons.ts";
import type { MirrorFiles, Slice, SliceEvent, sliceFiles } from "../storage/slices.ts";
import { identify, type Refused } from "./identity.ts";

/** A slice that was read: what the event store has to be asked before it can be applied. */
export type SliceRead = { first: number; last: number; count: number; suspects: Suspect[] };

/** What became of a slice on its way to the event store. */
export type SliceApplied = { slice: Slice; duplicates: Duplicate[] };

/** An event left out because its uuid was stored before; `same` if the event was the same one. */
export type Duplicate = {
  project_id: number;
  arrived_at: number;
  uuid: string;
  distinct_id: string;
  same: boolean;
};

/** What a slice needs to be applied. */
export type ToApply = { first: number; stored: KnownEvent[]; committed: number };

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
type Read = {
  range: { first: number; last: number };
  candidates: Candidate[];
  logs: Frame[];
  warnings: ProjectWarning[];
};
type Identity = Pick<CapturedEvent, "event" | "distinct_id"> & { arrived_at: number };

const HOUR_MS = 3_600_000;

/**
 * Makes slices of the journal, in the thread that owns SQLite: deduplicates (decision 4), applies what they
 * do to persons, writes them for DuckDB. Each slice is read, then applied, in order; others may be
 * read in between.
 */
export function slices({ journal, persons, files, windowMs }: Needs) {
  const seen = seenFilter();
  /** When the last event of each block in the filter arrived. */
  const arrivals = new Map<number, number>();
  /** The events of slices that the event store may not have committed yet. */
  let recent: { last: number; uuids: Map<string, Identity> }[] = [];
  /** Slices that were read and are to be applied, in order. */
  let reads: Read[] = [];
  let lastHour = -1;

  const remember = (hash: SeenHash, block: number, arrivedAt: number) => {
    seen.add(hash, block);
    arrivals.set(block, Math.max(arrivedAt, arrivals.get(block) ?? 0));
  };

  const forgetOldBlocks = (now: number) => {
    const hour = Math.floor(now / HOUR_MS);
    if (hour === lastHour) return;
    lastHour = hour;
    seen.forget((block) => (arrivals.get(block) ?? 0) >= now - windowMs);
    for (const [block, at] of arrivals) if (at < now - windowMs) arrivals.delete(block);
  };

  const suspectsOf = ({ project_id, arrived_at, event }: Candidate, place: number): Suspect[] =>
    seen.blocks(seenHashOf(project_id, event.uuid)).map((block) => {
      return { place, project_id, uuid: event.uuid, block, since: arrived_at - windowMs };
    });

  return {
    /** Remembers what the event store holds of the window; before the first slice is read. */
    async remember(entries: SeenEntries): Promise<void> {
      for (let at = 0; at < entries.length; at += SEEN_FIELDS) {
        const [project = 0, a = 0, b = 0, c = 0, d = 0, block = 0, hour = 0] = entries.subarray(
          at,
          at + SEEN_FIELDS,
        );
        remember(seenHash(project, a, b, c, d), block, (hour + 1) * HOUR_MS);
      }
    },

    /**
     * The next slice after a sequence number and up to another. It is empty where the journal
     * holds nothing in between: a corrupt frame was set aside. What does not go on where the last
     * slice ended forgets the slices that were read and not applied.
     */
    async read(range: { after: number; upTo: number }): Promise<SliceRead> {
      const applied = await persons.applied();
      // What only the event store misses is its own slice: it changes no person again.
      const upTo = range.after < applied ? Math.min(range.upTo, applied) : range.upTo;
      const frames = journal.read({ after: range.after, upTo, eventsMax: SLICE_EVENTS_MAX });
      const last = frames.at(-1);
      if (last !== undefined) forgetOldBlocks(last.arrived_at);
      const logs = frames.filter(({ kind }) => kind === "logs");
      const warnings = frames.filter(({ kind }) => kind === "warnings").flatMap(warningsOf);
      const candidates = frames.filter(holdsEvents).flatMap(eventsOf);
      const end = last === undefined ? upTo : last.first_seq + last.count - 1;
      const bounds = { first: range.after + 1, last: end };
      if (reads.at(-1)?.range.last !== range.after) reads = [];
      reads.push({ range: bounds, candidates, logs, warnings });
      const suspects = candidates.flatMap(suspectsOf);
      return { ...bounds, count: candidates.length, suspects };
    },

    /**
     * Applies the first slice that was read, which begins at `first`, given which of its suspects
     * were stored, and the last number that the event store had committed when it was asked.
     */
    async apply({ first, stored, committed }: ToApply): Promise<SliceApplied> {
      const next = reads.shift();
      if (next?.range.first !== first) throw new Error(`No slice from ${first} on was read`);
      const { range, candidates, logs, warnings } = next;
      recent = recent.filter(({ last }) => last > committed);
      const known = { stored, recent: recent.map(({ uuids }) => uuids), windowMs };
      const { kept, duplicates, uuids } = deduplicate(candidates, known);
      const replayed = range.last <= (await persons.applied());
      const found = [...warnings, ...duplicates.flatMap(duplicateWarning)];
      const { person_ids, mirror } = replayed
        ? { person_ids: await owners(kept, persons), mirror: null }
        : await applied({ events: kept, warnings: found, last: range.last }, persons);
      for (const { seq, project_id, arrived_at, event } of kept) {
        remember(seenHashOf(project_id, event.uuid), blockOf(seq), arrived_at);
      }
      const events = kept.map((event, at) => ({ ...event, person_id: person_ids[at] ?? "" }));
      const slice = files.write({ range, events, logs, mirror });
      // Only now: a slice that could not be written is read again, and must not know itself.
      recent.push({ last: range.last, uuids });
      return { slice, duplicates };
    },

    /** What a mirror of this version lacks; null if nothing. */
    async mirrorSince(version: number): Promise<MirrorFiles | null> {
      const changes = await persons.mirrorSince(version);
      return changes.version === version ? null : files.writeMirror(changes);
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

const holdsEvents = ({ kind }: Frame) => kind === "events" || kind === "historical";

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

/** What a journal entry of warnings says. */
function warningsOf({ lines, count, project_id, arrived_at }: Frame): ProjectWarning[] {
  const texts = utf8.decode(lines).split("\n").slice(0, count);
  return texts.map((text) => ({ ...(JSON.parse(text) as Warning), project_id, at: arrived_at }));
}

/** The event is stored, but not all that it asks for was done. */
function refusalWarning({ type, of }: Refused<Candidate>): ProjectWarning {
  const { uuid: event_uuid, distinct_id } = of.event;
  return { type, count: 1, event_uuid, distinct_id, project_id: of.project_id, at: of.arrived_at };
}

/** A resend is as it should be; another event under a known uuid is lost. */
function duplicateWarning(duplicate: Duplicate): ProjectWarning[] {
  const { project_id, arrived_at: at, uuid: event_uuid, distinct_id, same } = duplicate;
  if (same) return [];
  return [{ type: "duplicate_uuid", count: 1, event_uuid, distinct_id, project_id, at }];
}

/** Keeps the first of each (project, uuid), in the slice, in the last ones and in the store. */
function deduplicate(
  candidates: Candidate[],
  {
    stored,
    recent,
    windowMs,
  }: { stored: KnownEvent[]; recent: Map<string, Identity>[]; windowMs: number },
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
    const { uuid, distinct_id } = event;
    duplicates.push({ project_id, arrived_at: candidate.arrived_at, uuid, distinct_id, same });
    return false;
  });
  return { kept, duplicates, uuids };
}

type Applicable = { events: Candidate[]; warnings: ProjectWarning[]; last: number };

/** Stores what a slice does to persons, and what there is to warn of. */
async function applied({ events, warnings: found, last }: Applicable, persons: PersonWrites) {
  const { person_ids, changes, refused } = await identify(events, persons);
  const warnings = [...found, ...refused.map(refusalWarning)];
  return { person_ids, mirror: await persons.apply({ ...changes, warnings, applied_seq: last }) };
}

/** Whose events are by now, where SQLite has their slice and only the event store misses it. */
async function owners(events: Candidate[], persons: PersonWrites): Promise<string[]> {
  const refs = new Map<number, Map<string, PersonRef>>();
  for (const [project, group] of Map.groupBy(events, ({ project_id }) => project_id)) {
    const ids = new Set(group.map(({ event }) => event.distinct_id));
    refs.set(project, await persons.resolve(project, ids));
  }
  return events.map(({ project_id, event: { distinct_id } }) => {
    return refs.get(project_id)?.get(distinct_id)?.uuid ?? personUuid(project_id, distinct_id);
  });
}
