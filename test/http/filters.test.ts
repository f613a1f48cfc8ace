import { beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../support/data/build-records.ts";
import type { TestProject } from "../support/start/app.ts";
import { sharedApp } from "../support/start/shared-app.ts";

const newProject = sharedApp();

const VALUES = [
  ...["20", "2e1", "20.0", "+20", "020", " 20", "2_0", "20x", "x", 20, 20.5, true, null],
  ...["9007199254740993", "9007199254740992"],
];

let app: TestProject;

beforeAll(async () => {
  app = await newProject();
  const sent = VALUES.map((size, n) => {
    const properties = { size, $set: { size }, $groups: { shop: `s${n}` } };
    return event({ event: `${n}`, distinct_id: `d${n}`, properties });
  });
  const groups = VALUES.map((size, n) => {
    const properties = { $group_type: "shop", $group_key: `s${n}`, $group_set: { size } };
    return event({ event: "$groupidentify", properties });
  });
  await app.capture(batch(...sent, ...groups));
});

const valuesOf = (names: string[]) =>
  names
    .map(Number)
    .filter((n) => n >= 0)
    .sort((a, b) => a - b)
    .map((n) => VALUES[n]);

type Listed = { results: { event: string; distinct_ids: string[] }[] };
type Rows = { results: string[][] };

/** The values that pass a filter, as each reader of filters finds them. */
async function found(filter: object): Promise<Record<string, unknown>> {
  const address = (filters: object[]) =>
    `properties=${encodeURIComponent(JSON.stringify(filters))}&limit=100`;
  const listed = async (path: string) => (await app.get(path)).body as Listed;
  const events = async (one: object) =>
    valuesOf((await listed(`/events/?${address([one])}`)).results.map((row) => row.event));
  const rows = async (query: object) => {
    const asked = { body: { query } };
    const { body } = await app.ask("POST", `/api/projects/${app.id}/query/`, asked);
    return valuesOf((body as Rows).results.map(([name = ""]) => name));
  };
  const persons = await listed(`/persons/?${address([filter])}`);
  const HogQL = { kind: "HogQLQuery", filters: { properties: [filter] } };
  return {
    events: await events(filter),
    ofPersons: await events({ ...filter, type: "person" }),
    ofGroups: await events({ ...filter, type: "group", group_type_index: 0 }),
    persons: valuesOf(persons.results.map(({ distinct_ids: [id = ""] }) => id.slice(1))),
    sql: await rows({ ...HogQL, query: "SELECT event FROM events WHERE {filters}" }),
    insight: await rows({
      ...{ kind: "EventsQuery", select: ["event"], after: "all", properties: [filter] },
    }),
  };
}

describe("a filter means the same wherever it is read", () => {
  const numbers = ["20", "2e1", "20.0", "+20", "020", 20];
  test.each([
    ["exact", 20, numbers],
    ["in", [20, "x"], [...numbers, "x"]],
    ["exact", "20", numbers],
    ["exact", "2e1", numbers],
    ["exact", "020", ["020"]],
    ["exact", " 20", [...numbers, " 20"]],
    ["is_not", 20, VALUES.filter((one) => !numbers.includes(one as string))],
    ["exact", 20.5, [20.5]],
    ["exact", "9007199254740993", ["9007199254740993"]],
    ["between", [20, 20], numbers],
  ])("%s %j", async (operator, value, passing) => {
    const expected = VALUES.filter((one) => passing.includes(one as string));
    const all = Object.entries(await found({ key: "size", operator, value }));
    // An event of `$groupidentify` has no group, so that it passes what is negated.
    for (const [reader, values] of all) expect([reader, values]).toEqual([reader, expected]);
  });

  test("and so does a comparison in SQL", async () => {
    const query = "SELECT event FROM events WHERE properties.size = 20";
    const asked = { body: { query: { kind: "HogQLQuery", query } } };
    const { body } = await app.ask("POST", `/api/projects/${app.id}/query/`, asked);
    expect(valuesOf((body as Rows).results.map(([name = ""]) => name))).toEqual(
      VALUES.filter((one) => numbers.includes(one as string)),
    );
  });
});

describe("a typed query", () => {
  const trend = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "1" }] };
  test.each([
    [{ filterTestAccounts: "yes" }, "query__filterTestAccounts"],
    [{ version: "two" }, "query__version"],
    [{ modifiers: 5 }, "query__modifiers"],
    [{ dateRange: { date_from: "soon" } }, "query__dateRange__date_from"],
    [{ dateRange: { date_to: "2026-02-31" } }, "query__dateRange__date_to"],
  ])("is not saved with %j", async (more, attr) => {
    const asked = { body: { query: { ...trend, ...more } } };
    const answered = await app.ask("POST", `/api/projects/${app.id}/insights/`, asked);
    expect(answered).toMatchObject({ status: 400, body: { code: "invalid_input", attr } });
  });
});
