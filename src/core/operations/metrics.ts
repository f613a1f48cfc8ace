import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import type { Capture } from "../capture/capture.ts";
import type { Room } from "../ingest/disk-floor.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { DeletionCount } from "../ports/erasure.ts";
import type { Journal } from "../ports/journal.ts";
import type { Volumes } from "../ports/volume.ts";
import type { WarningCount } from "../ports/warnings.ts";
import type { Clock } from "../values/time.ts";
import { isAboutLogs, meaningOf, type Severity } from "../warnings/warning.ts";
import type { Warnings } from "../warnings/warnings.ts";
import type { Timings } from "./timings.ts";

/** What the server measures of itself. */
export type Metrics = {
  /** The metrics as they are now, of `contentType`; of projects only those that `sees` names. */
  read(sees?: (project: number) => boolean): Promise<string>;
  contentType: string;
};

/** What is measured. */
export type MetricNeeds = {
  capture: Pick<Capture, "counts">;
  ingest: Pick<Ingest, "applied" | "counts">;
  journal: Pick<Journal, "bytes" | "durable" | "waiting">;
  warnings: Pick<Warnings, "counts">;
  timings: Pick<Timings, "histogram">;
  room: Pick<Room, "figures">;
  sizes: Volumes["sizes"];
  /** Rows that were only in damaged files of the archive, and files that were written anew. */
  archive: { rowsLost: () => number; mended: () => number };
  /** Sequence numbers that the journal lost before it was read, as far as is known. */
  journalLost: () => number;
  tasks: { counts(): Promise<DeletionCount[]> };
  /** `held` is how many bytes of capture bodies are in memory. */
  meter: { held: number };
  /** Bytes of memory that the process holds. */
  memoryBytes: () => number;
  isReady: () => boolean;
  now: Clock;
  version: string;
};

const LABELS = ["project_id", "reason", "version", "kind", "state"] as const;

/**
 * One number. Labels are reasons, kinds, states, project ids and the version: a fixed set, never what was sent,
 * or a flood of names would be a flood of series (decision 40).
 */
type Sample = { labels: { [label in (typeof LABELS)[number]]?: string | number }; value: number };

/** Something that is counted or measured; a counter only grows, but begins anew with the process unless `help` says otherwise. */
type Metric = {
  kind: typeof Counter | typeof Gauge;
  name: string;
  /** One sentence. */
  help: string;
  samples: Sample[];
};

/** Metrics since this start; drops come from stored counters and survive it (decision 40). */
export function metrics(needs: MetricNeeds): Metrics {
  const startedAt = needs.now();
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    async read(sees = () => true) {
      const registry = new Registry();
      registry.registerMetric(needs.timings.histogram);
      const measured = [
        ...eventMetrics(needs, await needs.warnings.counts()),
        ...pipelineMetrics(needs),
        ...diskMetrics(needs),
        taskMetric(await needs.tasks.counts()),
        ...processMetrics(needs, startedAt),
      ];
      for (const { kind: Kind, name, help, samples } of measured) {
        const metric = new Kind({ name, help, labelNames: LABELS, registers: [registry] });
        for (const { labels, value } of samples) {
          if (labels.project_id === undefined || sees(Number(labels.project_id))) {
            metric.inc(labels, value);
          }
        }
      }
      return registry.metrics();
    },
  };
}

function eventMetrics({ capture, ingest }: MetricNeeds, warned: readonly WarningCount[]): Metric[] {
  const { accepted, refused } = capture.counts();
  const { stored, duplicates, dead } = ingest.counts();
  const perProject = [...accepted].map(([project_id, value]) => ({
    labels: { project_id },
    value,
  }));
  const [ofLogs = [], ofEvents = []] = [true, false].map((isWanted) => {
    return warned.filter(({ type }) => isAboutLogs(type) === isWanted);
  });
  const perCode = [...refused].map(([reason, value]) => ({ labels: { reason }, value }));
  return [
    counter("events_accepted", "Events that were acknowledged.", perProject),
    counter(
      "events_dropped",
      "Events that were not stored, by reason, since the data directory was made.",
      reasons(ofEvents, "error"),
    ),
    counter(
      "events_changed",
      "Events that were stored otherwise than sent, by reason, since the data directory was made.",
      reasons(ofEvents, "warning"),
    ),
    counter(
      "logs_dropped",
      "Log records that were not stored, by reason, since the data directory was made.",
      reasons(ofLogs, "error"),
    ),
    counter(
      "logs_changed",
      "Log records that were stored otherwise than sent, by reason, since the data directory was made.",
      reasons(ofLogs, "warning"),
    ),
    counter("capture_refused", "Capture requests that were refused, by error code.", perCode),
    counter("events_stored", "Events and log records that reached the event store.", one(stored)),
    counter("events_duplicate", "Events left out because their uuid was known.", one(duplicates)),
    counter("events_dead", "Events that went to the dead-letter file.", one(dead)),
  ];
}

