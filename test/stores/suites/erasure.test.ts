import { describe, expect, test } from "bun:test";
import { ATTEMPTS_MAX } from "../../../src/core/erasure/deletion.ts";
import type { DeletionRow, Wanted } from "../../../src/core/ports/erasure.ts";
import { NO_CHANGES } from "../../support/data/persons.ts";
import { AT, createPersons, RECORD_STORES, type Records, withProjects } from "../stores.ts";

const BY = { user_id: 1, at: AT };
const NIGHTLY = { kinds: ["nightly"], states: ["queued"] } as const;
const WEEKLY = { kinds: ["weekly"], states: ["queued"] } as const;

/** Asks for the deletion of the events of new persons, each alone. */
async function queued(records: Records, ...distinctIds: string[]): Promise<DeletionRow[]> {
  const made = await createPersons(records, ...distinctIds);
  for (const { id } of made) {
    const asked = { kind: "nightly", journal_seq: 5, by: BY } as const;
    expect(await records.persons.queueEvents(1, id, asked)).toBe(true);
  }
  return (await records.deletions.all(["queued"], 99)).toReversed();
}

const stateOf = async ({ deletions }: Records, id = 1) => {
  const task = await deletions.get(id);
  return [task?.state, task?.attempts, task?.error];
};

describe.each(RECORD_STORES)("deletions in %s", (_name, open) => {
  test("a request queues a task, and an equal one changes that task", async () => {
    using records = await withProjects(open);
    const [task] = await queued(records, "ann");
    const again = { kind: "nightly", journal_seq: 8, by: BY } as const;
    await records.persons.queueEvents(1, task?.person_id ?? 0, again);

    expect(task).toMatchObject({
      ...{ distinct_ids: ["ann"], kind: "nightly", journal_seq: 5, state: "queued" },
      ...{ attempts: 0, error: null, counts: null, generation: null, requested_at: AT },
    });
    expect(await records.deletions.get(1)).toEqual({ ...(task as DeletionRow), journal_seq: 8 });
    expect(await records.deletions.get(2)).toBeUndefined();
    expect(await records.persons.queueEvents(1, 99, again)).toBe(false);
  });

  test("tasks are listed newest first, with their exact count, and counted by state", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    const [, bob] = await queued(records, "ann", "bob", "cai");
    await deletions.cancel(1, AT);

    const ids = async (
      filter: Parameters<typeof deletions.list>[1],
      part = { limit: 9, offset: 0 },
    ) => {
      const { count, rows } = await deletions.list(1, filter, part);
      return [count, ...rows.map(({ id }) => id)];
    };
    expect(await ids({})).toEqual([3, 3, 2, 1]);
    expect(await ids({}, { limit: 1, offset: 1 })).toEqual([3, 2]);
    expect(await ids({ states: ["queued"] })).toEqual([2, 3, 2]);
    expect(await ids({ person_uuid: bob?.person_uuid })).toEqual([1, 2]);
    expect((await deletions.all(["queued", "cancelled"], 2)).map(({ id }) => id)).toEqual([3, 2]);
    expect(await deletions.counts()).toEqual(
      expect.arrayContaining([
        { project_id: 1, state: "queued", count: 2 },
        { project_id: 1, state: "cancelled", count: 1 },
      ]),
    );
  });

  test("a run goes through its steps and leaves the counts of a task", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    await queued(records, "ann", "bob");

    expect((await deletions.begin(WEEKLY, AT)).tasks).toEqual([]);
    const { tasks } = await deletions.begin(NIGHTLY, AT);
    expect(tasks.map(({ id, state, attempts }) => [id, state, attempts])).toEqual([
      [1, "queued", 0],
      [2, "queued", 0],
    ]);
    expect(await stateOf(records)).toEqual(["running", 1, null]);
    for (const events of [3, 2]) {
      await deletions.erasing(tasks, new Map([[1, { events, logs: 1 }]]), 2);
    }
    await deletions.forget({ tasks, projection_version: 1, purged_version: 1 });
    await deletions.count("dead_letters", new Map([[1, 4]]));
    await deletions.count("dead_letters", new Map([[1, 1]]));
    await deletions.scrub([1, 2]);
    await deletions.finish([1, 2], AT);

    expect(await deletions.get(1)).toMatchObject({
      ...{ state: "done", finished_at: AT, distinct_ids: [], email: null, generation: 2 },
      counts: { events: 2, logs: 1, warnings: 0, dead_letters: 5 },
      places: { count: 0, results: [] },
    });
    expect(await deletions.get(2)).toMatchObject({
      counts: { events: 0, logs: 0, warnings: 0, dead_letters: 0 },
    });
    expect(await deletions.cancel(1, AT)).toBe(false);
  });

  test("rows of a later generation are added to those of an earlier one", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    await queued(records, "ann");
    for (const [generation, events] of [
      [2, 3],
      [3, 4],
    ] as const) {
      const { tasks } = await deletions.begin(NIGHTLY, AT);
      await deletions.erasing(tasks, new Map([[1, { events, logs: 0 }]]), generation);
    }
    expect(await deletions.get(1)).toMatchObject({ counts: { events: 7, logs: 0 }, generation: 3 });
  });

  test("a task that fails is tried again, and fails after so many attempts", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    await queued(records, "ann");
    const failed = async (wanted: Wanted, counts: boolean) => {
      const { tasks } = await deletions.begin(wanted, AT);
      await deletions.fail(tasks, "no room", { counts });
      return await stateOf(records);
    };

    expect(await failed(NIGHTLY, false)).toEqual(["queued", 0, "no room"]);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const state = attempt < ATTEMPTS_MAX ? "queued" : "failed";
      expect(await failed(WEEKLY, true)).toEqual([state, attempt, "no room"]);
    }
  });

  test("an interrupted attempt does not count, and the next run begins with its tasks", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    await queued(records, "ann");
    const { tasks } = await deletions.begin(NIGHTLY, AT);

    await deletions.interrupt(tasks);

    expect(await stateOf(records)).toEqual(["running", 0, null]);
    expect((await deletions.begin(WEEKLY, AT)).tasks.map(({ id }) => id)).toEqual([1]);
  });

  test("a task that ended the server at each attempt becomes failed", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    await queued(records, "ann");
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      expect((await deletions.begin(NIGHTLY, AT)).tasks).toHaveLength(1);
    }
    expect((await deletions.begin(NIGHTLY, AT)).tasks).toEqual([]);
    expect(await stateOf(records)).toEqual(["failed", ATTEMPTS_MAX, expect.any(String)]);
  });

  test("a queued task is cancelled once, unless its events are gone", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    await queued(records, "ann", "bob");
    expect([await deletions.cancel(1, AT), await deletions.cancel(1, AT)]).toEqual([true, false]);
    expect(await deletions.get(1)).toMatchObject({ state: "cancelled", distinct_ids: [] });

    const { tasks } = await deletions.begin(NIGHTLY, AT);
    await deletions.erasing(tasks, new Map(), 2);
    await deletions.fail(tasks, "no room", { counts: true });
    expect(await deletions.cancel(2, AT)).toBe(false);
  });

  test("the traces of a person are places that name it, and samples of warnings", async () => {
    using records = await withProjects(open);
    const person = { project_id: 1, distinct_ids: ["ann"], email: "a@b.c" };
    const none = { warnings: 0, places: { count: 0, results: [] } };
    expect(await records.deletions.traces(person)).toEqual(none);

    const warning = {
      type: "invalid_event",
      count: 1,
      event_uuid: null,
      project_id: 1,
      at: 0,
    } as const;
    const warnings = ["ann", "bob", null].map((distinct_id) => ({ ...warning, distinct_id }));
    await records.persons.apply({ ...NO_CHANGES, warnings, applied_seq: 1 });
    expect(await records.deletions.traces(person)).toEqual({ ...none, warnings: 1 });
    expect(await records.deletions.traces({ ...person, project_id: 2 })).toEqual(none);
  });

  test("the time of the last run is kept for each kind", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    expect(await deletions.lastDue("weekly")).toBeUndefined();
    for (const _ of [1, 2]) await deletions.setDue("weekly", AT);
    expect(await deletions.lastDue("weekly")).toBe(AT);
    expect(await deletions.lastDue("nightly")).toBeUndefined();
  });

  test("a run purges once after a person was deleted", async () => {
    using records = await withProjects(open);
    const { deletions } = records;
    const [ann] = await createPersons(records, "ann");
    expect(await deletions.begin(NIGHTLY, AT)).toMatchObject({ isPurging: false });
    await records.persons.apply({
      ...{ kind: "remove", project_id: 1, ids: [ann.id], by: BY, events: undefined },
    });

    const { isPurging, removed_version } = await deletions.begin(NIGHTLY, AT);
    const versions = { projection_version: removed_version, purged_version: removed_version };
    await deletions.forget({ tasks: [], ...versions });

    expect(isPurging).toBe(true);
    expect(await deletions.begin(NIGHTLY, AT)).toMatchObject({ isPurging: false });
  });
});
