import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { PersonFilter } from "../../../src/core/ports/person-reads.ts";
import { SQLITE_MIGRATIONS } from "../../../src/stores/sqlite/migrations/index.ts";
import { personReads } from "../../../src/stores/sqlite/persons/list.ts";
import * as schema from "../../../src/stores/sqlite/schema.ts";
import { openSqlite, readSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { userReads } from "../../../src/stores/sqlite/users.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

const version = ({ raw }: ReturnType<typeof openSqlite>) =>
  raw.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;

/** Brings a file to an earlier version. */
function migrate(raw: Database, version: number): void {
  for (const migration of SQLITE_MIGRATIONS.slice(0, version)) {
    if (typeof migration === "string") raw.run(migration);
    else migration(raw);
  }
  raw.run(`PRAGMA user_version = ${version}`);
}

/** Migrations before the one that keeps where persons were listed. */
const BEFORE_ORDER = 11;

/** Migrations before the one that adds marks for deep offsets. */
const EARLIER = 7;

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

  test("of an earlier version has users without null (contract 2.4)", async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const earlier = new Database(path);
    migrate(earlier, EARLIER);
    earlier.run(
      `INSERT INTO user (uuid, distinct_id, email, created_at, hedgehog_config) VALUES
         ('u', 'u', 'u@x.y', '', NULL), ('v', 'v', 'v@x.y', '', '{"hat":"red"}')`,
    );
    earlier.close();

    const sqlite = openSqlite(path);
    const users = [await userReads(sqlite).find(1), await userReads(sqlite).find(2)];
    sqlite.close();

    expect(users).toMatchObject([
      { hedgehog_config: {}, role_at_organization: "" },
      { hedgehog_config: { hat: "red" }, role_at_organization: "" },
    ]);
  });

  test("of an earlier version gets the addresses and marks of its persons", async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const earlier = new Database(path);
    migrate(earlier, EARLIER);
    for (const id of [1, 2]) {
      earlier.run("INSERT INTO project VALUES (?1, ?2, 'p', ?2, 'UTC', '')", [id, String(id)]);
    }
    earlier.run(
      `WITH RECURSIVE numbers (value) AS (
         SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 3000)
       INSERT INTO person (project_id, uuid, properties, created_at, version)
       SELECT 1, value, json_object('email', iif(value % 2, 'p' || value || '@x.y', value)),
         '2026-11-2' || (value % 5), 1 FROM numbers`,
    );
    earlier.run("UPDATE person_count SET count = 3000 WHERE project_id = 1");
    earlier.close();

    const writer = openSqlite(path);
    const reads = personReads(writer);

    const count = async (filter: PersonFilter) =>
      (await reads.list(1, filter, { limit: 1, offset: 0 }))?.count;
    expect(await count({ email: "p77@x.y" })).toBe(1);
    expect(await count({ email: "78" })).toBe(0);
    expect(await count({ search: "p299" })).toBe(6);
    const at = async (offset: number) =>
      (await reads.list(1, {}, { limit: 1, offset }))?.rows[0]?.id;
    expect([await at(0), await at(2000), await at(2999)]).toEqual([2999, 1996, 5]);
    expect(await reads.list(2, {}, { limit: 1, offset: 5000 })).toMatchObject({
      count: 0,
      version: 0,
      rows: [],
    });
    const [one] = (await reads.list(1, { email: "p77@x.y" }, { limit: 1, offset: 0 }))?.rows ?? [];
    expect(one).toMatchObject({ created_at: "2026-11-22", at: "2026-11-22" });
    writer.close();
  });

  test("of an earlier version lists its persons by created_at, and finds them in any case", async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "hoglet.sqlite");
    const earlier = new Database(path);
    migrate(earlier, BEFORE_ORDER);
    earlier.run("INSERT INTO project VALUES (1, '1', 'p', '1', 'UTC', '')");
    const emails = ["ann@x.y", "Ännchen@X.Y", null, "ſµ@x.y", `${"Å".repeat(1200)}@x.y`];
    emails.forEach((email, n) => {
      earlier.run(
        `INSERT INTO person (project_id, uuid, properties, created_at, listed_at, email, version)
         VALUES (1, ?1, '{}', ?2, ?3, ?4, 1)`,
        [`u${n}`, `2026-11-1${n}`, n % 2 === 0 ? "2026-11-20" : `2026-11-1${n}`, email],
      );
    });
    earlier.run("UPDATE person_count SET count = 5");
    earlier.close();

    const sqlite = openSqlite(path);
    const reads = personReads(sqlite);
    const found = async (filter: PersonFilter) =>
      (await reads.list(1, filter, { limit: 9, offset: 0 }))?.rows.map(({ id }) => id);

    expect(await found({})).toEqual([5, 4, 3, 2, 1]);
    expect(await found({ email: "Ännchen@X.Y" })).toEqual([2]);
    expect(await found({ search: "ÄNNCHEN@" })).toEqual([2]);
    expect(await found({ search: "SM@" })).toEqual([]);
    expect(await found({ search: "SΜ@x" })).toEqual([4]);
    expect(await found({ search: "ååå" })).toEqual([5]);
    expect(await found({ search: "å@x" })).toEqual([]);
    sqlite.close();
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
