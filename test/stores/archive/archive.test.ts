import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ArchivedFile } from "../../../src/core/ports/archive.ts";
import { archiveOf } from "../../../src/stores/archive/archive.ts";
import { openArchiveFiles } from "../../../src/stores/archive/files.ts";
import { type Duckdb, rows } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { testDuckdb } from "../../support/start/duckdb-store.ts";

const ANN = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
const BOB = "01a1fc9a-592b-78b3-8d80-aa75992efaea";

/** Text that is nobody else's, about as DuckDB would find it hardest to hide. */
const secret = (name: string) => `secret-of-${name}-${Bun.hash(name)}`;

type Row = {
  seq: number;
  project_id?: number;
  distinct_id?: string;
  person_id?: string;
  day?: string;
};

const reopened = (directory: string, reached = Number.POSITIVE_INFINITY) =>
  openArchiveFiles(directory, {
    make: true,
    reached: () => reached,
  });

async function openStores() {
  const data = temporaryDirectory();
  const directory = join(data.path, "archive");
  const duckdb = await testDuckdb(data.path, { archiveDirectory: directory, threads: 8 });
  const files = await reopened(directory);
  const query = (sql: string) => duckdb.read((connection) => rows(connection, sql));
  const repaired: string[] = [];
  const lost: number[] = [];
  const onLost = (count: number) => lost.push(count);
  const onRepaired = ({ path }: ArchivedFile) => repaired.push(shortName(path));
  return {
    directory,
    files,
    duckdb,
    archive: archiveOf(duckdb, files, { onRepaired, onLost }),
    /** Opens the archive again, as a start does. */
    async restarted(reached?: number) {
      const again = await reopened(directory, reached);
      return { files: again, archive: archiveOf(duckdb, again, { onRepaired, onLost }) };
    },
    /** Paths of repaired files. */
    repaired,
    /** Numbers of rows that were reported as lost. */
    lost,
    query,
    /** Removes events from the event store, as an erasure does first. */
    async remove(...seqs: number[]) {
      await duckdb.write((connection) =>
        connection.run(`DELETE FROM events WHERE seq IN (${seqs.join()})`),
      );
    },
    /** The same of a project; blank rows stay. */
    async removeOf(project: number, seq: number) {
      await duckdb.write((connection) =>
        connection.run(`DELETE FROM events WHERE seq = ${seq} AND project_id = ${project}`),
      );
    },
    async put(...events: Row[]) {
      for (const event of events) {
        const {
          seq,
          project_id = 1,
          distinct_id = "ann",
          person_id = ANN,
          day = "2026-11-21",
        } = event;
        await duckdb.write((connection) =>
          connection.run(
            `INSERT INTO events BY NAME SELECT ${seq} AS seq, ${project_id} AS project_id,
               uuid() AS uuid, 'e' AS event, '${distinct_id}' AS distinct_id,
               '${person_id}'::UUID AS person_id, TIMESTAMP '1999-01-01' AS "timestamp",
               TIMESTAMP '${day}' AS ingested_at, '{"t":"${secret(distinct_id)}"}'::JSON AS properties`,
          ),
        );
      }
    },
    /** Sequence numbers of all archived events, as any reader of Parquet finds them. */
    archived: async (place = "*/*"): Promise<number[]> => {
      const found = await query(
        `SELECT seq::INTEGER AS seq FROM '${directory}/events/${place}/*.parquet' ORDER BY seq`,
      );
      return found.map(({ seq }) => Number(seq));
    },
    async [Symbol.asyncDispose]() {
      await duckdb.close();
      data[Symbol.dispose]();
    },
  };
}

/** Paths of the archive's Parquet files, also incomplete ones. */
const namesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes(".parquet"))
    .sort();

/** A path without rows and checksum. */
const shortName = (path: string) => path.replace(/\.\d+\.[0-9a-f]{16}\.parquet/, ".parquet");

const shortNamesIn = (directory: string) => namesIn(directory).map(shortName);

/** Removes the marker, or puts a text in its place. */
function putMarker(directory: string, text?: string): void {
  rmSync(join(directory, "archive.json"));
  if (text !== undefined) writeFileSync(join(directory, "archive.json"), text);
}

const markerIn = (directory: string) =>
  JSON.parse(readFileSync(join(directory, "archive.json"), "utf8"));

