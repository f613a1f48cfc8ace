import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { DeadLetter } from "../../../core/ports/events.ts";
import { parseUuid } from "../../../core/values/ids.ts";
import { parseTime } from "../../../core/values/time.ts";
import type { Duckdb } from "../engine/duckdb.ts";

type Options = {
  /** Path of the file for dead letters. */
  deadLetters: string;
  /** The warning that each line becomes. */
  type: DeadLetter["type"];
  /** Returns the statement that stores the lines of a file. */
  insert: (path: string) => string;
};

/**
 * Moves the lines of a load's file that DuckDB cannot read to the file `deadLetters`, and returns them.
 * An empty result means that the load failed for another reason and must be repeated.
 */
export async function moveToDeadLetters(
  duckdb: Duckdb,
  path: string | null,
  { deadLetters, type, insert }: Options,
): Promise<DeadLetter[]> {
  if (path === null) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const probe = `${path}.probe`;
  const isReadable = async (part: string[]): Promise<boolean> => {
    writeFileSync(probe, `${part.join("\n")}\n`, { mode: 0o600 });
    try {
      return await duckdb.write(async (connection) => {
        await connection.run(insert(probe));
        throw new RollBack();
      });
    } catch (error) {
      if (!(error instanceof RollBack) && !isAboutTheData(error)) throw error;
      return error instanceof RollBack;
    } finally {
      rmSync(probe, { force: true });
    }
  };
  const dead = await unreadableIndexes(lines, isReadable);
  if (dead.size === 0) return [];
  const unreadable = lines.filter((_, at) => dead.has(at));
  appendFileSync(deadLetters, `${unreadable.join("\n")}\n`, { mode: 0o600 });
  const remaining = lines.filter((_, at) => !dead.has(at));
  writeFileSync(path, remaining.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  return unreadable.map((line) => deadLetter(line, type));
}

// The line is JSON and has the fields of ingest, even if its event is unreadable.
function deadLetter(line: string, type: DeadLetter["type"]): DeadLetter {
  const { project_id, ingested_at, uuid, distinct_id } = JSON.parse(line);
  return {
    type,
    project_id,
    arrived_at: parseTime(ingested_at) ?? 0,
    uuid: typeof uuid === "string" ? (parseUuid(uuid) ?? null) : null,
    distinct_id: typeof distinct_id === "string" ? distinct_id : null,
  };
}

/** Thrown to roll back a trial that succeeded. */
class RollBack extends Error {}

/** Whether an error is about the rows. A full disk or a lack of memory must not look like bad events. */
export function isAboutTheData(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(Invalid Input|Conversion|Constraint|Out of Range|Parser) Error/.test(error.message)
  );
}

/** Returns the indexes of unreadable lines, by halving the parts that fail. */
async function unreadableIndexes(
  lines: string[],
  isReadable: (part: string[]) => Promise<boolean>,
): Promise<Set<number>> {
  const dead = new Set<number>();
  const untested: [number, number][] = [[0, lines.length]];
  for (let part = untested.pop(); part !== undefined; part = untested.pop()) {
    const [start, end] = part;
    if (start === end || (await isReadable(lines.slice(start, end)))) continue;
    const middle = (start + end) >> 1;
    if (end - start === 1) dead.add(start);
    else untested.push([middle, end], [start, middle]);
  }
  return dead;
}
