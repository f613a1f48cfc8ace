import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TableReads } from "../../../../../src/core/ports/insights/tables.ts";
import { type Period, periodOf } from "../../../../../src/core/queries/period.ts";
import type { AnyFilter } from "../../../../../src/core/queries/query-fields.ts";
import type { EventsTable } from "../../../../../src/core/queries/tables/events.ts";
import type { PersonsTable } from "../../../../../src/core/queries/tables/persons.ts";
import { apiReads } from "../../../../../src/stores/duckdb/engine/query-deadline.ts";
import { tableReads } from "../../../../../src/stores/duckdb/insights/tables/tables.ts";
import { behaviorOfChance } from "../../../../support/data/behavior-reference.ts";
import { FOREVER } from "../../../../support/data/build-records.ts";
import {
  type Chance,
  chance,
  type DataSet,
  type DataSets,
  dataSets,
  EVENTS,
  KEYS,
  type Stored,
} from "../../../../support/data/data-sets.ts";
import {
  asText,
  forEach,
  histories,
  microsOf,
  nodeOfChance,
  ownerOf,
  PROJECTS,
  periodOfChance,
  propertyOfChance,
  sorted,
  TIMEOUT_MS,
  textOf,
} from "../../../../support/data/insight-reference.ts";

let stored: DataSets;
let tables: TableReads;

beforeAll(async () => {
  stored = await dataSets(PROJECTS);
  tables = tableReads(apiReads(stored.duckdb, 600));
});

afterAll(() => stored[Symbol.asyncDispose]());

const NOBODY = "00000000-0000-0000-0000-00000000000f";

/** Random conditions on persons, of which one is about what they did, and the same as a plain function. */
function conditionsOf(set: DataSet, dice: Chance, hasBehavior: boolean) {
  const period = periodOf(
    { date_from: "-0d", date_to: null },
    { interval: null, timezone: set.timezone, now: Date.UTC(2030, 0) },
  );
  const always = { isIn: () => true, isUntil: () => true };
  const ofPerson = () => {
    for (;;) {
      const one = propertyOfChance(set, dice);
      if (one.read.of.type === "person") return one;
    }
  };
  const ofBehavior = () => {
    const { read, passes } = behaviorOfChance(set, dice, { when: always });
    const within = read.behavior.within ?? { period, ever: true };
    return { read: { ...read, behavior: { ...read.behavior, within } }, passes };
  };
  const all: { read: AnyFilter; passes: (event: Stored) => boolean }[] = [
    ...Array.from({ length: dice.next(3) }, ofPerson),
    ...(hasBehavior ? [ofBehavior()] : []),
  ];
  const any = dice.next(2) === 0 && all.length > 1;
  return {
    period,
    filters: any ? [{ any, of: all.map(({ read }) => read) }] : all.map(({ read }) => read),
    // A person without events is asked about by an event that is not stored.
    isMet: (uuid: string) => {
      const event = { event: "", person_id: uuid, timestamp: "", properties: {}, groups: {} };
      const met = ({ passes }: (typeof all)[0]) => passes(event);
      return any ? all.some(met) : all.every(met);
    },
  };
}

test(
  "persons are the same as in a plain loop, also without a profile",
  async () => {
    let [listed, anonymous] = [0, 0];
    await forEach(stored.sets, async (set) => {
      for (const hasBehavior of [false, true]) {
        const dice = chance(set.project * 61 + Number(hasBehavior));
        const { period, filters, isMet } = conditionsOf(set, dice, hasBehavior);
        const query: PersonsTable = {
          ...{ kind: "ActorsQuery", columns: [], search: null, filters },
          ...{ order: [], limit: 1000, offset: 0 },
        };
        const plan = { query, owners: [], period };
        const found = await tables.persons(set.project, plan, FOREVER);

        const known = [...set.persons.keys()];
        const owners = hasBehavior ? [...histories(set, set.events).keys()] : [];
        const expected = [...new Set([...known, ...owners])].filter(isMet).map((uuid) => {
          const at = known.indexOf(uuid);
          return { id: at < 0 ? null : set.project * 10 + at, uuid };
        });
        expect([set.project, ...sorted(found)]).toEqual([set.project, ...sorted(expected)]);
        const count = await tables.countPersons(set.project, plan, FOREVER);
        expect([set.project, count]).toEqual([set.project, expected.length]);
        listed += expected.length;
        anonymous += expected.filter(({ id }) => id === null).length;
      }
    });
    expect(Math.min(listed, anonymous)).toBeGreaterThan(20);
  },
  TIMEOUT_MS,
);

