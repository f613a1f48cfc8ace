import { expect, test } from "bun:test";
import { definitions } from "../../../../src/core/events/definitions.ts";
import {
  KEPT_VOCABULARIES_MAX,
  keptVocabulary,
} from "../../../../src/core/insights/words/kept-vocabulary.ts";
import type { ProjectVocabulary } from "../../../../src/core/ports/vocabulary.ts";
import { EVENT_STORES, RECORD_STORES, withProjects } from "../../../stores/stores.ts";
import { batchEvent, batchOf, loadOf } from "../../../support/data/batches.ts";

const SIGNAL = new AbortController().signal;

const EMPTY = { person_properties: [], groups: [], values: [], propertiesAlsoCalled: [] };

/** Vocabularies of a store that counts how often it is read. */
function store() {
  let reads = 0;
  const clock = { now: 0 };
  const { vocabulary, drop } = keptVocabulary(
    (project) => {
      reads += 1;
      const event = { name: `${project} ${reads}`, count: 1, properties: [], alsoCalled: [] };
      return Promise.resolve({ ...EMPTY, events: [event] });
    },
    () => clock.now,
  );
  const nameOf = async (project: number) => (await vocabulary(project, SIGNAL)).events[0]?.name;
  return { clock, vocabulary, drop, nameOf, reads: () => reads };
}

test("a vocabulary is read once a minute, and the older one is given while it is read again", async () => {
  const { clock, vocabulary, nameOf, reads } = store();

  const first = await vocabulary(1, SIGNAL);
  clock.now = 60_000;
  expect(await vocabulary(1, SIGNAL)).toBe(first);
  expect(reads()).toBe(1);
  clock.now = 60_001;
  expect(await nameOf(1)).toBe("1 1");
  expect(await nameOf(1)).toBe("1 2");
  expect(reads()).toBe(2);
});

test("a vocabulary that was dropped is read again at once", async () => {
  const { drop, nameOf } = store();

  expect(await nameOf(1)).toBe("1 1");
  drop(1);
  expect(await nameOf(1)).toBe("1 2");
});

test("a vocabulary has the words of a project as soon as they have changed", async () => {
  const [openRecords, openEvents] = [RECORD_STORES[0]?.[1], EVENT_STORES[0]?.[1]];
  if (openRecords === undefined || openEvents === undefined) throw new Error("There is no store");
  using records = await withProjects(openRecords);
  const notes = records.definitions;
  await using stored = await openEvents({ groupTypes: records.groups.types, words: notes.words });
  const paid = batchEvent(1, { event: "paid", properties: { plan: "pro" } });
  await stored.store.append(loadOf(stored.files, batchOf(1, [paid])));
  const kept = keptVocabulary(stored.queries.vocabulary, () => 0);
  const { describe } = definitions({
    ...{ reads: stored.definitions, notes, writes: notes, onWords: kept.drop },
    isCatchingUp: () => false,
  });
  const event = { project: 1, kind: "event", name: "paid" } as const;
  const property = { project: 1, kind: "event_property", name: "plan" } as const;

  const before = await kept.vocabulary(1, SIGNAL);
  expect(before.events[0]?.alsoCalled).toEqual([]);
  await describe(event, { description: "An order." }, SIGNAL);
  expect(await kept.vocabulary(1, SIGNAL)).toBe(before);
  await describe(event, { also_called: ["order"] }, SIGNAL);
  await describe(property, { also_called: ["tier"] }, SIGNAL);
  const { events, propertiesAlsoCalled } = await kept.vocabulary(1, SIGNAL);
  expect(events[0]?.alsoCalled).toEqual(["order"]);
  expect(propertiesAlsoCalled).toEqual([{ type: "event", name: "plan", words: ["tier"] }]);
});

test("a vocabulary that was dropped while it was read is not kept", async () => {
  const readings: PromiseWithResolvers<ProjectVocabulary>[] = [];
  const kept = keptVocabulary(
    () => {
      const reading = Promise.withResolvers<ProjectVocabulary>();
      readings.push(reading);
      return reading.promise;
    },
    () => 0,
  );

  const before = kept.vocabulary(1, SIGNAL);
  kept.drop(1);
  const after = kept.vocabulary(1, SIGNAL);
  const old = { ...EMPTY, events: [] };
  const changed = { ...EMPTY, events: [] };
  readings[0]?.resolve(old);
  readings[1]?.resolve(changed);
  expect(await before).toBe(old);
  expect(await after).toBe(changed);
  expect(await kept.vocabulary(1, SIGNAL)).toBe(changed);
});

test("vocabularies of the projects that were asked for last are kept", async () => {
  const { nameOf, reads } = store();
  for (let project = 0; project <= KEPT_VOCABULARIES_MAX; project += 1) await nameOf(project);

  expect(reads()).toBe(KEPT_VOCABULARIES_MAX + 1);
  await nameOf(1);
  expect(reads()).toBe(KEPT_VOCABULARIES_MAX + 1);
  await nameOf(0);
  expect(reads()).toBe(KEPT_VOCABULARIES_MAX + 2);
});

test("a reading that failed is not kept", async () => {
  let isBroken = true;
  const kept = keptVocabulary(
    () =>
      isBroken ? Promise.reject(new Error("no disk")) : Promise.resolve({ ...EMPTY, events: [] }),
    () => 0,
  );

  await expect(kept.vocabulary(1, SIGNAL)).rejects.toThrow("no disk");
  isBroken = false;
  expect((await kept.vocabulary(1, SIGNAL)).events).toEqual([]);
});
