import type { Funnel } from "../../../core/queries/funnel.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Bind } from "../lists/property-filter.ts";
import { eventScan, movedOf, OWNER, type Scanned } from "./event-scan.ts";

/** The least is of the first event, of those of one instant the last. A number is compared faster than a struct. */
const PLACE = "(epoch_us(t)::HUGEINT * 9223372036854775808 - seq)";

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
 * persons nothing but the first step is read, and their person is looked up once per distinct id: 3.7
 * million events take 1.5 s, without this 4.1 s.
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
  const ofValue = (sql: string) => (breakdown === null ? "" : `, ${sql}`);
  return `${stepsSql(scanned, funnel, period, bind)}, owned AS MATERIALIZED (
  SELECT events.person_id AS id, ${OWNER} AS person_id${ofValue("breakdown, place")}
  FROM (
    SELECT id AS person_id${ofValue(`arg_min_null(breakdown, ${PLACE}) AS breakdown, min(${PLACE}) AS place`)}
    FROM first_step GROUP BY id
  ) AS events
  ${movedOf(scanned.project, bind)}
), begun AS (
  SELECT person_id${ofValue("arg_min_null(breakdown, place) AS breakdown")}
  FROM owned GROUP BY person_id
), spans AS MATERIALIZED (
  SELECT person_id, min(t) AS since, max(t) AS until FROM later WHERE is_2 GROUP BY person_id
), ids AS MATERIALIZED (
  SELECT id, person_id, since, until FROM owned JOIN spans USING (person_id)
), at_1 AS MATERIALIZED (
  SELECT person_id, t, seq${ofValue("seq AS seq_1, breakdown")}, t AS t_1
  FROM first_step JOIN ids USING (id) WHERE t BETWEEN since - ${window} AND until
), ${later.map((step) => followedSql(step, { told, window })).join(", ")}, deeper AS (
  ${deeper.join("\n  UNION ALL ")}
), ${bestOf(funnel, "deeper")}, reached AS (
  SELECT best.depth AS depth, best.times AS times${ofValue("best.breakdown AS breakdown")}, 1 AS persons
  FROM best
  UNION ALL ${
    breakdown === null
      ? "SELECT 1, NULL, (SELECT count(*) FROM begun) - (SELECT count(*) FROM best)"
      : "SELECT 1, NULL, breakdown, count(*) FROM begun ANTI JOIN best USING (person_id) GROUP BY breakdown"
  }
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
    ...["events.person_id AS id", ...common],
    ...(breakdown === null ? [] : [`${begins.value(breakdown)} AS breakdown`]),
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
  [...among, ...follows.within()],
)}`;
}

/** `at_2` and so on: events of a step that follow right after one of the step before. */
function followedSql(
  step: number,
  { told, window }: { told: readonly string[]; window: string },
): string {
  const times = Array.from({ length: step - 1 }, (_, index) => `t_${index + 1}`);
  const known = [...told, ...times];
  const carried = known.map((name) => `lag(${name}) OVER forwards AS ${name}`);
  return `rows_${step} AS (
  SELECT person_id, t, seq, false AS is_next, ${known.join(", ")} FROM at_${step - 1}
  UNION ALL
  SELECT person_id, t, seq, true${", NULL".repeat(known.length)}
  FROM later SEMI JOIN at_${step - 1} USING (person_id) WHERE is_${step}
), followed_${step} AS (
  SELECT person_id, t, seq, is_next, ${carried.join(", ")} FROM rows_${step}
  WINDOW forwards AS (PARTITION BY person_id ORDER BY t, seq, is_next DESC)
), at_${step} AS MATERIALIZED (
  SELECT * EXCLUDE (is_next), t AS t_${step} FROM followed_${step}
  WHERE is_next AND t <= t_1 + ${window}
)`;
}
