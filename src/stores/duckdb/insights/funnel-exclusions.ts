import type { Funnel } from "../../../core/queries/funnel.ts";
import type { OwnEvents } from "./funnel-unordered.ts";
import { type Attributed, partitionIn } from "./funnel-values.ts";

/** Columns of each event: its place in the order of its person's events, and the first place at the same time. */
export const placesIn = (funnel: Attributed): string =>
  `row_number() OVER (${partitionIn(funnel)} ORDER BY t, seq) AS place,
    rank() OVER (${partitionIn(funnel)} ORDER BY t) AS place_of_t`;

/** Columns of each event about later events, and conditions of the attempts that begin with it. */
type Excluding = { columns: string[]; conditions: string[] };

const after = (funnel: Attributed, from: number, to: number | "UNBOUNDED") =>
  `OVER (${partitionIn(funnel)} ORDER BY t, seq ROWS BETWEEN ${from} FOLLOWING AND ${to} FOLLOWING)`;

/**
 * Compiles exclusions between strict steps, each of which is a fixed number of events after the first. An attempt
 * that reached the step `from` fails if an excluded event comes before the step `to`; without that step, if it
 * comes before the window ends. Reads the columns `is_excluded_1` and so on; the conditions need `depth`.
 */
export function strictExcluding(funnel: Funnel, until: string): Excluding {
  const all = funnel.exclusions.map(({ from, to }, index): Excluding => {
    const number = index + 1;
    const left = `depth BETWEEN ${from + 1} AND ${to} AND t_excluded_${number} <= ${until}`;
    const next = (until: number | "UNBOUNDED") =>
      `min(CASE WHEN is_excluded_${number} THEN t END) ${after(funnel, from + 1, until)}`;
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
 * Compiles exclusions between steps in any order. An attempt passes if all steps are done before the first
 * excluded event, or if no such event comes before the window ends. Reads `is_excluded_1` and so on, and
 * {@link placesIn}.
 */
export function unorderedExcluding(
  funnel: Funnel,
  sets: OwnEvents["sets"],
  until: string,
): Excluding {
  const { exclusions } = funnel;
  if (exclusions.length === 0) return { columns: [], conditions: [] };
  const isExcluded = exclusions.map((_, index) => `is_excluded_${index + 1}`).join(" OR ");
  const next = (column: string) =>
    `min(CASE WHEN ${isExcluded} THEN ${column} END) ${after(funnel, 1, "UNBOUNDED")} AS ${column}_excluded`;
  const done = sets.map((_, index) => `place_${index + 1} <= place_excluded`);
  return {
    columns: [
      ...sets.map((set, index) => `${lastPlace(set, funnel)} AS place_${index + 1}`),
      next("t"),
      next("place"),
    ],
    conditions: [`((t_excluded <= ${until}) IS NOT TRUE OR (${done.join(" AND ")}))`],
  };
}

/** Returns SQL of the place of the event that completes a set, which needs as many events as it has steps. */
function lastPlace({ isOf, steps }: OwnEvents["sets"][number], funnel: Attributed): string {
  const own = `CASE WHEN ${isOf} THEN place END`;
  const last = steps === 1 ? `min(${own})` : `nth_value(${own}, ${steps} IGNORE NULLS)`;
  return `${last} OVER (${partitionIn(funnel)} ORDER BY t, seq
      ROWS BETWEEN place - place_of_t PRECEDING AND UNBOUNDED FOLLOWING)`;
}
