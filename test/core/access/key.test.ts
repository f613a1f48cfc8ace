import { describe, expect, test } from "bun:test";
import {
  allows,
  isPersonalKey,
  isProjectKey,
  isScope,
  keyHash,
  keyMask,
  lackingRight,
  newKey,
  PERSONAL_KEY_PREFIX,
  PROJECT_KEY_PREFIX,
  type Scope,
  sees,
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

const holder = (...scopes: string[]) => ({
  key_id: 1,
  user_id: 1,
  scopes,
  scoped_teams: null,
  expires_at: null,
});

describe("scopes (contract 5.1)", () => {
  test.each<[string[], Scope, boolean]>([
    [["*"], "person:write", true],
    [["person:read"], "person:read", true],
    [["person:read"], "person:write", false],
    [["person:write"], "person:read", true],
    [["insight:read"], "person:read", false],
    [[], "person:read", false],
  ])("%p allow %s: %p", (scopes, scope, allowed) => {
    expect(allows(holder(...scopes), scope)).toBe(allowed);
  });

  test.each<[string, boolean]>([
    ["*", true],
    ["person:read", true],
    ["person:delete", false],
    ["persons:read", false],
    ["person", false],
    ["person:read:x", false],
    ["", false],
  ])("%p is one: %p", (text, known) => {
    expect(isScope(text)).toBe(known);
  });

  test.each<[string, object, object, string | undefined]>([
    ["all of its own", {}, {}, undefined],
    ["less than all", { scopes: ["*"] }, {}, undefined],
    ["read for write", { scopes: ["person:write"] }, {}, undefined],
    ["a scope it lacks", {}, { scopes: ["person:read", "person:write"] }, "'person:write'"],
    ["every scope", {}, { scopes: ["*"] }, "'*'"],
    ["fewer projects", {}, { scoped_teams: [2] }, undefined],
    ["another project", {}, { scoped_teams: [1, 3] }, "one of these projects"],
    ["all projects", {}, { scoped_teams: null }, "all projects"],
    ["less time", { expires_at: "2026-11-22" }, { expires_at: "2026-11-21" }, undefined],
    ["more time", { expires_at: "2026-11-22" }, { expires_at: "2026-11-23" }, "ends before"],
    ["time without end", { expires_at: "2026-11-22" }, { expires_at: null }, "ends before"],
    [
      "time that does not count",
      { expires_at: "2026-11-22" },
      { expires_at: undefined },
      undefined,
    ],
  ])("a key may give %s or not", (_case, own, given, lacking) => {
    const reach = { scopes: ["person:read"], scoped_teams: [1, 2], expires_at: null };
    const refusal = lackingRight({ ...holder(), ...reach, ...own }, { ...reach, ...given });
    expect(refusal).toEqual(lacking === undefined ? undefined : expect.stringContaining(lacking));
  });

  test("confine a key to its projects", () => {
    expect(sees({ ...holder("*"), scoped_teams: [2] }, 1)).toBe(false);
    expect(sees({ ...holder("*"), scoped_teams: [2] }, 2)).toBe(true);
    expect(sees(holder("*"), 7)).toBe(true);
  });
});
