import { dayOfBound, rangeName } from "./ranges.ts";

/**
 * A period as the address has it: `today`, `yesterday`, `month`, or days such as `7d`, which are today and the six
 * days before; `24h` is the running hour and the 23 before. Two days such as `2026-11-01..2026-11-21` are both included. Bounds of queries stand there too: `-8w`,
 * `-1mStart..-1mEnd`, `2026-11-01..` until now, or `all`.
 */
export type Period = string;

/** The periods that have a name, in the order of the picker, each with its key. */
export const PERIODS: readonly { value: Period; label: string; key?: string }[] = [
  { value: "today", label: "Today", key: "t" },
  { value: "yesterday", label: "Yesterday", key: "y" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days", key: "w" },
  { value: "14d", label: "Last 14 days" },
  { value: "30d", label: "Last 30 days", key: "m" },
  { value: "90d", label: "Last 90 days" },
  { value: "month", label: "This month" },
  { value: "-1mStart..-1mEnd", label: "Last month" },
  { value: "qStart", label: "This quarter" },
  { value: "-1qStart..-1qEnd", label: "Last quarter" },
  { value: "yStart", label: "This year" },
  { value: "-11mStart", label: "Last 12 months" },
  { value: "all", label: "All time" },
];

/** The bounds of the named periods, as queries have them. */
const BOUNDS: Record<string, [from: string, to: string]> = {
  today: ["dStart", ""],
  yesterday: ["-1dStart", "-1dEnd"],
  month: ["mStart", ""],
};

/** The bounds of a period, as queries have them; the end is empty for now. An unknown one is the last 7 days. */
export function boundsOf(period: Period): [from: string, to: string] {
  const named = BOUNDS[period];
  if (named) return named;
  // A bound goes back from today, which is one of the days, or from this hour.
  const [, count, unit] = /^([1-9]\d{0,3})([dh])$/.exec(period) ?? [];
  if (count !== undefined) return [`-${Number(count) - 1}${unit}`, ""];
  const [from = "", to = ""] = period.split("..");
  const isBound = (text: string) => dayOfBound(text, new Date(0), "UTC") !== undefined;
  const isRange = (isBound(from) || from === "all") && (to === "" || isBound(to));
  return isRange ? [from, to] : ["-6d", ""];
}

/** The period with these bounds of a query. */
export function periodOfRange(from: string, to: string): Period {
  if (/^-0d(Start)?$/.test(from) && to === "") return "today";
  const named = Object.entries(BOUNDS).find(([, [first, last]]) => first === from && last === to);
  if (named) return named[0];
  const [, back, unit] = /^-(\d{1,3})([dh])$/.exec(from) ?? [];
  if (back !== undefined && to === "") return `${Number(back) + 1}${unit}`;
  return to === "" && !/^\d/.test(from) ? from : `${from}..${to}`;
}

const AGO: Record<string, string> = {
  h: "hour",
  d: "day",
  w: "week",
  m: "month",
  q: "quarter",
  y: "year",
};

/** A bound in words, such as `30 days ago`; a day as it is. */
export function boundWords(bound: string): string {
  const [, count, unit = ""] = /^-(\d+)([hdwmqy])(?:Start|End)?$/.exec(bound) ?? [];
  if (count === undefined) return /^-?0?d?(?:Start|End)?$/.test(bound) ? "today" : bound;
  return Number(count) === 0 ? "today" : `${count} ${AGO[unit]}${count === "1" ? "" : "s"} ago`;
}

/** The bounds of a query in words within a sentence: `in the last 30 days`, `today`, `from 2026-11-01 to 2026-11-21`. */
export function rangeWords(from: string, to: string): string {
  // A condition on people has exactly so many hours.
  if (/^-\d+h$/.test(from) && to === "") return `in the last ${boundWords(from).slice(0, -4)}`;
  const period = periodOfRange(from, to);
  const name = PERIODS.find(({ value }) => value === period)?.label ?? rangeName(from, to);
  if (name !== undefined) {
    const words = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    if (words === "all time") return "ever";
    return /^last \d/.test(words) ? `in the ${words}` : words;
  }
  if (to === "") return `since ${boundWords(from)}`;
  return `from ${boundWords(from)} to ${boundWords(to)}`;
}

/** A period in the one form in which {@link PERIODS} has it: `-6d` is `7d`. */
export const plainPeriod = (period: Period): Period => periodOfRange(...boundsOf(period));

/** A period as queries have it. */
export function dateRangeOf(period: Period): { date_from: string; date_to?: string } {
  const [from, to] = boundsOf(period);
  return to === "" ? { date_from: from } : { date_from: from, date_to: to };
}
