import { describe, expect, test } from "bun:test";
import { LOGS } from "../stores.ts";

describe.each(LOGS)("the log as %s", (_name, make) => {
  test("has one line for each call, and never fails", () => {
    const lines: string[] = [];
    const log = make((line) => lines.push(line));
    const circle: Record<string, unknown> = {};
    circle["circle"] = circle;

    for (const level of ["info", "warn", "error"] as const) {
      log[level]("a message");
      log[level]("another", {
        text: "a\nb\u001b[2J",
        error: new Error("one\ntwo"),
        missing: undefined,
      });
    }

    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line.trimEnd()).not.toContain("\n");
    expect(lines[0]).toContain("a message");
  });
});
