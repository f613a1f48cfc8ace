import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../../src/app/process/log.ts";
import { gapRecovery } from "../../../src/app/recovery/journal-gaps.ts";
import { JOURNAL_READ_BYTES_MAX } from "../../../src/core/events/event.ts";
import type { Frame } from "../../../src/core/ports/journal.ts";
import { nodeDisk } from "../../../src/stores/files/disk.ts";
import { journalGaps } from "../../../src/stores/journal/reader.ts";
import {
  FRAME_HEADER_BYTES,
  SEGMENT_HEADER_BYTES,
  segmentName,
  WINDOW_BYTES,
} from "../../../src/stores/journal/segment.ts";
import {
  clear,
  entry,
  open,
  place,
  readAll,
  readerOf,
  segmentOf,
  textOf,
  written,
} from "../../support/disk/journal.ts";

afterEach(clear);

const numbers = (frames: Frame[]) => frames.map((frame) => frame.first_seq);

describe("a reader", () => {
  test("stops at a number of bytes", async () => {
    const directory = place();
    const journal = await open(directory);
    const third = entry("x".repeat(JOURNAL_READ_BYTES_MAX / 3));
    for (let index = 0; index < 4; index += 1) await journal.append(third);
    const { reader } = readerOf(directory);

    const read = (after: number) => numbers(reader.readSync({ after, upTo: 4, eventsMax: 100 }));

    expect([read(0), read(3)]).toEqual([[1, 2, 3], [4]]);
    reader.close();
    await journal.close();
  });

  test("waits for a frame that is being written, and does not take it for damage", async () => {
    const directory = await written(["a", "bb", "ccc"]);
    const path = join(directory, segmentOf(1));
    const whole = readFileSync(path);
    truncateSync(path, SEGMENT_HEADER_BYTES - 1);
    const { reader, corrupt } = readerOf(directory);
    const seen: string[] = [];

    for (let size = statSync(path).size; size <= whole.length; size += 1) {
      writeFileSync(path, whole.subarray(0, size));
      const range = { after: seen.length, upTo: 1000 + size, eventsMax: 100 };
      seen.push(...reader.readSync(range).map(textOf));
      if (size < whole.length) expect(seen.length).toBeLessThan(3);
    }

    expect(seen).toEqual(["a", "bb", "ccc"]);
    expect(corrupt).toEqual([]);
    reader.close();
  });

  test("passes over nothing that is still to be written, even if what follows is there", async () => {
    const directory = await written(["a", "bb", "ccc"]);
    const path = join(directory, segmentOf(1));
    const whole = readFileSync(path);
    const start = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES + 1;
    writeFileSync(path, Buffer.from(whole).fill(0, start, start + FRAME_HEADER_BYTES));
    const { reader, corrupt } = readerOf(directory);

    const first = reader.readSync({ after: 0, upTo: 2, eventsMax: 100 }).map(textOf);
    writeFileSync(path, whole);
    const rest = reader.readSync({ after: 1, upTo: 3, eventsMax: 100 }).map(textOf);

    expect([first, rest]).toEqual([["a"], ["bb", "ccc"]]);
    expect(corrupt).toEqual([]);
    reader.close();
  });

  test("looks at a segment once more before it leaves it for a later one", async () => {
    const directory = await written(["a", "b", "c"], { segmentBytesMax: 100 });
    const [first, later] = [join(directory, segmentOf(1)), join(directory, segmentOf(3))];
    const [whole, next] = [readFileSync(first), readFileSync(later)];
    rmSync(later);
    truncateSync(first, whole.length - 10);
    let lists = 0;
    const list = (path: string) => {
      lists += 1;
      if (lists === 2) {
        writeFileSync(first, whole);
        writeFileSync(later, next);
      }
      return nodeDisk.list(path);
    };
    const { reader, corrupt } = readerOf(directory, { ...nodeDisk, list });

    const texts = reader.readSync({ after: 0, upTo: 3, eventsMax: 100 }).map(textOf);

    expect(texts).toEqual(["a", "b", "c"]);
    expect(corrupt).toEqual([]);
    reader.close();
  });
});

