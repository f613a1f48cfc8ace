import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import { shown } from "../../../support/data/wall-clock.ts";

const ZONES = ["UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Berlin"];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Moments at which clocks of these zones move, and at which years, months and weeks begin. */
const AROUND = [
  ...["2025-03-09T07:00Z", "2025-11-02T06:00Z", "2025-03-30T01:00Z", "2025-10-26T01:00Z"],
  ...["2025-04-05T15:00Z", "2025-10-04T15:30Z", "2024-02-29T12:00Z", "2024-12-31T23:00Z"],
  ...["2025-06-30T18:15Z", "2025-01-05T18:15Z"],
].map((text) => Date.parse(text));

const AWAY = [
  0,
  1 * SECOND,
  14 * MINUTE,
  31 * MINUTE,
  61 * MINUTE,
  100 * MINUTE,
  5 * HOUR,
  25 * HOUR,
];

const MOMENTS = [
  ...new Set(AROUND.flatMap((at) => AWAY.flatMap((away) => [at - away, at + away]))),
].sort((a, b) => a - b);

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp();
  const events = MOMENTS.map((at, n) =>
    event({
      ...{ event: "at", distinct_id: `d${n}`, timestamp: written(at) },
      properties: { iso: written(at), seconds: at / SECOND },
    }),
  );
  await app.capture({ ...batch(...events), historical_migration: true });
});

afterAll(() => app[Symbol.asyncDispose]());

/** All moments at which the clock of a zone shows a time: two when it goes back, none when it skips it. */
function momentsOf(wall: number, zone: string): number[] {
  const found = [];
  for (let at = wall - 15 * HOUR; at <= wall + 15 * HOUR; at += 15 * MINUTE) {
    if (shown(at, zone) === wall) found.push(at);
  }
  return found;
}

const dayOf = (wall: number) => Math.floor(wall / DAY) * DAY;
const weekday = (wall: number) => (Math.floor(wall / DAY) + 4) % 7;
const monthOf = (wall: number, more = 0) => {
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + more, 1);
};
const written = (wall: number) => new Date(wall).toISOString();
const date = (wall: number) => written(wall).slice(0, 10);
const mondayOf = (wall: number) => dayOf(wall) - ((weekday(wall) + 6) % 7) * DAY;

/** A time of the same day of another month, or of its last day. */
function monthsLater(wall: number, count: number): number {
  const last = (monthOf(monthOf(wall, count), 1) - monthOf(wall, count)) / DAY;
  const day = Math.min(new Date(wall).getUTCDate(), last);
  return monthOf(wall, count) + (day - 1) * DAY + (wall - dayOf(wall));
}

type Row = { at: number; wall: number; zone: string };
/** A value, or a time that the clock shows, of which a moment is one. */
type Expected = string | number | boolean | { moments: number[] };

const instant = (at: number) => ({ moments: [at] });
/** The moments at which a clock shows a time, or would if it did not skip that time. */
const local = (wall: number, zone: string) => {
  const offsets = [-DAY, DAY].map((away) => shown(wall + away, zone) - wall - away);
  const found = momentsOf(wall, zone);
  return { moments: found.length > 0 ? found : offsets.map((offset) => wall - offset) };
};
const firstOf = (wall: number, zone: string) => local(wall, zone).moments[0] ?? Number.NaN;

const FIXED = "2025-03-30 12:30:00";
const fixed = Date.parse("2025-03-30T12:30:00Z");
const fixedAt = (zone: string) => firstOf(fixed, zone);
const startOfHour = ({ at, wall }: Row) => at - (wall % HOUR);

