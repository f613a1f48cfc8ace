import type { DuckDBConnection } from "@duckdb/node-api";
import { transaction } from "./connections.ts";
import type { commitRoom } from "./duckdb-room.ts";
import { isOutOfMemory, lacksMemory, ofDraft, orUnavailable } from "./faults.ts";
import type { Part, RewriteNeeds, Rewriting } from "./generations.ts";
import { rewriteFile } from "./generations.ts";
import type { memoryTurns } from "./memory-turns.ts";

type Needs = {
  connect(): Promise<DuckDBConnection>;
  room: Awaited<ReturnType<typeof commitRoom>>;
  turns: Pick<ReturnType<typeof memoryTurns>, "alone" | "reading">;
  /** What every statement passes. */
  guard<T>(work: Promise<T>): Promise<T>;
  /** What else a rewrite needs, as it is when it begins. */
  files(): Omit<RewriteNeeds, "part" | "roomy">;
};

/**
 * Writes the event store's file anew: beside those who read, and a part that finds no memory while nobody
 * does. Who must be alone may have the connection that writes, and nobody waits for that in a turn.
 */
export function openRewrites({ connect, room, turns, guard, files }: Needs) {
  const once = async (rewriting: Rewriting, isAlone: boolean): Promise<void> => {
    const connection = await connect();
    const open = () => room.open(connection);
    const inTurn: Part = async (work) => {
      try {
        if (!isAlone && !room.isShort()) return await turns.reading(connection, "never", work);
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
      }
      return await turns.alone(work);
    };
    const closing: Part = (work) => inTurn(() => work().finally(() => room.close(connection)));
    const part: Part = (work) =>
      closing(async () => {
        let isCommitting = false;
        const whole = async () => {
          const result = await work();
          isCommitting = true;
          return result;
        };
        try {
          return await transaction(connection, whole, open);
        } catch (error) {
          throw isCommitting ? ofDraft(error) : error;
        }
      });
    const roomy: Part = (work) =>
      closing(async () => {
        await open();
        return await work();
      });
    try {
      await guard(rewriteFile(connection, rewriting, { ...files(), part, roomy }));
    } finally {
      connection.closeSync();
    }
  };

  return {
    /** As {@link rewriteFile}; a draft that is lost for want of memory is begun once more, alone. */
    async rewrite(rewriting: Rewriting): Promise<void> {
      try {
        await once(rewriting, false);
      } catch (error) {
        if (!lacksMemory(error)) throw error;
        await orUnavailable(once(rewriting, true));
      }
    },
  };
}
