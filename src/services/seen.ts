import type { CapturedEvent } from "../domain/event.ts";
import {
  SEEN_FIELDS,
  type SeenEntries,
  type SeenHash,
  type SeenSeed,
  seenHash,
  seenHashOf,
  seenMark,
  seenTable,
  UNMARKED,
} from "../domain/seen.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** What tells a resent event from others. */
export type Identity = {
  project_id: number;
  /** Milliseconds since the epoch. */
  arrived_at: number;
  event: Pick<CapturedEvent, "uuid" | "event" | "distinct_id">;
};

/** An event with what is remembered of it. */
export type Marked<Event> = { event: Event; hash: SeenHash; mark: number };

/** An event whose uuid came before; `same` unless it is known to have been another event's. */
export type Repeated<Event> = { of: Event; same: boolean };

type Options = { windowMs: number; seed: SeenSeed };

/** The uuids of the deduplication window (decision 4), `windowMs` long by arrival. */
export function seenWindow({ windowMs, seed }: Options) {
  const table = seenTable();
  let lastHour = -1;

  return {
    /** Those of some events that are new, each but once, and those that are not. */
    sift<Event extends Identity>(events: readonly Event[]) {
      const fresh: Marked<Event>[] = [];
      const repeated: Repeated<Event>[] = [];
      const marks = new Map<string, number>();
      for (const event of events) {
        const { project_id, arrived_at } = event;
        const { uuid, event: name, distinct_id } = event.event;
        const key = `${uuid}${project_id}`;
        const hash = seenHashOf(seed, project_id, uuid);
        const mark = seenMark(name, distinct_id);
        const before = marks.get(key) ?? table.markSince(hash, arrived_at - windowMs);
        if (before === undefined) {
          marks.set(key, mark);
          fresh.push({ event, hash, mark });
        } else {
          repeated.push({ of: event, same: before === UNMARKED || before === mark });
        }
      }
      return { fresh, repeated };
    },

    /** Remembers events, once they cannot come again by a failure of ours. */
    add(events: readonly Marked<Identity>[]): void {
      for (const { event, hash, mark } of events) table.add(hash, event.arrived_at, mark);
    },

    /** Remembers what the event store holds. */
    addEntries(entries: SeenEntries): void {
      for (const { hash, minute, mark } of entriesOf(entries, seed)) {
        table.add(hash, minute * MINUTE_MS, mark);
      }
    },

    /** Forgets events that were deleted. Their hashes stay in memory until {@link sweep}. */
    removeEntries(entries: SeenEntries): void {
      for (const { hash } of entriesOf(entries, seed)) table.remove(hash);
    },

    /** Takes the hashes of removed entries out of memory. */
    sweep: (): void => table.sweep(),

    /** Forgets what has left the window, once an hour. */
    forget(now: number): void {
      const hour = Math.floor(now / HOUR_MS);
      if (hour === lastHour) return;
      lastHour = hour;
      table.forget(now - windowMs);
    },
  };
}

/** One by one: a view or an object of each would take more memory than all that is remembered. */
function* entriesOf(entries: SeenEntries, seed: SeenSeed) {
  const uuid: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < entries.length; at += SEEN_FIELDS) {
    for (let word = 0; word < uuid.length; word++) uuid[word] = entries[at + 1 + word] ?? 0;
    const hash = seenHash(seed, entries[at] ?? 0, uuid);
    yield { hash, minute: entries[at + 5] ?? 0, mark: entries[at + 6] ?? UNMARKED };
  }
}
