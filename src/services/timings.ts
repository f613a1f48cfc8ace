import type { Metric, MetricSample } from "../domain/metric.ts";

const KINDS = ["capture", "api", "other"] as const;

/** What kind of request it was, told by its path alone: a fixed set (decision 40). */
export type RequestKind = (typeof KINDS)[number];

/** The upper ends of the histogram's buckets, in seconds. */
export const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How long requests take until their answer begins. */
export type Timings = {
  /** A request begins; what it returns is called when its answer does, and tells the milliseconds. */
  begin(): (kind: RequestKind) => number;
  metric(): Metric;
};

/** Counts from now on. `elapsedMs` is a clock that is never set. */
export function timings(elapsedMs: () => number): Timings {
  const empty = (): Counted => ({ sum: 0, buckets: Array(BUCKETS_S.length + 1).fill(0) });
  const counted: Record<RequestKind, Counted> = { capture: empty(), api: empty(), other: empty() };
  return {
    begin() {
      const begun = elapsedMs();
      return (kind) => {
        const ms = elapsedMs() - begun;
        const seconds = ms / 1000;
        const at = BUCKETS_S.findIndex((end) => seconds <= end);
        const bucket = at === -1 ? BUCKETS_S.length : at;
        const { buckets } = counted[kind];
        counted[kind].sum += seconds;
        buckets[bucket] = (buckets[bucket] ?? 0) + 1;
        return ms;
      };
    },
    metric: () => ({
      name: "hoglet_request_seconds",
      type: "histogram",
      help: "Seconds until a request's answer began, by the kind of its path.",
      samples: KINDS.flatMap((kind) => samplesOf(kind, counted[kind])),
    }),
  };
}

type Counted = { sum: number; buckets: number[] };

function samplesOf(kind: RequestKind, { sum, buckets }: Counted): MetricSample[] {
  let count = 0;
  const cumulative = buckets.map((more, at): MetricSample => {
    count += more;
    const le = String(BUCKETS_S[at] ?? "+Inf");
    return { part: "bucket", labels: { kind, le }, value: count };
  });
  return [
    ...cumulative,
    { part: "sum", labels: { kind }, value: sum },
    { part: "count", labels: { kind }, value: count },
  ];
}
