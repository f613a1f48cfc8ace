import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "../../../src/stores/journal/reader.ts";
import { FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from "../../../src/stores/journal/segment.ts";
import { faultyDisk, randomOf } from "../../support/disk/faulty-disk.ts";
import {
  clear,
  entry,
  open,
  place,
  readAll,
  segmentOf,
  segments,
  textOf,
  written,
} from "../../support/disk/journal.ts";
import { rounds } from "../../support/start/rounds.ts";

afterEach(clear);

describe("after a crash", () => {
  test("a last frame torn at any byte is cut, and the frames before it stay", async () => {
    const directory = await written(["first\n", "second\n", "third\n"]);
    const path = join(directory, segmentOf(1));
    const whole = readFileSync(path);
    const start = whole.length - FRAME_HEADER_BYTES - "third\n".length;

    for (let size = start; size < whole.length; size += 1) {
      writeFileSync(path, whole.subarray(0, size));
      const cuts: Part[] = [];
      const journal = await open(directory, { onCut: (part) => cuts.push(part) });
      const durable = journal.durableSeq();
      const seq = await journal.append(entry("new\n"));
      await journal.close();

      const events = size < start + FRAME_HEADER_BYTES ? 0 : 1;
      const cut = { segment: segmentOf(1), offset: start, bytes: size - start, events };
      expect(cuts).toEqual(size === start ? [] : [cut]);
      expect([durable, seq]).toEqual([2, 3]);
      expect(readAll(directory)).toMatchObject({
        texts: ["first\n", "second\n", "new\n"],
        corrupt: [],
      });
    }
  });

  test("a tail that was allocated but never written is cut without a report", async () => {
    const directory = await written(["first", "second"]);
    const path = join(directory, segmentOf(1));
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([whole, Buffer.alloc(5000)]));
    const cuts: Part[] = [];

    const journal = await open(directory, { onCut: (part) => cuts.push(part) });
    await journal.close();

    expect(cuts).toEqual([]);
    expect(readFileSync(path)).toEqual(whole);
  });

  test("a last segment that holds no frame is removed", async () => {
    const directory = await written(["a", "b"]);
    const whole = readFileSync(join(directory, segmentOf(1)));

    for (let size = 0; size < SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES; size += 1) {
      writeFileSync(join(directory, segmentOf(3)), whole.subarray(0, size));
      const cuts: Part[] = [];
      const journal = await open(directory, { onCut: (part) => cuts.push(part) });
      const durable = journal.durableSeq();
      await journal.close();

      const cut = { segment: segmentOf(3), offset: 0, bytes: size, events: 0 };
      expect(cuts).toEqual(size === 0 ? [] : [cut]);
      expect(durable).toBe(2);
      expect(segments(directory)).toEqual([segmentOf(1)]);
    }
    const journal = await open(directory);
    expect(await journal.append(entry("c"))).toBe(3);
    await journal.close();
    expect(readAll(directory)).toMatchObject({ texts: ["a", "b", "c"], corrupt: [] });
  });

  test("the numbers go on above a segment of which nothing can be read", async () => {
    const directory = await written(["a", "b"], { segmentBytesMax: 60 });
    writeFileSync(join(directory, segmentOf(2)), "not a segment");
    writeFileSync(join(directory, segmentOf(3)), "");

    const corrupt: Part[] = [];
    const journal = await open(directory, { onCorrupt: (part) => corrupt.push(part) });
    const durable = journal.durableSeq();
    const seq = await journal.append(entry("c"));
    await journal.close();

    expect([durable, seq]).toEqual([1, 3]);
    expect(corrupt).toEqual([{ segment: segmentOf(2), offset: 0, bytes: "not a segment".length }]);
    expect(readAll(directory)).toMatchObject({ texts: ["a", "c"], corrupt: [] });
  });

  test("the numbers in damaged frames at the end count as durable, over several segments", async () => {
    const directory = await written(["a", "b", "c", "d"], { segmentBytesMax: 60 });
    for (const seq of [3, 4]) {
      const path = join(directory, segmentOf(seq));
      const bytes = readFileSync(path);
      bytes.writeUInt8(0x7a, bytes.length - 1);
      writeFileSync(path, bytes);
    }

    const corrupt: Part[] = [];
    const journal = await open(directory, { onCorrupt: (part) => corrupt.push(part) });
    const durable = journal.durableSeq();
    const seq = await journal.append(entry("e"));
    await journal.close();

    expect(corrupt.map(({ segment }) => segment)).toEqual([segmentOf(4), segmentOf(3)]);
    expect([durable, seq]).toEqual([4, 5]);
    expect(readAll(directory)).toMatchObject({ texts: ["a", "b", "e"], corrupt: [] });
  });

  test("a bad frame before a good one is no torn tail: its segment is kept and left", async () => {
    const directory = await written(["first", "second", "third"]);
    const path = join(directory, segmentOf(1));
    const damaged = readFileSync(path);
    damaged[SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES] = 0;
    writeFileSync(path, damaged);

    const journal = await open(directory);
    const seq = await journal.append(entry("fourth"));
    await journal.close();

    expect(seq).toBe(4);
    expect(readFileSync(path)).toEqual(damaged);
    expect(segments(directory)).toEqual([segmentOf(1), segmentOf(4)]);
    expect(readAll(directory).texts).toEqual(["second", "third", "fourth"]);
  });

  test("bytes of a killed process count as durable, so they are synced first", async () => {
    const directory = place();
    const disk = faultyDisk(() => 0.25);
    const killed = await open(directory, { disk });
    await killed.append(entry("synced"));
    const syncs = disk.count("sync");
    disk.hold("sync");
    void killed.append(entry("written"));
    while (disk.count("sync") === syncs) await Bun.sleep(1);

    const journal = await open(directory, { disk });
    const durable = journal.durableSeq();
    await disk.crash();

    expect(durable).toBe(2);
    expect(readAll(directory).texts).toEqual(["synced", "written"]);
  });

  test("the name of a segment that a killed process had made is made durable first", async () => {
    const directory = place();
    const disk = faultyDisk(() => 0);
    const killed = await open(directory, { disk });
    const syncs = disk.count("syncDirectory");
    disk.hold("syncDirectory");
    void killed.append(entry("written"));
    while (disk.count("syncDirectory") === syncs) await Bun.sleep(1);

    const journal = await open(directory, { disk });
    await journal.append(entry("acknowledged"));
    await disk.crash();

    expect(readAll(directory).texts).toEqual(["written", "acknowledged"]);
  });

  test.each([
    ["that grow", { segmentBytesMax: 1500 }],
    ["that were made ahead", { segmentBytesMax: 6000, reserveAfterBytes: 500 }],
  ])(
    "every acknowledged frame is there once, with any failure and any power cut, in segments %s",
    async (_how, options) => {
      for (let seed = 1; seed <= rounds(20, 60); seed += 1) {
        const random = randomOf(seed);
        const directory = place();
        const acknowledged = new Map<number, string>();
        for (let round = 0; round < 3; round += 1) {
          await liveAndDie(directory, random, acknowledged, { name: `${seed} ${round}`, options });
        }

        const { frames } = readAll(directory);
        const found = new Map(frames.map((frame) => [frame.first_seq, textOf(frame)]));
        const lost = [...acknowledged].filter(([seq, text]) => found.get(seq) !== text);
        expect({ seed, lost }).toEqual({ seed, lost: [] });
        const seqs = frames.map((frame) => frame.first_seq);
        expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
        const journal = await open(directory);
        expect(journal.durableSeq()).toBeGreaterThanOrEqual(Math.max(0, ...acknowledged.keys()));
        await journal.close();
      }
    },
  );
});

