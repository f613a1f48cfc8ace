import { expect, test } from "bun:test";
import { readConfig } from "../../src/app/settings/settings.ts";
import { banner, welcome } from "../../src/cli/welcome.ts";

const keys = { projectKey: "phc_a", personalKey: "phx_b" };

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
