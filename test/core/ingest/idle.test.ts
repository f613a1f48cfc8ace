import { expect, test } from "bun:test";
import { idleWork } from "../../../src/core/ingest/idle.ts";

/** Runs the work of one wait that ends after `waitMs`, and returns what was done. */
async function waited({ events, waitMs, idleMs }: Record<"events" | "waitMs" | "idleMs", number>) {
  const done: string[] = [];
  const note = (name: string) => async () => void done.push(name);
  const work = idleWork(
    {
      events: { checkpoint: note("checkpoint"), releaseCache: note("free the cache") },
      batches: { release: note("free garbage") },
      diskGuard: { isCritical: () => false },
      idleMs,
      log: { info() {}, warn: note("warn"), error: note("error") },
    },
    0,
  );
  await work(Bun.sleep(waitMs), events);
  return done;
}

test("memory is freed soon after many events, before a checkpoint", async () => {
  expect(await waited({ events: 10_000, waitMs: 100, idleMs: 1 })).toEqual([
    ...["free the cache", "free garbage"],
    ...["checkpoint", "free the cache", "free garbage"],
  ]);
});

test("after few events the caches stay until the checkpoint", async () => {
  expect(await waited({ events: 9999, waitMs: 100, idleMs: 1 })).toEqual([
    ...["checkpoint", "free the cache", "free garbage"],
  ]);
});

test("an idle time that ends early frees nothing", async () => {
  expect(await waited({ events: 10_000, waitMs: 1, idleMs: 60_000 })).toEqual([]);
});
