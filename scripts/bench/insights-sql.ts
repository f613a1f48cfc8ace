/**
 * What a person who knows DuckDB and these events would ask by hand for the rows of the table. Rows
 * are `line`, `place` and `value`, as {@link numbersOf} has them of an answer.
 */

/** The days that are asked about: from the first, up to and with the last, as ISO dates. */
export type Days = { first: string; last: string; weeksFrom: string };

const within = ({ first, last }: Days, event = "$pageview") => `events.project_id = 1
    AND event = '${event}' AND "timestamp" >= TIMESTAMP '${first}'
    AND "timestamp" < TIMESTAMP '${last}' + INTERVAL 1 DAY`;

const DAY = `"timestamp"::DATE`;
const PERSON = "coalesce(moved.person_id, events.person_id)";
const MOVED = `LEFT JOIN person_overrides AS moved
    ON moved.project_id = 1 AND moved.old_person_id = events.person_id`;

const trend = (days: Days) => `
  WITH daily AS (SELECT ${DAY} AS day, count(*) AS n FROM events WHERE ${within(days)} GROUP BY day)
  SELECT '' AS line, day::VARCHAR AS place, n::DOUBLE AS value FROM daily
  UNION ALL SELECT '', NULL, sum(n)::DOUBLE FROM daily`;

/** Once each, before the whole is counted. */
const users = (days: Days) => `
  WITH daily AS MATERIALIZED (
    SELECT DISTINCT ${DAY} AS day, ${PERSON} AS person FROM events ${MOVED} WHERE ${within(days)})
  SELECT '' AS line, day::VARCHAR AS place, count(*)::DOUBLE AS value FROM daily GROUP BY day
  UNION ALL SELECT '', NULL, count(DISTINCT person)::DOUBLE FROM daily`;

/** With very many merged persons it is faster to look whose they are behind that. */
const usersOfMany = (days: Days) => `
  WITH raw AS (
    SELECT DISTINCT ${DAY} AS day, person_id FROM events WHERE ${within(days)}),
  daily AS MATERIALIZED (SELECT DISTINCT day, ${PERSON} AS person FROM raw AS events ${MOVED})
  SELECT '' AS line, day::VARCHAR AS place, count(*)::DOUBLE AS value FROM daily GROUP BY day
  UNION ALL SELECT '', NULL, count(DISTINCT person)::DOUBLE FROM daily`;

const by = (value: string) => (days: Days) =>
  `
  WITH daily AS MATERIALIZED (
    SELECT ${value} AS value, ${DAY} AS day, count(*) AS n FROM events
    WHERE ${within(days)} GROUP BY ALL),
  top AS (
    SELECT value FROM daily GROUP BY value ORDER BY sum(n) DESC, value LIMIT 25)
  SELECT CASE WHEN daily.value IN (SELECT value FROM top) THEN daily.value
      ELSE '$$_posthog_breakdown_other_$$' END AS line,
    day::VARCHAR AS place, sum(n)::DOUBLE AS value
  FROM daily GROUP BY GROUPING SETS ((line, day), (line))`;

/**
 * The last page view before a sign-up has the most time left for what comes next, so that no other
 * counts; most persons never sign up. Whose events are is looked up for few of them.
 */
