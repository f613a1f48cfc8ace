import { expect, test } from "bun:test";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp({ now: Date.parse("2026-11-20T12:00:00Z") });

const NAMES = ["$pageview", "signed up", "$identify", "paid", "1", "1.0", "signed off"];

/** Events of five people, each at its own time. */
const EVENTS = Array.from({ length: 60 }, (_, at) => ({
  event: NAMES[(at * 3 + (at >> 2)) % NAMES.length] as string,
  distinct_id: `id ${(at * 7) % 5}`,
  timestamp: new Date(Date.UTC(2026, 10, 19, 0, at)).toISOString(),
  properties: { at },
}));

type Sent = (typeof EVENTS)[number];
type Filter = { key: string; operator?: string; value: unknown; type?: string };

const CASES: [filter: Filter, passes: (one: Sent) => boolean][] = [
  [{ key: "event", value: ["paid", "signed up"] }, ({ event }) => /^(paid|signed up)$/.test(event)],
  [{ key: "event", value: 1 }, ({ event }) => event === "1"],
  [{ key: "event", operator: "is_not", value: "1.0" }, ({ event }) => event !== "1.0"],
  [{ key: "event", operator: "in", value: [] }, () => false],
  [{ key: "event", operator: "icontains", value: "SIGN" }, ({ event }) => event.includes("sign")],
  [{ key: "event", operator: "not_regex", value: "^[$]" }, ({ event }) => !event.startsWith("$")],
  [{ key: "event", operator: "starts_with", value: "$" }, ({ event }) => event.startsWith("$")],
  [
    { key: "distinct_id", operator: "ends_with", value: ["3", "4"] },
    (one) => /[34]$/.test(one.distinct_id),
  ],
  [
    { key: "distinct_id", operator: "not_in", value: ["id 0"] },
    (one) => one.distinct_id !== "id 0",
  ],
];

async function project() {
  const app = await newProject();
  await app.capture({ api_key: app.token, batch: EVENTS });
  const post = (query: object) => app.ask("POST", `${app.api}/query/`, { body: { query } });
  const rows = async (query: object) => {
    const { status, body } = await post({ dateRange: { date_from: "-6d" }, ...query });
    expect({ query, status, body }).toMatchObject({ status: 200 });
    return (body as { results: unknown[] }).results;
  };
  const listed = async (filter: object) => {
    const properties = encodeURIComponent(JSON.stringify(filter));
    const { status, body } = await app.ask("GET", `${app.api}/events/?properties=${properties}`);
    expect({ filter, status, body }).toMatchObject({ status: 200 });
    return (body as { results: { properties: { at: number } }[] }).results;
  };
  return { ...app, post, rows, listed };
}

const people = (events: readonly Sent[]) => new Set(events.map((one) => one.distinct_id)).size;

test("a filter on the name or the id of an event is met alike in every kind of query", async () => {
  const { rows, listed } = await project();
  for (const [filter, passes] of CASES) {
    const properties = [{ type: "event_metadata", ...filter }];
    const passed = EVENTS.filter(passes);
    expect([filter, passed.length > 3]).toEqual([filter, !Bun.deepEquals(filter.value, [])]);
    const places = passed.map(({ properties: { at } }) => at).toSorted((a, b) => a - b);
    const all = { kind: "EventsNode", event: null };
    const total = { kind: "TrendsQuery", trendsFilter: { display: "BoldNumber" } };

    const trend = await rows({ ...total, series: [{ ...all, math: "total" }], properties });
    const series = await rows({ ...total, series: [{ ...all, math: "dau", properties }] });
    const selected = { select: ["properties.at"], after: "-6d", limit: 100 };
    const table = await rows({
      kind: "EventsQuery",
      ...selected,
      properties,
      dateRange: undefined,
    });
    const persons = await rows({
      ...{ kind: "ActorsQuery", limit: 100, dateRange: undefined },
      source: { kind: "InsightActorsQuery", source: { ...total, series: [all], properties } },
    });
    const did = { type: "behavioral", event_type: "events", key: null, value: "performed_event" };
    const who = await rows({
      ...{ ...total, series: [{ ...all, math: "dau" }] },
      properties: [{ ...did, event_filters: properties }],
    });
    const sql = await rows({
      ...{ kind: "HogQLQuery", query: "SELECT count() FROM events WHERE {filters}" },
      ...{ filters: { properties }, dateRange: undefined },
    });
    const found = {
      trend: (trend[0] as { aggregated_value: number } | undefined)?.aggregated_value,
      series: (series[0] as { aggregated_value: number } | undefined)?.aggregated_value,
      table: table.map((row) => Number((row as unknown[])[0])).toSorted((a, b) => a - b),
      list: (await listed(properties)).map((one) => one.properties.at).toSorted((a, b) => a - b),
      persons: persons.length,
      who: (who[0] as { aggregated_value: number } | undefined)?.aggregated_value,
      sql,
    };
    expect([filter, found]).toEqual([
      filter,
      {
        ...{ trend: passed.length, series: people(passed), table: places, list: places },
        ...{ persons: people(passed), who: people(passed), sql: [[passed.length]] },
      },
    ]);
  }
});

