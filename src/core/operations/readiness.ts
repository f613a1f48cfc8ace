import type { DiskGuard } from "../ingest/backpressure.ts";
import type { Ingest } from "../ingest/ingest.ts";

/** Time in which no waiting event is stored, in milliseconds; after it the server is not ready. */
export const STALL_MS_MAX = 60_000;

type Needs = {
  ingest: Pick<Ingest, "applied" | "isStalled" | "lag">;
  /** Whether the stores lack what a crash left in the journal. */
  isCatchingUp: () => boolean;
  /** Whether the event store is being made again. */
  isRestoring: () => boolean;
  diskGuard: Pick<DiskGuard, "isLow">;
  /** Whether events were refused lately. */
  refusing: () => boolean;
  isDraining: () => boolean;
  /** Milliseconds of a clock that is never set. */
  elapsedMs: () => number;
};

/** Why a server is not ready, in sentences by their codes. */
export const REASONS = {
  shutting_down: "It is shutting down.",
  rebuilding: "The event store is being rebuilt.",
  replaying_journal: "The stores lack events that the journal has.",
  disk_full: "The disk is almost full.",
  journal_refused: "The disk refuses events.",
  ingest_stalled: "Events wait in the journal and do not get into the stores.",
} as const;

/** The code of a reason. */
export type Reason = keyof typeof REASONS;

/** Why the server cannot do its work right now (decision 68); nothing if it can. */
export function readiness(needs: Needs): () => Reason[] {
  const { ingest, isCatchingUp, isRestoring, diskGuard, refusing, isDraining, elapsedMs } = needs;
  let applied = -1;
  let movedAt = elapsedMs();

  /** Called now and then: progress since the last call counts as progress until now. */
  const isStalled = () => {
    if (ingest.lag() <= 0 || ingest.applied() !== applied) movedAt = elapsedMs();
    applied = ingest.applied();
    return elapsedMs() - movedAt > STALL_MS_MAX;
  };

  /** Whether the replay after a crash is stuck, so that readiness can say why. */
  const isHeld = () => isCatchingUp() && ingest.isStalled();

  const holds: Record<Reason, () => boolean> = {
    shutting_down: isDraining,
    rebuilding: () => isCatchingUp() && isRestoring(),
    replaying_journal: () => isCatchingUp() && !isRestoring(),
    disk_full: diskGuard.isLow,
    journal_refused: refusing,
    ingest_stalled: () => isStalled() || isHeld(),
  };
  return () => (Object.keys(holds) as Reason[]).filter((reason) => holds[reason]());
}
