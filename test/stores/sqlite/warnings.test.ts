import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { WarningReads } from "../../../src/core/ports/warnings.ts";
import { type ProjectWarning, WARNING_SAMPLES_MAX } from "../../../src/core/warnings/warning.ts";
import { personWrites } from "../../../src/stores/sqlite/persons/writes.ts";
import { projectWrites } from "../../../src/stores/sqlite/projects.ts";
import { openSqlite, readSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { warningReads } from "../../../src/stores/sqlite/warnings.ts";
import { NO_CHANGES } from "../../support/data/persons.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

type Store = WarningReads &
  Disposable & {
    /** Applies a slice that has only these warnings. */
    add(applied_seq: number, ...warnings: ProjectWarning[]): Promise<unknown>;
    samples(): number;
  };

/** Every implementation, made anew, with the projects 1 and 2. */
const IMPLEMENTATIONS: [string, () => Promise<Store>][] = [["SQLite", sqliteStore]];

async function sqliteStore(): Promise<Store> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const writer = openSqlite(path);
  for (const name of ["one", "two"]) {
    await projectWrites(writer).insert({
      uuid: Bun.randomUUIDv7(),
      name,
      api_token: `phc_${name}`,
      timezone: "UTC",
      created_at: "2026-11-21T12:00:00.000000Z",
    });
  }
  const reader = readSqlite(path);
  const persons = personWrites(writer);
  return {
    ...warningReads(reader),
    add: (applied_seq, ...warnings) =>
      persons.apply({
        ...NO_CHANGES,
        warnings,
        applied_seq,
      }),
    samples: () =>
      reader.raw
        .query<{ count: number }, []>("SELECT count(*) AS count FROM ingestion_warning_sample")
        .get()?.count ?? 0,
    [Symbol.dispose]() {
      reader.close();
      writer.close();
      directory[Symbol.dispose]();
    },
  };
}

const NOON_MS = Date.parse("2026-11-21T12:00:00Z");

const warning = (fields: Partial<ProjectWarning> = {}): ProjectWarning => ({
  project_id: 1,
  type: "missing_event_name",
  count: 1,
  event_uuid: null,
  distinct_id: null,
  at: NOON_MS,
  ...fields,
});

const PAGE = { limit: 100, offset: 0 };

describe.each(IMPLEMENTATIONS)("the warnings on %s", (_name, make) => {
  test("count every event of a type, with its first and last time, and name the newest", async () => {
    using store = await make();
    const uuid = Bun.randomUUIDv7();

    await store.add(1, warning({ count: 2, distinct_id: "ann" }));
    await store.add(
      2,
      warning({ at: NOON_MS + 1000, event_uuid: uuid }),
      // A clock that was set back.
      warning({ at: NOON_MS - 1000, count: 4 }),
    );

    expect(await store.list(1, {}, PAGE)).toEqual({
      count: 1,
      rows: [
        {
          project_id: 1,
          type: "missing_event_name",
          count: 7,
          first_at: "2026-11-21T11:59:59.000000Z",
          last_at: "2026-11-21T12:00:01.000000Z",
          samples: [
            { at: "2026-11-21T11:59:59.000000Z", count: 4, event_uuid: null, distinct_id: null },
            { at: "2026-11-21T12:00:01.000000Z", count: 1, event_uuid: uuid, distinct_id: null },
            { at: "2026-11-21T12:00:00.000000Z", count: 2, event_uuid: null, distinct_id: "ann" },
          ],
        },
      ],
    });
  });

  test("are listed by type, the last seen first, in pages", async () => {
    using store = await make();
    await store.add(
      1,
      warning({ type: "missing_event_name", at: NOON_MS }),
      warning({ type: "duplicate_uuid", at: NOON_MS + 2000 }),
      warning({ type: "missing_distinct_id", at: NOON_MS + 1000 }),
    );

    const types = async (filter: { type?: string }, page = PAGE) => {
      const { count, rows } = await store.list(1, filter, page);
      return [count, ...rows.map(({ type }) => type)];
    };

    expect(await types({})).toEqual([
      3,
      "duplicate_uuid",
      "missing_distinct_id",
      "missing_event_name",
    ]);
    expect(await types({}, { limit: 1, offset: 1 })).toEqual([3, "missing_distinct_id"]);
    expect(await types({ type: "missing_event_name" })).toEqual([1, "missing_event_name"]);
    expect(await types({ type: "message_size_too_large" })).toEqual([0]);
  });

  test("are kept apart by project, and counted over all of them", async () => {
    using store = await make();

    await store.add(1, warning(), warning({ project_id: 2, count: 5 }));

    expect((await store.list(1, {}, PAGE)).rows).toMatchObject([{ project_id: 1, count: 1 }]);
    expect((await store.list(2, {}, PAGE)).rows).toMatchObject([{ project_id: 2, count: 5 }]);
    expect(await store.counts()).toMatchObject([
      { project_id: 1, type: "missing_event_name", count: 1 },
      { project_id: 2, type: "missing_event_name", count: 5 },
    ]);
  });

  test("keep a bounded number of samples of each type, the newest, and the whole count", async () => {
    using store = await make();
    const flood = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => warning({ distinct_id: `u${from + n}` }));

    await store.add(1, warning({ type: "duplicate_uuid", distinct_id: "bob" }), ...flood(0, 30));
    await store.add(2, ...flood(30, 1000), warning({ project_id: 2 }));
    await store.add(3, ...flood(1030, 1));

    const { rows } = await store.list(1, { type: "missing_event_name" }, PAGE);
    expect(rows[0]?.count).toBe(1031);
    expect(rows[0]?.samples.map(({ distinct_id }) => distinct_id)).toEqual(
      Array.from({ length: WARNING_SAMPLES_MAX }, (_, n) => `u${1030 - n}`),
    );
    expect(store.samples()).toBe(WARNING_SAMPLES_MAX + 2);
  });

  test("are not counted again when a slice is refused that was applied before", async () => {
    using store = await make();
    await store.add(5, warning());

    for (const again of [5, 4]) {
      expect(store.add(again, warning())).rejects.toThrow("applied before");
    }

    expect((await store.list(1, {}, PAGE)).rows).toMatchObject([{ count: 1 }]);
    expect(store.samples()).toBe(1);
  });
});
