import type { CapturedEvent } from "../domain/event.ts";
import { personUuid } from "../domain/person.ts";
import { type SeenEntries, type SeenHash, seenHashOf } from "../domain/seen.ts";
import type { SplitAsked } from "../domain/split.ts";
import type { ProjectWarning, Warning } from "../domain/warning.ts";
import type { KnownEvent, Suspect } from "../storage/events.ts";
import type { Frame, JournalReader } from "../storage/journal.ts";
import type { PersonRef, PersonWrites } from "../storage/persons.ts";
import type { MirrorFiles, Slice, SliceEvent, sliceFiles } from "../storage/slices.ts";
import { type Grouped, group } from "./groups.ts";
import { identify, type Refused } from "./identity.ts";
import { seenWindow } from "./seen.ts";

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

type Candidate = Omit<SliceEvent, "person_id" | "groups"> & { hash: SeenHash };
type Read = {
  range: { first: number; last: number };
  candidates: Candidate[];
  logs: Frame[];
  warnings: ProjectWarning[];
};
type Identity = Pick<CapturedEvent, "event" | "distinct_id"> & { arrived_at: number };

/**
 * Makes slices of the journal, in the thread that owns SQLite: deduplicates (decision 4), applies what they
 * do to persons, writes them for DuckDB. Each slice is read, then applied, in order; others may be
 * read in between.
 */
export function slices({ journal, persons, files, windowMs }: Needs) {
  const seen = seenWindow(windowMs);
  /** The events of slices that the event store may not have committed yet. */
  let recent: { last: number; uuids: Map<string, Identity> }[] = [];
  /** Slices that were read and are to be applied, in order. */
  let reads: Read[] = [];
  const suspectsOf = ({ project_id, arrived_at, event, hash }: Candidate, place: number) =>
    seen.blocks(hash).map((block): Suspect => {
      return { place, project_id, uuid: event.uuid, block, since: arrived_at - windowMs };
    });

  const inRecent = ({ hash }: Candidate, key: string): Identity | undefined =>
    // The filter knows all that was applied: hardly any event is looked up.
    seen.blocks(hash).length === 0
      ? undefined
      : recent.map(({ uuids }) => uuids.get(key)).find((known) => known !== undefined);

  return {
    /** Remembers what the event store holds of the window; before the first slice is read. */
    async remember(entries: SeenEntries): Promise<void> {
      seen.addEntries(entries);
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
      if (last !== undefined) seen.forget(last.arrived_at);
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
      const { kept, duplicates, uuids } = deduplicate(candidates, { stored, inRecent, windowMs });
      const replayed = range.last <= (await persons.applied());
      const found = [...warnings, ...duplicates.flatMap(duplicateWarning)];
      const { keys, ...grouped } = await group(kept, persons);
      const { person_ids, mirror } = replayed
        ? { person_ids: await owners(kept, persons), mirror: null }
        : await applied(kept, persons, { grouped, found, last: range.last });
      for (const { seq, arrived_at, hash } of kept) seen.add(hash, seq, arrived_at);
      const events = kept.map((event, at) => {
        return { ...event, person_id: person_ids[at] ?? "", groups: keys[at] };
      });
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

    /** Splits a person; what the mirror lacks then, null if there is no such person. */
    async split(project: number, id: number, asked: SplitAsked): Promise<MirrorFiles | null> {
      const changes = await persons.split(project, id, asked);
      return changes === undefined ? null : files.writeMirror(changes);
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

function eventsOf({ kind, lines, count, first_seq, project_id, arrived_at }: Frame): Candidate[] {
  const texts = utf8.decode(lines).split("\n");
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const historical = kind === "historical";
  let start = 0;
  return texts.slice(0, count).map((text, index) => {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = lines.subarray(start, end);
    start = end + 1;
    const event = JSON.parse(text) as CapturedEvent;
    const hash = seenHashOf(project_id, event.uuid);
    return { seq: first_seq + index, project_id, arrived_at, historical, event, hash, line };
  });
}

const LINE_FEED = 0x0a;

/** What is known of events that came before a slice. */
type Known = {
  stored: KnownEvent[];
  inRecent(candidate: Candidate, key: string): Identity | undefined;
  windowMs: number;
};

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
  { stored, inRecent, windowMs }: Known,
): { kept: Candidate[]; duplicates: Duplicate[]; uuids: Map<string, Identity> } {
  const inStore = new Map(stored.map((event) => [event.place, event]));
  const uuids = new Map<string, Identity>();
  const duplicates: Duplicate[] = [];
  const kept = candidates.filter((candidate, place) => {
    const key = keyOf(candidate);
    const { event, project_id } = candidate;
    const inMemory = uuids.get(key) ?? inRecent(candidate, key);
    const isRecent = inMemory && inMemory.arrived_at >= candidate.arrived_at - windowMs;
    const before = inStore.get(place) ?? (isRecent ? inMemory : undefined);
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

type Applicable = {
  grouped: Pick<Grouped<Candidate>, "changes" | "refused">;
  found: ProjectWarning[];
  last: number;
};

/** Stores what a slice does to persons and groups, and what there is to warn of. */
async function applied(
  events: Candidate[],
  persons: PersonWrites,
  { grouped, found, last }: Applicable,
) {
  const { person_ids, changes, refused } = await identify(events, persons);
  const warnings = [...found, ...[...refused, ...grouped.refused].map(refusalWarning)];
  const groups = grouped.changes;
  const mirror = await persons.apply({ ...changes, groups, warnings, applied_seq: last });
  return { person_ids, mirror };
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
