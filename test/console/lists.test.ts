import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { personUuid } from "../../src/core/identity/person.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { runCommand } from "../support/start/process.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
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
  event("$pageview", "passer-by", 3, { $process_person_profile: false }),
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

/** Waits until so many log records are found. */
async function untilLogs(count: number): Promise<void> {
  const counted = async () => {
    const answer = await fetch(`${server.url}/api/environments/1/query/`, {
      method: "POST",
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ query: { kind: "HogQLQuery", query: "SELECT count(*) FROM logs" } }),
    });
    return ((await answer.json()) as { results: number[][] }).results[0]?.[0];
  };
  while ((await counted()) !== count) await Bun.sleep(50);
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
      await page.getByText("Restored person").waitFor();
    };
    await expectFine(`persons/${ann}/?tab=groups`, "../acme?");
    await expectFine(`persons/${ann}/?tab=merges`, "events", undo);
    const { page, problems } = consoles.light;
    await page.getByRole("button", { name: "Undo the merge" }).click();
    const dialog = page.getByRole("dialog", { name: "Merge undone" });
    await dialog.waitFor();
    expect((await dialog.getByRole("link").allTextContents()).sort()).toEqual([
      "ann@example.com",
      "phone",
    ]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("No one was merged into this person").waitFor();
    expect(problems).toEqual([]);
  });

  test("is deleted with its events after a look at them, and leaves a receipt that shows a cancellation from elsewhere", async () => {
    const bob = await uuidOf("bob@example.com");
    const ask = async ({ page }: Console) => {
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("radio", { name: "Person and all events" }).waitFor();
    };
    await expectFine(`persons/${bob}/`, "1 event and 0 log records", ask);
    const { page, problems } = consoles.light;
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/^Scheduled/).waitFor();
    expect(problems).toEqual([]);
    const receipt = page.getByRole("main");
    expect(await receipt.textContent()).toContain(bob);
    expect(await consoles.light.findings()).toEqual([]);
    await receipt.getByRole("button", { name: "Cancel deletion" }).click();
    await page.getByText("until you request their deletion again").waitFor();
    expect(await consoles.light.findings()).toEqual([]);
    // A page that is not visible reads its receipt again only after the refusal.
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    expect(await runCommand(["deletions", "cancel", "1", "--data", server.data])).toMatchObject({
      code: 0,
    });
    await page.getByRole("button", { name: "Keep the events" }).click();
    await page.getByText("There is no such deletion, or it has begun already").waitFor();
    await receipt.getByText("Cancelled").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  });

  test("keeps the receipt of its events, which follows a run that comes meanwhile", async () => {
    const { page, go } = consoles.light;
    await go(`persons/${await uuidOf("phone")}/`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("radio", { name: "Events only" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/^Scheduled/).waitFor();
    await page.reload();
    await page.getByText(/^Scheduled/).waitFor();
    expect(await runCommand(["deletions", "run", "--data", server.data])).toMatchObject({
      code: 0,
    });
    await page.getByText("Done", { exact: true }).waitFor();
    await page.getByText("No stored events of this person").waitFor();
    await page.reload();
    await page.getByText("Done", { exact: true }).waitFor();
  });

  test("is a visitor without a profile, whose events are deleted from the same page", async () => {
    const { page, problems, go, findings } = consoles.light;
    await go(`persons/${personUuid(1, "passer-by")}/`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("radio", { name: "All events" }).waitFor();
    await page.getByText("1 event and 0 log records").waitFor();
    expect(await findings()).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/^Scheduled/).waitFor();
    await page.getByText("These are this visitor's events").waitFor();
    expect((await runCommand(["deletions", "run", "--data", server.data])).code).toBe(0);
    // The receipt says that they are deleted, so they are no longer there.
    await page.getByText("Done", { exact: true }).waitFor();
    await page.getByText("These are this visitor's events").waitFor({ state: "detached" });
    expect(await page.getByText("Page view").count()).toBe(0);
    // The server has no person with this uuid.
    expect(problems.splice(0).filter((problem) => !problem.includes("404"))).toEqual([]);
  });
});

test("groups are listed by type, and one has properties, events and persons", async () => {
  const { page, go } = consoles.light;
  await expectFine("groups/", "enterprise");
  await page.getByRole("link", { name: "../acme?" }).click();
  await page.getByRole("heading", { name: "Acme" }).waitFor();
  await page.getByRole("tab", { name: "People" }).click();
  await page.getByRole("link", { name: "ann" }).waitFor();
  const acme = `groups/0/?key=${encodeURIComponent("../acme?")}`;
  await expectFine(acme, "enterprise");
  await expectFine(`${acme}&tab=events`, "order");
  await go("groups/?search=nothing");
  await page.getByText("No results match these filters").waitFor();
});

