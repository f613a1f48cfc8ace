import { type SharedDisk, serveDisk } from "../../stores/files/disk-thread.ts";

// The journal's own thread (decision 55): it waits for the disk, and for nothing else.
if (!Bun.isMainThread) {
  globalThis.addEventListener("message", ({ data }: MessageEvent<SharedDisk>) => serveDisk(data));
}
