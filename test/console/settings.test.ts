import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { explained } from "../../src/console/pages/health/reasons.ts";
import { SCOPES, withTitles } from "../../src/console/state/scopes.ts";
import { SCOPE_OBJECTS } from "../../src/core/access/key.ts";
import { personUuid } from "../../src/core/identity/person.ts";
import { readiness } from "../../src/core/operations/readiness.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { OWN_PAGE, SESSION } from "../support/start/session.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

beforeAll(async () => {
  browser = await launchChromium();
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

/** The findings of axe in both themes, and how much too wide the page is on a phone. */
async function flaws(): Promise<unknown[]> {
  const { page, findings, overflow } = opened;
  const found: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findings()));
  }
  await page.setViewportSize({ width: 360, height: 900 });
  const wider = await overflow();
  if (wider > 0) found.push({ wider });
  await page.setViewportSize({ width: 1440, height: 900 });
  return found;
}

/** Lets all sessions have begun two hours ago. */
function makeSessionsOld(): void {
  using database = new Database(join(server.data, "hoglet.sqlite"));
  const at = new Date(Date.now() - 7_200_000).toISOString().replace("Z", "000Z");
  database.run("UPDATE console_session SET created_at = ?", [at]);
}

/** The answer to a request with a personal key. */
const asked = (key: string) =>
  fetch(`${server.url}/api/projects/`, { headers: { authorization: `Bearer ${key}` } });

test("a key is offered each scope", () => {
  expect(SCOPES.map(({ object }) => object).sort()).toEqual([...SCOPE_OBJECTS].sort());
});

test("messages name a scope as the form of keys does", () => {
  expect(withTitles("The API key lacks the scope 'query:read'.")).toBe(
    "The API key lacks the scope Events and SQL (query:read).",
  );
  expect(withTitles("There is no 'moon:read' here.")).toBe("There is no 'moon:read' here.");
});

test("a project is renamed, and its key is reset while the old one still counts", async () => {
  const { page, go, problems } = opened;
  await go("settings/");
  const choose = async (zone: string) => {
    await page.getByRole("button", { name: /^Time zone/ }).click();
    await page.getByRole("combobox", { name: "Time zone" }).fill(zone);
    await page.keyboard.press("Enter");
  };
  await page.getByLabel("Name").fill("Shop");
  await choose("Nowhere/Land");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The IANA name of a time zone is expected").waitFor();
  problems.length = 0;
  await choose("Europe/Berlin");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Shop", exact: true }).first().waitFor();
  await page.getByRole("button", { name: "New key…" }).click();
  await page.getByLabel("Keep the old key working for (hours)").fill("48");
  await page.getByRole("button", { name: "Replace key" }).click();
  await page.getByText("The previous key phc_testproject works until").waitFor();

  expect(await flaws()).toEqual([]);
  expect(problems).toEqual([]);
});