test("a playlist is made, takes a recording, is pinned and renamed, goes to the bin and comes back", async () => {
  const { page, go, problems } = consoles.light;
  problems.length = 0;
  await go("playlists/");
  await page.getByText("No playlist yet").waitFor();
  await page.getByRole("button", { name: "New playlist" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Lost carts");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("No recordings in this playlist").waitFor();
  await page.getByLabel("Session ID").fill("s-1");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("link", { name: "s-1" }).waitFor();
  await page.getByRole("button", { name: "Pin" }).click();
  await page.getByRole("button", { name: "Pinned" }).waitFor();
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Left carts");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Left carts" }).waitFor();
  const { pathname } = new URL(page.url());
  await expectFine(pathname.split("/console/1/")[1] ?? "", "s-1");
  await expectFine("playlists/?shown=pinned", "Left carts");
  await go(pathname.split("/console/1/")[1] ?? "");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Move to the bin" }).click();
  await page.getByText("No playlist yet").waitFor();
  await page.getByLabel("Shown").selectOption("bin");
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByText("The bin is empty").waitFor();
  expect(problems).toEqual([]);
});

describe("logs", () => {
  const record = (severityText: string, text: string, route: string) => ({
    severityText,
    timeUnixNano: `${Date.now() - 60_000}000000`,
    body: { stringValue: text },
    attributes: [{ key: "http.route", value: { stringValue: route } }],
  });
  const LOGS = {
    resourceLogs: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
        scopeLogs: [
          {
            logRecords: [
              record("ERROR", "payment timeout <img src=x onerror=alert(1)>", "/cart"),
              record("INFO", "order stored", "/checkout"),
            ],
          },
        ],
      },
    ],
  };

  test("say how to send some, and are then found by level, text, service and interval", async () => {
    const { page, go, problems } = consoles.light;
    await expectFine("logs/", PROJECT_KEY);
    const sent = await fetch(`${server.url}/i/v1/logs`, {
      method: "POST",
      headers: { authorization: `Bearer ${PROJECT_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(LOGS),
    });
    expect(sent.status).toBe(200);
    await untilLogs(2);
    const openError = async ({ page: one }: Console) => {
      await one.getByRole("button", { name: "payment timeout" }).click();
      await one.getByText("http.route").waitFor();
    };
    await expectFine("logs/", "order stored", openError);
    problems.length = 0;
    await go("logs/");
    await page.getByRole("button", { name: "info" }).first().click();
    await page.getByText("payment timeout").waitFor({ state: "detached" });
    await page.getByText("1 – 1 of 1").waitFor();
    await page.getByLabel("Search logs").fill("stored");
    await page.getByLabel("Service").selectOption("shop");
    const chart = page.getByRole("application");
    await chart.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^from / }).waitFor();
    await page.getByText("order stored").waitFor();
    await go("logs/?level=fatal");
    await page.getByText("No results match these filters").waitFor();
    await go("logs/?period=2026-01-01..2026-01-02");
    await page.getByText("No data in this period").waitFor();
    expect(problems).toEqual([]);
  });
});

describe("a long list", () => {
  test("begins at its head on each page, and loads once the server answers again", async () => {
    const { page, context, go } = consoles.light;
    const batch = Array.from({ length: 60 }, (_, at) => event(`step ${at}`, "ann", 3));
    await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
    await server.stored(1, "&event=step%2059");
    await page.setViewportSize({ width: 1440, height: 600 });
    await go("events/");
    await page
      .getByRole("button", { name: /^step / })
      .last()
      .click();
    await page.getByText("This event has no properties.").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText(/^51 – /).waitFor();
    expect(Number(await page.evaluate("scrollY"))).toBeLessThan(300);

    await context.setOffline(true);
    await page.getByRole("link", { name: "People", exact: true }).click();
    await page.getByText("Can't reach the server").waitFor();
    await context.setOffline(false);
    await page.getByText("ann@example.com").first().waitFor();

    // A server that was away for a while is no change of the network.
    await context.route("**/api/**", (route) => route.abort());
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByText("Can't reach the server").waitFor();
    await context.unroute("**/api/**");
    await page
      .getByRole("button", { name: /^step / })
      .first()
      .waitFor();
  });
});
