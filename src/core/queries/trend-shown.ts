import { isoTime } from "../values/time.ts";
import { type Moment, wallClock } from "../values/zoned-time.ts";
import { isOfTotal } from "./display.ts";
import type { Interval } from "./intervals.ts";
import type { Period } from "./period.ts";
import { checkUnused, type Fields, malformed } from "./query-fields.ts";
import type { Trends, Unit } from "./trend.ts";

/** How the numbers of a trend become those of its answer. */
export type TrendShown = {
  /** Whether each number is the sum up to its interval. */
  isCumulative: boolean;
  /** Each number is the mean of so many intervals up to its own. */
  smoothing: number;
  unit: Unit | null;
  /** By which the numbers are multiplied to be in the unit. */
  factor: number;
  /** ISO 4217, such as EUR. */
  currency: string | null;
  /**
   * Whether the one number of a line is the average or median of its intervals. Weeks and months count if they are
   * over by `until`, a time on the project's clock, ISO 8601; days and hours count all, as in a total divided by days.
   */
  typical: { by: "average" | "median"; until: string | null } | null;
};

/** Numbers as they are. */
export const SHOWN_PLAIN: TrendShown = {
  ...{ isCumulative: false, smoothing: 1, unit: null, factor: 1, currency: null, typical: null },
};

/** Displays with one number for each line; of these, clients may ask for a typical interval. */
const ONE_NUMBER = ["BoldNumber", "ActionsBarValue", "ActionsTable", "ActionsPie"] as const;

const CUMULATIVE = "ActionsLineGraphCumulative";

/** All displays; but for trends they change no number. */
export const DISPLAYS = [
  ...(["ActionsLineGraph", "ActionsUnstackedBar", "ActionsBar", "ActionsAreaGraph"] as const),
  ...ONE_NUMBER,
  ...(["ActionsStackedBar", "Metric", "SlopeGraph", "WorldMap", CUMULATIVE] as const),
];

const FORMATS = {
  numeric: {},
  short: {},
  currency: {},
  duration: { unit: "seconds" },
  duration_ms: { unit: "seconds", factor: 0.001 },
  percentage: { unit: "percent" },
  percentage_scaled: { unit: "percent", factor: 100 },
} as const satisfies Record<string, Partial<TrendShown>>;

const FORMAT_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

/** Intervals that one number is smoothed over. */
const SMOOTHING_MAX = 100;

/** Reads the fields of `trendsFilter` that change numbers, but no formula. Fails `invalid_input`, `invalid_choice`. */
export function trendShown(
  filter: Fields,
  interval: Interval,
  { now, timezone }: Moment,
): TrendShown {
  const display = filter.choice("display", DISPLAYS);
  const format = filter.choice("aggregationAxisFormat", FORMAT_NAMES);
  const by = filter.choice("detailedResultsAggregationType", ["total", "average", "median"]);
  const isOne = ONE_NUMBER.some((one) => one === display);
  const clock = isoTime(wallClock(now, timezone)).replace("Z", "");
  const until = interval === "hour" || interval === "day" ? null : clock;
  if (isOfTotal(display)) {
    const detail = `${display} has no intervals: leave it out, or write display: ActionsLineGraph.`;
    checkUnused(filter, { smoothingIntervals: 1 }, detail);
  }
  const postfix = (filter.text("aggregationAxisPostfix") ?? "").trim();
  return {
    ...SHOWN_PLAIN,
    ...FORMATS[format],
    isCumulative: display === CUMULATIVE,
    smoothing: filter.whole("smoothingIntervals", { min: 1, max: SMOOTHING_MAX }, 1),
    currency: format === "currency" && /^[A-Z]{3}$/.test(postfix) ? postfix : null,
    typical: isOne && by !== "total" ? { by, until } : null,
  };
}

const COMPARE_TO = /^-\d{1,4}[hdwmy]$/;

/** Reads `compareFilter`. Fails `invalid_input`. */
export function comparisonOf(query: Fields): Pick<Trends, "compare" | "compareTo"> {
  const filter = query.object("compareFilter", ["compare", "compare_to"]);
  const compareTo = filter.text("compare_to");
  if (compareTo !== null && !COMPARE_TO.test(compareTo)) {
    throw malformed("An age such as -1w is expected.", filter.attr("compare_to"));
  }
  const compare = filter.flag("compare");
  if (compareTo !== null && !compare) {
    const detail = "It goes with compare: true. Write that, too, or leave out compare_to.";
    throw malformed(detail, filter.attr("compare_to"));
  }
  return { compare, compareTo };
}

type Numbers = readonly (number | null)[];

/** Returns sums up to each number; null counts as nothing. */
export function cumulative(numbers: Numbers): number[] {
  let sum = 0;
  return numbers.map((number) => {
    sum += number ?? 0;
    return sum;
  });
}

/** Returns the mean of each number and the ones before it, at most `count` together. */
export function smoothed(numbers: Numbers, count: number): (number | null)[] {
  if (count === 1) return [...numbers];
  return numbers.map((_, at) => meanOf(numbers.slice(Math.max(0, at - count + 1), at + 1)));
}

/** Returns the number of a typical interval of the ones that count; without any, of all. */
export function typicalOf(
  numbers: Numbers,
  { buckets, before }: Pick<Period, "buckets" | "before">,
  { by, until }: NonNullable<TrendShown["typical"]>,
): number | null {
  const ends = [...buckets.slice(1), before].map((end) => end.replace(" ", "T"));
  const over = numbers.filter((_, at) => until === null || (ends[at] ?? "") <= until);
  const counted = over.length === 0 ? numbers : over;
  return by === "average" ? meanOf(counted) : medianOf(counted);
}

const isNumber = (number: number | null) => number !== null;

function meanOf(numbers: Numbers): number | null {
  const known = numbers.filter(isNumber);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}

function medianOf(numbers: Numbers): number | null {
  const known = numbers.filter(isNumber).toSorted((a, b) => a - b);
  const middle = Math.floor(known.length / 2);
  return meanOf(known.slice(known.length % 2 === 0 ? Math.max(0, middle - 1) : middle, middle + 1));
}
