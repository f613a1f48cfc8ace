/** The labels of all metrics. Their values are a fixed set, never text that was sent (decision 40). */
export type MetricLabel = "kind" | "project_id" | "reason" | "state" | "version";

/** One metric, as `/metrics` explains it. */
export type MetricDefinition = {
  /** A counter only grows, and begins at 0 with the process unless `help` says otherwise. */
  type: "counter" | "gauge" | "histogram";
  labels: readonly MetricLabel[];
  /** One sentence. */
  help: string;
};

const counter = (help: string, ...labels: MetricLabel[]) =>
  ({ type: "counter", labels, help }) as const;

const gauge = (help: string, ...labels: MetricLabel[]) =>
  ({ type: "gauge", labels, help }) as const;

/** The metric that `timings` measures; all others are read when they are asked for. */
export const REQUEST_DURATION = "hoglet_http_request_duration_seconds";

/** Every metric by its name, in the order of `/metrics`. */
export const METRICS = {
  [REQUEST_DURATION]: {
    type: "histogram",
    labels: ["kind"],
    help: "Seconds until the answer to a request began: kind capture, api or other.",
  },
  hoglet_events_accepted_total: counter("Events that were acknowledged.", "project_id"),
  hoglet_events_dropped_total: counter(
    "Events that were not stored, by the type of the warning, since the data directory was made.",
    "project_id",
    "reason",
  ),
  hoglet_events_changed_total: counter(
    "Events that were stored otherwise than sent, by the type of the warning, since the data directory was made.",
    "project_id",
    "reason",
  ),
  hoglet_logs_dropped_total: counter(
    "Log records that were not stored, by the type of the warning, since the data directory was made.",
    "project_id",
    "reason",
  ),
  hoglet_logs_changed_total: counter(
    "Log records that were stored otherwise than sent, by the type of the warning, since the data directory was made.",
    "project_id",
    "reason",
  ),
  hoglet_capture_rejected_requests_total: counter(
    "Capture requests that were rejected, by the code of the error.",
    "reason",
  ),
  hoglet_events_stored_total: counter("Events and log records that reached the event store."),
  hoglet_events_deduplicated_total: counter(
    "Events that were not stored again, because their uuid was stored before.",
  ),
  hoglet_events_dead_lettered_total: counter("Events that went to the dead-letter file."),
  hoglet_journal_bytes: gauge("Bytes of the journal's files."),
  hoglet_journal_queue_bytes: gauge("Bytes in memory that wait to be written to the journal."),
  hoglet_journal_refused: gauge(
    "1 while the disk refuses the journal, so that events get 503, else 0.",
  ),
  hoglet_journal_durable_seq: gauge("The last sequence number that is durable in the journal."),
  hoglet_ingest_applied_seq: gauge("The last sequence number that both stores have."),
  hoglet_ingest_lag_events: gauge(
    "Sequence numbers that the journal has and the stores do not have yet.",
  ),
  hoglet_capture_inflight_bytes: gauge("Bytes of capture bodies that are in memory."),
  hoglet_store_bytes: gauge(
    "Bytes of the stores' files: kind events (DuckDB), loads (files on their way to DuckDB) or sqlite.",
    "kind",
  ),
  hoglet_journal_quarantined_files: gauge(
    "Damaged parts of the journal that are kept in journal/corrupt.",
  ),
  hoglet_journal_events_lost_total: counter(
    "Sequence numbers that neither the journal nor a store had at this or an earlier start.",
  ),
  hoglet_archive_rows_lost: gauge(
    "Rows that were lost with damaged files of the archive when the event store was rebuilt.",
  ),
  hoglet_archive_repaired_files_total: counter(
    "Damaged files of the archive that were written again from the event store.",
  ),
  hoglet_disk_free_bytes: gauge("Free bytes of the volume of the data directory."),
  hoglet_disk_free_min_bytes: gauge("Free bytes below which events are rejected."),
  hoglet_deletion_tasks: gauge("Deletions of events, by state.", "project_id", "state"),
  process_resident_memory_bytes: gauge("Bytes of memory that the process holds."),
  process_open_fds: gauge("Files and connections that the process has open; only on Linux."),
  process_max_fds: gauge("Files and connections that the process may have open; only on Linux."),
  hoglet_connections_ended_total: counter(
    "Connections that were ended because too few descriptors were free; only on Linux.",
  ),
  process_start_time_seconds: gauge("Time of the start, in seconds since 1970."),
  hoglet_ready: gauge("1 while the server can serve, else 0."),
  hoglet_build_info: gauge("1, with the version that is running.", "version"),
} satisfies Record<string, MetricDefinition>;

/** The name of a metric that is read when it is asked for. */
export type MetricName = Exclude<keyof typeof METRICS, typeof REQUEST_DURATION>;
