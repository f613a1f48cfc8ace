import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { access, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { volumeOf } from "./volume.ts";

/**
 * The few things the journal asks of a file system, so that a test can put a failing disk in its
 * place. What returns a promise runs off the event loop; what does not is for Workers and start.
 * Errors are node's, with their `code`.
 */
export type Disk = {
  /** Makes a directory that is missing, 0700 and durable. Throws if it cannot be written to. */
  makeDirectory(path: string): Promise<void>;
  /** Makes the names in a directory durable: created files are there, removed ones gone. */
  syncDirectory(path: string): Promise<void>;
  /** Names in a directory, in no order. */
  list(directory: string): string[];
  /** Makes a new file, 0600, and opens it for writing. Throws `EEXIST` if it is there. */
  create(path: string): Promise<WritableFile>;
  /** Opens an existing file for writing. */
  open(path: string): Promise<WritableFile>;
  /** Opens an existing file for reading. */
  read(path: string): ReadableFile;
  /** Writes a whole small file, 0600, making its directory, 0700, if it is missing. */
  put(path: string, bytes: Uint8Array): void;
  /** Removes a file; one that is gone already is no error. */
  remove(path: string): Promise<void>;
  /** Gives a file another name, one that is free. */
  rename(from: string, to: string): Promise<void>;
  /**
   * Makes a file of so many zeros, 0600, in the place of what is there; resolves once they are on the
   * disk. Throws when it is told to end before.
   */
  fill(path: string, bytes: number, ending: AbortSignal): Promise<void>;
  /** Bytes that may still be written to the volume of a directory. */
  free(directory: string): number;
};

/** A file that is written at places of the caller's choice. */
export type WritableFile = {
  /** Writes all of `buffers`, in order, from `position` on; if it throws, any part is written. */
  write(buffers: readonly Uint8Array[], position: number): Promise<void>;
  /** Resolves once what was written survives a power cut. After an error nothing is known. */
  sync(): Promise<void>;
  /** Cuts the file to `bytes`. */
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
};

/** A file that is read, possibly while it grows. */
export type ReadableFile = {
  size(): number;
  /** Fills `into` from `position` on and returns how many bytes there were. */
  read(into: Uint8Array, position: number): number;
  close(): void;
};

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** The disk of this machine. */
export const nodeDisk: Disk = {
  async makeDirectory(path) {
    const made = await mkdir(path, { recursive: true, mode: DIRECTORY_MODE });
    if (made !== undefined) await nodeDisk.syncDirectory(dirname(path));
    await access(path, constants.W_OK);
  },

  async syncDirectory(path) {
    // Windows cannot open a directory, and NTFS journals its names.
    if (process.platform === "win32") return;
    const directory = await open(path, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },

  list: (directory) => readdirSync(directory),
  create: async (path) => writable(await openHandle(path, "wx")),
  open: async (path) => writable(await openHandle(path, "r+")),
  read: (path) => readable(openSync(path, "r")),

  put(path, bytes) {
    mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
    writeFileSync(path, bytes, { mode: FILE_MODE });
  },

  remove: (path) => rm(path, { force: true }),
  rename,

  async fill(path, bytes, ending) {
    const file = await open(path, "w", FILE_MODE);
    try {
      const zeros = new Uint8Array(Math.min(bytes, FILLED_BYTES));
      for (let at = 0; at < bytes; at += zeros.length) {
        ending.throwIfAborted();
        const left = zeros.subarray(0, bytes - at);
        for (let done = 0; done < left.length; ) {
          const { bytesWritten } = await file.write(left, done, left.length - done, at + done);
          done += bytesWritten;
        }
        await file.datasync();
      }
    } finally {
      await file.close();
    }
  },

  free: (directory) => volumeOf(directory)?.free ?? 0,
};

/** Bytes that a file is filled by at once: whoever syncs meanwhile waits for no more. */
const FILLED_BYTES = 1_048_576;

/** Opens a file for writing, 0600 if it is made. */
export function openHandle(path: string, flags: "wx" | "r+"): Promise<FileHandle> {
  return open(path, flags, FILE_MODE);
}

function writable(handle: FileHandle): WritableFile {
  return {
    async write(buffers, position) {
      let rest = gathered(buffers);
      let at = position;
      // A disk that runs full takes a part of the bytes first and says so only when asked again.
      while (rest.length > 0) {
        const { bytesWritten } = await handle.writev(rest, at);
        rest = without(rest, bytesWritten);
        at += bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}

/** Bytes up to which copying many buffers into one costs less than handing over each of them. */
const GATHERED_BYTES_MAX = 262_144;

function gathered(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
  let bytes = 0;
  for (const { length } of buffers) bytes += length;
  return bytes <= GATHERED_BYTES_MAX ? [Buffer.concat(buffers, bytes)] : buffers;
}

/** What is left of `buffers` after their first `bytes`. */
function without(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = bytes;
  for (const buffer of buffers) {
    if (skip < buffer.length) rest.push(skip === 0 ? buffer : buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.length);
  }
  return rest;
}

function readable(descriptor: number): ReadableFile {
  return {
    size: () => fstatSync(descriptor).size,
    read(into, position) {
      let filled = 0;
      while (filled < into.length) {
        const bytes = readSync(descriptor, into, filled, into.length - filled, position + filled);
        if (bytes === 0) break;
        filled += bytes;
      }
      return filled;
    },
    close: () => closeSync(descriptor),
  };
}
