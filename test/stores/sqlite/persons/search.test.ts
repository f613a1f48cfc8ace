import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { PersonReads } from "../../../../src/core/ports/person-reads.ts";
import type { PersonSearches } from "../../../../src/core/ports/person-search.ts";
import type { PersonWrites } from "../../../../src/core/ports/person-writes.ts";
import { personReads } from "../../../../src/stores/sqlite/persons/list.ts";
import { personSearches } from "../../../../src/stores/sqlite/persons/search.ts";
import { personWrites } from "../../../../src/stores/sqlite/persons/writes.ts";
import { projectWrites } from "../../../../src/stores/sqlite/projects.ts";
import { openSqlite, readSqlite } from "../../../../src/stores/sqlite/sqlite.ts";
import { NO_CHANGES } from "../../../support/data/persons.ts";
import { randomOf } from "../../../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";

type Given = { id: string; email?: string | undefined; project_id?: number; created_at?: string };

/** The person store, with the projects 1 and 2, on one connection that writes and one that reads. */
async function store() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const writer = openSqlite(path);
  for (const name of ["one", "two"]) {
    await projectWrites(writer).insert({
      ...{ uuid: Bun.randomUUIDv7(), name, api_token: `phc_${name}` },
      ...{ timezone: "UTC", created_at: "2026-11-21T12:00:00.000000Z" },
    });
  }
  writer.raw.run(
    "INSERT INTO user (uuid, distinct_id, email, created_at) VALUES ('u', 'u', 'u@x.y', '')",
  );
  const reader = readSqlite(path);
  const persons: PersonWrites = personWrites(writer);
  const searches: PersonSearches = personSearches(reader);
  const reads: PersonReads = personReads(reader);
  const uuids = new Map<number, string>();
  let seq = 0;
  const base = ({ email, project_id = 1, created_at = "2026-11-21T12:00:00.000000Z" }: Given) => ({
    ...{ project_id, created_at, is_identified: false },
    properties: email === undefined ? {} : { email },
  });
  const all = async (project: number) =>
    (await reads.list(project, {}, { limit: 100_000, offset: 0 }))?.rows ?? [];
  return {
    searches,
    reads,
    persons,
    all,
    /** Makes persons; says their integer ids and the version of the store. */
    async add(...given: Given[]) {
      seq += 1;
      const created = given.map((one) => ({ ...base(one), uuid: Bun.randomUUIDv7() }));
      const ids = created.map(({ project_id, uuid }, at) => {
        const entries = [{ distinct_id: given[at]?.id ?? "", home: uuid }];
        return { project_id, uuid, entries, main: null };
      });
      const changes = { ...NO_CHANGES, created, ids, applied_seq: seq };
      const { version, persons: made } = await persons.apply(changes);
      for (const { id, uuid } of made) uuids.set(id, uuid);
      return { version, ids: made.map(({ id }) => id) };
    },
    async change(id: number, given: Given) {
      seq += 1;
      const changed = [{ ...base(given), id, uuid: uuids.get(id) ?? "" }];
      await persons.apply({ ...NO_CHANGES, changed, applied_seq: seq });
    },
    /** Whom a search finds, by looking at everybody. */
    async matching(project: number, search: string) {
      const part = search.toLowerCase();
      return (await all(project)).filter(({ properties, distinct_ids }) => {
        const { email } = properties;
        const has = typeof email === "string" && email.toLowerCase().includes(part);
        return has || distinct_ids.includes(search);
      });
    },
    [Symbol.dispose]() {
      reader.close();
      writer.close();
      directory[Symbol.dispose]();
    },
  };
}

const PAGE = { limit: 100, offset: 0 };

