import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { BASELINE_VERSION } from "../../../src/core/values/schema-version.ts";
import { SQLITE_MIGRATIONS } from "../../../src/stores/sqlite/migrations/index.ts";
import * as schema from "../../../src/stores/sqlite/schema.ts";
import { openSqlite, readSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

const version = ({ raw }: ReturnType<typeof openSqlite>) =>
  raw.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;

describe("SQLite", () => {
  test("is brought up to date once, and opened again as it is", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");

    openSqlite(path).close();
    const again = openSqlite(path);

    expect(version(again)).toBe(BASELINE_VERSION + SQLITE_MIGRATIONS.length - 1);
    again.close();
  });

  test("of a newer version is refused with a sentence", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const newer = openSqlite(path);
    newer.raw.run("PRAGMA user_version = 999");
    newer.close();

    expect(() => openSqlite(path)).toThrow(/newer version .*999/);
  });

  test("of a build before the first release is refused with a sentence, and stays as it was", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const earlier = new Database(path);
    earlier.run("CREATE TABLE person (id INTEGER)");
    earlier.run("PRAGMA user_version = 17");
    earlier.close();

    expect(() => openSqlite(path)).toThrow(/before the first release.*archive/);

    using again = new Database(path);
    expect(again.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "person" }]);
  });

  test("a later migration runs once, and the next start adds newer ones", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const first = openSqlite(path);
    first.raw.run("INSERT INTO meta VALUES ('kept', 'yes')");
    first.close();

    const colour = "ALTER TABLE meta ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'";
    openSqlite(path, [...SQLITE_MIGRATIONS, colour]).close();
    const size = "ALTER TABLE meta ADD COLUMN size TEXT";
    const again = openSqlite(path, [...SQLITE_MIGRATIONS, colour, size]);

    expect(version(again)).toBe(BASELINE_VERSION + SQLITE_MIGRATIONS.length + 1);
    expect(again.raw.query("SELECT * FROM meta").all()).toEqual([
      { key: "kept", value: "yes", colour: "red", size: null },
    ]);
    again.close();
  });

  test("a migration that fails changes nothing", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    openSqlite(path).close();

    const broken = "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)";
    expect(() => openSqlite(path, [...SQLITE_MIGRATIONS, broken])).toThrow(/nowhere/);

    const again = openSqlite(path);
    expect(version(again)).toBe(BASELINE_VERSION + SQLITE_MIGRATIONS.length - 1);
    expect(again.raw.query("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
    again.close();
  });

  test("has the columns that drizzle's schema names", () => {
    const sqlite = openSqlite(":memory:");
    const aliases: unknown[] = [schema.creator, schema.modifier];
    const all = Object.values(schema).filter((value) => is(value, SQLiteTable));
    for (const table of all.filter((one) => !aliases.includes(one))) {
      const columns = sqlite.raw
        .query<{ name: string }, []>(`PRAGMA table_info(${getTableName(table)})`)
        .all()
        .map(({ name }) => name);
      const named = Object.values(getTableColumns(table)).map(({ name }) => name);
      expect(columns).toEqual(expect.arrayContaining(named));
    }
    sqlite.close();
  });

  test("rolls back a transaction that throws, and takes the next", () => {
    const sqlite = openSqlite(":memory:");
    const put = (value: string) => sqlite.raw.run("INSERT INTO meta VALUES ('k', ?)", [value]);

    expect(() =>
      sqlite.transaction(() => {
        put("lost");
        throw new Error("no");
      }),
    ).toThrow("no");
    sqlite.transaction(() => put("kept"));

    expect(sqlite.raw.query("SELECT value FROM meta").all()).toEqual([{ value: "kept" }]);
    sqlite.close();
  });

  test("keeps deleted data out of the file, and reads without writing", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const writer = openSqlite(path);
    const reader = readSqlite(path);

    const pragma = (name: string) =>
      writer.raw.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get()?.[name];
    expect(["journal_mode", "synchronous", "secure_delete", "foreign_keys"].map(pragma)).toEqual([
      "wal",
      2,
      1,
      1,
    ]);
    expect(() => reader.raw.run("DELETE FROM meta")).toThrow(/readonly/);
    reader.close();
    writer.close();
  });
});
