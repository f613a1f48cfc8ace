import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join, resolve } from "node:path";

/** The machine in lines of `name: value`, and how fast it makes bytes in `directory` durable. */
export function machine(directory: string): string[] {
  const models = [...new Set(cpus().map(({ model }) => model.trim()))];
  return [
    `CPU: ${models.join(", ")}, ${cpus().length} cores (${arch()}), shared by server and load generator`,
    `memory: ${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    `kernel: ${type()} ${release()}`,
    `Bun: ${Bun.version}`,
    `disk: ${fileSystemOf(directory)}, ${syncsPerSecond(directory)} fdatasync/s of 1 KiB appends`,
  ];
}

/** What a process has used, as the kernel counts it; undefined where there is no /proc. */
export type Usage = { cpuSeconds: number; rssBytes: number; peakBytes: number };

/** Reads what a process uses now and has used at most. */
export function usage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      rssBytes: kilobytes("VmRSS") * 1024,
      peakBytes: kilobytes("VmHWM") * 1024,
    };
  } catch {
    return undefined;
  }
}

/** CPU seconds that this process and its children that have ended have used. */
export function ownSeconds(): number {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** CPU seconds that all processes of the machine have used. */
export function busySeconds(): number {
  const times = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return times.reduce((sum, ms) => sum + ms, 0) / 1000;
}

/** The kernel's USER_HZ, the same on every Linux. */
const TICKS_PER_SECOND = 100;

const SYNC_TRIAL_MS = 500;

function syncsPerSecond(directory: string): number {
  const path = join(directory, "sync-trial");
  const file = openSync(path, "wx");
  const bytes = new Uint8Array(1024).fill(0x20);
  const started = performance.now();
  let count = 0;
  for (; performance.now() - started < SYNC_TRIAL_MS; count += 1) {
    writeSync(file, bytes);
    fdatasyncSync(file);
  }
  const seconds = (performance.now() - started) / 1000;
  closeSync(file);
  rmSync(path);
  return Math.round(count / seconds);
}

/** The type of the file system that a directory is on, as far as it can be told. */
function fileSystemOf(directory: string): string {
  try {
    const path = `${resolve(directory)}/`;
    const mounts = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, point = "-"]) => path.startsWith(point === "/" ? "/" : `${point}/`))
      .sort(([, a = ""], [, b = ""]) => b.length - a.length);
    return mounts[0]?.[2] ?? "unknown file system";
  } catch {
    return "unknown file system";
  }
}
