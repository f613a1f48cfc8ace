import { expect, test } from "bun:test";
import { openLog } from "../../../src/app/process/log.ts";

const now = () => Date.parse("2026-11-21T12:34:56.789Z");

test("a machine reads one JSON object a line, for any facts", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now, write: (line) => lines.push(line) });

  log.warn("seen", { name: "a\nb\u001b[31m", count: 2, error: new Error("broken") });

  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("\n");
  expect(lines[0]).not.toContain("\u001b");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-11-21T12:34:56.789Z",
    level: "warn",
    message: "seen",
    name: "a\nb\u001b[31m",
    count: 2,
    error: expect.stringContaining("broken"),
  });
});

test("a person reads one line an entry, also if the message has a line feed", () => {
  const lines: string[] = [];
  const log = openLog({ format: "human", now, write: (line) => lines.push(line) });

  log.info("a\nb\u001b[31m", { count: 2 });

  expect(lines).toEqual(["12:34:56 info  a\\u000ab\\u001b[31m count=2"]);
});

test("quoted data in a message of an engine is left out", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now, write: (line) => lines.push(line) });

  log.error("failed", { error: new Error(`Could not convert string 'secret' in "ann@x.y"`) });

  const { error } = JSON.parse(lines[0] ?? "");
  expect(error).toStartWith("Error: Could not convert string '…'\n");
  expect(lines[0]).not.toMatch(/secret|ann@/);
});

test("the name of an engine's file hides no reason", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now, write: (line) => lines.push(line) });
  const message = `Checkpoint failed for database "events_12". Original error: could not allocate block
(SET memory_limit='...GB'), said "secret"`;

  log.error("failed", { error: new Error(message) });

  const { error } = JSON.parse(lines[0] ?? "");
  expect(error).toStartWith(
    "Error: Checkpoint failed for database events_12. Original error: could not allocate block\n",
  );
  expect(lines[0]).not.toMatch(/secret/);
});

test.each([
  ["quotes", `Could not convert string 'it's a secret' to INT`],
  ["line breaks", `Malformed JSON: "a\nsecret\nb"`],
  ["what looks like a frame", `Malformed JSON: "a\n    at secret (b.ts:1:2)\n"`],
])("quoted text of an engine is left out whole: %s", (_case, message) => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now, write: (line) => lines.push(line) });

  log.error("failed", { error: new Error(message) });

  expect(lines[0]).not.toContain("secret");
  expect(JSON.parse(lines[0] ?? "").error).toContain("log.test.ts");
});

test.each(["json", "human"] as const)("a %s line holds nothing that moves a terminal", (format) => {
  const lines: string[] = [];
  const log = openLog({ format, now, write: (line) => lines.push(line) });
  const lively = "\r\n\u001b[2J\u009b31m\u007f\u0085\u2028\u202e\u2066\u0007";

  log.info("seen", { lively, error: new Error(lively) });

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[\x20-\x7e]+$/);
});

test("a person reads time, level, message and facts on one line without escapes", () => {
  const lines: string[] = [];
  const log = openLog({ format: "human", now, write: (line) => lines.push(line) });

  log.info("ready", { url: "http://x/\u001b[2J", n: 1 });

  expect(lines).toEqual(['12:34:56 info  ready url="http://x/\\u001b[2J" n=1']);
});
