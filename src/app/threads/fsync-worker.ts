import { type SharedDisk, serveDisk } from "../../stores/files/disk-thread.ts";

// The journal's own thread waits for the disk alone. In Bun's pool, two long queries of DuckDB on two
// processors held up an fdatasync, and every answer with it, for 1.8 s.
if (!Bun.isMainThread) {
  globalThis.addEventListener("message", ({ data }: MessageEvent<SharedDisk>) => serveDisk(data));
}
