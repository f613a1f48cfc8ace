/** A value of a breakdown in an answer. */
export type BreakdownValue = string | string[] | null;

/** A value of a breakdown as stored: a list for several properties, with null for a missing value. */
export type FoundValue = string | (string | null)[] | null;

/** One line of an answer: a number for each column, and labels. */
export type InsightResult = {
  label: string;
  /**
   * The value of the breakdown; null without one. {@link BREAKDOWN_WORDS} stand for events without a
   * value, and for all values beyond the limit. A breakdown by several properties has a list.
   */
  breakdown_value: BreakdownValue;
  /** Null where no event has a number, or where the time has not come yet. */
  data: (number | null)[];
  /** The number of all columns together; its meaning depends on the kind of the query. */
  aggregated_value: number | null;
  /** Of trends and stickiness: the event's name, null for all events. */
  event?: string | null;
  math?: string;
  math_property?: string | null;
  /** Of trends with a comparison. */
  compare_label?: "current" | "previous";
  /** Of funnels: seconds from the step before; null for the first, and for steps that no person reached. */
  average_conversion_times?: (number | null)[];
  median_conversion_times?: (number | null)[];
  /** Of paths: places, prefixed by the number of their step, and milliseconds between them. */
  source?: string;
  target?: string;
  average_conversion_time?: number;
};

/** An answer. */
export type InsightResults = { columns: string[]; results: InsightResult[] };

/** Kinds of lines of a breakdown: one value, events without a value, all other values. */
export type BreakdownKind = "value" | "none" | "other";

/** Texts that PostHog's clients know for lines without a value, and for all other values. */
export const BREAKDOWN_WORDS = {
  none: "$$_posthog_breakdown_null_$$",
  other: "$$_posthog_breakdown_other_$$",
};

/** Returns the value of a line in an answer. */
export function breakdownValue(kind: BreakdownKind, value: FoundValue): BreakdownValue {
  if (kind !== "value") return BREAKDOWN_WORDS[kind];
  return Array.isArray(value) ? value.map((one) => one ?? BREAKDOWN_WORDS.none) : value;
}

/** Joins the texts of a value, for display and comparison. */
export function spokenValue(value: BreakdownValue): string {
  return Array.isArray(value) ? value.join("::") : (value ?? "");
}

/** A result, and the kind of its line. */
export type Ranked<Result = InsightResult> = { kind: BreakdownKind; result: Result };

/** The fields that decide the rank of a line. */
type Rankable = Pick<InsightResult, "breakdown_value" | "aggregated_value">;

/** Sorts lines: the greatest first, then by text; the line of all other values is last. */
export function byRank<Result extends Rankable>(
  lines: readonly Ranked<Result>[],
  by = (one: Result) => one.aggregated_value,
): Result[] {
  const compared = (one: Ranked<Result>, other: Ranked<Result>): number => {
    const [a, b] = [one.result, other.result];
    const last = Number(one.kind === "other") - Number(other.kind === "other");
    if (last !== 0) return last;
    const [x, y] = [by(a), by(b)];
    if (x !== y) return (y ?? Number.NEGATIVE_INFINITY) > (x ?? Number.NEGATIVE_INFINITY) ? 1 : -1;
    const none = Number(one.kind === "none") - Number(other.kind === "none");
    return (
      none ||
      Buffer.compare(
        Buffer.from(spokenValue(a.breakdown_value)),
        Buffer.from(spokenValue(b.breakdown_value)),
      )
    );
  };
  return lines.toSorted(compared).map(({ result }) => result);
}
