import type { Interval, Period } from "../../../core/queries/period.ts";
import type { Breakdown, EventsNode } from "../../../core/queries/query-fields.ts";
import { isGroup } from "../../../core/values/property-filter.ts";
import { groupMet } from "../lists/property-filter.ts";
import type { EventSource, Target } from "./target.ts";

/** One SELECT from the events of a project. Each method returns SQL; `named` comes last. */
export type EventScan = Pick<EventSource, "person" | "text" | "isPlain"> & {
  /** When an event happened, on the clock of the period's zone. */
  wall: string;
  /** The value of a breakdown; a list of texts if it has several properties. */
  value(breakdown: Breakdown): string;
  /** The beginning of the interval in which an event happened, on that clock. */
  startOf(interval: Interval): string;
  /** The condition that an event belongs to the node. */
  isOf(node: Pick<EventsNode, "event" | "filters">): string;
  /** The conditions of the period; with `everBefore` the period has no beginning. */
  within(options?: { everBefore?: boolean }): string[];
  /** `name (SELECT … FROM events …)` with everything that columns and conditions need. */
  named(name: string, columns: readonly string[], conditions: readonly string[]): string;
};

/** Begins a SELECT from events, on the clock of a period. */
export function eventScan({ bind, source: open }: Target, period: Period): EventScan {
  const source = open();
  const wall = source.wall(period);
  const { person, text, isPlain, passes } = source;
  return {
    ...{ person, text, isPlain, wall },
    // A cast to DATE takes half the time of date_trunc.
    startOf: (interval) =>
      interval === "day" ? `${wall}::DATE` : `date_trunc('${interval}', ${wall})`,
    value({ by }) {
      const texts = by.map(({ of, property }) => text(of, property));
      return texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
    },
    isOf({ event, filters }) {
      const named = event === null ? [] : [`events.event = ${bind(event)}`];
      const all = filters.map((one) => (isGroup(one) ? groupMet(one, passes) : passes(one)));
      return [...named, ...all].join("\n    AND ") || ALWAYS;
    },
    within({ everBefore = false } = {}) {
      const { instants } = period;
      const before = bind(period.before, "TIMESTAMP");
      // Clocks differ by less than a day, so row groups are skipped without a look at the clock.
      const near = (compared: string, instant: string | undefined, roughly: string) =>
        wall === TIME
          ? []
          : [`${TIME} ${compared} ${instant ? bind(instant, "TIMESTAMP") : roughly}`];
      const until = [
        ...near("<", instants.before, `${before} + INTERVAL 1 DAY`),
        `${wall} < ${before}`,
      ];
      if (everBefore) return until;
      const from = bind(period.from, "TIMESTAMP");
      return [
        ...near(">=", instants.from, `${from} - INTERVAL 1 DAY`),
        `${wall} >= ${from}`,
        ...until,
      ];
    },
    named(name, columns, conditions) {
      const needs = source.needs();
      const tables = needs.tables.length === 0 ? "" : `WITH ${needs.tables.join(", ")}\n  `;
      const where = [...needs.conditions, ...conditions].filter((one) => one !== ALWAYS);
      return `${name} (
  ${tables}SELECT ${columns.join(",\n    ")}
  ${["FROM events", ...needs.joins].join("\n  ")}
  WHERE ${where.join("\n    AND ")}
)`;
    },
  };
}

/** The condition that every event passes. */
const ALWAYS = "true";

/** The column with the time of an event in UTC. */
export const TIME = "events.timestamp";

/** Returns the beginning of an interval as answers name it. */
export function bucketOf(interval: Interval, start: string): string {
  return interval === "hour" ? `strftime(${start}, '%Y-%m-%d %H:%M')` : `${start}::DATE`;
}

/** Returns whether the clock of a period is that of UTC throughout. */
export function isUtc({ clock }: Period): boolean {
  return clock.length === 1 && clock[0]?.ahead_s === 0;
}
