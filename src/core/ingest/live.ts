import type { EventReads, LiveFilter } from "../ports/events.ts";
import type { Log } from "../ports/log.ts";
import type { WarningReads } from "../ports/warnings.ts";
import { Failure } from "../values/failure.ts";
import { type Json, type JsonObject, setKey, storableJson } from "../values/json.ts";
import { meaningOf } from "../warnings/meanings.ts";
import type { Ingest } from "./ingest.ts";

/** Readers of live events of the whole server. */
export const LIVE_READERS_MAX = 32;

/** Readers of live events with one personal key. */
export const LIVE_READERS_PER_KEY_MAX = 4;

/** Events in one message: the newest. */
export const LIVE_EVENTS_MAX = 20;

/** Bytes of the properties of an event in a message; properties that do not fit are left out. */
export const LIVE_PROPERTIES_BYTES_MAX = 2048;

/** The pause between two looks at the event store, in milliseconds: at most four messages of events a second. */
const LOOK_MS = 250;

/** Looks between two messages with numbers. */
const LOOKS_PER_STATS = 4;

/** Types of warnings that are compared: the latest. */
const WARNINGS_SEEN = 10;

/** An event in a message. */
export type LiveEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  timestamp: string;
  /** At most LIVE_PROPERTIES_BYTES_MAX bytes of them. */
  properties: JsonObject;
};

/** A message to a reader: the name of its type, and its content. */
export type LiveMessage =
  /** The newest first. */
  | { event: "events"; data: LiveEvent[] }
  /** Events of the last second that match, those among them that no message had, and the wait of the oldest. */
  | { event: "stats"; data: { per_second: number; hidden: number; lag_ms: number } }
  /** `count` is how many events or log records came since the last message about the type. */
  | { event: "warning"; data: { type: string; severity: string; meaning: string; count: number } }
  /** The last message. */
  | { event: "end"; data: { reason: string } };

/** Takes messages; returns whether there was room for this one. It never waits. */
export type TakeLive = (message: LiveMessage) => boolean;

/** A caller who wants to see events. */
export type LiveRequest = { project: number; key_id: number; filter: LiveFilter; take: TakeLive };

/** Events as they get into the event store. Without readers it does no work. */
export type LiveEvents = {
  /**
   * Begins to send messages, from the next event on, and returns the function that ends it. Fails
   * `throttled` beyond LIVE_READERS_MAX and LIVE_READERS_PER_KEY_MAX.
   */
  join(request: LiveRequest): () => void;
  /** Ends all readers with a last message. */
  end(reason: string): void;
};

type Needs = {
  events: Pick<EventReads, "arrivedSince">;
  warnings: Pick<WarningReads, "list">;
  ingest: Pick<Ingest, "applied">;
  /** How long the oldest event after a sequence number waits, in milliseconds. */
  waitMs: (applied: number) => number;
  log: Log;
};

type Reader = LiveRequest & { count: number; hidden: number };

/** Readers with one project and one filter; they have all matching events up to `since`. */
type Group = { project: number; filter: LiveFilter; since: number; readers: Set<Reader> };

