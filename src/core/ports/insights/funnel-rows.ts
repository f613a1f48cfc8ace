import type { BreakdownKind, FoundValue } from "../insights.ts";

/** Of the persons whose attempt began in an interval, how many came to the steps `from` and `to` of the funnel. */
export type FunnelTrendRow = {
  kind: BreakdownKind;
  breakdown: FoundValue;
  /** One of the period's `buckets`; null for the whole period. */
  bucket: string | null;
  from: number;
  to: number;
};

/** How many persons took as long as a bin has. Without persons there is no row. */
export type FunnelTimeRow = {
  kind: BreakdownKind;
  breakdown: FoundValue;
  /** From 0 on; null for all persons of the value. */
  bin: number | null;
  persons: number;
  average_s: number;
  median_s: number;
  /** Where the first bin of all values begins, how long a bin is, and how many are asked for. */
  first_s: number;
  width_s: number;
  bins: number;
};
