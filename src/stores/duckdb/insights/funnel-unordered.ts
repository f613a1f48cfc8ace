import type { Funnel } from "../../../core/queries/funnel.ts";
import { sharing } from "../../../core/queries/funnel-overlap.ts";

/** The steps of an unordered funnel, each with an event of its own (decision 78). */
export type OwnEvents = {
  /** Groups of steps: the condition of their events, by columns `is_1` and so on, and their count. */
  sets: { isOf: string; steps: number }[];
  /** For each step the time at which one more step has an event, or null; in no order. */
  times: string[];
};

/** Compiles the steps over columns `first_1` and so on, which {@link firstOf} makes for each set. */
export function ownEvents({ steps }: Pick<Funnel, "steps">): OwnEvents {
  const sets: OwnEvents["sets"] = [];
  const times = sharing(steps).flatMap((group) => {
    const all = group.steps.length;
    const firsts = group.sets.map((set) => {
      const isOf = set.map((step) => `is_${step + 1}`).join(" OR ");
      sets.push({ isOf, steps: set.length });
      return { name: `first_${sets.length}`, left: all - set.length };
    });
    return group.steps.map((_, done) => {
      // So many of the steps can be done without the events of the set.
      const needed = firsts.filter(({ left }) => left <= done);
      return latest(needed.map(({ name, left }) => nth(name, done + 1 - left)));
    });
  });
  return { sets, times };
}

/**
 * The first times in the window `until`, sorted by `t`, at which events belong to a set: as many as the
 * set has steps, in columns that {@link nth} names.
 */
export function firstOf({ isOf, steps }: OwnEvents["sets"][number], name: string): string[] {
  const own = `CASE WHEN ${isOf} THEN t END`;
  return Array.from({ length: steps }, (_, index) => {
    const place = index + 1;
    // The window is in the order of `t`. An ORDER BY here takes four times as long, and DuckDB 1.5 fails
    // with IGNORE NULLS and an order from some 100,000 rows of a partition on.
    const first = place === 1 ? `min(${own})` : `nth_value(${own}, ${place} IGNORE NULLS)`;
    return `${first} OVER until AS ${nth(name, place)}`;
  });
}

/** The name of a column of {@link firstOf}, by its position from 1 on. */
export function nth(name: string, place: number): string {
  return place === 1 ? name : `${name}_${place}`;
}

/** The last of some times; null if one of them is null. */
function latest(times: readonly string[]): string {
  if (times.length === 1) return times.join();
  const ever = times.map((time) => `coalesce(${time}, 'infinity')`);
  return `nullif(greatest(${ever.join(", ")}), 'infinity')`;
}
