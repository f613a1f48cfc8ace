import { expect, test } from "bun:test";
import { machine } from "../../../src/app/process/machine-limits.ts";

const GB = 1_000_000_000;
const WHOLE = { memoryBytes: 16 * GB, processors: 8 };

const on = (files: Record<string, string>) => machine((path) => files[path], WHOLE);

test("without control groups, or limits in them, it is the whole machine", () => {
  expect(on({})).toEqual(WHOLE);
  expect(
    on({
      "/proc/self/cgroup": "0::/user.slice/me.scope",
      "/sys/fs/cgroup/user.slice/memory.max": "max",
      "/sys/fs/cgroup/user.slice/me.scope/cpu.max": "max 100000",
    }),
  ).toEqual(WHOLE);
  expect(
    on({
      "/proc/self/cgroup": "4:memory:/a\n1:cpu,cpuacct:/a",
      "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712",
      "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "-1",
      "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000",
    }),
  ).toEqual(WHOLE);
});

test("the smallest limit of a group and its parents counts", () => {
  expect(
    on({
      "/proc/self/cgroup": "0::/system.slice/hoglet.service",
      "/sys/fs/cgroup/system.slice/memory.max": String(2 * GB),
      "/sys/fs/cgroup/system.slice/hoglet.service/memory.max": String(4 * GB),
      "/sys/fs/cgroup/system.slice/hoglet.service/cpu.max": "150000 100000",
    }),
  ).toEqual({ memoryBytes: 2 * GB, processors: 2 });
  expect(
    on({ "/sys/fs/cgroup/memory.max": String(GB), "/sys/fs/cgroup/cpu.max": "5000 100000" }),
  ).toEqual({ memoryBytes: GB, processors: 1 });
});

test("groups of version 1 count as well", () => {
  expect(
    on({
      "/proc/self/cgroup": "4:memory:/docker/1\n1:cpu,cpuacct:/docker/1\n0::/",
      "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": String(GB),
      "/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us": "300000",
      "/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us": "100000",
    }),
  ).toEqual({ memoryBytes: GB, processors: 3 });
});
