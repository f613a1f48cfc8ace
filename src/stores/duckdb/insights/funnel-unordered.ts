import type { Funnel } from "../../../core/queries/funnel.ts";
import { sharing } from "../../../core/queries/funnel-overlap.ts";

/** When the steps of an unordered funnel have events, each one of its own (decision 78). */
export type OwnEvents = {
  /** Some steps: which events are one of them, by columns `is_1` and so on, and how many steps they are. */
  sets: { isOf: string; steps: number }[];
  /** One for each step, null if never: when another one has an event, in no order. */
  times: string[];
};

/** Over columns `first_1` and so on, as {@link firstOf} makes them for each of the sets. */
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
 * When events of the window `until`, which goes by `t`, are one of a set: the first times, as many as it has
 * steps, in columns that {@link nth} names.
 */
export function firstOf({ isOf, steps }: OwnEvents["sets"][number], name: string): string[] {
  const own = `CASE WHEN ${isOf} THEN t END`;
  return Array.from({ length: steps }, (_, index) => {
    const place = index + 1;
    // They come in the order of `t`. An ORDER BY here takes four times as long, and DuckDB 1.5 fails
    // with IGNORE NULLS and an order from some 100,000 rows of a partition on.
    const first = place === 1 ? `min(${own})` : `nth_value(${own}, ${place} IGNORE NULLS)`;
    return `${first} OVER until AS ${nth(name, place)}`;
  });
}

/** The column of {@link firstOf} that is so far from the least, which is 1. */
export function nth(name: string, place: number): string {
  return place === 1 ? name : `${name}_${place}`;
}

/** The last of some times, if there are all. */
function latest(times: readonly string[]): string {
  if (times.length === 1) return times.join();
  const ever = times.map((time) => `coalesce(${time}, 'infinity')`);
  return `nullif(greatest(${ever.join(", ")}), 'infinity')`;
}
