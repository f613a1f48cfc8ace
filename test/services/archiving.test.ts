import { expect, test } from "bun:test";
import { silentLog } from "../../src/log.ts";
import { startArchiving } from "../../src/services/archiving.ts";

const BOUND = 1000;

test.each([
  ["three quarters of its bound while much waits for the stores", 751, 100_000],
  ["a sixteenth of its bound while little does", 63, 10],
])("a journal of %s is archived, and what is archived leaves it", async (_what, bytes, lag) => {
  const journal = { bytes };
  const archived = { last: 0 };
  const trimmed = Promise.withResolvers<number>();
  const archiving = startArchiving({
    journal: {
      bytes: () => journal.bytes,
      async trim(upTo) {
        if (upTo > 0) trimmed.resolve(upTo);
        return upTo;
      },
    },
    ingest: { applied: () => 40, lag: () => lag },
    restoring: { active: () => false },
    events: { checkpoint: async () => {} },
    archive: {
      last: () => archived.last,
      async add(upTo) {
        archived.last = upTo;
      },
      complete: async () => {},
      compact: async () => false,
      erase: async () => 0,
    },
    journalBytesMax: BOUND,
    log: silentLog,
  });

  expect(await trimmed.promise).toBe(40);
  expect(archived.last).toBe(40);
  expect(await archiving.stop(1000)).toBe(true);
});
