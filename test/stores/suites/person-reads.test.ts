import { describe, expect, test } from "bun:test";
import { applied, NO_CHANGES } from "../../support/data/persons.ts";
import { AT, PERSON_STORES, type Persons } from "../stores.ts";

const LATER = "2026-11-22T12:00:00.000000Z";

const person = (n: number) => ({
  ...{ project_id: 1, uuid: `01a1fc9a-592b-78b3-8d80-aa75992efae${n}`, properties: { n } },
  ...{ created_at: AT, is_identified: false },
});

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

  test("return the earlier positions of persons that moved after a version", async () => {
    using store = await open();
    const [first = 0] = await withPersons(store);
    const { version = 0 } = (await store.positions(1, {}, { limit: 9, offset: 0 })) ?? {};

    const changed = [{ ...person(1), id: first, created_at: LATER }];
    await store.apply({ ...NO_CHANGES, changed, applied_seq: 2 });

    expect(await store.moved(1, version)).toMatchObject([{ id: first, at: AT }]);
    expect(await store.moved(1, version + 1)).toEqual([]);
  });
});
