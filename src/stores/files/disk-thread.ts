import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type Disk, nodeDisk, openHandle, type WritableFile } from "./disk.ts";

/**
 * Memory that the fsync worker shares with the main thread. A group of 27 KB costs 80 µs of processor
 * time this way, 156 µs as messages to a worker, and 170 µs through Bun's thread pool.
 */
export type SharedDisk = {
  /** The side whose turn it is, the request, and its outcome, at the indexes of {@link Word}. */
  words: Int32Array<SharedArrayBuffer>;
  /** Offset in the file, in bytes. */
  position: Float64Array<SharedArrayBuffer>;
  /** The bytes to write; after a failure the error as JSON. */
  bytes: Uint8Array<SharedArrayBuffer>;
};

/** Bytes of one request. */
const PIECE_BYTES_MAX = 1_048_576;

const Word = { turn: 0, file: 1, length: 2, sync: 3, outcome: 4 } as const;
const Turn = { client: 0, writer: 1, end: 2 } as const;
const Outcome = { done: 0, writeFailed: 1, syncFailed: 2 } as const;

type Failed = { message: string; code: string | undefined };

/** Memory for {@link serveDisk} and {@link threadDisk}. */
export function sharedDisk(): SharedDisk {
  const of = (bytes: number) => new SharedArrayBuffer(bytes);
  return {
    words: new Int32Array(of(Object.keys(Word).length * Int32Array.BYTES_PER_ELEMENT)),
    position: new Float64Array(of(Float64Array.BYTES_PER_ELEMENT)),
    bytes: new Uint8Array(of(PIECE_BYTES_MAX)),
  };
}

/** Serves requests until the disk is closed. It blocks its thread. */
export function serveDisk({ words, position, bytes }: SharedDisk): void {
  for (;;) {
    Atomics.wait(words, Word.turn, Turn.client);
    const turn = Atomics.load(words, Word.turn);
    if (turn === Turn.end) return;
    if (turn !== Turn.writer) continue;
    const file = words[Word.file] ?? 0;
    const length = words[Word.length] ?? 0;
    let outcome: number = Outcome.writeFailed;
    try {
      for (let at = 0; at < length; ) {
        at += fs.writeSync(file, bytes, at, length - at, (position[0] ?? 0) + at);
      }
      outcome = Outcome.syncFailed;
      if (words[Word.sync] === 1) fs.fdatasyncSync(file);
      outcome = Outcome.done;
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      const failure = new TextEncoder().encode(JSON.stringify({ message, code } satisfies Failed));
      bytes.set(failure);
      words[Word.length] = failure.length;
    }
    words[Word.outcome] = outcome;
    Atomics.store(words, Word.turn, Turn.client);
    Atomics.notify(words, Word.turn);
  }
}

/**
 * A disk whose files are written by the thread of {@link serveDisk}, one write at a time. Each write is
 * synced at once, and `sync` fails if that sync has failed.
 */
export function threadDisk(shared: SharedDisk): Disk & { close(): void } {
  return {
    ...nodeDisk,
    create: async (path) => threadFile(shared, await openHandle(path, "wx")),
    open: async (path) => threadFile(shared, await openHandle(path, "r+")),
    close() {
      Atomics.store(shared.words, Word.turn, Turn.end);
      Atomics.notify(shared.words, Word.turn);
    },
  };
}

function threadFile(shared: SharedDisk, handle: FileHandle): WritableFile {
  /** Result of the sync after the last write; undefined before the first one. */
  let synced: { error: unknown } | "done" | undefined;

  return {
    async write(buffers, position) {
      synced = undefined;
      const pieces = piecesOf(buffers);
      let at = position;
      for (const [index, piece] of pieces.entries()) {
        let length = 0;
        for (const part of piece) {
          shared.bytes.set(part, length);
          length += part.length;
        }
        const sync = index === pieces.length - 1;
        const answer = await submit(shared, { file: handle.fd, length, position: at, sync });
        if (answer.outcome === Outcome.writeFailed) throw answer.error;
        if (sync) synced = answer.outcome === Outcome.done ? "done" : { error: answer.error };
        at += length;
      }
    },
    async sync() {
      if (synced === undefined) return handle.datasync();
      if (synced !== "done") throw synced.error;
    },
    async truncate(bytes) {
      synced = undefined;
      await handle.truncate(bytes);
    },
    close: () => handle.close(),
  };
}

type WriteRequest = { file: number; length: number; position: number; sync: boolean };

async function submit({ words, position, bytes }: SharedDisk, request: WriteRequest) {
  if (Atomics.load(words, Word.turn) !== Turn.client) throw new Error("A write is under way");
  words[Word.file] = request.file;
  words[Word.length] = request.length;
  words[Word.sync] = request.sync ? 1 : 0;
  position[0] = request.position;
  Atomics.store(words, Word.turn, Turn.writer);
  Atomics.notify(words, Word.turn);
  // A notification may come late and end the wait of the next request, so the turn is read again.
  while (Atomics.load(words, Word.turn) === Turn.writer) {
    await Atomics.waitAsync(words, Word.turn, Turn.writer).value;
  }
  const outcome = words[Word.outcome] ?? Outcome.writeFailed;
  if (outcome === Outcome.done) return { outcome, error: undefined };
  const failure = JSON.parse(Buffer.from(bytes.slice(0, words[Word.length])).toString()) as Failed;
  return { outcome, error: Object.assign(new Error(failure.message), { code: failure.code }) };
}

/** Splits buffers into pieces that fit into the shared memory, in order. */
function piecesOf(buffers: readonly Uint8Array[]): Uint8Array[][] {
  const pieces: Uint8Array[][] = [[]];
  let free = PIECE_BYTES_MAX;
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length; ) {
      if (free === 0) {
        pieces.push([]);
        free = PIECE_BYTES_MAX;
      }
      const part = buffer.subarray(at, at + free);
      pieces.at(-1)?.push(part);
      free -= part.length;
      at += part.length;
    }
  }
  return pieces;
}
