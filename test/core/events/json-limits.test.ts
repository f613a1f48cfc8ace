import { describe, expect, test } from "bun:test";
import {
  EVENT_NODES_MAX,
  itemOf,
  JSON_DEPTH_MAX,
  limitViolationOf,
  MARK,
  OBJECT_KEYS_MAX,
  PART_BYTES,
  scanBody,
} from "../../../src/core/events/json-limits.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const scan = (text: string) => scanBody(encode(text));
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const wide = (keys: number) =>
  `{${Array.from({ length: keys }, (_, n) => `"${n}":${n}`).join(",")}}`;

/** What each item with a mark breaks. */
const excesses = (text: string) =>
  scan(text).marks.map((mark) => [itemOf(mark), limitViolationOf(mark)] as const);

describe("a body without a list of events", () => {
  test("may be nested and have keys up to the limits", () => {
    expect(scan(`{"a":${deep(JSON_DEPTH_MAX - 1)}}`).refused).toBeUndefined();
    expect(scan(`{"a":${deep(JSON_DEPTH_MAX)}}`).refused).toBe("depth");
    expect(scan(wide(OBJECT_KEYS_MAX)).refused).toBeUndefined();
    expect(scan(wide(OBJECT_KEYS_MAX + 1)).refused).toBe("keys");
  });

  test("has the keys of each object counted alone", () => {
    expect(scan(`{"a":${wide(OBJECT_KEYS_MAX)},"b":${wide(OBJECT_KEYS_MAX)}}`).refused).toBe(
      undefined,
    );
    expect(scan(`{"a":${wide(3)},${wide(OBJECT_KEYS_MAX).slice(1)}`).refused).toBe("keys");
  });

  test("has brackets in texts passed over", () => {
    const text = JSON.stringify({ a: "[".repeat(500), b: '"\\'.repeat(50) });
    expect(scan(text)).toEqual({
      hasWords: false,
      ...{
        refused: undefined,
        refusedAt: undefined,
        list: undefined,
        excesses: [],
        marks: [],
        ids: [],
      },
    });
    expect(scan(`{"a":"\\"","b":${"[".repeat(JSON_DEPTH_MAX)}`).refused).toBe("depth");
  });

  test("holds no more objects than an event has room for", () => {
    const objects = (count: number) => `{"a":[${"{},".repeat(count)}0]}`;
    expect(scan(objects(EVENT_NODES_MAX - 2)).refused).toBeUndefined();
    expect(scan(objects(EVENT_NODES_MAX)).refused).toBe("nodes");
  });

  test.each(["", "]", '"open', '{"a', "\\", "}}}}", "1e", "-", "9".repeat(40)])(
    "may be %p, which is for the parser to refuse",
    (text) => {
      expect(scan(text).refused).toBeUndefined();
    },
  );
});

