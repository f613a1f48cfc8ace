import {
  closeSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of its own that is small enough to be filled. */
export type SmallDisk = AsyncDisposable & {
  /** Where it is for the commands that see it. */
  path: string;
  /** Where it is for everybody else. */
  outside: string;
  /** A command that sees it. */
  command(command: readonly string[]): string[];
  /** Bytes that are free. */
  free(): number;
  /** Fills it with a file until at most so many bytes are free. */
  fill(leave: number): void;
  /** Removes that file. */
  empty(): void;
};

const FILLER_BYTES = Buffer.alloc(65_536, 1);

/**
 * Mounts a tmpfs that only some commands see, in a mount namespace (Linux). Without root, it is in a
 * user namespace too.
 */
export async function smallDisk(bytes: number): Promise<SmallDisk> {
  const path = mkdtempSync(join(tmpdir(), "hoglet-disk-"));
  const isRoot = process.getuid?.() === 0;
  const mount = `mount -t tmpfs -o size=${bytes} tmpfs ${path} && echo mounted && exec sleep 3600`;
  const holder = Bun.spawn(["unshare", isRoot ? "-m" : "-Urm", "sh", "-c", mount], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await holder.stdout.getReader().read();
  if (value === undefined) throw new Error("No tmpfs can be mounted, even for this user alone");
  const inside = ["nsenter", "-t", String(holder.pid), ...(isRoot ? ["-m"] : ["-U", "-m"])];
  const outside = `/proc/${holder.pid}/root${path}`;
  const filler = join(outside, "filler");
  const free = () => {
    const { bavail, bsize } = statfsSync(outside);
    return bavail * bsize;
  };
  return {
    path,
    outside,
    command: (command) => [...inside, ...(isRoot ? [] : ["--preserve-credentials"]), ...command],
    free,
    fill(leave) {
      const file = openSync(filler, "w");
      try {
        for (let rest = free() - leave; rest > 0; rest = free() - leave) {
          writeSync(file, FILLER_BYTES.subarray(0, rest));
        }
      } catch (error) {
        // Another process took the last bytes.
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      holder.kill("SIGKILL");
      await holder.exited;
      rmdirSync(path);
    },
  };
}
