import { describe, expect, test } from "bun:test";
import type { Entry, JournalGaps, JournalReader } from "../../../src/core/ports/journal.ts";
import { entry, textOf } from "../../support/disk/journal.ts";
import { JOURNALS, type Journals } from "../stores.ts";

const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, eventsMax: 1e9 };

/** Reads all frames. */
async function framesIn(made: Journals) {
  const reader = made.reader();
  const frames = await reader.read(ALL);
  reader.close();
  return frames;
}

const textsIn = async (made: Journals) => (await framesIn(made)).map(textOf);

const numbersIn = async (reader: JournalReader, after: number, upTo: number, eventsMax = 100) =>
  (await reader.read({ after, upTo, eventsMax })).map(({ first_seq }) => first_seq);

/** Makes a closed journal. */
async function written(made: Journals, entries: Entry[], options = {}): Promise<void> {
  const journal = await made.open(options);
  for (const one of entries) await journal.append(one);
  await journal.close();
}

describe.each(JOURNALS)("a journal of %s", (_name, make) => {
  test("returns all appended entries in order, with their numbers", async () => {
    using made = make();
    const journal = await made.open();
    const entries = [
      entry("one\n"),
      entry("", { kind: "historical" }),
      entry("two\nthree\n", { count: 2, project_id: 4_294_967_295 }),
      entry("€ \u0000 😀\n", { arrived_at: 0.5 }),
    ];

    const seqs = await Promise.all(entries.map((one) => journal.append(one)));
    await journal.close();

    expect(seqs).toEqual([1, 2, 3, 5]);
    expect(await framesIn(made)).toEqual(
      entries.map((one, index) => ({ ...one, first_seq: seqs[index] ?? 0 })),
    );
  });

  test("is empty at first", async () => {
    using made = make();
    const journal = await made.open();

    expect([journal.durableSeq(), journal.bytes(), journal.waiting()]).toEqual([0, 0, 0]);
    expect([journal.first(), await framesIn(made)]).toEqual([undefined, []]);
    await journal.close();
  });

  test("continues its numbers after a restart, above those of a store", async () => {
    using made = make();
    await written(made, [entry("a"), entry("b")]);
    await written(made, [entry("c")]);

    const journal = await made.open({ after: 100 });
    const durable = journal.durableSeq();
    const seqs = [await journal.append(entry("d")), await journal.append(entry("e"))];
    await journal.close();

    expect([durable, ...seqs]).toEqual([100, 101, 102]);
    expect((await framesIn(made)).map(({ first_seq }) => first_seq)).toEqual([1, 2, 3, 101, 102]);
  });

  test("writes the waiting entries when it closes, and refuses later ones", async () => {
    using made = make();
    const journal = await made.open();
    const appended = Array.from({ length: 100 }, (_, index) => journal.append(entry(`${index}`)));

    await Promise.all([journal.close(), journal.close()]);

    expect(appended.map((one) => Bun.peek.status(one))).toEqual(appended.map(() => "fulfilled"));
    expect(await framesIn(made)).toHaveLength(100);
    await expect(journal.append(entry("late"))).rejects.toMatchObject({ code: "unavailable" });
  });

  test("has no number for an entry without events", async () => {
    using made = make();
    const journal = await made.open();

    const appended = journal.append(entry("", { count: 0 }));

    await expect(appended).rejects.toThrow("A journal entry without events");
    await journal.close();
  });

  test("writes later lines to a new segment after a rotation, so that the old one can go", async () => {
    using made = make();
    const journal = await made.open();
    for (const text of "abc") await journal.append(entry(text));

    const late = journal.append(entry("d"));
    const last = await journal.rotate();
    await journal.append(entry("e"));
    const removed = [await journal.trim(last - 1), await journal.trim(last)];

    expect([last, await late, removed]).toEqual([4, 4, [0, 1]]);
    expect(await textsIn(made)).toEqual(["e"]);
    await journal.close();
  });

  test("continues its numbers after the newest segment has gone", async () => {
    using made = make();
    const journal = await made.open();
    for (const text of "abc") await journal.append(entry(text));

    const last = await journal.rotate();
    const removed = [await journal.trim(last - 1), await journal.trim(last)];
    const left = await textsIn(made);
    const seq = await journal.append(entry("d"));
    await journal.trim(await journal.rotate());
    await journal.close();
    const reopened = await made.open({ after: 4 });

    expect([last, removed, left, seq]).toEqual([3, [0, 1], [], 4]);
    expect([reopened.durableSeq(), await reopened.append(entry("e"))]).toEqual([4, 5]);
    expect(await textsIn(made)).toEqual(["e"]);
    await reopened.close();
  });

  test("rotates and trims again without effect", async () => {
    using made = make();
    const journal = await made.open();
    const calls = [await journal.rotate(), await journal.rotate(), await journal.trim(0)];
    expect(calls).toEqual([0, 0, 0]);
    expect(await journal.append(entry("a"))).toBe(1);
    await journal.close();
  });
});

