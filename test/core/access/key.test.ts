import { describe, expect, test } from "bun:test";
import {
  isPersonalKey,
  isProjectKey,
  keyHash,
  keyMask,
  newKey,
  PERSONAL_KEY_PREFIX,
  PROJECT_KEY_PREFIX,
} from "../../../src/core/access/key.ts";

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));

describe("a key", () => {
  test("is new each time and has 43 base62 characters", () => {
    const keys = new Set(Array.from({ length: 100 }, () => newKey(PROJECT_KEY_PREFIX, random)));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^phc_[0-9A-Za-z]{43}$/);
  });

  test("passes the check of its own kind only", () => {
    const project = newKey(PROJECT_KEY_PREFIX, random);
    const personal = newKey(PERSONAL_KEY_PREFIX, random);
    expect([isProjectKey(project), isPersonalKey(project)]).toEqual([true, false]);
    expect([isProjectKey(personal), isPersonalKey(personal)]).toEqual([false, true]);
  });

  test("is kept as its SHA-256 and shown as a mask", () => {
    const key = "phx_0123456789abcdefghij";
    expect(keyHash(key)).toMatch(/^sha256\$[0-9a-f]{64}$/);
    expect(keyMask(key)).toBe("phx_...ghij");
  });
});
