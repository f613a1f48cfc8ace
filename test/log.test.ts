import { expect, test } from "bun:test";
import { openLog } from "../src/log.ts";

const now = () => Date.parse("2026-11-21T12:34:56.789Z");

test("a machine reads one JSON object a line, whatever the facts hold", () => {
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

test("what an engine quotes in its message is data, and is left out", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now, write: (line) => lines.push(line) });

  log.error("failed", { error: new Error(`Could not convert string 'secret' in "ann@x.y"`) });

  const { error } = JSON.parse(lines[0] ?? "");
  expect(error).toStartWith("Error: Could not convert string '…' in '…'\n");
  expect(lines[0]).not.toMatch(/secret|ann@/);
});

test("a person reads time, level, message and facts on one line without escapes", () => {
  const lines: string[] = [];
  const log = openLog({ format: "human", now, write: (line) => lines.push(line) });

  log.info("ready", { url: "http://x/\u001b[2J", n: 1 });

  expect(lines).toEqual(['12:34:56 info  ready url="http://x/\\u001b[2J" n=1']);
});
