import type { Funnel } from "../../../core/queries/funnel.ts";
import type { Period } from "../../../core/queries/period.ts";
import { ownerJoin, PERSON_ID_SQL } from "./event-tables.ts";
import { bestBy, nameCondition, numbersTo, reachedIn, windowOf } from "./funnel-attempts.ts";
import { eventScan, type Target, TIME } from "./statement.ts";

/** A number that is least for a person's first event; at one instant, for the last. It compares faster than a struct. */
const PLACE = "(epoch_us(t)::HUGEINT * 9223372036854775808 - seq)";

/**
 * Returns tables up to `best` of a run of an ordered funnel without exclusions. They read only the events of two
 * steps at a time. An event of the next step counts if an event of the step before comes directly before it: that
 * attempt began last and has the most time left, and a later event of the next step only ends later. Most persons
 * never reach the second step, so they are only counted. Owners are looked up once for each id. A funnel of 3.7
 * million events takes 1.5 s that way instead of 4.1 s.
 */
export function byFollowing(target: Target, funnel: Funnel, period: Period): string[] {
  const { steps, window_s, breakdown } = funnel;
  const window = windowOf(window_s);
  const numbers = numbersTo(steps.length);
  const carried = breakdown === null ? [] : ["seq_1", "breakdown"];
  const ofValue = (sql: string) => (breakdown === null ? "" : `, ${sql}`);
  const deeper = numbers.slice(1).map((step) => {
    const times = numbers.map((at) => (at <= step ? `t_${at}` : `NULL AS t_${at}`));
    const value = breakdown === null ? [] : ["seq_1 AS seq", "breakdown"];
    return `SELECT ${["person_id", `${step} AS depth`, ...times, ...value].join(", ")} FROM at_${step}`;
  });
  const times = numbers.map((step) => `t_${step}`).join(", ");
  const none = numbers.map(() => "NULL").join(", ");
  return [
    ...stepsSql(target, funnel, period),
    `owned AS MATERIALIZED (
  SELECT events.person_id AS id, ${PERSON_ID_SQL} AS person_id${ofValue("breakdown, place")}
  FROM (
    SELECT id AS person_id${ofValue(`arg_min_null(breakdown, ${PLACE}) AS breakdown, min(${PLACE}) AS place`)}
    FROM first_step GROUP BY id
  ) AS events
  ${ownerJoin(target.project ?? 0, target.bind)}
)`,
    `begun AS (
  SELECT person_id${ofValue("arg_min_null(breakdown, place) AS breakdown")}
  FROM owned GROUP BY person_id
)`,
    `spans AS MATERIALIZED (
  SELECT person_id, min(t) AS since, max(t) AS until FROM later WHERE is_2 GROUP BY person_id
)`,
    `ids AS MATERIALIZED (
  SELECT id, person_id, since, until FROM owned JOIN spans USING (person_id)
)`,
    `at_1 AS MATERIALIZED (
  SELECT person_id, t, seq${ofValue("seq AS seq_1, breakdown")}, t AS t_1
  FROM first_step JOIN ids USING (id) WHERE t BETWEEN since - ${window} AND until
)`,
    ...numbers.slice(1).flatMap((step) => followedSql(step, carried, window)),
    `deeper AS (\n  ${deeper.join("\n  UNION ALL ")}\n)`,
    bestBy(
      target,
      reachedIn("deeper", funnel, "deepest"),
      breakdown === null ? ["t_1"] : ["t_1", "seq"],
    ),
    `best AS (
  SELECT depth, ${times}${ofValue("breakdown")}, 1 AS persons FROM deepest
  UNION ALL ${
    breakdown === null
      ? `SELECT 1, ${none}, (SELECT count(*) FROM begun) - (SELECT count(*) FROM deepest)`
      : `SELECT 1, ${none}, breakdown, count(*) FROM begun ANTI JOIN deepest USING (person_id) GROUP BY breakdown`
  }
)`,
  ];
}

/** Returns the table of the first step's events, often most events, and the table of the other steps' events. */
function stepsSql(
  target: Target,
  { steps: [first, ...later], breakdown }: Funnel,
  period: Period,
): string[] {
  const [begins, follows] = [eventScan(target, period), eventScan(target, period)];
  const isFirst = begins.isOf(first ?? { event: null, filters: [] });
  const common = [`${TIME} AS t`, "events.seq"];
  const columns = [
    ...["events.person_id AS id", ...common],
    ...(breakdown === null ? [] : [`${begins.value(breakdown)} AS breakdown`]),
  ];
  const flags = later.map((step, index) => `(${follows.isOf(step)}) AS is_${index + 2}`);
  const among = nameCondition(target, later);
  const materialized = begins.isPlain() ? "NOT MATERIALIZED" : "MATERIALIZED";
  return [
    begins.named(`first_step AS ${materialized}`, columns, [...begins.within(), isFirst]),
    follows.named(
      "later AS MATERIALIZED",
      [`${follows.person()} AS person_id`, ...common, ...flags],
      [...among, ...follows.within()],
    ),
  ];
}

/** Returns tables up to `at_2` and so on: events of a step that directly follow one of the step before. */
function followedSql(step: number, carried: readonly string[], window: string): string[] {
  const before = `at_${step - 1}`;
  const columns = [...carried, ...numbersTo(step - 1).map((one) => `t_${one}`)];
  const lags = columns.map((name) => `lag(${name}) OVER forwards AS ${name}`);
  return [
    `rows_${step} AS (
  SELECT person_id, t, seq, false AS is_next, ${columns.join(", ")} FROM ${before}
  UNION ALL
  SELECT person_id, t, seq, true${", NULL".repeat(columns.length)}
  FROM later SEMI JOIN ${before} USING (person_id) WHERE is_${step}
)`,
    `followed_${step} AS (
  SELECT person_id, t, seq, is_next, ${lags.join(", ")} FROM rows_${step}
  WINDOW forwards AS (PARTITION BY person_id ORDER BY t, seq, is_next DESC)
)`,
    `at_${step} AS MATERIALIZED (
  SELECT * EXCLUDE (is_next), t AS t_${step} FROM followed_${step}
  WHERE is_next AND t <= t_1 + ${window}
)`,
  ];
}