test("a filter of a person is met by all events that the person has now", async () => {
  const { rows, listed, capture, token } = await project();
  const [one] = await listed([{ type: "event_metadata", key: "distinct_id", value: "id 2" }]);
  const { person_id } = one as unknown as { person_id: string };
  const merged = { event: "$create_alias", distinct_id: "id 2", properties: { alias: "id 4" } };
  await capture({ api_key: token, batch: [{ ...merged, timestamp: "2026-11-19T20:00:00Z" }] });
  const [kept] = await listed([{ type: "event_metadata", key: "distinct_id", value: "id 4" }]);
  const owner = (kept as unknown as { person_id: string }).person_id;
  const own = EVENTS.filter(({ distinct_id }) => /[24]$/.test(distinct_id));
  expect([person_id, owner]).toContain(owner);
  const properties = [{ type: "event_metadata", key: "person_id", value: owner.toUpperCase() }];
  const [total] = await rows({
    ...{ kind: "TrendsQuery", series: [{ event: null }], properties },
    trendsFilter: { display: "BoldNumber" },
  });
  expect(total).toMatchObject({ aggregated_value: own.length + 1 });
  expect(await listed(properties)).toHaveLength(own.length + 1);
});

test.each<[string, object, string, string]>([
  ["a time", { key: "timestamp", value: "-7d" }, "invalid_choice", "event, distinct_id, person_id"],
  [
    "a comparison of numbers",
    { key: "event", operator: "gt", value: 1 },
    "invalid_input",
    "exact, is_not",
  ],
  [
    "a test that every event passes",
    { key: "event", operator: "is_set" },
    "invalid_input",
    "exact, is_not",
  ],
  [
    "a version",
    { key: "event", operator: "semver_gt", value: "1.2.3" },
    "invalid_input",
    "exact, is_not",
  ],
  ["a person's number", { key: "person_id", value: "7" }, "invalid_input", "uuid of a person"],
  [
    "an unknown operator",
    { key: "event", operator: "like", value: "a" },
    "invalid_input",
    "icontains",
  ],
  ["no text", { key: "event", value: {} }, "invalid_input", "no value to compare with"],
])("%s is refused", async (_, filter, code, words) => {
  const { post, ask, api } = await project();
  const properties = [{ type: "event_metadata", ...filter }];
  for (const query of [
    { kind: "TrendsQuery", series: [{}], properties },
    { kind: "HogQLQuery", query: "SELECT 1 FROM events WHERE {filters}", filters: { properties } },
  ]) {
    const { status, body } = await post(query);
    expect([status, body]).toEqual([400, expect.objectContaining({ code })]);
    expect((body as { detail: string }).detail).toContain(words);
  }
  const text = encodeURIComponent(JSON.stringify(properties));
  expect(await ask("GET", `${api}/events/?properties=${text}`)).toMatchObject({ status: 400 });
});

test("lists of persons and breakdowns say where it belongs", async () => {
  const { ask, api, post } = await project();
  const filter = { type: "event_metadata", key: "event", value: "paid" };
  const text = encodeURIComponent(JSON.stringify(filter));
  const { status, body } = await ask("GET", `${api}/persons/?properties=${text}`);
  expect([status, (body as { detail: string }).detail]).toEqual([
    400,
    expect.stringContaining("properties of a query, for conditions on its events"),
  ]);
  expect(await post({ kind: "ActorsQuery", select: ["id"], properties: [filter] })).toMatchObject({
    status: 400,
  });
});

test("an event that has never come is named", async () => {
  const { post } = await project();
  const filter = { type: "event_metadata", key: "event", operator: "is_not", value: "paidd" };
  const { body } = await post({ kind: "TrendsQuery", series: [{}], properties: [filter] });
  expect(body).toMatchObject({
    warnings: ['No event "paidd" has come yet. Did you mean "paid"?'],
    explanation: expect.stringContaining('where event name is not "paidd"'),
  });
});
