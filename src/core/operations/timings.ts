import Histogram from "prom-client/lib/histogram.js";
import { METRICS, REQUEST_DURATION } from "./metric-definitions.ts";

const KINDS = ["capture", "api", "other"] as const;

/** The kind of a request, from its path alone, so that the set is fixed (decision 40). */
export type RequestKind = (typeof KINDS)[number];

/** The upper ends of the histogram's buckets, in seconds. */
export const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How long requests take until their answer begins. */
export type Timings = {
  /** A request begins; what it returns is called when its answer does, and tells the milliseconds. */
  begin(): (kind: RequestKind) => number;
  histogram: Histogram<"kind">;
};

/** Counts from now on. `elapsedMs` is a clock that is never set. */
export function timings(elapsedMs: () => number): Timings {
  const histogram = new Histogram({
    name: REQUEST_DURATION,
    help: METRICS[REQUEST_DURATION].help,
    labelNames: ["kind"],
    buckets: BUCKETS_S,
    registers: [],
  });
  for (const kind of KINDS) histogram.zero({ kind });
  return {
    begin() {
      const begun = elapsedMs();
      return (kind) => {
        const ms = elapsedMs() - begun;
        histogram.observe({ kind }, ms / 1000);
        return ms;
      };
    },
    histogram,
  };
}
