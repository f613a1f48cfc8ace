import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { metricValue, scrape } from "../../support/answers/prometheus.ts";
import { clockBefore, eventOf, sendStored } from "../../support/data/senders.ts";
import { overwrite } from "../../support/disk/damage.ts";
import { type Everything, everything } from "../../support/disk/project-contents.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { preparedData } from "../../support/start/prepared-data.ts";
import { runCommand } from "../../support/start/process.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { filesBelow, startServer } from "../../support/start/server.ts";

const FLAGS = ["--journal", "1"];
const EVENTS = 3000;

let root = temporaryDirectory();
let data = "";
let held: Everything;

beforeEach(() => {
  root = temporaryDirectory();
  data = join(root.path, "data");
});

afterEach(() => root[Symbol.dispose]());

/** A server whose archive and journal had events of the same numbers. */
const archived = preparedData(async (data) => {
  await using server = await startServer({ data, flags: FLAGS });
  const clock = clockBefore(Date.now());
  const events = Array.from({ length: EVENTS }, (_, n) => {
    const text = crypto.getRandomValues(new Uint8Array(150)).toHex();
    const distinct_id = `person-${n % 7}`;
    const properties = { text: `planted ${text}`, $set: { n } };
    return eventOf({ distinct_id, timestamp: clock(), properties });
  });
  await sendStored(server, events.slice(0, EVENTS - 200));
  const list = join(data, "archive", "archive.json");
  while (JSON.parse(readFileSync(list, "utf8")).last < EVENTS - 200) await Bun.sleep(50);
  await sendStored(server, events.slice(EVENTS - 200));
  const held = await everything(server);
  expect(await server.stop()).toBe(0);
  return held;
});

const parquet = () =>
  filesBelow(join(data, "archive"))
    .filter((path) => path.endsWith(".parquet"))
    .toSorted();

/** Copies the directory without its event store; returns the number of the journal's first event. */
async function withoutEvents(): Promise<number> {
  held = await archived(data);
  rmSync(join(data, "events"), { recursive: true });
  const segments = readdirSync(join(data, "journal")).filter((name) => /^\d+\.journal$/.test(name));
  return Number.parseInt(segments.toSorted()[0] ?? "", 10);
}

/** Puts bytes into the middle third of a file: a few might be read as other text. */
function spoil(path: string, bytes: (count: number) => Uint8Array): void {
  const third = Math.floor(statSync(path).size / 3);
  overwrite(path, third, bytes(third));
}

const garbage = (count: number) =>
  Uint8Array.from({ length: count }, (_, n) => (n * 37 + 11) % 251);

/** Returns the rows that a start finds, once it has reported the lost rows. */
async function foundBy(lost: number): Promise<Everything> {
  await using server = await startServer({ data, flags: FLAGS });
  const found = await everything(server);
  while (metricValue(await scrape(server), "hoglet_archive_rows_lost") !== lost) {
    await Bun.sleep(50);
  }
  const { err } = server.output();
  expect(err).not.toContain("could not");
  expect(err).not.toContain("planted");
  expect(await server.stop()).toBe(0);
  return found;
}

/** Checks that a start loses what only the archive had, and tells of it; and that the next has the same. */
async function expectLost(lost: number, counted = lost): Promise<void> {
  const kept = { ...held, events: held.events.slice(0, EVENTS - lost) };
  expect(await foundBy(counted)).toEqual(kept);
  // Rows from the journal are archived since then.
  rmSync(join(data, "events"), { recursive: true });
  expect(await foundBy(counted)).toEqual(kept);
}

test("archived events that the journal still has come from there, and only the rest is lost", async () => {
  const first = await withoutEvents();
  expect(first).toBeGreaterThan(1);
  expect(first).toBeLessThan(EVENTS - 200);
  for (const path of parquet()) overwrite(path, 1000, new Uint8Array(50));

  await expectLost(first - 1);
});

/** Damages of files whose marker is lost. */
const DAMAGES: Record<string, (path: string) => void> = {
  "have garbage in their middle": (path) => spoil(path, garbage),
  "have zeros in their middle": (path) => spoil(path, (count) => new Uint8Array(count)),
  "have a damaged footer": (path) => overwrite(path, statSync(path).size - 40, garbage(30)),
  "are empty": (path) => truncateSync(path, 0),
  "are texts": (path) => writeFileSync(path, "nonsense"),
};

