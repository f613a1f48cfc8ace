import { expect, test } from "bun:test";
import { chromiumPath } from "./chromium.ts";

test("without Chromium, browser tests fail with the command that installs it", () => {
  expect(() => chromiumPath({ PATH: "/nowhere" })).toThrow("apt-get install -y chromium");
});

test("the Chromium that CHROMIUM_PATH names is taken before any other", () => {
  expect(chromiumPath({ ...process.env, CHROMIUM_PATH: "/opt/chrome" })).toBe("/opt/chrome");
});