/** Sends events to readers as the event store has them, so that a query finds each of them (decision 170). */
export function liveEvents(needs: Needs): LiveEvents {
  const { ingest, waitMs, log } = needs;
  const groups = new Map<string, Group>();
  const warned = warningCounts(needs.warnings);
  let timer: ReturnType<typeof setInterval> | undefined;
  let looks = 0;
  let isLooking = false;

  const readers = () => [...groups.values()].flatMap((group) => [...group.readers]);

  const sendStats = (reader: Reader) => {
    const { count: per_second, hidden } = reader;
    const lag_ms = waitMs(ingest.applied());
    Object.assign(reader, { count: 0, hidden: 0 });
    reader.take({ event: "stats", data: { per_second, hidden, lag_ms } });
  };

  const look = async () => {
    looks += 1;
    // The numbers come also while a slow store keeps the last look busy.
    if (looks % LOOKS_PER_STATS === 0) for (const reader of readers()) sendStats(reader);
    if (isLooking) return;
    isLooking = true;
    try {
      for (const group of groups.values()) await send(needs, group);
      if (looks % LOOKS_PER_STATS === 0) await warned.compare(readers());
    } catch (error) {
      log.warn("events could not be read for live readers; trying again", { error });
    } finally {
      isLooking = false;
    }
  };

  const leave = (key: string, reader: Reader) => {
    groups.get(key)?.readers.delete(reader);
    if (groups.get(key)?.readers.size === 0) groups.delete(key);
    if (groups.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    warned.forget();
  };

  return {
    join(request) {
      checkRoom(readers(), request.key_id);
      const { project, filter } = request;
      const key = JSON.stringify([project, filter.event ?? null, filter.distinct_id ?? null]);
      const reader = { ...request, count: 0, hidden: 0 };
      const fresh = { project, filter, since: ingest.applied(), readers: new Set<Reader>() };
      const group = groups.get(key) ?? fresh;
      group.readers.add(reader);
      groups.set(key, group);
      timer ??= setInterval(look, LOOK_MS);
      sendStats(reader);
      void warned.begin(project);
      return () => leave(key, reader);
    },
    end(reason) {
      for (const reader of readers()) reader.take({ event: "end", data: { reason } });
    },
  };
}

function checkRoom(readers: readonly Reader[], key_id: number): void {
  const own = readers.filter((reader) => reader.key_id === key_id).length;
  if (own >= LIVE_READERS_PER_KEY_MAX) {
    const detail = `A key has at most ${LIVE_READERS_PER_KEY_MAX} live readers. Close another one.`;
    throw new Failure("throttled", detail);
  }
  if (readers.length < LIVE_READERS_MAX) return;
  throw new Failure("throttled", `There are ${LIVE_READERS_MAX} live readers already.`);
}

/** Sends the events that came since the last look. */
async function send({ events, ingest }: Needs, group: Group): Promise<void> {
  const applied = ingest.applied();
  // A rebuild begins with low numbers again: its events are not new.
  if (applied <= group.since) return;
  const { project, filter, since } = group;
  const range = { after: since, upTo: applied, limit: LIVE_EVENTS_MAX };
  const { count, rows } = await events.arrivedSince(project, filter, range, NEVER);
  group.since = applied;
  if (count === 0) return;
  const data = rows.map((row) => ({ ...row, properties: briefly(row.properties) }));
  for (const reader of group.readers) {
    const isTaken = reader.take({ event: "events", data });
    reader.count += count;
    reader.hidden += isTaken ? count - data.length : count;
  }
}

/** The signal of a read that no caller ends; the time limit of reads ends it. */
const NEVER = new AbortController().signal;

/** Returns the first properties that fit into LIVE_PROPERTIES_BYTES_MAX. */
function briefly(properties: JsonObject): JsonObject {
  const brief: JsonObject = {};
  let bytes = 2;
  for (const [key, value] of Object.entries(properties)) {
    const own = Buffer.byteLength(storableJson({ [key]: value as Json })) - 1;
    if (bytes + own > LIVE_PROPERTIES_BYTES_MAX) continue;
    bytes += own;
    setKey(brief, key, value as Json);
  }
  return brief;
}

/** Compares the counts of warnings with those of the last look, by project. */
function warningCounts(warnings: Needs["warnings"]) {
  const known = new Map<number, Map<string, number>>();
  const compareCounts = async (project: number, readers: readonly Reader[]) => {
    const { rows } = await warnings.list(project, {}, { limit: WARNINGS_SEEN, offset: 0 });
    const before = known.get(project);
    known.set(project, new Map(rows.map(({ type, count }) => [type, count])));
    if (before === undefined) return;
    for (const { type, count } of rows) {
      const more = count - (before.get(type) ?? 0);
      if (more <= 0) continue;
      const data = { type, ...meaningOf(type), count: more };
      for (const reader of readers) reader.take({ event: "warning", data });
    }
  };
  return {
    async compare(readers: readonly Reader[]): Promise<void> {
      for (const [project, own] of Map.groupBy(readers, (reader) => reader.project)) {
        await compareCounts(project, own);
      }
    },
    /** Notes the counts from which on warnings are new; a failure leaves that to the next look. */
    begin: (project: number) =>
      known.has(project) ? undefined : compareCounts(project, []).catch(() => {}),
    forget: () => known.clear(),
  };
}
