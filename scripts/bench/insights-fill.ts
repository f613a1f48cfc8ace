import { availableParallelism } from "node:os";
import { type Duckdb, openDuckdb, ROW_GROUP_ROWS } from "../../src/stores/duckdb/engine/duckdb.ts";

/** The days that events are spread over; the last of them is over. */
export const INSIGHT_DAYS = 90;

/** What the store is filled with. */
export type Filling = {
  /** The data directory of a server that was started and stopped once. */
  data: string;
  events: number;
  /** When the first event happened, as DuckDB reads times. */
  from: string;
};

/** The column that a project's first dashboard gives to the country, whose list it has. */
const COUNTRY_COLUMN = [
  "INSERT INTO promoted VALUES (1, '$geoip_country_name', 0, 0, 0)",
  "INSERT INTO property_use VALUES ('$geoip_country_name', current_date, 1, 60)",
];

/** Persons that events may be of: the first ones have most. */
const PERSONS = 1_000_000;

/** Persons whose anonymous events were merged into them; of these, most events are. */
const MERGED = 100_000;

/** Row groups of one statement. */
const GROUPS_AT_ONCE = 20;

const FILL_MEMORY_BYTES = 2e9;

/** Steps that hash alike would be the same choices. */
const chance = (of: string, salt: number) => `(hash(${of}, ${salt}) >> 11) / 9007199254740992`;
const pick = (texts: readonly string[], index: string) =>
  `[${texts.map((text) => `'${text}'`).join(", ")}][1 + ${index}]`;
const among = (texts: readonly string[], of: string, salt: number) =>
  pick(texts, `(hash(${of}, ${salt}) % ${texts.length})::INTEGER`);

/** The first ones are most frequent. */
const CUSTOM = [
  ...["product viewed", "search", "signup", "purchase", "cart updated", "file uploaded"],
  ...Array.from({ length: 34 }, (_, index) => `feature ${index + 1} used`),
];
const BROWSERS = ["Chrome", "Chrome", "Chrome", "Safari", "Safari", "Firefox", "Microsoft Edge"];
const SYSTEMS = ["Windows", "Windows", "Mac OS X", "Android", "iOS", "Linux"];
const HOSTS = ["www.example.com", "www.example.com", "app.example.com", "docs.example.com"];
const REFERRERS = ["$direct", "$direct", "www.google.com", "duckduckgo.com", "news.example.org"];
const PLANS = ["free", "free", "free", "team", "team", "scale", "enterprise"];
const COUNTRIES = ["Germany", "Germany", "United States", "United States", "France", "Japan"];
const SECTIONS = ["pricing", "blog", "docs", "projects", "settings", "reports"];

/** Events `$first` to `$end`, in sessions of eight, in the order in which loads put them. */
const DRAWN = `
  SELECT n, session, person, is_anonymous, days, drawn,
    md5(CASE WHEN is_anonymous THEN 'anonymous-' ELSE 'person-' END || person)::UUID AS person_id
  FROM (
    SELECT *, floor(${PERSONS} * (${chance("session", 1)}) ** 2)::BIGINT AS person,
      hash(session, 2) % 10 < 3 AS is_anonymous,
      day + 0.12 * sin(2 * pi() * day) AS days, ${chance("n", 3)} AS drawn
    FROM (
      SELECT range AS n, range // 2048 * 256 + range % 256 AS session,
        range / $events::BIGINT * ${INSIGHT_DAYS} AS day
      FROM range($first::BIGINT, $end::BIGINT)))
  ORDER BY n // ${ROW_GROUP_ROWS}, person_id, n`;

const CHOSEN = `
  SELECT *, $from::TIMESTAMP + to_milliseconds((days * 86400000)::BIGINT) AS t,
    CASE WHEN drawn < 0.34 THEN '$pageview' WHEN drawn < 0.56 THEN '$autocapture'
      WHEN drawn < 0.66 THEN '$pageleave'
      ELSE ${pick(CUSTOM, `floor(${CUSTOM.length} * ((drawn - 0.66) / 0.34) ** 2.5)::INTEGER`)}
    END AS event,
    ${among(BROWSERS, "person", 11)} AS browser, ${among(SYSTEMS, "person", 12)} AS os,
    ${among(HOSTS, "n", 13)} AS host, ${among(COUNTRIES, "person", 19)} AS country, ${among(PLANS, "person", 14)} AS plan,
    ${among(REFERRERS, "session", 15)} AS referrer,
    '/' || ${among(SECTIONS, "n", 16)} || '/' || floor(400 * (${chance("n", 17)}) ** 3)::INTEGER AS path,
    md5('session-' || session) AS session_id, (hash(n, 18) >> 1)::BIGINT AS noise
  FROM (${DRAWN})`;

