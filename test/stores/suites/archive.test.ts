import { describe, expect, test } from "bun:test";
import { batchEvent, batchOf, loadOf } from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { ARCHIVES, type Archives } from "../stores.ts";

const PAGE = { limit: 100, offset: 0 };
const ERASING = {
  isPurging: false,
  ready: async () => {},
  forget: async () => {},
  stopped: () => false,
};

/** Stores events, and archives each alone. */
async function archived({ stored, archive }: Archives, ...distinctIds: string[]): Promise<void> {
  for (const [at, distinct_id] of distinctIds.entries()) {
    const event = batchEvent(at + 1, { distinct_id });
    await stored.store.append(loadOf(stored.files, batchOf(at + 1, [event])));
    await archive.add(at + 1);
  }
}

const listed = async ({ stored }: Archives) => await stored.events.list(1, {}, PAGE, FOREVER);

/** Builds the event store again from all files, and returns its list. */
async function restored(made: Archives) {
  const { restore, files } = made;
  await restore.begin();
  for (const file of files.state().files) {
    expect(await restore.load(file, { mark: files.state().last, gaps: [] })).toBe(true);
  }
  await restore.assign();
  await restore.end();
  return await listed(made);
}

describe.each(ARCHIVES)("the archive in %s", (_name, make) => {
  test("has all rows up to its last number, and the event store is built again from it", async () => {
    await using made = await make();
    expect([made.archive.last(), made.archive.files()]).toEqual([0, 0]);
    await archived(made, "ann", "bob", "ann");
    await made.archive.add(2);
    const before = await listed(made);

    expect([made.archive.last(), made.archive.files()]).toEqual([3, 3]);
    expect(await made.restore.isUnfinished()).toBe(false);
    await made.restore.begin();
    expect(await made.restore.isUnfinished()).toBe(true);
    expect([await made.stored.store.applied(), (await listed(made)).count]).toEqual([3, 0]);
    expect(await restored(made)).toMatchObject({
      ...{ count: 3, rows: before.rows.map(({ uuid, seq }) => ({ uuid, seq })) },
    });
    expect(await made.restore.isUnfinished()).toBe(false);
  });

  test("joins small files, and loses no row", async () => {
    await using made = await make();
    await archived(made, ...Array.from({ length: 17 }, () => "ann"));

    while (await made.archive.compact());

    expect(made.archive.files()).toBeLessThan(17);
    expect(await made.archive.compact()).toBe(false);
    expect(await restored(made)).toMatchObject({ count: 17 });
  });

  test("loses the rows that an erasure took from the event store, and no others", async () => {
    await using made = await make();
    await archived(made, "ann", "bob", "ann");
    const task = { id: 1, project_id: 1, distinct_ids: ["ann"], journal_seq: 2 };
    await made.stored.store.erase([task], ERASING);

    expect([await made.archive.erase([task]), await made.archive.erase([task])]).toEqual([1, 0]);
    expect(made.archive.last()).toBe(3);
    const { rows } = await restored(made);
    expect(rows.map(({ seq }) => seq)).toEqual([3, 2]);
  });

  test("writes rows of a damaged file again from the event store", async () => {
    await using made = await make();
    await archived(made, "ann", "bob");
    const [damaged] = made.files.state().files;
    if (damaged === undefined) throw new Error("There is no file");

    await made.files.quarantine(damaged);
    expect(await made.files.isSound(damaged)).toBe(false);
    await made.archive.complete();
    for (const place of [0, 1, 9]) await made.archive.check(place);

    expect(made.files.state()).toMatchObject({ missing: 0, rows_lost: 0 });
    expect(await restored(made)).toMatchObject({ count: 2 });
  });
});
