import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { propertiesOf } from "../../support/data/admitted.ts";

describe("the lists of an exception", () => {
  const lists = (properties: JsonObject, name = "$exception") => {
    const { $exception_types, $exception_values, $exception_sources, $exception_functions } =
      propertiesOf(name, properties);
    return [$exception_types, $exception_values, $exception_sources, $exception_functions];
  };
  const frames = (...of: JsonObject[]) => ({ stacktrace: { type: "raw", frames: of } });

  test.each<[string, JsonObject, unknown[]]>([
    [
      "come from all exceptions and the application's own frames, each once",
      {
        $exception_list: [
          {
            ...{ type: "ValueError", value: "bad seat" },
            ...frames(
              { filename: "shop/views.py", function: "seat", in_app: true },
              { filename: "shop/views.py", function: "row", in_app: true },
              { filename: "django/base.py", function: "call", in_app: false },
            ),
          },
          { type: "KeyError", value: "seat" },
          { type: "ValueError", value: "bad row" },
        ],
      },
      [
        ["ValueError", "KeyError"],
        ["bad seat", "seat", "bad row"],
        ["shop/views.py"],
        ["seat", "row"],
      ],
    ],
    [
      "name the path of a script and the resolved names",
      {
        $exception_list: [
          {
            ...{ type: "TypeError", value: "" },
            ...frames(
              { filename: "https://x.test/app/main.js?v=2:10:7", function: "t", in_app: true },
              { source: "src/cart.ts", resolved_name: "addSeat", function: "e", in_app: true },
            ),
          },
        ],
      },
      [["TypeError"], undefined, ["/app/main.js", "src/cart.ts"], ["t", "addSeat"]],
    ],
    [
      "come from the single properties of older SDKs",
      { $exception_type: "TypeError", $exception_message: "x is null", $exception_source: "a.js" },
      [["TypeError"], ["x is null"], ["a.js"], undefined],
    ],
    [
      "stay as they were sent",
      {
        $exception_list: [{ type: "A", value: "a" }],
        $exception_types: ["Own"],
        $exception_values: null,
      },
      [["Own"], ["a"], undefined, undefined],
    ],
    ["are not made of anything else", { $exception_list: ["A", null, { type: 7 }] }, []],
    ["are not made of a text", { $exception_list: "[]", $exception_type: {} }, []],
  ])("%s", (_case, properties, expected) => {
    expect(lists(properties)).toEqual(Array.from({ length: 4 }, (_, at) => expected[at]) as never);
  });

  test("are not added to other events", () => {
    expect(lists({ $exception_list: [{ type: "A" }] }, "error")).toEqual(Array(4).fill(undefined));
  });

  test("are at most 1 KiB each with any characters", () => {
    for (const text of ["é😀", '"\u0001', "plain words "]) {
      const list = Array.from({ length: 40 }, (_, index) => ({
        ...{ type: `${index}${text.repeat(8)}`, value: `${index}${text.repeat(900)}` },
        ...frames({ filename: `${index}.py`, function: "f".repeat(5000), in_app: true }),
      }));
      const added = lists({ $exception_list: list });
      for (const one of added)
        expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThanOrEqual(1024);
      const [types, values] = added as [string[], string[]];
      expect(types.length).toBeGreaterThan(5);
      expect(values.length).toBeGreaterThan(12);
      for (const value of values) expect(value).toMatch(/^\d.*…$/s);
      expect(values.every((value) => value.isWellFormed())).toBe(true);
    }
  });

  test("keep a short text next to a long one, and a long one alone", () => {
    const messages = (...values: string[]) =>
      lists({ $exception_list: values.map((value) => ({ type: "A", value })) })[1];
    expect(messages("x".repeat(3000), "inner")).toEqual([
      expect.stringMatching(/^x{400,}…$/),
      "inner",
    ]);
    expect(messages("x".repeat(1000))).toEqual(["x".repeat(1000)]);
  });

  test("come before the other properties, so that queries see them in a large event", () => {
    expect(Object.keys(propertiesOf("$exception", { a: 1, $exception_type: "T" }))).toEqual([
      "$exception_types",
      "a",
      "$exception_type",
    ]);
  });
});
