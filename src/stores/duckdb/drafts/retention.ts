import type { PlanOf } from "../../../core/ports/insights.ts";
import type { Interval } from "../../../core/queries/period.ts";
import { toldOf } from "../insights/retention.ts";
import { draftScan, shownBucket, timeText } from "./scan.ts";
import { draftRanked, draftValue } from "./trends.ts";

/**
 * SQL of a retention over the views (decision 89): how many began in an interval, and how many of
 * them came so many intervals later; zero intervals later are all.
 */
export function draftRetention(plan: PlanOf<"RetentionQuery">): string {
  const { interval, breakdown, returning, isFirstTime } = plan.query;
  const value = breakdown === null ? "" : "breakdown, is_other, ";
  const told = toldOf(plan.query, plan.period);
  const within = told < plan.period.buckets.length ? `\nWHERE later < ${told}` : "";
  const came = draftScan(plan.period, plan.timezone);
  const isReturning = came.isOf(returning);
  const tables = [
    `started AS (
${started(plan)}
)`,
    ...(breakdown === null
      ? []
      : [
          `top AS (
  SELECT breakdown, true AS is_top FROM started GROUP BY breakdown
  ORDER BY count(*) DESC, breakdown NULLS LAST
  LIMIT ${breakdown.limit}
), cohort AS (
  SELECT started.* EXCLUDE (breakdown), ${draftValue("top")}
  ${draftRanked("started", "top")}
)`,
        ]),
    `came AS (
  SELECT DISTINCT events.person_id, ${came.began(interval)} AS came_at
  ${came.selected([isReturning])}
)`,
  ];
  const cohort = breakdown === null ? "started" : "cohort";
  const began = `${shownBucket(interval, "began")} AS began`;
  return `WITH ${tables.join(", ")}
-- Whoever began${isFirstTime ? " for the first time ever" : ""} is there, whatever counts as coming back.
SELECT ${value}${began}, 0 AS later, count(*) AS persons
FROM ${cohort} GROUP BY ALL
UNION ALL
SELECT ${value}${began}, date_diff('${interval}', began, came_at) AS later, count(*) AS persons
FROM ${cohort} JOIN came ON came.person_id = ${cohort}.person_id AND came_at > began${within}
GROUP BY ALL
ORDER BY ${value.replace("breakdown, is_other", "is_other, breakdown NULLS LAST")}began, later`;
}

/** Who began and when; with the value of the first event by which they did. */
function started({ query, period, timezone }: PlanOf<"RetentionQuery">): string {
  const { target, isFirstTime, interval, breakdown } = query;
  const scan = draftScan(period, timezone);
  const isTarget = scan.isOf(target);
  const began = scan.began(interval);
  const from = `began >= ${timeText(period.from)}`;
  if (breakdown === null) {
    const rows = scan.selected([isTarget], { everBefore: isFirstTime });
    if (!isFirstTime) return `  SELECT DISTINCT events.person_id, ${began} AS began\n  ${rows}`;
    return `  SELECT events.person_id, min(${began}) AS began\n  ${rows}
  GROUP BY events.person_id HAVING ${from}`;
  }
  const value = scan.value(breakdown);
  const rows = scan.selected([isTarget], { everBefore: isFirstTime });
  const each = isFirstTime ? "events.person_id" : "events.person_id, began";
  return `  SELECT events.person_id, ${began} AS began, ${value} AS breakdown
  ${rows}
  QUALIFY ${from}
    AND row_number() OVER (PARTITION BY ${each} ORDER BY began, events.timestamp, events.seq) = 1`;
}

/**
 * SQL of a lifecycle over the views: how many persons were what in each interval; those who were
 * there in the one before and are not in this are below zero.
 */
export function draftLifecycle({ query, period, timezone }: PlanOf<"LifecycleQuery">): string {
  const { series, interval } = query;
  const scan = draftScan(period, timezone);
  const isOf = scan.isOf(series);
  const next = `bucket + ${ONE[interval]}`;
  // The period begins with an interval that is not told of.
  const [, first = ""] = period.buckets;
  return `WITH active AS (
  SELECT DISTINCT events.person_id, ${scan.began(interval)} AS bucket
  ${scan.selected([isOf], { everBefore: true })}
), followed AS (
  SELECT bucket, lag(bucket) OVER forwards AS earlier, lead(bucket) OVER forwards AS later
  FROM active WINDOW forwards AS (PARTITION BY person_id ORDER BY bucket)
), told AS (
  SELECT bucket, CASE WHEN earlier IS NULL THEN 'new' WHEN earlier + ${ONE[interval]} = bucket THEN 'returning'
    ELSE 'resurrecting' END AS status
  FROM followed
  UNION ALL
  SELECT ${next} AS bucket, 'dormant' AS status
  FROM followed WHERE later IS DISTINCT FROM ${next}
)
SELECT ${shownBucket(interval, "bucket")} AS bucket, status,
  CASE status WHEN 'dormant' THEN -count(*) ELSE count(*) END AS persons
FROM told
WHERE bucket >= TIMESTAMP '${first}' AND bucket < ${timeText(period.before)}
GROUP BY bucket, status
ORDER BY bucket, status`;
}

const ONE: Record<Interval, string> = {
  hour: "INTERVAL 1 HOUR",
  day: "INTERVAL 1 DAY",
  week: "INTERVAL 7 DAY",
  month: "INTERVAL 1 MONTH",
};
