import { beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../support/data/build-records.ts";
import type { TestProject } from "../support/start/app.ts";
import { sharedApp } from "../support/start/shared-app.ts";

const newProject = sharedApp();

/** The city of each event: nested, by a name with dots, both, in a list, or none. */
const PLACES = [
  { station: { city: "Bonn", lines: [{ no: 3 }] } },
  { "station.city": "Bonn", station: 5 },
  { "station.city": "Ulm", station: { city: "Bonn" } },
  { station: { city: "Ulm", lines: [] } },
  { station: { "city.x": 1 }, city: "Bonn" },
  { station: { city: "Bonn", note: "x".repeat(40_000) } },
];

let app: TestProject;

beforeAll(async () => {
  app = await newProject();
  const sent = PLACES.map((place, n) => {
    const properties = { ...place, $set: place, $groups: { shop: `s${n}` } };
    return event({ event: `${n}`, distinct_id: `d${n}`, properties });
  });
  const groups = PLACES.map((place, n) => {
    const properties = { $group_type: "shop", $group_key: `s${n}`, $group_set: place };
    return event({ event: "$groupidentify", properties });
  });
  await app.capture(batch(...sent, ...groups));
});

type Answer = { results: unknown[]; columns: string[] };

async function ask(query: object): Promise<Answer> {
  const asked = { body: { query } };
  const { status, body } = await app.ask("POST", `/api/projects/${app.id}/query/`, asked);
  expect([status, body]).toMatchObject([200, {}]);
  return body as Answer;
}

const isPlace = (name: unknown) => /^\d$/.test(String(name));
const inBonn = { key: "station.city", value: "Bonn" };
const BONN = ["0", "1", "5"];

describe("a name with dots is a way to a nested value", () => {
  test.each([
    ["an event", {}],
    ["a person", { type: "person" }],
    ["a group", { type: "group", group_type_index: 0 }],
  ])("in filters of %s", async (_, of) => {
    const filter = { ...inBonn, ...of };
    const listed = await app.get(
      `/events/?properties=${encodeURIComponent(JSON.stringify(filter))}`,
    );
    const { results } = listed.body as { results: { event: string }[] };
    const names = results.map((row) => row.event).sort();
    expect(names.filter(isPlace)).toEqual(BONN);
    const sql = { kind: "HogQLQuery", query: "SELECT event FROM events WHERE {filters}" };
    const { results: rows } = await ask({ ...sql, filters: { properties: [filter] } });
    expect(rows.flat().filter(isPlace).sort()).toEqual(BONN);
  });

  test("in filters of a list of persons", async () => {
    const { body } = await app.get(
      `/persons/?properties=${encodeURIComponent(JSON.stringify([inBonn]))}`,
    );
    const { results } = body as { results: { distinct_ids: string[] }[] };
    expect(results.map(({ distinct_ids: [id] }) => id).sort()).toEqual(["d0", "d1", "d5"]);
  });

  test("in columns of tables", async () => {
    const select = ["event", "properties.station.city", "person.properties.station.city"];
    const { results } = await ask({ kind: "EventsQuery", select, after: "all" });
    const cities = ["Bonn", "Bonn", "Ulm", "Ulm", null, "Bonn"];
    expect(results.filter((row) => isPlace((row as string[])[0])).sort()).toEqual(
      cities.map((city, n) => [`${n}`, city, city]),
    );
    const counted = await ask({
      ...{ kind: "EventsQuery", after: "all", event: "3" },
      select: ["properties.station.city", "count()"],
    });
    expect(counted.results).toEqual([["Ulm", 1]]);
    const persons = await ask({ kind: "ActorsQuery", select: ["properties.station.lines.0.no"] });
    expect(persons.results.flat().filter((one) => one !== null)).toEqual([3]);
  });

  test("in breakdowns and in math", async () => {
    const trend = { kind: "TrendsQuery", dateRange: { date_from: "-1d" } };
    const node = { kind: "EventsNode", event: "5" };
    const { results } = await ask({
      ...{ ...trend, series: [node] },
      breakdownFilter: { breakdown: "station.city", breakdown_type: "event" },
    });
    expect(results).toMatchObject([{ breakdown_value: "Bonn", count: 1 }]);
    const summed = { ...node, event: "0", math: "sum", math_property: "station.lines.0.no" };
    expect((await ask({ ...trend, series: [summed] })).results).toMatchObject([{ count: 3 }]);
  });
});
