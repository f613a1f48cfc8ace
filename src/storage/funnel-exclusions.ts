import type { Exclusion, Funnel } from "../domain/funnel.ts";
import { leastOf, nth, type OwnEvents } from "./funnel-own-events.ts";

/** What is to be known at an event of those after it, and which attempts that begin with it count. */
type Excluding = { columns: string[]; conditions: string[] };

const after = (from: number, to: number | "UNBOUNDED") =>
  `OVER (PARTITION BY person_id ORDER BY t, seq ROWS BETWEEN ${from} FOLLOWING AND ${to} FOLLOWING)`;

/**
 * Of strict steps (decision 78), which are so many events after the first: an attempt that came to the
 * step `from` is not counted if something excluded is before the step `to`, or before the window ends.
 * Over a table with columns `is_excluded_1` and so on; the conditions need `depth`.
 */
export function strictExcluding(exclusions: readonly Exclusion[], until: string): Excluding {
  const all = exclusions.map(({ from, to }, index): Excluding => {
    const number = index + 1;
    const left = `depth BETWEEN ${from + 1} AND ${to} AND t_excluded_${number} <= ${until}`;
    const next = (until: number | "UNBOUNDED") =>
      `min(CASE WHEN is_excluded_${number} THEN t END) ${after(from + 1, until)}`;
    const columns = [`${next("UNBOUNDED")} AS t_excluded_${number}`];
    if (to === from + 1) return { columns, conditions: [`(${left}) IS NOT TRUE`] };
    const between = `depth > ${to} AND t_between_${number} IS NOT NULL`;
    return {
      columns: [...columns, `${next(to - 1)} AS t_between_${number}`],
      conditions: [`(${left} OR ${between}) IS NOT TRUE`],
    };
  });
  return {
    columns: all.flatMap(({ columns }) => columns),
    conditions: all.flatMap(({ conditions }) => conditions),
  };
}

/**
 * Of steps in any order (decision 78): all of them are done when the first excluded event comes, if one
 * comes before the window ends. Over a table with `is_excluded_1` and so on, `place` and a window `until`.
 */
export function unorderedExcluding(
  { exclusions }: Funnel,
  sets: OwnEvents["sets"],
  until: string,
): Excluding {
  if (exclusions.length === 0) return { columns: [], conditions: [] };
  const isExcluded = exclusions.map((_, index) => `is_excluded_${index + 1}`).join(" OR ");
  const next = (column: string) =>
    `min(CASE WHEN ${isExcluded} THEN ${column} END) ${after(1, "UNBOUNDED")} AS ${column}_excluded`;
  const done = sets.map(
    ({ steps }, index) => `${nth(`place_${index + 1}`, steps)} <= place_excluded`,
  );
  return {
    columns: [
      ...sets.flatMap((set, index) => leastOf("place", set, `place_${index + 1}`)),
      next("t"),
      next("place"),
    ],
    conditions: [`((t_excluded <= ${until}) IS NOT TRUE OR (${done.join(" AND ")}))`],
  };
}