const EXPRESSIONS: Record<string, (row: Row) => Expected> = {
  timestamp: ({ at }) => instant(at),
  "toStartOfSecond(timestamp)": ({ at }) => instant(at),
  "toStartOfMinute(timestamp)": ({ at, wall }) => instant(at - (wall % MINUTE)),
  "toStartOfFifteenMinutes(timestamp)": ({ at, wall }) => instant(at - (wall % (15 * MINUTE))),
  "toStartOfHour(timestamp)": (row) => instant(startOfHour(row)),
  "dateTrunc('hour', timestamp)": (row) => instant(startOfHour(row)),
  "toStartOfInterval(timestamp, INTERVAL 30 MINUTE)": ({ at, wall }) =>
    instant(at - (wall % (30 * MINUTE))),
  "toStartOfInterval(timestamp, INTERVAL 1 DAY)": ({ wall, zone }) => local(dayOf(wall), zone),
  "toStartOfInterval(timestamp, INTERVAL 1 WEEK)": ({ wall }) => date(mondayOf(wall)),
  "toStartOfInterval(timestamp, INTERVAL 1 MONTH)": ({ wall }) => date(monthOf(wall)),
  "toStartOfDay(timestamp)": ({ wall, zone }) => local(dayOf(wall), zone),
  "dateTrunc('day', timestamp)": ({ wall, zone }) => local(dayOf(wall), zone),
  "toStartOfWeek(timestamp)": ({ wall }) => date(dayOf(wall) - weekday(wall) * DAY),
  "toStartOfWeek(timestamp, 1)": ({ wall }) => date(mondayOf(wall)),
  "toMonday(timestamp)": ({ wall }) => date(mondayOf(wall)),
  "dateTrunc('week', timestamp)": ({ wall }) => date(mondayOf(wall)),
  "toStartOfMonth(timestamp)": ({ wall }) => date(monthOf(wall)),
  "dateTrunc('month', timestamp)": ({ wall }) => date(monthOf(wall)),
  "toStartOfYear(timestamp)": ({ wall }) => `${date(wall).slice(0, 4)}-01-01`,
  "toLastDayOfMonth(timestamp)": ({ wall }) => date(monthOf(wall, 1) - DAY),
  "toDate(timestamp)": ({ wall }) => date(wall),
  "toDate(timestamp) + 1": ({ wall }) => date(wall + DAY),
  "toString(toDate(timestamp))": ({ wall }) => date(wall),
  "formatDateTime(timestamp, '%Y-%m-%d %H:%i:%S')": ({ wall }) =>
    written(wall).slice(0, 19).replace("T", " "),
  "formatDateTime(timestamp, '%F %T', 'Asia/Tokyo')": ({ at }) =>
    written(at + 9 * HOUR)
      .slice(0, 19)
      .replace("T", " "),
  "toHour(timestamp)": ({ wall }) => Math.floor((wall % DAY) / HOUR),
  "toMinute(timestamp)": ({ wall }) => Math.floor((wall % HOUR) / MINUTE),
  "toDayOfWeek(timestamp)": ({ wall }) => weekday(wall) || 7,
  "toDayOfMonth(timestamp)": ({ wall }) => new Date(wall).getUTCDate(),
  "toMonth(timestamp)": ({ wall }) => new Date(wall).getUTCMonth() + 1,
  "toYYYYMM(timestamp)": ({ wall }) => Number(date(wall).slice(0, 7).replace("-", "")),
  "toHour(timestamp, 'Asia/Tokyo')": ({ at }) => Math.floor(((at + 9 * HOUR) % DAY) / HOUR),
  "toDate(timestamp, 'America/New_York')": ({ at }) => date(shown(at, "America/New_York")),
  "toUnixTimestamp(timestamp)": ({ at }) => at / SECOND,
  "toUnixTimestamp(toStartOfDay(timestamp))": ({ wall, zone }) =>
    firstOf(dayOf(wall), zone) / SECOND,
  "fromUnixTimestamp(toUnixTimestamp(timestamp))": ({ at }) => instant(at),
  "toDateTime(toUnixTimestamp(timestamp))": ({ at }) => instant(at),
  "toDateTime(toString(toUnixTimestamp(timestamp)))": ({ at }) => instant(at),
  "parseDateTimeBestEffort(toString(toUnixTimestamp(timestamp) * 1000))": ({ at }) => instant(at),
  "toDate(toString(toUnixTimestamp(timestamp)))": ({ wall }) => date(wall),
  "toDateTime(properties.seconds)": ({ at }) => instant(at),
  "toDateTime(properties.iso)": ({ at }) => instant(at),
  "toDate(properties.iso)": ({ wall }) => date(wall),
  "toStartOfHour(toDateTime(properties.iso))": (row) => instant(startOfHour(row)),
  "dateDiff('minute', properties.iso, timestamp + INTERVAL 3 HOUR)": () => 180,
  "timestamp = toDateTime(properties.iso)": () => true,
  "timestamp > properties.iso": () => false,
  "timestamp + INTERVAL 1 HOUR": ({ at }) => instant(at + HOUR),
  "timestamp - INTERVAL 90 MINUTE": ({ at }) => instant(at - 90 * MINUTE),
  "timestamp + 60": ({ at }) => instant(at + MINUTE),
  "addHours(timestamp, 3)": ({ at }) => instant(at + 3 * HOUR),
  "timestamp + INTERVAL 1 DAY": ({ wall, zone }) => local(wall + DAY, zone),
  "subtractDays(timestamp, 1)": ({ wall, zone }) => local(wall - DAY, zone),
  "timestamp + INTERVAL 1 WEEK": ({ wall, zone }) => local(wall + 7 * DAY, zone),
  "addMonths(timestamp, 1)": ({ wall, zone }) => local(monthsLater(wall, 1), zone),
  "timestamp - INTERVAL 1 MONTH": ({ wall, zone }) => local(monthsLater(wall, -1), zone),
  "toStartOfDay(timestamp) + INTERVAL 1 DAY": ({ wall, zone }) => local(dayOf(wall) + DAY, zone),
  "toStartOfDay(timestamp) + INTERVAL 24 HOUR": ({ wall, zone }) =>
    instant(firstOf(dayOf(wall), zone) + DAY),
  [`dateDiff('second', toDateTime('${FIXED}'), timestamp)`]: ({ at, zone }) =>
    (at - fixedAt(zone)) / SECOND,
  [`dateDiff('minute', toDateTime('${FIXED}'), timestamp)`]: ({ at, zone }) =>
    Math.floor(at / MINUTE) - Math.floor(fixedAt(zone) / MINUTE),
  [`dateDiff('day', toDateTime('${FIXED}'), timestamp)`]: ({ wall }) =>
    (dayOf(wall) - dayOf(fixed)) / DAY,
  [`dateDiff('week', toDateTime('${FIXED}'), timestamp)`]: ({ wall }) =>
    (mondayOf(wall) - mondayOf(fixed)) / (7 * DAY),
  [`dateDiff('month', toDateTime('${FIXED}'), timestamp)`]: ({ wall }) => {
    const [one, other] = [new Date(wall), new Date(fixed)];
    const years = one.getUTCFullYear() - other.getUTCFullYear();
    return years * 12 + one.getUTCMonth() - other.getUTCMonth();
  },
  "dateDiff('hour', toStartOfDay(timestamp), timestamp)": (row) => {
    const start = firstOf(dayOf(row.wall), row.zone);
    return Math.round((startOfHour(row) - start) / HOUR);
  },
  "timestampDiff('hour', timestamp, toDateTime('2025-12-01 12:00:00'))": (row) =>
    Math.round((firstOf(Date.UTC(2025, 11, 1, 12), row.zone) - startOfHour(row)) / HOUR),
  "dateDiff('day', timestamp, timestamp + INTERVAL 24 HOUR)": ({ at, wall, zone }) =>
    (dayOf(shown(at + DAY, zone)) - dayOf(wall)) / DAY,
  "dateDiff('hour', timestamp, timestamp + INTERVAL 24 HOUR)": ({ at, wall, zone }) =>
    Math.round((at + DAY - (shown(at + DAY, zone) % HOUR) - (at - (wall % HOUR))) / HOUR),
  [`timestamp >= '${FIXED}'`]: ({ at, zone }) => at >= fixedAt(zone),
  "timestamp >= '2025-03-30'": ({ wall }) => wall >= Date.UTC(2025, 2, 30),
  "timestamp < '2025-11-02'": ({ wall }) => wall < Date.UTC(2025, 10, 2),
  "timestamp <= toDate('2025-10-26')": ({ wall }) => wall <= Date.UTC(2025, 9, 26),
  "toDate(timestamp) = '2025-10-05'": ({ wall }) => date(wall) === "2025-10-05",
  "toDate(timestamp) >= toDate('2025-04-06')": ({ wall }) => date(wall) >= "2025-04-06",
  "timestamp BETWEEN '2025-03-09' AND '2025-03-10 12:00:00'": ({ wall }) =>
    wall >= Date.UTC(2025, 2, 9) && wall <= Date.UTC(2025, 2, 10, 12),
  "timestamp > '2025-03-30T01:00:00Z'": ({ at }) => at > Date.UTC(2025, 2, 30, 1),
  "timestamp > toDateTime('2025-03-30 01:00:00', 'UTC')": ({ at }) => at > Date.UTC(2025, 2, 30, 1),
  "timestamp >= toStartOfDay(toDateTime('2025-10-26 12:00:00'))": ({ wall }) =>
    wall >= Date.UTC(2025, 9, 26),
  "toStartOfDay(timestamp) = '2025-11-02'": ({ wall }) => date(wall) === "2025-11-02",
  "toDateTime(formatDateTime(timestamp, '%F %T'))": ({ wall, zone }) => local(wall, zone),
};