test("a key is made after a new sign-in, is shown once, and counts until it is revoked", async () => {
  const { page, go, problems } = opened;
  await go("settings/?tab=keys");
  makeSessionsOld();
  await page.locator(".panel-head").getByRole("button", { name: "Key" }).click();
  await page.getByLabel("Label").fill("ci");
  await page.getByLabel("Access").selectOption("chosen");
  await page.getByText("a key needs “Projects: read”").waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Choose at least one scope.").waitFor();
  await page.getByLabel("Projects", { exact: true }).selectOption("read");
  expect(await page.getByText("a key needs").count()).toBe(0);
  expect(await flaws()).toEqual([]);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Sign in again" }).waitFor();
  expect(await flaws()).toEqual([]);
  await page.locator("input[name=key]").fill(PERSONAL_KEY);
  await page.keyboard.press("Enter");

  const value = (await page.getByText(/^phx_\w{40,}$/).textContent()) ?? "";
  expect(await flaws()).toEqual([]);
  expect((await asked(value)).status).toBe(200);
  await page.getByRole("button", { name: "Done, I've saved it" }).click();
  await page.getByText("Projects: read").waitFor();
  expect(await page.content()).not.toContain(value);

  await page.getByRole("button", { name: "Roll ci" }).click();
  await page.getByRole("button", { name: "Roll key" }).click();
  const rolled = (await page.getByText(/^phx_\w{40,}$/).textContent()) ?? "";
  expect([(await asked(value)).status, (await asked(rolled)).status]).toEqual([401, 200]);
  await page.getByRole("button", { name: "Done, I've saved it" }).click();
  await page.getByRole("button", { name: "Revoke ci" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Projects: read").waitFor({ state: "detached" });
  expect((await asked(rolled)).status).toBe(401);
  expect(await flaws()).toEqual([]);
  expect(problems.filter((problem) => !problem.includes("403"))).toEqual([]);
});

test("live events come, wait under pointer and focus, and stop with the session", async () => {
  const { page, context, go } = opened;
  await page.goto(`${server.url}/console/1/events/?live=1`);
  const sent = (...names: string[]) => {
    const batch = names.map((event) => ({
      event,
      distinct_id: "ann",
      properties: { plan: "pro" },
    }));
    return server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  };
  const row = (name: string) => page.getByRole("button", { name, exact: true });
  await page.getByText("Waiting for events").waitFor();
  // The stream tells this as soon as it is there.
  await page.getByText("lag 0").waitFor();
  await sent("signed up");
  await row("signed up").waitFor();
  expect(await flaws()).toEqual([]);

  await row("signed up").hover();
  await page.getByText("Paused while you read").waitFor();
  await sent("paid", "shipped");
  await page.getByRole("button", { name: "2 new" }).click();
  await row("shipped").click();
  await page.getByRole("button", { name: "Filter by plan" }).waitFor();
  await row("shipped").click();

  await context.request.delete(`${server.url}${SESSION}`, { headers: OWN_PAGE });
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await page.locator("input[name=key]").fill(PERSONAL_KEY);
  await page.keyboard.press("Enter");
  await page.getByText("lag 0").waitFor();
  await sent("returned");
  // The focus is back on the row.
  await page.getByRole("button", { name: "1 new" }).click();
  await row("returned").waitFor();
  await go("events/");
});

test("health says the reason why the server is not ready, with its remedy, and refused requests", async () => {
  const { page, go } = opened;
  await server.capture({ api_key: "phc_wrong", event: "lost", distinct_id: "ann" }, "/i/v0/e/");
  await go("health/");
  await page.getByText("All good: Hoglet accepts events").waitFor();
  await page.getByText("POST /i/v0/e/").waitFor();
  expect(await flaws()).toEqual([]);

  await page.route("**/status/", async (route) => {
    const response = await route.fetch();
    const status = await response.json();
    const changed = { ready: false, reasons: ["disk_full"] };
    await route.fulfill({
      response,
      json: { ...status, server: { ...status.server, ...changed } },
    });
  });
  await page.getByText("Free up space on the disk that holds the data directory").waitFor();
  await page.getByText("/_readiness says: disk_full").waitFor();
  expect(await flaws()).toEqual([]);
  await page.unroute("**/status/");
  await page.getByText("All good: Hoglet accepts events").waitFor();
});

test("each reason of the server is explained", () => {
  const ingest = { applied: () => 0, isStalled: () => true, lag: () => 1 };
  const isTrue = () => true;
  for (const isRestoring of [isTrue, () => false]) {
    const reasons = readiness({
      ...{ ingest, isRestoring, isCatchingUp: isTrue, isDraining: isTrue, refusing: isTrue },
      ...{ diskGuard: { isLow: isTrue }, refusal: () => "ENOSPC", elapsedMs: () => 0 },
    })();
    expect(reasons).toHaveLength(5);
    for (const reason of reasons) {
      expect(explained(reason).sentence).not.toContain("The server says");
    }
  }
});

test("tasks list a deletion with its next run, and it is cancelled there", async () => {
  const { page, go } = opened;
  await go("tasks/");
  await page.getByText("No deletions yet").waitFor();
  expect(await flaws()).toEqual([]);
  const path = `/api/environments/1/persons/${personUuid(1, "ann")}/delete_events/`;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  await fetch(`${server.url}${path}`, { method: "POST", headers });

  await page.getByText("Next run: people").waitFor();
  await page.getByText("Events only").waitFor();
  await page.getByRole("button", { name: /^\d+ \w+ 20/ }).click();
  await page.getByRole("button", { name: "Print the receipt" }).waitFor();
  await page.getByText(/^Scheduled/).waitFor();
  await page.getByText(/^Runs at .* Run all pending deletions now, on the server:/).waitFor();
  await page
    .getByText(/^hoglet deletions run --now --data \/.+/)
    .first()
    .waitFor();
  expect(await flaws()).toEqual([]);
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("navigation").first().isVisible()).toBe(false);
  expect(await page.getByText(/^Scheduled/).isVisible()).toBe(true);
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "Cancel deletion" }).click();
  await page.getByRole("button", { name: "Keep the events" }).click();
  await page.getByText("Cancelled").nth(2).waitFor();
});

test("a session is ended from another one, and signing out leads to the sign-in page", async () => {
  await using other = await openConsole(browser, server);
  const { page, go } = other;
  await go("settings/?tab=sessions");
  await page.getByText("This session").waitFor();
  expect(await other.findings()).toEqual([]);
  await page
    .getByRole("button", { name: /^End the session of/ })
    .nth(1)
    .click();
  await page.getByRole("button", { name: "End session", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await opened.page.reload();
  await opened.page.getByRole("heading", { name: "Sign in to Hoglet" }).waitFor();

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Hoglet" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/");
});
