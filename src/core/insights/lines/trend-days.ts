/** The only column of an answer that has one number for the whole time. */
export const TOTAL_COLUMN = "total";

/** The intervals of a line of a trend, as PostHog's clients draw it. */
export type TrendDays = {
  /** The beginning of each interval. */
  days: string[];
  /** The same, to be read: `21-Nov-2026`, by the hour `21-Nov-2026 14:00`. */
  labels: string[];
  /** The sum of the numbers. */
  count: number;
};

/** Returns a line with the intervals of its numbers. */
export function withDays<Line extends { data: (number | null)[] }>(
  line: Line,
  days: string[],
): Line & TrendDays {
  return { ...line, days, labels: days.map(labelOf), count: sumOf(line.data) };
}

/** Returns the sum of some numbers; null counts as nothing. */
export function sumOf(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Returns an interval to be read: `21-Nov-2026`, by the hour `21-Nov-2026 14:00`. */
export function labelOf(bucket: string): string {
  const [day = "", time] = bucket.split(" ");
  const [year, month, date] = day.split("-");
  const named = `${Number(date)}-${MONTHS[Number(month) - 1]}-${year}`;
  return time === undefined ? named : `${named} ${time}`;
}
