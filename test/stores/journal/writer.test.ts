import { afterEach, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { faultyDisk } from "../../support/disk/faulty-disk.ts";
import {
  clear,
  entry,
  open,
  place,
  readAll,
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