describe("the archive", () => {
  test("has a file for each project and month of arrival, and all rows up to its mark once", async () => {
    await using stores = await openStores();
    const { archive, files, directory } = stores;
    await stores.put(
      { seq: 1, day: "2026-10-31" },
      { seq: 2 },
      { seq: 3, project_id: 2 },
      { seq: 5 },
    );

    await archive.add(3);
    await archive.add(3);
    await archive.add(9);

    expect(shortNamesIn(directory)).toEqual([
      "events/1/2026-10/1-3.parquet",
      "events/1/2026-11/1-3.parquet",
      "events/1/2026-11/4-9.parquet",
      "events/2/2026-11/1-3.parquet",
    ]);
    expect(await stores.archived()).toEqual([1, 2, 3, 5]);
    expect(await stores.archived("2/*")).toEqual([3]);
    expect([archive.last(), files.state().files.map((file) => file.rows)]).toEqual([
      9,
      [1, 1, 1, 1],
    ]);
    for (const name of namesIn(directory)) {
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    }
  });

  test("joins small files, all of an earlier month and many of this one, and loses no row", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    for (let seq = 1; seq <= 20; seq += 1) {
      await stores.put({ seq, day: seq <= 3 ? "2026-10-31" : "2026-11-01" });
      await archive.add(seq);
    }

    while (await archive.compact());

    expect(shortNamesIn(directory)).toEqual([
      "events/1/2026-10/1-3.parquet",
      "events/1/2026-11/4-20.parquet",
    ]);
    expect(await stores.archived()).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(await archive.compact()).toBe(false);
  });

  test("takes little memory from others while it writes many rows", async () => {
    await using stores = await openStores();
    const { archive, duckdb } = stores;
    await duckdb.write((connection) =>
      connection.run(
        `INSERT INTO events BY NAME SELECT range AS seq, 1 AS project_id, uuid() AS uuid,
           'e' AS event, 'ann' AS distinct_id, '${ANN}'::UUID AS person_id,
           TIMESTAMP '1999-01-01' AS "timestamp", TIMESTAMP '2026-11-21' AS ingested_at,
           json_object('t', repeat(md5(range::VARCHAR), 30)) AS properties FROM range(1, 100_001)`,
      ),
    );
    let most = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const [gathered] = await stores.query(
          `SELECT sum(memory_usage_bytes)::DOUBLE AS bytes FROM duckdb_memory()
           WHERE tag IN ('COLUMN_DATA', 'ALLOCATOR')`,
        );
        most = Math.max(most, Number(gathered?.["bytes"]));
        await Bun.sleep(2);
      }
    })();

    await archive.add(100_000);
    isOver = true;
    await watching;

    expect(most).toBeGreaterThan(0);
    // With an order between threads, or with several of them, it is all the memory there is.
    expect(most).toBeLessThan(80e6);
    expect(await stores.archived()).toEqual(Array.from({ length: 100_000 }, (_, at) => at + 1));
  });

  test("joins no small files that have a large one between them", async () => {
    await using stores = await openStores();
    const { archive, duckdb, directory } = stores;
    const day = "2026-10-31";
    await stores.put({ seq: 1, day });
    await archive.add(1);
    await duckdb.write((connection) =>
      connection.run(
        `INSERT INTO events BY NAME SELECT 1 + range AS seq, 1 AS project_id, uuid() AS uuid,
           'e' AS event, 'ann' AS distinct_id, '${ANN}'::UUID AS person_id,
           TIMESTAMP '1999-01-01' AS "timestamp", TIMESTAMP '${day}' AS ingested_at,
           '{}'::JSON AS properties FROM range(1, 100_001)`,
      ),
    );
    await archive.add(100_001);
    await stores.put({ seq: 100_002, day }, { seq: 100_003 });
    await archive.add(100_003);

    expect(await archive.compact()).toBe(false);
    await stores.put({ seq: 100_004, day });
    await archive.add(100_004);
    expect(await archive.compact()).toBe(true);

    expect(shortNamesIn(directory)).toEqual([
      "events/1/2026-10/1-1.parquet",
      "events/1/2026-10/100002-100004.parquet",
      "events/1/2026-10/2-100001.parquet",
      "events/1/2026-11/100002-100003.parquet",
    ]);
  });

  test("is as it was before a run that a crash has cut short", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    await stores.put({ seq: 1 });
    await archive.add(1);
    const [whole = ""] = namesIn(directory);
    for (const name of ["2-9.1.0123456789abcdef.parquet", "2-9.parquet.writing"]) {
      copyFileSync(join(directory, whole), join(directory, "events/1/2026-11", name));
    }

    const { files } = await stores.restarted();

    expect(namesIn(directory)).toEqual([whole]);
    expect(files.state()).toEqual(stores.files.state());
  });

  test("has each row once after a crash between a joined file and the removal of the small ones", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    for (const seq of [1, 2]) {
      await stores.put({ seq, day: "2026-10-31" });
      await archive.add(seq);
    }
    await stores.put({ seq: 3 });
    await archive.add(3);
    const copies = namesIn(directory).map((name) => [name, readFileSync(join(directory, name))]);
    expect(await archive.compact()).toBe(true);
    for (const [name, bytes] of copies) writeFileSync(join(directory, String(name)), bytes ?? "");

    const { files } = await stores.restarted();

    expect(shortNamesIn(directory)).toEqual([
      "events/1/2026-10/1-2.parquet",
      "events/1/2026-11/3-3.parquet",
    ]);
    expect(files.state()).toMatchObject({ last: 3, missing: 0 });
  });

  test.each(["", "{", "null", "[]", '{"version":1}', undefined])(
    "is compared with the event store when its marker is %j",
    async (text) => {
      await using stores = await openStores();
      const { directory } = stores;
      await stores.put({ seq: 1 }, { seq: 2, project_id: 2 }, { seq: 3, distinct_id: "bob" });
      await stores.archive.add(3);
      await stores.put({ seq: 4 }, { seq: 6, day: "2026-12-01" });
      await stores.archive.add(6);
      await stores.remove(3);
      await stores.archive.erase([{ project_id: 1, distinct_ids: ["bob"], journal_seq: 9 }]);
      putMarker(directory, text);
      rmSync(join(directory, namesIn(directory).at(-1) ?? ""));
      const { files, archive } = await stores.restarted();

      expect(files.state()).toMatchObject({ last: 6, missing: undefined, rows_lost: 0 });
      expect(markerIn(directory)).toMatchObject({ last: 6, rows: null });
      await archive.complete();

      expect(files.state()).toMatchObject({ last: 6, missing: 0, rows_lost: 0 });
      expect(markerIn(directory)).toEqual({ version: 1, last: 6, rows: 4, rows_lost: 0 });
      expect(stores.repaired).toEqual(["events/2/2026-11/1-6.parquet"]);
      expect(await stores.archived()).toEqual([1, 2, 4, 6]);
    },
  );

  test.each([
    ["above all others", { last: 3000, rows: 77 }],
    ["with fewer rows", { last: 3, rows: 1 }],
    ["of a time before files were joined", { last: 2, rows: 2 }],
  ])("distrusts a marker %s", async (_, { last, rows: count }) => {
    await using stores = await openStores();
    const { directory } = stores;
    for (const seq of [1, 2, 3]) {
      await stores.put({ seq, day: "2026-10-31" });
      await stores.archive.add(seq);
    }
    await stores.put({ seq: 4 });
    await stores.archive.add(4);
    expect(await stores.archive.compact()).toBe(true);
    putMarker(directory, JSON.stringify({ version: 1, last, rows: count, rows_lost: 0 }));

    const { files } = await stores.restarted(100);

    expect(files.state()).toMatchObject({ last: 4, missing: undefined });
    expect(await stores.archived()).toEqual([1, 2, 3, 4]);
  });

  test("keeps of two files of the same range the one with fewer rows, or the later one", async () => {
    await using stores = await openStores();
    const { files, directory } = stores;
    await stores.put({ seq: 1 }, { seq: 2, project_id: 2 });
    await stores.archive.add(2);
    const [one, two] = files.state().files;
    if (one === undefined || two === undefined) throw new Error("no files");
    const older = files.pathOf(two).replace(two.checksum, "0".repeat(16));
    copyFileSync(files.pathOf(one), files.pathOf(one).replace("1-2.1.", "1-2.9."));
    copyFileSync(files.pathOf(two), older);
    utimesSync(older, new Date(0), new Date(0));

    expect((await stores.restarted()).files.state()).toEqual(files.state());

    expect(namesIn(directory)).toEqual([one.path, two.path]);
  });

  test("changes nothing when it cannot be written, and can be tried again", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    await stores.put({ seq: 1 }, { seq: 2, project_id: 2 });
    writeFileSync(join(directory, "events"), "in the way");

    await expect(archive.add(2)).rejects.toThrow();
    expect(archive.last()).toBe(0);
    rmSync(join(directory, "events"));
    mkdirSync(join(directory, "events"));
    await archive.add(2);

    expect(await stores.archived()).toEqual([1, 2]);
  });
});

