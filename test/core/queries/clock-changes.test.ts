import { afterAll, beforeAll, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

let app: TestApp;

const MINUTES_10 = 600_000;
/** Events every ten minutes around the changes of clocks. */
const TIMES = ["2026-11-01T03:00Z", "2026-03-08T05:00Z", "2026-04-04T13:00Z"].flatMap((from) =>
  Array.from({ length: 36 }, (_, at) => Date.parse(from) + at * MINUTES_10),
);

beforeAll(async () => {
  app = await testApp();
  const events = TIMES.map((ms) => {
    const at = new Date(ms).toISOString();
    return event({ event: "tick", distinct_id: "ann", timestamp: at, properties: { at } });
  });
  await app.capture({ ...batch(...events), historical_migration: true });
});

afterAll(() => app[Symbol.asyncDispose]());

const zone = (timezone: string) =>
  app.ask("PATCH", `/api/projects/${app.id}/`, { body: { timezone } });
const query = (body: object) => app.ask("POST", `${app.api}/query/`, { body: { query: body } });

async function rows(body: object) {
  const answer = await query(body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return (answer.body as { results: unknown[] }).results;
}

const node = { kind: "EventsNode", event: "tick" };
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);

async function trend(
  date_from: string,
  date_to: string,
  interval: string,
  properties: object[] = [],
) {
  const { body } = await query({
    ...{ kind: "TrendsQuery", series: [{ ...node, properties }], interval },
    dateRange: { date_from, date_to, explicitDate: true },
  });
  const { results, sql } = body as { results: { data: number[] }[]; sql?: string };
  const ran = await query({ kind: "SQLQuery", query: sql ?? "" });
  const drafted = ran.body as { columns: string[]; results: (string | number | null)[][] };
  const [bucket, value] = ["bucket", "value"].map((name) => drafted.columns.indexOf(name));
  const ofBuckets = drafted.results.filter((row) => row[bucket ?? 0] !== null);
  expect(sum(ofBuckets.map((row) => Number(row[value ?? 0])))).toBe(sum(results[0]?.data ?? []));
  return sum(results[0]?.data ?? []);
}

async function counts(from: string, to: string) {
  const select = ["uuid", "timestamp"];
  const listed = await rows({ kind: "EventsQuery", select, after: from, before: to, limit: 500 });
  const where = [`timestamp >= '${from}'`, `timestamp <= '${to}'`];
  const all = { kind: "EventsQuery", select, after: "2026-01-01", limit: 500 };
  const compared = await rows({ ...all, where });
  const at = { key: "at", type: "event" };
  const filters = [
    { ...at, operator: "is_date_after", value: from },
    { ...at, operator: "is_date_before", value: to },
  ];
  const filtered = await rows({ ...all, properties: filters });
  const sql = async (condition: string) =>
    (await rows({ kind: "HogQLQuery", query: `SELECT uuid FROM events WHERE ${condition}` }))
      .length;
  const bounds = await sql(`timestamp >= '${from}' AND '${to}' >= timestamp`);
  const between = await sql(`timestamp BETWEEN '${from}' AND '${to}'`);
  const days = await trend(from, to, "day");
  const hours = await trend(from, to, "hour");
  return {
    ...{ listed: listed.length, compared: compared.length, days, hours, bounds, between },
    // Both bounds are left out.
    filtered: filtered.length,
  };
}

const NEW_YORK = "America/New_York";

test.each([
  // The clock of New York shows 01:00 to 02:00 twice, from 05:00Z to 07:00Z.
  [NEW_YORK, "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", 7],
  [NEW_YORK, "2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", 7],
  [NEW_YORK, "2026-11-01T05:10:00Z", "2026-11-01T05:50:00Z", 5],
  [NEW_YORK, "2026-11-01T06:10:00Z", "2026-11-01T06:50:00Z", 5],
  [NEW_YORK, "2026-11-01 01:00:00", "2026-11-01 02:00:00", 13],
  [NEW_YORK, "2026-11-01 01:30:00", "2026-11-01 01:40:00", 8],
  [NEW_YORK, "2026-11-01 00:30:00", "2026-11-01 01:00:00", 10],
  // It passes over 02:00 to 03:00, at 07:00Z.
  [NEW_YORK, "2026-03-08 02:10:00", "2026-03-08 03:10:00", 2],
  [NEW_YORK, "2026-03-08 01:50:00", "2026-03-08 02:30:00", 1],
  [NEW_YORK, "2026-03-08T06:50:00Z", "2026-03-08T07:10:00Z", 3],
  // Lord Howe's clock shows 01:30 to 02:00 twice, from 14:30Z to 15:30Z.
  ["Australia/Lord_Howe", "2026-04-04T14:40:00Z", "2026-04-04T15:10:00Z", 4],
  ["Australia/Lord_Howe", "2026-04-05 01:30:00", "2026-04-05 02:00:00", 7],
  ["Asia/Kathmandu", "2026-11-01 10:00:00", "2026-11-01 11:00:00", 6],
  ["Asia/Kathmandu", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", 7],
  ["UTC", "2026-11-01 05:30:00", "2026-11-01T06:30:00Z", 7],
])("in %s from %s to %s there are %d events, by any way", async (timezone, from, to, count) => {
  await zone(timezone);
  const { filtered: _, ...found } = await counts(from, to);
  expect(found).toEqual({
    ...{ listed: count, compared: count, days: count, hours: count },
    ...{ bounds: count, between: count },
  });
});

test.each([
  ["timestamp >= '2026-11-01 01:00:00' AND timestamp < '2026-11-01 02:00:00'", 12],
  ["timestamp >= '2026-11-01 00:00:00' AND timestamp < '2026-11-01 01:00:00'", 6],
  ["timestamp > '2026-11-01 01:00:00' AND timestamp <= '2026-11-01 01:00:00'", 6],
  ["timestamp > '2026-03-08 02:10' AND timestamp <= '2026-03-08 03:00'", 1],
  ["timestamp >= toDateTime('2026-11-01 01:00:00') AND timestamp < '2026-11-01 02:00:00'", 12],
])("SQL reads bounds as typed queries do: %s", async (condition, count) => {
  await zone(NEW_YORK);
  const statement = `SELECT count() FROM events WHERE ${condition}`;
  expect(await rows({ kind: "HogQLQuery", query: statement })).toEqual([[count]]);
});

test("a behavior has the same bounds", async () => {
  await zone(NEW_YORK);
  const within = (from: string, to: string, times: number) =>
    trend("2026-11-01", "2026-11-02", "day", [
      {
        ...{ type: "behavioral", key: "tick", value: "performed_event_multiple" },
        ...{ operator: "exact", operator_value: times },
        ...{ explicit_datetime: from, explicit_datetime_to: to },
      },
    ]);
  expect(await within("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", 7)).toBeGreaterThan(0);
  expect(await within("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", 6)).toBe(0);
  expect(await within("2026-11-01 01:00", "2026-11-01 02:00", 13)).toBeGreaterThan(0);
});

test("lists of events and filters of properties take the same bounds", async () => {
  await zone(NEW_YORK);
  const get = async (after: string, before: string) => {
    const params = new URLSearchParams({ after, before, limit: "500" });
    const { body } = await app.get(`/events/?${params}`);
    return (body as { results: unknown[] }).results.length;
  };
  // Both bounds are left out.
  expect(await get("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z")).toBe(5);
  expect(await get("2026-11-01 01:00:00", "2026-11-01 02:00:00")).toBe(11);
  const { filtered } = await counts("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z");
  expect(filtered).toBe(5);
  const shown = await counts("2026-11-01 01:00:00", "2026-11-01 02:00:00");
  expect(shown.filtered).toBe(11);
});

test.each([
  ["2026-11-01 00:00", 6],
  ["2026-11-01T04:00:00Z", 6],
  ["2026-11-01T01:00:00", 6],
  ["2026-11-01T05:00:00Z", 6],
  ["2026-11-01T01:00:00-05:00", 6],
  ["2026-11-01T07:00:00+01:00", 6],
  ["2026-11-01T04:30:00Z", null],
  ["2026-11-01T00:20:00", null],
  ["2026-12-01T04:00:00Z", null],
])("the hour %s has %p events of its person, or is refused", async (day, count) => {
  await zone(NEW_YORK);
  const dateRange = { date_from: "2026-11-01", date_to: "2026-11-01" };
  const source = { kind: "TrendsQuery", series: [node], interval: "hour", dateRange };
  const actors = { kind: "InsightActorsQuery", source, day };
  const { status, body } = await query({ kind: "ActorsQuery", source: actors });
  if (count === null) {
    const detail = expect.stringContaining("2026-11-01 00:00 to 2026-11-01 23:00");
    expect({ status, body }).toMatchObject({ status: 400, body: { detail } });
  } else {
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { results: [[{}, count, expect.any(String)]] },
    });
  }
});
