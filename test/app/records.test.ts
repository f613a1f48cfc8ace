import { expect, test } from "bun:test";
import { join } from "node:path";
import { RECORDS, type RecordStore } from "../../src/app/records.ts";
import { memoryNotes, memorySessions } from "../stores/memory-records.ts";
import { projectNamed } from "../stores/stores.ts";
import { temporaryDirectory } from "../support/start/app.ts";

/** A second kind of store: the server would use it if its line in `app/records.ts` named it. */
function otherStore(): RecordStore {
  const [sessions, definitions] = [memorySessions(), memoryNotes()];
  return {
    ...RECORDS,
    file: "other.sqlite",
    openReads: (path) => ({ ...RECORDS.openReads(path), sessions, definitions }),
    openWrites(path, needs) {
      const opened = RECORDS.openWrites(path, needs);
      return { ...opened, writes: { ...opened.writes, sessions, definitions } };
    },
  };
}

test.each([
  ["the store of records", RECORDS],
  ["a second kind of store", otherStore()],
])("%s reads what it wrote, and refuses a missing file", async (_name, store) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, store.file);
  expect(() => store.expectKept(path)).toThrow("it is missing");
  const log = { info() {}, warn() {}, error() {} };
  const { writes, close } = store.openWrites(path, { log, end() {} });
  const reads = store.openReads(path);
  await writes.projects.insert(projectNamed("one"));
  const place = { project: 1, kind: "event" as const, name: "paid" };
  await writes.definitions.describe(place, { description: "An order." });
  expect(await reads.projects.find(1)).toMatchObject({ name: "one" });
  expect(await reads.definitions.noted(1, "event")).toEqual(["paid"]);
  expect(await reads.persons.applied()).toBe(0);
  reads.close();
  close();
  expect(() => store.expectKept(path)).not.toThrow();
});
