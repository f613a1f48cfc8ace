import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RESERVE_FREE_BYTES_MIN } from "../../../src/stores/journal/preallocate.ts";
import type { Part } from "../../../src/stores/journal/reader.ts";
import { faultyDisk } from "../../support/disk/faulty-disk.ts";
import {
  clear,
  entry,
  open,
  place,
  readAll,
  readerOf,
  segmentOf,
  segments,
  written,
} from "../../support/disk/journal.ts";

afterEach(clear);

const SEGMENT_BYTES = 40_000;
const OPTIONS = { segmentBytesMax: SEGMENT_BYTES, reserveAfterBytes: 1000 };
const RESERVED = "reserved";

/** A journal of two events, the second in a segment that was made ahead. */
async function ahead(options: Parameters<typeof open>[1] = {}) {
  const directory = place();
  const disk = faultyDisk();
  const made = Promise.withResolvers<void>();
  const fill: typeof disk.fill = async (...file) => {
    await disk.fill(...file);
    // The journal hears of it first.
    setImmediate(made.resolve);
  };
  const journal = await open(directory, { disk: { ...disk, fill }, ...OPTIONS, ...options });
  const first = `${"x".repeat(1500)}\n`;
  await journal.append(entry(first));
  await made.promise;
  await journal.append(entry("second\n"));
  return { directory, disk, journal, first, path: join(directory, segmentOf(2)) };
}

/** Leaves the files of a process that is killed with a preallocated segment. */
async function killed(last = "second\n") {
  const { directory, journal, path, first } = await ahead();
  if (last !== "second\n") await journal.append(entry(last));
  const whole = readFileSync(path);
  await journal.close();
  return { directory, path, whole, first, used: statSync(path).size };
}

/** Opens a journal again; returns the torn and the quarantined parts. */
async function reopened(directory: string) {
  const cuts: Part[] = [];
  const kept: Part[] = [];
  const journal = await open(directory, {
    onCut: (part) => cuts.push(part),
    onCorrupt: (part) => kept.push(part),
  });
  await journal.close();
  return { cuts, kept };
}

describe("a segment that is made ahead", () => {
  test("is of zeros, taken by its name, and cut when the next one begins and at the end", async () => {
    const { directory, journal, path, first } = await ahead();
    const sizes = [statSync(path).size];
    const text = `${"y".repeat(9000)}\n`;
    for (let count = 0; count < 6; count += 1) await journal.append(entry(text));
    await journal.close();
    const all = [first, "second\n", ...Array.from({ length: 6 }, () => text)];
    const files = segments(directory).map((name) => statSync(join(directory, name)).size);

    expect(sizes).toEqual([SEGMENT_BYTES]);
    expect(readAll(directory)).toMatchObject({ texts: all, corrupt: [] });
    expect(segments(directory).slice(0, 2)).toEqual([segmentOf(1), segmentOf(2)]);
    for (const size of files) expect(size).toBeLessThan(SEGMENT_BYTES);
    expect(readdirSync(directory)).not.toContain(RESERVED);
  });

  test("is read while it is written, and preallocated zeros are no damage", async () => {
    const { directory, journal, first } = await ahead();
    const { reader, corrupt } = readerOf(directory);
    const read = (after: number, upTo: number) =>
      reader.read({ after, upTo, eventsMax: 10 }).map(({ first_seq }) => first_seq);

    expect(read(0, 2)).toEqual([1, 2]);
    await journal.append(entry("third\n"));
    expect(read(2, 3)).toEqual([3]);
    expect(read(3, 4)).toEqual([]);
    expect(corrupt).toEqual([]);
    reader.close();
    await journal.close();
    expect(readAll(directory).texts).toEqual([first, "second\n", "third\n"]);
  });

  test("is made only by who has much to write, and only on a disk with room", async () => {
    const little = await written(["a", "b"], { disk: faultyDisk(), ...OPTIONS });
    const disk = { ...faultyDisk(), free: () => RESERVE_FREE_BYTES_MIN };
    const directory = place();
    const full = await open(directory, { disk, ...OPTIONS });
    for (let count = 0; count < 5; count += 1) await full.append(entry("x".repeat(1000)));
    await full.close();

    expect(readdirSync(little)).toEqual([segmentOf(1)]);
    expect(disk.count("fill")).toBe(0);
    expect(readdirSync(directory)).toEqual([segmentOf(1)]);
  });

  test("is done without when the disk refuses to make it, or to give it its name", async () => {
    for (const operation of ["fill", "rename", "open"] as const) {
      const directory = place();
      const disk = faultyDisk();
      const journal = await open(directory, { disk, ...OPTIONS });
      disk.fail(operation, { code: "ENOSPC" });
      const texts = Array.from({ length: 5 }, (_, at) => `${at}${"x".repeat(1500)}`);
      for (const text of texts) {
        await journal.append(entry(text));
        while (disk.count("fill") === 0) await Bun.sleep(1);
        await Bun.sleep(20);
      }
      await journal.close();

      expect(readAll(directory)).toMatchObject({ texts, corrupt: [] });
      expect(existsSync(join(directory, RESERVED))).toBe(false);
    }
  });

  test("ends only once its zeros are cut: until then entries are refused", async () => {
    const { directory, disk, journal, first } = await ahead();
    disk.fail("truncate", { code: "EIO" });
    const large = entry("z".repeat(SEGMENT_BYTES));

    const refused = await journal.append(large).catch((failure) => failure);
    await journal.append(large);
    await journal.close();

    expect(refused).toMatchObject({ code: "unavailable", cause: { code: "EIO" } });
    const texts = [first, "second\n", "z".repeat(SEGMENT_BYTES)];
    expect(readAll(directory)).toMatchObject({ texts, corrupt: [] });
  });

  test("is not continued after a failed sync of its end", async () => {
    const { directory, disk, journal, first } = await ahead();
    const large = "z".repeat(SEGMENT_BYTES);
    disk.fail("sync", { code: "EIO" });

    await journal.append(entry(large));
    const fourth = await journal.append(entry("fourth\n"));
    // On this disk, bytes that are synced after a failure are lost.
    await disk.crash();

    expect(fourth).toBe(4);
    expect(segments(directory).slice(0, 3)).toEqual([segmentOf(1), segmentOf(2), segmentOf(3)]);
    expect(readAll(directory).texts).toEqual([first, "second\n", large, "fourth\n"]);
  });

  test("does not delay closing, and is removed by it", async () => {
    const directory = place();
    const disk = faultyDisk();
    const journal = await open(directory, { disk, ...OPTIONS, segmentBytesMax: 2 ** 33 });
    await journal.append(entry("x".repeat(1500)));
    while (!existsSync(join(directory, RESERVED))) await Bun.sleep(1);
    await journal.close();
    expect(readdirSync(directory)).toEqual([segmentOf(1)]);
  });
});

