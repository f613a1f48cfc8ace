import { afterAll, beforeAll, expect, test } from "bun:test";
import { batch, event } from "../../../../support/data/build-records.ts";
import { shown } from "../../../../support/data/wall-clock.ts";
import { type TestApp, testApp } from "../../../../support/start/app.ts";

/** Zones of projects, and zones that are asked for: with halves and quarters of hours, and clocks that are changed. */
const PROJECTS = ["UTC", "Europe/Berlin", "Australia/Lord_Howe"];
const ZONES = ["Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York", "UTC"];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Moments at which clocks of these zones are changed, and days without a change. */
const AROUND = [
  ...["2025-03-09T07:00Z", "2025-11-02T06:00Z", "2025-03-30T01:00Z", "2025-10-26T01:00Z"],
  ...["2025-04-05T15:00Z", "2025-10-04T15:30Z", "2025-06-30T18:15Z", "2025-01-01T00:00Z"],
].map((text) => Date.parse(text));

const MOMENTS = [
  ...new Set(
    AROUND.flatMap((at) =>
      [0, 14, 31, 61, 100, 300].flatMap((away) => [at - away * MINUTE, at + away * MINUTE]),
    ),
  ),
].sort((a, b) => a - b);

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const events = MOMENTS.map((at, n) =>
    event({ event: "at", distinct_id: `d${n}`, timestamp: new Date(at).toISOString() }),
  );
  await app.capture({ ...batch(...events), historical_migration: true });
});

afterAll(() => app[Symbol.asyncDispose]());

/** A moment in ISO 8601, with the offset of a zone. */
function written(at: number, zone: string): string {
  const ahead = (shown(at, zone) - at) / MINUTE;
  const two = (count: number) => String(Math.floor(Math.abs(count))).padStart(2, "0");
  const offset = `${ahead < 0 ? "-" : "+"}${two(Math.abs(ahead) / 60)}:${two(Math.abs(ahead) % 60)}`;
  const text = new Date(at + ahead * MINUTE).toISOString().replace("Z", "000");
  return `${text}${zone === "UTC" ? "Z" : offset}`;
}

const plain = (wall: number) => new Date(wall).toISOString().slice(0, 19).replace("T", " ");

/** The first moment at which the clock of a zone shows a time that it has. */
function momentOf(wall: number, zone: string): number {
  for (let at = wall - 15 * HOUR; at <= wall + 15 * HOUR; at += 15 * MINUTE) {
    if (shown(at, zone) === wall) return at;
  }
  return Number.NaN;
}

type Row = { at: number; wall: number; zone: string };
type Expected = string | number | boolean;

const T = "toTimeZone(timestamp, 'ZONE')";
const hourOf = ({ at, wall }: Row) => at - (wall % HOUR);
const dayOf = ({ wall, zone }: Row) => momentOf(Math.floor(wall / DAY) * DAY, zone);

/** Beginnings of hours between two moments; half of one, where a clock is changed by it, is rounded. */
function hoursLater(row: Row, count: number): number {
  const at = row.at + count * HOUR;
  const later = hourOf({ ...row, at, wall: shown(at, row.zone) });
  return Math.round((later - hourOf(row)) / HOUR);
}

