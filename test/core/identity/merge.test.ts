import { describe, expect, test } from "bun:test";
import {
  gainedKeys,
  isGuarded,
  isIllegalId,
  mergeRefusal,
  mergeRequest,
} from "../../../src/core/identity/merge.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";

const of = (event: string, properties: JsonObject) =>
  mergeRequest({ uuid: "u", event, distinct_id: "id", timestamp: "t", properties });

describe("the merge that an event asks for", () => {
  test.each([
    ["$create_alias", { alias: "other" }, { source: "id", target: "other", main: true }],
    ["$identify", { $anon_distinct_id: "other" }, { source: "other", target: "id", main: false }],
    ["$merge_dangerously", { alias: "other" }, { source: "other", target: "id", main: false }],
    ["$create_alias", { alias: 42 }, { source: "id", target: "42" }],
  ])("%s with %p", (event, properties, expected) => {
    expect(of(event, properties)).toMatchObject(expected);
  });

  test.each([
    ["$identify", {}],
    ["$identify", { alias: "other" }],
    ["$identify", { $anon_distinct_id: null }],
    ["tested", { alias: "other" }],
  ])("does not exist for %s with %p", (event, properties) => {
    expect(of(event, properties)).toBeUndefined();
  });

  test("cuts an id as admission does, and reports it", () => {
    const asked = of("$create_alias", { alias: "🦔".repeat(300) });
    expect(asked).toMatchObject({ target: "🦔".repeat(200), isCut: true });
    expect(of("$create_alias", { alias: "🦔".repeat(200) })).toMatchObject({ isCut: false });
  });

  test.each([
    ["$create_alias", {}, "missing_alias"],
    ["$merge_dangerously", { alias: null }, "missing_alias"],
    ["$create_alias", { alias: " " }, "cannot_merge_with_illegal_distinct_id"],
    ["$identify", { $anon_distinct_id: "" }, "cannot_merge_with_illegal_distinct_id"],
  ] as const)("cannot be for %s with %p: %s", (event, properties, fault) => {
    const asked = of(event, properties);
    expect(asked && mergeRefusal(asked)).toBe(fault);
  });
});

describe("a merge is refused", () => {
  test.each(["null", "NaN", "None", "0", "GUEST", "'email'", '"null"', "[object Object]", "''"])(
    "for the id %p",
    (id) => {
      expect(isIllegalId(id)).toBe(true);
      const rest = { guard: "none", main: false, fault: undefined, isCut: false } as const;
      const asked = { source: id, target: "user", ...rest };
      expect(mergeRefusal(asked)).toBe("cannot_merge_with_illegal_distinct_id");
    },
  );

  test.each([[{}], [[]], [{ id: "a" }], [["a", "b"]]] as Json[][])(
    "for %j, which as a text would be one id of many",
    (alias) => {
      const fault = "cannot_merge_with_illegal_distinct_id";
      expect(of("$create_alias", { alias: alias ?? null })).toMatchObject({ fault });
      expect(of("$identify", { $anon_distinct_id: alias ?? null })).toMatchObject({ fault });
    },
  );

  test.each(["Null", "user", "00", "none of them", "guest-1"])("not for the id %p", (id) => {
    expect(isIllegalId(id)).toBe(false);
  });

  test.each([
    ["source", true, false, true],
    ["source", false, true, false],
    ["both", true, false, false],
    ["both", true, true, true],
    ["none", true, true, false],
  ] as const)("by the guard %s, source %p, target %p: %p", (guard, source, target, expected) => {
    expect(isGuarded(guard, { is_identified: source }, { is_identified: target })).toBe(expected);
  });
});

test("a target gains the keys that only the source has, also one named __proto__", () => {
  const source = JSON.parse('{"a":1,"b":2,"__proto__":3}');
  expect(gainedKeys(source, { a: 0 })).toEqual(["b", "__proto__"]);
});
