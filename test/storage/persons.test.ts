import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../src/domain/json.ts";
import {
  type PersonReads,
  type PersonWrites,
  personReads,
  personWrites,
} from "../../src/storage/persons.ts";
import { projectWrites } from "../../src/storage/projects.ts";
import { openSqlite, readSqlite } from "../../src/storage/sqlite.ts";
import { temporaryDirectory } from "../support/app.ts";

type Store = PersonReads & PersonWrites & Disposable;

/** Every implementation of the person store, made anew, with the projects 1 and 2. */
const IMPLEMENTATIONS: [string, () => Promise<Store>][] = [
  ["SQLite, one connection that writes and one that reads", sqliteStore],
];

async function sqliteStore(): Promise<Store> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const writer = openSqlite(path);
  for (const name of ["one", "two"]) {
    await projectWrites(writer).insert({
      uuid: Bun.randomUUIDv7(),
      name,
      api_token: `phc_${name}`,
      timezone: "UTC",
      created_at: "2026-11-21T12:00:00.000000Z",
    });
  }
  const reader = readSqlite(path);
  return {
    ...personWrites(writer),
    ...personReads(reader),
    [Symbol.dispose]() {
      reader.close();
      writer.close();
      directory[Symbol.dispose]();
    },
  };
}

const person = (distinct_id: string, fields: object = {}) => ({
  project_id: 1,
  uuid: Bun.randomUUIDv7(),
  properties: {},
  created_at: "2026-11-21T12:00:00.000000Z",
  distinct_id,
  ...fields,
});

const change = (id: number, properties: JsonObject) => ({
  id,
  project_id: 1,
  uuid: Bun.randomUUIDv7(),
  created_at: "2026-11-21T12:00:00.000000Z",
  properties,
});

const PAGE = { limit: 100, offset: 0 };

describe.each(IMPLEMENTATIONS)("the person store on %s", (_name, make) => {
  test("creates persons, says their ids, and finds them in every way", async () => {
    using store = await make();
    const ann = person("ann", {
      properties: { email: "a@b.c", nested: { __proto__x: [1, null] } },
    });
    const bob = person("bob");

    const [annId = 0, bobId = 0] = await store.apply({
      created: [ann, bob],
      changed: [],
      applied_seq: 7,
    });

    const { project_id: _p, distinct_id: _d, ...shown } = ann;
    expect(bobId).toBeGreaterThan(annId);
    expect(await store.find(1, { id: annId })).toMatchObject({
      ...shown,
      id: annId,
      distinct_ids: ["ann"],
    });
    expect(await store.find(1, { uuid: bob.uuid })).toMatchObject({ id: bobId });
    expect(await store.resolve(1, ["ann", "nobody", "bob"])).toEqual(
      new Map([
        ["ann", { id: annId, uuid: ann.uuid, created_at: ann.created_at }],
        ["bob", { id: bobId, uuid: bob.uuid, created_at: bob.created_at }],
      ]),
    );
    expect(await store.properties([annId, 999])).toEqual(new Map([[annId, ann.properties]]));
    expect(await store.rows([bobId])).toMatchObject([
      { id: bobId, project_id: 1, distinct_ids: ["bob"] },
    ]);
    expect(await store.applied()).toBe(7);
  });

  test("keeps projects apart, also for the same distinct id", async () => {
    using store = await make();
    const mine = person("ann");
    const theirs = person("ann", { project_id: 2 });

    const [id = 0] = await store.apply({ created: [mine, theirs], changed: [], applied_seq: 1 });

    expect(await store.find(2, { id })).toBeUndefined();
    expect(await store.find(2, { uuid: mine.uuid })).toBeUndefined();
    expect((await store.resolve(2, ["ann"])).get("ann")?.uuid).toBe(theirs.uuid);
    expect(await store.list(1, {}, PAGE)).toMatchObject({ count: 1, rows: [{ uuid: mine.uuid }] });
    expect(await store.list(2, { distinct_id: "ann" }, PAGE)).toMatchObject({
      count: 1,
      rows: [{ uuid: theirs.uuid }],
    });
  });

  test("lists newest first by created_at then id, with an exact count on every page", async () => {
    using store = await make();
    const day = (n: number) => `2026-11-${String(n).padStart(2, "0")}T00:00:00.000000Z`;
    const created = [3, 1, 2, 2].map((n, at) => person(`p${at}`, { created_at: day(n) }));

    await store.apply({ created, changed: [], applied_seq: 1 });

    const ids = async (page: { limit: number; offset: number }) => {
      const { count, rows } = await store.list(1, {}, page);
      return [count, ...rows.map(({ distinct_ids }) => distinct_ids[0])];
    };
    expect(await ids({ limit: 3, offset: 0 })).toEqual([4, "p0", "p3", "p2"]);
    expect(await ids({ limit: 3, offset: 3 })).toEqual([4, "p1"]);
    expect(await ids({ limit: 3, offset: 9 })).toEqual([4]);
  });

  test("changes properties, whole", async () => {
    using store = await make();
    const [id = 0] = await store.apply({
      created: [person("ann", { properties: { a: 1 } })],
      changed: [],
      applied_seq: 1,
    });

    await store.apply({
      created: [],
      changed: [change(id, { b: "\ud800" })],
      applied_seq: 2,
    });

    expect(await store.find(1, { id })).toMatchObject({ properties: { b: "\ufffd" } });
  });

  test("refuses a slice that was applied before, and changes nothing then", async () => {
    using store = await make();
    const [id = 0] = await store.apply({ created: [person("ann")], changed: [], applied_seq: 5 });

    for (const applied_seq of [5, 4]) {
      const again = {
        created: [person("bob")],
        changed: [change(id, { a: 1 })],
        applied_seq,
      };
      expect(store.apply(again)).rejects.toThrow("applied before");
    }

    expect(await store.list(1, {}, PAGE)).toMatchObject({ count: 1, rows: [{ properties: {} }] });
    expect(await store.applied()).toBe(5);
  });

  test("applies a slice whole or not at all", async () => {
    using store = await make();
    const twin = person("ann");

    const broken = store.apply({
      created: [twin, { ...twin, distinct_id: "bob" }],
      changed: [],
      applied_seq: 1,
    });

    expect(broken).rejects.toThrow();
    expect(await store.list(1, {}, PAGE)).toEqual({ count: 0, rows: [] });
    expect(await store.applied()).toBe(0);
  });
});
