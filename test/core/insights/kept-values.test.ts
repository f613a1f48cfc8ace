import { expect, test } from "bun:test";
import { KEPT_VALUES_PROJECTS_MAX, keptValues } from "../../../src/core/insights/kept-values.ts";
import type { KnownValue } from "../../../src/core/questions/language/name-keys.ts";

const SIGNAL = new AbortController().signal;

/** Values of a store that counts how often it is read. */
function store() {
  let reads = 0;
  const clock = { now: 0 };
  const values = keptValues(
    (project) => {
      reads += 1;
      const value: KnownValue = {
        property: { of: "event", name: "plan" },
        value: `Pro ${project} ${reads}`,
        count: 1,
      };
      return Promise.resolve([value]);
    },
    () => clock.now,
  );
  const textsOf = async (project: number, ...asked: string[]) =>
    (await values(project, SIGNAL, asked)).map(({ value }) => value);
  return { clock, textsOf, reads: () => reads };
}

test("values are read once a minute, and the older ones are given while they are read again", async () => {
  const { clock, textsOf, reads } = store();

  expect(await textsOf(1, "pro", "pro 1 1")).toEqual(["Pro 1 1"]);
  clock.now = 60_000;
  expect(await textsOf(1, "pro 1 1")).toEqual(["Pro 1 1"]);
  expect(reads()).toBe(1);
  clock.now = 60_001;
  expect(await textsOf(1, "pro 1 1", "pro 1 2")).toEqual(["Pro 1 1"]);
  expect(await textsOf(1, "pro 1 1", "pro 1 2")).toEqual(["Pro 1 2"]);
  expect(reads()).toBe(2);
});

test("values of the projects that were asked for last are kept", async () => {
  const { textsOf, reads } = store();
  for (let project = 0; project <= KEPT_VALUES_PROJECTS_MAX; project += 1) await textsOf(project);

  expect(reads()).toBe(KEPT_VALUES_PROJECTS_MAX + 1);
  await textsOf(1);
  expect(reads()).toBe(KEPT_VALUES_PROJECTS_MAX + 1);
  await textsOf(0);
  expect(reads()).toBe(KEPT_VALUES_PROJECTS_MAX + 2);
});

test("a reading that failed is not kept", async () => {
  let isBroken = true;
  const values = keptValues(
    () => (isBroken ? Promise.reject(new Error("no disk")) : Promise.resolve([])),
    () => 0,
  );

  await expect(values(1, SIGNAL, [])).rejects.toThrow("no disk");
  isBroken = false;
  expect(await values(1, SIGNAL, [])).toEqual([]);
});
