import { describe, expect, test } from "bun:test";
import { isModification, storableFields } from "../../../src/core/playlists/playlist.ts";
import { newShortId } from "../../../src/core/values/ids.ts";

describe("a short id", () => {
  test("is 8 letters and digits of which none looks like another", () => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const draws = Array.from({ length: 32 }, (_, n) => every.subarray(n * 8, n * 8 + 8));

    const used = new Set(draws.slice(0, 28).flatMap((bytes) => [...newShortId(() => bytes)]));

    expect(used.size).toBe(57);
    expect([..."01IOl"].filter((char) => used.has(char))).toEqual([]);
    expect(newShortId((count) => new Uint8Array(count))).toBe("22222222");
  });

  test("passes over the bytes that would make some characters likelier", () => {
    const draws = [
      Uint8Array.of(228, 255, 0, 1, 2, 3, 4, 5),
      Uint8Array.of(6, 7, 8, 9, 1, 1, 1, 1),
    ];
    expect(newShortId(() => draws.shift() ?? new Uint8Array(8))).toBe("23456789");
  });
});

describe("the fields of a playlist", () => {
  test("are stored as they were sent, and none that was not", () => {
    const sent = { name: "a", pinned: false, filters: null };
    expect(storableFields(sent)).toEqual(sent);
    expect(storableFields({})).toEqual({});
    expect(storableFields({ name: "a\0\ud800b" })).toEqual({ name: "a\ufffd\ufffdb" });
  });

  test.each([
    ["name", 400],
    ["derived_name", 400],
    ["description", 10_000],
    ["_create_in_folder", 1000],
    ["filters", 65_536 - 2],
  ])("%s holds %d characters and no more", (name, charsMax) => {
    const of = (length: number) => ({ [name]: (name === "filters" ? "x" : "😀").repeat(length) });
    expect(storableFields(of(charsMax))).toEqual(of(charsMax));
    expect(() => storableFields(of(charsMax + 1))).toThrow(
      expect.objectContaining({ code: "too_long", attr: name }),
    );
  });

  test.each([
    [{ name: "" }, true],
    [{ description: "x" }, true],
    [{ filters: null }, true],
    [{ pinned: true, deleted: true, derived_name: "x", _create_in_folder: "x" }, false],
    [{}, false],
  ])("%j modify it: %p", (sent, modifies) => {
    expect(isModification(sent)).toBe(modifies);
  });
});