describe.each(JOURNALS)("a reader of %s", (_name, make) => {
  test("returns at most so many events, never a part of a frame, and continues", async () => {
    using made = make();
    await written(
      made,
      [2, 2, 5, 1].map((count) => entry("x", { count })),
    );
    const reader = made.reader();

    const read = (after: number) => numbersIn(reader, after, 10, 4);

    expect([await read(0), await read(4), await read(9), await read(10)]).toEqual([
      [1, 3],
      [5],
      [10],
      [],
    ]);
    expect([await numbersIn(reader, 1, 10), await numbersIn(reader, 8, 9)]).toEqual([
      [1, 3, 5, 10],
      [5],
    ]);
    reader.close();
  });

  test("begins anywhere, and reads a range again", async () => {
    using made = make();
    const entries = [..."abcdefghij"].map((text) => entry(text));
    await written(made, entries, { segmentBytesMax: 139 });
    const reader = made.reader();

    const read = (after: number, upTo: number) =>
      reader.read({ after, upTo, eventsMax: 100 }).then((frames) => frames.map(textOf).join(""));
    const reads = [
      await read(7, 10),
      await read(0, 4),
      await read(0, 4),
      await read(4, 5),
      await read(8, 10),
      await read(2, 2),
    ];

    expect(reads).toEqual(["hij", "abcd", "abcd", "e", "ij", ""]);
    reader.close();
  });

  test("follows a writer over segments, and sees each frame once", async () => {
    using made = make();
    const journal = await made.open({ segmentBytesMax: 3000 });
    const reader = made.reader();
    const texts = Array.from({ length: 2000 }, (_, index) => `${index} ${"x".repeat(index % 97)}`);

    const writing = (async () => {
      for (let index = 0; index < texts.length; index += 20) {
        await Promise.all(
          texts.slice(index, index + 20).map((text) => journal.append(entry(text))),
        );
      }
    })();
    const seen: string[] = [];
    while (seen.length < texts.length) {
      const range = { after: seen.length, upTo: journal.durableSeq(), eventsMax: 33 };
      const frames = await reader.read(range);
      seen.push(...frames.map(textOf));
      await Bun.sleep(0);
    }
    await writing;

    expect(seen).toEqual(texts);
    reader.close();
    await journal.close();
  });
});

/** Returns all gaps of a range, part by part. */
async function gapsIn({ find }: JournalGaps, after: number, upTo: number) {
  const all = [];
  for (let at = after; at < upTo; ) {
    const { gaps, last } = await find({ after: at, upTo });
    all.push(...gaps);
    at = last;
  }
  return all;
}

describe.each(JOURNALS)("gaps in %s", (_name, make) => {
  test("are the numbers of a range that the journal never had", async () => {
    using made = make();
    await written(
      made,
      [3, 3, 3].map((count) => entry("x", { count })),
    );
    await written(made, [entry("y")], { after: 20 });
    const gaps = made.gaps();

    expect(await gapsIn(gaps, 0, 9)).toEqual([]);
    expect(await gapsIn(gaps, 4, 9)).toEqual([]);
    expect(await gapsIn(gaps, 0, 21)).toEqual([{ first: 10, last: 20 }]);
    expect(await gapsIn(gaps, 21, 40)).toEqual([{ first: 22, last: 40 }]);
  });
});
