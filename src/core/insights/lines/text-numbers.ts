import type { Unit } from "../../queries/trend.ts";

/** The numbers of a line, and their unit. */
type Numbers = { data: readonly (number | null)[]; unit?: Unit };

const UNITS: [seconds: number, unit: string][] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Returns a length of time in its units from the greatest on, such as `2 min 13 s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${shown(seconds, 1)} s`;
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [size, unit] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`);
    rest %= size;
  }
  return parts.join(" ");
}

/** Returns a number as a person reads it, such as `43%`. */
export function withUnit(value: number | null, unit: Unit | undefined): string {
  if (value === null || unit === undefined) return shown(value);
  return unit === "seconds" ? duration(value) : `${shown(value)}%`;
}

/** Returns a number with commas between thousands; of a small one, more digits than `digits` after the point. */
export function shown(value: number | null, digits = 2): string {
  if (value === null) return "-";
  const isSmall = value !== 0 && Math.abs(value) < 1;
  return value.toLocaleString(
    "en",
    isSmall ? { maximumSignificantDigits: digits + 1 } : { maximumFractionDigits: digits },
  );
}

/** Returns the number of the time before, and the change since: of percentages in points, of all else in percent. */
export function comparedWith(
  { data: [now = null], unit }: Numbers,
  before: number | null,
): string[] {
  const isShare = unit === "percent";
  if (now === null || before === null || (before === 0 && !isShare)) {
    return [withUnit(before, unit), "-"];
  }
  const change = isShare ? now - before : (now / before - 1) * 100;
  const sign = change > 0 ? "+" : "";
  return [withUnit(before, unit), `${sign}${shown(change, 1)}${isShare ? " points" : "%"}`];
}
