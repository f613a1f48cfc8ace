import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** How much less they matter than the thread that answers, of 39 steps. */
const STEPS = 5;
const NICENESS_MAX = 19;

/** Bun's pool, and the threads of DuckDB, which are started by it and bear its name. */
const POOL_NAME = "Bun Pool";

/**
 * Lets the calling thread give way to the others (decision 57). On Linux alone a thread has a
 * priority of its own.
 */
export function giveWay(): void {
  if (process.platform === "linux") lower(0);
}

const lowered = new Set<string>();

/** Lets the threads give way on which DuckDB computes, as {@link giveWay}: those that run by now. */
export function poolGivesWay(): void {
  if (process.platform !== "linux") return;
  for (const thread of readdirSync("/proc/self/task")) {
    if (lowered.has(thread) || !isOfPool(thread)) continue;
    lower(Number(thread));
    lowered.add(thread);
  }
}

function isOfPool(thread: string): boolean {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8").startsWith(POOL_NAME);
  } catch {
    // It has ended.
    return false;
  }
}

function lower(thread: number): void {
  setPriority(thread, Math.min(getPriority(process.pid) + STEPS, NICENESS_MAX));
}
