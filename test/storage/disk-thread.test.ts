import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { pbkdf2 } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { openLog } from "../../src/log.ts";
import { startSyncer } from "../../src/threads.ts";
import { clear, entry, open, place, readAll } from "../support/journal.ts";

const syncer = startSyncer(openLog({ format: "json", now: Date.now }));
afterAll(() => syncer.close());
afterEach(clear);

const { disk } = syncer;
const MIB = 1024 * 1024;

/** Bytes that differ from place to place. */
const pattern = (length: number) =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + at / 251) | 0);

async function newFile() {
  const directory = place();
  await disk.makeDirectory(directory);
  const path = `${directory}/file`;
  return { path, file: await disk.create(path) };
}

describe("a disk that another thread writes", () => {
  test("writes many and large buffers in order, and behind each other", async () => {
    const { path, file } = await newFile();
    const buffers = [pattern(3), pattern(0), pattern(2.5 * MIB), pattern(MIB), pattern(7)];
    const bytes = Buffer.concat(buffers);

    await file.write(buffers, 0);
    await file.sync();
    await file.write([pattern(5)], bytes.length);
    await file.sync();
    await file.close();

    expect(readFileSync(path).equals(Buffer.concat([bytes, pattern(5)]))).toBe(true);
  });

  test("writes over what is there, and syncs what was cut", async () => {
    const { path, file } = await newFile();
    await file.write([Buffer.from("abcdef")], 0);
    await file.write([Buffer.from("XY")], 1);
    await file.truncate(4);
    await file.sync();
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("aXYd");
  });

  test("tells what a write came to", async () => {
    const full = await disk.open("/dev/full");
    const failed = full.write([Buffer.from("a")], 0);
    expect(failed).rejects.toMatchObject({ code: "ENOSPC" });
    await failed.catch(() => undefined);
    await full.close();
  });

  test("tells what a sync came to, apart from its write", async () => {
    const unsyncable = await disk.open("/dev/null");
    await unsyncable.write([Buffer.from("a")], 0);
    const failed = unsyncable.sync();
    expect(failed).rejects.toMatchObject({ code: "EINVAL" });
    await failed.catch(() => undefined);
    await unsyncable.close();
  });

  test("does not wait behind what the pool of threads is busy with", async () => {
    const { file } = await newFile();
    const jobs = 4 * availableParallelism();
    let ended = 0;
    const busy = Array.from({ length: jobs }, async () => {
      await promisify(pbkdf2)("a", "b", 200_000, 32, "sha512");
      ended += 1;
    });

    await file.write([Buffer.from("a")], 0);
    await file.sync();

    // In the pool's queue it would have come behind three quarters of them.
    expect(ended).toBeLessThan(jobs / 2);
    await Promise.all(busy);
    await file.close();
  });

  test("holds a journal", async () => {
    const directory = place();
    const journal = await open(directory, { disk });
    const texts = ["a", "b".repeat(3 * MIB), "c"];
    const numbers = await Promise.all(texts.map((text) => journal.append(entry(text))));
    await journal.close();
    expect(numbers).toEqual([1, 2, 3]);
    expect(readAll(directory).texts).toEqual(texts);
  });
});