describe("damage", () => {
  const second = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES + "first\n".length;
  const bytes = FRAME_HEADER_BYTES + "second\n".length;

  const copyOf = (directory: string, offset: number) =>
    join(directory, "corrupt", segmentOf(1).replace(".journal", `-${offset}.bin`));

  test("of any bit of a frame quarantines that frame, and its neighbours stay", async () => {
    const directory = await written(["first\n", "second\n", "third\n"]);
    const path = join(directory, segmentOf(1));
    const whole = readFileSync(path);

    for (let bit = 0; bit < bytes * 8; bit += 1) {
      const damaged = Buffer.from(whole);
      const at = second + (bit >> 3);
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (bit & 7)), at);
      writeFileSync(path, damaged);
      const { texts, corrupt } = readAll(directory);

      expect(texts).toEqual(["first\n", "third\n"]);
      expect(corrupt).toEqual([{ segment: segmentOf(1), offset: second, bytes }]);
      const copy = readFileSync(copyOf(directory, second));
      expect(copy).toEqual(damaged.subarray(second, second + bytes));
    }
  });

  test("is reported once, also if it is read again", async () => {
    const directory = await written(["first\n", "second\n", "third\n"]);
    const path = join(directory, segmentOf(1));
    writeFileSync(path, readFileSync(path).fill(0, second, second + bytes));
    const { reader, corrupt } = readerOf(directory);
    const read = () => reader.readSync({ after: 0, upTo: 3, eventsMax: 100 }).map(textOf);

    expect([read(), read()]).toEqual([
      ["first\n", "third\n"],
      ["first\n", "third\n"],
    ]);

    expect(corrupt).toEqual([{ segment: segmentOf(1), offset: second, bytes }]);
    reader.close();
  });

  test("is copied for its owner alone", async () => {
    const directory = await written(["first\n", "second\n", "third\n"]);
    const path = join(directory, segmentOf(1));
    writeFileSync(path, readFileSync(path).fill(0, second, second + bytes));

    readAll(directory);

    const modes = [join(directory, "corrupt"), copyOf(directory, second)].map(
      (name) => statSync(name).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  test("over several frames is one piece, however long", async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index} `.repeat(20_000));
    const directory = await written(texts);
    const path = join(directory, segmentOf(1));
    const whole = readFileSync(path);
    const [from, to] = [whole.indexOf("0 0 "), whole.indexOf("38 38 ")];
    writeFileSync(path, whole.fill("?", from, to));

    const { texts: left, corrupt } = readAll(directory);

    expect(left).toEqual(texts.slice(39));
    expect(corrupt).toHaveLength(1);
  });

  test("ends at the next frame, also if that is in two windows", async () => {
    for (let overlap = 0; overlap < 5; overlap += 1) {
      const size = WINDOW_BYTES - FRAME_HEADER_BYTES - overlap;
      const directory = await written(["x".repeat(size), "second"]);
      const path = join(directory, segmentOf(1));
      writeFileSync(
        path,
        readFileSync(path).fill(0, SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES + 4),
      );

      expect(readAll(directory).texts).toEqual(["second"]);
    }
  });

  test("of a segment's header costs no frame", async () => {
    const directory = await written(["a", "b"]);
    const path = join(directory, segmentOf(1));
    writeFileSync(path, readFileSync(path).fill(0, 0, 4));

    const { texts, corrupt } = readAll(directory);

    expect(texts).toEqual(["a", "b"]);
    expect(corrupt).toEqual([{ segment: segmentOf(1), offset: 0, bytes: SEGMENT_HEADER_BYTES }]);
  });

  test("at the end of a segment is passed over once a later segment exists", async () => {
    const directory = await written(["first\n", "second\n"]);
    const path = join(directory, segmentOf(1));
    writeFileSync(path, readFileSync(path).fill(0, second));
    const { reader, corrupt } = readerOf(directory);
    const read = (after: number, upTo: number) =>
      reader.readSync({ after, upTo, eventsMax: 100 }).map(textOf);

    const before = [...read(0, 2), ...read(2, 3)];
    const early = [...corrupt];
    const later = readFileSync(join(await written(["fourth\n"]), segmentOf(1)));
    writeFileSync(join(directory, segmentOf(4)), later);
    const after = read(3, 4);

    expect([before, early, after]).toEqual([["first\n"], [], []]);
    expect(corrupt).toEqual([{ segment: segmentOf(1), offset: second, bytes }]);
    reader.close();
  });
});

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
    ...{ directory, memory_bytes: 0, journalGaps: finder, lastSeq: 30, noted: 30 },
    store: { applied: 0 },
    restore: { add: async () => {} },
    log: openLog({ format: "json", now: Date.now }),
  });

  expect(await lost.gapsOf({ after: 0, upTo: 5 })).toEqual([]);
  expect(await lost.gapsOf({ after: 0, upTo: 8 })).toEqual([{ first: 7, last: 8 }]);
  expect(await lost.gapsOf({ after: 28, upTo: 99 })).toEqual([]);
});
