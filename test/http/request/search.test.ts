import { describe, expect, test } from "bun:test";
import { parametersOf, searchOf } from "../../../src/http/request/search.ts";

const PIECES = ["a", "_", "data", "token", "=", "&", "&", "=", "1", "%41", "%", "+", "é", ";", "?"];

describe("the parameters of a query", () => {
  test("are those of the URL standard, for 3,000 made-up queries", () => {
    let state = 7;
    const next = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let round = 0; round < 3000; round += 1) {
      const made = Array.from({ length: next(14) }, () => PIECES[next(PIECES.length)]).join("");
      const search = searchOf(new URL(`http://host.example/e/?${made}`).href);
      const standard = new URLSearchParams(search);
      const own = parametersOf(search);
      for (const name of ["a", "_", "data", "token", "A", "", "1", ...standard.keys()]) {
        expect([made, name, own.has(name)]).toEqual([made, name, standard.has(name)]);
        expect([made, name, own.get(name)]).toEqual([made, name, standard.get(name)]);
      }
    }
  });

  test("are empty where the URL has no query", () => {
    expect(searchOf("http://host.example/e/")).toBe("");
    expect(parametersOf("").has("")).toBe(false);
  });
});
