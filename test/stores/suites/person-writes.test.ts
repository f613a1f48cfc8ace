import { describe, expect, test } from "bun:test";
import type { ProjectionStream } from "../../../src/core/ports/persons/projection.ts";
import {
  applied,
  changeOf,
  listPersons,
  NO_CHANGES,
  storePersons,
  type TestPerson,
  testPerson,
  withoutIds,
} from "../../support/data/persons.ts";
import { PERSON_STORES } from "../stores.ts";

const refOf = (id: number, { uuid, created_at, is_identified }: TestPerson) => {
  return { id, uuid, created_at, is_identified, auto_properties: 0 };
};

const PAGE = { limit: 100, offset: 0 };

/** All of it, as long as it can be had. */
const taken = ({ persons, gone, overrides, ...rest }: ProjectionStream) => {
  return { ...rest, persons: [...persons], gone: [...gone], overrides: [...overrides] };
};

describe.each(PERSON_STORES)("the person store in %s", (_name, make) => {
  test("creates persons, returns their ids, and finds them in each way", async () => {
    using store = await make();
    const ann = testPerson("ann", {
      properties: { email: "a@b.c", nested: { __proto__x: [1, null] } },
    });
    const bob = testPerson("bob");

    const [annId = 0, bobId = 0] = await storePersons(store, 7, ann, bob);

    const { project_id: _p, is_identified: _i, ...shown } = ann;
    expect(bobId).toBeGreaterThan(annId);
    expect(await store.find(1, { id: annId })).toMatchObject({
      ...shown,
      id: annId,
    });
    expect(await store.find(1, { uuid: bob.uuid })).toMatchObject({ id: bobId });
    expect(await store.resolve(1, ["ann", "nobody", "bob"])).toEqual(
      new Map([
        ["ann", refOf(annId, ann)],
        ["bob", refOf(bobId, bob)],
      ]),
    );
    const { found: properties } = await store.properties([annId, 999]);
    expect([...properties.keys()]).toEqual([annId]);
    expect(properties.get(annId)?.properties).toEqual(ann.properties);
    expect(await store.applied()).toBe(7);
  });

  test("keeps projects apart, also for the same distinct id", async () => {
    using store = await make();
    const mine = testPerson("ann");
    const theirs = testPerson("ann", { project_id: 2 });

    const [id = 0] = await storePersons(store, 1, mine, theirs);

    expect(await store.find(2, { id })).toBeUndefined();
    expect(await store.find(2, { uuid: mine.uuid })).toBeUndefined();
    expect((await store.resolve(2, ["ann"])).get("ann")?.uuid).toBe(theirs.uuid);
    expect(await listPersons(store, 1, {}, PAGE)).toMatchObject({
      count: 1,
      rows: [{ uuid: mine.uuid }],
    });
    expect(await listPersons(store, 2, { distinct_id: "ann" }, PAGE)).toMatchObject({
      count: 1,
      rows: [{ uuid: theirs.uuid }],
    });
  });

  test("replaces all properties of a changed person", async () => {
    using store = await make();
    const ann = testPerson("ann", { properties: { a: 1 } });
    const [id = 0] = await storePersons(store, 1, ann);

    const changed = [changeOf(id, ann, { b: "\ud800" })];
    await store.apply({ ...NO_CHANGES, changed, applied_seq: 2 });

    expect(await store.find(1, { id })).toMatchObject({ properties: { b: "\ufffd" } });
  });

  test("refuses a batch that was applied before, and changes nothing then", async () => {
    using store = await make();
    const ann = testPerson("ann");
    const [id = 0] = await storePersons(store, 5, ann);

    for (const applied_seq of [5, 4]) {
      const again = {
        ...NO_CHANGES,
        created: [withoutIds(testPerson("bob"))],
        changed: [changeOf(id, ann, { a: 1 })],
        applied_seq,
      };
      expect(store.apply(again)).rejects.toThrow("applied before");
    }

    expect(await listPersons(store, 1, {}, PAGE)).toMatchObject({
      count: 1,
      rows: [{ properties: {} }],
    });
    expect(await store.applied()).toBe(5);
  });

  test("applies a batch as a whole or not at all", async () => {
    using store = await make();
    const twin = testPerson("ann");

    const broken = storePersons(store, 1, twin, { ...twin, distinct_ids: ["bob"] });

    expect(broken).rejects.toThrow();
    expect(await store.positions(1, {}, PAGE)).toEqual({ count: 0, version: 0, positions: [] });
    expect(await store.applied()).toBe(0);
  });

  test("merges: ids, order, overrides and counts follow, and the source is gone", async () => {
    using store = await make();
    const [ann, bob] = [
      testPerson("ann", { distinct_ids: ["ann", "ann-2"] }),
      testPerson("bob", { properties: { a: 1 } }),
    ];
    const [annId = 0, bobId = 0] = await storePersons(store, 1, ann, bob);

    const projection = await applied(store, {
      ...NO_CHANGES,
      changed: [changeOf(bobId, bob, { a: 1, b: 2 })],
      merged: [
        {
          project_id: 1,
          target_uuid: bob.uuid,
          target_created_at: bob.created_at,
          target_is_identified: false,
          gained: ["b"],
          source_id: annId,
          source_uuid: ann.uuid,
          source_properties: '{"b":2}',
          source_created_at: ann.created_at,
          source_is_identified: false,
          event_uuid: Bun.randomUUIDv7(),
          at: "2026-11-21T12:00:00.000000Z",
        },
      ],
      ids: [
        {
          project_id: 1,
          uuid: bob.uuid,
          entries: [
            { person_id: bobId, uuid: bob.uuid },
            { person_id: annId, uuid: ann.uuid },
            { distinct_id: "new", initial_uuid: bob.uuid },
          ],
          main: "ann-2",
        },
      ],
      overrides: [{ project_id: 1, overridden_uuid: ann.uuid, uuid: bob.uuid }],
      applied_seq: 2,
    });

    expect(await store.find(1, { id: bobId })).toMatchObject({
      distinct_ids: ["ann-2", "bob", "ann", "new"],
      properties: { a: 1, b: 2 },
    });
    expect(await store.find(1, { id: annId })).toBeUndefined();
    expect(await listPersons(store, 1, {}, PAGE)).toMatchObject({ count: 1 });
    expect((await store.resolve(1, ["ann"])).get("ann")).toMatchObject({ id: bobId });
    expect(projection).toMatchObject({
      gone: [annId],
      overrides: [{ project_id: 1, old_person_id: ann.uuid, person_id: bob.uuid }],
      persons: [{ id: bobId, moved: ["ann", "ann-2"] }],
    });
    const since = await store.projectionSince(projection.version - 1, taken);
    expect(since).toMatchObject({ version: projection.version, gone: [annId] });
    expect(since.persons).toMatchObject([
      { id: bobId, known: true, moved: ["ann-2", "bob", "ann", "new"] },
    ]);
    expect(since.overrides).toEqual(projection.overrides);
    const nothing = { persons: [], gone: [], overrides: [] };
    expect(await store.projectionSince(projection.version, taken)).toMatchObject(nothing);
    expect(await store.projectionSince(0, taken)).toMatchObject({
      version: projection.version,
      persons: [{ id: bobId, known: false, moved: [] }],
    });
  });
});
