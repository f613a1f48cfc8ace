import { dlopen } from "bun:ffi";

/**
 * Threads of Bun's pool. Each query of a caller holds one while it runs (four of the API, two of SQL), and
 * files and loads need one more (decision 90). By default Bun starts one per core.
 */
export const IO_THREADS = 8;

/** The variable that Bun reads once, when its pool starts; `process.env` would set it too late. */
const VARIABLE = "UV_THREADPOOL_SIZE";

const LIBRARY: Partial<Record<NodeJS.Platform, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
};

setIoThreads();

/** Works only before the pool is first used, so it runs while the first module is loaded. */
function setIoThreads(): void {
  const library = LIBRARY[process.platform];
  if (library === undefined) return;
  try {
    const { symbols, close } = dlopen(library, {
      setenv: { args: ["cstring", "cstring", "i32"], returns: "i32" },
    });
    // A value that is set already stays.
    symbols.setenv(Buffer.from(`${VARIABLE}\0`), Buffer.from(`${IO_THREADS}\0`), 0);
    close();
  } catch {
    // If the call fails, Bun uses its default number of threads.
  }
}
