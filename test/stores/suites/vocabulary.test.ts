import { describe, expect, test } from "bun:test";
import type { ProjectVocabulary, ValueType } from "../../../src/core/ports/vocabulary.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import type { VocabularySources } from "../../../src/stores/duckdb/lists/vocabulary.ts";
import {
  batchEvent,
  batchOf,
  columnsOf,
  loadOf,
  projectedPerson,
} from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";
import { repeatable, seedOf } from "../../support/start/rounds.ts";
import { EVENT_STORES, type Events } from "../stores.ts";

type Sent = { event: string; properties: JsonObject; groups?: Record<number, string> };
type Owned = { owner: string; properties: JsonObject };

const isTime = (text: string) => /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$/s.test(text);

function typeOf(value: Json): ValueType {
  if (typeof value === "string") return isTime(value) ? "time" : "text";
  if (typeof value === "object") return "list";
  return typeof value === "number" ? "number" : "boolean";
}

const WITHOUT_VALUES = ["$group_type", "$group_key", "$lib", "distinct_id", "token"];

/** Counts properties, and values, of some objects by plain loops. */
function counted(objects: readonly Owned[]) {
  const properties = new Map<string, Record<string, number>>();
  const values = new Map<string, number>();
  for (const { owner, properties: own } of objects) {
    for (const [name, value] of Object.entries(own)) {
      if (value === null) continue;
      const types = properties.get(`${owner} ${name}`) ?? {};
      types[typeOf(value)] = (types[typeOf(value)] ?? 0) + 1;
      properties.set(`${owner} ${name}`, types);
      if (typeof value === "object" || WITHOUT_VALUES.includes(name)) continue;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      if (text.length > 100 || text.trim() === "") continue;
      const key = `${owner} ${name} ${text}`;
      values.set(key, (values.get(key) ?? 0) + 1);
    }
  }
  return { properties, values };
}

/** The counts of {@link counted}, as lines. */
function expected(objects: readonly Owned[]) {
  const { properties, values } = counted(objects);
  const lines = [...properties].map(([key, types]) => {
    const most = Object.entries(types).sort(([a, n], [b, m]) => m - n || (a < b ? 1 : -1))[0]?.[0];
    return `${key} ${most} ${Object.values(types).reduce((sum, n) => sum + n, 0)}`;
  });
  return { properties: lines.sort(), values: [...values].map((pair) => pair.join(" ")).sort() };
}

/** The same lines of a vocabulary. */
function linesOf({ events, person_properties, groups, values }: ProjectVocabulary) {
  const line = (owner: string) => (one: { name: string; type: string; count: number }) =>
    `${owner} ${one.name} ${one.type} ${one.count}`;
  return {
    properties: [
      ...events.flatMap(({ name, properties }) => properties.map(line(name))),
      ...person_properties.map(line("person")),
      ...groups.flatMap((one) => one.properties.map(line(`group ${one.group_type_index}`))),
    ].sort(),
    values: values
      .map(({ of, property, value, count }) => {
        const owner = of.type === "event" ? of.event : of.type;
        const index = of.type === "group" ? ` ${of.group_type_index}` : "";
        return `${owner}${index} ${property} ${value} ${count}`;
      })
      .sort(),
  };
}

async function store({ store, files }: Events, sent: readonly Sent[], first = 1): Promise<void> {
  const events = sent.map(({ event, properties, groups }, at) =>
    batchEvent(first + at, { event, properties }, { groups }),
  );
  await store.append(loadOf(files, batchOf(first, events)));
}

const SOURCES: VocabularySources = {
  groupTypes: async () => [
    { group_type: "company", group_type_index: 0 },
    { group_type: "team", group_type_index: 1 },
  ],
  words: async () => [
    { kind: "event", name: "paid", also_called: ["order", "sale"] },
    { kind: "event", name: "missing", also_called: ["nothing"] },
    { kind: "event_property", name: "plan", also_called: ["tier"] },
    { kind: "person_property", name: "plan", also_called: ["tariff"] },
  ],
};

