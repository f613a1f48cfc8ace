import { describe, expect, test } from "bun:test";
import type { CapturedEvent } from "../../../src/core/events/event.ts";
import {
  applyUpdate,
  makesPerson,
  personName,
  personUpdate,
  personUuid,
} from "../../../src/core/identity/person.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

const event = (name: string, properties: JsonObject, distinct_id = "a"): CapturedEvent => ({
  uuid: "01a1fc9a-592b-78b3-8d80-aa75992efae9",
  event: name,
  distinct_id,
  timestamp: "2026-11-21T12:00:00.000000Z",
  properties,
});

describe("a person's uuid", () => {
  test("is the UUIDv5 that PostHog gives the same distinct id", () => {
    expect(personUuid(1, "me")).toBe("49436068-8eab-53ea-b098-27dac0ad8e3b");
    expect(personUuid(2, "me")).not.toBe(personUuid(1, "me"));
  });
});

describe("applying an update", () => {
  const after = (properties: JsonObject, changes: JsonObject) => {
    const update = personUpdate(event("$set", changes));
    const changed = update !== undefined && applyUpdate(properties, update);
    return { changed, properties };
  };

  test.each<[string, JsonObject, JsonObject, boolean, JsonObject]>([
    ["$set adds", {}, { $set: { a: 1 } }, true, { a: 1 }],
    ["$set overwrites", { a: 1 }, { $set: { a: 2 } }, true, { a: 2 }],
    [
      "$set of the same value changes nothing",
      { a: { b: 1 } },
      { $set: { a: { b: 1 } } },
      false,
      { a: { b: 1 } },
    ],
    ["$set of null stores null", { a: 1 }, { $set: { a: null } }, true, { a: null }],
    ["$set_once keeps a value", { a: 1 }, { $set_once: { a: 2, b: 3 } }, true, { a: 1, b: 3 }],
    ["$set_once keeps a null", { a: null }, { $set_once: { a: 2 } }, false, { a: null }],
    ["$set_once stores a null", {}, { $set_once: { a: null } }, true, { a: null }],
    [
      "$set wins over $set_once of the same event",
      {},
      { $set: { a: 1 }, $set_once: { a: 2 } },
      true,
      { a: 1 },
    ],
    ["$unset removes a list of keys", { a: 1, b: 2 }, { $unset: ["a", 7] }, true, { b: 2 }],
    ["$unset removes the keys of an object", { a: 1, b: 2 }, { $unset: { a: "" } }, true, { b: 2 }],
    ["$unset comes after $set", {}, { $set: { a: 1 }, $unset: ["a"] }, true, {}],
    ["$unset of an absent key changes nothing", { b: 2 }, { $unset: ["a"] }, false, { b: 2 }],
    [
      "a value that is no object is ignored",
      { a: 1 },
      { $set: "x", $set_once: [1] },
      false,
      { a: 1 },
    ],
  ])("%s", (_case, before, changes, changed, properties) => {
    expect(after(before, changes)).toEqual({ changed, properties });
  });

  test("keeps a key named __proto__ as its own", () => {
    const { properties } = after({}, { $set: JSON.parse('{"__proto__":{"polluted":1}}') });

    expect(Object.keys(properties)).toEqual(["__proto__"]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe("an event", () => {
  test.each<[string, CapturedEvent, boolean]>([
    ["makes a person by default (contract 4.5.1)", event("e", {}), true],
    [
      "makes none with $process_person_profile false",
      event("e", { $process_person_profile: false }),
      false,
    ],
    ["makes one when that is a text", event("e", { $process_person_profile: "false" }), true],
    ["makes none if it describes a group", event("$groupidentify", {}, "$company_acme"), false],
    ["makes none if a user describes a group", event("$groupidentify", {}), false],
    ["makes none without cookies", event("e", {}, "$posthog_cookieless"), false],
    ["makes none on a day without cookies", event("e", {}, `cookieless_${"a-".repeat(11)}`), false],
    ["makes one of an id that only begins so", event("e", {}, "cookieless_ann"), true],
  ])("%s", (_case, given, makes) => {
    expect(makesPerson(given)).toBe(makes);
  });

  test.each(["e", "$exception", "$$heatmap", "$pageview"])("%s updates its person", (name) => {
    expect(personUpdate(event(name, { $set: { a: 1 }, $unset: ["b"] }))).toEqual({
      set: { a: 1 },
      set_once: {},
      unset: ["b"],
    });
  });

  test("$groupidentify updates no person", () => {
    expect(personUpdate(event("$groupidentify", { $set: { a: 1 } }))).toBeUndefined();
  });
});

describe("a person's name", () => {
  const anonymous = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
  test.each<[JsonObject, string[], string]>([
    [{ name: "Ann", email: "a@b.c" }, ["id"], "a@b.c"],
    [{ name: "Ann" }, ["id"], "Ann"],
    [{ email: " " }, [anonymous, "user-1"], "user-1"],
    [{}, [anonymous], anonymous],
    [{}, [], ""],
  ])("of %p with %p is %p", (properties, ids, name) => {
    expect(personName(properties, ids)).toBe(name);
  });
});
