import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { asker } from "../support/answers/requests.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { openConsole } from "../support/start/console.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const ask = asker(server);
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

const rename = async (page: Page, name: string) => {
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Save", exact: true }).click();
};
const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

test("the later save of two pages asks, and loads the newer one or saves its own", async () => {
  const path = "/api/environments/1/session_recording_playlists/";
  const { body } = await ask("POST", path, { body: { name: "Carts" } });
  const { short_id } = body as { short_id: string };
  await using one = await openConsole(browser, server);
  await using two = await openConsole(browser, server, { width: 360, theme: "dark" });
  for (const { go, page } of [one, two]) {
    await go(`playlists/${short_id}/`);
    await heading(page, "Carts");
  }

  await rename(one.page, "First");
  await heading(one.page, "First");
  await rename(two.page, "Second");
  await heading(two.page, "Someone saved before you");
  await two.page.getByText("Changed since it was read: name.").waitFor();
  expect([await two.findings(), await two.overflow()]).toEqual([[], 0]);
  await two.page.getByRole("button", { name: "Load the newer one" }).click();
  await heading(two.page, "First");

  await rename(two.page, "Third");
  await heading(two.page, "Third");
  await rename(one.page, "Fourth");
  await one.page.getByRole("button", { name: "Save mine" }).click();
  await heading(one.page, "Fourth");
  expect((await ask("GET", `${path}${short_id}/`)).body).toMatchObject({ name: "Fourth" });
});
