import { fullGC } from "bun:jsc";
import { resolve } from "node:path";
import type { Capture, capture } from "../core/capture/capture.ts";
import type { DiskGuard } from "../core/ingest/backpressure.ts";
import type { Ingest } from "../core/ingest/ingest.ts";
import type { logs } from "../core/logs/logs.ts";
import type { Arrivals } from "../core/operations/arrivals.ts";
import { type MetricNeeds, metrics } from "../core/operations/metrics.ts";
import { type Reason, readiness } from "../core/operations/readiness.ts";
import { status } from "../core/operations/status.ts";
import { timings } from "../core/operations/timings.ts";
import type { EventReads } from "../core/ports/events.ts";
import type { WarningReads } from "../core/ports/warnings.ts";
import type { Meter } from "../http/request/body.ts";
import { storeSizes } from "../stores/files/volume.ts";
import type { openEvents } from "./open-events.ts";
import { gcAfterBytes } from "./process/garbage-collection.ts";
import { elapsedMs, residentBytes } from "./process/sources.ts";
import { VERSION } from "./process/version.ts";
import type { Settings } from "./settings/settings.ts";
import type { Base } from "./stores.ts";

/** Version and resident memory of this process. */
export const SELF = { version: VERSION, memoryBytes: residentBytes };

type Events = Awaited<ReturnType<typeof openEvents>>;

/** The opened parts of the server from which services are made. */
export type ServiceNeeds = {
  settings: Settings;
  base: Base;
  events: Events;
  diskGuard: DiskGuard;
  descriptors: MetricNeeds["descriptors"];
  /** The needs of the services that accept events and log records. */
  accepting: Accepting;
};

type Accepting = Omit<Parameters<typeof capture>[0], "projects" | "arrived"> &
  Parameters<typeof logs>[0] & {
    ingest: Ingest;
  };

/** Metrics, timings and readiness. `state` may be set to draining. */
export function reports(
  { base, events: opened, diskGuard, descriptors, accepting }: ServiceNeeds,
  services: { capture: Capture; warnings: WarningReads },
  isCatchingUp: () => boolean,
) {
  const { now, ingest } = accepting;
  const { restoring, journal } = opened;
  const state = { draining: false };
  const meter: Meter = { held: 0, givenUp: gcAfterBytes(fullGC) };
  const parts = { ingest, journal, meter, diskGuard, now };
  const reasons = readiness({
    ...parts,
    isCatchingUp,
    isRestoring: restoring.active,
    refusing: services.capture.isRejecting,
    isDraining: () => state.draining,
    elapsedMs,
  });
  const requestTimings = timings(elapsedMs);
  return {
    state,
    meter,
    timings: requestTimings,
    readiness: () => ({ ready: reasons().length === 0, reasons: reasons() }),
    metrics: metrics({
      ...services,
      ...SELF,
      ...parts,
      descriptors,
      archive: opened.archiveCounts,
      journalLost: opened.gaps.count,
      timings: requestTimings,
      tasks: base.reads.deletions,
      sizes: () => storeSizes(base.directory),
      isReady: () => reasons().length === 0,
    }),
  };
}

/** The status of a project, for pages that wait for events. */
export function statusOf(
  { settings, base, events: opened, diskGuard, accepting }: ServiceNeeds,
  services: { arrivals: Arrivals; events: EventReads; isCatchingUp: () => boolean },
  ready: () => { ready: boolean; reasons: Reason[] },
) {
  const { now, ingest, log } = accepting;
  return status({
    ...{ ...services, ...SELF, ingest, journal: opened.journal, diskGuard, now, log },
    directory: resolve(base.directory),
    projects: base.projects,
    journalLost: opened.gaps.count,
    warnings: base.reads.warnings,
    deletions: base.reads.deletions,
    sizes: () => storeSizes(base.directory),
    readiness: ready,
    patterns: deletionPatterns(settings),
  });
}

/** When each kind of deletion runs. */
export const deletionPatterns = ({ deletions_weekly, deletions_nightly }: Settings) => ({
  weekly: deletions_weekly,
  nightly: deletions_nightly,
});