/** Operations that fail at times. */
const OPERATIONS = [
  ...(["write", "sync", "truncate", "create", "syncDirectory"] as const),
  ...(["rename", "fill", "open"] as const),
];

/** Appends from four sides on a disk that fails now and then, until the power goes. */
async function liveAndDie(
  directory: string,
  random: () => number,
  acknowledged: Map<number, string>,
  { name, options }: { name: string; options: Parameters<typeof open>[1] },
): Promise<void> {
  const disk = faultyDisk(random);
  const upTo = (limit: number) => Math.floor(random() * limit);
  disk.crashAfter(1 + upTo(60));
  for (const operation of OPERATIONS) {
    const fault = { code: "EIO", skip: upTo(15), times: 1 + upTo(2), bytes: upTo(400) } as const;
    if (random() < 0.3) disk.fail(operation, fault);
  }

  async function live(): Promise<void> {
    const journal = await open(directory, { disk, ...options });
    const appender = async (side: number) => {
      for (let turn = 0; ; turn += 1) {
        const text = `${name} ${side} ${turn} ${"x".repeat(upTo(300))}\n`;
        const one = entry(text, { count: 1 + upTo(3) });
        // A refusal is not the end: the next entry finds the disk in order again.
        await journal.append(one).then(
          (seq) => acknowledged.set(seq, text),
          () => {},
        );
      }
    };
    await Promise.all([appender(0), appender(1), appender(2), appender(3)]);
  }

  // Opening may fail as well; then the process ends there.
  await Promise.race([live().catch(disk.crash), disk.crashed]);
  await disk.crashed;
}

