import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/core/values/json.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";

/** A zone that is behind UTC, so that its October is another one than that of UTC. */
const ZONE = "America/New_York";

/** Times in UTC of the events of each session; in New York October has the instants from 1 Oct 04:00 to 1 Nov 04:00. */
const SESSIONS: Record<string, [time: string, event: string][]> = {
  "before, into October": [
    ["2026-10-01T03:59:59.999Z", "$pageview"],
    ["2026-10-01T04:20:00Z", "$pageview"],
    ["2026-10-01T04:21:00Z", "paid"],
  ],
  "October, into November": [
    ["2026-11-01T03:59:59.500Z", "$pageview"],
    ["2026-11-01T04:30:00.400Z", "$pageview"],
  ],
  "over midnight": [
    ["2026-10-10T03:50:00Z", "$pageview"],
    ["2026-10-10T04:10:00Z", "paid"],
  ],
  "a bounce": [
    ["2026-10-20T10:00:00.900Z", "$pageview"],
    ["2026-10-20T10:00:03.100Z", "$pageleave"],
  ],
  "without a page view": [
    ["2026-10-21T10:00:00Z", "$autocapture"],
    ["2026-10-21T10:00:40Z", "paid"],
  ],
  after: [["2026-11-02T10:00:00Z", "$pageview"]],
};

/** Seconds of the sessions of October, in the order above. */
const LENGTHS = [1800.9, 1200, 2.2, 40];

const OCTOBER = { date_from: "2026-10-01", date_to: "2026-10-31" };
const STARTS = `FROM sessions WHERE "$start_timestamp" >= '2026-10-01' AND "$start_timestamp" < '2026-11-01'`;
const LENGTH = { math_property: "$session_duration", math_property_type: "session_properties" };

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ now: Date.parse("2026-11-21T17:00:00Z") });
  await app.ask("PATCH", "/api/projects/1/", { body: { timezone: ZONE } });
  const sent = Object.entries(SESSIONS).flatMap(([$session_id, events]) =>
    events.map(([timestamp, name]) =>
      event({
        ...{ event: name, distinct_id: $session_id, timestamp },
        properties: { $session_id, $pathname: "/" },
      }),
    ),
  );
  await app.capture(batch(...sent));
});

afterAll(() => app[Symbol.asyncDispose]());

type Line = { aggregated_value: number | null; data: number[]; breakdown_value?: string };
type Answer = { status: number; columns: string[]; results: Line[] };

async function answered(path: string, body: object): Promise<Answer> {
  const headers = { prefer: "return=representation" };
  const { status, body: answer } = await app.ask("POST", `${app.api}/${path}`, { body, headers });
  expect([body, status, answer]).toEqual([body, 200, answer] as never);
  return answer as Answer;
}

const words = async (query: string) =>
  (await answered("max_tools/create_and_query_insight/", { query })).results[0]?.aggregated_value;

const typed = (series: JsonObject[], more: JsonObject = {}) =>
  answered("query/", { query: { kind: "TrendsQuery", series, dateRange: OCTOBER, ...more } });

const total = async (series: JsonObject, more: JsonObject = {}) =>
  (await typed([series], { trendsFilter: { display: "BoldNumber" }, ...more })).results[0]
    ?.aggregated_value;

const sql = async (select: string) => {
  const query = { kind: "HogQLQuery", query: select };
  const { results } = await answered("query/", { query });
  return (results as unknown as number[][])[0]?.[0];
};

/** The number of a tile of the dashboard of a website, in October. */
async function tile(name: string): Promise<number | null | undefined> {
  const body = { use_template: "website" };
  const made = await app.ask("POST", `${app.api}/dashboards/`, { body });
  const { tiles } = made.body as { tiles: { insight: { name: string; query: JsonObject } }[] };
  const found = tiles.find(({ insight }) => insight.name === name);
  const source = found?.insight.query["source"];
  const { results } = await answered("query/", { query: source, filters_override: OCTOBER });
  return results[0]?.aggregated_value;
}

const ofAll = { event: null, math: "unique_session" };

test("a month has the sessions that start in it: in words, queries, dashboards and SQL", async () => {
  const found = [
    await words("how many sessions in October 2026"),
    await words("visits from 1 October 2026 to 31 October 2026"),
    await total(ofAll),
    await sql(`SELECT count(*) ${STARTS}`),
    await tile("Visits"),
  ];
  expect(found).toEqual(found.map(() => LENGTHS.length));
  const byDay = await typed([ofAll], { interval: "day" });
  const days = byDay.columns.filter((_, at) => byDay.results[0]?.data[at] === 1);
  expect(days).toEqual(["2026-10-09", "2026-10-20", "2026-10-21", "2026-10-31"]);
});

test("their length is one number of seconds with their fraction", async () => {
  const mean = LENGTHS.reduce((sum, one) => sum + one, 0) / LENGTHS.length;
  const found = [
    await words("average session length in October 2026"),
    await total({ event: null, math: "avg", ...LENGTH }),
    await sql(`SELECT avg("$session_duration") ${STARTS}`),
  ];
  expect(found.map((one) => one?.toFixed(9))).toEqual(found.map(() => mean.toFixed(9)));
  const longest = [
    await words("longest session in October 2026"),
    await total({ event: null, math: "max", ...LENGTH }),
    await sql(`SELECT max(session.$session_duration) FROM events
      WHERE session.$start_timestamp >= '2026-10-01' AND session.$start_timestamp < '2026-11-01'`),
  ];
  expect(longest).toEqual(longest.map(() => Math.max(...LENGTHS)));
});

test("a filter and a breakdown have the same length", async () => {
  const filter = (operator: string, value: number) => ({
    properties: [{ type: "session", key: "$session_duration", operator, value }],
  });
  for (const [operator, sign] of [
    ["gt", ">"],
    ["exact", "="],
    ["lt", "<"],
  ] as const) {
    for (const value of [2, 2.2, 3, 40, 1801]) {
      const found = await total(ofAll, filter(operator, value));
      const same = await sql(`SELECT count(*) ${STARTS} AND "$session_duration" ${sign} ${value}`);
      expect([operator, value, found]).toEqual([operator, value, same] as never);
    }
  }
  const breakdownFilter = { breakdown: "$session_duration", breakdown_type: "session" };
  const { results } = await typed([ofAll], { breakdownFilter });
  const values = results.map(({ breakdown_value }) => String(breakdown_value));
  expect(values.toSorted()).toEqual(LENGTHS.map(String).toSorted());
  const listed = await answered("query/", {
    query: { kind: "HogQLQuery", query: `SELECT "$session_duration" ${STARTS}` },
  });
  expect(listed.results.flat().map(String).toSorted()).toEqual(values.toSorted() as never);
});

test("bounces are of the sessions with a page view that start in it", async () => {
  const found = [
    await words("bounce rate in October 2026"),
    await tile("Bounce rate"),
    await sql(`SELECT 100 * avg("$is_bounce"::INTEGER) ${STARTS}`),
  ];
  expect(found.map((one) => one?.toFixed(9))).toEqual(found.map(() => (100 / 3).toFixed(9)));
});

test("sessions with an event start in it and have that event", async () => {
  const paid = `session_id IN (SELECT "$session_id" FROM events WHERE event = 'paid')`;
  const found = [
    await words("sessions with paid in October 2026"),
    await total({ event: "paid", math: "unique_session" }),
    await sql(`SELECT count(*) ${STARTS} AND ${paid}`),
  ];
  expect(found).toEqual([2, 2, 2]);
});
