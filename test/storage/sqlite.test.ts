import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { SQLITE_MIGRATIONS } from "../../src/storage/migrations/index.ts";
import * as schema from "../../src/storage/schema.ts";
import { openSqlite, readSqlite } from "../../src/storage/sqlite.ts";
import { temporaryDirectory } from "../support/app.ts";

const version = ({ raw }: ReturnType<typeof openSqlite>) =>
  raw.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;

describe("SQLite", () => {
  test("is brought up to date once, and opened again as it is", () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");

    openSqlite(path).close();
    const again = openSqlite(path);

    expect(version(again)).toBe(SQLITE_MIGRATIONS.length);
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

  test("has the columns that drizzle's schema names", () => {
    const sqlite = openSqlite(":memory:");
    for (const table of Object.values(schema).filter((value) => is(value, SQLiteTable))) {
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

  test("keeps what is deleted out of the file, and reads without writing", () => {
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
