import { expect, test } from "bun:test";
import { personUuid } from "../../../src/core/identity/person.ts";
import { propertyFilters } from "../../../src/core/values/property-filter.ts";
import { isoTime } from "../../../src/core/values/time.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { NO_CHANGES } from "../../support/data/persons.ts";
import { PERSON_SEARCHES } from "../stores.ts";

const PAGE = { limit: 10, offset: 0 };

const made = (n: number, properties: Record<string, string | number>) => ({
  ...{ project_id: 1, uuid: personUuid(1, `id ${n}`), properties },
  ...{ created_at: isoTime(n * 1000), is_identified: false },
});

const filterOf = (...filters: object[]) => ({
  properties: propertyFilters([JSON.stringify(filters)], 0),
});

test.each(PERSON_SEARCHES)(
  "%s: persons are found by properties of users and of SDKs",
  async (_name, open) => {
    await using stores = await open();
    const ann = made(1, { plan: "pro", $os: "Linux", $initial_os: "iOS" });
    const created = [ann, made(2, { plan: "free" })];
    const changes = await stores.apply({ ...NO_CHANGES, created, applied_seq: 1 });
    await stores.project();
    const [first] = changes.persons;
    const { search } = stores;
    const found = async (key: string, value: string) => {
      const page = await search.positions(1, filterOf({ key, value }), PAGE, FOREVER);
      return [page.count, ...page.positions.map(({ id }) => id)];
    };

    expect(await found("plan", "pro")).toEqual([1, first?.id ?? 0]);
    expect(await found("$os", "Linux")).toEqual([1, first?.id ?? 0]);
    expect(await found("$initial_os", "iOS")).toEqual([1, first?.id ?? 0]);
    expect(await found("$os", "")).toEqual([0]);
    expect(await search.values(1, "$initial_os", "", FOREVER)).toEqual([{ name: "iOS", count: 1 }]);
    expect(await search.values(1, "$os", "", FOREVER)).toEqual([{ name: "Linux", count: 1 }]);
    expect(await search.values(1, "plan", "", FOREVER)).toEqual([
      { name: "free", count: 1 },
      { name: "pro", count: 1 },
    ]);
  },
);

test.each(PERSON_SEARCHES)(
  "%s: a page and its count are exact, whether few persons match or thousands",
  async (_name, open) => {
    await using stores = await open();
    const created = Array.from({ length: 12_000 }, (_, n) => made(n, { n, part: n % 5 }));
    const changes = await stores.apply({ ...NO_CHANGES, created, applied_seq: 1 });
    await stores.project();
    const newest = changes.persons.map(({ id }) => id).toReversed();

    for (const [least, part] of [
      [0, undefined],
      [1999, undefined],
      [2000, undefined],
      [11_998, undefined],
      [12_000, undefined],
      [0, 2],
    ] as const) {
      const wanted = created.flatMap(({ properties }, n) => {
        const isWanted = n >= least && (part === undefined || properties["part"] === part);
        return isWanted ? [newest[created.length - 1 - n] ?? 0] : [];
      });
      wanted.reverse();
      const filter = filterOf(
        { key: "n", operator: "gte", value: least },
        ...(part === undefined ? [] : [{ key: "part", value: part }]),
      );
      for (const offset of [0, 7, 2395, 9996]) {
        const query = { limit: 6, offset };
        const { count, positions } = await stores.search.positions(1, filter, query, FOREVER);
        expect([least, part, offset, count, ...positions.map(({ id }) => id)]).toEqual([
          ...[least, part, offset, wanted.length],
          ...wanted.slice(offset, offset + 6),
        ]);
      }
    }
  },
);

test.each(PERSON_SEARCHES)(
  "%s: a filter sees the version of the projection, and the positions of that version",
  async (_name, open) => {
    await using stores = await open();
    const created = [1, 2, 3].map((n) => made(n, { plan: "free" }));
    const changes = await stores.apply({ ...NO_CHANGES, created, applied_seq: 1 });
    await stores.project();
    const [first = 0, second = 0, third = 0] = changes.persons.map(({ id }) => id);
    const find = async (since?: number) => {
      const after = { at: isoTime(3000), id: third, since };
      const query = { ...PAGE, ...(since === undefined ? {} : { after }) };
      const found = await stores.search.positions(
        ...([1, filterOf({ key: "plan", value: "free" }), query, FOREVER] as const),
      );
      return { ...found, positions: found.positions.map(({ id }) => id) };
    };

    const changed = [{ ...made(1, { plan: "pro" }), id: first }];
    await stores.apply({ ...NO_CHANGES, changed, applied_seq: 2 });
    const before = { count: 3, version: changes.version, positions: [third, second, first] };
    expect(await find()).toEqual(before);

    // Of the persons that have moved since the walk began, the second is after the third all the same.
    const moving = [{ ...made(2, { plan: "free" }), id: second, created_at: isoTime(9000) }];
    await stores.apply({ ...NO_CHANGES, changed: moving, applied_seq: 3 });
    expect(await find(changes.version)).toMatchObject({ count: 3, positions: [second, first] });
    await stores.project();
    expect(await find(changes.version)).toMatchObject({ count: 2, positions: [second] });
    expect(await find()).toMatchObject({
      version: changes.version + 2,
      positions: [second, third],
    });
  },
);
