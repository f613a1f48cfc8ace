import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from "../../../src/stores/journal/frame.ts";
import type { Part } from "../../../src/stores/journal/reader.ts";
import { clear, open, readAll, segmentOf, written } from "../../support/disk/journal.ts";

afterEach(clear);

const LAST = "third\n";

/** A journal of three frames, the last of them of many sectors if it is `long`. */
async function three(last = LAST) {
  const directory = await written(["first\n", "second\n", last]);
  const path = join(directory, segmentOf(1));
  const whole = readFileSync(path);
  return { directory, path, whole, start: whole.length - FRAME_HEADER_BYTES - last.length };
}

/** What opening it cuts off, and what it keeps aside. */
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

test("a segment that was overwritten from its first byte on is kept aside, whole", async () => {
  const { directory, path, whole } = await three();
  writeFileSync(path, garbage(whole.length));

  const { cuts, kept } = await opened(directory);

  const part = { segment: segmentOf(1), offset: 0, bytes: whole.length };
  expect([cuts, kept]).toEqual([[], [part]]);
  const aside = join(directory, "corrupt", segmentOf(1).replace(".journal", "-0.bin"));
  expect(readFileSync(aside)).toEqual(garbage(whole.length));
  expect(await opened(directory)).toEqual({ cuts: [], kept: [] });
});

test.each([1, 3, FRAME_HEADER_BYTES, 5000])(
  "%d bytes of garbage behind the last frame are kept aside",
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

test("what a store has applied was no torn frame, however it looks", async () => {
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
