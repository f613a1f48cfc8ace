import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import {
  materializedColumns,
  readableColumns,
} from "../../src/stores/duckdb/events/hot-columns.ts";
import { openStore, PROMOTED, use } from "../support/data/data-sets.ts";
import { expectSameTexts } from "../support/data/promoted.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { TEST_MS_MAX } from "../support/start/patience.ts";
import { eachStep, rounds, seedOf } from "../support/start/rounds.ts";
import { ROOT } from "../support/start/server.ts";

/** Of so many statements one is tried. */
const STRIDE = rounds(60, 1);

/** Decides which statements are tried. */
const SEED = seedOf();

setDefaultTimeout(TEST_MS_MAX + (600_000 * 2) / STRIDE);

/** So many that there are several loads. */
const SETS = 250;
const KILLED = 137;
const WITHIN_MS = 4;

test("a store killed within any statement has the right text in every column that is read", async () => {
  const random = randomOf(SEED);
  const first = 1 + Math.floor(random() * STRIDE);
  await eachStep({ seed: SEED, kind: "duckdb", first, stride: STRIDE }, (step) =>
    killAt(`${step}:${(random() * WITHIN_MS).toFixed(2)}`),
  );
});

/** Kills at a statement, and looks at what is there; false if all was done before. */
async function killAt(at: string): Promise<boolean> {
  using directory = temporaryDirectory();
  const [preload, script] = ["start/kill-at.ts", "data/promote.ts"].map((name) =>
    join(ROOT, "test/support", name),
  ) as [string, string];
  const child = Bun.spawn(
    [process.execPath, "--preload", preload, script, directory.path, String(SETS)],
    { env: { ...process.env, KILL_AT: at }, stdout: "ignore", stderr: "pipe" },
  );
  const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  expect([code, said]).toEqual([code === 0 ? 0 : KILLED, ""]);
  const duckdb = await openStore(directory.path);
  try {
    await expectSameTexts(duckdb);
    const columns = materializedColumns(duckdb);
    await use(columns, PROMOTED);
    while (await columns.choose()) await columns.fill();
    expect(await expectSameTexts(duckdb)).toBe(PROMOTED.length);
    expect([...(await duckdb.read(readableColumns)).keys()].toSorted()).toEqual(
      PROMOTED.toSorted(),
    );
  } finally {
    await duckdb.close();
  }
  return code !== 0;
}
