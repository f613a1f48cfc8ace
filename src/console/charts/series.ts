import { type Unit, unitName } from "../state/unit.ts";

/** One line, or one set of bars, of a chart. */
export type Series = {
  label: string;
  /** A number for each column; null where none is known. */
  data: readonly (number | null)[];
  /** Drawn paler and thinner: the line of the same name one period earlier. */
  isBefore?: boolean;
  /** Of a line of the period before: the beginnings of its own intervals. */
  days?: readonly string[] | undefined;
  unit?: Unit | undefined;
  /** Whether fewer than 5 persons are counted. */
  isSmall?: boolean;
  /** The number of its colour; by default its place among the lines. */
  place?: number;
};

/** How the series of a chart are drawn. */
export type Kind = "line" | "bars" | "stack";

/** Most lines of a chart, since the eye tells no more colours apart. */
export const LINES_MAX = 8;

/** The colour of the line at an index, as a variable of the styles. */
export const colorOf = (at: number): string => `--chart-${(at % LINES_MAX) + 1}`;

/** A line of the period itself with that of the period before, if there is one, and their places among all. */
export type Pair = { now: Series; at: number; before?: Series; beforeAt?: number };

/** The lines of the period itself in their order. Of several with one name, each has its own line before. */
export function pairsOf(series: readonly Series[]): Pair[] {
  const placed = series.map((one, at) => ({ one, at }));
  const earlier = placed.filter(({ one }) => one.isBefore);
  return placed
    .filter(({ one }) => !one.isBefore)
    .map(({ one: now, at }) => {
      const found = earlier.findIndex(({ one }) => one.label === now.label);
      const [before] = found === -1 ? [] : earlier.splice(found, 1);
      return before ? { now, at, before: before.one, beforeAt: before.at } : { now, at };
    });
}

/** A line that is drawn: its colour, and its place among all lines. */
export type Drawn = Series & { place: number; from: number };

/**
 * The lines that are drawn: the greatest ones, each followed by its line of the period before. Of several lines of
 * bars those are left out, as each would make all others narrower.
 */
export function drawn(series: readonly Series[], kind: Kind = "line"): Drawn[] {
  const pairs = pairsOf(series);
  const areBefore = kind === "line" || pairs.length === 1;
  return pairs.slice(0, LINES_MAX).flatMap(({ now, at, before, beforeAt }, index) => {
    const place = now.place ?? index;
    const line = { ...now, place, from: at };
    if (!before || beforeAt === undefined || !areBefore) return [line];
    return [line, { ...before, place, from: beforeAt }];
  });
}

/**
 * Series on top of each other, numbers below zero under the axis. The last
 * comes first, so that the others are drawn over it.
 */
export function stacked(series: readonly Drawn[]): Drawn[] {
  const up: number[] = [];
  const down: number[] = [];
  const sums = series.map((one) => ({
    ...one,
    data: one.data.map((value, at) => {
      if (value === null) return null;
      const side = value < 0 ? down : up;
      side[at] = (side[at] ?? 0) + value;
      return side[at] ?? null;
    }),
  }));
  return sums.reverse();
}

/** The part of a stack that a height lies in: the last one of its side if it lies beyond. */
export function partAt(series: readonly Series[], column: number, height: number): number {
  let end = 0;
  let last = 0;
  for (const [at, { data }] of series.entries()) {
    const value = data[column] ?? 0;
    if (value === 0 || value < 0 !== height < 0) continue;
    last = at;
    end += value;
    if (Math.abs(height) <= Math.abs(end)) break;
  }
  return last;
}

/**
 * The line at a place of a column, in the numbers of its axes: the bar or the part of the bar there; of lines the
 * nearest one of the period itself, as a line of the period before is about another day. Undefined where none has a
 * number.
 */
export function lineAt(
  series: readonly Series[],
  column: number,
  kind: Kind,
  { x, y }: { x: number; y: number },
): number | undefined {
  const numberOf = ({ data }: Series) => data[column] ?? null;
  if (kind === "bars") {
    // Bars take 0.8 of the width of their column.
    const share = (x - column + 0.4) / 0.8;
    const at = Math.min(series.length - 1, Math.max(0, Math.floor(share * series.length)));
    return series[at] && numberOf(series[at]) !== null ? at : undefined;
  }
  if (kind === "stack") return partAt(series, column, y);
  const near = series.flatMap((one, at) => {
    const value = one.isBefore ? null : numberOf(one);
    return value === null ? [] : [{ at, distance: Math.abs(value - y) }];
  });
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.at;
}

/** The unit that all lines have; undefined if they differ. */
export const commonUnit = (lines: readonly { unit?: Unit | undefined }[]): Unit | undefined =>
  lines.every(({ unit }) => unit === lines[0]?.unit) ? lines[0]?.unit : undefined;

/** Numbers as rows below a head; the first cell of a row is its name. */
export type NumberTable = {
  head: string[];
  rows: (string | number | null)[][];
  /** The unit of the number at a row and a cell. */
  unitAt?: (row: number, cell: number) => Unit | undefined;
  /** Whether the number there counts fewer than 5 persons. */
  isSmallAt?: (row: number, cell: number) => boolean;
};

/** A row for each column of a chart, with the number of each line. */
export const tableOfLines = (
  columns: readonly string[],
  series: readonly Series[],
): NumberTable => ({
  head: ["Time", ...series.map(({ label, isBefore }) => (isBefore ? `${label}, before` : label))],
  rows: columns.map((column, at) => [column, ...series.map(({ data }) => data[at] ?? null)]),
  unitAt: (_, cell) => series[cell - 1]?.unit,
  isSmallAt: (_, cell) => series[cell - 1]?.isSmall === true,
});

/** The rows of a table for a file: bare numbers, with their unit in the head. */
export function rawRows({ head, rows, unitAt }: NumberTable): NumberTable["rows"] {
  const names = head.map((name, cell) => {
    const unit = commonUnit(rows.map((_, row) => ({ unit: unitAt?.(row, cell) })));
    return unit === undefined ? name : `${name} (${unitName(unit)})`;
  });
  return [names, ...rows];
}
