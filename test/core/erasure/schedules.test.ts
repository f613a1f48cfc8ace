import { afterEach, expect, test } from "bun:test";
import { schedules } from "../../../src/core/erasure/schedules.ts";

const PATTERNS = { weekly: "0 5 * * 0", nightly: "0 3 * * *" };

/** Schedules whose memory outlives a restart, and a clock that is moved by hand. */
function scheduled(start: string) {
  const clock = { now: Date.parse(start) };
  const kept = new Map<string, string>();
  const memory = {
    read: async (kind: string) => kept.get(kind),
    write: async (kind: string, at: string) => void kept.set(kind, at),
  };
  const begin = () => schedules(PATTERNS, memory, () => clock.now);
  let current = begin();
  return {
    restart: () => {
      current = begin();
    },
    /** What is due at a time and, by default, is done then. */
    at: async (time: string, { isDone = true } = {}) => {
      clock.now = Date.parse(time);
      const due = await current.look();
      if (isDone) await current.note(due);
      return due.map(({ kind }) => kind);
    },
  };
}

const zone = process.env["TZ"];
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

test("each kind is due at its time, once, and nothing was missed before the first look", async () => {
  const { at } = scheduled("2026-11-21T12:00:00Z");
  expect(await at("2026-11-21T12:00:00Z")).toEqual([]);
  expect(await at("2026-11-22T02:59:59.999Z")).toEqual([]);
  expect(await at("2026-11-22T03:00:00Z")).toEqual(["nightly"]);
  expect(await at("2026-11-22T03:00:30Z")).toEqual([]);
  expect(await at("2026-11-22T04:59:59.999Z")).toEqual([]);
  expect(await at("2026-11-22T05:00:00Z")).toEqual(["weekly"]);
  expect(await at("2026-11-22T05:00:00Z")).toEqual([]);
});

test("missed runs are due once at the next start, both kinds together", async () => {
  const { at, restart } = scheduled("2026-11-21T12:00:00Z");
  await at("2026-11-21T12:00:00Z");
  restart();
  expect(await at("2026-12-21T12:00:00Z")).toEqual(["weekly", "nightly"]);
  restart();
  expect(await at("2026-12-21T12:00:01Z")).toEqual([]);
});

test("a due run stays due until it is done, also over a restart", async () => {
  const { at, restart } = scheduled("2026-11-21T12:00:00Z");
  await at("2026-11-21T12:00:00Z");
  expect(await at("2026-11-22T05:00:00Z", { isDone: false })).toEqual(["weekly", "nightly"]);
  restart();
  expect(await at("2026-11-22T05:00:30Z")).toEqual(["weekly", "nightly"]);
  expect(await at("2026-11-22T05:01:00Z")).toEqual([]);
});

/** A Sunday, from which on the next ten weeks have both beginnings of summer time, or both ends. */
const BEGINS = Date.UTC(2026, 2, 1);
const ENDS = Date.UTC(2026, 8, 20);
const HOUR_MS = 3_600_000;

test.each([
  ["begins", "Europe/Berlin", BEGINS],
  ["begins", "America/New_York", BEGINS],
  ["ends", "Europe/Berlin", ENDS],
  ["ends", "America/New_York", ENDS],
])("summer time that %s in %s moves nothing: 05:00 UTC every Sunday", async (_, name, first) => {
  process.env["TZ"] = name;
  const start = new Date(first).toISOString();
  const { at } = scheduled(start);
  await at(start);
  const taken: number[] = [];
  for (let hour = 0; hour < 24 * 70; hour++) {
    const time = first + hour * HOUR_MS;
    if ((await at(new Date(time).toISOString())).includes("weekly")) taken.push(time);
  }
  const weeks = Array.from({ length: 10 }, (_week, n) => n);
  expect(taken).toEqual(weeks.map((n) => first + (n * 7 * 24 + 5) * HOUR_MS));
});

test("a clock that is set back makes nothing due, and later times are due again", async () => {
  const { at } = scheduled("2026-11-21T12:00:00Z");
  await at("2026-11-21T12:00:00Z");
  expect(await at("2099-01-01T00:00:00Z")).toEqual(["weekly", "nightly"]);
  expect(await at("2026-11-21T12:01:00Z")).toEqual([]);
  expect(await at("2026-11-22T03:00:00Z")).toEqual(["nightly"]);
  expect(await at("2026-11-22T05:00:00Z")).toEqual(["weekly"]);
});
