import type { Interval, Period } from "../../../core/queries/period.ts";
import type {
  Breakdown,
  EventFilter,
  EventsNode,
  PropertyOf,
} from "../../../core/queries/query-fields.ts";
import { isGroup } from "../../../core/values/property-filter.ts";
import { isoTime } from "../../../core/values/time.ts";
import { groupColumn, HOT_PROPERTIES } from "../../loads/event-lines.ts";
import { quoted } from "../engine/duckdb.ts";
import { togetherOf } from "../insights/event-scan.ts";
import { groupMet, pointer } from "../lists/property-filter.ts";
import { draftCondition } from "./filter.ts";

/**
 * Events of a query as somebody would select them over the views of SQL (decision 89). Each method
 * returns SQL; `from` and `where` come last, because they have what the others need.
 */
export type DraftScan = {
  /** When an event happened, on the clock of the zone. */
  wall: string;
  /** When the event's interval began, on that clock. */
  began(interval: Interval): string;
  /** A property as text; null if it is missing or null. */
  text(of: PropertyOf, property: string): string;
  /** As that of event-scan.ts. */
  value(breakdown: Breakdown): string;
  /** The condition that an event is one of the node's. */
  isOf(node: Pick<EventsNode, "event" | "filters">): string;
  /** FROM, and WHERE with the period; with `everBefore` also all before it. */
  selected(conditions: readonly string[], options?: { everBefore?: boolean }): string;
};

const DAY_MS = 86_400_000;

/** Selects the events of a project on the clock of a zone. */
export function draftScan({ from, before, instants }: Period, timezone: string): DraftScan {
  const joins = new Map<string, string>();
  const isUtc = timezone === "UTC";
  const wall = isUtc
    ? "events.timestamp"
    : `(events.timestamp AT TIME ZONE 'UTC' AT TIME ZONE ${quoted(timezone)})`;
  const text = (of: PropertyOf, property: string): string => {
    if (of.type === "event") {
      const hot = HOT_PROPERTIES.some((name) => name === property);
      return hot ? `events.${named(property)}` : propertyText("events", property);
    }
    if (of.type === "person") {
      joins.set("persons", "LEFT JOIN persons ON persons.uuid = events.person_id");
      return propertyText("persons", property);
    }
    const { group_type_index: index } = of;
    const name = `group_${index}`;
    const on = `${name}.type_index = ${index} AND ${name}.key = events.${named(groupColumn(index))}`;
    joins.set(name, `LEFT JOIN groups AS ${name} ON ${on}`);
    return propertyText(name, property);
  };
  return {
    wall,
    began: (interval) => `date_trunc('${interval}', ${wall})`,
    text,
    value: ({ by }) => togetherOf(by.map(({ of, property }) => text(of, property))),
    isOf({ event, filters }) {
      const name = event === null ? [] : [`events.event = ${quoted(event)}`];
      const passed = ({ of, filter }: EventFilter) => draftCondition(filter, text(of, filter.key));
      const all = filters.map((one) => (isGroup(one) ? groupMet(one, passed) : passed(one)));
      return [...name, ...all].join(" AND ") || "true";
    },
    selected(conditions, { everBefore = false } = {}) {
      const since = everBefore ? [] : [`${wall} >= ${timeText(from)}`];
      const roughly = (bound: string, days: number) =>
        isoTime(Date.parse(`${bound.slice(0, 19)}Z`) + days * DAY_MS);
      // What is stored by time is passed over without asking for the clock.
      const near = isUtc
        ? []
        : [
            ...(everBefore
              ? []
              : [`events.timestamp >= ${timeText(instants.from ?? roughly(from, -1))}`]),
            `events.timestamp < ${timeText(instants.before ?? roughly(before, 1))}`,
          ];
      const all = [...near, ...since, `${wall} < ${timeText(before)}`, ...conditions];
      const where = all.filter((condition) => condition !== "true").join("\n    AND ");
      return ["FROM events", ...joins.values(), `WHERE ${where}`].join("\n  ");
    },
  };
}

/** The beginning of an interval as answers name it. */
export function shownBucket(interval: Interval, began: string): string {
  return interval === "hour" ? `strftime(${began}, '%Y-%m-%d %H:%M')` : `(${began})::DATE`;
}

/** A time on a clock as a literal; at midnight, the day. */
export function timeText(wall: string): string {
  const [day, time = ""] = wall.replace("Z", "").split("T");
  return `TIMESTAMP '${/^[0:.]*$/.test(time) ? day : `${day} ${time}`}'`;
}

/** A name as an identifier. */
const named = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The text of a property of a view; as a path, `$`, dots and slashes in a key would mean something. */
export function propertyText(table: string, key: string): string {
  const isPlain = /^[A-Za-z_][\w ]*$/.test(key);
  return `(${table}.properties->>${quoted(isPlain ? key : pointer(key))})`;
}
