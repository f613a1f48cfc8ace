const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, Map<number, number>>();

/**
 * What the clock of a zone shows at a moment, as if it were UTC; both in milliseconds. Loops ask for the same moments
 * again and again, and to format one takes microseconds.
 */
export function shown(at: number, timeZone: string): number {
  const times = known.get(timeZone) ?? new Map<number, number>();
  known.set(timeZone, times);
  const wall = times.get(at) ?? read(at, timeZone);
  times.set(at, wall);
  return wall;
}

function read(at: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    });
  formats.set(timeZone, format);
  const parts = format.formatToParts(at);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, +value]));
  const { year = 0, month = 1, day, hour, minute, second } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
