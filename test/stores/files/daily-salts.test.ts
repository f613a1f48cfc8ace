import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSalts, SALT_MS } from "../../../src/stores/files/daily-salts.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-11-21T12:00:00Z");
const DAYS = ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"];

function openIn(directory: string, clock: { now: number }) {
  const warned: string[] = [];
  const log = { info: () => {}, warn: (text: string) => warned.push(text), error: () => {} };
  const salts = openSalts({ directory, now: () => clock.now, randomBytes, log });
  return { ...salts, warned, [Symbol.dispose]: salts.close };
}

test("each day around now has a secret of its own, also after the next start", () => {
  using directory = temporaryDirectory();
  const clock = { now: NOON };
  using first = openIn(directory.path, clock);
  expect(readdirSync(directory.path)).toEqual([]);
  const salts = first.current();
  expect(Object.keys(salts)).toEqual(DAYS);
  expect(new Set(Object.values(salts)).size).toBe(DAYS.length);
  for (const salt of Object.values(salts)) expect(Buffer.from(salt, "base64")).toHaveLength(32);
  expect(readdirSync(directory.path)).toEqual(["daily-salts.json"]);
  expect(statSync(join(directory.path, "daily-salts.json")).mode & 0o777).toBe(0o600);

  // Nothing was closed, as after a kill.
  using second = openIn(directory.path, clock);
  expect(second.current()).toEqual(salts);
});

test("a secret is deleted 48 hours after its day began, at a start even if no event comes", () => {
  using directory = temporaryDirectory();
  const begin = Date.parse("2026-11-21T00:00:00Z");
  const clock = { now: begin + SALT_MS - 1 };
  using salts = openIn(directory.path, clock);
  const before = salts.current();
  expect(before["2026-11-21"]).toBeDefined();

  clock.now += HOUR_MS;
  expect(Object.keys(salts.current())).toEqual([
    "2026-11-22",
    "2026-11-23",
    "2026-11-24",
    "2026-11-25",
  ]);
  expect(salts.current()["2026-11-22"]).toBe(before["2026-11-22"] as string);
  const kept = () => readFileSync(join(directory.path, "daily-salts.json"), "utf8");
  expect(kept()).not.toContain(before["2026-11-21"] as string);

  clock.now += 30 * 24 * HOUR_MS;
  using _later = openIn(directory.path, clock);
  expect(kept()).toBe("{}");
});

test("a damaged file is replaced, and after a failed write the days have no secret", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "daily-salts.json");
  const clock = { now: NOON };
  writeFileSync(path, "[1, ");
  mkdirSync(`${path}.new`);
  using salts = openIn(directory.path, clock);
  expect([salts.current(), salts.warned.length]).toEqual([{}, 1]);

  rmdirSync(`${path}.new`);
  clock.now += HOUR_MS;
  expect(Object.keys(salts.current())).toEqual(DAYS);
});
