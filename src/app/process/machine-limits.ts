import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { dirname, join } from "node:path";

/** The memory and processors that this process may use. */
export type Machine = {
  memoryBytes: number;
  /** Processors, at least one. */
  processors: number;
};

const CGROUPS = "/sys/fs/cgroup";

/** Reads the text of a file; undefined if the file does not exist. */
type Read = (path: string) => string | undefined;

/**
 * The machine as far as the control groups of this process allow (decision 67): the smallest limit of any
 * group from its own up to the root.
 */
export function machine(
  read: Read = readText,
  whole: Machine = { memoryBytes: totalmem(), processors: availableParallelism() },
): Machine {
  const lines = (read("/proc/self/cgroup") ?? "").split("\n").map((line) => line.split(":"));
  const groupOf = (controller: string) =>
    lines.find(([, names = ""]) => names.split(",").includes(controller))?.[2];
  const least = (limits: number[]) =>
    Math.min(Number.POSITIVE_INFINITY, ...limits.filter((limit) => limit > 0));

  const unified = upwards(CGROUPS, groupOf("") ?? "/");
  const memory = upwards(join(CGROUPS, "memory"), groupOf("memory") ?? "/");
  const cpu = upwards(join(CGROUPS, "cpu"), groupOf("cpu") ?? "/");
  const memoryMax = least([
    ...unified.map((path) => Number(read(join(path, "memory.max")))),
    ...memory.map((path) => Number(read(join(path, "memory.limit_in_bytes")))),
  ]);
  const processorsMax = least([
    ...unified.map((path) => share(read(join(path, "cpu.max"))?.split(" "))),
    ...cpu.map((path) =>
      share([read(join(path, "cpu.cfs_quota_us")), read(join(path, "cpu.cfs_period_us"))]),
    ),
  ]);
  return {
    memoryBytes: Math.min(whole.memoryBytes, memoryMax),
    processors: Math.max(1, Math.min(whole.processors, Math.ceil(processorsMax))),
  };
}

/** The directories of a group and of all above it. */
function upwards(root: string, group: string): string[] {
  const parent = dirname(group);
  return [join(root, group), ...(parent === group ? [] : upwards(root, parent))];
}

/** The share of a period that a quota of processor time allows; NaN without a quota. */
function share([quota, period]: readonly (string | undefined)[] = []): number {
  return Number(quota) / Number(period);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