const EXPRESSIONS: Record<string, (row: Row) => Expected> = {
  [T]: ({ at, zone }) => written(at, zone),
  [`toTimeZone(toTimeZone(timestamp, 'Asia/Tokyo'), 'ZONE')`]: ({ at, zone }) => written(at, zone),
  "timestamp AT TIME ZONE 'ZONE'": ({ at, zone }) => written(at, zone),
  "toHour(timestamp AT TIME ZONE 'ZONE')": ({ wall }) => Math.floor((wall % DAY) / HOUR),
  "toDateTime(timestamp, 'ZONE')": ({ at, zone }) => written(at, zone),
  [`toDateTime(${T})`]: ({ at, zone }) => written(at, zone),
  "toStartOfDay(timestamp, 'ZONE')": (row) => written(dayOf(row), row.zone),
  [`toStartOfDay(${T})`]: (row) => written(dayOf(row), row.zone),
  "dateTrunc('day', timestamp, 'ZONE')": (row) => written(dayOf(row), row.zone),
  "toStartOfHour(timestamp, 'ZONE')": (row) => written(hourOf(row), row.zone),
  [`toStartOfHour(${T})`]: (row) => written(hourOf(row), row.zone),
  [`dateTrunc('hour', ${T})`]: (row) => written(hourOf(row), row.zone),
  "toStartOfMinute(timestamp, 'ZONE')": ({ at, wall, zone }) => written(at - (wall % MINUTE), zone),
  [`toStartOfFifteenMinutes(${T})`]: ({ at, wall, zone }) =>
    written(at - (wall % (15 * MINUTE)), zone),
  [`if(event = 'at', ${T}, NULL)`]: ({ at, zone }) => written(at, zone),
  [`coalesce(${T}, now())`]: ({ at, zone }) => written(at, zone),
  [`greatest(${T}, timestamp)`]: ({ at, zone }) => written(at, zone),
  [`max(${T}) OVER (PARTITION BY distinct_id)`]: ({ at, zone }) => written(at, zone),
  [`${T} + INTERVAL 3 HOUR`]: ({ at, zone }) => written(at + 3 * HOUR, zone),
  [`addHours(${T}, 3)`]: ({ at, zone }) => written(at + 3 * HOUR, zone),
  [`toHour(${T})`]: ({ wall }) => Math.floor((wall % DAY) / HOUR),
  [`toMinute(${T})`]: ({ wall }) => Math.floor((wall % HOUR) / MINUTE),
  [`toDate(${T})`]: ({ wall }) => plain(wall).slice(0, 10),
  [`CAST(${T} AS DATE)`]: ({ wall }) => plain(wall).slice(0, 10),
  [`toStartOfMonth(${T})`]: ({ wall }) => `${plain(wall).slice(0, 7)}-01`,
  [`dateTrunc('month', ${T})`]: ({ wall }) => `${plain(wall).slice(0, 7)}-01`,
  [`toString(${T})`]: ({ wall }) => plain(wall),
  [`concat('at ', toString(${T}))`]: ({ wall }) => `at ${plain(wall)}`,
  [`formatDateTime(${T}, '%F %T')`]: ({ wall }) => plain(wall),
  [`toUnixTimestamp(${T})`]: ({ at }) => at / 1000,
  [`dateDiff('hour', ${T}, timestamp + INTERVAL 5 HOUR)`]: (row) => hoursLater(row, 5),
  "dateDiff('hour', timestamp, timestamp + INTERVAL 5 HOUR, 'ZONE')": (row) => hoursLater(row, 5),
  [`dateDiff('hour', toStartOfDay(${T}), ${T})`]: (row) =>
    Math.round((hourOf(row) - dayOf(row)) / HOUR),
  [`dateDiff('minute', ${T}, timestamp + INTERVAL 5 HOUR)`]: () => 300,
  [`dateDiff('day', ${T}, timestamp + INTERVAL 24 HOUR)`]: ({ at, wall, zone }) =>
    Math.floor(shown(at + DAY, zone) / DAY) - Math.floor(wall / DAY),
  [`${T} + INTERVAL 1 DAY > ${T}`]: () => true,
  [`toString(${T} + INTERVAL 1 DAY)`]: ({ wall, zone }) =>
    plain(shown(momentOf(wall + DAY, zone), zone) || wall + DAY),
  [`toUnixTimestamp(${T}) = toUnixTimestamp(timestamp)`]: () => true,
  [`${T} IN (timestamp, now())`]: () => true,
  [`${T} = timestamp`]: () => true,
  [`${T} > timestamp + INTERVAL 1 MINUTE`]: () => false,
  [`${T} >= '2025-06-15 12:00:00'`]: ({ wall }) => wall >= Date.UTC(2025, 5, 15, 12),
  [`${T} BETWEEN '2025-03-09 12:00:00' AND '2025-11-02 12:00:00'`]: ({ wall }) =>
    wall >= Date.UTC(2025, 2, 9, 12) && wall <= Date.UTC(2025, 10, 2, 12),
  [`toTypeName(${T}) = 'x'`]: () => false,
};

const ask = async (sql: string) => {
  const body = { query: { kind: "HogQLQuery", query: sql } };
  const answer = await app.ask("POST", "/api/environments/1/query/", { body });
  expect({ sql, ...answer }).toMatchObject({ status: 200 });
  return (answer.body as { results: unknown[][] }).results;
};

/** Ways of asking for an expression of events. */
const WAYS: ((sql: string) => string)[] = [
  (sql) => `SELECT toUnixTimestamp(timestamp), ${sql} FROM events ORDER BY seq LIMIT 1000`,
  (sql) =>
    `SELECT u, v FROM (SELECT toUnixTimestamp(timestamp) AS u, ${sql} AS v, seq FROM events)
    ORDER BY seq LIMIT 1000`,
  (sql) =>
    `WITH rows AS (SELECT toUnixTimestamp(timestamp) AS u, ${sql} AS v FROM events)
    SELECT * FROM rows LIMIT 1000`,
];

test.each(PROJECTS)(
  "in a project on %s, times of other zones have their offset",
  async (project) => {
    await app.app.projects.change(1, { timezone: project });
    for (const zone of ZONES) {
      for (const [at, [sql, expectedOf]] of Object.entries(EXPRESSIONS).entries()) {
        // AT TIME ZONE 'UTC' is the time itself, on the clock of the project.
        if (zone === "UTC" && sql.includes("AT TIME ZONE")) continue;
        const way = WAYS[at % WAYS.length] ?? WAYS[0];
        for (const one of new Set([WAYS[0], way])) {
          const query = one?.(sql.replaceAll("'ZONE'", `'${zone}'`)) ?? "";
          const rows = await ask(query);
          expect(rows).toHaveLength(MOMENTS.length);
          const wrong = rows.flatMap(([seconds, value]) => {
            const row = {
              at: Number(seconds) * 1000,
              zone,
              wall: shown(Number(seconds) * 1000, zone),
            };
            const expected = expectedOf(row);
            return value === expected ? [] : [`${value}, not ${expected}`];
          });
          expect([query, ...wrong.slice(0, 3)]).toEqual([query]);
        }
      }
    }
  },
);

test.each(PROJECTS)(
  "in a project on %s, an hour that is shown twice is two groups",
  async (project) => {
    await app.app.projects.change(1, { timezone: project });
    for (const zone of ZONES) {
      const hours = MOMENTS.map((at) => hourOf({ at, zone, wall: shown(at, zone) }));
      const counts = Map.groupBy(hours, (at) => at);
      const expected = [...counts].sort(([a], [b]) => a - b).map(([at, all]) => [at, all.length]);
      for (const by of ["hour", "1", `toStartOfHour(timestamp, '${zone}')`]) {
        const rows = await ask(
          `SELECT toStartOfHour(timestamp, '${zone}') AS hour, count() FROM events
        GROUP BY ${by} HAVING toHour(hour) >= 0 ORDER BY hour LIMIT 1000`,
        );
        expect(rows).toEqual(expected.map(([at = 0, count]) => [written(at, zone), count]));
      }
    }
  },
);
