import { fstatSync, statSync } from "node:fs";
import type { Io } from "./command.ts";

/** Standard output, and a way to wait for its end. */
type Output = Pick<Io, "out" | "unprinted" | "isNowhere" | "isTerminal"> & {
  /** Resolves once all output is written: a pipe takes 64 KiB at once. */
  end(): Promise<void>;
};

/** Prints to standard output. Does not throw if the disk is full or the reader has gone. */
export function standardOutput(): Output {
  let failed: string | undefined;
  let last = Promise.resolve();
  const gone = Promise.withResolvers<void>();
  const fail = (error: Error) => {
    failed ??= "code" in error ? String(error.code) : error.message;
    gone.resolve();
  };
  process.stdout.on("error", fail);
  return {
    out(line) {
      const written = Promise.withResolvers<void>();
      last = written.promise;
      process.stdout.write(`${line}\n`, (error) => {
        if (error) fail(error);
        written.resolve();
      });
    },
    async unprinted() {
      await Promise.race([last, gone.promise]);
      return failed;
    },
    isNowhere: isNull(1),
    isTerminal: process.stdout.isTTY === true,
    async end() {
      if (failed !== undefined) return;
      const through = new Promise<void>((resolve) => process.stdout.end(resolve));
      await Promise.race([through, gone.promise]);
    },
  };
}

/** Whether a file is the null device, which Bun opens in the place of a closed output. */
function isNull(fd: number): boolean {
  try {
    const file = fstatSync(fd);
    return file.isCharacterDevice() && file.rdev === statSync("/dev/null").rdev;
  } catch {
    return true;
  }
}
