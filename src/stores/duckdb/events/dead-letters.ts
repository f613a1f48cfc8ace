import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { DeadLetter } from "../../../core/ports/events.ts";
import { parseUuid } from "../../../core/values/ids.ts";
import { parseTime } from "../../../core/values/time.ts";
import type { Duckdb } from "../engine/duckdb.ts";

type Options = {
  /** Path of the file for dead letters. */
  deadLetters: string;
  /** Type of the lines. */
  type: DeadLetter["type"];
  insert: (path: string) => string;
};

/**
 * Moves the lines of a load's file that DuckDB cannot read to the file `deadLetters`, and returns them.
 * An empty result means that the load failed for another reason and must be repeated. `insert` returns
 * the statement for a path.
 */
export async function moveToDeadLetters(
  duckdb: Duckdb,
  path: string | null,
  { deadLetters, type, insert }: Options,
): Promise<DeadLetter[]> {
  if (path === null) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const probe = `${path}.probe`;
  const readable = async (part: string[]): Promise<boolean> => {
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
  const dead = await partition(lines, readable);
  if (dead.size === 0) return [];
  const unreadable = lines.filter((_, at) => dead.has(at));
  appendFileSync(deadLetters, `${unreadable.join("\n")}\n`, { mode: 0o600 });
  const kept = lines.filter((_, at) => !dead.has(at));
  writeFileSync(path, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  return unreadable.map((line) => deadLetter(line, type));
}

// The fields that ingest wrote at the front are valid even if the event is not.
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

/** Rolls back a trial. */
class RollBack extends Error {}

/** Whether an error is about the rows: a full disk or memory must never look like bad events. */
export function isAboutTheData(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(Invalid Input|Conversion|Constraint|Out of Range|Parser) Error/.test(error.message)
  );
}

/** Returns the indexes of unreadable lines, by halving the parts that fail. */
async function partition(
  lines: string[],
  readable: (part: string[]) => Promise<boolean>,
): Promise<Set<number>> {
  const dead = new Set<number>();
  const open: [number, number][] = [[0, lines.length]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [start, end] = part;
    if (start === end || (await readable(lines.slice(start, end)))) continue;
    const middle = (start + end) >> 1;
    if (end - start === 1) dead.add(start);
    else open.push([middle, end], [start, middle]);
  }
  return dead;
}
