import { expect, test } from "bun:test";
import { idleWork } from "../../../src/core/ingest/idle.ts";

/** Runs the work of one wait that ends once `steps` are done, and returns them. */
async function waited({ events, steps, idleMs }: Record<"events" | "steps" | "idleMs", number>) {
  const done: string[] = [];
  const grown = Promise.withResolvers<void>();
  if (steps === 0) grown.resolve();
  const note = (name: string) => async () => {
    if (done.push(name) === steps) grown.resolve();
  };
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
  await work(grown.promise, events);
  return done;
}

test("memory is freed soon after many events, before a checkpoint", async () => {
  expect(await waited({ events: 10_000, steps: 5, idleMs: 1 })).toEqual([
    ...["free the cache", "free garbage"],
    ...["checkpoint", "free the cache", "free garbage"],
  ]);
});

test("after few events the caches stay until the checkpoint", async () => {
  expect(await waited({ events: 9999, steps: 3, idleMs: 1 })).toEqual([
    ...["checkpoint", "free the cache", "free garbage"],
  ]);
});

test("an idle time that ends early frees nothing", async () => {
  expect(await waited({ events: 10_000, steps: 0, idleMs: 60_000 })).toEqual([]);
});
