import {
  closeSync,
  constants,
  existsSync,
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
 * The file operations that the journal needs; tests replace them by a failing disk. A method that returns
 * a promise does not block the event loop. The others do, and are for workers and the start. Errors are those
 * of `node:fs`.
 */
export type Disk = {
  /** Creates a missing directory, 0700 and durable. Fails if it is not writable. */
  makeDirectory(path: string): Promise<void>;
  /** Makes creations and removals of files in a directory durable. */
  syncDirectory(path: string): Promise<void>;
  /** Returns the names in a directory, in no order. */
  list(directory: string): string[];
  /** Creates a file, 0600, and opens it for writing. Fails `EEXIST` if it exists. */
  create(path: string): Promise<WritableFile>;
  /** Opens an existing file for writing. */
  open(path: string): Promise<WritableFile>;
  /** Opens an existing file for reading. */
  read(path: string): ReadableFile;
  /** Writes a whole small file, 0600, and creates its directory, 0700, if it is missing. */
  put(path: string, bytes: Uint8Array): void;
  /** Removes a file; a missing file is no error. */
  remove(path: string): Promise<void>;
  /** Renames a file; no file may have the new name. */
  rename(from: string, to: string): Promise<void>;
  /**
   * Writes a file of `bytes` zeros, 0600, in place of an existing one. Resolves once they are on disk; fails if
   * `ending` aborts before.
   */
  fill(path: string, bytes: number, ending: AbortSignal): Promise<void>;
  /** Returns the free bytes on the volume of a directory. */
  free(directory: string): number;
};

/** A file that is written at any offset. */
export type WritableFile = {
  /** Writes all of `buffers`, in order, at `position`. After an error any part may be written. */
  write(buffers: readonly Uint8Array[], position: number): Promise<void>;
  /** Resolves once all writes survive a power cut. After an error their state is unknown. */
  sync(): Promise<void>;
  /** Cuts the file to `bytes`. */
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
};

/** A file that is read, possibly while it grows. */
export type ReadableFile = {
  size(): number;
  /** Reads from `position` into `into`, and returns the number of bytes. */
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
      const zeros = new Uint8Array(ZEROS_BYTES);
      for (let at = 0; at < bytes; ) {
        ending.throwIfAborted();
        const end = Math.min(at + SYNCED_BYTES, bytes);
        while (at < end) {
          at += (await file.write(zeros, 0, Math.min(ZEROS_BYTES, end - at), at)).bytesWritten;
        }
        await file.datasync();
      }
    } finally {
      await file.close();
    }
  },

  free: (directory) => volumeOf(directory)?.free ?? 0,
};

/** Returns the names in a directory, in no order; an empty list if it is missing. */
export function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Bytes of one write of zeros. Larger writes make the system write whole large pages later, for each small change. */
const ZEROS_BYTES = 32_768;

/** Bytes of zeros after which they are synced, so that a sync of another file waits for no more than these. */
const SYNCED_BYTES = 1_048_576;

/** Opens a file for writing; a new file is 0600. */
export function openHandle(path: string, flags: "wx" | "r+"): Promise<FileHandle> {
  return open(path, flags, FILE_MODE);
}

function writable(handle: FileHandle): WritableFile {
  return {
    async write(buffers, position) {
      let remaining = joinSmall(buffers);
      let at = position;
      // A disk that becomes full writes a part of the bytes, and fails at the next write.
      while (remaining.length > 0) {
        const { bytesWritten } = await handle.writev(remaining, at);
        remaining = without(remaining, bytesWritten);
        at += bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}

/** Largest size, in bytes, at which one copied buffer costs less than many separate ones. */
const JOINED_BYTES_MAX = 262_144;

function joinSmall(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
  let bytes = 0;
  for (const { length } of buffers) bytes += length;
  return bytes <= JOINED_BYTES_MAX ? [Buffer.concat(buffers, bytes)] : buffers;
}

/** Returns `buffers` without their first `bytes`. */
function without(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const remaining: Uint8Array[] = [];
  let skip = bytes;
  for (const buffer of buffers) {
    if (skip < buffer.length) remaining.push(skip === 0 ? buffer : buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.length);
  }
  return remaining;
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
