/**
 * One number. Labels are reasons, kinds, states, project ids and the version: a fixed set, never what was sent,
 * or a flood of names would be a flood of series (decision 40).
 */
export type MetricSample = {
  labels: {
    project_id?: number;
    reason?: string;
    version?: string;
    kind?: string;
    state?: string;
    /** The upper end of a histogram's bucket. */
    le?: string;
  };
  /** Which number of a histogram it is. */
  part?: "bucket" | "sum" | "count";
  value: number;
};

/** Something that is counted or measured, as Prometheus understands it. */
export type Metric = {
  /** Begins with `hoglet_`; a counter ends with `_total`. */
  name: string;
  /** A counter only grows, but begins anew with the process unless `help` says otherwise. */
  type: "counter" | "gauge" | "histogram";
  /** One sentence. */
  help: string;
  samples: MetricSample[];
};
