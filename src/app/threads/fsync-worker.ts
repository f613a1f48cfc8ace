import { type SharedDisk, serveDisk } from "../../stores/files/disk-thread.ts";

// This thread only waits for the journal's disk. In Bun's pool, two long queries of DuckDB on two processors
// delayed an fdatasync, and every answer with it, by 1.8 s.
if (!Bun.isMainThread) {
  globalThis.addEventListener("message", ({ data }: MessageEvent<SharedDisk>) => serveDisk(data));
}
