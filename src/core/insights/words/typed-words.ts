import type { Projects } from "../../access/projects.ts";
import { stopSignal } from "../../ingest/retry.ts";
import type { InsightReads, InsightWrites } from "../../ports/insights.ts";
import type { Log } from "../../ports/log.ts";
import { WORDS_KIND } from "../../queries/insight.ts";
import { Failure } from "../../values/failure.ts";
import type { JsonObject } from "../../values/json.ts";

/** Insights that are read at once, and milliseconds between looks whether the event store can be read. */
const PART = 200;
const LOOK_MS = 1000;

type Needs = {
  reads: Pick<InsightReads, "list">;
  writes: Pick<InsightWrites, "update">;
  projects: Pick<Projects, "all">;
  isCatchingUp: () => boolean;
  /** Returns the typed query of a `WordsQuery`. Fails `invalid_input` on words that are not understood. */
  typed: (project: number, query: JsonObject) => Promise<JsonObject>;
  log: Log;
};

/** Gives insights that were saved as words their typed query; words that are not understood stay, and say so when asked. */
export function startTypingWords(needs: Needs): { stop(): Promise<void> } {
  const { reads, writes, projects, isCatchingUp, typed, log } = needs;
  const signal = stopSignal();
  const typeOne = async (project: number, short_id: string, query: JsonObject) => {
    try {
      await writes.update(project, short_id, { query: await typed(project, query) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      log.warn("words of a saved insight are not understood", { project, short_id });
    }
  };
  const typeAll = async (project: number) => {
    for (let offset = 0; !signal.stopped(); offset += PART) {
      const { rows } = await reads.list(project, {}, { limit: PART, offset });
      for (const { short_id, query } of rows) {
        if (query["kind"] === WORDS_KIND) await typeOne(project, short_id, query);
      }
      if (rows.length < PART) return;
    }
  };
  const run = async () => {
    while (isCatchingUp()) {
      await signal.sleep(LOOK_MS);
      if (signal.stopped()) return;
    }
    for (const { id } of await projects.all()) await typeAll(id);
  };
  const running = run().catch((error) => {
    log.warn("could not read the words of saved insights; the next start tries again", { error });
  });
  return {
    async stop() {
      signal.stop();
      await running;
    },
  };
}