describe("erasing from the archive", () => {
  test("leaves no byte of erased persons, and all of the others", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    await stores.put(
      { seq: 1 },
      { seq: 2, distinct_id: "bob", person_id: BOB },
      { seq: 3, distinct_id: "anonymous" },
    );
    await archive.add(3);
    await stores.put({ seq: 4, distinct_id: "carl", person_id: BOB });
    await archive.add(4);

    const textsOf = async () => {
      const from = `'${directory}/events/*/*/*.parquet'`;
      const stored = await stores.query(`SELECT properties::VARCHAR AS text FROM ${from}`);
      return stored.map(({ text }) => String(text)).join();
    };
    expect(await textsOf()).toContain(secret("anonymous"));

    await stores.remove(1, 3);
    const erased = await archive.erase([
      { project_id: 1, distinct_ids: ["ann", "anonymous"], journal_seq: 4 },
    ]);

    expect(erased).toBe(2);
    expect(await stores.archived()).toEqual([2, 4]);
    const texts = await textsOf();
    const bytes = namesIn(directory)
      .map((name) => readFileSync(join(directory, name), "latin1"))
      .join();
    for (const name of ["ann", "anonymous"]) {
      expect(texts).not.toContain(secret(name));
      expect(bytes).not.toContain(secret(name));
    }
    expect(texts).toContain(secret("bob"));
  });

  test("archives padding rows, and erases them with their large event", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    await stores.put({ seq: 1 }, { seq: 1, project_id: -1 }, { seq: 2, project_id: 2 });
    await archive.add(2);
    expect(shortNamesIn(directory)).toEqual([
      "events/1/2026-11/1-2.parquet",
      "events/2/2026-11/1-2.parquet",
    ]);
    expect(await stores.archived("1/*")).toEqual([1, 1]);

    await stores.removeOf(1, 1);
    await archive.erase([{ project_id: 1, distinct_ids: ["ann"], journal_seq: 9 }]);

    expect(shortNamesIn(directory)).toEqual(["events/2/2026-11/1-2.parquet"]);
  });

  test("removes a file of which nothing is left, and touches none that has nothing of them", async () => {
    await using stores = await openStores();
    const { archive, directory } = stores;
    await stores.put({ seq: 1 });
    await archive.add(1);
    await stores.put({ seq: 2, distinct_id: "bob", person_id: BOB });
    await archive.add(2);
    await stores.remove(1);

    await archive.erase([{ project_id: 1, distinct_ids: ["ann"], journal_seq: 9 }]);

    expect(shortNamesIn(directory)).toEqual(["events/1/2026-11/2-2.parquet"]);
    expect(archive.last()).toBe(2);
  });

  test("keeps what the event store keeps", async () => {
    await using stores = await openStores();
    const { archive } = stores;
    await stores.put({ seq: 1 }, { seq: 2 });
    await archive.add(2);
    await stores.remove(1);

    const asked = { project_id: 1, distinct_ids: ["ann"], journal_seq: 2 };

    expect(await archive.erase([asked])).toBe(1);
    expect(await stores.archived()).toEqual([2]);
  });
});