describe("after a kill", () => {
  test("preallocated zeros are cut without a report, and the segment is continued", async () => {
    const { directory, path, whole, first } = await killed();
    writeFileSync(path, whole);
    writeFileSync(join(directory, RESERVED), new Uint8Array(100));
    const reported: Part[] = [];

    const report = (part: Part) => reported.push(part);
    const journal = await open(directory, { onCut: report, onCorrupt: report });
    const seq = await journal.append(entry("third\n"));
    await journal.close();

    expect(whole.length).toBe(SEGMENT_BYTES);
    expect([seq, reported]).toEqual([3, []]);
    expect(readAll(directory)).toMatchObject({
      texts: [first, "second\n", "third\n"],
      corrupt: [],
    });
    expect(readdirSync(directory).sort()).toEqual([segmentOf(1), segmentOf(2)]);
  });

  test("a segment that had only its name is removed", async () => {
    const { directory, first } = await killed();
    writeFileSync(join(directory, segmentOf(3)), new Uint8Array(SEGMENT_BYTES));
    const reported: Part[] = [];

    const report = (part: Part) => reported.push(part);
    const journal = await open(directory, { onCut: report, onCorrupt: report });
    await journal.close();

    expect(reported).toEqual([]);
    expect(readAll(directory)).toMatchObject({ texts: [first, "second\n"], corrupt: [] });
    expect(segments(directory)).toEqual([segmentOf(1), segmentOf(2)]);
  });

  test("a frame of which some sectors were never written is cut, whichever", async () => {
    const { directory, path, whole, used } = await killed(`${"long ".repeat(1000)}\n`);
    const start = used - `${"long ".repeat(1000)}\n`.length - 40;

    for (let at = start; at < used; ) {
      const next = Math.min(used, (Math.floor(at / 512) + 1) * 512);
      const torn = Buffer.from(whole).fill(0, at, next);
      writeFileSync(path, torn);
      const { cuts, kept } = await reopened(directory);
      expect({ at, kept, offsets: cuts.map(({ offset }) => offset) }).toEqual({
        ...{ at, kept: [] },
        offsets: [start],
      });
      at = next;
    }
  });

  test("any wrong bit of the last frame is damage, and a copy of it is kept", async () => {
    const { directory, path, whole, used } = await killed();
    const start = used - "second\n".length - 40;

    for (let bit = start * 8; bit < used * 8; bit += 1) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(path, damaged);
      const { cuts, kept } = await reopened(directory);
      expect({ bit, cuts, kept: kept.length }).toEqual({ bit, cuts: [], kept: 1 });
    }
  });
});
