import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { logDistinctIds } from "../../core/logs/record.ts";
import type { Erasing, RemoveLeftovers } from "../../core/ports/erasure.ts";
import { namesIn } from "./disk.ts";

type Stored = Parameters<RemoveLeftovers>[2];

/** Files of a load: the last sequence number and the content. */
const LOAD = /^(\d+)\.(events|logs|persons|overrides|groups|owned)\.ndjson$/;
/** Files of changes by users for the projection: its version and the content. */
const PROJECTION = /^mirror-(\d+)\.\w+\.ndjson$/;

/** Removes traces of persons in files of the data directory. */
export const removeLeftovers: RemoveLeftovers = async (directory, tasks, stored) => {
  removeLoads(join(directory, "loads"), stored);
  const parts = tasks.length === 0 ? [] : removeCorrupt(join(directory, "journal", "corrupt"));
  const dead_letters = await rewriteDeadLetters(join(directory, "dead-letters.ndjson"), tasks);
  return { dead_letters, parts };
};

/** Removes loads that both stores have, which a failed removal has left. */
function removeLoads(directory: string, { applied, projection_version }: Stored): void {
  for (const name of namesIn(directory)) {
    const load = LOAD.exec(name)?.[1];
    const projection = PROJECTION.exec(name)?.[1];
    const isStored =
      (load !== undefined && Number(load) <= applied) ||
      (projection !== undefined && Number(projection) <= projection_version);
    if (isStored) rmSync(join(directory, name), { force: true });
  }
}

/** Removes all quarantined parts, because the ids in damaged bytes may be wrong. */
function removeCorrupt(directory: string): string[] {
  const names = namesIn(directory);
  for (const name of names) rmSync(join(directory, name));
  return names;
}

async function rewriteDeadLetters(
  path: string,
  tasks: readonly Erasing[],
): Promise<Map<number, number>> {
  const draft = `${path}.new`;
  for (;;) {
    rmSync(draft, { force: true });
    if (!existsSync(path) || tasks.length === 0) return new Map();
    const { size } = statSync(path);
    const removed = await copyLines(path, draft, taskFinder(tasks));
    // Lines that were added meanwhile must not be lost.
    if (statSync(path).size !== size) continue;
    if (removed.size > 0) renameSync(draft, path);
    else rmSync(draft);
    return removed;
  }
}

async function copyLines(
  path: string,
  draft: string,
  taskOf: (line: string) => number | undefined,
): Promise<Map<number, number>> {
  const removed = new Map<number, number>();
  const to = openSync(draft, "wx", 0o600);
  try {
    const from = await open(path);
    for await (const line of from.readLines()) {
      const task = taskOf(line);
      if (task === undefined) writeSync(to, `${line}\n`);
      else removed.set(task, (removed.get(task) ?? 0) + 1);
    }
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
  return removed;
}

/** Returns a function that finds the task that erases a line; undefined if the line stays. */
function taskFinder(tasks: readonly Erasing[]): (line: string) => number | undefined {
  const latest = new Map<string, Erasing>();
  for (const task of tasks) {
    for (const distinct_id of task.distinct_ids) {
      const key = `${task.project_id} ${distinct_id}`;
      const existing = latest.get(key);
      if (existing === undefined || existing.journal_seq < task.journal_seq) latest.set(key, task);
    }
  }
  return (line) => {
    const letter = JSON.parse(line);
    const { project_id, seq, distinct_id } = letter;
    return [distinct_id, ...logDistinctIds(letter)]
      .map((id) => latest.get(`${project_id} ${id}`))
      .find((task) => task !== undefined && seq <= task.journal_seq)?.id;
  };
}
