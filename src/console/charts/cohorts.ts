/** The people who began in one interval, and how many of them came back in each later one. */
export type Cohort = { label: string; values: readonly (number | null)[] };

/** How many of a cohort came back in an interval after its beginning. */
export type Cell = { cohort: number; at: number; value: number; of: number };

/** The cells of an interval after the beginning, without empty cohorts. */
export const cellsOf = (cohorts: readonly Cohort[], at: number): Cell[] =>
  cohorts.flatMap(({ values }, cohort) => {
    const [value, of] = [values[at] ?? null, values[0] ?? 0];
    return value === null || of === 0 ? [] : [{ cohort, at, value, of }];
  });

/**
 * Everybody who came back by everybody who could: a large cohort counts more than a small one. `isRunning` says of a cell
 * whether its interval has not ended; those are left out. Undefined without any cell.
 */
export function averageOf(
  cohorts: readonly Cohort[],
  at: number,
  isRunning: (cohort: number, at: number) => boolean,
): { value: number; of: number } | undefined {
  const cells = cellsOf(cohorts, at).filter(({ cohort }) => !isRunning(cohort, at));
  if (cells.length === 0) return undefined;
  const sum = (field: "value" | "of") => cells.reduce((all, cell) => all + cell[field], 0);
  return { value: sum("value"), of: sum("of") };
}
