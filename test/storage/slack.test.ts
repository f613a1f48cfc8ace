import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { openDuckdb, rows } from "../../src/storage/duckdb.ts";
import { clearSlack } from "../../src/storage/slack.ts";
import { temporaryDirectory } from "../support/app.ts";

setDefaultTimeout(60_000);

const BLOCK_BYTES = 262_144;
const HEADERS_BYTES = 12_288;
const FACTOR = 0xbf_58_47_6d_1c_e4_e5_b9n;

/** Texts of which a vector takes a few pages, and a page takes a few vectors. */
const TEXTS = {
  long: `array_to_string([md5((i * n)::VARCHAR) FOR n IN range(1, 16)], '')`,
  short: "md5(i::VARCHAR)",
};

test.each(Object.entries(TEXTS))(
  "what DuckDB left behind its pages is gone, and the rows are as they were: %s texts",
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

/** An event store with two row groups and a half. */
async function fill(directory: string, text: string): Promise<void> {
  const duckdb = await openDuckdb({
    ...{ directory, generation: 1, memory_bytes: 128_000_000, threads: 2 },
    onFatal(error) {
      throw error;
    },
  });
  await duckdb.write((connection) =>
    connection.run(
      `INSERT INTO events BY NAME SELECT i AS seq, 1 AS project_id, uuid() AS uuid, 'e' AS event,
         'ann' AS distinct_id, uuid() AS person_id, TIMESTAMP '2026-11-21' AS "timestamp",
         TIMESTAMP '2026-11-21' AS ingested_at, to_json({t: ${text}}) AS properties
       FROM range(61440) AS numbers (i)`,
    ),
  );
  await duckdb.close();
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
  attached(path, (connection) =>
    clearSlack(connection, { name: "store", path, cleared: new Set() }),
  );

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
