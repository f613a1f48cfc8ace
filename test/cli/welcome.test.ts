import { expect, test } from "bun:test";
import { readConfig } from "../../src/app/settings/settings.ts";
import { welcome } from "../../src/cli/welcome.ts";

const keys = { projectKey: "phc_a", personalKey: "phx_b" };

test("the first start names the public address for web pages, and sends its first event by the local one", () => {
  const { settings } = readConfig({}, { HOGLET_PUBLIC_URL: "https://events.example.com" });
  const lines = welcome(settings, "http://127.0.0.1:8000", keys).join("\n");

  expect(lines).toContain("curl http://127.0.0.1:8000/i/v0/e/");
  expect(lines).toContain("posthog.init('phc_a', { api_host: 'https://events.example.com' })");
});
