import type { Funnel } from "../../../core/queries/funnel.ts";
import { sharing } from "../../../core/queries/funnel-overlap.ts";

/** SQL of the steps of an unordered funnel, each of which needs an event of its own. */
export type OwnEvents = {
  /** Sets of steps: the condition of their events, from the columns `is_1` and so on, and the number of steps. */
  sets: { isOf: string; steps: number }[];
  /** Times at which one more step has an event, or null; as many as steps, in no order. */
  times: string[];
};

/** Compiles the steps. The times are SQL of the columns `first_1` and so on that {@link firstOf} makes for a set. */
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
      // Without events of the set, only `left` steps can be done.
      const needed = firsts.filter(({ left }) => left <= done);
      return latest(needed.map(({ name, left }) => nth(name, done + 1 - left)));
    });
  });
  return { sets, times };
}

/**
 * Returns columns with the first times in the window `until` at which events belong to a set: as many as the set
 * has steps. {@link nth} names them.
 */
export function firstOf({ isOf, steps }: OwnEvents["sets"][number], name: string): string[] {
  const own = `CASE WHEN ${isOf} THEN t END`;
  return Array.from({ length: steps }, (_, index) => {
    const position = index + 1;
    // The window is ordered by `t` already. An ORDER BY here takes four times as long, and with IGNORE NULLS
    // DuckDB 1.5 fails from some 100,000 rows of a partition on.
    const first = position === 1 ? `min(${own})` : `nth_value(${own}, ${position} IGNORE NULLS)`;
    return `${first} OVER until AS ${nth(name, position)}`;
  });
}

/** Returns the name of a column of {@link firstOf}, by its position from 1 on. */
export function nth(name: string, position: number): string {
  return position === 1 ? name : `${name}_${position}`;
}

/** Returns SQL of the last of some times; null if one of them is null. */
function latest(times: readonly string[]): string {
  if (times.length === 1) return times.join();
  const orNever = times.map((time) => `coalesce(${time}, 'infinity')`);
  return `nullif(greatest(${orNever.join(", ")}), 'infinity')`;
}
