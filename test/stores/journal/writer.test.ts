import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "../../../src/stores/journal/reader.ts";
import { RESERVE_FREE_BYTES_MIN } from "../../../src/stores/journal/writer.ts";
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

describe("a disk that fails", () => {
  // The limit of a file's size stands in for a full disk: it also cuts a write short at first.
  test("takes short writes for what they are", async () => {
    const directory = place();
    const source = (name: string) =>
      JSON.stringify(join(import.meta.dir, "../../../src/stores", name));
    const script = `
      import { nodeDisk } from ${source("files/disk.ts")};
      import { openJournal } from ${source("journal/journal.ts")};
      const directory = ${JSON.stringify(directory)};
      const journal = await openJournal({ directory, disk: nodeDisk, after: 0 });
      const append = (text) => journal
        .append({ kind: "events", project_id: 1, arrived_at: 0, count: 1, lines: Buffer.from(text) })
        .catch((failure) => failure.cause.code);
      console.log(JSON.stringify([await append("a"), await append("x".repeat(1e6)), await append("b")]));
      await journal.close();`;

    const limited = `trap "" XFSZ; ulimit -f 100; exec "$0" -e "$1"`;
    const { stdout } = Bun.spawnSync(["sh", "-c", limited, process.execPath, script]);

    expect(JSON.parse(stdout.toString())).toEqual([1, "EFBIG", 2]);
    expect(readAll(directory)).toMatchObject({ texts: ["a", "b"], corrupt: [] });
  });

  test("by running full costs the group it fails, and nothing that was acknowledged", async () => {
    const directory = place();
    const disk = faultyDisk();
    const journal = await open(directory, { disk });
    await journal.append(entry("kept"));
    const size = statSync(join(directory, segmentOf(1))).size;

    disk.fail("write", { code: "ENOSPC", bytes: 100 });
    const refused = await Promise.allSettled(
      ["x", "y", "z"].map((text) => journal.append(entry(text.repeat(50)))),
    );
    const cutSize = statSync(join(directory, segmentOf(1))).size;
    const seq = await journal.append(entry("after"));
    await journal.close();

    for (const outcome of refused) {
      expect(outcome).toMatchObject({ reason: { code: "unavailable", cause: { code: "ENOSPC" } } });
    }
    expect(cutSize).toBe(size);
    // Unused numbers would be reported as lost events.
    expect(seq).toBe(2);
    expect(segments(directory)).toEqual([segmentOf(1)]);
    expect(readAll(directory)).toMatchObject({ texts: ["kept", "after"], corrupt: [] });
  });

  test("to sync is not asked again for the same file", async () => {
    const directory = place();
    const disk = faultyDisk(() => 0.25);
    const journal = await open(directory, { disk });
    await journal.append(entry("kept"));

    disk.fail("sync", { code: "EIO" });
    const refused = await journal.append(entry("lost")).catch((failure) => failure);
    await journal.append(entry("after"));
    const before = readAll(directory);
    await disk.crash();

    expect(refused).toMatchObject({ code: "unavailable", cause: { code: "EIO" } });
    expect(segments(directory)).toEqual([segmentOf(1), segmentOf(3)]);
    expect(before).toMatchObject({ texts: ["kept", "after"], corrupt: [] });
    expect(readAll(directory)).toMatchObject({ texts: ["kept", "after"], corrupt: [] });
  });

  test("to cut a failed write gets a new segment, and the other bytes are quarantined", async () => {
    const directory = place();
    const disk = faultyDisk();
    const journal = await open(directory, { disk });
    await journal.append(entry("kept"));

    disk.fail("write", { code: "ENOSPC", bytes: 60 });
    disk.fail("truncate", { code: "EIO" });
    const refused = await journal.append(entry("x".repeat(100))).catch((failure) => failure);
    await journal.append(entry("after"));
    await journal.close();

    expect(refused).toMatchObject({ code: "unavailable", cause: { code: "ENOSPC" } });
    expect(segments(directory)).toEqual([segmentOf(1), segmentOf(3)]);
    expect(readAll(directory)).toMatchObject({
      texts: ["kept", "after"],
      corrupt: [{ segment: segmentOf(1), bytes: 60 }],
    });
  });

  test.each(["create", "write", "sync", "syncDirectory"] as const)(
    "to begin a segment (%s) keeps nothing of it, and the next append does",
    async (operation) => {
      const directory = place();
      const disk = faultyDisk();
      const journal = await open(directory, { disk });

      disk.fail(operation, { code: "ENOSPC", bytes: 5 });
      const refused = await journal.append(entry("x")).catch((failure) => failure);
      const bytes = journal.bytes();
      const seq = await journal.append(entry("y"));
      await journal.close();

      expect(refused).toMatchObject({ code: "unavailable", cause: { code: "ENOSPC" } });
      expect([bytes, seq]).toEqual([0, operation === "write" ? 1 : 2]);
      expect(segments(directory)).toHaveLength(1);
      expect(readAll(directory)).toMatchObject({ texts: ["y"], corrupt: [] });
    },
  );
});

