import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { personUuid } from "../../../src/core/identity/person.ts";
import { changedIds, unmirroredPersons } from "../../../src/core/ingest/mirror-lag.ts";
import { type PersonMatching, personMatching } from "../../../src/core/persons/property-search.ts";
import type { MirrorChanges } from "../../../src/core/ports/mirror.ts";
import type { PartAsked, PersonFilter, Rest } from "../../../src/core/ports/person-reads.ts";
import type { PropertyValue } from "../../../src/core/ports/person-search.ts";
import type { NewPerson } from "../../../src/core/ports/person-writes.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { propertyFilters } from "../../../src/core/values/property-filter.ts";
import { isoTime } from "../../../src/core/values/time.ts";
import { openDuckdb, ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../src/stores/duckdb/engine/query-deadline.ts";
import { eventStore } from "../../../src/stores/duckdb/events/store.ts";
import { personMatches } from "../../../src/stores/duckdb/lists/persons.ts";
import { loadFiles } from "../../../src/stores/loads/loads.ts";
import { joinChanges } from "../../../src/stores/loads/mirror-changes.ts";
import { personReads } from "../../../src/stores/sqlite/persons/list.ts";
import { personSnapshots } from "../../../src/stores/sqlite/persons/snapshots.ts";
import { personWrites } from "../../../src/stores/sqlite/persons/writes.ts";
import { projectWrites } from "../../../src/stores/sqlite/projects.ts";
import { openSqlite, readSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { FOREVER, largeProperties } from "../../support/data/build-records.ts";
import { asText } from "../../support/data/insight-reference.ts";
import { NO_CHANGES } from "../../support/data/persons.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

setDefaultTimeout(60_000);

type Known = { id: number; uuid: string; at: string; properties: JsonObject; ids: string[] };

/** Both stores, with a mirror that has what it is told to have. */
async function twoStores() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const sqlite = openSqlite(path);
  for (const name of ["one", "two"]) {
    await projectWrites(sqlite).insert({
      ...{ uuid: Bun.randomUUIDv7(), name, api_token: `phc_${name}` },
      ...{ timezone: "UTC", created_at: "2026-11-21T12:00:00.000000Z" },
    });
  }
  sqlite.raw.run(
    "INSERT INTO user (uuid, distinct_id, email, created_at) VALUES ('u', 'u', 'u@x.y', '')",
  );
  const duckdb = await openDuckdb({
    ...{ directory: directory.path, generation: 1, memory_bytes: 128_000_000, threads: 2 },
    onFatal(error) {
      throw error;
    },
  });
  const events = eventStore(duckdb, join(directory.path, "dead"));
  const files = loadFiles(join(directory.path, "loads"), ROW_GROUP_ROWS);
  const reader = readSqlite(path);
  const unmirrored = unmirroredPersons();
  let pending: MirrorChanges | undefined;
  let asked = 0;
  const mirror = async () => {
    if (pending !== undefined) {
      await events.mirror(files.writeMirror(pending));
      unmirrored.reached(pending.version);
    }
    pending = undefined;
  };
  const matching = personMatching({
    matches: personMatches(apiReads(duckdb, 600)),
    snapshots: personSnapshots(reader),
    ingest: {
      watch: unmirrored.watch,
      async mirrored() {
        asked += 1;
        await mirror();
      },
    },
    isBehind: () => false,
  });
  return {
    persons: personWrites(sqlite),
    matching,
    reads: personReads(reader),
    mirror,
    /** How often somebody waited for the mirror. */
    asked: () => asked,
    /** SQLite has it, and the mirror is to get it. */
    changed(changes: MirrorChanges, told: "told" | "untold" = "told"): void {
      if (told === "told") unmirrored.add(changedIds(changes));
      pending = pending === undefined ? changes : joinChanges(pending, changes);
    },
    async [Symbol.asyncDispose]() {
      reader.close();
      sqlite.close();
      await duckdb.close();
      directory[Symbol.dispose]();
    },
  };
}

const PART = { limit: 100, offset: 0, signal: FOREVER };

const PLANS = ["free", "pro", "Team"];

/** Texts that JSON writes otherwise than they were sent, or that are cut from it. */
const ODD = [1e-7, 0.1, 9_007_199_254_740_991, "1e21", 'q"\\u0041', "ünï\n", null, true];

/** Filters, and who passes them. */
const FILTERS: [object[], (properties: JsonObject) => boolean][] = [
  [[{ key: "plan", value: "pro" }], ({ plan }) => plan === "pro"],
  [
    [{ key: "plan", operator: "is_not", value: ["pro", "free"] }],
    ({ plan }) => plan === undefined || plan === "Team",
  ],
  [[{ key: "$os", operator: "is_set" }], ({ $os }) => $os !== undefined],
  [
    [{ key: "$initial_os", operator: "is_not_set" }],
    ({ $initial_os }) => $initial_os === undefined,
  ],
  ...ODD.filter((odd) => odd !== null).map((odd): (typeof FILTERS)[number] => [
    [{ key: "odd", value: asText(odd) }],
    (properties) => asText(properties["odd"]) === asText(odd),
  ]),
  [
    [
      { key: "plan", operator: "icontains", value: "T" },
      { key: "n", operator: "gt", value: 4 },
    ],
    ({ plan, n }) => plan === "Team" && Number(n) > 4,
  ],
];

/** Newest first. */
const ordered = (known: readonly Known[]) =>
  known.toSorted((a, b) => b.at.localeCompare(a.at) || b.id - a.id);

const shown = ({ id, uuid, at, properties, ids }: Known) => {
  return { id, uuid, at, created_at: at, properties, distinct_ids: ids };
};

async function expectFound(matching: PersonMatching, known: readonly Known[]): Promise<void> {
  for (const [filters, passes] of FILTERS) {
    const properties = propertyFilters([JSON.stringify(filters)], 0);
    const expected = ordered(known.filter((one) => passes(one.properties)));
    const find = async (filter: PersonFilter, part: PartAsked) => {
      const asked = { ...part, signal: FOREVER };
      const { count, rows } = await matching.places(1, { ...filter, properties }, asked);
      return { count, rows };
    };

    expect(await find({}, { limit: 100, offset: 1 })).toEqual({
      count: expected.length,
      rows: expected.slice(1).map(shown),
    });
    const [first, ...others] = expected;
    if (first === undefined) continue;
    const after = { at: first.at, id: first.id };
    expect(await find({}, { limit: 2, offset: 0, after })).toEqual({
      count: expected.length,
      rows: others.slice(0, 2).map(shown),
    });
    const distinct_id = first.ids[0] ?? "";
    const one = { count: 1, rows: [shown(first)] };
    expect(await find({ distinct_id }, { limit: 9, offset: 0 })).toEqual(one);
    expect(await find({ search: distinct_id }, { limit: 9, offset: 0 })).toEqual(one);
    const addressed = expected.filter(({ properties }) => properties["email"] !== undefined);
    expect((await find({ search: "aNN" }, { limit: 9, offset: 0 })).count).toBe(addressed.length);
    expect((await matching.places(2, { properties }, PART)).count).toBe(0);
  }
  for (const key of ["plan", "odd", "$os"]) {
    const texts = known.flatMap(({ properties }) => asText(properties[key]) ?? []);
    const counts = [...Map.groupBy(texts, (text) => text)].map(([name, all]) => {
      return { name, count: all.length };
    });
    const byName = (a: PropertyValue, b: PropertyValue) => (a.name < b.name ? -1 : 1);
    const values = await matching.values(1, key, "", FOREVER);
    expect(values.toSorted(byName)).toEqual(counts.toSorted(byName));
  }
}

test("a filter finds who has it now, however far the mirror is behind", async () => {
  await using stores = await twoStores();
  const random = randomOf(11);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = (chance: number) => random() < chance;
  const known: Known[] = [];
  let made = 0;
  let seq = 0;
  const properties = (): JsonObject => ({
    ...(some(0.2) ? largeProperties(130) : {}),
    ...(some(0.8) ? { plan: pick(PLANS) } : {}),
    ...(some(0.5) ? { n: Math.floor(random() * 10), odd: pick(ODD) } : {}),
    ...(some(0.5) ? { $os: "Linux" } : {}),
    ...(some(0.3) ? { $initial_os: "iOS" } : {}),
    ...(some(0.3) ? { email: `Ann${made}@x.y` } : {}),
  });
  const bare = ({ uuid, at, properties }: Omit<Known, "id">) => {
    return { project_id: 1, uuid, properties, created_at: at, is_identified: false };
  };

  for (let round = 0; round < 40; round += 1) {
    const created = Array.from({ length: Math.floor(random() * 4) }, () => {
      made += 1;
      const at = `2026-11-${10 + (made % 9)}T12:00:00.000000Z`;
      return { uuid: Bun.randomUUIDv7(), at, properties: properties(), ids: [`id ${made}`] };
    });
    const changed = known.filter(() => some(0.1));
    for (const one of changed) one.properties = properties();
    seq += 1;
    const changes = await stores.persons.apply({
      ...NO_CHANGES,
      created: [...created.map(bare)],
      changed: changed.map((one) => ({ ...bare(one), id: one.id })),
      ids: created.map(({ uuid, ids }) => ({
        ...{ project_id: 1, uuid, main: null },
        entries: ids.map((distinct_id) => ({ distinct_id, home: uuid })),
      })),
      applied_seq: seq,
    });
    const idOf = new Map(changes.persons.map(({ id, uuid }) => [uuid, id]));
    for (const one of created) known.push({ ...one, id: idOf.get(one.uuid) ?? 0 });
    stores.changed(changes);
    if (some(0.3) && known.length > 0) {
      const [gone] = known.splice(Math.floor(random() * known.length), 1);
      const by = { user_id: 1, at: "2026-11-21T12:00:00.000000Z" };
      const asked = { by, events: undefined };
      stores.changed((await stores.persons.remove(1, [gone?.id ?? 0], asked)).mirror);
    }
    if (some(0.2)) await stores.mirror();

    if (round % 4 === 3) await expectFound(stores.matching, known);
  }
  expect(stores.asked()).toBe(0);
  expect(known.length).toBeGreaterThan(20);
});

const numberOf = ({ properties: { n } }: { properties: JsonObject }) => n;

test("many who are large are asked about in parts, and told of in parts", async () => {
  await using stores = await twoStores();
  const made = Array.from({ length: 60 }, (_, at) => {
    const properties = { text: `${"x".repeat(400_000)}${at % 2}`, n: at };
    const uuid = personUuid(1, `id ${at}`);
    return { project_id: 1, uuid, properties, created_at: isoTime(at), is_identified: false };
  });
  const [mirrored, unmirrored] = [made.slice(0, 30), made.slice(30)];
  stores.changed(await stores.persons.apply({ ...NO_CHANGES, created: mirrored, applied_seq: 1 }));
  await stores.mirror();
  stores.changed(
    await stores.persons.apply({ ...NO_CHANGES, created: unmirrored, applied_seq: 2 }),
  );
  const wanted = made.flatMap(({ properties: { n } }) => (n % 2 === 1 ? [n] : [])).toReversed();
  const properties = propertyFilters(['{"key":"text","operator":"regex","value":"1$"}'], 0);
  const find = async (part: PartAsked) => {
    const found = await stores.matching.places(1, { properties }, { ...part, signal: FOREVER });
    return { ...found, read: found.rows.map(numberOf) };
  };
  const { reads } = stores;

  const { count, read, rest } = await find(PART);
  expect([count, read.length, rest.places.length]).toEqual([30, 3, 27]);
  let left: Rest = rest;
  while (left.places.length > 0) {
    const part = await reads.more(1, left);
    read.push(...part.rows.map(numberOf));
    left = part.rest;
  }
  expect(read).toEqual(wanted);
  const page = { limit: 3, offset: 12 };
  expect(await find(page)).toMatchObject({ count: 30, read: wanted.slice(12, 15) });

  const [next, changing] = wanted.slice(3);
  const changed = { ...(made[changing ?? 0] as NewPerson), id: rest.places[1]?.id ?? 0 };
  stores.changed(await stores.persons.apply({ ...NO_CHANGES, changed: [changed], applied_seq: 3 }));
  const more = await reads.more(1, rest);
  expect(more.rows.map(numberOf)).toEqual([next]);
  expect(more.rest).toEqual({ ...rest, places: rest.places.slice(1) });
  expect((await reads.more(1, more.rest)).rows).toEqual([]);
  expect(stores.asked()).toBe(0);
});

test("a filter waits for a mirror that lacks too much, or whose changes are not known", async () => {
  await using stores = await twoStores();
  const made = Array.from({ length: 20_001 }, (_, at) => {
    const uuid = personUuid(1, `id ${at}`);
    const properties = { plan: at < 20_000 ? "free" : "pro" };
    return { project_id: 1, uuid, properties, created_at: isoTime(at), is_identified: false };
  });
  const pro = propertyFilters(['{"key":"plan","value":"pro"}'], 0);
  const find = async () => {
    const { count, rows } = await stores.matching.places(1, { properties: pro }, PART);
    return [count, ...rows.map(({ created_at }) => created_at)];
  };

  stores.changed(await stores.persons.apply({ ...NO_CHANGES, created: made, applied_seq: 1 }));
  expect(await find()).toEqual([1, isoTime(20_000)]);
  expect(stores.asked()).toBe(1);

  const [first] = made.map((one) => ({ ...one, uuid: Bun.randomUUIDv7() }));
  const untold = {
    ...NO_CHANGES,
    created: [{ ...first, properties: { plan: "pro" } }] as NewPerson[],
  };
  stores.changed(await stores.persons.apply({ ...untold, applied_seq: 2 }), "untold");
  expect(await find()).toEqual([2, isoTime(20_000), isoTime(0)]);
  expect(stores.asked()).toBe(2);
});