describe("persons by a part of their address that many have", () => {
  test.each([1, 2, 3])(
    "are as many as there are, whatever changes after they were counted (%p)",
    async (seed) => {
      using stored = await store();
      const random = randomOf(seed);
      const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const emailOf = () =>
        any([undefined, "Ann@x.y", "bob@x.y", "12@mail.x.y", "nobody@z", "ANNA@Z.example"]);
      const searches = ["@", "a", "x.y", "ann", "12@", "d7", "nobody@z", "zz", "ANN"];
      const made = Array.from({ length: 40 }, (_, n) => {
        return { id: `d${n}`, email: emailOf(), project_id: 1 + (n % 2) };
      });
      const { version, ids } = await stored.add(...made);
      for (const project of [1, 2]) {
        for (const search of searches) {
          expect(stored.searches.isCounted(project, search)).toBe(
            searches.indexOf(search) > searches.indexOf("ann") && search === "ANN",
          );
          const addressed = (await stored.matching(project, search)).filter(
            ({ distinct_ids }) => !distinct_ids.includes(search),
          );
          stored.searches.keep(project, search, { count: addressed.length, version });
        }
      }

      for (let step = 0; step < 60; step += 1) {
        if (random() < 0.5) {
          const at = Math.floor(random() * ids.length);
          const project_id = 1 + (at % 2);
          await stored.change(ids[at] ?? 0, { id: "", email: emailOf(), project_id });
        } else {
          const created_at = `2026-11-${10 + Math.floor(random() * 20)}T00:00:00.000000Z`;
          const person = { id: `n${step}`, email: emailOf(), created_at };
          const { ids: more } = await stored.add(person, { ...person, project_id: 2 });
          ids.push(...more);
        }
        const search = any(searches);
        const project = any([1, 2]);
        const wanted = await stored.matching(project, search);
        const offset = Math.floor(random() * 5);

        const found = stored.searches.find(project, search, { limit: 6, offset });
        if (wanted.some(({ distinct_ids }) => distinct_ids.includes(search))) {
          expect(found).toBeUndefined();
          continue;
        }

        expect(found).toMatchObject({
          count: wanted.length,
          rows: wanted.slice(offset, offset + 6),
        });
        const [first] = found?.rows ?? [];
        if (first === undefined) continue;
        const after = { at: first.at, id: first.id };
        const rest = stored.searches.find(project, search, { limit: 3, offset: 0, after });
        expect(rest?.rows).toEqual(wanted.slice(offset + 1, offset + 4));
      }
    },
  );

  test("are found in any case of any letter, and by no more than the beginning of an address", async () => {
    using stored = await store();
    const emails = ["ΟΔΟΣ@x", "οδος@x", "İPEK@x", `${"a".repeat(999)}😀b@x`, "Straße@x"];
    const { version } = await stored.add(...emails.map((email) => ({ id: email, email })));
    const none = { count: 0, version: version - 1 };
    const found = (search: string) => {
      stored.searches.keep(1, search, none);
      const { count, rows } = stored.searches.find(1, search, PAGE) ?? { count: -1, rows: [] };
      expect(rows).toHaveLength(count);
      return rows.map(({ properties }) => emails.indexOf(String(properties["email"]))).toSorted();
    };

    expect(found("οδος")).toEqual([0, 1]);
    expect(found("ΔΟΣ@")).toEqual([0, 1]);
    expect(found("ipek")).toEqual([2]);
    expect(found("İP")).toEqual([2]);
    expect(found("aaa")).toEqual([3]);
    expect(found("b@x")).toEqual([]);
    expect(found("SSE")).toEqual([]);
    expect(found("@x")).toEqual([0, 1, 2, 4]);
  });

  test("are found in either case of every letter that has two, and as many are counted", async () => {
    using stored = await store();
    const cases: string[] = [];
    for (let point = 0; point < 0x11_00_00; point += 1) {
      if (point >= 0xd8_00 && point < 0xe0_00) continue;
      const letter = String.fromCodePoint(point);
      const others = [letter.toLowerCase(), letter.toUpperCase()];
      const single = others.filter((other) => other !== letter && [...other].length === 1);
      if (single.length > 0) cases.push([letter, ...single].join(""));
    }
    expect(cases.length).toBeGreaterThan(2700);
    // A letter a person, with a number that no two have in common.
    const all = cases.flatMap((letters, n) =>
      [...letters].map((letter, at) => ({ id: `${n} ${at}`, email: `<${n}${letter}>` })),
    );
    const { version } = await stored.add(...all);

    for (const [n, letters] of cases.entries()) {
      for (const letter of letters) {
        const search = `<${n}${letter}>`;
        const found = (await stored.reads.list(1, { search }, PAGE))?.rows ?? [];
        stored.searches.keep(1, search, { count: found.length, version });
        const walked = stored.searches.find(1, search, PAGE)?.rows ?? [];
        const many = [...letters].length;
        expect([search, found.length, walked.length]).toEqual([search, many, many]);
      }
    }
  }, 120_000);

  test("have to be counted anew after more changes than are remembered, and after a deletion", async () => {
    using stored = await store();
    const { version, ids } = await stored.add({ id: "ann", email: "ann@x.y" });
    const by = { user_id: 1, at: "2026-11-21T12:00:00.000000Z" };
    const found = () => stored.searches.find(1, "@", PAGE)?.count;
    expect(found()).toBeUndefined();
    stored.searches.keep(1, "@", { count: 1, version });
    const others = (from: number) =>
      Array.from({ length: 5000 }, (_, n) => ({ id: `${from + n}`, email: "b@x.y" }));

    await stored.add(...others(0));
    expect(found()).toBe(5001);
    await stored.add(...others(5000));
    const last = await stored.add(...others(10_000));
    stored.searches.keep(2, "@", { count: 0, version });
    expect(found()).toBe(15_001);
    expect(stored.searches.find(2, "@", PAGE)).toBeUndefined();
    expect(stored.searches.isCounted(2, "@")).toBe(false);
    const more = await stored.add(...others(15_000));
    expect(found()).toBe(20_001);
    expect(more.version).toBeGreaterThan(last.version);

    const { mirror } = await stored.persons.remove(1, ids, { by, events: undefined });

    expect(found()).toBeUndefined();
    stored.searches.keep(1, "@", { count: 20_000, version: more.version });
    expect(found()).toBeUndefined();
    stored.searches.keep(1, "@", { count: 20_000, version: mirror.version });
    expect(found()).toBe(20_000);
  }, 30_000);

  test("are not looked for among too many others, unless the index tells who they are", async () => {
    using stored = await store();
    await stored.add({ id: "ann", email: "ann@x.y" }, { id: "zoe" });
    const at = "2026-11-22T12:00:00.000000Z";
    const { version } = await stored.add(
      ...Array.from({ length: 70_000 }, (_, n) => ({ id: `${n}`, email: "b@z", created_at: at })),
    );
    const counts = { nn: 1, ann: 1, "b@": 70_000, zo: 0, zob: 0, zoe: 0 };
    for (const [search, count] of Object.entries(counts)) {
      stored.searches.keep(1, search, { count, version });
    }
    const found = (search: string, part = PAGE) => {
      const { count, rows } = stored.searches.find(1, search, part) ?? {};
      return [count, rows?.map(({ distinct_ids }) => distinct_ids[0])];
    };

    expect(found("nn")).toEqual([undefined, undefined]);
    expect(found("ann")).toEqual([1, ["ann"]]);
    expect(found("zo")).toEqual([0, []]);
    expect(found("zob")).toEqual([0, []]);
    expect(found("zoe")).toEqual([undefined, undefined]);
    expect(found("b@", { limit: 2, offset: 5000 })).toEqual([70_000, ["64999", "64998"]]);
    expect(found("b@", { limit: 2, offset: 69_998 })).toEqual([undefined, undefined]);
  }, 30_000);
});
