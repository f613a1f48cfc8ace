import { daysAfter, LETTERS, type Span, type Today } from "./dates.ts";

/** The number of months in each longer unit. */
const UNIT_MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/**
 * Returns the later of two periods, and the age of the earlier one to compare with. Returns undefined unless both have
 * calendar dates, and the earlier one is the previous period or has the same length.
 */
export function comparedSpans(a: Span, b: Span, today: Today) {
  const [x, y] = [daysOf(a, today), daysOf(b, today)];
  if (x === undefined || y === undefined || x.from === y.from) return undefined;
  const [late, early, span] = x.from > y.from ? [x, y, a] : [y, x, b];
  const unit = (["day", "week", "month", "quarter", "year"] as const).find((one) =>
    isNext(early.from, late.from, one),
  );
  if (unit !== undefined && early.to < late.from) {
    return { span, compare: unit === "quarter" ? "-3m" : `-1${LETTERS[unit]}` };
  }
  const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
  return days(late.from, late.to) === days(early.from, early.to)
    ? { span, compare: `-${days(early.from, late.from)}d` }
    : undefined;
}

function isNext(early: string, late: string, unit: "day" | "week" | keyof typeof UNIT_MONTHS) {
  if (unit === "day" || unit === "week") return daysAfter(early, unit === "day" ? 1 : 7) === late;
  const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  const areFirsts = early.endsWith("-01") && late.endsWith("-01");
  return areFirsts && monthOf(late) - monthOf(early) === UNIT_MONTHS[unit];
}

/** The first and last day of a period; undefined if it counts back from now. */
function daysOf(span: Span, today: Today): { from: string; to: string } | undefined {
  if ("last" in span) return undefined;
  const { date_from, date_to = null } = span.range;
  const now = today.slice(0, 10);
  const from = edge(String(date_from), now);
  const to = date_to === null ? now : edge(String(date_to), now);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function edge(text: string, now: string): string | undefined {
  if (/^\d{4}-/.test(text)) return text;
  const [, count = "0", unit = "", bound] = /^-?(\d+)?([dwmqy])(Start|End)?$/.exec(text) ?? [];
  const at = new Date(`${now}T00:00:00Z`);
  const more = bound === "End" ? 1 : 0;
  const back = Number(count) - more;
  if (unit === "d") at.setUTCDate(at.getUTCDate() - back);
  else if (unit === "w") at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7) - back * 7);
  else if (unit === "m") at.setUTCMonth(at.getUTCMonth() - back, 1);
  else if (unit === "q") at.setUTCMonth(Math.floor(at.getUTCMonth() / 3) * 3 - back * 3, 1);
  else if (unit === "y") at.setUTCFullYear(at.getUTCFullYear() - back, 0, 1);
  else return undefined;
  at.setUTCDate(at.getUTCDate() - more);
  return at.toISOString().slice(0, 10);
}
