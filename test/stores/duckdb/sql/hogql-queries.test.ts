import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";

// Whole queries as people write them for PostHog: what its guides teach, in other words.

let app: Awaited<ReturnType<typeof sqlApp>>;

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

beforeAll(async () => {
  app = await sqlApp();
  const page = (session: string, at: number, path: string, more = {}) =>
    event({
      event: "$pageview",
      distinct_id: `visitor-${session}`,
      timestamp: minutesAgo(at),
      properties: {
        ...{ $session_id: session, $pathname: path, $current_url: `https://shop.example${path}` },
        ...{ $browser: "Chrome", $os: "iOS", $referring_domain: "www.google.com" },
        ...{ $screen_width: 1200, $screen_height: 800, utm_source: "news", ...more },
      },
    });
  await app.capture(
    batch(
      page("s1", 90, "/", { $active_feature_flags: ["blue", "new-cart"] }),
      page("s1", 88, "/blog/hogs?ref=mail"),
      page("s2", 60, "/pricing", { $set: { email: "cat@x.y", plan: "free" } }),
      event({
        event: "$autocapture",
        distinct_id: "visitor-s1",
        timestamp: minutesAgo(87),
        properties: {
          $session_id: "s1",
          $elements_chain: `button.big:attr__class="big"attr__id="buy"nth-child="1";div`,
        },
      }),
      event({
        event: "order",
        distinct_id: "visitor-s2",
        timestamp: minutesAgo(58),
        properties: {
          $session_id: "s2",
          amount: 40,
          items: { first: "hat" },
          $groups: { company: "acme" },
        },
      }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const TAKEN: string[] = [
  "select * from events limit 5",
  "SELECT event, COUNT() FROM events GROUP BY event ORDER BY COUNT() DESC",
  "SELECT event, timestamp, properties.$current_url, concat(properties.$lib, ' / ', properties.$os) FROM events",
  "SELECT DISTINCT person_id FROM events;",
  "SELECT * FROM events WHERE properties.`$os` = 'iOS' -- phones only",
  "SELECT round(properties.$screen_width * properties.$screen_height / 1000000, 1) AS `Mega pixels` FROM events LIMIT 10",
  "SELECT this.n - before.n FROM (SELECT COUNT(*) AS n FROM events WHERE timestamp > now() - INTERVAL 7 DAY) AS this, (SELECT COUNT(*) AS n FROM events WHERE timestamp BETWEEN now() - INTERVAL 14 DAY AND now() - INTERVAL 7 DAY) AS before",
  "SELECT events.event, persons.created_at FROM events LEFT JOIN persons ON events.person_id = persons.id",
  "SELECT p.properties.email, count() FROM events e INNER JOIN persons p ON p.id = e.person_id GROUP BY 1",
  "SELECT count() FROM events WHERE person_id IN (SELECT id FROM persons WHERE properties.plan = 'free')",
  "SELECT count() FROM persons WHERE id IN (SELECT person_id FROM events WHERE event = 'order')",
  "SELECT * FROM events WHERE event = '$pageview' AND toDate(timestamp) = today() AND properties.$current_url LIKE '%/blog%' LIMIT 3",
  "select properties.$os, count() from events group by properties.$os",
  "SELECT event, distinct_id, count(*) FROM events GROUP BY GROUPING SETS ((event), (distinct_id), ())",
  "SELECT properties.$browser, count() FROM events GROUP BY properties.$browser ORDER BY count() DESC",
  "SELECT properties.utm_source AS source, count() AS n FROM events WHERE properties.utm_source != '' GROUP BY source ORDER BY n DESC LIMIT 1",
  "SELECT event, count(*) FROM events GROUP BY event ORDER BY count(*) DESC LIMIT 50 OFFSET 2",
  "SELECT properties.$os, count() FROM events GROUP BY properties.$os HAVING count() > 1",
  "with all_of_it as (select count() as n from events) select n from all_of_it",
  "SELECT event, timestamp, COUNT(*) OVER w AS so_far FROM events WHERE event = '$pageview' WINDOW w AS (ORDER BY timestamp) ORDER BY timestamp DESC",
  "SELECT CASE WHEN properties.$os IN ('iOS', 'Android') THEN 'phone' ELSE 'other' END AS kind, COUNT(*) AS n FROM events WHERE properties.$os IS NOT NULL GROUP BY kind ORDER BY n DESC",
  "SELECT avg(properties.$screen_height), sum(properties.$screen_height), max(toFloat(properties.$screen_height)) FROM events WHERE properties.$screen_height IS NOT NULL",
  "SELECT formatDateTime(now(), '%a %b %T') AS clock, toDayOfWeek(now()) AS weekday, dateDiff('day', timestamp, now()) AS age_in_days FROM events WHERE timestamp > now() - interval 1 day",
  `select extract(elements_chain, '[:|"]attr__class="(.*?)"') as class from events where event = '$autocapture'`,
  "SELECT arrayElement(splitByChar(';', elements_chain), 1), arrayElement(splitByChar(';', elements_chain), -1) FROM events WHERE event = '$autocapture'",
  `SELECT count() FROM events WHERE match(elements_chain, '[:|"]attr__id="[^"]*buy[^"]*"')`,
  "select properties.items.first from events",
  "SELECT JSONExtractRaw(properties.items) AS items FROM events WHERE properties.items IS NOT NULL",
  "SELECT flag, count() FROM (SELECT arrayJoin(JSONExtractArrayRaw(assumeNotNull(properties.$active_feature_flags))) AS flag FROM events WHERE event = '$pageview') GROUP BY flag ORDER BY count() DESC",
  "SELECT arrayJoin(JSONExtractArrayRaw(properties.$active_feature_flags ?? '[]')) AS flag FROM events",
  "SELECT count() FROM events WHERE notEmpty(JSONExtractArrayRaw(properties.$active_feature_flags ?? '[]'))",
  "SELECT DISTINCT arrayJoin(JSONExtractKeys(properties)) FROM events WHERE event = 'order'",
  "select formatDateTime(toStartOfMinute(timestamp), '%T') AS minute, count(*) from events where timestamp > now() - interval 1 day group by minute order by minute desc limit 100",
  "SELECT toStartOfMinute(timestamp)as minute, count(*) FROM events GROUP BY minute ORDER BY count(*) DESC",
  "SELECT url, count() AS n FROM (SELECT distinct_id, event, first_value(event) OVER w AS following, properties.$current_url AS url FROM events WHERE timestamp > toDateTime('2026-01-01 00:00:00') WINDOW w AS (PARTITION BY distinct_id ORDER BY timestamp ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) ORDER BY distinct_id, timestamp) AS steps WHERE event = '$pageview' AND following = 'order' GROUP BY url ORDER BY n DESC",
  "SELECT avg(minutes) FROM (SELECT dateDiff('minute', began, ended) AS minutes FROM (SELECT timestamp AS began, first_value(timestamp) OVER w AS ended FROM events WHERE event = '$pageview' OR event = '$pageleave' WINDOW w AS (PARTITION BY distinct_id ORDER BY timestamp ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)) WHERE minutes <= 30 /* no breaks */)",
  "SELECT properties.$current_url AS url, count() AS n FROM events WHERE (distinct_id, timestamp) IN (SELECT distinct_id, min(timestamp) FROM events WHERE event = '$pageview' GROUP BY distinct_id) GROUP BY url ORDER BY n DESC",
  "SELECT e.event, e.properties.$session_id, s.$pageview_count FROM events e JOIN sessions s ON e.properties.$session_id = s.session_id WHERE s.$pageview_count > 1 AND e.event != '$pageview'",
  "WITH phones AS (SELECT * FROM events WHERE properties.$os = 'iOS'), others AS (SELECT * FROM events WHERE properties.$os = 'Linux') SELECT * FROM phones UNION ALL SELECT * FROM others",
  "SELECT timestamp, event FROM events WHERE timestamp > '2026-01-01 12:34:56.789' ORDER BY timestamp LIMIT 1000;",
  "SELECT count(DISTINCT $session_id) AS visits, count(DISTINCT person_id) AS people, avg(session.$session_duration) AS seconds, count(*) / greatest(count(DISTINCT $session_id), 1) AS pages FROM events WHERE event = '$pageview' AND timestamp > now() - INTERVAL 3 DAY",
  "SELECT toDayOfWeek(timestamp) AS weekday, avg(session.$session_duration) FROM events GROUP BY weekday ORDER BY weekday",
  "SELECT avg(session.$is_bounce), countIf(session.$session_duration < 10) FROM events WHERE event = '$pageview'",
  "SELECT path, uniq(person) AS people FROM (SELECT any(person_id) AS person, properties.$pathname AS path, session.session_id AS visit FROM events WHERE event = '$pageview' GROUP BY visit, path) GROUP BY path ORDER BY people DESC LIMIT 10",
  "SELECT $entry_pathname, count() AS visits, avg($session_duration), countIf($is_bounce) / count() FROM sessions WHERE $start_timestamp > now() - INTERVAL 30 DAY GROUP BY $entry_pathname ORDER BY visits DESC",
  "SELECT properties.$current_url AS url, quantile(0.75)(toFloat(properties.amount)) AS p75, count() AS n FROM events WHERE toFloat(properties.amount) > 0.25 GROUP BY url",
  "SELECT toStartOfWeek(began) AS week, count() AS size, countIf(last < now() - INTERVAL 30 DAY) AS gone, round(gone / size * 100, 2) AS share FROM (SELECT distinct_id, min(timestamp) AS began, max(timestamp) AS last FROM events GROUP BY distinct_id HAVING began >= now() - INTERVAL 90 DAY) GROUP BY week ORDER BY week",
  "WITH first AS (SELECT distinct_id, formatDateTime(min(timestamp), '%Y-%m') AS month FROM events WHERE event = '$pageview' GROUP BY distinct_id) SELECT f.month AS month, e.event AS event, count(DISTINCT e.distinct_id) AS n FROM events AS e INNER JOIN first AS f ON f.distinct_id = e.distinct_id WHERE e.timestamp >= now() - INTERVAL 3 YEAR GROUP BY month, event",
  "SELECT toStartOfWeek(timestamp) AS week, count(DISTINCT distinct_id) AS active FROM events WHERE timestamp >= now() - INTERVAL 12 WEEK GROUP BY week ORDER BY week DESC",
  "SELECT coalesce(nullIf(properties.$referring_domain, ''), 'direct'), count() FROM events GROUP BY coalesce(nullIf(properties.$referring_domain, ''), 'direct') LIMIT 8",
  "SELECT count(), uniq(distinct_id), countIf(properties.$current_url LIKE '%/blog/%' OR properties.$current_url LIKE '%/docs/%'), min(timestamp), max(timestamp) FROM events",
  "SELECT toDate(timestamp), count() FROM events WHERE timestamp >= now() - INTERVAL 7 DAY GROUP BY toDate(timestamp) ORDER BY toDate(timestamp) ASC",
  "SELECT count() FROM events WHERE event = '$pageview' AND toDate(timestamp) = yesterday()",
  "SELECT toStartOfDay(timestamp) AS day, count() AS views FROM events WHERE event = '$pageview' GROUP BY day ORDER BY day DESC LIMIT 7",
  "select timestamp, properties, `$session_id` from events where and( event = '$autocapture', notIn(properties.$host, tuple('a.example', 'null')), ) AND timestamp < now()",
  "SELECT uniqExactIf(distinct_id, event = 'order') AS buyers, uniqExactIf(distinct_id, event IN ('order', '$pageview')) AS all_of_them FROM events",
  "SELECT person.properties.email, count() FROM events WHERE event = 'order' AND timestamp > now() - INTERVAL 7 DAY GROUP BY 1 LIMIT 50",
  "SELECT person.properties.email AS email, max(timestamp) AS last_seen, argMax(properties.$current_url, timestamp) AS last_url FROM events GROUP BY email ORDER BY last_seen DESC LIMIT 10",
  "SELECT median(duration), quantile(0.9)(duration), quantile(0.99)(duration) FROM sessions",
  "SELECT id, properties.email, created_at FROM persons ORDER BY created_at DESC LIMIT 20",
  "SELECT toStartOfInterval(timestamp, INTERVAL 15 MINUTE) AS t, count() FROM events GROUP BY t ORDER BY t DESC LIMIT 5",
  "SELECT dateTrunc('month', timestamp) AS month, sum(toFloat(properties.amount)) AS revenue FROM events WHERE event = 'order' GROUP BY month ORDER BY month",
  "SELECT event, lagInFrame(event) OVER (PARTITION BY person_id ORDER BY timestamp) AS before FROM events LIMIT 5",
  "SELECT properties['$browser'] AS b, count() FROM events WHERE properties['$os'] = 'iOS' GROUP BY b",
  "SELECT multiIf(toHour(timestamp) < 12, 'morning', toHour(timestamp) < 17, 'afternoon', 'night') AS part, count() FROM events GROUP BY part",
  "SELECT sumIf(1, properties.$browser = 'Chrome') / sumIf(1, properties.$browser = 'Safari' or properties.$browser = 'Chrome') FROM events",
  "SELECT sumIf(10, properties.is_first) + sumIf(5, properties.utm_source = 'news') + sumIf(-1, properties.amount > 100) AS score, person_id FROM events GROUP BY person_id ORDER BY score DESC",
  "SELECT replaceRegexpOne(properties.$pathname, '[0-9a-f]{8}-[0-9a-f]{4}', ':uuid') AS page, count() FROM events GROUP BY page",
  "SELECT if(positionCaseInsensitive(properties.$pathname, '/BLOG') != 0, null, properties.$pathname) AS page FROM events",
  "SELECT count() FROM events WHERE dateDiff('week', person.properties.since, now()) <= 2 OR dateDiff('day', now(), person.properties.trial + interval 30 day) <= 3",
  "SELECT count() FROM events WHERE toStartOfQuarter(timestamp) == toStartOfQuarter(now()) AND fromUnixTimestamp(1674259200) < timestamp",
  "SELECT $group_0, group_0.properties.size, count() FROM events GROUP BY 1, 2",
  "SELECT key, properties.size, index FROM groups LIMIT 2",
];

test.each(TAKEN)("%s", async (text) => {
  const { status, body } = await app.run(text);
  expect({ status, body }).toMatchObject({ status: 200 });
});

const REFUSED: [text: string, words: string[]][] = [
  [
    "SELECT session_id FROM raw_session_replay_events",
    ["raw_session_replay_events", "there are events, persons"],
  ],
  [
    "SELECT events.event, persons.is_identified FROM events JOIN persons ON events.person_id = persons.id",
    ["is_identified", "'$identify'"],
  ],
  [
    "SELECT count() FROM events WHERE timestamp > {variables.from}",
    ["{variables.from}", "`variables`"],
  ],
  ["SELECT max(properties.amount) OVER () FROM events", ["max(toFloat(…))"]],
  ["SELECT sparkline(range(1, 10)) FROM (SELECT 1)", ["sparkline", "select the numbers"]],
  [
    "SELECT path, sparkline(arrayMap(h -> countEqual(groupArray(hour), h), [1, 2])) FROM events GROUP BY path",
    ["sparkline"],
  ],
  [
    "SELECT count() FROM events WHERE matchesAction('clicked')",
    ["matchesAction", "write the condition"],
  ],
  ["SELECT count() FROM persons WHERE id IN COHORT 'fans'", ["COHORT", "write the condition"]],
  ["SELECT properties.$os = 'iOS' ? 'phone' : 'desk' FROM events", ["if(a, b, c)"]],
  [
    "SELECT windowFunnel(3600)(timestamp, event = 'a') FROM events",
    ["windowFunnel", "funnel insight"],
  ],
  ["SELECT session.$channel FROM events", ["$channel", "$channel_type of sessions"]],
  ["SELECT count() FROM events WHERE timestamp > (2026-06-01)", ["'2026-11-30'"]],
  ["SELECT avg(b) FROM (SELECT event = 'view' AS b FROM events)", ["countIf(condition) / count()"]],
];

test.each(REFUSED)("refused with what to write: %s", async (text, words) => {
  const { status, body } = await app.run(text);
  expect({ status, body }).toMatchObject({ status: 400 });
  for (const word of words) {
    expect(String((body as { detail: string }).detail).toLowerCase()).toContain(word.toLowerCase());
  }
});

test("group_0. finds the group of an event", async () => {
  const text =
    "SELECT DISTINCT group_0.key, group_0.properties.size FROM events WHERE event = 'order'";
  expect((await app.run(text)).body).toMatchObject({ results: [["acme", "7"]] });
});

test("session. finds the columns of sessions", async () => {
  const { body } =
    await app.run(`SELECT DISTINCT $session_id, session.$session_duration, session.$entry_pathname,
    session.$is_bounce FROM events WHERE $session_id IS NOT NULL ORDER BY 1`);
  const { body: wanted } = await app.run(
    `SELECT session_id, $session_duration, $entry_pathname, $is_bounce FROM sessions ORDER BY 1`,
  );
  expect((body as { results: unknown }).results).toEqual((wanted as { results: unknown }).results);
});

// Rows of the alias in place of the column, as `[query, rows]`.
const ALIASES: [sql: string, rows: unknown[][], body?: object][] = [
  [
    "SELECT if(event = 'order', 'sold', 'other') AS event, count() FROM events WHERE person_id IS NOT NULL GROUP BY event HAVING event = 'sold'",
    [["sold", 1]],
  ],
  [
    "SELECT toStartOfYear(timestamp) < now() AS timestamp, count() > 5 FROM events GROUP BY timestamp",
    [[true, true]],
  ],
  [
    "SELECT upper(distinct_id) AS distinct_id FROM events WHERE distinct_id = 'BOB' LIMIT 1",
    [["BOB"]],
  ],
  ["SELECT upper(event) AS event FROM events WHERE events.event = 'order'", [["ORDER"]]],
  [
    "SELECT upper(event) AS event, lower(event), max(length(event)) FROM events WHERE event LIKE 'O%' GROUP BY event",
    [["ORDER", "order", 5]],
  ],
  [
    "SELECT upper(event) AS event, count() FROM events GROUP BY lower(event), event HAVING lower(event) = 'paid'",
    [["PAID", 1]],
  ],
  [
    "SELECT properties.n AS event FROM events WHERE event IS NOT NULL ORDER BY event DESC",
    [["7"], ["1.5"]],
  ],
  [
    "SELECT DISTINCT properties.n AS event FROM events ORDER BY event DESC LIMIT 2",
    [["7"], ["1.5"]],
  ],
  [
    "SELECT length(name) AS name, count() FROM (SELECT 'ab' AS name UNION ALL SELECT 'cd') GROUP BY name",
    [[2, 2]],
  ],
  [
    "WITH t AS (SELECT event AS name FROM events) SELECT upper(name) AS name, count() FROM t WHERE name = 'ORDER' GROUP BY name",
    [["ORDER", 1]],
  ],
  ["SELECT 7 AS event, count() > 5 FROM events GROUP BY event", [[7, true]]],
  [
    "SELECT (SELECT max(event) FROM events) AS event, count() > 5 FROM events GROUP BY event",
    [["view", true]],
  ],
  [
    "SELECT event AS e, upper(e) AS name, length(name), count() FROM events WHERE e = 'view' GROUP BY e, name",
    [["view", "VIEW", 4, 2]],
  ],
  // An aggregate stands neither in WHERE nor in another: there the column is meant.
  [
    "SELECT distinct_id, max(event) AS event FROM events WHERE event = 'paid' GROUP BY distinct_id",
    [["bob", "paid"]],
  ],
  ["SELECT count() AS event, max(event) FROM events WHERE event = 'paid'", [[1, "paid"]]],
  [
    "SELECT distinct_id, max(event) AS event FROM events GROUP BY distinct_id HAVING event = 'paid'",
    [["bob", "paid"]],
  ],
  // Filters of the request are of the time of the row.
  [
    "SELECT toStartOfMonth(timestamp) AS timestamp, count() > 4 FROM events WHERE {filters} GROUP BY timestamp",
    [["2026-11-01", true]],
    { filters: { dateRange: { date_from: "2026-11-21", date_to: "2026-11-21" } } },
  ],
];

test.each(ALIASES)("a selected name comes before a column: %s", async (query, rows, more = {}) => {
  const body = { query: { kind: "HogQLQuery", query, ...more } };
  const { status, body: answer } = await app.ask("POST", "/api/environments/1/query/", { body });
  expect({ status, answer }).toMatchObject({ status: 200, answer: { results: rows } });
});

const MISTAKES: [sql: string, says: string][] = [
  ["SELECT event, count() FROM events GROUP BY event HAVING total > 2", 'HAVING knows no "total"'],
  ["SELECT quantile(95)(properties.n) FROM events", "from 0 to 1"],
  ["SELECT quantile(-0.1)(properties.n) FROM events", "from 0 to 1"],
  ["SELECT quantiles(0.5, 2)(toFloat(properties.n)) FROM events", "from 0 to 1"],
  ["SELECT quantileIf(1.5)(properties.n, event = 'view') FROM events", "from 0 to 1"],
  ["SELECT count() FROM events WHERE timestamp > 'last week'", "'last week' is no time"],
  ["SELECT count() FROM events WHERE 'soon' <= created_at AND event = 'x'", "'soon' is no time"],
  ["SELECT count() FROM events WHERE timestamp BETWEEN 'a' AND '2026-11-30'", "'a' is no time"],
  ["SELECT count() FROM events WHERE toDate(timestamp) = 'monday'", "'monday' is no time"],
  ["SELECT count() FROM events WHERE timestamp > '2026-13-01'", "no time, at '2026-13-01'"],
  ['SELECT properties["$os"] FROM events', "single quotes, as in properties['$browser']"],
  [
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
    "numbers(10)",
  ],
];

test.each(MISTAKES)("%s is refused with its reason", async (query, says) => {
  const { status, body } = await app.run(query);
  expect([status, (body as { detail: string }).detail]).toEqual([
    400,
    expect.stringContaining(says),
  ]);
});

test("a property is compared with numbers and texts of one list", async () => {
  const counts = await app.run(
    "SELECT countIf(properties.n IN ('x', 7, 1.50)), countIf(properties.n NOT IN (7, 'x')) = count() - 1, countIf(properties.plan IN ('pro', 3)), countIf(properties.n IN ('7', 3)) FROM events",
  );
  expect(counts.body).toMatchObject({ results: [[2, true, 1, 1]] });
});
