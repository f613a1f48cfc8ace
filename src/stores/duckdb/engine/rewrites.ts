import type { DuckDBConnection } from "@duckdb/node-api";
import type { commitMemory } from "./commit-memory.ts";
import { isOutOfMemory, lacksMemory, orUnavailable, stagingError } from "./faults.ts";
import type { Part, RewriteNeeds, Rewriting } from "./generations.ts";
import { rewriteFile } from "./generations.ts";
import type { readWriteGate } from "./queue.ts";
import { transaction } from "./transaction.ts";

type Needs = {
  connect(): Promise<DuckDBConnection>;
  room: Awaited<ReturnType<typeof commitMemory>>;
  turns: Pick<ReturnType<typeof readWriteGate>, "alone" | "reading">;
  /** Wraps every statement. */
  guard<T>(work: Promise<T>): Promise<T>;
  /** The other needs of a rewrite, as they are when it begins. */
  files(): Omit<RewriteNeeds, "part" | "withCommitMemory">;
};

/**
 * Rewrites the event store's file while reads run; a part that finds no memory runs without reads. Exclusive
 * work takes the connection that writes first, so that it never waits for it while others wait for the work.
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
          throw isCommitting ? stagingError(error) : error;
        }
      });
    const withCommitMemory: Part = (work) =>
      closing(async () => {
        await open();
        return await work();
      });
    try {
      await guard(rewriteFile(connection, rewriting, { ...files(), part, withCommitMemory }));
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