test(
  "persons are sorted by numbers, then by texts, and by id",
  async () => {
    const property = "own";
    await forEach(stored.sets, async (set) => {
      const isDescending = set.project % 2 === 0;
      const query: PersonsTable = {
        ...{ kind: "ActorsQuery", columns: [], search: null, filters: [] },
        order: [{ by: { name: "properties.own", of: "person", property }, isDescending }],
        ...{ limit: 3, offset: 1 },
      };
      const period = {} as Period;
      const found = await tables.persons(set.project, { query, owners: [], period }, FOREVER);
      const all = [...set.persons].map(([uuid, properties], at) => {
        const text = asText(properties[property]);
        const isNumber = text !== null && /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text);
        const number = isNumber && Number.isFinite(Number(text)) ? Number(text) : null;
        return { id: set.project * 10 + at, uuid, text, number };
      });
      const way = isDescending ? -1 : 1;
      const compared = (a: string | number | null, b: string | number | null) => {
        if (a === null || b === null) return Number(a === null) - Number(b === null);
        if (typeof a === "number" && typeof b === "number") return way * (a - b);
        return way * Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
      };
      const expected = all
        .toSorted(
          (a, b) => compared(a.number, b.number) || compared(a.text, b.text) || way * (a.id - b.id),
        )
        .slice(1, 5)
        .map(({ id, uuid }) => ({ id, uuid }));
      expect([set.project, ...found]).toEqual([set.project, ...expected]);
    });
  },
  TIMEOUT_MS,
);

/** A random list of events, and the events of it by a plain loop, the first to come first. */
function eventsOf(set: DataSet, columns: EventsTable["columns"], isAggregated: boolean) {
  const dice = chance(set.project * 67 + Number(isAggregated));
  const { node, isOf } = nodeOfChance(set, dice);
  const { period, isIn } = periodOfChance(set, dice, null);
  const names = dice.next(2) === 0 ? [] : [dice.of(EVENTS), dice.of(EVENTS)];
  const events = node.event === null ? names : [node.event];
  const person =
    dice.next(3) === 0 ? ownerOf(set, set.events[0] ?? ({ person_id: NOBODY } as Stored)) : null;
  const query: EventsTable = {
    ...{ kind: "EventsQuery", columns, isAggregated, events, filters: node.filters },
    ...{ person, after: "", before: null, bounds: [], order: [], limit: 1000, offset: 0 },
  };
  const expected = set.events
    .filter(
      (event) =>
        isIn(event) &&
        isOf(event) &&
        (events.length === 0 || events.includes(event.event)) &&
        (person === null || ownerOf(set, event) === person),
    )
    .toSorted((a, b) => microsOf(a) - microsOf(b));
  return { plan: { query, person, period }, expected };
}

test(
  "events are the same as in a plain loop, in their order and in parts",
  async () => {
    let all = 0;
    await forEach(stored.sets, async (set) => {
      const { plan, expected } = eventsOf(set, [], false);
      const isDescending = set.project % 2 === 0;
      const order: EventsTable["order"] = [
        { by: { name: "timestamp", is: "timestamp" }, isDescending },
      ];
      const query = { ...plan.query, order, limit: 4, offset: 1 };
      const { rows, isMore } = await tables.events(set.project, { ...plan, query }, FOREVER);

      const ordered = (isDescending ? expected.toReversed() : expected).map((event) => ({
        ...{ event: event.event, person_id: ownerOf(set, event) },
        ...{ timestamp: event.timestamp, properties: event.properties },
      }));
      const found = rows.map(({ event, person_id, timestamp, properties }) => {
        return { event, person_id, timestamp, properties };
      });
      expect([set.project, isMore, found]).toEqual([
        ...[set.project, ordered.length > 5],
        ordered.slice(1, 5),
      ]);
      all += ordered.length;
    });
    expect(all).toBeGreaterThan(100);
  },
  TIMEOUT_MS,
);

test(
  "rows of aggregates are the same as in a plain loop",
  async () => {
    await forEach(stored.sets, async (set) => {
      const property = chance(set.project).of(KEYS);
      const columns: EventsTable["columns"] = [
        { name: "event", is: "event" },
        { name: "properties.x", of: "event", property },
        { name: "person.properties.x", of: "person", property },
        { name: "count()", is: "count()" },
        { name: "min(timestamp)", is: "min(timestamp)" },
        { name: "max(timestamp)", is: "max(timestamp)" },
      ];
      const { plan, expected } = eventsOf(set, columns, true);
      const found = await tables.aggregated(set.project, plan, FOREVER);

      const keyOf = (event: Stored) => [
        event.event,
        ...(["event", "person"] as const).map((type) => textOf(set, event, { type }, property)),
      ];
      const groups = Map.groupBy(expected, (event) => JSON.stringify(keyOf(event)));
      const rows = [...groups.values()].map((events) => [
        ...keyOf(events[0] as Stored),
        ...[events.length, events[0]?.timestamp, events.at(-1)?.timestamp],
      ]);
      expect([set.project, ...sorted(found)]).toEqual([set.project, ...sorted(rows)]);
    });
  },
  TIMEOUT_MS,
);