function pipelineMetrics({ ingest, journal, meter }: MetricNeeds): Metric[] {
  const applied = ingest.applied();
  const durable = journal.durable();
  // The numbers go on above those of the stores when the journal has lost its end.
  const lag = Math.max(0, durable - applied);
  return [
    gauge("journal_bytes", "Bytes of the journal.", journal.bytes()),
    gauge("journal_waiting_bytes", "Bytes that wait for the journal's disk.", journal.waiting()),
    gauge("journal_durable_seq", "The last sequence number that is durable.", durable),
    gauge("ingest_applied_seq", "The last sequence number that is in both stores.", applied),
    gauge("ingest_lag", "Sequence numbers that are durable and not in both stores yet.", lag),
    gauge("capture_body_bytes", "Bytes of capture bodies that are in memory.", meter.held),
  ];
}

function diskMetrics({ sizes, room, archive, journalLost }: MetricNeeds): Metric[] {
  const { events, loads, sqlite, journalPartsAside } = sizes();
  const bytes = Object.entries({ events, loads, sqlite }).map(([kind, value]) => ({
    labels: { kind },
    value,
  }));
  const figures = room.figures();
  const of = (value: number | undefined) => (value === undefined ? [] : one(value));
  return [
    { ...gauge("store_bytes", "Bytes of the stores' files.", 0), samples: bytes },
    gauge(
      "journal_parts_aside",
      "Parts of the journal that were damaged and are kept in journal/corrupt.",
      journalPartsAside,
    ),
    counter(
      "journal_events_lost",
      "Events and log records that neither the journal nor any store had at the start, as far as their numbers tell.",
      one(journalLost()),
    ),
    gauge(
      "archive_rows_lost",
      "Rows that were lost with damaged files of the archive, when the event store was made anew.",
      archive.rowsLost(),
    ),
    counter(
      "archive_files_mended",
      "Damaged files of the archive that were written anew from the event store.",
      one(archive.mended()),
    ),
    { ...gauge("disk_free_bytes", "Bytes that are free.", 0), samples: of(figures?.free) },
    {
      ...gauge("disk_floor_bytes", "Free bytes below which events are refused.", 0),
      samples: of(figures?.floor),
    },
  ];
}

function taskMetric(counts: readonly DeletionCount[]): Metric {
  const samples = counts.map(({ project_id, state, count }) => ({
    labels: { project_id, state },
    value: count,
  }));
  return { ...gauge("deletion_tasks", "Deletions of events, by state.", 0), samples };
}

function processMetrics(
  { memoryBytes, isReady, now, version }: MetricNeeds,
  startedAt: number,
): Metric[] {
  const build = [{ labels: { version }, value: 1 }];
  return [
    gauge("memory_resident_bytes", "Bytes of memory that the process holds.", memoryBytes()),
    gauge("ready", "1 while the server can serve, else 0.", isReady() ? 1 : 0),
    gauge("uptime_seconds", "Seconds since the start.", (now() - startedAt) / 1000),
    { ...gauge("build_info", "The version that is running.", 1), samples: build },
  ];
}

function reasons(warned: readonly WarningCount[], severity: Severity): Sample[] {
  return warned
    .filter(({ type }) => meaningOf(type).severity === severity)
    .map(({ project_id, type, count }) => ({
      labels: { project_id, reason: type },
      value: count,
    }));
}

function counter(name: string, help: string, samples: Sample[]): Metric {
  return { name: `hoglet_${name}_total`, kind: Counter, help, samples };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name: `hoglet_${name}`, kind: Gauge, help, samples: one(value) };
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}
