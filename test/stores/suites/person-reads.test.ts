import { describe, expect, test } from "bun:test";
import type { ListPosition } from "../../../src/core/values/page.ts";
import { byPosition } from "../../../src/stores/sqlite/persons/order.ts";
import {
  applied,
  changeOf,
  listPersons,
  NO_CHANGES,
  storePersons,
  testPerson,
} from "../../support/data/persons.ts";
import { AT, PERSON_STORES, type Persons } from "../stores.ts";

const LATER = "2026-11-22T12:00:00.000000Z";

const person = (n: number) => ({
  ...{ project_id: 1, uuid: `01a1fc9a-592b-78b3-8d80-aa75992efae${n}`, properties: { n } },
  ...{ created_at: AT, is_identified: false },
});

type Made = ReturnType<typeof person>;

/** Makes three persons, and returns their integer ids. */
async function withPersons(store: Persons): Promise<number[]> {
  const created = [1, 2, 3].map(person);
  const { persons } = await applied(store, { ...NO_CHANGES, created, applied_seq: 1 });
  return persons.map(({ id }) => id);
}

describe.each(PERSON_STORES)("reads of persons in %s", (_name, open) => {
  test("follow the order of the ids, without persons that do not exist", async () => {
    using store = await open();
    const [first = 0, second = 0, third = 0] = await withPersons(store);

    const { rows, unread } = await store.read(1, [third, 99, first]);

    expect([rows.map(({ id }) => id), unread]).toEqual([[third, first], []]);
    expect((await store.read(2, [second])).rows).toEqual([]);
    expect(await store.find(1, { id: 99 })).toBeUndefined();
    expect(await store.owners(1, ["unknown"])).toEqual([]);
  });

  test("return a person with the merges into it, oldest first", async () => {
    using store = await open();
    const [ann, anon, other] = [1, 2, 3].map(person) as [Made, Made, Made];
    const ids = [{ distinct_id: "anon", initial_uuid: anon.uuid }];
    const [id = 0] = await withPersons(store);
    const merged = (from: Made, into: Made, n: number) => ({
      project_id: 1,
      ...{
        target_uuid: into.uuid,
        target_created_at: AT,
        target_is_identified: true,
        gained: ["n"],
      },
      ...{ source_id: null, source_uuid: from.uuid, source_properties: '{"n":5}' },
      ...{ source_created_at: AT, source_is_identified: false, at: AT },
      event_uuid: `0193a5b1-7f3c-4d21-8a01-2d9c3f1e5b7${n}`,
    });
    const chain = [merged(other, anon, 1), merged(anon, ann, 2)];
    const owned = [{ project_id: 1, uuid: ann.uuid, entries: ids, main: null }];
    const changed = [{ ...ann, id }];
    await store.apply({ ...NO_CHANGES, changed, merged: chain, ids: owned, applied_seq: 2 });

    const found = await store.merges(1, id);
    expect(found?.person).toMatchObject({ uuid: ann.uuid, ids, properties: { n: 1 } });
    expect(found?.merges).toMatchObject([
      { source_uuid: other.uuid, at: AT, event_uuid: chain[0]?.event_uuid, gained: ["n"] },
      { source_uuid: anon.uuid, at: AT, source_properties: { n: 5 }, kept: [] },
    ]);
    expect(await store.merges(1, 99)).toBeUndefined();
    expect(await store.merges(2, id)).toBeUndefined();
  });

  test("return the earlier positions of persons that moved after a version", async () => {
    using store = await open();
    const [first = 0] = await withPersons(store);
    const { version = 0 } = (await store.positions(1, {}, { limit: 9, offset: 0 })) ?? {};

    const changed = [{ ...person(1), id: first, created_at: LATER }];
    await store.apply({ ...NO_CHANGES, changed, applied_seq: 2 });

    expect(await store.moved(1, version)).toMatchObject([{ id: first, at: AT }]);
    expect(await store.moved(1, version + 1)).toEqual([]);
  });

  test("lists newest first by created_at then id, with an exact count on every page", async () => {
    using store = await open();
    const day = (n: number) => `2026-11-${String(n).padStart(2, "0")}T00:00:00.000000Z`;
    const created = [3, 1, 2, 2].map((n, at) => testPerson(`p${at}`, { created_at: day(n) }));

    await storePersons(store, 1, ...created);

    const ids = async (page: { limit: number; offset: number }) => {
      const { count, rows } = await listPersons(store, 1, {}, page);
      return [count, ...rows.map(({ distinct_ids }) => distinct_ids[0])];
    };
    expect(await ids({ limit: 3, offset: 0 })).toEqual([4, "p0", "p3", "p2"]);
    expect(await ids({ limit: 3, offset: 3 })).toEqual([4, "p1"]);
    expect(await ids({ limit: 3, offset: 9 })).toEqual([4]);
  });

  test("finds a page after any number of persons, also when persons come, go or are merged", async () => {
    using store = await open();
    const by = { user_id: 1, at: "2026-11-21T12:00:00.000000Z" };
    const on = (n: number) => `2026-11-${String(10 + (n % 7)).padStart(2, "0")}T00:00:00.000000Z`;
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        testPerson(`p${from + n}`, { created_at: on((from + n) * 5) }),
      );
    const everybody = async () => {
      const walked: ListPosition[] = [];
      for (let after: ListPosition | undefined; ; after = walked.at(-1)) {
        const query = { limit: 1000, offset: 0, after };
        const { positions = [] } = (await store.positions(1, {}, query)) ?? {};
        if (positions.length === 0) return walked;
        walked.push(...positions);
      }
    };
    const check = async (persons: number) => {
      const listed = await everybody();
      const walked = listed.map(({ id }) => id);
      expect([walked.length, new Set(walked).size]).toEqual([persons, persons]);
      expect(listed).toEqual(listed.toSorted(byPosition));
      const offsets = Array.from({ length: 40 }, (_, n) => Math.floor((persons / 38) * n));
      for (const offset of [999, 1000, 1023, 1024, 1025, 2048, 2049, ...offsets, 1e9]) {
        const query = { limit: 3, offset };
        const { count, positions = [] } = (await store.positions(1, {}, query)) ?? {};
        expect([offset, count, ...positions.map(({ id }) => id)]).toEqual([
          offset,
          persons,
          ...walked.slice(offset, offset + 3),
        ]);
      }
    };

    const ids = await storePersons(store, 1, ...many(0, 6000));
    await storePersons(store, 2, testPerson("elsewhere", { project_id: 2 }));
    await check(6000);
    const leaving = ids.filter((id, n) => n % 3 === 0 || (id > 2000 && id < 3500));
    await store.apply({ kind: "remove", project_id: 1, ids: leaving, by, events: undefined });
    const staying = ids.filter((id) => !leaving.includes(id));
    await check(staying.length);
    const older = staying
      .slice(0, 2500)
      .map((id) => changeOf(id, testPerson("", { created_at: on(0) }), {}));
    await store.apply({ ...NO_CHANGES, changed: older, applied_seq: 3 });
    await check(staying.length);
    await storePersons(store, 4, ...many(6000, 9000));
    await check(staying.length + 3000);
  });
});
