import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type Disk, nodeDisk, type WritableFile } from "../../../src/stores/files/disk.ts";

/** The operations that can be made to fail. */
export type Operation =
  | "create"
  | "open"
  | "write"
  | "sync"
  | "truncate"
  | "syncDirectory"
  | "remove"
  | "rename"
  | "fill";

type Fault = {
  code: "ENOSPC" | "EIO";
  /** How many of these operations succeed before. */
  skip?: number;
  /** How many fail. */
  times?: number;
  /** Of a write: how many bytes are written before it fails. */
  bytes?: number;
};

/** A real disk that fails on demand, and that can lose power. */
export type FaultyDisk = Disk & {
  fail(operation: Operation, fault: Fault): void;
  /**
   * Lets the next operation of this kind begin only when the returned function is called. Without
   * that call its caller hangs, as if killed, and the bytes that it wrote stay unsynced.
   */
  hold(operation: Operation): () => void;
  /** How often an operation was asked for. */
  count(operation: Operation): number;
  /**
   * Loses power in the middle of the n-th operation from now. A file keeps its synced bytes, an
   * arbitrary part of the others, and arbitrary sectors of bytes written over zeros. A new
   * name stays if its directory was synced.
   * Bytes whose sync failed count as never synced, even if a later sync of the file succeeds.
   */
  crashAfter(operations: number): void;
  /** Loses power now. */
  crash(): Promise<void>;
  /** Resolves when it has. From then on no operation ever ends. */
  crashed: Promise<void>;
};

/** The bytes that a disk writes as one. */
const SECTOR_BYTES = 512;

/** A file that was written: how much of it, and of its name, would survive. */
type Kept = {
  files: WritableFile[];
  size: number;
  synced: number;
  /** Unsynced bytes that were written over synced zeros. */
  over: { from: number; to: number }[];
  /** A sync has failed. */
  lost: boolean;
  named: boolean;
};