describe("trimming", () => {
  test("removes the segments that are applied in whole, and never the newest", async () => {
    const directory = place();
    // Three frames of one byte to a segment.
    const journal = await open(directory, { segmentBytesMax: 16 + 3 * 41 });
    for (const text of "abcdefgh") await journal.append(entry(text));

    const removed = [await journal.trim(2), await journal.trim(6), await journal.trim(6)];
    const left = segments(directory);
    const texts = readAll(directory).texts;
    await journal.trim(8);
    await journal.append(entry("i"));

    expect(removed).toEqual([0, 2, 0]);
    expect(left).toEqual([segmentOf(7)]);
    expect(texts).toEqual(["g", "h"]);
    expect(readAll(directory).texts).toEqual(["g", "h", "i"]);
    await journal.close();
  });

  test("counts the numbers before the next segment, which may begin after a gap", async () => {
    const directory = await written(["a", "b"], { segmentBytesMax: 60 });
    const journal = await open(directory, { after: 50, segmentBytesMax: 60 });
    await journal.append(entry("c"));

    const removed = [await journal.trim(49), await journal.trim(50)];

    expect(removed).toEqual([1, 1]);
    expect(segments(directory)).toEqual([segmentOf(51)]);
    await journal.close();
  });

  test("that the disk refuses is done by the next call", async () => {
    const directory = place();
    const disk = faultyDisk();
    const journal = await open(directory, { disk, segmentBytesMax: 60 });
    for (const text of "abcd") await journal.append(entry(text));

    disk.fail("remove", { code: "EIO", skip: 1 });
    const first = await journal.trim(3).catch((error) => error.code);
    disk.fail("syncDirectory", { code: "EIO" });
    const second = await journal.trim(3).catch((error) => error.code);
    const syncs = disk.count("syncDirectory");
    const third = await journal.trim(3);

    expect([first, second, third]).toEqual(["EIO", "EIO", 0]);
    expect(disk.count("syncDirectory")).toBe(syncs + 1);
    expect(segments(directory)).toEqual([segmentOf(4)]);
    await journal.close();
  });

  test("does not take a segment that could not be begun for the newest", async () => {
    const directory = place();
    const disk = faultyDisk();
    const journal = await open(directory, { disk, segmentBytesMax: 60 });
    for (const text of "ab") await journal.append(entry(text));
    disk.fail("sync", { code: "EIO" });
    await journal.append(entry("refused")).catch(() => {});

    await journal.trim(3);

    expect(segments(directory)).toEqual([segmentOf(2)]);
    await journal.close();
  });
});

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
      reader.readSync({ after, upTo, eventsMax: 10 }).map(({ first_seq }) => first_seq);

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
