import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { pbkdf2 } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLog } from "../../../src/app/process/log.ts";
import { startFsync } from "../../../src/app/threads/start.ts";
import { sharedDisk, threadDisk } from "../../../src/stores/files/disk-thread.ts";
import { clear, entry, open, place, readAll } from "../../support/disk/journal.ts";

const syncer = startFsync(openLog({ format: "json", now: Date.now }));
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
  test("writes many and large buffers in order, one after the other", async () => {
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

  test("waits for the writer, also if it is woken before", async () => {
    const directory = place();
    await disk.makeDirectory(directory);
    const shared = sharedDisk();
    const [turn, asker] = [0, 0];
    // Only the test serves this disk.
    const own = threadDisk(shared);
    const file = await own.create(`${directory}/file`);
    const written = file.write([pattern(10)], 0);

    for (let woken = 0; woken < 5; woken += 1) {
      await Bun.sleep(2);
      Atomics.notify(shared.words, turn);
    }
    await Bun.sleep(5);
    const before = Bun.peek.status(written);
    Atomics.store(shared.words, turn, asker);
    Atomics.notify(shared.words, turn);
    await written;
    await file.close();

    expect(before).toBe("pending");
  });

  test("does nothing again when it is woken without a turn", async () => {
    const shared = sharedDisk();
    const { file, path } = await newFile();
    await file.write([pattern(3)], 0);
    await file.close();
    const worker = new Worker(
      `import { serveDisk } from ${JSON.stringify(join(import.meta.dir, "../../../src/stores/files/disk-thread.ts"))};
       globalThis.onmessage = ({ data }) => { serveDisk(data); postMessage("ended"); };`.replace(
        /^/,
        "data:text/javascript,",
      ),
    );
    worker.postMessage(shared);
    const own = threadDisk(shared);
    const served = await own.open(path);
    await served.write([pattern(5)], 0);
    writeFileSync(path, "by hand");
    for (let woken = 0; woken < 20; woken += 1) {
      Atomics.notify(shared.words, 0);
      await Bun.sleep(1);
    }
    own.close();
    await served.close();
    worker.terminate();

    expect(readFileSync(path, "utf8")).toBe("by hand");
  });

  test("overwrites bytes, and syncs a truncation", async () => {
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

  test("does not wait for work of the thread pool", async () => {
    const { file } = await newFile();
    const jobs = 4 * availableParallelism();
    let ended = 0;
    const busy = Array.from({ length: jobs }, async () => {
      await promisify(pbkdf2)("a", "b", 200_000, 32, "sha512");
      ended += 1;
    });

    await file.write([Buffer.from("a")], 0);
    await file.sync();

    // In the queue of the pool it would come after three quarters of them.
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
