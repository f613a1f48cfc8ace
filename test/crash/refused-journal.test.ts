import { expect, test } from "bun:test";
import { join } from "node:path";
import { metricValue, scrape } from "../support/answers/prometheus.ts";
import { batch, event } from "../support/data/build-records.ts";
import { smallDisk } from "../support/disk/small-disk.ts";
import { executable } from "../support/start/executable.ts";
import { startServer } from "../support/start/server.ts";

const MB = 1_000_000;

type Line = { level: string; message: string; path: string; error?: string };

test("a disk that refuses the journal has one line with error and folder, and one when it is over", async () => {
  await using disk = await smallDisk(400 * MB);
  await using server = await startServer({
    data: join(disk.path, "data"),
    command: disk.command([executable()]),
    flags: ["--disk-floor", "0"],
  });
  const lines = () =>
    server
      .output()
      .err.split("\n")
      .filter((line) => line.includes("the journal "))
      .map((line) => JSON.parse(line) as Line);
  const send = async () =>
    (await server.capture(batch(event({ properties: { pad: "x".repeat(100_000) } })))).status;
  const reasons = async () =>
    ((await (await fetch(`${server.url}/_readiness`)).json()) as { reasons: string[] }).reasons;
  disk.fill(0);

  while (lines().length === 0) await send();
  for (let refused = 0; refused < 20; refused += 1) expect(await send()).toBe(503);

  expect(lines()).toMatchObject([
    {
      level: "error",
      message: "the journal cannot be written: events get 503",
      path: join(disk.path, "data", "journal"),
    },
  ]);
  expect(lines()[0]?.error).toContain("ENOSPC");
  expect(await reasons()).toContain("journal_refused");
  expect(metricValue(await scrape(server), "hoglet_journal_refused")).toBe(1);
  disk.empty();
  while ((await send()) !== 200) await Bun.sleep(20);
  while (lines().length < 2) await Bun.sleep(20);
  expect(lines().map(({ message }) => message)).toEqual([
    "the journal cannot be written: events get 503",
    "the journal is written again",
  ]);
  expect(metricValue(await scrape(server), "hoglet_journal_refused")).toBe(0);
  expect(await server.stop()).toBe(0);
});
