import { expect, test } from "bun:test";
import { readConfig } from "../../src/app/settings/settings.ts";
import { banner, firstLink, welcome } from "../../src/cli/welcome.ts";

const keys = { projectKey: "phc_a", personalKey: "phx_b", link: undefined };

test("the first start names the public address for web pages, and sends its first event by the local one", () => {
  const { settings } = readConfig({}, { HOGLET_PUBLIC_URL: "https://events.example.com" });
  const lines = welcome(settings, "http://127.0.0.1:8000", keys).join("\n");

  expect(lines).toContain("curl http://127.0.0.1:8000/i/v0/e/");
  expect(lines).toContain("posthog.init('phc_a', { api_host: 'https://events.example.com' })");
});

test("each start names the public address if there is one", () => {
  const url = "http://127.0.0.1:8000";
  const linesOf = (env: Record<string, string>) => banner(readConfig({}, env).settings, url);

  const publicUrl = "https://events.example.com";
  expect(linesOf({ HOGLET_PUBLIC_URL: publicUrl })).toEqual([
    ...linesOf({}),
    `public     ${publicUrl}`,
  ]);
  expect(linesOf({}).join("\n")).not.toContain("public");
});

test("the first start begins with the link to the console, on a terminal alone", async () => {
  const { settings } = readConfig({}, {});
  const off = readConfig({}, { HOGLET_CONSOLE: "off" }).settings;
  const io = (isTerminal: boolean) => ({ isTerminal }) as Parameters<typeof firstLink>[1];
  const make = async () => ({ url: "http://127.0.0.1:8000/console/#link=a" });
  const link = await firstLink(settings, io(true), make);

  expect(welcome(settings, "http://127.0.0.1:8000", { ...keys, link }).slice(1, 3)).toEqual([
    "Open the console; this link signs you in once, within 30 minutes:",
    "  http://127.0.0.1:8000/console/#link=a",
  ]);
  expect(await firstLink(settings, io(false), make)).toBeUndefined();
  expect(await firstLink(off, io(true), make)).toBeUndefined();
  expect(welcome(settings, "", keys).join("\n")).not.toContain("console");
});

test("each start names the console unless it is off", () => {
  const linesOf = (env: Record<string, string>) =>
    banner(readConfig({}, env).settings, "http://127.0.0.1:8000").join("\n");

  expect(linesOf({})).toContain("console    http://127.0.0.1:8000/console/");
  expect(linesOf({ HOGLET_CONSOLE: "off" })).not.toContain("console");
});