const LAST = "third\n";

/** A journal of three frames, the last of them of many sectors if it is `long`. */
async function three(last = LAST) {
  const directory = await written(["first\n", "second\n", last]);
  const path = join(directory, segmentOf(1));
  const whole = readFileSync(path);
  return { directory, path, whole, start: whole.length - FRAME_HEADER_BYTES - last.length };
}

/** Opens the journal; returns the torn and the quarantined parts. */
async function opened(directory: string, after = 0) {
  const cuts: Part[] = [];
  const kept: Part[] = [];
  const journal = await open(directory, {
    after,
    onCut: (part) => cuts.push(part),
    onCorrupt: (part) => kept.push(part),
  });
  await journal.close();
  return { cuts, kept };
}

const garbage = (length: number) => Buffer.from(Array.from({ length }, (_, n) => 1 + (n % 250)));

test("any wrong bit of a whole last frame makes it one that was damaged: a copy is kept", async () => {
  const { directory, path, whole, start } = await three();
  const offset = start;
  const part = { segment: segmentOf(1), offset, bytes: whole.length - offset };

  for (let bit = start * 8; bit < whole.length * 8; bit += 1) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(path, damaged);

    expect({ bit, ...(await opened(directory)) }).toEqual({ bit, cuts: [], kept: [part] });
    const [name = ""] = readdirSync(join(directory, "corrupt"));
    expect(readFileSync(join(directory, "corrupt", name))).toEqual(damaged.subarray(offset));
    expect(readAll(directory)).toMatchObject({ texts: ["first\n", "second\n"], corrupt: [] });
  }
});

test("a segment that was overwritten from its first byte on is quarantined as a whole", async () => {
  const { directory, path, whole } = await three();
  writeFileSync(path, garbage(whole.length));

  const { cuts, kept } = await opened(directory);

  const part = { segment: segmentOf(1), offset: 0, bytes: whole.length };
  expect([cuts, kept]).toEqual([[], [part]]);
  const copy = join(directory, "corrupt", segmentOf(1).replace(".journal", "-0.bin"));
  expect(readFileSync(copy)).toEqual(garbage(whole.length));
  expect(await opened(directory)).toEqual({ cuts: [], kept: [] });
});

test.each([1, 3, FRAME_HEADER_BYTES, 5000])(
  "%d bytes of garbage after the last frame are quarantined",
  async (length) => {
    const { directory, path, whole } = await three();
    writeFileSync(path, Buffer.concat([whole, garbage(length)]));

    const part = { segment: segmentOf(1), offset: whole.length, bytes: length };
    expect(await opened(directory)).toEqual({ cuts: [], kept: [part] });
  },
);

test("a last frame of which a power cut wrote only some sectors is cut, whichever", async () => {
  const text = `${"long ".repeat(1000)}\n`;
  const { directory, path, whole, start } = await three(text);
  const sectors = Math.ceil(whole.length / 512);

  for (let sector = Math.floor(start / 512); sector < sectors; sector += 1) {
    const torn = Buffer.from(whole);
    torn.fill(0, Math.max(sector * 512, start), Math.min((sector + 1) * 512, whole.length));
    writeFileSync(path, torn);

    const { cuts, kept } = await opened(directory);
    expect({ sector, kept }).toEqual({ sector, kept: [] });
    expect(cuts).toHaveLength(1);
  }
});

test("a frame that a store has applied was not torn, also if it looks so", async () => {
  const { directory, path, whole, start } = await three();
  const torn = Buffer.from(whole).fill(0, start);
  writeFileSync(path, torn);

  const { cuts, kept } = await opened(directory, 3);

  const part = { segment: segmentOf(1), offset: start, bytes: whole.length - start };
  expect([cuts, kept]).toEqual([[], [part]]);
});

test("a segment of which only the header is torn was never one", async () => {
  const { directory, whole } = await three();
  for (let size = 1; size <= SEGMENT_HEADER_BYTES; size += 1) {
    writeFileSync(join(directory, segmentOf(4)), whole.subarray(0, size));
    const cut = { segment: segmentOf(4), offset: 0, bytes: size, events: 0 };
    // The store is as far as the segment before.
    expect(await opened(directory, 3)).toEqual({ cuts: [cut], kept: [] });
  }
});
