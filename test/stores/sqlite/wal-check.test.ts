import { expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { isLogDamaged } from "../../../src/stores/sqlite/wal-check.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

const HEADER = 32;
const FRAME = 24 + 4096;

/** A database as a kill leaves it: `values` are in its log, each committed by itself. */
function killed(directory: string, values: number): string {
  const writer = openSqlite(join(directory, "alive.sqlite"));
  writer.raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let n = 0; n < values; n += 1) {
    writer.raw.run("INSERT INTO meta VALUES (?, 'kept')", [`key ${n}`]);
  }
  const path = join(directory, "killed.sqlite");
  for (const end of ["", "-wal", "-shm"]) {
    cpSync(join(directory, `alive.sqlite${end}`), path + end);
  }
  writer.close();
  return path;
}

function change(path: string, at: number, bytes: Uint8Array): void {
  const whole = readFileSync(path);
  whole.set(bytes, at);
  writeFileSync(path, whole);
}

const flip = (path: string, at: number) =>
  change(path, at, Uint8Array.of((readFileSync(path)[at] ?? 0) ^ 1));

const garbage = Uint8Array.from({ length: 8192 }, (_, n) => (n * 31 + 7) % 251);

test("a log as a kill leaves it is whole, and so is one that was never written", () => {
  using directory = temporaryDirectory();
  const path = killed(directory.path, 3);

  expect(isLogDamaged(path)).toBe(false);
  const again = openSqlite(path);
  expect(again.raw.query("SELECT count(*) AS n FROM meta WHERE value = 'kept'").get()).toEqual({
    n: 3,
  });
  again.close();
  expect(isLogDamaged(path)).toBe(false);
  expect(isLogDamaged(join(directory.path, "none.sqlite"))).toBe(false);
});

test.each<[string, (log: string) => void]>([
  ["has a wrong bit in its header", (log) => flip(log, 17)],
  ["has a wrong bit in its first frame", (log) => flip(log, HEADER + 1000)],
  ["has a wrong bit in its last frame", (log) => flip(log, HEADER + 2 * FRAME + 1000)],
  ["is zeros", (log) => writeFileSync(log, Buffer.alloc(readFileSync(log).length))],
  ["is garbage", (log) => writeFileSync(log, garbage)],
  ["is garbage in the middle", (log) => change(log, FRAME, garbage.subarray(0, 4000))],
  ["has lost its end", (log) => truncateSync(log, HEADER + 2 * FRAME)],
  ["has lost all but a few bytes", (log) => truncateSync(log, 10)],
])("a log that %s is damaged, and cannot be opened", (_what, damage) => {
  using directory = temporaryDirectory();
  const path = killed(directory.path, 3);

  damage(`${path}-wal`);

  expect(isLogDamaged(path)).toBe(true);
  expect(() => openSqlite(path)).toThrow(`its write-ahead log ${path}-wal is damaged`);
});

test("uncommitted frames may be torn", () => {
  using directory = temporaryDirectory();
  const path = killed(directory.path, 3);
  const log = readFileSync(`${path}-wal`);
  const torn = Buffer.from(log.subarray(HEADER, HEADER + FRAME));

  for (const end of [torn, torn.subarray(0, 100), Buffer.alloc(FRAME), garbage]) {
    writeFileSync(`${path}-wal`, Buffer.concat([log, end]));
    expect(isLogDamaged(path)).toBe(false);
  }
});

test("without the index a commit before others is also missed", () => {
  using directory = temporaryDirectory();
  const path = killed(directory.path, 3);
  const whole = readFileSync(`${path}-wal`);
  rmSync(`${path}-shm`);

  expect(isLogDamaged(path)).toBe(false);
  flip(`${path}-wal`, HEADER + 1000);
  expect(isLogDamaged(path)).toBe(true);
  // The last one may have been torn by a power cut.
  writeFileSync(`${path}-wal`, whole);
  flip(`${path}-wal`, HEADER + 2 * FRAME + 1000);
  expect(isLogDamaged(path)).toBe(false);
});
