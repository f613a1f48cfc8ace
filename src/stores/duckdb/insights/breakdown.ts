import type { Breakdown } from "../../../core/queries/query-fields.ts";
import type { BreakdownKind, FoundValue } from "../../../core/queries/result.ts";
import type { Row } from "./target.ts";

/** Returns the table of the values with most, named `top`; `by` is an aggregate of the rows of a table. */
export function topValues(top: string, rows: string, by: string, { limit }: Breakdown): string {
  return `${top} AS (
  SELECT breakdown, true AS is_top FROM ${rows} GROUP BY breakdown
  ORDER BY ${by} DESC NULLS LAST, breakdown NULLS LAST
  LIMIT ${limit}
)`;
}

/** Returns the rows of a table, each joined with its value in the table `top`. */
export function joinedWith(top: string, rows: string): string {
  return `FROM ${rows} LEFT JOIN ${top} ON ${rows}.breakdown IS NOT DISTINCT FROM ${top}.breakdown`;
}

/** The columns that group rows by their value in the table `top`. */
export const topColumns = (top: string): string[] => [`${top}.breakdown`, `${top}.is_top`];

/** Returns the value and whether it stands for all that are not in `top`; `columns` are {@link topColumns}. */
export const valueColumns = ([breakdown, isTop]: readonly string[]): string =>
  `${breakdown}, ${isTop} IS NULL AS is_other`;

/** Returns the value that a row of a statement belongs to. */
export function breakdownOf({ breakdown = null, is_other }: Row): {
  kind: BreakdownKind;
  breakdown: FoundValue;
} {
  if (is_other === undefined) return { kind: "value", breakdown: null };
  if (is_other === true) return { kind: "other", breakdown: null };
  return breakdown === null
    ? { kind: "none", breakdown }
    : { kind: "value", breakdown: breakdown as FoundValue };
}
