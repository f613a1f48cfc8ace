import { expect, test } from "bun:test";
import {
  KEPT_PROJECTS_MAX,
  keptWords,
  LARGE_EVENTS,
} from "../../../src/core/insights/kept-words.ts";
import type { KnownValue } from "../../../src/core/questions/language/name-keys.ts";
import { NAMES_MAX } from "../../../src/core/questions/names.ts";

const SIGNAL = new AbortController().signal;

/** Words of a store with projects of so many events, which counts how often it is read. */
function store({ events = 10, names = 1 } = {}) {
  const reads = { names: 0, values: 0 };
  const clock = { now: 0 };
  const kept = keptWords(
    {
      names: () => {
        reads.names += 1;
        const count = events / names;
        const all = Array.from({ length: names }, (_, at) => ({ name: `event ${at}`, count }));
        return Promise.resolve({ events: all, properties: [], person_properties: [] });
      },
      values: (project) => {
        reads.values += 1;
        const value: KnownValue = {
          property: { of: "event", name: "plan" },
          value: `Pro ${project} ${reads.values}`,
          count: 1,
        };
        return Promise.resolve([value]);
      },
    },
    () => clock.now,
  );
  const textsOf = async (of: "typed" | "asked", project: number, ...asked: string[]) =>
    (await kept[of].values(project, SIGNAL, asked)).map(({ value }) => value);
  const namesOf = async (project: number) =>
    (await kept.asked.names(project, SIGNAL, [])).events.length;
  return { kept, clock, textsOf, namesOf, reads };
}

test("values for typed words are read once a minute, and the older ones are given while they are read again", async () => {
  const { clock, textsOf, reads } = store();

  expect(await textsOf("typed", 1, "pro", "pro 1 1")).toEqual(["Pro 1 1"]);
  clock.now = 60_000;
  expect(await textsOf("typed", 1, "pro 1 1")).toEqual(["Pro 1 1"]);
  expect(reads.values).toBe(1);
  clock.now = 60_001;
  expect(await textsOf("typed", 1, "pro 1 1", "pro 1 2")).toEqual(["Pro 1 1"]);
  expect(await textsOf("typed", 1, "pro 1 1", "pro 1 2")).toEqual(["Pro 1 2"]);
  expect(reads.values).toBe(2);
});

test("names and values for questions are read each time, of a large project once a minute", async () => {
  const small = store();
  const large = store({ events: LARGE_EVENTS });
  for (const { namesOf, textsOf } of [small, large, small, large]) {
    await namesOf(1);
    await textsOf("asked", 1);
  }

  expect([small.reads, small.kept.isLarge(1)]).toEqual([{ names: 2, values: 2 }, false]);
  expect([large.reads, large.kept.isLarge(1)]).toEqual([{ names: 1, values: 1 }, true]);
  large.clock.now = 60_001;
  await large.namesOf(1);
  expect(await large.textsOf("asked", 1, "pro 1 1", "pro 1 2")).toEqual(["Pro 1 2"]);
  expect(large.reads).toEqual({ names: 2, values: 2 });
});

test("a question's own names are looked up where a large project has more than are kept", async () => {
  const { namesOf, reads } = store({ events: LARGE_EVENTS, names: NAMES_MAX });
  await namesOf(1);
  await namesOf(1);

  expect(reads.names).toBe(2);
});

test("values of the projects that were asked for last are kept", async () => {
  const { textsOf, reads } = store();
  for (let project = 0; project <= KEPT_PROJECTS_MAX; project += 1) await textsOf("typed", project);

  expect(reads.values).toBe(KEPT_PROJECTS_MAX + 1);
  await textsOf("typed", 1);
  expect(reads.values).toBe(KEPT_PROJECTS_MAX + 1);
  await textsOf("typed", 0);
  expect(reads.values).toBe(KEPT_PROJECTS_MAX + 2);
});

test("a reading that failed is not kept", async () => {
  let isBroken = true;
  const { typed } = keptWords(
    {
      names: () => Promise.reject(new Error("not asked for")),
      values: () => (isBroken ? Promise.reject(new Error("no disk")) : Promise.resolve([])),
    },
    () => 0,
  );

  await expect(typed.values(1, SIGNAL, [])).rejects.toThrow("no disk");
  isBroken = false;
  expect(await typed.values(1, SIGNAL, [])).toEqual([]);
});
