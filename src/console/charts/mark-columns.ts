/** A note on a column of a chart, and its number below the chart. */
export type Mark = { column: number; number: number; text: string };

/** A time on a wall clock, such as `2026-11-21` or `2026-11-21 09:00:00`, in milliseconds of that clock. */
const wallMs = (text: string): number =>
  Date.parse(text.length > 10 ? `${text.replace(" ", "T")}Z` : `${text}T00:00:00Z`);

/** The wall clock of a zone at a time, such as `2026-11-21 09:00:00`. */
export function wallClock(time: string, timeZone: string): string {
  const format = { timeZone, dateStyle: "short", timeStyle: "medium" } as const;
  // The Swedish form is that of ISO 8601.
  return new Intl.DateTimeFormat("sv-SE", format).format(new Date(time));
}

/** Notes on times as marks on the columns that they lie in, numbered from the earliest on. The others are left out. */
export function marksIn(
  columns: readonly string[],
  notes: readonly { at: string; text: string }[],
  timeZone: string,
): Mark[] {
  const starts = columns.map(wallMs);
  const [last = 0, before = last - 86_400_000] = starts.slice(-2).reverse();
  const end = last + (last - before);
  return notes
    .map(({ at, text }) => ({ at: wallMs(wallClock(at, timeZone)), text }))
    .filter(({ at }) => at >= (starts[0] ?? 0) && at < end)
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }, index) => ({
      column: starts.findLastIndex((start) => start <= at),
      number: index + 1,
      text,
    }));
}
