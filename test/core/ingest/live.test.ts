import { afterEach, expect, jest, test } from "bun:test";
import {
  LIVE_EVENTS_MAX,
  LIVE_READERS_MAX,
  LIVE_READERS_PER_KEY_MAX,
  type LiveMessage,
  liveEvents,
} from "../../../src/core/ingest/live.ts";
import type { EventReads, EventRow } from "../../../src/core/ports/events.ts";
import type { WarningRow } from "../../../src/core/ports/warnings.ts";

afterEach(() => jest.useRealTimers());

const SECOND_MS = 1000;

const row = (seq: number, properties = {}): EventRow & { seq: number } => ({
  ...{ seq, uuid: `u${seq}`, event: "seen", distinct_id: "ann", person_id: "p" },
  ...{ timestamp: "2026-11-21T12:00:00.000000Z", properties },
});

/** Live events over a list of rows, on a clock that `pass` moves. */
function living() {
  jest.useFakeTimers();
  const stored: (EventRow & { seq: number })[] = [];
  const warned: WarningRow[] = [];
  const calls = { reads: 0, warnings: 0 };
  const arrivedSince: EventReads["arrivedSince"] = async (_project, { event }, range) => {
    calls.reads += 1;
    const found = stored
      .filter(({ seq }) => seq > range.after && seq <= range.upTo)
      .filter((one) => event === undefined || one.event === event);
    const newest = found.toReversed().slice(0, range.limit);
    return { count: found.length, rows: newest.map(({ seq: _, ...rest }) => rest) };
  };
  const live = liveEvents({
    events: { arrivedSince },
    warnings: {
      list: async () => {
        calls.warnings += 1;
        return { count: warned.length, rows: warned };
      },
    },
    ingest: { applied: () => stored.at(-1)?.seq ?? 0 },
    waitMs: () => 7,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      jest.advanceTimersByTime(250);
      for (let n = 0; n < 20; n += 1) await Promise.resolve();
    }
  };
  const reader = (fields: { key_id?: number; event?: string; isFull?: () => boolean } = {}) => {
    const { key_id = 1, event, isFull = () => false } = fields;
    const messages: LiveMessage[] = [];
    const take = (message: LiveMessage) => {
      if (isFull()) return false;
      messages.push(message);
      return true;
    };
    const filter = event === undefined ? {} : { event };
    const leave = live.join({ project: 1, key_id, filter, take });
    const uuids = () =>
      messages.flatMap((one) => (one.event === "events" ? [one.data.map(({ uuid }) => uuid)] : []));
    const stats = () => messages.filter((one) => one.event === "stats").map(({ data }) => data);
    return { leave, messages, uuids, stats };
  };
  return { stored, warned, calls, live, pass, reader };
}

test("events come once, the newest first, and only those after the reader began", async () => {
  const { stored, pass, reader } = living();
  stored.push(row(1));
  const { uuids, stats } = reader();
  stored.push(row(2), row(3));
  await pass(250);
  await pass(500);
  stored.push(row(4));
  await pass(250);

  expect(uuids()).toEqual([["u3", "u2"], ["u4"]]);
  expect(stats()).toEqual([
    { per_second: 0, hidden: 0, lag_ms: 7 },
    { per_second: 2, hidden: 0, lag_ms: 7 },
  ]);
  await pass(SECOND_MS);
  expect(stats().at(-1)).toMatchObject({ per_second: 1, hidden: 0 });
});

test("a message has the newest events alone, and the others are counted", async () => {
  const { stored, pass, reader } = living();
  const { uuids, stats } = reader();
  stored.push(...Array.from({ length: LIVE_EVENTS_MAX + 5 }, (_, n) => row(n + 1)));
  await pass(SECOND_MS);

  expect(uuids()[0]).toHaveLength(LIVE_EVENTS_MAX);
  await pass(SECOND_MS);
  const sum = (name: "hidden" | "per_second") =>
    stats().reduce((total, one) => total + (one as Record<typeof name, number>)[name], 0);
  expect([sum("per_second"), sum("hidden")]).toEqual([LIVE_EVENTS_MAX + 5, 5]);
});