const isSame = (value: unknown, expected: Expected) =>
  typeof expected === "object"
    ? expected.moments.includes(Date.parse(String(value)))
    : Bun.deepEquals(typeof expected === "number" ? Number(value) : value, expected);

const shownAs = (expected: Expected) =>
  typeof expected === "object" ? expected.moments.map(written).join(" or ") : expected;

test.each(ZONES)("times on the clock of %s are those of plain loops", async (zone) => {
  await app.app.projects.change(1, { timezone: zone });
  const wrong: string[] = [];
  for (const [sql, expectedOf] of Object.entries(EXPRESSIONS)) {
    const { status, body } = await app.run(
      `SELECT toUnixTimestamp(timestamp) AS at, ${sql} AS value FROM events WHERE event = 'at'
      ORDER BY timestamp LIMIT 1000`,
    );
    const { results = [], detail } = body as { results?: unknown[][]; detail?: string };
    if (status !== 200) wrong.push(`${sql}: ${detail}`);
    else expect(results).toHaveLength(MOMENTS.length);
    const faults = results.flatMap(([seconds, value]) => {
      const at = Number(seconds) * SECOND;
      const expected = expectedOf({ at, zone, wall: shown(at, zone) });
      return isSame(value, expected) ? [] : [`${written(at)}: ${value}, not ${shownAs(expected)}`];
    });
    if (faults.length > 0)
      wrong.push(`${sql} (${faults.length}): ${faults.slice(0, 3).join("; ")}`);
  }
  expect(wrong).toEqual([]);
});
