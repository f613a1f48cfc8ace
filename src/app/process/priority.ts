import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** Added to the niceness of threads that do not answer requests; levels go from -20 to 19. */
const STEPS = 5;
const NICENESS_MAX = 19;

/** The name of threads in Bun's pool. DuckDB's threads have it too, because the pool starts them. */
const POOL_NAME = "Bun Pool";

/**
 * Lowers the priority of the calling thread (decision 57). Only on Linux does a thread have a priority of
 * its own.
 */
export function lowerThreadPriority(): void {
  if (process.platform === "linux") lower(0);
}

const lowered = new Set<string>();

/** Lowers the priority of the threads on which DuckDB computes, if they are started already. */
export function lowerPoolPriority(): void {
  if (process.platform !== "linux") return;
  for (const thread of threads()) {
    if (lowered.has(thread) || !isOfPool(thread)) continue;
    lower(Number(thread));
    lowered.add(thread);
  }
}

function threads(): string[] {
  try {
    return readdirSync("/proc/self/task");
  } catch {
    // No descriptor is free. The next call finds the threads.
    return [];
  }
}

function isOfPool(thread: string): boolean {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8").startsWith(POOL_NAME);
  } catch {
    // The thread has ended.
    return false;
  }
}

function lower(thread: number): void {
  setPriority(thread, Math.min(getPriority(process.pid) + STEPS, NICENESS_MAX));
}
