import { zone } from "./project.ts";
import { type Unit, unitName } from "./unit.ts";

const NUMBER = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A number as text, such as `4,812`; a dash for one that is not known. */
export const number = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : NUMBER.format(value);

/** A number in few characters, such as `4.8K`, for axes. */
export const compact = (value: number): string => COMPACT.format(value);

/** A share between 0 and 1 as percent, such as `14.8%`. */
export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? "–" : `${NUMBER.format(Math.round(share * 1000) / 10)}%`;

/** A share between 0 and 1 as percent, without a fraction from 1 on, such as `15%`. */
export const roundPercent = (share: number): string =>
  percent(share < 0.01 ? share : Math.round(share * 100) / 100);

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** A size in few characters, such as `4.2 MB`. */
export function bytes(size: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  const value = size / 1000 ** power;
  return `${value.toFixed(value < 10 && power > 0 ? 1 : 0)} ${UNITS[power]}`;
}

/** `1 person`, `2 persons`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

function format(time: string | number | Date, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const made = formatter(JSON.stringify([zone(), options]), { timeZone: zone(), ...options });
  return sameMonths(made.format(date));
}

/** Each month in three letters; British English has four for September alone. */
export const sameMonths = (text: string): string =>
  text.replace("Sept ", "Sep ").replace(/Sept$/, "Sep");

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a formatter takes far longer than its use, and a live list uses it hundreds of times a second. */
function formatter(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const made = formatters.get(key) ?? new Intl.DateTimeFormat("en-GB", options);
  formatters.set(key, made);
  return made;
}

/** The time of a day on the project's clock, such as `09:14:03`. */
export const clock = (time: string | number | Date): string =>
  format(time, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A day on the project's clock, such as `21 Nov 2026`. */
export const day = (time: string | number | Date): string =>
  format(time, { day: "numeric", month: "short", year: "numeric" });

/** A time on the project's clock, such as `21 Nov 2026, 09:14`. */
export const moment = (time: string | number | Date): string =>
  format(time, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });

/** A time with its day and its second, but without its year: `21 Nov, 09:14:03`. */
export const shortTime = (time: string | number | Date): string =>
  format(time, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });

/** A number with at least, and at most, so many digits after the point. */
const withDecimals = (value: number, least: number, most: number): string =>
  new Intl.NumberFormat("en-US", {
    minimumFractionDigits: Math.min(least, most),
    maximumFractionDigits: most,
  }).format(value);

/** The most digits after the point that numbers of one column need, up to 2. */
export function decimalsOf(values: readonly unknown[]): number {
  const needed = values.map((value) =>
    typeof value === "number" && Number.isFinite(value)
      ? (NUMBER.format(value).split(".")[1]?.length ?? 0)
      : 0,
  );
  return Math.max(0, ...needed);
}

/** An amount of a currency by its code, such as `€1,250.50`; in few characters for axes. */
export function money(value: number, code: string, isShort = false): string {
  try {
    return new Intl.NumberFormat("en-US", {
      ...{ style: "currency", currency: code, currencyDisplay: "narrowSymbol" },
      ...(isShort ? { notation: "compact", maximumFractionDigits: 1 } : {}),
    }).format(value);
  } catch {
    // Not a code of ISO 4217, but a word of one's own.
    return `${isShort ? compact(value) : number(value)} ${code}`;
  }
}

const AGES: readonly [seconds: number, unit: string][] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** How long something took or is ago, such as `4 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [size, unit] = AGES.find(([length]) => seconds >= length) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/**
 * A number with its unit, if it has one, such as `33.8%`, `1 min 47 s` or `€12.50`. In a column of numbers, `decimals` of
 * the column makes all of them as long.
 */
export function withUnit(
  value: number | null | undefined,
  unit: Unit | undefined,
  decimals = 0,
): string {
  if (value == null) return number(value);
  if (unit === undefined || unit === "percent") {
    const text = withDecimals(value, decimals, unit === "percent" ? 1 : 2);
    return unit === undefined ? text : `${text}%`;
  }
  if (unit !== "seconds") return money(value, unitName(unit));
  if (value < 0) return `−${withUnit(-value, unit)}`;
  if (value > 0 && value < 1) return `${number(value)} s`;
  const seconds = Math.round(value);
  const at = AGES.findIndex(([length]) => seconds >= length);
  const [size, name] = AGES[at] ?? [1, "s"];
  const [nextSize, nextName] = AGES[at + 1] ?? [1, "s"];
  const rest = Math.floor((seconds % size) / nextSize);
  return `${Math.floor(seconds / size)} ${name}${rest > 0 ? ` ${rest} ${nextName}` : ""}`;
}

/** The start of an interval, such as `2026-11-21` or `2026-11-21 09:00:00`, in few characters. */
export function bucket(column: string): string {
  const [date = column, time] = column.split(/[ T]/);
  const parsed = new Date(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(parsed.getTime())) return column;
  const name = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  }).format(parsed);
  return time === undefined ? sameMonths(name) : `${sameMonths(name)} ${time.slice(0, 5)}`;
}

/** A whole interval that begins so: `24 Nov`, `week of 23 Nov`, `November 2026`, `24 Nov 09:00`. */
export function intervalName(column: string, interval = "day"): string {
  if (interval === "week") return `week of ${bucket(column)}`;
  if (interval !== "month") return bucket(column);
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat("en-GB", options).format(new Date(`${column.slice(0, 7)}-01`));
}

/** A value of a property as text: texts as they are, everything else as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Names of properties that every SDK sends, in words. */
const NAMES: Record<string, string> = {
  $pageview: "Page view",
  $pageleave: "Page leave",
  $autocapture: "Autocapture",
  $identify: "Identify",
  $set: "Set person properties",
  $screen: "Screen",
  $create_alias: "Alias",
  $groupidentify: "Group identify",
  $exception: "Exception",
};

/** The name of an event in words; its own if it has no other. */
export const eventTitle = (name: string): string => NAMES[name] ?? name;

/** The name of a property in words, such as `Browser version` of `$browser_version`; names of one's own stay. */
export function propertyTitle(name: string): string {
  if (!/^\$[a-z]/.test(name)) return name;
  const words = name
    .replace(/^\$(?:geoip_(?!disable))?/, "")
    .replaceAll("_", " ")
    .replace(/\b(?:url|os|ip|id|utm)\b/g, (word) => word.toUpperCase());
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
