import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { COMMIT_BYTES_MAX, WAITING_BYTES_MAX } from "../../../src/stores/journal/journal.ts";
import { faultyDisk } from "../../support/disk/faulty-disk.ts";
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

afterEach(clear);

describe("a journal", () => {
  test("makes no file before something is appended", async () => {
    const directory = place();
    const journal = await open(directory);
    expect(readdirSync(directory)).toEqual([]);
    await journal.close();
  });

  test("holds many small frames and one that is larger than a segment", async () => {
    const directory = place();
    const journal = await open(directory, { segmentBytesMax: 100_000 });
    const large = "x".repeat(200_000);
    const texts = [
      ...Array.from({ length: 3000 }, (_, index) => `event ${index}\n`),
      large,
      "last",
    ];

    await Promise.all(texts.map((text) => journal.append(entry(text))));
    await journal.close();

    expect(readAll(directory)).toMatchObject({ texts, corrupt: [] });
  });

  test("acknowledges nothing before its sync; what arrives meanwhile shares the next", async () => {
    const disk = faultyDisk();
    const journal = await open(place(), { disk });
    await journal.append(entry("begins the segment\n"));
    const before = disk.count("sync");
    const release = disk.hold("sync");

    const early = journal.append(entry("early\n"));
    while (disk.count("sync") === before) await Bun.sleep(1);
    const late = Array.from({ length: 50 }, () => journal.append(entry("late\n")));
    await Bun.sleep(5);
    const meanwhile = [Bun.peek.status(early), journal.durableSeq(), disk.count("sync") - before];
    release();
    const seqs = [await early, ...(await Promise.all(late))];

    expect(meanwhile).toEqual(["pending", 1, 1]);
    expect(seqs.join()).toBe(Array.from({ length: 51 }, (_, index) => index + 2).join());
    expect(disk.count("sync") - before).toBe(2);
    expect(journal.durableSeq()).toBe(52);
    await journal.close();
  });

  test("joins small entries of one kind and project that arrive together to one frame", async () => {
    const directory = place();
    const journal = await open(directory);
    const at = { arrived_at: 1_700_000_000_000 };
    const entries = [
      entry("a\n", at),
      entry("b\nc\n", { arrived_at: at.arrived_at + 20, count: 2 }),
      entry("another kind\n", { ...at, kind: "historical" }),
      entry("another project\n", { ...at, kind: "historical", project_id: 8 }),
      entry("later\n", { kind: "historical", project_id: 8, arrived_at: at.arrived_at + 21 }),
      entry("d\n", at),
      entry(`${"x".repeat(65_533)}\n`, at),
      entry("too many bytes\n", at),
    ];

    const seqs = await Promise.all(entries.map(journal.append));
    await journal.close();

    expect(seqs).toEqual([1, 2, 4, 5, 6, 7, 8, 9]);
    const { frames } = readAll(directory);
    expect(
      frames.map(({ first_seq, count, arrived_at }) => [first_seq, count, arrived_at]),
    ).toEqual([
      [1, 3, at.arrived_at],
      ...[4, 5].map((seq) => [seq, 1, at.arrived_at]),
      [6, 1, at.arrived_at + 21],
      [7, 2, at.arrived_at],
      [9, 1, at.arrived_at],
    ]);
    expect(frames.map(textOf).join("")).toBe(entries.map((one) => textOf(one)).join(""));
  });

  test("bounds what it writes before a sync", async () => {
    const disk = faultyDisk();
    const journal = await open(place(), { disk });
    await journal.append(entry("begins the segment\n"));
    const before = disk.count("sync");
    const third = entry("x".repeat(COMMIT_BYTES_MAX / 3));

    await Promise.all(Array.from({ length: 5 }, () => journal.append(third)));

    expect(disk.count("sync") - before).toBe(3);
    await journal.close();
  });

  test("writes warnings together with what they are of, however large that is", async () => {
    const disk = faultyDisk();
    const journal = await open(place(), { disk });
    await journal.append(entry("begins the segment\n"));
    const before = disk.count("sync");
    const large = entry("x".repeat(COMMIT_BYTES_MAX + 1));
    const warnings = entry("warned\n", { kind: "warnings" });

    await Promise.all([large, warnings, warnings, large, warnings].map(journal.append));

    expect(disk.count("sync") - before).toBe(2);
    await journal.close();
  });

  test("goes on with the numbers, and with the segment, when it is opened again", async () => {
    const directory = await written(["a", "b"]);

    const journal = await open(directory);
    const seq = await journal.append(entry("c"));
    await journal.close();

    expect(seq).toBe(3);
    expect(segments(directory)).toEqual([segmentOf(1)]);
    expect(readAll(directory).texts).toEqual(["a", "b", "c"]);
  });

  test("starts a segment when the last is full, and never splits a frame", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(100));

    const directory = await written(texts, { segmentBytesMax: 700 });

    const sizes = segments(directory).map((name) => statSync(join(directory, name)).size);
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(700);
    expect(readAll(directory)).toMatchObject({ texts, corrupt: [] });
  });

  test("refuses what would wait beyond the limit, and takes more once there is room", async () => {
    const disk = faultyDisk();
    const journal = await open(place(), { disk });
    disk.fail("create", { code: "EIO", times: 16 });
    const release = disk.hold("create");
    const eighth = entry("x".repeat(WAITING_BYTES_MAX / 8));

    const waiting = Array.from({ length: 7 }, () => journal.append(eighth));
    const outcomes = Promise.allSettled(waiting);
    const refused = await journal.append(eighth).catch((failure) => failure);
    const small = journal.append(entry("small")).catch(() => {});
    release();
    await Promise.all([outcomes, small]);

    expect(refused).toMatchObject({ code: "unavailable", cause: undefined });
    expect(journal.waiting()).toBe(0);
    await journal.close();
  });

  test("reports once that the disk refuses entries, and once that it takes them again", async () => {
    const disk = faultyDisk();
    const states: string[] = [];
    const journal = await open(place(), {
      disk,
      onRefused: (error) => states.push((error as { code: string }).code),
      onAccepted: () => states.push("accepted"),
    });
    const append = () => journal.append(entry("a")).catch(() => {});

    await append();
    disk.fail("write", { code: "ENOSPC", times: 2 });
    await append();
    await append();
    await append();
    await append();
    await journal.close();

    expect(states).toEqual(["ENOSPC", "accepted"]);
    expect(journal.refusal()).toBeUndefined();
  });

  test("is readable by its owner alone", async () => {
    const directory = await written(["a"]);

    const modes = [directory, join(directory, segmentOf(1))].map((path) => statSync(path).mode);

    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  test("does not open where it cannot write", async () => {
    const directory = await written(["a"]);

    const opened = open(join(directory, segmentOf(1), "inside"));

    await expect(opened).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  test("does not open what a newer version wrote", async () => {
    const directory = await written(["a"]);
    const path = join(directory, segmentOf(1));
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(2, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
    writeFileSync(path, bytes);

    const opened = open(directory);

    await expect(opened).rejects.toThrow("a newer version (format 2, this one knows 1)");
  });

  test("reports its size", async () => {
    const directory = place();
    const journal = await open(directory, { segmentBytesMax: 200 });
    for (const text of ["a", "b", "c", "d", "e", "f", "g"]) await journal.append(entry(text));

    const bytes = journal.bytes();
    await journal.close();
    const reopened = await open(directory);

    const sizes = segments(directory).map((name) => statSync(join(directory, name)).size);
    expect(bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    expect(reopened.bytes()).toBe(bytes);
    await reopened.close();
  });
});