const PROPERTIES = `concat(
    '{"token":"phc_testproject","$lib":"web","$lib_version":"1.2', noise % 90, '.0","$browser":"', browser,
    '","$browser_version":', 110 + person % 30, ',"$os":"', os, '","$device_type":"',
    CASE WHEN os IN ('Android', 'iOS') THEN 'Mobile' ELSE 'Desktop' END,
    '","$current_url":"https://', host, path, '","$pathname":"', path, '","$host":"', host,
    '","$referring_domain":"', referrer, '","$session_id":"', session_id, '","$window_id":"',
    md5(session_id), '","$insert_id":"', to_base(noise, 36), '","$time":', epoch(t),
    ',"$screen_width":', 1280 + person % 4 * 320, ',"$screen_height":', 720 + person % 4 * 180,
    ',"$viewport_width":', 1000 + session % 900, ',"$viewport_height":', 600 + session % 400,
    ',"$geoip_country_name":"', country, '","$is_identified":', NOT is_anonymous, ',"plan":"', plan, '","seats":', person % 250,
    CASE WHEN event = 'purchase' THEN ',"amount":' || (100 + noise % 99900) / 100 ELSE '' END,
    ',"experiment":"variant ', noise % 4, '"}')`;

const FILL = `
  INSERT INTO events BY NAME
  SELECT 1 AS project_id, n - $events::BIGINT AS seq, md5('event-' || n)::UUID AS uuid, event,
    CASE WHEN is_anonymous THEN md5('device-' || person) ELSE 'user-' || person END AS distinct_id,
    person_id, t AS "timestamp", t + INTERVAL 300 MILLISECOND AS ingested_at,
    session_id AS "$session_id", 'https://' || host || path AS "$current_url", path AS "$pathname",
    host AS "$host", referrer AS "$referring_domain", browser AS "$browser", os AS "$os",
    CASE WHEN os IN ('Android', 'iOS') THEN 'Mobile' ELSE 'Desktop' END AS "$device_type",
    'web' AS "$lib", country AS promoted_1, noise % 65535 + 1 AS mark, ${PROPERTIES}::JSON AS properties
  FROM (${CHOSEN})`;

/**
 * Puts events of project 1 into the event store, as loads would have: the same columns, the same
 * order, row group by row group. Sequence numbers are below those that a journal gives, so that it
 * has nothing to make up for.
 */
export async function fillInsights({ data, events, from }: Filling): Promise<void> {
  const step = ROW_GROUP_ROWS * GROUPS_AT_ONCE;
  await writing(data, async (duckdb) => {
    await duckdb.write(async (writer) => {
      for (const sql of COUNTRY_COLUMN) await writer.run(sql);
    });
    for (let first = 0; first < events; first += step) {
      const end = Math.min(first + step, events);
      await duckdb.write((writer) => writer.run(FILL, { first, end, events, from }));
    }
    await merge(duckdb, 0, MERGED);
  });
}

/** Merges what all other persons did before they were known into them. */
export const mergeMany = (data: string): Promise<void> =>
  writing(data, (duckdb) => merge(duckdb, MERGED, PERSONS));

async function writing(data: string, work: (duckdb: Duckdb) => Promise<void>): Promise<void> {
  const duckdb = await openDuckdb({
    ...{ directory: data, generation: 1, memory_bytes: FILL_MEMORY_BYTES },
    threads: availableParallelism(),
    onFatal: (error) => console.error(error),
  });
  await work(duckdb);
  await duckdb.close();
}

const MERGE = `
  INSERT INTO person_overrides SELECT 1, md5('anonymous-' || n)::UUID, md5('person-' || n)::UUID
  FROM range($first::BIGINT, $end::BIGINT) AS persons(n)`;

const merge = (duckdb: Duckdb, first: number, end: number): Promise<void> =>
  duckdb.write(async (writer) => void (await writer.run(MERGE, { first, end })));
