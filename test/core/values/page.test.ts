import { describe, expect, test } from "bun:test";
import {
  cursorOf,
  cursorPage,
  fitting,
  PAGE_BYTES_MAX,
  PAGE_LIMIT_MAX,
  page,
  pageQuery,
  readCursor,
  readSnapshotCursor,
  snapshotCursorOf,
} from "../../../src/core/values/page.ts";

const url = (search: string) => new URL(`http://localhost:8000/api/x/${search}`);

describe("a page", () => {
  test("links to its neighbours and keeps the other parameters (contract 2.2)", () => {
    const query = { limit: 10, offset: 20 };

    const shown = page(url("?email=a%40b.c&limit=10&offset=20"), query, 35, ["a"]);

    expect(shown).toEqual({
      count: 35,
      next: "http://localhost:8000/api/x/?email=a%40b.c&limit=10&offset=30",
      previous: "http://localhost:8000/api/x/?email=a%40b.c&limit=10&offset=10",
      results: ["a"],
    });
  });

  test("has no neighbours when it is the only one", () => {
    expect(page(url(""), { limit: 10, offset: 0 }, 10, [])).toMatchObject({
      next: null,
      previous: null,
    });
  });

  test("leads back to the start from an odd offset", () => {
    const shown = page(url("?offset=5"), { limit: 10, offset: 5 }, 30, []);
    expect(shown.previous).toBe("http://localhost:8000/api/x/?limit=10");
  });

  test("has the default size for none, and never none or more than the most", () => {
    expect(pageQuery({})).toEqual({ limit: 100, offset: 0 });
    expect(() => pageQuery({ limit: 0 })).toThrow("limit is a whole number from 1 to 1000");
    expect(pageQuery({ limit: PAGE_LIMIT_MAX, offset: 3 })).toMatchObject({
      limit: PAGE_LIMIT_MAX,
    });
    for (const limit of [PAGE_LIMIT_MAX + 1, 1e9]) {
      expect(() => pageQuery({ limit })).toThrow(`limit is at most ${PAGE_LIMIT_MAX}`);
    }
  });

  test.each([
    { limit: -1 },
    { offset: -1 },
    { limit: 1.5 },
    { offset: 1e18 },
    { limit: Number.NaN },
  ])("is refused for %p", (asked) => {
    const attr = Object.keys(asked)[0] ?? "";
    expect(() => pageQuery(asked)).toThrow(
      expect.objectContaining({ code: "invalid_input", attr }),
    );
  });
});

test("a page that is full by bytes continues after its last row", async () => {
  const read = async () => ({ count: 9, rows: [{ id: 7 }, { id: 6 }], isCut: true });
  const query = { limit: 5, offset: 0 };

  const shown = await cursorPage(url(""), query, { keysOf: ({ id }) => [id], keyTypes: [0], read });

  expect(shown).toMatchObject({ count: 9, previous: null, results: [{ id: 7 }, { id: 6 }] });
  expect(new URL(shown.next ?? "").search).toBe("?cursor=%5B6%5D&limit=5&offset=2");
});

describe("a cursor", () => {
  test("is the place it was made of", () => {
    const place = { at: "2026-11-21T12:00:00.000001Z", id: 7 };
    expect(readCursor(cursorOf(place))).toEqual(place);
    expect(readCursor(undefined)).toBeUndefined();
  });

  test("of a walk says since when, if it is of one that began", () => {
    const place = { at: "2026-11-21T12:00:00.000001Z", id: 7 };
    for (const walked of [place, { ...place, since: 0 }, { ...place, since: 12 }]) {
      expect(readSnapshotCursor(snapshotCursorOf(walked))).toEqual(walked);
    }
    expect(readSnapshotCursor(undefined)).toBeUndefined();
  });

  test.each([
    "_1_1",
    "x_1_1",
    "2026-11-21T12:00:00.000001Z_7_x",
    "2026-02-30T00:00:00.000000Z_1_1",
  ])("of a walk is not read from %p", (text) => {
    expect(() => readSnapshotCursor(text)).toThrow(expect.objectContaining({ attr: "cursor" }));
  });

  test.each(["", "x", "2026-02-30T00:00:00.000000Z_1", "2026-11-21T12:00:00.000001Z_x"])(
    "is not read from %p",
    (text) => {
      expect(() => readCursor(text)).toThrow(expect.objectContaining({ attr: "cursor" }));
    },
  );
});

test.each([
  ["all that there are, if they fit", [1, 2, 3], 3, false],
  ["those until the page is full", [PAGE_BYTES_MAX - 1, 1, 1, 1], 2, true],
  ["one at least", [2 * PAGE_BYTES_MAX, 1], 1, true],
  ["the last, however large", [1, 2 * PAGE_BYTES_MAX], 2, false],
  ["none of none", [], 0, false],
])("a page has %s", (_what, sizes, count, isCut) => {
  expect(fitting(sizes, (size) => size)).toEqual({ rows: sizes.slice(0, count), isCut });
});
