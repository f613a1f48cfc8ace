import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { deletionRunWrites } from "../../../src/stores/sqlite/deletions.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

/** Persons, and how often each of them grows, by turns. */
const PERSONS = 600;
const ROUNDS = 12;

/** A text of a person that is nowhere else. */
const textOf = (id: number, round: number) =>
  `planted-${id}-${round}-${Bun.hash(`${id} ${round}`).toString(36).repeat(3)}`;

/** A store in which every fifth person has grown among others, and is gone. */
function grownStore(directory: string) {
  const path = join(directory, "hoglet.sqlite");
  const sqlite = openSqlite(path);
  // With this seed, split pages keep copies of rows.
  const random = randomOf(4);
  sqlite.raw.run(
    "INSERT INTO project (id, uuid, name, api_token, created_at) VALUES (9, '', '', '', '')",
  );
  const put = sqlite.raw.query<null, [number, string, string]>(
    `INSERT INTO person (id, project_id, uuid, properties, created_at, version)
     VALUES (?1, 9, ?2, ?3, '', 1) ON CONFLICT (id) DO UPDATE SET properties = excluded.properties`,
  );
  const ids = Array.from({ length: PERSONS }, (_, at) => ({ at: at + 1, order: 0 }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const id of ids) id.order = random();
    sqlite.transaction(() => {
      for (const { at } of ids.toSorted((a, b) => a.order - b.order)) {
        const texts = Array.from({ length: round + 1 }, (_, n) => textOf(at, n));
        const pad = "x".repeat(random() * 60);
        const properties = { email: `${texts.at(-1)}@x.y`, texts, pad };
        put.run(at, `uuid ${at}`, JSON.stringify(properties));
      }
    });
  }
  sqlite.raw.run("DELETE FROM person WHERE id % 5 = 1");
  sqlite.raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { path, sqlite };
}

/** How many texts of those who are gone are in a file. */
function left(path: string): number {
  const bytes = readFileSync(path);
  const gone = Array.from({ length: PERSONS }, (_, at) => at + 1).filter((id) => id % 5 === 1);
  const texts = gone.flatMap((id) => Array.from({ length: ROUNDS }, (_, n) => textOf(id, n)));
  return texts.filter((text) => bytes.includes(text)).length;
}

test("a scrub leaves nothing between the rows, gives space back, and all others are as they were", async () => {
  using place = temporaryDirectory();
  const { path, sqlite } = grownStore(place.path);
  const rows = () => sqlite.raw.query("SELECT id, properties FROM person ORDER BY id").all();
  const before = { rows: rows(), bytes: statSync(path).size };
  // Pages that were split have copies of rows that were deleted since.
  expect(left(path)).toBeGreaterThan(0);

  await deletionRunWrites(sqlite).scrub([]);

  expect(left(path)).toBe(0);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(statSync(path).size).toBeLessThan(before.bytes);
  expect(rows()).toEqual(before.rows);
  sqlite.close();
  expect(readdirSync(place.path).filter((name) => !name.startsWith("hoglet.sqlite"))).toEqual([]);
});
