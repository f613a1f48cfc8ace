import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp();
  const at = ["2026-11-20T22:30:00Z", "2026-11-20T23:30:00Z", "2026-11-21T00:30:00Z"];
  const events = at.map((timestamp, n) =>
    event({
      ...{ event: "timed", distinct_id: `d${n}`, timestamp },
      properties: { due: "2026-11-21T05:00:00+05:30", plain: "2026-11-21T00:00:00Z" },
    }),
  );
  await app.capture(batch(...events));
});

afterAll(() => app[Symbol.asyncDispose]());

/** The answers to conditions and values, each of the events of this file. */
async function answersOf(sqls: readonly string[], more = "") {
  const rows = [];
  for (const sql of sqls) {
    const { status, body } = await app.run(
      `SELECT ${sql} FROM events WHERE event = 'timed' ${more}`,
    );
    rows.push([sql, status, (body as { results: unknown[][] }).results?.[0]?.[0]]);
  }
  return rows;
}

const counted = (sql: string) => `countIf(${sql})`;

const CONDITIONS: [sql: string, count: number][] = [
  ["timestamp < '2026-11-21T00:30:00+01:00'", 1],
  ["timestamp >= '2026-11-21 00:30:00+01'", 2],
  ["'2026-11-20 18:30:00-05:00' = timestamp", 1],
  ["timestamp BETWEEN '2026-11-21T04:00:00+05:30' AND '2026-11-21T05:00:00.000+05:30'", 2],
  ["timestamp IN ('2026-11-21T04:00:00+05:30', '2026-11-21T09:30:00+09:00')", 2],
  ["timestamp NOT IN ('2026-11-21T04:00:00+05:30')", 2],
  ["timestamp < toDateTime(properties.due)", 1],
  ["timestamp < properties.due", 1],
  ["timestamp < CAST(properties.due AS TIMESTAMP)", 1],
  ["timestamp < CAST('2026-11-21T00:30:00+01:00' AS DateTime)", 1],
  ["timestamp < TIMESTAMP '2026-11-21 00:30:00+01:00'", 1],
  ["toDateTime('2026-11-21 00:30:00 Europe/Paris') = timestamp", 1],
  ["timestamp < if(event = 'timed', '2026-11-21T00:30:00+01:00', now())", 1],
];

const VALUES: [sql: string, value: unknown][] = [
  ["any(toUnixTimestamp('2026-11-22T10:00:00+02:00'))", 1_795_334_400],
  [
    "any(dateDiff('minute', toDateTime('2026-11-22T10:00:00+02:00'), parseDateTimeBestEffort('2026-11-22T08:00:00Z')))",
    0,
  ],
  [
    "any(dateDiff('hour', '2026-11-22T10:00:00+02:00', toDateTime64('2026-11-22 09:00:00Z', 3)))",
    1,
  ],
  ["any(toUnixTimestamp(toDateTime(properties.due)) - toUnixTimestamp(properties.plain))", -1800],
  [
    "any(dateDiff('minute', toDateTime('2026-11-22T10:00:00+02:00', 'Asia/Tokyo'), toDateTime('2026-11-22T17:00:00', 'Asia/Tokyo')))",
    0,
  ],
];

for (const timezone of ["UTC", "Asia/Kathmandu"]) {
  test(`the offset of a time counts in ${timezone}`, async () => {
    await app.app.projects.change(1, { timezone });
    expect(await answersOf(CONDITIONS.map(([sql]) => counted(sql)))).toEqual(
      CONDITIONS.map(([sql, count]) => [counted(sql), 200, count]),
    );
    expect(await answersOf(VALUES.map(([sql]) => sql))).toEqual(
      VALUES.map(([sql, value]) => [sql, 200, value]),
    );
    await app.app.projects.change(1, { timezone: "UTC" });
  });
}

test("the date of a time with an offset is that on the clock of the project", async () => {
  const dates = [
    "any(toDate('2026-11-22T01:00:00+02:00'))",
    "any(CAST('2026-11-22T01:00:00+02:00' AS DATE))",
    "any(toDate(properties.due))",
  ];
  const found = await answersOf(dates);
  expect(found.map(([, , day]) => day)).toEqual(["2026-11-21", "2026-11-21", "2026-11-20"]);
});
