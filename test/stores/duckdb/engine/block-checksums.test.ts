import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BLOCK_BYTES,
  CHECKED_BYTES_MAX,
  HEADERS_BYTES,
  isSuspect,
} from "../../../../src/stores/duckdb/engine/block-checksums.ts";
import { openDuckdb } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { isDamage } from "../../../../src/stores/duckdb/engine/faults.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";

setDefaultTimeout(60_000);

const place = temporaryDirectory();
const path = join(place.path, "events", "1.duckdb");

const open = (readAll: boolean) =>
  openDuckdb({
    ...{ directory: place.path, generation: 1, memory_bytes: 128_000_000, threads: 2, readAll },
    onFatal(error) {
      throw error;
    },
  });

let whole: Buffer;

beforeAll(async () => {
  const duckdb = await open(false);
  await duckdb.write((connection) =>
    connection.run(
      `INSERT INTO events BY NAME SELECT i AS seq, 1 AS project_id, uuid() AS uuid, 'e' AS event,
         'ann' AS distinct_id, uuid() AS person_id, TIMESTAMP '2026-11-21' AS "timestamp",
         TIMESTAMP '2026-11-21' AS ingested_at, to_json({t: md5(i::VARCHAR)}) AS properties
       FROM range(50000) AS numbers (i)`,
    ),
  );
  await duckdb.close();
  whole = readFileSync(path);
});

afterAll(() => place[Symbol.dispose]());

const blocks = () => (whole.length - HEADERS_BYTES) / BLOCK_BYTES;

describe("a file of the event store", () => {
  test("is as it was written", async () => {
    expect(blocks()).toBeGreaterThan(16);
    expect(await isSuspect(path)).toBe(false);
    await (await open(true)).close();
  });

  test("is found to be damaged in any of its blocks, and so says the engine that reads all", async () => {
    const said: (boolean | undefined)[] = [];
    for (let block = 0; block < blocks(); block += 1) {
      const bytes = Buffer.from(whole);
      const at = HEADERS_BYTES + block * BLOCK_BYTES + ((block * 7919) % BLOCK_BYTES);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (block % 8));
      writeFileSync(path, bytes);

      expect(await isSuspect(path)).toBe(true);
      if (block % 4 !== 0) continue;
      const opened = await open(true).catch((error: Error) => error);
      said.push(opened instanceof Error ? isDamage(opened) : undefined);
      if (!(opened instanceof Error)) await opened.close();
    }

    // Some blocks are free, in which nothing is damaged.
    expect(said.filter((damaged) => damaged === true).length).toBeGreaterThan(2);
    expect(said).not.toContain(false);
  });

  test("may lack blocks at its end that are free, or have half of one", async () => {
    await Bun.write(path, whole);
    const duckdb = await open(false);
    await duckdb.write((connection) => connection.run("DELETE FROM events WHERE seq >= 25000"));
    await duckdb.checkpoint();
    await duckdb.write((connection) => connection.run("DELETE FROM events"));
    await duckdb.close();
    const less = readFileSync(path);
    const { count, free } = layout(less);
    expect(free.length).toBeGreaterThan(4);

    expect(await isSuspect(path)).toBe(false);
    for (const block of free) {
      const at = HEADERS_BYTES + block * BLOCK_BYTES;
      if (at < less.length) less.fill(1, at + 100, at + 300);
    }
    writeFileSync(path, less);
    expect(await isSuspect(path)).toBe(false);
    expect(count).toBeGreaterThanOrEqual((less.length - HEADERS_BYTES) / BLOCK_BYTES);
    await (await open(true)).close();
  });

  test("is found to lack its end", async () => {
    writeFileSync(path, whole);
    truncateSync(path, whole.length - BLOCK_BYTES);
    expect(await isSuspect(path)).toBe(true);
  });

  test("is left to the engine if it is not there, or too large", async () => {
    expect(await isSuspect(join(place.path, "none"))).toBe(false);
    writeFileSync(path, whole);
    truncateSync(path, CHECKED_BYTES_MAX + 1);
    expect(await isSuspect(path)).toBe(false);
  });
});

/** What the header of a file says that was written last. */
function layout(file: Buffer): { count: number; free: number[] } {
  const [one, other] = [4096, 8192].map((at) => file.readBigUInt64LE(at + 8));
  const at = (one ?? 0n) > (other ?? 0n) ? 4096 : 8192;
  const list = file.readBigUInt64LE(at + 24);
  const from = HEADERS_BYTES + Number(BigInt.asUintN(56, list)) * BLOCK_BYTES + 8;
  const part = from + Number(list >> 56n) * 4088 + 8;
  const free = Array.from({ length: Number(file.readBigUInt64LE(part)) }, (_, index) =>
    Number(file.readBigUInt64LE(part + 8 + index * 8)),
  );
  return { count: Number(file.readBigUInt64LE(at + 32)), free };
}
