import type { BreakdownKind, FoundValue } from "../../ports/insights.ts";
import type { Breakdown } from "../../queries/breakdown.ts";
import { naturalKey } from "../../queries/time-value.ts";

/** A value of a breakdown in an answer. */
export type BreakdownValue = string | string[] | null;

/** Texts that PostHog's clients know for lines without a value, and for all other values. */
export const BREAKDOWN_WORDS = {
  none: "$$_posthog_breakdown_null_$$",
  other: "$$_posthog_breakdown_other_$$",
};

/** Returns a value as answers have it. */
export function breakdownValue(kind: BreakdownKind, value: FoundValue): BreakdownValue {
  if (kind !== "value") return BREAKDOWN_WORDS[kind];
  return Array.isArray(value) ? value.map((one) => one ?? BREAKDOWN_WORDS.none) : value;
}

/** The fields of a line that its place depends on. */
type Rankable = { breakdown_value: BreakdownValue; aggregated_value: number | null };

/** A result, and the kind of its line. */
export type Ranked<Result extends Rankable> = { kind: BreakdownKind; result: Result };

/** How lines are ordered; of a formula, those without a value are not ranked. */
type Order = Pick<Breakdown, "order" | "hidesOther"> & { isOfFormula?: boolean };

/**
 * Sorts lines as the store chooses the first ones: by their number, then by text; the line of all other values is last,
 * unless it is hidden.
 */
export function byRank<Result extends Rankable>(
  lines: readonly Ranked<Result>[],
  { order = "desc", hidesOther = false, isOfFormula = false }: Order = {},
  by = ({ aggregated_value }: Result) => aggregated_value,
): Result[] {
  const sign = order === "asc" ? 1 : -1;
  // A missing number comes last in any order.
  const numberOf = ({ result }: Ranked<Result>) => {
    const number = by(result);
    return number === null ? Number.POSITIVE_INFINITY : number * sign;
  };
  const textOf = ({ result }: Ranked<Result>) => {
    const text = [result.breakdown_value ?? ""].flat().join("::");
    return Buffer.from(order === "natural" ? naturalKey(text) : text);
  };
  const compared = (a: Ranked<Result>, b: Ranked<Result>): number => {
    const isOf = (kind: BreakdownKind) => Number(a.kind === kind) - Number(b.kind === kind);
    if (isOf("other") !== 0) return isOf("other");
    if ((order !== "desc" || isOfFormula) && isOf("none") !== 0) return isOf("none");
    const [x, y] = order === "natural" ? [0, 0] : [numberOf(a), numberOf(b)];
    if (x !== y) return x < y ? -1 : 1;
    return isOf("none") || Buffer.compare(textOf(a), textOf(b));
  };
  const shown = lines.filter(({ kind }) => !hidesOther || kind !== "other");
  return shown.toSorted(compared).map(({ result }) => result);
}