const funnel = (days: Days) => `
  WITH first AS NOT MATERIALIZED (
    SELECT person_id, "timestamp" AS t, seq FROM events WHERE ${within(days)}
  ), later AS (
    SELECT ${PERSON} AS person, "timestamp" AS t, seq, event FROM events ${MOVED}
    WHERE ${within(days, "signup").replace("= 'signup'", "IN ('signup', 'purchase')")}
  ), second AS MATERIALIZED (
    SELECT person, min(t) AS since, max(t) AS until FROM later WHERE event = 'signup' GROUP BY person
  ), ids AS (
    SELECT person AS id, person, since, until FROM second
      ANTI JOIN person_overrides AS moved ON moved.project_id = 1 AND old_person_id = person
    UNION ALL SELECT old_person_id, person, since, until
      FROM person_overrides JOIN second ON person_id = person WHERE project_id = 1
  ), at_2 AS MATERIALIZED (
    SELECT person, t, seq, t_1, t AS t_2 FROM (
      SELECT *, lag(began) OVER (PARTITION BY person ORDER BY t, seq) AS t_1 FROM (
        SELECT ids.person, t, seq, t AS began FROM first JOIN ids ON first.person_id = id
        WHERE t BETWEEN since - INTERVAL 14 DAY AND until
        UNION ALL SELECT person, t, seq, NULL FROM later WHERE event = 'signup'))
    WHERE began IS NULL AND t <= t_1 + INTERVAL 14 DAY
  ), at_3 AS (
    SELECT person, t, seq, t_1, t_2 FROM (
      SELECT person, t, seq, began, lag(began) OVER forwards AS t_1, lag(t_2) OVER forwards AS t_2
      FROM (
        SELECT person, t, seq, t_1 AS began, t_2 FROM at_2
        UNION ALL SELECT person, t, seq, NULL, NULL FROM later SEMI JOIN at_2 USING (person)
        WHERE event = 'purchase')
      WINDOW forwards AS (PARTITION BY person ORDER BY t, seq))
    WHERE began IS NULL AND t <= t_1 + INTERVAL 14 DAY
  ), best AS (
    SELECT person, max(depth) AS depth,
      arg_max(took, {depth: depth, sooner: -epoch_us(t), later: t_1}) AS took
    FROM (
      SELECT person, t, t_1, 2 AS depth, [epoch_us(t_2) - epoch_us(t_1)] AS took FROM at_2
      UNION ALL SELECT person, t, t_1, 3, [epoch_us(t_2) - epoch_us(t_1), epoch_us(t) - epoch_us(t_2)]
      FROM at_3)
    GROUP BY person
  ), told AS (
    SELECT (SELECT count(*) FROM (
        SELECT DISTINCT ${PERSON} FROM (SELECT DISTINCT person_id FROM first) AS events ${MOVED})) AS began,
      count(*) AS signed, count(*) FILTER (depth = 3) AS bought, avg(took[1]) / 1e6 AS average_2,
      avg(took[2]) / 1e6 AS average_3, quantile_cont(took[1], 0.5) / 1e6 AS median_2,
      quantile_cont(took[2], 0.5) / 1e6 AS median_3 FROM best)
  SELECT unnest(['', '', '', 'average', 'average', 'median', 'median']) AS line,
    unnest(['0', '1', '2', '1', '2', '1', '2']) AS place,
    unnest([began, signed, bought, average_2, average_3, median_2, median_3]::DOUBLE[]) AS value
  FROM told`;

/** The weeks of a person are bits, the lowest is of all before. */
const retention = ({ weeksFrom, last }: Days) => `
  WITH present AS (
    SELECT bit_or((1 << CASE WHEN "timestamp" < TIMESTAMP '${weeksFrom}' THEN 0 ELSE 1 +
        (epoch_us("timestamp") - epoch_us(TIMESTAMP '${weeksFrom}')) // 604800000000 END
      )::USMALLINT) AS came
    FROM events ${MOVED} WHERE ${within({ first: "2000-01-01", last, weeksFrom })}
    GROUP BY ${PERSON}
  ), alike AS (
    SELECT came >> 1 AS came, count(*) AS n FROM present WHERE came & 1 = 0 GROUP BY came
  ), began AS (
    SELECT *, list_position([(came >> week) & 1 for week in range(8)], 1) - 1 AS began FROM alike)
  SELECT began::VARCHAR AS line, later::VARCHAR AS place, sum(n)::DOUBLE AS value
  FROM (SELECT *, unnest(range(8)) AS later FROM began)
  WHERE (came >> (began + later)::INTEGER) & 1 = 1 GROUP BY ALL`;

/** The sessions that begin in the days, with aggregates of their events. */
const inSessions =
  (value: string, columns: readonly string[], tail = "") =>
  ({ first, last }: Days) =>
    `
  SELECT ${tail === "" ? "''" : "page"} AS line, '0' AS place, (${value})::DOUBLE AS value FROM (
    SELECT ${[`min("timestamp") AS began`, ...columns].join(", ")} FROM events
    WHERE events.project_id = 1 AND "$session_id" IS NOT NULL
      AND "timestamp" >= TIMESTAMP '${first}' - INTERVAL 1 DAY
      AND "timestamp" < TIMESTAMP '${last}' + INTERVAL 2 DAY
    GROUP BY "$session_id")
  WHERE began >= TIMESTAMP '${first}' AND began < TIMESTAMP '${last}' + INTERVAL 1 DAY ${tail}`;

const LASTED = `epoch_us(max("timestamp")) - epoch_us(min("timestamp")) AS lasted`;
const VIEWS = "count(*) FILTER (event = '$pageview') AS views";
const CLICKS = "count(*) FILTER (event = '$autocapture') AS clicks";
const PAGE = `arg_min("$pathname", "timestamp") FILTER (event = '$pageview') AS page`;

/** The SQL of each row of the table. */
export const BY_HAND = {
  trend,
  users,
  usersOfMany,
  url: by(`"$current_url"`),
  plan: by("json_extract_string(properties, '$.plan')"),
  funnel,
  retention,
  sessions: inSessions("count(*)", []),
  sessionSeconds: inSessions("avg(lasted) / 1e6", [LASTED]),
  bounceRate: inSessions(
    "100 * count(*) FILTER (views = 1 AND clicks = 0 AND lasted < 10e6) / count(*) FILTER (views > 0)",
    [LASTED, VIEWS, CLICKS],
  ),
  entryPages: inSessions(
    "count(*)",
    [PAGE],
    "AND page IS NOT NULL GROUP BY page ORDER BY value DESC, page LIMIT 10",
  ),
} as const;
