import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const THEMES = ["light", "dark"] as const;
let browser: Browser;
let consoles: Record<(typeof THEMES)[number], Console>;

const event = (name: string, distinct_id: string, minutes: number, properties = {}) => ({
  event: name,
  distinct_id,
  timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
  properties,
});

const BATCH = [
  event("$pageview", "phone", 9, { $set: { device: "phone" } }),
  event("$identify", "ann", 8, { $set: { email: "ann@example.com" } }),
  event("$create_alias", "ann", 7, { alias: "phone" }),
  event("$groupidentify", "ann", 5, {
    $group_type: "company",
    $group_key: "../acme?",
    $group_set: { name: "Acme", plan: "enterprise" },
  }),
  event("order", "ann", 4, { $groups: { company: "../acme?" } }),
  event("signed up", "bob", 6, { $set: { email: "bob@example.com" } }),
];

beforeAll(async () => {
  browser = await launchChromium();
  await server.capture({ api_key: PROJECT_KEY, batch: BATCH }, "/batch/");
  await server.stored(BATCH.length);
  const [light, dark] = await Promise.all(
    THEMES.map((theme) => openConsole(browser, server, { theme })),
  );
  if (light && dark) consoles = { light, dark };
});

afterAll(() => browser?.close());

/** The uuid of the person with an e-mail address. */
async function uuidOf(email: string): Promise<string> {
  const { results } = await server.get<{ results: { uuid: string }[] }>(
    `/persons/?search=${encodeURIComponent(email)}`,
  );
  return results[0]?.uuid ?? "";
}

/** Expects no finding of axe, no problem and no overflow in both themes; `open` brings the page into its state. */
async function expectFine(
  path: string,
  text: string,
  open: (of: Console) => Promise<unknown> = async () => undefined,
): Promise<void> {
  for (const theme of THEMES) {
    const { page, problems, go, findings, overflow } = consoles[theme];
    problems.length = 0;
    await page.setViewportSize({ width: 1440, height: 900 });
    await go(path);
    await open(consoles[theme]);
    await page.getByText(text).first().waitFor();
    expect({ path, theme, findings: await findings() }).toEqual({ path, theme, findings: [] });
    for (const width of [360, 768]) {
      await page.setViewportSize({ width, height: 900 });
      expect({ path, width, overflow: await overflow() }).toEqual({ path, width, overflow: 0 });
    }
    expect(problems).toEqual([]);
  }
}

describe("a person", () => {
  test("shows the effect of undoing a merge, and both persons after it", async () => {
    const ann = await uuidOf("ann@example.com");
    const undo = async ({ page }: Console) => {
      await page.getByRole("button", { name: "Undo…" }).click();
      await page.getByText("Comes back as a person").waitFor();
    };
    await expectFine(`persons/${ann}/?tab=groups`, "../acme?");
    await expectFine(`persons/${ann}/?tab=merges`, "events", undo);
    const { page, problems } = consoles.light;
    await page.getByRole("button", { name: "Undo the merge" }).click();
    const dialog = page.getByRole("dialog", { name: "The merge is undone" });
    await dialog.waitFor();
    expect((await dialog.getByRole("link").allTextContents()).sort()).toEqual([
      "ann@example.com",
      "phone",
    ]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("No other person was merged into this one").waitFor();
    expect(problems).toEqual([]);
  });

  test("is deleted with its events after a look at them, and leaves a receipt that can be cancelled", async () => {
    const bob = await uuidOf("bob@example.com");
    const ask = async ({ page }: Console) => {
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("radio", { name: "The person and its events" }).waitFor();
    };
    await expectFine(`persons/${bob}/`, "1 event and 0 log records", ask);
    const { page, problems } = consoles.light;
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Waits for its run").waitFor();
    expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
    const receipt = page.getByRole("main");
    expect(await receipt.textContent()).toContain(bob);
    expect(await consoles.light.findings()).toEqual([]);
    await receipt.getByRole("button", { name: "Cancel the deletion" }).click();
    await receipt.getByText("Cancelled").waitFor();
  });
});

test("groups are listed by type, and one has properties, events and persons", async () => {
  const { page, go } = consoles.light;
  await expectFine("groups/", "enterprise");
  await page.getByRole("link", { name: "../acme?" }).click();
  await page.getByRole("heading", { name: "Acme" }).waitFor();
  await page.getByRole("tab", { name: "Persons" }).click();
  await page.getByRole("link", { name: "ann" }).waitFor();
  const acme = `groups/0/?key=${encodeURIComponent("../acme?")}`;
  await expectFine(acme, "enterprise");
  await expectFine(`${acme}&tab=events`, "order");
  await go("groups/?search=nothing");
  await page.getByText("Nothing passes the filters").waitFor();
});
