import type { Period } from "../../../core/queries/period.ts";
import {
  type Condition,
  isOfSession,
  type Reading,
  type SessionValue,
} from "../../../core/questions/readings/reading.ts";
import { TIME } from "../insights/statement.ts";
import { columnsIn, nearPeriod, ofFirst, sessionsOf } from "../sql/sessions.ts";
import { conditionSql, grouped, isWithin, joined, type Parts } from "./question-parts.ts";

/** SQL of the measures of sessions, over the columns of `sessions`. */
const VALUES: Record<SessionValue, string> = {
  count: "count(*)",
  seconds: `avg("$session_duration")`,
  median_seconds: `median("$session_duration")`,
  longest_seconds: `max("$session_duration")`,
  pages: `avg("$pageview_count")`,
  bounce_rate: `100.0 * avg("$is_bounce"::INTEGER)`,
  bounces: `count(*) FILTER (WHERE "$is_bounce")`,
  persons: "count(DISTINCT person_id)",
  per_person: "1.0 * count(*) / nullif(count(DISTINCT person_id), 0)",
};

/**
 * Returns SQL over sessions (`stores/duckdb/sql/sessions.ts`). A session belongs to the period in which it begins. A
 * condition on events is met by a session with such an event; a label is that of its first event.
 */
export function sessionQuery(reading: Reading, parts: Parts, period: Period): string {
  const { measure } = reading;
  const isPlace = ({ property }: Condition) => isOfSession(property);
  const ofSessions = reading.where.filter(isPlace).map((one) => conditionSql(one, parts.source));
  const ofEvents = reading.where
    .filter((one) => !isPlace(one))
    .map((one) => conditionSql(one, parts.source));
  const among =
    measure.of === "session_share"
      ? measure.among.map((one) => conditionSql(one, parts.source)).join(" AND ")
      : "";
  const began = parts.clock.replace(TIME, `"$start_timestamp"`);
  const isPlaceLabel = (label: string) => label.startsWith(`"$`);
  const labels = parts.labels.map((label, at) =>
    isPlaceLabel(label) ? label : `label_of_first_${at + 1}`,
  );
  const value =
    measure.of === "session_share"
      ? "100.0 * count(*) FILTER (WHERE is_among) / nullif(count(*), 0)"
      : VALUES[measure.of === "sessions" ? measure.value : "count"];
  const conditions = [
    isWithin(began, period),
    ...ofEvents.map((_, at) => `fits_${at + 1}`),
    ...ofSessions,
    ...labels.filter(isPlaceLabel).map((label) => `${label} IS NOT NULL`),
  ];
  const ofEach = [
    ...labels.flatMap((label, at) =>
      isPlaceLabel(label) ? [] : [{ name: label, sql: parts.labels[at] ?? "", of: ofFirst }],
    ),
    ...ofEvents.map((sql, at) => ({ name: `fits_${at + 1}`, sql, of: isOfAny })),
    ...(among === "" ? [] : [{ name: "is_among", sql: among, of: isOfAny }]),
  ];
  const used = [value, ...conditions, ...labels].join(" ");
  const more = ofEach.map(({ name, of }) => [name, of(name)]);
  const events = (columns: readonly string[]) => eventsNear(parts, period, { columns, ofEach });
  const sessions = sessionsOf(events, columnsIn("sessions", used), Object.fromEntries(more));
  const from = `FROM (\n  ${sessions}) AS sessions`;
  return grouped(
    reading,
    { labels, interval: parts.interval, clock: began },
    { value, from, conditions },
  );
}

const isOfAny = (condition: string) => `bool_or(${condition})`;

/** Selects the events of sessions that may begin in a period, with more columns. */
function eventsNear(
  parts: Parts,
  period: Period,
  {
    columns,
    ofEach,
  }: { columns: readonly string[]; ofEach: readonly { name: string; sql: string }[] },
): string {
  const selected = [
    ...columns.map((name) => `events."${name}"`),
    ...ofEach.map(({ name, sql }) => `${sql} AS ${name}`),
  ];
  return `
    SELECT ${selected.join(", ")}
    FROM events${joined(parts)}
    WHERE ${nearPeriod(TIME, period).join(" AND ")}`;
}
