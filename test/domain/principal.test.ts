import { describe, expect, test } from "bun:test";
import { allows, isScope, type Scope, sees } from "../../src/domain/principal.ts";

const holder = (...scopes: string[]) => ({ key_id: 1, user_id: 1, scopes, scoped_teams: null });

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

  test("confine a key to its projects", () => {
    expect(sees({ ...holder("*"), scoped_teams: [2] }, 1)).toBe(false);
    expect(sees({ ...holder("*"), scoped_teams: [2] }, 2)).toBe(true);
    expect(sees(holder("*"), 7)).toBe(true);
  });
});
