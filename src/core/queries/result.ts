/** A value of a breakdown as it is told. */
export type BreakdownValue = string | string[] | null;

/** A value of a breakdown as it is found: of several properties a list, with null for none. */
export type FoundValue = string | (string | null)[] | null;

/** One line of an answer: a number for each of its columns, and what of. */
export type InsightResult = {
  label: string;
  /**
   * The value of the breakdown; null without one. Two are PostHog's words for events that have no
   * value, and for all values that are not told apart. Of several properties, one of each.
   */
  breakdown_value: BreakdownValue;
  /** Null where there is nothing to calculate with, or where the time has not come yet. */
  data: (number | null)[];
  /** The same of the whole; what that is depends on the kind of the query. */
  aggregated_value: number | null;
  /** Of trends and stickiness: the event's name, null for all events. */
  event?: string | null;
  math?: string;
  math_property?: string | null;
  /** Of trends that are compared. */
  compare_label?: "current" | "previous";
  /** Of funnels: seconds from the step before; null for the first, and where nobody came so far. */
  average_conversion_times?: (number | null)[];
  median_conversion_times?: (number | null)[];
  /** Of paths: places with the number of their step in front, and milliseconds between them. */
  source?: string;
  target?: string;
  average_conversion_time?: number;
};

/** What an answer consists of. */
export type InsightResults = { columns: string[]; results: InsightResult[] };

/** The values of a breakdown: one of them, those that have none, all that are not told apart. */
export type BreakdownKind = "value" | "none" | "other";

/** What PostHog's clients know values of a breakdown by that are no values. */
export const BREAKDOWN_WORDS = {
  none: "$$_posthog_breakdown_null_$$",
  other: "$$_posthog_breakdown_other_$$",
};

/** What a line is called by that is of a value of a breakdown, or of what is none. */
export function breakdownValue(kind: BreakdownKind, value: FoundValue): BreakdownValue {
  if (kind !== "value") return BREAKDOWN_WORDS[kind];
  return Array.isArray(value) ? value.map((one) => one ?? BREAKDOWN_WORDS.none) : value;
}

/** The texts of a value one behind the other, for people and to compare. */
export function spokenValue(value: BreakdownValue): string {
  return Array.isArray(value) ? value.join("::") : (value ?? "");
}

/** A line, or some, and whether they are of one value of a breakdown. */
export type Ranked<Result = InsightResult> = { kind: BreakdownKind; result: Result };

/** What lines are ranked by. */
type Rankable = Pick<InsightResult, "breakdown_value" | "aggregated_value">;

/** Lines in order: the greatest first, texts decide between equals, and what is not told apart is last. */
export function inRank<Result extends Rankable>(
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
