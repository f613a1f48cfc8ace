import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { type Duckdb, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { zeroPagePadding } from "../../../../src/stores/duckdb/engine/page-padding.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { testDuckdb } from "../../../support/start/duckdb-store.ts";
import { casesOf } from "../../../support/start/rounds.ts";

const BLOCK_BYTES = 262_144;
const HEADERS_BYTES = 12_288;
const FACTOR = 0xbf_58_47_6d_1c_e4_e5_b9n;

/** Texts of which a vector takes a few pages, and a page takes a few vectors. */
const TEXTS = {
  long: `array_to_string([md5((i * n)::VARCHAR) FOR n IN range(1, 16)], '')`,
  short: "md5(i::VARCHAR)",
};

const LENGTHS = Object.entries(TEXTS);

test.each(casesOf(LENGTHS.slice(0, 1), LENGTHS))(
  "the padding of pages is zero, and the rows are as they were: %s texts",
  async (_length, text) => {
    using place = temporaryDirectory();
    const path = join(place.path, "events", "1.duckdb");
    await fill(place.path, text);
    const before = await digest(path);
    await clear(path);
    const clean = readFileSync(path);
    const left = poison(path, clean, await pagesOf(path));

    expect(await digest(path)).toEqual(before);
    await clear(path);

    expect(left).toBeGreaterThan(0);
    expect(readFileSync(path).equals(clean)).toBe(true);
    expect(await digest(path)).toEqual(before);
  },
);

test("padding and freed memory are cleared while the store is open, and hold no other rows", async () => {
  using place = temporaryDirectory();
  const path = join(place.path, "events", "1.duckdb");
  await fill(place.path, TEXTS.long);
  await clear(path);
  const left = poison(path, readFileSync(path), await pagesOf(path));
  const before = await digest(path);
  const isPoisoned = () => readFileSync(path).includes("poisoned");
  const duckdb = await opened(place.path);
  const hash = "SELECT count(*) AS count, bit_xor(hash(row))::VARCHAR AS hash FROM events AS row";
  expect(await duckdb.read((connection) => rows(connection, hash))).toEqual(before);
  expect([left > 0, isPoisoned()]).toEqual([true, true]);

  await duckdb.clearRemains();

  expect(isPoisoned()).toBe(false);
  expect(await duckdb.read((connection) => rows(connection, hash))).toEqual(before);
  await insert(duckdb, TEXTS.short);
  await duckdb.checkpoint();
  expect(isPoisoned()).toBe(false);
  await duckdb.close();
  expect((await digest(path))[0]?.["count"]).toBe(2n * BigInt(ROWS));
});

/** Two row groups and a half. */
const ROWS = 61_440;

/** An event store with events. */
async function fill(directory: string, text: string): Promise<void> {
  const duckdb = await opened(directory);
  await insert(duckdb, text);
  await duckdb.close();
}

const opened = (directory: string): Promise<Duckdb> => testDuckdb(directory);

async function insert(duckdb: Duckdb, text: string): Promise<void> {
  await duckdb.write((connection) =>
    connection.run(
      `INSERT INTO events BY NAME SELECT i AS seq, 1 AS project_id, uuid() AS uuid, 'e' AS event,
         'ann' AS distinct_id, uuid() AS person_id, TIMESTAMP '2026-11-21' AS "timestamp",
         TIMESTAMP '2026-11-21' AS ingested_at, to_json({t: ${text}}) AS properties
       FROM range(${ROWS}) AS numbers (i)`,
    ),
  );
}

async function attached<T>(
  path: string,
  work: (connection: Awaited<ReturnType<DuckDBInstance["connect"]>>) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH '${path}' AS store`);
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const clear = (path: string) =>
  attached(path, (connection) => zeroPagePadding(connection, { name: "store", path }));

/** What all rows come to; reading them has every block's checksum checked. */
const digest = (path: string) =>
  attached(path, (connection) =>
    rows(
      connection,
      "SELECT count(*) AS count, bit_xor(hash(row))::VARCHAR AS hash FROM store.events AS row",
    ),
  );

/** The blocks that hold nothing but compressed values. */
const pagesOf = (path: string) =>
  attached(path, async (connection) => {
    const found = await rows(
      connection,
      `SELECT unnest(additional_block_ids)::INTEGER AS block
       FROM pragma_storage_info('store.events') WHERE compression = 'ZSTD'`,
    );
    return found.map(({ block }) => Number(block));
  });

/** Puts bytes into the zeros at the ends of blocks; says into how many. */
function poison(path: string, clean: Buffer, blocks: readonly number[]): number {
  const bytes = Buffer.from(clean);
  let count = 0;
  for (const number of blocks) {
    const start = HEADERS_BYTES + number * BLOCK_BYTES;
    const block = bytes.subarray(start, start + BLOCK_BYTES);
    const end = block.findLastIndex((byte) => byte !== 0) + 1;
    const at = Math.ceil(end / 8) * 8 + 64;
    if (at + 8 > block.length) continue;
    block.write("poisoned", at);
    const word = BigInt.asUintN(64, block.readBigUInt64LE(at) * FACTOR);
    block.writeBigUInt64LE(block.readBigUInt64LE() ^ word);
    count += 1;
  }
  writeFileSync(path, bytes);
  return count;
}