describe("a file of the archive that is damaged", () => {
  const damages: Record<string, (path: string) => void> = {
    "is gone": (path) => rmSync(path),
    "is empty": (path) => writeFileSync(path, ""),
    "has a wrong bit, amid what is compressed": (path) => {
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(path, bytes);
    },
  };

  test.each(Object.entries(damages))(
    "is written again from the event store when it is joined or erased from: it %s",
    async (_what, damage) => {
      await using stores = await openStores();
      const { archive, directory, files } = stores;
      for (let seq = 1; seq <= 16; seq += 1) {
        await stores.put({ seq, distinct_id: seq === 3 ? "bob" : "ann" });
        await archive.add(seq);
      }
      damage(files.pathOf(files.state().files[6] ?? failed()));

      expect(await archive.compact()).toBe(true);

      expect(stores.repaired).toEqual(["events/1/2026-11/7-7.parquet"]);
      expect(await stores.archived()).toEqual(Array.from({ length: 16 }, (_, at) => at + 1));
      const [whole = ""] = namesIn(directory);
      damage(join(directory, whole));
      await stores.remove(3);
      await archive.erase([{ project_id: 1, distinct_ids: ["bob"], journal_seq: 16 }]);
      expect(stores.repaired.slice(1)).toEqual(["events/1/2026-11/1-16.parquet"]);
      expect(await stores.archived()).not.toContain(3);
      expect(await stores.archived()).toHaveLength(15);
    },
  );

  test("that is gone at a start is written again from the event store", async () => {
    await using stores = await openStores();
    await stores.put({ seq: 1 }, { seq: 2, project_id: 2 }, { seq: 3, project_id: 2 });
    await stores.archive.add(3);
    rmSync(stores.files.pathOf(stores.files.state().files[1] ?? failed()));

    const { files, archive } = await stores.restarted();
    expect(files.state()).toMatchObject({ last: 3, missing: 2 });
    await archive.complete();

    expect(files.state()).toMatchObject({ missing: 0, rows_lost: 0 });
    expect([stores.repaired, stores.lost]).toEqual([["events/2/2026-11/1-3.parquet"], []]);
    expect(await stores.archived()).toEqual([1, 2, 3]);
  });

  test("is quarantined; rows that the event store lacks are lost, and the next erasure removes the file", async () => {
    await using stores = await openStores();
    const { archive, directory, files } = stores;
    await stores.put({ seq: 1 }, { seq: 2, project_id: 2 });
    await archive.add(2);
    const damaged = files.state().files[0] ?? failed();
    writeFileSync(files.pathOf(damaged), "nonsense");

    expect(await files.isSound(damaged)).toBe(false);
    await files.quarantine(damaged);

    expect(files.state()).toMatchObject({ last: 2, missing: 1, rows_lost: 0 });
    expect(await stores.archived()).toEqual([2]);
    const again = await stores.restarted();
    expect(again.files.state()).toEqual(files.state());
    await stores.remove(1);
    await again.archive.complete();
    expect(again.files.state()).toMatchObject({ last: 2, missing: 0, rows_lost: 1 });
    expect(stores.lost).toEqual([1]);
    expect(namesIn(directory)).toContain(`${damaged.path}.damaged`);
    await again.archive.erase([]);
    expect(shortNamesIn(directory)).toEqual(["events/2/2026-11/1-2.parquet"]);
    expect((await stores.restarted()).files.state()).toMatchObject({ missing: 0, rows_lost: 1 });
  });
});