describe.each(EVENT_STORES)("the vocabulary in %s", (_name, open) => {
  const seed = seedOf();
  const isThatOfPlainLoops = async () => {
    await using stored = await open(SOURCES);
    const random = randomOf(seed);
    const below = (n: number) => Math.floor(random() * n);
    const of = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const value = (): Json =>
      of<() => Json>([
        () => `text ${below(5)}`,
        () => `é "${below(3)}" \\ 🦔`,
        () => below(4),
        () => below(9) / 4,
        () =>
          of(["12.50", "-3", "+4e1", "007", "1_000", ".5", " 12 ", "1,5", "0x10", "NaN", "1e999"]),
        () => below(2) === 0,
        () => `2026-11-0${1 + below(3)}`,
        () => `2026-11-21T10:0${below(9)}:00Z\nx`,
        () => ["a", below(3)],
        () => ({ a: below(3) }),
        () => null,
        () => "x".repeat(101),
        () => "y".repeat(100),
        () => " ",
      ])();
    const properties = (): JsonObject =>
      Object.fromEntries(
        Array.from({ length: below(6) }, () => [
          of(["plan", "a/b~c.d", "$browser", "$lib", "token", "it's", "größe"]),
          value(),
        ]),
      );
    const sent = Array.from({ length: 400 }, (): Sent => {
      const groups = below(3) === 0 ? { groups: { [below(2)]: `key ${below(3)}` } } : {};
      return { event: of(["paid", "view", "it's", "ü"]), properties: properties(), ...groups };
    });
    const persons = Array.from({ length: 60 }, (_, at) => ({ id: at + 1, own: properties() }));
    const groups = Array.from({ length: 40 }, (_, at) => ({
      ...{ project_id: 1, type_index: at % 2, key: `key ${at}`, own: properties() },
      created_at: "2026-11-21T12:00:00.000000Z",
    }));
    await store(stored, sent);
    const other = batchEvent(500, { event: "other", properties: { other: 1 } }, { project_id: 2 });
    const changes = {
      persons: persons.map(({ id, own }) =>
        projectedPerson({
          ...{ id, uuid: Bun.randomUUIDv7(), distinct_ids: [`d${id}`], ...columnsOf(own) },
        }),
      ),
      groups: groups.map(({ own, ...group }) => ({ ...group, properties: JSON.stringify(own) })),
    };
    await stored.store.append(loadOf(stored.files, batchOf(500, [other], changes)));

    const found = await stored.queries.vocabulary(1, FOREVER);

    const keys = [
      ...groups.map(({ type_index, key }) => ({ index: type_index, key })),
      ...sent.flatMap(({ groups: own = {} }) =>
        Object.entries(own).map(([index, key]) => ({ index: Number(index), key })),
      ),
    ].map(({ index, key }) => ({ owner: `group ${index}`, properties: { key } }));
    const plain = expected([
      ...sent.map(({ event, properties: own }) => ({ owner: event, properties: own })),
      ...persons.map(({ own }) => ({ owner: "person", properties: own })),
      ...groups.map(({ type_index, own }) => ({ owner: `group ${type_index}`, properties: own })),
    ]);
    const keyLines = expected(keys).values.map((line) => line.replace(" key ", " $group_key "));
    expect(linesOf(found)).toEqual({
      properties: plain.properties,
      values: [...plain.values, ...keyLines].sort(),
    });
    expect(found.events.map(({ name, count }) => ({ name, count }))).toEqual(
      [...Map.groupBy(sent, ({ event }) => event)]
        .map(([name, all]) => ({ name, count: all.length }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    );
    const inOrder = ({ count }: { count: number }, at: number, all: { count: number }[]) =>
      count <= (all[at - 1]?.count ?? count);
    expect(found.values.every(inOrder)).toBe(true);
    expect(found.events.every((one) => one.properties.every(inOrder))).toBe(true);
    expect(found.groups.map(({ group_type }) => group_type)).toEqual(["company", "team"]);
  };

  test("is that of plain loops over events, persons and groups", () =>
    repeatable(seed, isThatOfPlainLoops));

  test("has the project's own words", async () => {
    await using stored = await open(SOURCES);
    await store(stored, [
      { event: "paid", properties: {} },
      { event: "view", properties: {} },
    ]);

    const { events, propertiesAlsoCalled } = await stored.queries.vocabulary(1, FOREVER);

    expect(events.map(({ name, alsoCalled }) => [name, ...alsoCalled])).toEqual([
      ["paid", "order", "sale"],
      ["view"],
    ]);
    expect(propertiesAlsoCalled).toEqual([
      { type: "event", name: "plan", words: ["tier"] },
      { type: "person", name: "plan", words: ["tariff"] },
    ]);
  });

  test("has the newest events of each name, also of one that occurs no more", async () => {
    await using stored = await open(SOURCES);
    const old = Array.from({ length: 700 }, (_, n) => ({
      event: n < 3 ? "rare" : "old",
      properties: { n, kind: n < 3 ? "scarce" : "usual" },
    }));
    const view = (_: unknown, n: number) => ({ event: "view", properties: { id: `id ${n}` } });
    await store(stored, old);
    await store(stored, Array.from({ length: 20_000 }, view), 701);

    const { events, values } = await stored.queries.vocabulary(1, FOREVER);

    expect(events.map(({ name, count }) => `${name} ${count}`)).toEqual([
      ...["view 20000", "old 697", "rare 3"],
    ]);
    expect(
      events.map(({ properties }) => properties.map(({ name, count }) => [name, count])),
    ).toEqual([
      [["id", 20_000]],
      [
        ["kind", 500],
        ["n", 500],
      ],
      [
        ["kind", 3],
        ["n", 3],
      ],
    ]);
    const of = (event: string, property: string) =>
      values.filter(
        (one) => one.of.type === "event" && one.of.event === event && one.property === property,
      );
    expect(of("rare", "kind")).toMatchObject([{ value: "scarce", count: 3 }]);
    const numbers = of("old", "n").map(({ value }) => Number(value));
    expect([numbers.length, Math.min(...numbers), Math.max(...numbers)]).toEqual([500, 200, 699]);
    expect(of("view", "id")).toHaveLength(2000);
  });

  test("of a project without events is empty", async () => {
    await using stored = await open();

    expect(await stored.queries.vocabulary(1, FOREVER)).toEqual({
      ...{ events: [], person_properties: [], groups: [], values: [], propertiesAlsoCalled: [] },
    });
  });
});
