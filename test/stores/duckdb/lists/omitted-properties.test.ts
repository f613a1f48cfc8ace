import { expect, test } from "bun:test";
import { personUuid } from "../../../../src/core/identity/person.ts";
import type { PersonFilter, PositionsQuery } from "../../../../src/core/ports/persons/reads.ts";
import type { PropertyValue } from "../../../../src/core/ports/persons/search.ts";
import type { JsonObject } from "../../../../src/core/values/json.ts";
import { propertyFilters } from "../../../../src/core/values/property-filter.ts";
import { isoTime } from "../../../../src/core/values/time.ts";
import { FOREVER, largeProperties } from "../../../support/data/build-records.ts";
import { asText } from "../../../support/data/insight-reference.ts";
import { NO_CHANGES } from "../../../support/data/persons.ts";
import { randomOf } from "../../../support/disk/faulty-disk.ts";
import { rounds } from "../../../support/start/rounds.ts";
import { type PersonStores, personStores } from "../../../support/start/stores.ts";

type Known = { id: number; uuid: string; at: string; properties: JsonObject; ids: string[] };

const PAGE = { limit: 100, offset: 0 };

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

const position = ({ id, at }: Known) => ({ id, at });

async function expectFound({ search }: PersonStores, known: readonly Known[]): Promise<void> {
  for (const [filters, passes] of FILTERS) {
    const properties = propertyFilters([JSON.stringify(filters)], 0);
    const matching = ordered(known.filter((one) => passes(one.properties)));
    const find = async (filter: PersonFilter, query: PositionsQuery, project = 1) => {
      const given = { ...filter, properties };
      const { count, positions } = await search.positions(project, given, query, FOREVER);
      return { count, positions };
    };

    expect(await find({}, { limit: 100, offset: 1 })).toEqual({
      count: matching.length,
      positions: matching.slice(1).map(position),
    });
    const [first, ...others] = matching;
    if (first === undefined) continue;
    expect(await find({}, { limit: 2, offset: 0, after: position(first) })).toEqual({
      count: matching.length,
      positions: others.slice(0, 2).map(position),
    });
    const distinct_id = first.ids[0] ?? "";
    const one = { count: 1, positions: [position(first)] };
    expect(await find({ distinct_id }, { limit: 9, offset: 0 })).toEqual(one);
    expect(await find({ search: distinct_id }, { limit: 9, offset: 0 })).toEqual(one);
    const addressed = matching.filter(({ properties }) => properties["email"] !== undefined);
    expect((await find({ search: "aNN" }, { limit: 9, offset: 0 })).count).toBe(addressed.length);
    expect((await find({}, PAGE, 2)).count).toBe(0);
  }
  for (const key of ["plan", "odd", "$os"]) {
    const texts = known.flatMap(({ properties }) => asText(properties[key]) ?? []);
    const counts = [...Map.groupBy(texts, (text) => text)].map(([name, all]) => {
      return { name, count: all.length };
    });
    const byName = (a: PropertyValue, b: PropertyValue) => (a.name < b.name ? -1 : 1);
    const values = await search.values(1, key, "", FOREVER);
    expect(values.toSorted(byName)).toEqual(counts.toSorted(byName));
  }
}

test("a filter finds exactly the persons that match, also by properties that the projection omits", async () => {
  await using stores = await personStores();
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

  for (let round = 0; round < rounds(24, 40); round += 1) {
    const created = Array.from({ length: Math.floor(random() * 4) }, () => {
      made += 1;
      const at = `2026-11-${10 + (made % 9)}T12:00:00.000000Z`;
      return { uuid: Bun.randomUUIDv7(), at, properties: properties(), ids: [`id ${made}`] };
    });
    const changed = known.filter(() => some(0.1));
    for (const one of changed) one.properties = properties();
    seq += 1;
    const changes = await stores.apply({
      ...NO_CHANGES,
      created: [...created.map(bare)],
      changed: changed.map((one) => ({ ...bare(one), id: one.id })),
      ids: created.map(({ uuid, ids }) => ({
        ...{ project_id: 1, uuid, main: null },
        entries: ids.map((distinct_id) => ({ distinct_id, initial_uuid: uuid })),
      })),
      applied_seq: seq,
    });
    const idOf = new Map(changes.persons.map(({ id, uuid }) => [uuid, id]));
    for (const one of created) known.push({ ...one, id: idOf.get(one.uuid) ?? 0 });
    if (some(0.3) && known.length > 0) {
      const [gone] = known.splice(Math.floor(random() * known.length), 1);
      const by = { user_id: 1, at: "2026-11-21T12:00:00.000000Z" };
      const ids = [gone?.id ?? 0];
      await stores.apply({ kind: "remove", project_id: 1, ids, by, events: undefined });
    }
    if (round % 4 !== 3) continue;
    await stores.project();
    await expectFound(stores, known);
  }
  expect(known.length).toBeGreaterThan(20);
});

test("many large persons are tested a part at a time", async () => {
  await using stores = await personStores();
  const made = Array.from({ length: 60 }, (_, n) => {
    const properties = { text: `${"x".repeat(400_000)}${n % 2}`, n };
    const uuid = personUuid(1, `id ${n}`);
    return { project_id: 1, uuid, properties, created_at: isoTime(n), is_identified: false };
  });
  const changes = await stores.apply({ ...NO_CHANGES, created: made, applied_seq: 1 });
  await stores.project();
  const ids = changes.persons.map(({ id }) => id);
  const odd = ids.filter((_, n) => n % 2 === 1).toReversed();
  const find = async (operator: string, query: PositionsQuery) => {
    const properties = propertyFilters([JSON.stringify({ key: "text", operator, value: "1$" })], 0);
    const found = await stores.search.positions(1, { properties }, query, FOREVER);
    return [found.count, ...found.positions.map(({ id }) => id)];
  };

  expect(await find("regex", PAGE)).toEqual([30, ...odd]);
  expect(await find("regex", { limit: 3, offset: 12 })).toEqual([30, ...odd.slice(12, 15)]);
  expect((await find("not_regex", PAGE))[0]).toBe(30);
  expect(await find("is_not_set", PAGE)).toEqual([0]);
});

test("a property that is omitted is tested as it is by now", async () => {
  await using stores = await personStores();
  const base = { project_id: 1, created_at: isoTime(0), is_identified: false };
  const made = Array.from({ length: 3 }, (_, n) => ({
    ...base,
    uuid: personUuid(1, `id ${n}`),
    properties: { text: "x".repeat(20_000) },
  }));
  const { persons } = await stores.apply({
    ...{ ...NO_CHANGES, created: made, applied_seq: 1 },
  });
  await stores.project();
  const [first = 0, second = 0, third = 0] = persons.map(({ id }) => id);
  const find = async (operator: string) => {
    const properties = propertyFilters([JSON.stringify({ key: "text", operator, value: "x" })], 0);
    const found = await stores.search.positions(1, { properties }, PAGE, FOREVER);
    return found.positions.map(({ id }) => id).toSorted((a, b) => a - b);
  };
  const [, changing] = made;

  expect([await find("is_set"), await find("exact")]).toEqual([[first, second, third], []]);
  const changed = { ...base, id: second, uuid: changing?.uuid ?? "", properties: { text: "x" } };
  await stores.apply({ ...NO_CHANGES, changed: [changed], applied_seq: 2 });
  const by = { user_id: 1, at: isoTime(0) };
  await stores.apply({ kind: "remove", project_id: 1, ids: [third], by, events: undefined });
  await stores.project();

  expect([await find("is_set"), await find("exact")]).toEqual([[first, second], [second]]);
});