test("a reader without room misses events, which are counted, and others get them", async () => {
  const { stored, pass, reader } = living();
  let isFull = false;
  const slow = reader({ isFull: () => isFull });
  const fast = reader();
  isFull = true;
  stored.push(row(1), row(2));
  await pass(500);
  isFull = false;
  await pass(SECOND_MS);

  expect(fast.uuids()).toEqual([["u2", "u1"]]);
  expect(slow.uuids()).toEqual([]);
  expect(slow.stats().at(-1)).toMatchObject({ per_second: 2, hidden: 2 });
});

test("readers of one filter share a read, and nothing is read without readers", async () => {
  const { stored, calls, pass, reader } = living();
  stored.push(row(1));
  await pass(SECOND_MS);
  expect(calls).toEqual({ reads: 0, warnings: 0 });

  const [one, two] = [reader(), reader()];
  const other = reader({ event: "paid" });
  await pass(SECOND_MS);
  expect(calls.reads).toBe(0);
  stored.push(row(2));
  await pass(250);
  expect(calls.reads).toBe(2);
  expect([one.uuids(), two.uuids(), other.uuids()]).toEqual([[["u2"]], [["u2"]], []]);

  for (const { leave } of [one, two, other]) leave();
  const before = { ...calls };
  stored.push(row(3));
  await pass(5 * SECOND_MS);
  expect(calls).toEqual(before);
  expect(jest.getTimerCount()).toBe(0);
});

test("large properties are left out of a message, and small ones stay", async () => {
  const { stored, pass, reader } = living();
  const { messages } = reader();
  stored.push(row(1, { plan: "pro", text: "x".repeat(3000), __proto__x: 1, n: 5 }));
  await pass(250);
  const [found] = messages.filter((one) => one.event === "events");
  expect(found?.data).toMatchObject([{ properties: { plan: "pro", n: 5 } }]);
  expect(JSON.stringify(found)).not.toContain("xxx");
});

test("a warning comes with the number of new ones, and not with old ones", async () => {
  const { warned, pass, reader } = living();
  const at = "2026-11-21T12:00:00.000000Z";
  const counted = (count: number): WarningRow => ({
    ...{ project_id: 1, type: "invalid_event", count, first_at: at, last_at: at, samples: [] },
  });
  warned.push(counted(5));
  const { messages } = reader();
  await pass(2 * SECOND_MS);
  warned[0] = counted(8);
  await pass(2 * SECOND_MS);

  expect(messages.filter(({ event }) => event === "warning")).toEqual([
    {
      event: "warning",
      data: { type: "invalid_event", severity: "error", meaning: expect.any(String), count: 3 },
    },
  ]);
});

test("readers are at most so many, of a key and in all", () => {
  const { live, reader } = living();
  const keys = LIVE_READERS_MAX / LIVE_READERS_PER_KEY_MAX;
  const own = Array.from({ length: LIVE_READERS_PER_KEY_MAX }, () => reader({ key_id: 1 }));
  expect(() => reader({ key_id: 1 })).toThrow("A key has at most");
  own[0]?.leave();
  own.push(reader({ key_id: 1 }));
  for (let key_id = 2; key_id <= keys; key_id += 1) {
    for (let n = 0; n < LIVE_READERS_PER_KEY_MAX; n += 1) own.push(reader({ key_id }));
  }
  expect(() => reader({ key_id: 99 })).toThrow(`${LIVE_READERS_MAX} live readers`);

  live.end("shutting_down");
  for (const { messages } of own.slice(1)) {
    expect(messages.at(-1)).toEqual({ event: "end", data: { reason: "shutting_down" } });
  }
  for (const { leave } of own) leave();
});
