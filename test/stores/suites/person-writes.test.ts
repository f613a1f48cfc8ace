import { describe, expect, test } from "bun:test";
import type { NewPerson } from "../../../src/core/ports/person-writes.ts";
import type { ProjectionStream } from "../../../src/core/ports/projection.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import type { ListPosition } from "../../../src/core/values/page.ts";
import { byPosition } from "../../../src/stores/sqlite/persons/order.ts";
import { applied, listPersons, NO_CHANGES } from "../../support/data/persons.ts";
import { PERSON_STORES, type Persons } from "../stores.ts";

type Made = NewPerson & { distinct_ids: string[] };

const person = (distinct_id: string, fields: Partial<Made> = {}): Made => ({
  project_id: 1,
  uuid: Bun.randomUUIDv7(),
  properties: {},
  created_at: "2026-11-21T12:00:00.000000Z",
  is_identified: false,
  distinct_ids: [distinct_id],
  ...fields,
});

const change = (id: number, made: NewPerson, properties: JsonObject) => ({
  ...bare(made),
  id,
  properties,
});

const bare = ({ project_id, uuid, properties, created_at, is_identified }: NewPerson) => {
  return { project_id, uuid, properties, created_at, is_identified };
};

const refOf = (id: number, { uuid, created_at, is_identified }: Made) => {
  return { id, uuid, created_at, is_identified, auto_properties: 0 };
};

/** Stores new persons with their distinct ids, and says their integer ids. */
async function create(store: Persons, applied_seq: number, ...made: Made[]): Promise<number[]> {
  const ids = made.map(({ project_id, uuid, distinct_ids }) => ({
    project_id,
    uuid,
    entries: distinct_ids.map((distinct_id) => ({ distinct_id, initial_uuid: uuid })),
    main: null,
  }));
  const { persons } = await applied(store, {
    ...NO_CHANGES,
    created: made.map(bare),
    ids,
    applied_seq,
  });
  return persons.map(({ id }) => id);
}

const PAGE = { limit: 100, offset: 0 };

/** All of it, as long as it can be had. */
const taken = ({ persons, gone, overrides, ...rest }: ProjectionStream) => {
  return { ...rest, persons: [...persons], gone: [...gone], overrides: [...overrides] };
};

describe.each(PERSON_STORES)("the person store in %s", (_name, make) => {
  test("creates persons, returns their ids, and finds them in each way", async () => {
    using store = await make();
    const ann = person("ann", {
      properties: { email: "a@b.c", nested: { __proto__x: [1, null] } },
    });
    const bob = person("bob");

    const [annId = 0, bobId = 0] = await create(store, 7, ann, bob);

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
    const mine = person("ann");
    const theirs = person("ann", { project_id: 2 });

    const [id = 0] = await create(store, 1, mine, theirs);

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

  test("lists newest first by created_at then id, with an exact count on every page", async () => {
    using store = await make();
    const day = (n: number) => `2026-11-${String(n).padStart(2, "0")}T00:00:00.000000Z`;
    const created = [3, 1, 2, 2].map((n, at) => person(`p${at}`, { created_at: day(n) }));

    await create(store, 1, ...created);

    const ids = async (page: { limit: number; offset: number }) => {
      const { count, rows } = await listPersons(store, 1, {}, page);
      return [count, ...rows.map(({ distinct_ids }) => distinct_ids[0])];
    };
    expect(await ids({ limit: 3, offset: 0 })).toEqual([4, "p0", "p3", "p2"]);
    expect(await ids({ limit: 3, offset: 3 })).toEqual([4, "p1"]);
    expect(await ids({ limit: 3, offset: 9 })).toEqual([4]);
  });

  test("finds a page after any number of persons, also when persons come, go or are merged", async () => {
    using store = await make();
    const by = { user_id: 1, at: "2026-11-21T12:00:00.000000Z" };
    const on = (n: number) => `2026-11-${String(10 + (n % 7)).padStart(2, "0")}T00:00:00.000000Z`;
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        person(`p${from + n}`, { created_at: on((from + n) * 5) }),
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

    const ids = await create(store, 1, ...many(0, 6000));
    await create(store, 2, person("elsewhere", { project_id: 2 }));
    await check(6000);
    const leaving = ids.filter((id, n) => n % 3 === 0 || (id > 2000 && id < 3500));
    await store.apply({ kind: "remove", project_id: 1, ids: leaving, by, events: undefined });
    const staying = ids.filter((id) => !leaving.includes(id));
    await check(staying.length);
    const older = staying
      .slice(0, 2500)
      .map((id) => change(id, person("", { created_at: on(0) }), {}));
    await store.apply({ ...NO_CHANGES, changed: older, applied_seq: 3 });
    await check(staying.length);
    await create(store, 4, ...many(6000, 9000));
    await check(staying.length + 3000);
  });

  test("replaces all properties of a changed person", async () => {
    using store = await make();
    const ann = person("ann", { properties: { a: 1 } });
    const [id = 0] = await create(store, 1, ann);

    const changed = [change(id, ann, { b: "\ud800" })];
    await store.apply({ ...NO_CHANGES, changed, applied_seq: 2 });

    expect(await store.find(1, { id })).toMatchObject({ properties: { b: "\ufffd" } });
  });

  test("refuses a batch that was applied before, and changes nothing then", async () => {
    using store = await make();
    const ann = person("ann");
    const [id = 0] = await create(store, 5, ann);

    for (const applied_seq of [5, 4]) {
      const again = {
        ...NO_CHANGES,
        created: [bare(person("bob"))],
        changed: [change(id, ann, { a: 1 })],
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
    const twin = person("ann");

    const broken = create(store, 1, twin, { ...twin, distinct_ids: ["bob"] });

    expect(broken).rejects.toThrow();
    expect(await store.positions(1, {}, PAGE)).toEqual({ count: 0, version: 0, positions: [] });
    expect(await store.applied()).toBe(0);
  });

  test("merges: ids, order, overrides and counts follow, and the source is gone", async () => {
    using store = await make();
    const [ann, bob] = [
      person("ann", { distinct_ids: ["ann", "ann-2"] }),
      person("bob", { properties: { a: 1 } }),
    ];
    const [annId = 0, bobId = 0] = await create(store, 1, ann, bob);

    const projection = await applied(store, {
      ...NO_CHANGES,
      changed: [change(bobId, bob, { a: 1, b: 2 })],
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
