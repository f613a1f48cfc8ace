import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../../src/app/process/log.ts";
import { gapRecovery } from "../../../src/app/recovery/journal-gaps.ts";
import { nodeDisk } from "../../../src/stores/files/disk.ts";
import { journalGaps } from "../../../src/stores/journal/gaps.ts";
import { segmentName } from "../../../src/stores/journal/segment.ts";
import { clear, entry, open, place, readerOf } from "../../support/disk/journal.ts";

afterEach(clear);

/** All gaps of a range, part by part. */
async function gapsIn(directory: string, { after, upTo }: { after: number; upTo: number }) {
  const { find } = journalGaps(readerOf(directory).reader, { directory, disk: nodeDisk });
  const all = [];
  for (let at = after; at < upTo; ) {
    const { gaps, last } = await find({ after: at, upTo });
    all.push(...gaps);
    at = last;
  }
  return all;
}

/** A journal of the numbers 1 to 30, in frames of three. */
async function journalOf30(): Promise<string> {
  const directory = place();
  const journal = await open(directory);
  for (let at = 1; at <= 30; at += 3) await journal.append(entry(`from-${at}-on`, { count: 3 }));
  await journal.close();
  return directory;
}

function damage(directory: string, text: string): void {
  const path = join(directory, segmentName(1));
  const bytes = readFileSync(path);
  bytes[bytes.indexOf(text)] = 0;
  writeFileSync(path, bytes);
}

test("frames that are damaged are gaps, those next to each other one", async () => {
  const directory = await journalOf30();
  for (const first of [4, 13, 16, 28]) damage(directory, `from-${first}-on`);
  expect(await gapsIn(directory, { after: 0, upTo: 30 })).toEqual([
    { first: 4, last: 6 },
    { first: 13, last: 18 },
    { first: 28, last: 30 },
  ]);
  expect(await gapsIn(directory, { after: 5, upTo: 13 })).toEqual([
    { first: 6, last: 6 },
    { first: 13, last: 13 },
  ]);
});

test("damaged warnings are no lost events, also with a wrong kind in their header", async () => {
  const directory = place();
  const journal = await open(directory);
  const warning = '{"type":"missing_event_name"}\n';
  await journal.append(entry("event-1"));
  await journal.append(entry(warning.repeat(3), { kind: "warnings", count: 3 }));
  await journal.append(entry("event-5"));
  await journal.append(entry(warning.repeat(2), { kind: "warnings", count: 2 }));
  await journal.append(entry("event-8"));
  await journal.close();
  const path = join(directory, segmentName(1));
  const bytes = readFileSync(path);
  // The kind is at byte 12 of a header.
  for (const [text, kind] of [
    [warning, 2],
    ["event-5", 3],
    ["event-8", 7],
  ] as const) {
    bytes.writeUInt32LE(kind, bytes.indexOf(text) - 28);
  }
  writeFileSync(path, bytes);

  expect(await gapsIn(directory, { after: 0, upTo: 8 })).toEqual([
    { first: 5, last: 5 },
    { first: 8, last: 8 },
  ]);
});

test("a frame that ends after a range is no gap of the range", async () => {
  const directory = await journalOf30();
  damage(directory, "from-7-on");
  const finder = journalGaps(readerOf(directory).reader, { directory, disk: nodeDisk });
  const lost = gapRecovery({
    ...{ directory, memory_bytes: 0, journalGaps: finder, lastSeq: 30 },
    store: { applied: 0 },
    restore: { add: async () => {} },
    log: openLog({ format: "json", now: Date.now }),
  });

  expect(await lost.gapsOf({ after: 0, upTo: 5 })).toEqual([]);
  expect(await lost.gapsOf({ after: 0, upTo: 8 })).toEqual([{ first: 7, last: 8 }]);
  expect(await lost.gapsOf({ after: 28, upTo: 99 })).toEqual([]);
});
