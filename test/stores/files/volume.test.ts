import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeSizes, volumeOf } from "../../../src/stores/files/volume.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

test("a volume has a size and some of it is free; of no directory nothing is known", () => {
  using directory = temporaryDirectory();
  const volume = volumeOf(directory.path);
  expect(volume?.total).toBeGreaterThan(1_000_000);
  expect(volume?.free).toBeLessThanOrEqual(volume?.total ?? 0);
  expect(volumeOf(join(directory.path, "none"))).toBeUndefined();
});

test("the sizes of the stores' files are added up, and missing files count 0", () => {
  using directory = temporaryDirectory();
  expect(storeSizes(directory.path)).toEqual({
    events: 0,
    loads: 0,
    sqlite: 0,
    journalQuarantinedParts: 0,
  });
  const put = (name: string, bytes: number) => {
    mkdirSync(join(directory.path, name, ".."), { recursive: true });
    writeFileSync(join(directory.path, name), Buffer.alloc(bytes));
  };
  put("events/1.duckdb", 100);
  put("events/1.duckdb.wal", 20);
  put("loads/1.events.ndjson", 3);
  put("hoglet.sqlite", 50);
  put("hoglet.sqlite-wal", 5);
  put("journal/corrupt/0000000000000001-40.bin", 9);
  expect(storeSizes(directory.path)).toEqual({
    events: 120,
    loads: 3,
    sqlite: 55,
    journalQuarantinedParts: 1,
  });
});
