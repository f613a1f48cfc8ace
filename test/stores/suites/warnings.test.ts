import { describe, expect, test } from "bun:test";
import { type ProjectWarning, WARNING_SAMPLES_MAX } from "../../../src/core/warnings/warning.ts";
import { NO_CHANGES } from "../../support/data/persons.ts";
import { RECORD_STORES, type Records, withProjects } from "../stores.ts";

/** A store of records, and a way to apply a batch that has only warnings. */
async function opened(open: () => Promise<Records>) {
  const records = await withProjects(open);
  return {
    ...records.warnings,
    add: (applied_seq: number, ...warnings: ProjectWarning[]) =>
      records.persons.apply({ ...NO_CHANGES, warnings, applied_seq }),
    async samples(): Promise<number> {
      const lists = await Promise.all(
        [1, 2].map((project) => records.warnings.list(project, {}, PAGE)),
      );
      return lists.flatMap(({ rows }) => rows.flatMap(({ samples }) => samples)).length;
    },
    [Symbol.dispose]: records[Symbol.dispose],
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

describe.each(RECORD_STORES)("warnings in %s", (_name, open) => {
  test("count every event of a type, with its first and last time, and name the newest", async () => {
    using store = await opened(open);
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
    using store = await opened(open);
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

  test("belong to a project; the counts are of all projects", async () => {
    using store = await opened(open);

    await store.add(1, warning(), warning({ project_id: 2, count: 5 }));

    expect((await store.list(1, {}, PAGE)).rows).toMatchObject([{ project_id: 1, count: 1 }]);
    expect((await store.list(2, {}, PAGE)).rows).toMatchObject([{ project_id: 2, count: 5 }]);
    expect(await store.counts()).toMatchObject([
      { project_id: 1, type: "missing_event_name", count: 1 },
      { project_id: 2, type: "missing_event_name", count: 5 },
    ]);
  });

  test("keep a bounded number of samples of each type, the newest, and the whole count", async () => {
    using store = await opened(open);
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
    expect(await store.samples()).toBe(WARNING_SAMPLES_MAX + 2);
  });

  test("do not count again when a store refuses a batch that it applied before", async () => {
    using store = await opened(open);
    await store.add(5, warning());

    for (const again of [5, 4]) {
      await expect(store.add(again, warning())).rejects.toThrow("applied before");
    }

    expect((await store.list(1, {}, PAGE)).rows).toMatchObject([{ count: 1 }]);
    expect(await store.samples()).toBe(1);
  });
});
