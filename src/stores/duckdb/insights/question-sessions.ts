import type { Period } from "../../../core/queries/period.ts";
import { PLACES } from "../../../core/questions/readings/finish.ts";
import type { Condition, Reading, SessionValue } from "../../../core/questions/readings/reading.ts";
import { conditionSql, grouped, joined, type Parts } from "./question-parts.ts";

/** SQL of the measures of sessions, over the rows of `visits`. */
const VALUES: Record<SessionValue, string> = {
  count: "count(*)",
  seconds: "avg(seconds)",
  median_seconds: "median(seconds)",
  longest_seconds: "max(seconds)",
  pages: "avg(pages)",
  bounce_rate:
    "100.0 * count(*) FILTER (WHERE bounced) / nullif(count(*) FILTER (WHERE pages > 0), 0)",
  bounces: "count(*) FILTER (WHERE bounced)",
  persons: "count(DISTINCT person)",
  per_person: "1.0 * count(*) / nullif(count(DISTINCT person), 0)",
};

/**
 * Returns SQL over sessions: the events with one `$session_id`. A session belongs to the period in which it begins. Its
 * properties are those of its first event; it bounced with one page view at most, no `$autocapture` and less than ten
 * seconds, as PostHog's web analytics defines it.
 */
export function sessionQuery(reading: Reading, parts: Parts, period: Period): string {
  const { measure } = reading;
  const isPlace = ({ property }: Condition) =>
    Object.values(PLACES).some((name) => name === property.name);
  const places = reading.where.filter(isPlace);
  const others = reading.where.filter((one) => !isPlace(one));
  const conditions = others.map((one) => conditionSql(one, parts.source));
  const among =
    measure.of === "session_share"
      ? measure.among.map((one) => conditionSql(one, parts.source))
      : [];
  const labels = parts.labels.map((label, at) =>
    label.startsWith("$")
      ? ""
      : `    arg_min_null(${label}, events."timestamp") AS label_${at + 1},\n`,
  );
  const fits = [
    ...conditions.map((one, at) => `    bool_or(${one}) AS fits_${at + 1},\n`),
    ...(among.length === 0 ? [] : [`    bool_or(${among.join(" AND ")}) AS is_among,\n`]),
  ];
  const near = (wall: string, days: number) =>
    `TIMESTAMP '${new Date(Date.parse(`${wall.slice(0, 23)}Z`) + days * 86_400_000).toISOString().slice(0, 10)}'`;
  const from = `FROM (
  SELECT *, pages > 0 AND pages <= 1 AND clicks = 0 AND seconds < 10 AS bounced
  FROM (
    SELECT events."$session_id" AS session,
${labels.join("")}${fits.join("")}    min(${parts.clock}) AS began,
    epoch(max(events."timestamp")) - epoch(min(events."timestamp")) AS seconds,
    arg_min(events.person_id, events."timestamp") AS person,
    count(*) FILTER (WHERE events.event = '$pageview') AS pages,
    count(*) FILTER (WHERE events.event = '$autocapture') AS clicks,
    arg_min(events."$pathname", events."timestamp") FILTER (WHERE events.event = '$pageview') AS entry_pathname,
    arg_max(events."$pathname", events."timestamp") FILTER (WHERE events.event = '$pageview') AS end_pathname
    FROM events${joined(parts)}
    WHERE events."$session_id" IS NOT NULL
      AND events."timestamp" >= ${near(period.from, -2)} AND events."timestamp" < ${near(period.before, 3)}
    GROUP BY session)) AS visits`;
  const [start = "", end = ""] = parts.inPeriod.match(/TIMESTAMP '[^']*'/g) ?? [];
  const value =
    measure.of === "session_share"
      ? "100.0 * count(*) FILTER (WHERE is_among) / nullif(count(*), 0)"
      : VALUES[measure.of === "sessions" ? measure.value : "count"];
  return grouped(
    reading,
    {
      labels: parts.labels.map((label, at) =>
        label.startsWith("$") ? label.slice(1) : `label_${at + 1}`,
      ),
      interval: parts.interval,
      clock: "began",
    },
    {
      value,
      from,
      conditions: [
        `began >= ${start}`,
        `began < ${end}`,
        ...conditions.map((_, at) => `fits_${at + 1}`),
        ...places.map((one) => conditionSql(one, parts.source)),
        ...(parts.labels.some((label) => label.startsWith("$"))
          ? [`${(parts.labels.find((label) => label.startsWith("$")) ?? "").slice(1)} IS NOT NULL`]
          : []),
      ],
    },
  );
}
