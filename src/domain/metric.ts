/**
 * One number. Labels are reasons, project ids and the version: a fixed set, never what was sent,
 * or a flood of names would be a flood of series (decision 40).
 */
export type MetricSample = {
  labels: { project_id?: number; reason?: string; version?: string };
  value: number;
};

/** Something that is counted or measured, as Prometheus understands it. */
export type Metric = {
  /** Begins with `hoglet_`; a counter ends with `_total`. */
  name: string;
  /** A counter only grows, but begins anew with the process unless `help` says otherwise. */
  type: "counter" | "gauge";
  /** One sentence. */
  help: string;
  samples: MetricSample[];
};
