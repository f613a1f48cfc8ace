import type { Funnel } from "../domain/funnel.ts";
import type { Period } from "../domain/insight-period.ts";
import { eventScan, type Scanned } from "./event-scan.ts";
import type { Bind } from "./property-match.ts";

/** The best attempt of each person, out of a table with columns `t_1` and so on. */
export function bestOf({ steps, breakdown }: Funnel, attempts: string): string {
  const times = `[${steps.map((_, index) => `t_${index + 1}`).join(", ")}]`;
  const value = breakdown === null ? "" : ", breakdown: breakdown";
  const last = breakdown === null ? "" : ", last: seq";
  return `best AS (
  SELECT person_id, arg_max({depth: depth, times: ${times}${value}},
    {depth: depth, sooner: -epoch_us(${times}[depth]), later: t_1${last}}) AS best
  FROM ${attempts} GROUP BY person_id
)`;
}

/**
 * `reached`, how far each person came, for steps in order with nothing excluded. Of the attempts that
 * come to one event of the next step the last to begin has the most time left; and of events of the
 * next step with none of the one before between them, the first is the soonest. So only those count
 * that follow right after one of the step before, once all other events are left out. Of most
 * persons nothing but the first step is looked at.
 */
export function byFollowing(scanned: Scanned, funnel: Funnel, period: Period, bind: Bind): string {
  const { steps, window_s, breakdown } = funnel;
  const window = `to_seconds(${bind(window_s, "BIGINT")})`;
  const later = steps.slice(1).map((_, index) => index + 2);
  const told = breakdown === null ? [] : ["seq_1", "breakdown"];
  const deeper = later.map((step) => {
    const times = [1, ...later].map((at) => (at <= step ? `t_${at}` : `NULL AS t_${at}`));
    const value = breakdown === null ? [] : ["seq_1 AS seq", "breakdown"];
    return `SELECT ${["person_id", `${step} AS depth`, ...times, ...value].join(", ")} FROM at_${step}`;
  });
  const first =
    breakdown === null ? "" : ", arg_min({value: breakdown}, {t: t, last: -seq}) AS first";
  const value =
    breakdown === null
      ? ""
      : ", CASE WHEN best IS NULL THEN first.value ELSE best.breakdown END AS breakdown";
  return `${stepsSql(scanned, funnel, period, bind)}, begun AS MATERIALIZED (
  SELECT person_id${first} FROM first_step GROUP BY person_id
), spans AS MATERIALIZED (
  SELECT person_id, min(t) AS since, max(t) AS until
  FROM later SEMI JOIN begun USING (person_id) WHERE is_2 GROUP BY person_id
), ${later.map((step) => followedSql(step, { told, window })).join(", ")}, deeper AS (
  ${deeper.join("\n  UNION ALL ")}
), ${bestOf(funnel, "deeper")}, reached AS (
  SELECT coalesce(best.depth, 1) AS depth, best.times AS times${value}
  FROM begun LEFT JOIN best USING (person_id)
)`;
}

/** The events of the first step, which may be most of all, and those of the others. */
function stepsSql(
  scanned: Scanned,
  { steps: [first, ...later], breakdown }: Funnel,
  period: Period,
  bind: Bind,
): string {
  const [begins, follows] = [eventScan(scanned, period, bind), eventScan(scanned, period, bind)];
  const isFirst = begins.isOf(first ?? { event: null, filters: [] });
  const common = [`"timestamp" AS t`, "seq"];
  const columns = [
    ...[`${begins.person()} AS person_id`, ...common],
    ...(breakdown === null
      ? []
      : [`${begins.text(breakdown.of, breakdown.property)} AS breakdown`]),
  ];
  const conditions = [...begins.within(), isFirst];
  const flags = later.map((step, index) => `(${follows.isOf(step)}) AS is_${index + 2}`);
  const names = later.flatMap(({ event }) => (event === null ? [] : [event]));
  const isAny = names.length < later.length;
  const named = isAny ? [] : [...new Set(names)].map((name) => bind(name));
  const among = isAny ? [] : [`event IN (${named.join(", ")})`];
  return `${begins.named(`first_step AS ${begins.isPlain() ? "NOT " : ""}MATERIALIZED`, columns, conditions)},
${follows.named(
  "later AS MATERIALIZED",
  [`${follows.person()} AS person_id`, ...common, ...flags],
  [...follows.within(), ...among],
)}`;
}

/** `at_2` and so on: events of a step that follow right after one of the step before. */
function followedSql(
  step: number,
  { told, window }: { told: readonly string[]; window: string },
): string {
  const times = Array.from({ length: step - 1 }, (_, index) => `t_${index + 1}`);
  const known = [...told, ...times];
  const began = told.length === 0 ? "" : ", seq AS seq_1, breakdown";
  const before =
    step === 2
      ? `SELECT person_id, t, seq, false AS is_next${began}, t AS t_1
  FROM first_step JOIN spans USING (person_id) WHERE t BETWEEN since - ${window} AND until`
      : `SELECT person_id, t, seq, false AS is_next, ${known.join(", ")} FROM at_${step - 1}`;
  const those = step === 2 ? "spans" : `at_${step - 1}`;
  const carried = known.map((name) => `lag(${name}) OVER forwards AS ${name}`);
  return `rows_${step} AS (
  ${before}
  UNION ALL
  SELECT person_id, t, seq, true${", NULL".repeat(known.length)}
  FROM later SEMI JOIN ${those} USING (person_id) WHERE is_${step}
), followed_${step} AS (
  SELECT person_id, t, seq, is_next, ${carried.join(", ")} FROM rows_${step}
  WINDOW forwards AS (PARTITION BY person_id ORDER BY t, seq, is_next DESC)
), at_${step} AS MATERIALIZED (
  SELECT * EXCLUDE (is_next), t AS t_${step} FROM followed_${step}
  WHERE is_next AND t <= t_1 + ${window}
)`;
}
