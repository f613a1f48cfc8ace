import type { BreakdownKind, FoundValue, Line } from "../../../core/ports/insights.ts";
import { isBehavior } from "../../../core/queries/behavior.ts";
import type { Breakdown, ValueOf } from "../../../core/queries/breakdown.ts";
import type { Interval } from "../../../core/queries/intervals.ts";
import { type Period, shownPeriod } from "../../../core/queries/period.ts";
import type {
  AnyFilter,
  EventFilter,
  EventsNode,
  PropertyOf,
} from "../../../core/queries/query-fields.ts";
import { isTimeFilter } from "../../../core/queries/time-value.ts";
import { isGroup } from "../../../core/values/property-filter.ts";
import { type Bind, groupMet, passesIn } from "../lists/property-filter.ts";
import { boundedBy, type Near, nearPeriod } from "../lists/sessions.ts";
import { personFacts } from "./behaviors.ts";
import { eachOf, listIn, pageOf, timeValue, valuesOrder } from "./breakdown-values.ts";

/**
 * The purpose for which a query is compiled. A run binds values as parameters and reads tables; a draft, the SQL
 * that users see, has values as literals and reads the public views.
 */
export type Target = {
  bind: Bind;
  /** The project of a run, which uses faster forms; null for a draft, whose views have only one project. */
  project: number | null;
  /** Returns a source for one SELECT from events. */
  source: () => EventSource;
};

/** One statement of a query; the part after WITH is the same in a run and in a draft. */
export type Statement = {
  /** Named queries in order, each as `name AS (…)`. */
  tables: string[];
  select: string;
};

/** The tables or views that one SELECT from events reads. Each method may add joins, which `needs` returns. */
export type EventSource = {
  /** Returns SQL of a time, on the clock of the period's zone; by default that of the event. */
  wall(period: Period, time?: string): string;
  /** Returns SQL of the start of the session of an event; null without a session. */
  began(): string;
  /** Returns SQL of the owner of the event after every merge. */
  person(): string;
  /** Returns SQL of a property as text, or as JSON if it is no text; null if it is missing or null. */
  text(of: PropertyOf, property: string): string;
  /** Returns the condition of a filter. */
  passes(filter: EventFilter): string;
  /** Whether all calls so far need only columns of events, which are read fast. */
  isPlain(): boolean;
  /** Returns the parts of the SELECT that the calls so far need; of sessions those with events near a period. */
  needs(near: Near | null): { tables: string[]; joins: string[]; conditions: string[] };
};

/** A value of a row; DuckDB's integers are numbers, and its dates are texts. */
type Cell = null | boolean | number | string | Cell[];

/** A row of a statement, by column. */
export type Row = Record<string, Cell>;

/** The condition that an event can be what a person did: SDKs make up a distinct id to describe a group. */
export const IS_ACTIVITY = "events.event <> '$groupidentify'";

/** Returns a statement as SQL. */
export function sqlOf({ tables, select }: Statement): string {
  return `WITH ${tables.join(", ")}\n${select}`;
}

/** One SELECT from the events of a project. Each method returns SQL; `named` comes last. */
export type EventScan = Pick<EventSource, "person" | "text" | "isPlain"> & {
  /** The time of an event, or of the start of its session, on the clock of the period's zone. */
  wall: string;
  /** The value of a breakdown; a list of texts if it has several properties. */
  value(breakdown: Breakdown): string;
  /** The values of a breakdown, of a list of texts each in a row of its own. */
  values(breakdown: Breakdown): string;
  /** The beginning of the interval of that time, on that clock. */
  startOf(interval: Interval): string;
  /**
   * The condition that an event belongs to the node. Among all events, those about groups are no activity of persons,
   * and belong to it only where `events` are counted.
   */
  isOf(node: Pick<EventsNode, "event" | "filters">, counted?: "persons" | "events"): string;
  /** The conditions of the period; with `everBefore` the period has no beginning. */
  within(options?: { everBefore?: boolean }): string[];
  /** Those of its beginning alone. */
  since(): string[];
  /** `name (SELECT … FROM events …)` with all joins that columns and conditions need. */
  named(name: string, columns: readonly string[], conditions: readonly string[]): string;
};

