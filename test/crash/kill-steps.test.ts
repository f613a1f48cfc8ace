import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bodyOf, clockBefore, eventOf, type Sent } from "../support/data/senders.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { expectKept, expectProjected } from "../support/disk/project-contents.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { TEST_MS_MAX } from "../support/start/patience.ts";
import { KEYS, start } from "../support/start/process.ts";
import { casesOf, eachStep, rounds, seedOf } from "../support/start/rounds.ts";
import { ROOT, startServer } from "../support/start/server.ts";

/** Of so many steps one is tried. */
const STRIDE = rounds(100, 1);

/** The same for the steps of the archive, which are few. */
const ARCHIVE_STRIDE = rounds(20, 1);

/** Decides which steps are tried, and what is sent. */
const SEED = seedOf();

setDefaultTimeout(TEST_MS_MAX + (600_000 * 2) / STRIDE);

const KILL_AT = join(ROOT, "test/support/start/kill-at.ts");
const KILLABLE = [process.execPath, "--preload", KILL_AT, join(ROOT, "src/main.ts")];
const KILLED = 137;

/** The first step that is tried is at most this one: every kind has as many. */
const FIRST_MAX = 6;

/** How far apart the requests are, in milliseconds: enough for most to be slices of their own. */
const REQUEST_MS = 120;

/** So much that four events are more than the journal's smallest bound. */
const LARGE = { padding: "padding ".repeat(40_000) };

/** The steps that are counted, and for how long at most the one that is hit goes on. */
const STEPS = [
  ["before any statement of SQLite", "sqlite", undefined],
  ["before any statement of DuckDB", "duckdb", undefined],
  ["before any write or sync of the journal", "file", undefined],
  ["within any statement of DuckDB", "duckdb", 6],
] as const;

test.each(casesOf(STEPS.slice(0, 3), STEPS))(
  "a server killed %s, from the migrations to the last checkpoint, keeps all, once",
  async (_when, kind, withinMs) => {
    const random = randomOf(SEED);
    const first = 1 + Math.floor(random() * Math.min(STRIDE, FIRST_MAX));
    const instant = () => (withinMs === undefined ? "" : `:${(random() * withinMs).toFixed(2)}`);
    await eachStep({ seed: SEED, kind, first, stride: STRIDE }, (step) => killAt(step + instant()));
  },
);

test("a server killed before any sync of the archive or a directory keeps all, once, and can rebuild it", async () => {
  const random = randomOf(SEED);
  const first = 1 + Math.floor(random() * Math.min(ARCHIVE_STRIDE, FIRST_MAX));
  await eachStep({ seed: SEED, kind: "sync", first, stride: ARCHIVE_STRIDE }, (step) =>
    killAt(step, { archives: true }),
  );
});

/** Kills a new server at a step and checks what the next one has; false if it ended before. */
async function killAt(at: string, { archives = false } = {}): Promise<boolean> {
  using directory = temporaryDirectory();
  const data = directory.path;
  const sent = work(archives ? LARGE : {});
  const code = await runUntilKilled(data, sent, { at, archives });
  expect([0, KILLED]).toContain(code);
  if (code === 0) return false;
  await using server = await startServer({ data });
  // What nobody has answered is sent again, as SDKs do.
  for (const event of sent) if (!event.acknowledged) await send(server.url, event);
  const kept = await expectKept(server, sent);
  expect(sent.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
  expect(await server.stop()).toBe(0);
  await expectProjected(data, kept);
  expect(readdirSync(join(data, "loads"))).toEqual([]);
  if (archives) {
    rmSync(join(data, "events"), { recursive: true });
    await using rebuilt = await startServer({ data });
    expect((await expectKept(rebuilt, sent)).persons).toEqual(kept.persons);
  }
  return true;
}

/** Starts a server that kills itself, sends to it, and stops it if it is still there. */
async function runUntilKilled(
  data: string,
  sent: readonly Sent[],
  { at, archives }: { at: string; archives: boolean },
): Promise<number> {
  const env = { ...KEYS, KILL_AT: at, ...(archives ? { HOGLET_JOURNAL: "1" } : {}) };
  await using server = start(data, { command: KILLABLE, env });
  const url = await server.listening;
  if (url === undefined) return await server.exited;
  for (const event of sent) {
    await send(url, event);
    await Bun.sleep(REQUEST_MS);
  }
  if (archives) await Promise.race([isArchived(data), server.exited]);
  server.signal("SIGTERM");
  return await server.exited;
}

/** Sends an event and notes whether it was acknowledged. */
async function send(url: string, event: Sent): Promise<void> {
  const answer = await fetch(`${url}/batch/`, {
    method: "POST",
    body: JSON.stringify(bodyOf([event])),
  }).catch(() => undefined);
  if (answer?.status === 200) event.acknowledged = true;
}

/** A few events of two persons, each of which overwrites what the last one wrote. */
function work(fields: object): Sent[] {
  const clock = clockBefore(Date.now());
  return [1, 2, 3, 4].map((n) =>
    eventOf({
      event: "step",
      distinct_id: n % 2 === 0 ? "even" : "odd",
      timestamp: clock(),
      properties: { n, $set: { n }, $set_once: { first: n }, ...fields },
    }),
  );
}

/** Waits until all that was sent is archived and has left the journal. */
async function isArchived(data: string): Promise<void> {
  const list = join(data, "archive", "archive.json");
  const last = () => (existsSync(list) ? JSON.parse(readFileSync(list, "utf8")).last : 0);
  while (last() < 4) await Bun.sleep(20);
}