/** Numbers from 0 up to 1, always the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes a disk whose crashes are decided by `random`, which yields numbers from 0 up to 1. */
export function faultyDisk(random: () => number = Math.random): FaultyDisk {
  const kept = new Map<string, Kept>();
  const faults = new Map<Operation, Required<Fault>>();
  const counts = new Map<Operation, number>();
  const holds = new Map<Operation, Promise<void>>();
  const renamed = new Set<string>();
  const { promise: crashed, resolve: hasCrashed } = Promise.withResolvers<void>();
  const running = new Set<Promise<unknown>>();
  let operationsLeft = Number.POSITIVE_INFINITY;
  let dead = false;

  async function crash(): Promise<void> {
    if (dead) return crashed;
    dead = true;
    // A thread that still writes would change the remaining files.
    await Promise.allSettled(running);
    for (const [path, file] of kept) {
      for (const handle of file.files) await handle.close().catch(() => {});
      damage(path, file);
    }
    hasCrashed();
  }

  /** Some of the sectors that were not synced are as they were before: zeros. */
  function tear(bytes: Uint8Array, over: Kept["over"]): void {
    const kept = [1, 0, random(), random()][Math.floor(random() * 4)] ?? 1;
    for (const { from, to } of over) {
      for (let at = from; at < to; ) {
        const next = Math.min(to, at + SECTOR_BYTES - (at % SECTOR_BYTES));
        if (random() >= kept) bytes.fill(0, at, next);
        at = next;
      }
    }
  }

  function damage(path: string, { size, synced, named, over }: Kept): void {
    if (!named && random() < 0.5) {
      rmSync(path);
      return;
    }
    const bytes = readFileSync(path).subarray(0, size);
    tear(bytes, over);
    const within = () => synced + Math.floor(random() * (size - synced + 1));
    const outcomes = [
      () => bytes,
      () => bytes.subarray(0, synced),
      () => bytes.subarray(0, within()),
      () => bytes.fill(0, within()),
      () => bytes.fill(0, synced, within()),
    ];
    const outcome = outcomes[Math.floor(random() * outcomes.length)];
    if (outcome !== undefined) writeFileSync(path, outcome());
  }

  /** Runs `work`, which ends only if the power does not go meanwhile. */
  async function run<T>(work: () => Promise<T>): Promise<T> {
    const result = work();
    running.add(result);
    try {
      await result;
    } finally {
      running.delete(result);
      if (dead) await new Promise(() => {});
    }
    return result;
  }

  /** Runs `work`; or runs `part` of it and then the ordered failure. */
  async function attempt<T>(
    operation: Operation,
    work: () => Promise<T>,
    part: (bytes: number) => Promise<unknown> = async () => {},
  ): Promise<T> {
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const hold = holds.get(operation);
    holds.delete(operation);
    await hold;
    operationsLeft -= 1;
    if (dead) return new Promise(() => {});
    if (operationsLeft === 0) {
      await part(random() * 2000);
      await crash();
      return new Promise(() => {});
    }
    const fault = faults.get(operation);
    if (fault === undefined) return run(work);
    if (fault.skip > 0) {
      fault.skip -= 1;
      return run(work);
    }
    fault.times -= 1;
    if (fault.times === 0) faults.delete(operation);
    await part(fault.bytes);
    throw Object.assign(new Error(`${fault.code}: ${operation}`), { code: fault.code });
  }

  function watched(
    path: string,
    file: WritableFile,
    fresh: Omit<Kept, "files" | "over">,
  ): WritableFile {
    const known = kept.get(path) ?? { ...fresh, files: [], over: [] };
    kept.set(path, known);
    known.files.push(file);

    async function write(buffers: readonly Uint8Array[], position: number): Promise<void> {
      await file.write(buffers, position);
      const end = buffers.reduce((sum, buffer) => sum + buffer.length, position);
      if (position < known.synced) {
        known.over.push({ from: position, to: Math.min(end, known.synced) });
      }
      known.size = Math.max(known.size, end);
    }

    return {
      write: (buffers, position) =>
        attempt(
          "write",
          () => write(buffers, position),
          (bytes) => write([Buffer.concat(buffers).subarray(0, bytes)], position),
        ),
      sync: () =>
        attempt(
          "sync",
          async () => {
            await file.sync();
            if (known.lost) return;
            known.synced = known.size;
            known.over = [];
          },
          async () => {
            known.lost = true;
          },
        ),
      truncate: (bytes) =>
        attempt("truncate", async () => {
          await file.truncate(bytes);
          known.size = bytes;
          known.synced = Math.min(known.synced, bytes);
          known.over = known.over.map(({ from, to }) => ({ from, to: Math.min(to, bytes) }));
        }),
      close: () => file.close(),
    };
  }

  return {
    ...nodeDisk,
    create: (path) =>
      attempt("create", async () => {
        const file = await nodeDisk.create(path);
        return watched(path, file, { size: 0, synced: 0, lost: false, named: false });
      }),
    open: (path) =>
      attempt("open", async () => {
        const { size } = statSync(path);
        const file = await nodeDisk.open(path);
        const named = !renamed.has(path);
        return watched(path, file, { size, synced: size, lost: false, named });
      }),
    syncDirectory: (path) =>
      attempt("syncDirectory", async () => {
        await nodeDisk.syncDirectory(path);
        for (const file of kept.values()) file.named = true;
        renamed.clear();
      }),
    rename: (from, to) =>
      attempt("rename", async () => {
        await nodeDisk.rename(from, to);
        renamed.add(to);
      }),
    fill: (path, bytes, ending) => attempt("fill", () => nodeDisk.fill(path, bytes, ending)),
    free: () => Number.POSITIVE_INFINITY,
    remove: (path) =>
      attempt("remove", async () => {
        await nodeDisk.remove(path);
        kept.delete(path);
      }),
    fail(operation, { skip = 0, times = 1, bytes = 0, code }) {
      faults.set(operation, { skip, times, bytes, code });
    },
    hold(operation) {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.set(operation, promise);
      return resolve;
    },
    count: (operation) => counts.get(operation) ?? 0,
    crashAfter(operations) {
      operationsLeft = operations;
    },
    crash,
    crashed,
  };
}