/**
 * Begins a SELECT from events, on the clock of a period. `asked` is the period of the query, in which persons did what
 * filters ask for. With `bySession` an event belongs to the time at which its session starts.
 */
export function eventScan(
  target: Target,
  period: Period,
  { asked = period, bySession = false }: { asked?: Period; bySession?: boolean } = {},
): EventScan {
  const { bind } = target;
  const source = target.source();
  let near: Near | null = null;
  const time = bySession ? source.began() : TIME;
  let known: string | undefined;
  // A parameter that no part of the statement has could not be bound.
  const wall = () => (known ??= source.wall(period, time));
  const shown = () =>
    period.shown === undefined ? wall() : source.wall(shownPeriod(period), time);
  const { person, text } = source;
  const persons = personFacts((own) => eventScan(target, own), asked, bind);
  const passes = (one: AnyFilter) => {
    if (isBehavior(one)) return persons.passes(one, person());
    if (!isTimeFilter(one)) return source.passes(one);
    return passesIn(timeValue(one.filter.key, shown()), one.filter, bind);
  };
  const bounded = (by: ">=" | "<") => boundedBy(by, period, bind, { time, wall, shown });
  const since = () => bounded(">=");
  const valueIn = (of: ValueOf, property: string): string => {
    switch (of.type) {
      case "hogql":
        return timeValue(property, shown());
      case "first_touch":
        return persons.firstTouch(property, person());
      default:
        return text(of, property);
    }
  };
  const textsOf = ({ by }: Breakdown) =>
    by.map(({ of, property, isPage }) => {
      const text = valueIn(of, property);
      return isPage === true ? pageOf(text) : text;
    });
  return {
    ...{ person, text, since },
    get wall() {
      return wall();
    },
    isPlain: () => source.isPlain() && persons.isEmpty(),
    // A cast to DATE takes half the time of date_trunc.
    startOf: (interval) =>
      interval === "day" ? `${wall()}::DATE` : `date_trunc('${interval}', ${wall()})`,
    value: (breakdown) => joined(textsOf(breakdown)),
    values(breakdown) {
      const list = listIn(breakdown);
      const texts = textsOf(breakdown);
      return joined(texts.map((text, index) => (index === list ? eachOf(text) : text)));
    },
    isOf({ event, filters }, counted = "persons") {
      const ofAll = counted === "persons" ? [IS_ACTIVITY] : [];
      const named = event === null ? ofAll : [`events.event = ${bind(event)}`];
      const all = filters.map((one) => (isGroup(one) ? groupMet(one, passes) : passes(one)));
      return [...named, ...all].join("\n    AND ") || ALWAYS;
    },
    within({ everBefore = false } = {}) {
      near = everBefore ? { before: period.before } : period;
      return [
        ...(bySession ? nearPeriod(TIME, near) : []),
        ...(everBefore ? [] : since()),
        ...bounded("<"),
      ];
    },
    named(name, columns, conditions) {
      const needs = source.needs(near);
      const all = [...needs.tables, ...persons.tables()];
      const tables = all.length === 0 ? "" : `WITH ${all.join(", ")}\n  `;
      const where = [...needs.conditions, ...conditions].filter((one) => one !== ALWAYS);
      return `${name} (
  ${tables}SELECT ${columns.join(",\n    ")}
  ${["FROM events", ...needs.joins, ...persons.joins()].join("\n  ")}
  WHERE ${where.join("\n    AND ")}
)`;
    },
  };
}

/** Returns SQL of one of METADATA; `person` is SQL of the owner of the event. */
export const metadataText = (property: string, person: () => string): string =>
  property === "person_id" ? `${person()}::VARCHAR` : `events.${property}`;

const joined = (texts: readonly string[]) =>
  texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;

/** The condition that every event passes. */
const ALWAYS = "true";

