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
  /** The error with which the disk refuses the journal now. */
  refusal: () => string | undefined;
  isDraining: () => boolean;
  /** Milliseconds of a clock that is never set. */
  elapsedMs: () => number;
};

/** Why the server cannot do its work right now (decision 68); nothing if it can. */
export function readiness(needs: Needs): () => string[] {
  const { ingest, isCatchingUp, isRestoring, diskGuard, refusing, refusal, isDraining, elapsedMs } =
    needs;
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

  return () => [
    ...(isDraining() ? ["shutting down"] : []),
    ...(isCatchingUp() ? [isRestoring() ? "rebuilding" : "replaying the journal"] : []),
    ...(diskGuard.isLow() ? ["the disk is almost full"] : []),
    ...(refusing() ? [`events cannot be stored${because(refusal())}`] : []),
    ...(isStalled() || isHeld() ? ["events do not get into the stores"] : []),
  ];
}

const because = (refusal: string | undefined) =>
  refusal === undefined ? "" : `: the disk refuses the journal with ${refusal}`;
