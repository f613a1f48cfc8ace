import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import type { Capture } from "../capture/capture.ts";
import type { DiskGuard } from "../ingest/backpressure.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { DeletionCount } from "../ports/erasure.ts";
import type { Journal } from "../ports/journal.ts";
import type { Volumes } from "../ports/volume.ts";
import type { WarningCount, WarningReads } from "../ports/warnings.ts";
import type { Clock } from "../values/time.ts";
import { isAboutLogs, meaningOf } from "../warnings/meanings.ts";
import type { Severity } from "../warnings/warning.ts";
import {
  METRICS,
  type MetricDefinition,
  type MetricLabel,
  type MetricName,
} from "./metric-definitions.ts";
import type { Timings } from "./timings.ts";

/** The metrics of this server, for Prometheus. */
export type Metrics = {
  /** The metrics as they are now, of `contentType`. Samples of a project appear if `sees` is true for it. */
  read(sees?: (project: number) => boolean): Promise<string>;
  contentType: string;
};

/** The sources of the metrics. */
export type MetricNeeds = {
  capture: Pick<Capture, "counts">;
  ingest: Pick<Ingest, "applied" | "counts">;
  journal: Pick<Journal, "bytes" | "durableSeq" | "refusal" | "waiting">;
  warnings: Pick<WarningReads, "counts">;
  timings: Pick<Timings, "histogram">;
  diskGuard: Pick<DiskGuard, "figures">;
  sizes: Volumes["sizes"];
  /** Rows that were lost with damaged files of the archive, and files that were written again. */
  archive: { rowsLost: () => number; repaired: () => number };
  /** Sequence numbers that neither the journal nor a store had at the start. */
  journalLost: () => number;
  tasks: { counts(): Promise<DeletionCount[]> };
  /** `held` is how many bytes of capture bodies are in memory. */
  meter: { held: number };
  /** Bytes of memory that the process holds. */
  memoryBytes: () => number;
  /** Descriptors that are open and that may be, and connections that were ended to free some. */
  descriptors?: (() => { open: number; max: number; ended: number } | undefined) | undefined;
  isReady: () => boolean;
  now: Clock;
  version: string;
};

/** One number. */
type Sample = { labels: { [label in MetricLabel]?: string | number }; value: number };

const KINDS = { counter: Counter, gauge: Gauge };

/** Metrics as they are now. The counts of dropped and changed events are stored, and survive a restart (decision 40). */
export function metrics(needs: MetricNeeds): Metrics {
  const startedAt = needs.now();
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    async read(sees = () => true) {
      const registry = new Registry();
      registry.registerMetric(needs.timings.histogram);
      const measured: Record<MetricName, Sample[]> = {
        ...eventSamples(needs, await needs.warnings.counts()),
        ...pipelineSamples(needs),
        ...diskSamples(needs),
        hoglet_deletion_tasks: taskSamples(await needs.tasks.counts()),
        ...processSamples(needs, startedAt),
      };
      for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
        const { type, labels: labelNames, help } = definition;
        if (type === "histogram") continue;
        const metric = new KINDS[type]({ name, help, labelNames, registers: [registry] });
        for (const { labels, value } of measured[name as MetricName]) {
          if (labels.project_id === undefined || sees(Number(labels.project_id))) {
            metric.inc(labels, value);
          }
        }
      }
      return registry.metrics();
    },
  };
}

function eventSamples({ capture, ingest }: MetricNeeds, warned: readonly WarningCount[]) {
  const { accepted, refused } = capture.counts();
  const { stored, duplicates, dead } = ingest.counts();
  const ofLogs = warned.filter(({ type }) => isAboutLogs(type));
  const ofEvents = warned.filter(({ type }) => !isAboutLogs(type));
  return {
    hoglet_events_accepted_total: [...accepted].map(([project_id, value]) => ({
      labels: { project_id },
      value,
    })),
    hoglet_events_dropped_total: reasons(ofEvents, "error"),
    hoglet_events_changed_total: reasons(ofEvents, "warning"),
    hoglet_logs_dropped_total: reasons(ofLogs, "error"),
    hoglet_logs_changed_total: reasons(ofLogs, "warning"),
    hoglet_capture_rejected_requests_total: [...refused].map(([reason, value]) => ({
      labels: { reason },
      value,
    })),
    hoglet_events_stored_total: one(stored),
    hoglet_events_deduplicated_total: one(duplicates),
    hoglet_events_dead_lettered_total: one(dead),
  };
}

function pipelineSamples({ ingest, journal, meter }: MetricNeeds) {
  const applied = ingest.applied();
  const durable = journal.durableSeq();
  return {
    hoglet_journal_bytes: one(journal.bytes()),
    hoglet_journal_queue_bytes: one(journal.waiting()),
    hoglet_journal_refused: one(journal.refusal() === undefined ? 0 : 1),
    hoglet_journal_durable_seq: one(durable),
    hoglet_ingest_applied_seq: one(applied),
    // The stores are ahead of a journal that has lost its end.
    hoglet_ingest_lag_events: one(Math.max(0, durable - applied)),
    hoglet_capture_inflight_bytes: one(meter.held),
  };
}

function diskSamples({ sizes, diskGuard, archive, journalLost }: MetricNeeds) {
  const { events, loads, sqlite, journalQuarantinedParts } = sizes();
  const figures = diskGuard.figures();
  return {
    hoglet_store_bytes: Object.entries({ events, loads, sqlite }).map(([kind, value]) => ({
      labels: { kind },
      value,
    })),
    hoglet_journal_quarantined_files: one(journalQuarantinedParts),
    hoglet_journal_events_lost_total: one(journalLost()),
    hoglet_archive_rows_lost: one(archive.rowsLost()),
    hoglet_archive_repaired_files_total: one(archive.repaired()),
    hoglet_disk_free_bytes: optional(figures?.free),
    hoglet_disk_free_min_bytes: optional(figures?.floor),
  };
}

function taskSamples(counts: readonly DeletionCount[]): Sample[] {
  return counts.map(({ project_id, state, count }) => ({
    labels: { project_id, state },
    value: count,
  }));
}

function processSamples(needs: MetricNeeds, startedAt: number) {
  const { memoryBytes, isReady, version } = needs;
  const descriptors = needs.descriptors?.();
  return {
    process_resident_memory_bytes: one(memoryBytes()),
    process_open_fds: optional(descriptors?.open),
    process_max_fds: optional(descriptors?.max),
    hoglet_connections_ended_total: optional(descriptors?.ended),
    process_start_time_seconds: one(startedAt / 1000),
    hoglet_ready: one(isReady() ? 1 : 0),
    hoglet_build_info: [{ labels: { version }, value: 1 }],
  };
}

function reasons(warned: readonly WarningCount[], severity: Severity): Sample[] {
  return warned
    .filter(({ type }) => meaningOf(type).severity === severity)
    .map(({ project_id, type, count }) => ({
      labels: { project_id, reason: type },
      value: count,
    }));
}

const optional = (value: number | undefined) => (value === undefined ? [] : one(value));

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}