/** The column with the time of an event in UTC. */
export const TIME = "events.timestamp";

/** Returns the beginning of an interval as answers name it. */
export function bucketOf(
  interval: Interval,
  start: string,
  { names = [] }: Pick<Period, "names">,
): string {
  if (interval !== "hour") return `${start}::DATE`;
  const named = (back: number, suffix: string) => {
    const text = `strftime(${back === 0 ? start : `${start} - to_hours(${back})`}, '%Y-%m-%d %H:%M')`;
    return suffix === "" ? text : `${text} || '${suffix}'`;
  };
  const cases = names.map(({ before, back_h, suffix }) =>
    before === null
      ? `ELSE ${named(back_h, suffix)}`
      : `WHEN ${start} < TIMESTAMP '${before}' THEN ${named(back_h, suffix)}`,
  );
  if (cases.length > 1) return `CASE ${cases.join(" ")} END`;
  return named(0, names[0]?.suffix ?? "");
}

/**
 * Returns the table `top` of the values that have a line of their own: the first ones by `number`, an aggregate of the
 * rows of a table.
 */
export function topValues(
  top: string,
  rows: string,
  number: string,
  breakdown: Breakdown,
  isOfFormula = false,
): string {
  return `${top} AS (
  SELECT breakdown, true AS is_top FROM ${rows} GROUP BY breakdown
  ORDER BY ${valuesOrder(breakdown, number, isOfFormula)}
  LIMIT ${breakdown.limit}
)`;
}

/** Returns the rows of a table, each joined with its value in the table `top`. */
export function joinedWith(top: string, rows: string): string {
  return `FROM ${rows} LEFT JOIN ${top} ON ${rows}.breakdown IS NOT DISTINCT FROM ${top}.breakdown`;
}

/** Returns the columns that group rows by their value in the table `top`. */
export const topColumns = (top: string): string[] => [`${top}.breakdown`, `${top}.is_top`];

/** Returns two columns from {@link topColumns}: the value, and whether it is missing in the table `top`. */
export const valueColumns = ([breakdown, isTop]: readonly string[]): string =>
  `${breakdown}, ${isTop} IS NULL AS is_other`;

/** Returns a SELECT of persons: who, how often, and the last time, which is the greatest `t`. */
export function actorsSelect({
  actor = "person_id",
  count = "count(*)",
  from,
  conditions,
}: {
  actor?: string;
  count?: string;
  from: string;
  conditions: readonly string[];
}): string {
  const where = conditions.length === 0 ? "" : `\nWHERE ${conditions.join("\n  AND ")}`;
  return `SELECT ${actor} AS actor, ${count} AS number, max(t) AS last_at
${from}${where}
GROUP BY ${actor}`;
}

/**
 * Returns the condition that a row with a breakdown belongs to a line of the answer; `isOther` is SQL of whether its
 * value has no line of its own. Without a line all rows belong.
 */
export function isOfLine(
  { bind }: Pick<Target, "bind">,
  line: Line | null,
  { breakdown, isOther }: { breakdown: string; isOther: string },
): string[] {
  if (line === null) return [];
  if (line.kind === "other") return [isOther];
  const value = Array.isArray(line.breakdown)
    ? `[${line.breakdown.map((one) => (one === null ? "NULL" : bind(one))).join(", ")}]`
    : "NULL";
  const own = typeof line.breakdown === "string" ? bind(line.breakdown) : value;
  return [`NOT ${isOther}`, `${breakdown} IS NOT DISTINCT FROM ${own}`];
}

/** Returns the value that a row of a statement belongs to. */
export function breakdownOf({ breakdown = null, is_other }: Row): {
  kind: BreakdownKind;
  breakdown: FoundValue;
} {
  if (is_other === undefined) return { kind: "value", breakdown: null };
  if (is_other === true) return { kind: "other", breakdown: null };
  return breakdown === null
    ? { kind: "none", breakdown }
    : { kind: "value", breakdown: breakdown as FoundValue };
}
