import { dlopen } from "bun:ffi";

/**
 * Threads of Bun's pool: each query of callers' holds one for as long as it lasts (four of the API's,
 * two of SQL), and files and loads need one beside them (decision 90). Bun has as many as there are
 * cores.
 */
export const POOL_THREADS = 8;

/** What Bun takes the number from, once, when the pool begins: what `process.env` says is too late. */
const VARIABLE = "UV_THREADPOOL_SIZE";

const LIBRARY: Partial<Record<NodeJS.Platform, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
};

widen();

/** Only before anything has used the pool, and so while the first module is loaded. */
function widen(): void {
  const library = LIBRARY[process.platform];
  if (library === undefined) return;
  try {
    const { symbols, close } = dlopen(library, {
      setenv: { args: ["cstring", "cstring", "i32"], returns: "i32" },
    });
    // What is set already stays.
    symbols.setenv(Buffer.from(`${VARIABLE}\0`), Buffer.from(`${POOL_THREADS}\0`), 0);
    close();
  } catch {
    // Where nothing can be called so, all works with as many threads as Bun would have.
  }
}
