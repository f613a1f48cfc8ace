import { isGroup } from "../values/property-filter.ts";
import { isBehavior } from "./behavior.ts";
import type { EventsNode } from "./query-fields.ts";

/** The part of a step that chooses its events. */
type Step = Pick<EventsNode, "event" | "filters">;

/**
 * Steps, by index, of which one event may match several, and the sets of them whose events are counted.
 * The counts say how many of the steps can have an event each (Hall's theorem).
 */
export type Sharing = { steps: number[]; sets: number[][] };

/** Groups steps that one event may match; most groups have one step. A set has every step that its events match. */
export function sharing(steps: readonly Step[]): Sharing[] {
  const groups: number[][] = [];
  for (const [at, step] of steps.entries()) {
    const joined = groups.filter((group) =>
      group.some((other) => mayBeSame(step, steps[other] as Step)),
    );
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), at].toSorted((a, b) => a - b));
  }
  return groups
    .toSorted(([a = 0], [b = 0]) => a - b)
    .map((group) => ({ steps: group, sets: setsOf(group, steps) }));
}

/** Returns every union of steps; a step brings along the steps that it contains. */
function setsOf(group: readonly number[], steps: readonly Step[]): number[][] {
  const within = (at: number) =>
    group.filter((other) => isWithin(steps[other] as Step, steps[at] as Step));
  const found = new Map<string, number[]>();
  for (const at of group) {
    for (const set of [[], ...found.values()]) {
      const all = [...new Set([...set, ...within(at)])].toSorted((a, b) => a - b);
      found.set(all.join(), all);
    }
  }
  return [...found.values()];
}

/** Whether one event may match both. */
function mayBeSame(one: Step, other: Step): boolean {
  const areNamed = one.event !== null && other.event !== null;
  if (areNamed && one.event !== other.event) return false;
  return !one.filters.some((a) => other.filters.some((b) => areApart(a, b)));
}

/** Whether two filters ask for different exact values of one property. */
function areApart(one: Step["filters"][number], other: Step["filters"][number]): boolean {
  if (isGroup(one) || isGroup(other) || isBehavior(one) || isBehavior(other)) return false;
  if (!isSame(one.of, other.of)) return false;
  const [a, b] = [one.filter, other.filter];
  if (a.key !== b.key || a.not || b.not || a.test.is !== "equal" || b.test.is !== "equal")
    return false;
  const values = new Set(a.test.any);
  return !b.test.any.some((value) => values.has(value));
}

/** Whether every event of `inner` surely matches `outer`. */
function isWithin(inner: Step, outer: Step): boolean {
  if (outer.event !== null && outer.event !== inner.event) return false;
  return outer.filters.every((a) => inner.filters.some((b) => isSame(a, b)));
}

// Both were read by the same function, so their fields have the same order.
const isSame = (one: object, other: object) => written(one) === written(other);

// The numbers of a version are bigints, which JSON does not have.
const written = (one: object) =>
  JSON.stringify(one, (_, part) => (typeof part === "bigint" ? String(part) : part));
