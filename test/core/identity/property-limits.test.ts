import { describe, expect, test } from "bun:test";
import { applyUpdate } from "../../../src/core/identity/person.ts";
import {
  changeWithin,
  PERSON_BYTES_MAX,
  PROPERTIES_MAX,
  type SizedProperties,
} from "../../../src/core/identity/property-limits.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { chance } from "../../support/data/data-sets.ts";
import { repeatable, seedOf } from "../../support/start/rounds.ts";

type Update = { set: JsonObject; unset: string[] };

function change(sized: SizedProperties, { set, unset }: Update, bytesMax = PERSON_BYTES_MAX) {
  return changeWithin(sized, {
    keys: () => [...unset, ...Object.keys(set)],
    bytesAdded: Buffer.byteLength(JSON.stringify(set)),
    bytesMax,
    apply: (properties) => applyUpdate(properties, { set, set_once: {}, unset }),
  });
}

const sizeOf = (properties: JsonObject) => Buffer.byteLength(JSON.stringify(properties));

const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

const withSize = (properties: JsonObject): SizedProperties => ({
  properties,
  bytes: sizeOf(properties) * 3,
  count: undefined,
});

describe("properties near their limits", () => {
  test("are as if each change were applied to a copy that is measured whole", async () => {
    const seed = seedOf();
    await repeatable(seed, async () => {
      const { next, of } = chance(seed);
      const bytesMax = 210_000;
      const sized = withSize(numbered(PROPERTIES_MAX - 1));
      let expected: JsonObject = { ...sized.properties };
      const limits = { bytes: 0, count: 0, none: 0 };

      for (let round = 0; round < 400; round += 1) {
        const keys = Array.from({ length: 1 + next(5) }, () => `k${next(PROPERTIES_MAX + 5000)}`);
        const values = [null, 1, "é🦔", "x".repeat(next(9000)), { a: [true] }];
        const unset = next(4) === 0 ? keys.splice(1) : [];
        const set = Object.fromEntries(keys.map((key) => [key, of(values)]));
        const { limit = "none" } = change(sized, { set, unset }, bytesMax);

        const copy: JsonObject = { ...expected };
        for (const [key, value] of Object.entries(set)) {
          const isNew = !Object.hasOwn(copy, key);
          const removed = unset.filter((one) => Object.hasOwn(copy, one)).length;
          if (isNew && Object.keys(copy).length - removed >= PROPERTIES_MAX) continue;
          copy[key] = value;
        }
        for (const key of unset) delete copy[key];
        if (sizeOf(copy) <= bytesMax) expected = copy;
        limits[limit] += 1;
        expect(sized.properties).toEqual(expected);
        if (sized.count !== undefined) expect(sized.bytes).toBe(sizeOf(expected));
      }
      for (const times of Object.values(limits)) expect(times).toBeGreaterThan(0);
    });
  });

  test("may have exactly as many bytes as the limit, and not one more", () => {
    const text = "x".repeat(PERSON_BYTES_MAX - '{"text":""}'.length);
    const fitting = withSize({});
    const tooLong = withSize({});

    expect(change(fitting, { set: { text }, unset: [] })).toEqual({
      isChanged: true,
      limit: undefined,
    });
    expect(change(tooLong, { set: { text: `${text}x` }, unset: [] })).toEqual({
      isChanged: false,
      limit: "bytes",
    });
    expect(tooLong.properties).toEqual({});
  });

  test("leave out the last new ones of a change beyond their number, and take the others", () => {
    const sized = withSize(numbered(PROPERTIES_MAX - 1));
    const result = change(sized, { set: { k0: "new", one: 1, two: 2 }, unset: [] });

    expect(result).toEqual({ isChanged: true, limit: "count" });
    expect(sized.properties).toEqual({ ...numbered(PROPERTIES_MAX - 1), k0: "new", one: 1 });
  });
});

test("small properties are not measured", () => {
  const sized = withSize({ plan: "free" });

  expect(change(sized, { set: { plan: "pro" }, unset: [] }).isChanged).toBe(true);
  expect(sized).toMatchObject({ properties: { plan: "pro" }, count: undefined });
});
