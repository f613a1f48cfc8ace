import type { Period } from "../../../core/queries/period.ts";
import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import type { Bind } from "./property-filter.ts";
import { COMPUTED_OF_SESSIONS, MORE_OF_SESSIONS, ofFirst, ofLast } from "./session-columns.ts";

/** Seconds from which a session with one page view is no bounce. */
const BOUNCE_SECONDS = 10;

const counted = (event: string) => `count(*) FILTER (event = '${event}')`;
const entry = (value: string) => `${ofFirst(`"${value}"`)} FILTER (event = '$pageview')`;
const end = (value: string) => ofLast(`"${value}"`, "event = '$pageview'");

const VIEWS = counted("$pageview");
// The casts change nothing: SQL of callers may then take the plain aggregates, which are faster.
const BEGAN = `min("timestamp"::TIMESTAMP)`;
const ENDED = `max("timestamp"::TIMESTAMP)`;
const SECONDS = `(epoch_us(${ENDED}) - epoch_us(${BEGAN})) / 1e6`;

/** SQL of the columns of `sessions`, over events with the same `$session_id`; the others are as {@link firstOf}. */
const COMPUTED: Record<string, string> = {
  session_id: `"$session_id"`,
  $start_timestamp: BEGAN,
  $end_timestamp: ENDED,
  $session_duration: SECONDS,
  duration: SECONDS,
  $pageview_count: VIEWS,
  $autocapture_count: counted("$autocapture"),
  $screen_count: counted("$screen"),
  $event_count: "count(*)",
  $is_bounce: `CASE WHEN ${VIEWS} > 0 THEN ${VIEWS} = 1 AND ${counted("$autocapture")} = 0
    AND ${SECONDS} < ${BOUNCE_SECONDS} END`,
  $entry_current_url: entry("$current_url"),
  $entry_pathname: entry("$pathname"),
  $entry_hostname: entry("$host"),
  $end_current_url: end("$current_url"),
  $end_pathname: end("$pathname"),
  $end_hostname: end("$host"),
  $exit_current_url: end("$current_url"),
  $exit_pathname: end("$pathname"),
  $entry_referring_domain: ofFirst(`"$referring_domain"`),
  $geoip_country_code: ofFirst("properties->>'/$geoip_country_code'"),
  $geoip_country_name: ofFirst("properties->>'/$geoip_country_name'"),
  ...MORE_OF_SESSIONS,
};

const firstOf = (column: string) => ofFirst(`"${column.replace("$entry_utm", "utm")}"`);

/** A period on the clock of a project; without a beginning it has all that was before. */
export type Near = Partial<Pick<Period, "from">> & Pick<Period, "before">;

/** Days that a session lasts at most, with those by which clocks differ. */
const NEAR_DAYS = { before: 2, after: 3 };

/** Returns the conditions on the time of an event, in UTC, that belongs to a session with events in a period. */
export function nearPeriod(time: string, { from, before }: Near): string[] {
  const near = (wall: string, days: number) => {
    const at = Date.parse(`${wall.slice(0, 23)}Z`) + days * 86_400_000;
    return `TIMESTAMP '${new Date(at).toISOString().slice(0, 10)}'`;
  };
  return [
    ...(from === undefined ? [] : [`${time} >= ${near(from, -NEAR_DAYS.before)}`]),
    `${time} < ${near(before, NEAR_DAYS.after)}`,
  ];
}

/** Returns the columns of a view that SQL names. */
export const columnsIn = (view: string, sql: string): string[] =>
  Object.keys(SQL_VIEWS[view] ?? {}).filter((name) =>
    new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`).test(sql),
  );

/**
 * Returns SQL of sessions over `events`, SQL of events with the columns and the names of properties that it gets, with the
 * columns of `sessions` that are named in `columns`. DuckDB computes and reads only the columns that a statement selects. A
 * condition on the start reads all of `events`, because a session may have begun before. With `isPublic` columns whose
 * rules are too long for statements of callers come from the view.
 */
export function sessionsOf(
  events: (columns: readonly string[], names: readonly string[]) => string,
  columns: readonly string[],
  isPublic = false,
): string {
  const computed = columns.flatMap((name) => {
    const sql = COMPUTED_OF_SESSIONS[name];
    return sql === undefined ? [] : [{ name, sql }];
  });
  const needed = isPublic ? [] : computed.flatMap(({ sql }) => columnsIn("sessions", sql));
  const stored = [...new Set([...columns, ...needed])].filter(
    (name) => !Object.hasOwn(COMPUTED_OF_SESSIONS, name),
  );
  const selected = stored.map((name) => `${COMPUTED[name] ?? firstOf(name)} AS "${name}"`);
  const read = columnsIn("events", `"$session_id" ${selected.join(" ")}`);
  const names = [...selected.join(" ").matchAll(/properties->>'\/([^']+)'/g)].map(
    ([, name]) => name ?? "",
  );
  const sessions = `SELECT ${selected.join(",\n    ")}
  FROM (${events(read, names)}) AS stored
  WHERE "$session_id" IS NOT NULL GROUP BY "$session_id"`;
  if (computed.length === 0) return sessions;
  if (isPublic) {
    const ofView = computed.map(({ name }) => `sessions."${name}"`);
    return `SELECT ${["counted.*", ...ofView].join(", ")} FROM (${sessions}) AS counted
  JOIN sessions ON sessions.session_id = counted.session_id`;
  }
  const also = computed.map(({ name, sql }) => `${sql} AS "${name}"`);
  return `SELECT ${["*", ...also].join(", ")} FROM (${sessions}) AS counted`;
}

/** SQL of a time in UTC, on the clock of a period, and as the zone shows it. */
type Times = { time: string; wall: () => string; shown: () => string };

/** Returns the conditions that a time is on one side of a bound of a period. */
export function boundedBy(
  by: ">=" | "<",
  period: Period,
  bind: Bind,
  { time, wall, shown }: Times,
): string[] {
  const bound = by === "<" ? "before" : "from";
  const { [bound]: instant } = period.instants;
  if (instant !== undefined) return [`${time} ${by} ${bind(instant, "TIMESTAMP")}`];
  const text = bind(period[bound], "TIMESTAMP");
  if (wall() === time) return [`${time} ${by} ${text}`];
  return [
    // Clocks differ by less than a day. With these bounds of the stored time DuckDB skips row groups.
    `${time} ${by} ${text} ${by === "<" ? "+" : "-"} INTERVAL 1 DAY`,
    `${wall()} ${by} ${text}`,
    // A clock that is put back over midnight shows the end of a day again.
    ...(period.shown ? [`${shown()} ${by} ${bind(period.shown[bound], "TIMESTAMP")}`] : []),
  ];
}
