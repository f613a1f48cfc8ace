import type { Interval, Period } from "../../../core/queries/period.ts";
import {
  type Aggregate,
  type Condition,
  isOfSession,
  type Label,
  type Reading,
} from "../../../core/questions/readings/reading.ts";
import { quoted } from "../engine/duckdb.ts";
import type { EventSource } from "../insights/statement.ts";

/** Rows of an answer without another number. */
export const ROWS_DEFAULT = 25;

/** Rows of an answer over time. */
const ROWS_OVER_TIME = 10_000;

/** SQL of parts of a question. */
export type Parts = {
  source: EventSource;
  joins: () => string[];
  /** The time of an event on the clock of the project. */
  clock: string;
  /** The condition of the period. */
  inPeriod: string;
  where: string[];
  labels: string[];
  interval: Interval | null;
};

/** Returns the condition that a time on the clock of the project lies in a period. */
export const isWithin = (clock: string, { from, before }: Period): string =>
  `${clock} >= ${time(from)} AND ${clock} < ${time(before)}`;

const time = (wall: string) =>
  `TIMESTAMP ${quoted(wall.replace("T", " ").replace(/( 00:00:00)?\.0+$/, ""))}`;

/** The time of an event in UTC. */
export const TIME = 'events."timestamp"';

/** Returns the condition that an event has one of some names. */
export const eventIn = (names: readonly string[]) =>
  `events.event IN (${[...new Set(names)].map(quoted).join(", ")})`;

/** Returns the joins of a question, a line each. */
export const joined = ({ joins }: Pick<Parts, "joins">) =>
  joins()
    .map((one) => `\n${one}`)
    .join("");

const WEEKDAYS = `[${["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map(quoted).join(", ")}]`;

/** Whether each row has a label: its test would take as long as the label itself. */
const isAlwaysSet = (label: Label | undefined) =>
  label !== undefined && ["origin", "weekday", "hour", "date", "event"].includes(label.by);

/** Groups rows by the labels and the interval of a question, and sorts them. */
export function grouped(
  { top, by }: Reading,
  { labels, interval, clock }: Pick<Parts, "labels" | "interval" | "clock">,
  { value, from, conditions }: { value: string; from: string; conditions: readonly string[] },
): string {
  const bucket = interval === null ? [] : [`date_trunc('${interval}', ${clock}) AS interval_start`];
  const columns = [
    ...labels.map((one, at) => `${one} AS label_${at + 1}`),
    ...bucket,
    `${value} AS value`,
  ];
  const names = [
    ...labels.map((_, at) => `label_${at + 1}`),
    ...(interval === null ? [] : ["interval_start"]),
  ];
  const isOrdered = by.some(
    (one) => one.by === "weekday" || one.by === "hour" || one.by === "date",
  );
  const direction = top?.isAscending === true ? "ASC" : "DESC";
  const order =
    interval !== null || (isOrdered && top === null)
      ? names.map((name, at) =>
          by[at]?.by === "weekday" ? `list_position(${WEEKDAYS}, ${name})` : name,
        )
      : [`value ${direction} NULLS LAST`, ...names];
  const limit =
    interval === null ? (top?.count ?? (isOrdered ? 1000 : ROWS_DEFAULT)) : ROWS_OVER_TIME;
  const tail =
    names.length === 0
      ? ""
      : `\nGROUP BY ${names.join(", ")}\nORDER BY ${order.join(", ")}\nLIMIT ${limit}`;
  const set = labels.filter((_, at) => top !== null && !isAlwaysSet(by[at]));
  const all = [...conditions, ...set.map((one) => `${one} IS NOT NULL`)];
  const where = all.length === 0 ? "" : `\nWHERE ${all.join("\n  AND ")}`;
  return `SELECT ${columns.join(",\n  ")}\n${from}${where}${tail}`;
}

const SIGNS = { above: ">", at_least: ">=", below: "<", at_most: "<=" } as const;

/** Returns the SQL of a condition. */
export function conditionSql(condition: Condition, source: EventSource): string {
  const { property, is, values } = condition;
  const text = isOfSession(property)
    ? `"${property.name}"`
    : source.text({ type: property.of }, property.name);
  return testSql(condition, text, is, values);
}

/** Returns the SQL of a test of a text. */
export function testSql(
  { property }: Condition,
  text: string,
  is: Condition["is"],
  values: string[],
): string {
  const [only = ""] = values;
  switch (is) {
    case "equal":
      if (property.of === "person" && property.name === "email")
        return `lower(${text}) = lower(${quoted(only)})`;
      return `${text} IN (${values.map(quoted).join(", ")})`;
    case "not":
      return `(${text} IN (${values.map(quoted).join(", ")})) IS NOT TRUE`;
    case "contains":
      return `contains(lower(${text}), lower(${quoted(only)}))`;
    case "set":
      return `${text} IS NOT NULL`;
    case "unset":
      return `${text} IS NULL`;
    default:
      return `TRY_CAST(${text} AS DOUBLE) ${SIGNS[is]} ${Number(only)}`;
  }
}

/** Returns the SQL of a count or a calculation over the rows of events. */
export function aggregateSql(
  { events, math, property, group, where = [] }: Aggregate,
  { source }: Pick<Parts, "source">,
): string {
  const conditions = [
    ...(events.length === 0 ? [] : [eventIn(events)]),
    ...where.map((one) => conditionSql(one, source)),
  ];
  const only = conditions.length === 0 ? "" : ` FILTER (WHERE ${conditions.join(" AND ")})`;
  const text = property === undefined ? "NULL" : source.text({ type: property.of }, property.name);
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  switch (math) {
    case "total":
      return `count(*)${only}`;
    case "unique_session":
      return `count(DISTINCT events."$session_id")${only}`;
    case "unique_group":
      return `count(DISTINCT events."$group_${group ?? 0}")${only}`;
    case "different":
      return `count(DISTINCT ${text})${only}`;
    case "dau":
    case "weekly_active":
    case "monthly_active":
      return `count(DISTINCT events.person_id)${only}`;
    case "sum":
      return `coalesce(sum(${number})${only}, 0)`;
    default:
      return `${CALCULATIONS[math](number)}${only}`;
  }
}

const quantile = (share: number) => (number: string) => `quantile_cont(${number}, ${share})`;

const CALCULATIONS = {
  avg: (number: string) => `avg(${number})`,
  min: (number: string) => `min(${number})`,
  max: (number: string) => `max(${number})`,
  median: quantile(0.5),
  p50: quantile(0.5),
  p75: quantile(0.75),
  p90: quantile(0.9),
  p95: quantile(0.95),
  p99: quantile(0.99),
};