function failed(): never {
  throw new Error("There is no file");
}

/** The same store, in which the next copy into a file of the archive finds no memory. */
function withoutMemory(duckdb: Duckdb): Duckdb {
  let left = 1;
  const failing = (connection: DuckDBConnection) =>
    new Proxy(connection, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name !== "run") return typeof member === "function" ? member.bind(target) : member;
        return (sql: string, ...rest: []) => {
          if (!sql.startsWith("COPY") || left === 0) return target.run(sql, ...rest);
          left -= 1;
          throw new Error("Out of Memory Error: could not allocate block");
        };
      },
    });
  return {
    ...duckdb,
    read: (work) => duckdb.read((connection) => work(failing(connection))),
    readFirst: (work) => duckdb.readFirst((connection) => work(failing(connection))),
  };
}

test.each(["an erasure", "what makes up for damage"])(
  "%s has its turn where there is no memory",
  async (what) => {
    await using stores = await openStores();
    await stores.put({ seq: 1 }, { seq: 2, distinct_id: "bob" });
    await stores.archive.add(2);
    const archive = archiveOf(withoutMemory(stores.duckdb), stores.files, {
      onRepaired: () => {},
      onLost: () => {},
    });
    const file = stores.files.state().files[0] ?? failed();

    if (what === "an erasure") {
      await stores.remove(2);
      const asked = { project_id: 1, distinct_ids: ["bob"], journal_seq: 2 };
      expect(await archive.erase([asked])).toBe(1);
    } else {
      rmSync(stores.files.pathOf(file));
      await archive.check(0);
    }

    expect(await stores.archived()).toEqual(what === "an erasure" ? [1] : [1, 2]);
  },
);
