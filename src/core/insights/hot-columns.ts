import type { Ingest } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import { stopSignal } from "../ingest/retry.ts";
import type { MaterializedColumns } from "../ports/hot-columns.ts";
import type { Log } from "../ports/log.ts";
import { type Clock, isoTime } from "../values/time.ts";

/** The pause between checks which properties were used, in milliseconds. */
const LOOK_MS = 60_000;

/** Between two steps of filling nothing is filled for so many times as long as the step took. */
const REST = 4;

/** Nor for so many milliseconds. */
const PAUSE_MS_MIN = 20;

/** Events that wait to be stored while nothing is filled. */
const LAG_BUSY = 20_000;

/** Properties whose use is remembered until the next look. */
const USES_MAX = 1000;

/** Characters of a property that may get a column. */
const KEY_CHARS_MAX = 200;

type Needs = {
  materializedColumns: MaterializedColumns;
  ingest: Pick<Ingest, "lag">;
  restoring: Pick<Restoring, "active">;
  now: Clock;
  log: Log;
  /** The pause between checks which properties were used, in milliseconds; LOOK_MS by default. */
  lookMs?: number | undefined;
};

/** Gives columns to frequent properties: the JSON of three million events takes 3.6 s to read (decision 87). */
export type Promoting = {
  /** Notes that a query looked at these properties, and how long it took in milliseconds. */
  used(properties: ReadonlySet<string>, ms: number): void;
  /** Ends the loop. */
  stop(): Promise<void>;
};

/** Starts to look which properties are used. */
export function startColumnMaterializer(needs: Needs): Promoting {
  const { materializedColumns, ingest, restoring, now, log, lookMs = LOOK_MS } = needs;
  const signal = stopSignal();
  let uses = new Map<string, { queries: number; seconds: number }>();

  const note = async (): Promise<void> => {
    const noted = uses;
    uses = new Map();
    await materializedColumns.note(noted, isoTime(now()).slice(0, 10));
  };

  const fill = async (): Promise<void> => {
    for (let isMore = true; isMore && !signal.stopped(); ) {
      const began = performance.now();
      if (ingest.lag() <= LAG_BUSY) isMore = await materializedColumns.fill();
      await signal.sleep(Math.max(PAUSE_MS_MIN, (performance.now() - began) * REST));
    }
  };

  const look = async (): Promise<void> => {
    if (uses.size > 0) await note();
    while ((await materializedColumns.choose()) && !signal.stopped()) await fill();
  };

  const loop = async (): Promise<void> => {
    // A stop, or a crash, may have left a column half filled.
    let isDue = true;
    for (;;) {
      await signal.sleep(lookMs);
      if (signal.stopped()) return;
      isDue ||= uses.size > 0;
      if (!isDue || restoring.active()) continue;
      try {
        await look();
        isDue = false;
      } catch (error) {
        log.warn("could not give a property its column; trying again", { error });
      }
    }
  };
  const running = loop();

  return {
    used(properties, ms) {
      for (const property of properties) {
        const known = uses.get(property);
        if (property.length > KEY_CHARS_MAX || (known === undefined && uses.size >= USES_MAX))
          continue;
        const { queries, seconds } = known ?? { queries: 0, seconds: 0 };
        uses.set(property, { queries: queries + 1, seconds: seconds + ms / 1000 });
      }
    },
    async stop() {
      signal.stop();
      await running;
    },
  };
}
