import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";

const EVENTS = 400;
const MIDNIGHT = Date.parse("2026-11-20T00:00:00Z");
const NAMES = ["$pageview", "$pageview", "$autocapture", "$screen", "paid"];

type Sent = { name: string; id: string; at: number; session: string | undefined; page: number };

// A fixed sequence: sessions across midnight, of 1 to 30 events, many at the same time, some of no session.
let state = 7;
function below(limit: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % limit;
}
const sent = Array.from({ length: EVENTS }, (): Sent => {
  const number = below(8) === 0 ? undefined : Math.floor(below(900) ** 2 / 9000);
  const length = [4, 12, 7200][(number ?? 0) % 3] ?? 4;
  return {
    name: NAMES[below(NAMES.length)] ?? "paid",
    id: (number ?? 0) % 5 === 0 ? (["phone", "ann"][below(2)] ?? "ann") : `user-${number}`,
    at: MIDNIGHT + ((number ?? 0) - 40) * 60_000 + below(length) * 1000,
    session: number === undefined ? undefined : `s${number}`,
    page: below(9),
  };
});

const iso = (at: number) =>
  new Date(at)
    .toISOString()
    .replace("T", " ")
    .replace(/\.000Z$/, "");
const pathOf = (one: Sent | undefined) => (one === undefined ? null : `/${one.page}`);

/** The sessions of what was sent, by a plain loop. */
function expected(): unknown[][] {
  const ids = [...new Set(sent.flatMap(({ session }) => session ?? []))].sort();
  return ids.map((session) => {
    const own = sent.filter((one) => one.session === session).toSorted((a, b) => a.at - b.at);
    const [head, last] = [own[0] as Sent, own.at(-1) as Sent];
    const views = own.filter(({ name }) => name === "$pageview");
    const clicks = own.filter(({ name }) => name === "$autocapture").length;
    const seconds = (last.at - head.at) / 1000;
    const isBounce = views.length === 1 && clicks === 0 && seconds < 10;
    return [
      ...[session, head.id, iso(head.at), iso(last.at), seconds],
      ...[views.length, clicks, own.filter(({ name }) => name === "$screen").length, own.length],
      ...[views.length === 0 ? null : isBounce, pathOf(views[0]), pathOf(views.at(-1))],
      ...[`source-${head.page}`, `C${head.page}`],
    ];
  });
}

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp();
  const made = sent.map(({ name, id, at, session, page }) =>
    event({
      event: name,
      distinct_id: id,
      timestamp: new Date(at).toISOString(),
      properties: {
        ...(session === undefined ? {} : { $session_id: session }),
        ...{ $pathname: `/${page}`, utm_source: `source-${page}` },
        $geoip_country_code: `C${page}`,
      },
    }),
  );
  for (const part of [made.slice(0, 150), made.slice(150)]) await app.capture(batch(...part));
});

afterAll(() => app[Symbol.asyncDispose]());

const results = async (text: string) =>
  ((await app.run(text)).body as { results: unknown[][] }).results;

describe("sessions", () => {
  test("are as a plain loop finds them, with the first of what happened at the same time", async () => {
    const found = await results(`
      SELECT session_id, distinct_id, strftime("$start_timestamp", '%Y-%m-%d %H:%M:%S'),
        strftime("$end_timestamp", '%Y-%m-%d %H:%M:%S'), "$session_duration", "$pageview_count",
        "$autocapture_count", "$screen_count", "$event_count", "$is_bounce", "$entry_pathname",
        "$end_pathname", "$entry_utm_source", "$geoip_country_code"
      FROM sessions ORDER BY session_id`);
    const wanted = expected();
    expect(found).toEqual(wanted);
    expect(new Set(wanted.map((row) => row[9]))).toEqual(new Set([true, false, null]));
  });

  test("belong to the person after merges", async () => {
    const merged = "SELECT DISTINCT person_id FROM events WHERE distinct_id IN ('ann', 'phone')";
    const [[persons, sessions] = []] = await results(`
      SELECT count(DISTINCT person_id), count(*) FROM sessions WHERE person_id IN (${merged})`);
    const own = expected().filter(([, id]) => id === "ann" || id === "phone");
    expect([persons, sessions]).toEqual([1, own.length]);
  });

  test("persons are found by whichever way a statement names their column", async () => {
    const [[merged]] = (await results(
      "SELECT person_id FROM events WHERE distinct_id = 'ann' LIMIT 1",
    )) as [[string]];
    const [[own]] = (await results(
      "SELECT count(*) FROM events WHERE distinct_id IN ('ann', 'phone')",
    )) as [[number]];
    for (const text of [
      "SELECT count(*) FROM (SELECT * FROM events) AS e WHERE e.person_id = $",
      "SELECT count(*) FROM events AS e(a, b, c, d, other) WHERE other = $",
      "SELECT count(*) FROM (FROM events) AS e(a, b, c, d, other) WHERE other = $",
      "SELECT count(*) FROM events NATURAL JOIN (SELECT $ AS person_id) AS one",
    ]) {
      const [[count]] = (await results(text.replace("$", `'${merged}'::UUID`))) as [[number]];
      expect({ text, count }).toEqual({ text, count: own });
    }
  });

  test("persons are in the rows of every star, also next to a product", async () => {
    const [[merged]] = (await results(
      "SELECT person_id FROM events WHERE distinct_id = 'ann' LIMIT 1",
    )) as [[string]];
    for (const selected of [
      "*",
      "events.*",
      "2 * abs(seq), *",
      "(2) * (seq), * EXCLUDE (seq)",
      "* REPLACE (2 * 3 AS seq)",
      "* RENAME (seq AS number)",
      "DISTINCT ON (uuid) *",
    ]) {
      const found = await results(`SELECT ${selected} FROM events WHERE distinct_id = 'phone'`);
      expect({ selected, isIn: found.length > 0 && found.flat().includes(merged) }).toEqual({
        ...{ selected, isIn: true },
      });
    }
  });

  test("are of the project alone, and one that a query names itself takes their place", async () => {
    const count = "SELECT count(*) FROM sessions";
    expect(await results(count)).toEqual([[expected().length]]);
    const none = "WITH events AS (SELECT 1 AS x WHERE false)";
    expect(await results(`${none} ${count}`)).toEqual([[expected().length]]);
  });
});
