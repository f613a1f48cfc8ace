import { describe, expect, test } from "bun:test";
import {
  batchEvent,
  eventBatch,
  logFrame,
  numbersIn,
  projectedPerson,
  projectionChanges,
  upTo,
} from "../../support/data/batches.ts";
import { readLines } from "../../support/start/server.ts";
import { LOADS } from "../stores.ts";

describe.each(LOADS)("loads in %s", (_name, make) => {
  test("batches make one load, until it is full or ended", () => {
    using made = make();
    const files = made.open();
    expect(files.end()).toBeNull();

    expect(files.add(eventBatch(1, 3))).toEqual([]);
    expect(files.add(eventBatch(4, 7))).toEqual([]);
    const load = files.end();

    expect(load).toMatchObject({ first: 1, last: 7, count: 7, logs: null, projection: null });
    expect(numbersIn(load?.events)).toEqual(upTo(1, 7));
    expect(files.end()).toBeNull();
  });

  test("a full load ends within a batch, and the next one continues after it", () => {
    using made = make();
    const files = made.open();
    files.add(eventBatch(1, 7));

    const full = files.add(eventBatch(8, 35));
    const rest = files.end();

    expect(full).toMatchObject([
      { first: 1, last: 10, count: 10 },
      { first: 11, last: 20, count: 10 },
      { first: 21, last: 30, count: 10 },
    ]);
    expect(full.map(({ events }) => numbersIn(events))).toEqual([
      upTo(1, 10),
      upTo(11, 20),
      upTo(21, 30),
    ]);
    expect(rest).toMatchObject({ first: 31, last: 35, count: 5 });
    expect(numbersIn(rest?.events)).toEqual(upTo(31, 35));
  });

  test("a batch that fills a load to the last event starts no further load", () => {
    using made = make();
    const files = made.open();
    // The last two numbers are those of duplicates.
    const [full] = files.add({ ...eventBatch(1, 10), range: { first: 1, last: 12 } });
    expect(full).toMatchObject({ first: 1, last: 12, count: 10 });
    expect(files.end()).toBeNull();
  });

  test("a batch without events makes a load, so that its number is reached", () => {
    using made = make();
    const files = made.open();
    files.add({ ...eventBatch(1, 0), range: { first: 1, last: 4 } });
    expect(files.end()).toMatchObject({ first: 1, last: 4, count: 0, events: null });
  });

  test("log records go with the load that has their numbers", () => {
    using made = make();
    const files = made.open();
    const events = [...upTo(1, 8), ...upTo(12, 20)].map((seq) => batchEvent(seq));
    const range = { first: 1, last: 22 };
    const logs = [logFrame(9, 3), logFrame(21, 2)];

    const [full] = files.add({ range, events, logs, projection: null });
    const rest = files.end();

    expect(full).toMatchObject({ last: 13, count: 13 });
    expect(numbersIn(full?.logs)).toEqual([9, 10, 11]);
    expect(rest).toMatchObject({ first: 14, last: 22, count: 9 });
    expect(numbersIn(rest?.logs)).toEqual([21, 22]);
  });

  test("a load says whether it has events of a historical migration", () => {
    using made = make();
    const files = made.open();
    const events = upTo(1, 11).map((seq) => batchEvent(seq, {}, { historical: seq === 2 }));
    const [full] = files.add(eventBatch(1, 11, { events }));
    expect([full?.historical, files.end()?.historical]).toEqual([true, false]);
  });

  test("the changes of the projection of all batches are joined", () => {
    using made = make();
    const files = made.open();
    const person = projectedPerson({ columns: "" });
    const changed = {
      ...{ ...person, columns: '"properties_1":{"n":2}', distinct_ids: [], known: true },
    };
    for (const [seq, one] of [person, changed].entries()) {
      const projection = projectionChanges(seq + 7, { persons: [one] });
      files.add(eventBatch(seq + 1, seq + 1, { projection }));
    }

    const load = files.end();

    const { columns: _, ...about } = person;
    const joined = { version: 8, known: false, moved: false, overrides: null };
    expect(load?.projection).toMatchObject(joined);
    expect(readLines(load?.projection?.persons ?? "")).toEqual([
      { ...about, properties_1: { n: 2 }, distinct_ids: ["ann"] },
    ]);
  });

  test("changes after a load are written with its end, and a current projection lacks nothing", () => {
    using made = make();
    const files = made.open();
    files.add(eventBatch(1, 2));
    const changes = projectionChanges(3, { persons: [projectedPerson()] });

    expect(files.endWith(changes)).toMatchObject({ load: { last: 2 }, changes: { version: 3 } });
    expect(files.endWith(changes)).toMatchObject({ load: null, changes: { version: 3 } });
    expect(files.writeLacking(3, projectionChanges(3))).toBeNull();
    expect(files.writeLacking(2, changes)).toMatchObject({ version: 3 });
  });

  test("files are removed with their load, which may be repeated, and by the next start", async () => {
    using made = make();
    const files = made.open();
    files.add(eventBatch(1, 3));
    const first = files.end();
    files.add(eventBatch(4, 5));
    const second = files.end();
    if (first?.events == null || second?.events == null) throw new Error("There is no load");

    for (const _ of [1, 2]) await made.remove(first);
    const exist = async () =>
      await Promise.all([first, second].map(({ events }) => Bun.file(events ?? "").exists()));
    expect(await exist()).toEqual([false, true]);
    made.open();
    expect(await exist()).toEqual([false, false]);
  });
});