test.each(casesOf(Object.entries(DAMAGES).slice(0, 1), Object.entries(DAMAGES)))(
  "files that %s next to a garbled marker are quarantined, and the rest is restored",
  async (_, damage) => {
    const first = await withoutEvents();
    for (const path of parquet()) damage(path);
    writeFileSync(join(data, "archive", "archive.json"), "garbage\n");

    await expectLost(first - 1, 0);
  },
);

/** Readable contents that may be in the place of a file. */
const INSTEAD: Record<string, string> = {
  "the rows of another project": "SELECT * REPLACE (2 AS project_id) FROM was",
  "rows of other numbers": "SELECT * REPLACE (seq + 1000000 AS seq) FROM was",
  "other columns": "SELECT 1 AS one",
};

test.each(casesOf(Object.entries(INSTEAD).slice(0, 1), Object.entries(INSTEAD)))(
  "a file with %s is quarantined",
  async (_, select) => {
    const first = await withoutEvents();
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    for (const path of parquet()) {
      await connection.run(`CREATE OR REPLACE TABLE was AS FROM '${path}'`);
      await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    }
    instance.closeSync();
    rmSync(join(data, "archive", "archive.json"));

    const { code, out, err } = await runCommand(["rebuild", "--data", data, ...FLAGS]);

    expect([code, out]).toEqual([0, expect.stringContaining(`${EVENTS - first + 1} events`)]);
    expect(err).toContain("is unknown");
  },
);

test("a rebuild without marker and event store quarantines unreadable files, and prints no stored text", async () => {
  const first = await withoutEvents();
  for (const path of parquet()) spoil(path, garbage);
  writeFileSync(join(data, "archive", "archive.json"), "garbage\n");

  const { code, out, err } = await runCommand(["rebuild", "--data", data, ...FLAGS]);

  expect([code, out]).toEqual([0, expect.stringContaining(`${EVENTS - first + 1} events`)]);
  expect(err).toContain("is unknown");
  expect(err).not.toContain("planted");
  await expectLost(first - 1, 0);
});

test("a file that cannot be read is quarantined although it has its checksum", async () => {
  const first = await withoutEvents();
  for (const path of parquet()) {
    spoil(path, garbage);
    const sha256 = new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
    renameSync(path, path.replace(/[0-9a-f]{16}\.parquet$/, `${sha256.slice(0, 16)}.parquet`));
  }

  await expectLost(first - 1);
});

test("a file that is gone with the marker is missed by the event store, and no rebuild goes without it", async () => {
  await archived(data);
  const path = join(data, "archive", "archive.json");
  const marker = () => JSON.parse(readFileSync(path, "utf8"));
  let before: Everything;
  {
    await using server = await startServer({ data, flags: FLAGS });
    const clock = clockBefore(Date.now());
    const more = Array.from({ length: 1500 }, (_, n) =>
      eventOf({
        distinct_id: `person-${n % 7}`,
        timestamp: clock(),
        properties: { text: "x".repeat(900) },
      }),
    );
    const { last } = marker();
    await sendStored(server, more);
    while (marker().last === last) await Bun.sleep(50);
    before = await everything(server);
    expect(await server.stop()).toBe(0);
  }
  const [gone = "", ...others] = parquet();
  expect(others.length).toBeGreaterThan(0);
  for (const file of [path, gone]) rmSync(file);

  const refused = await runCommand(["rebuild", "--data", data, ...FLAGS]);
  {
    await using server = await startServer({ data, flags: FLAGS });
    while (marker().rows === null) await Bun.sleep(50);
    expect(await server.stop()).toBe(0);
  }
  const rebuilt = await runCommand(["rebuild", "--data", data, ...FLAGS]);
  await using server = await startServer({ data, flags: FLAGS });

  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining("Start hoglet serve: it repairs the archive from the event store"),
  ]);
  expect(rebuilt.code).toBe(0);
  expect(await everything(server)).toEqual(before);
});