describe("a list of events", () => {
  test.each<[string, string]>([
    ["is the body", '[{"a":[1,2]},{"b":{}},3]'],
    ["is the value of batch", '{"x":{"batch":[0]},"batch":[{"a":[1,2]},{"b":{}},3],"y":[1]}'],
    ["has blanks around it", ' { "batch" : [{"a":[1,2]},{"b":{}},3] } '],
  ])("%s", (_case, text) => {
    const { list } = scan(text);

    const bytes = encode(text);
    const inside = new TextDecoder().decode(bytes.subarray(list?.start, list?.end));
    expect(inside).toBe('{"a":[1,2]},{"b":{}},3');
    expect(list?.parts).toEqual([
      { start: list?.start ?? -1, end: list?.end ?? -1, count: 3, bare: false },
    ]);
  });

  test("is split into parts at commas between items", () => {
    const item = JSON.stringify({ text: "x,[".repeat(PART_BYTES / 10) });
    const text = `[${Array.from({ length: 10 }, () => item).join(",")}]`;

    const parts = scan(text).list?.parts ?? [];

    const items = parts.flatMap(({ start, end }) => JSON.parse(`[${text.slice(start, end)}]`));
    expect(parts.length).toBe(3);
    expect(parts.map(({ count }) => count)).toEqual([4, 4, 2]);
    expect(items).toEqual(JSON.parse(text));
  });

  test("loses only the items that break a limit", () => {
    const items = ["{}", deep(200), '"["', wide(OBJECT_KEYS_MAX + 1), "{}"];
    const text = `{"batch":[${items.join(",")}],"sent_at":"x"}`;

    const found = scan(text);

    expect(found.refused).toBeUndefined();
    expect(excesses(text)).toEqual([
      [1, "depth"],
      [3, "keys"],
    ]);
    const [from, to, second, end] = found.excesses;
    expect([text.slice(from, to), text.slice(second, end)]).toEqual([items[1], items[3]] as never);
  });

  test("says of which parts no item has a key", () => {
    const bare = "{},[[1],{}],1e999,".repeat(PART_BYTES / 10);
    const key = '{"a":1},';

    const { list, marks } = scan(`{"x":1,"batch":[${bare}${bare}${key}${bare}${key}0]}`);

    const parts = list?.parts.map(({ bare: isBare }) => isBare) ?? [];
    expect([parts.length, parts.filter((isBare) => !isBare).length]).toEqual([6, 2]);
    expect(parts[0]).toBe(true);
    expect(marks).toEqual([]);
    const deepToo = scan(`[${bare}${deep(JSON_DEPTH_MAX)}]`).list?.parts ?? [];
    expect(deepToo.map(({ bare: isBare }) => isBare)).toEqual([true, false]);
  });

  test("is distinguished from others by its key and its place", () => {
    for (const text of ['{"batches":[{}]}', '{"a":{"batch":[{}]}}', '{"batch":{"a":[{}]}}']) {
      expect(scan(text).list).toBeUndefined();
    }
  });

  test("is refused when there are two, or when it has no end", () => {
    expect(scan('{"batch":[1],"batch":[2]}').refused).toBe("lists");
    expect(scan('{"batch":[1]').refused).toBeUndefined();
    expect(scan('{"batch":[1,{"a":[').refused).toBe("open");
    expect(scan("[".repeat(1000)).refused).toBe("open");
  });
});

describe("a number", () => {
  const bitsOf = (number: string) => scan(`{"a":${number}}`).marks[0] ?? 0;

  test.each<[string, number]>([
    ["9007199254740991", 0],
    ["-9007199254740991", 0],
    ["9007199254740993", MARK.rounded],
    // The double is exact, but is written with other digits.
    ["175928847299117056", MARK.rounded],
    ["-1152921504606846976", MARK.rounded],
    ["-12345678901234567890", MARK.rounded],
    ["10000000000000000", 0],
    ["-9007199254740994", 0],
    [`1${"0".repeat(22)}`, 0],
    [`1${"0".repeat(23)}`, MARK.rounded],
    ["1234567890123456-7", 0],
    ["0.1234567890123456789", 0],
    ["1234567890.12345678901234", 0],
    ["1e308", 0],
    ["99999999999999e99", 0],
    ["1E400", MARK.overflow],
    ["-1.5e+999", MARK.overflow],
    ["1e-999", 0],
    ["9".repeat(400), MARK.overflow],
    ['"1e400"', 0],
    ["true", 0],
  ])("%s", (number, bits) => {
    expect(bitsOf(number)).toBe(bits);
  });

  test("is of the item that it is in if that has a key, and of none in the envelope", () => {
    const items = '1,{"a":1e999,"b":9007199254740993},2,{"a":1e999},1e999,[9007199254740993]';
    const { marks } = scan(`{"n":1e999,"batch":[${items}]}`);
    expect(marks.map((mark) => [itemOf(mark), mark & 31])).toEqual([
      [1, MARK.overflow | MARK.rounded],
      [3, MARK.overflow],
    ]);
  });
});
