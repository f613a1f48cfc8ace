import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectOnePerson, personsOf } from "../support/data/persons.ts";
import { sharedServer } from "../support/start/shared-server.ts";
import { litePage, openSite, type Site } from "../support/start/web-site.ts";

const server = sharedServer();
let site: Site;

beforeAll(async () => {
  site = openSite(server.url, await litePage(server.url));
});

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
});

const namesOf = async (distinctId: string) =>
  (await server.events(`&distinct_id=${distinctId}`)).map(({ event }) => event).sort();

describe("posthog-js-lite on a page of another origin", () => {
  test("sends each event once, with the right distinct id", async () => {
    const { context, page, problems, posts } = await site.open("/lite");
    await page.waitForFunction("window.posthog");
    const visitor = String(await page.evaluate("posthog.getDistinctId()"));

    await page.evaluate(`{
      posthog.capture("browsed", { shelf: 3 });
      posthog.register({ shop: "north" });
      posthog.identify("lite", { email: "lite@x.example" });
      posthog.group("company", "acme", { size: 12 });
      posthog.capture("paid", { price: 9.5 });
      posthog.alias("lite-alias");
      posthog.reset();
      posthog.capture("returned");
    }`);
    const next = String(await page.evaluate("posthog.getDistinctId()"));
    await server.stored(1, `&distinct_id=${visitor}`);
    await server.stored(4, "&distinct_id=lite");
    await server.stored(1, `&distinct_id=${next}`);

    expect(new Set([visitor, "lite", next]).size).toBe(3);
    expect(await namesOf(visitor)).toEqual(["browsed"]);
    expect(await namesOf("lite")).toEqual(["$create_alias", "$groupidentify", "$identify", "paid"]);
    expect(await namesOf(next)).toEqual(["returned"]);
    const [paid] = await server.events("&distinct_id=lite&event=paid");
    expect(paid?.properties).toMatchObject({ $lib: "js", price: 9.5, shop: "north" });
    expect(paid?.properties["$groups"]).toEqual({ company: "acme" });
    const [person] = await personsOf(server, "lite");
    expect(person?.properties).toMatchObject({ email: "lite@x.example" });
    await expectOnePerson(server, [visitor, "lite", "lite-alias"]);

    const batches = posts.filter((post) => new URL(post.url()).pathname === "/batch/");
    expect(batches.length).toBeGreaterThan(0);
    for (const batch of batches) expect(batch.headers()["content-encoding"]).toBe("gzip");
    // It cancels the answer that it has no use for, which Chromium may call a failed request.
    const cancelled = `POST ${server.url}/batch/: net::ERR_ABORTED`;
    expect(problems.filter((problem) => problem !== cancelled)).toEqual([]);
    expect(await page.evaluate("errors")).toEqual([]);
    await context.close();
  });

  test("learns that there are no feature flags", async () => {
    const { context, page, problems } = await site.open("/lite");
    await page.waitForFunction("window.posthog");

    const flags = await page.evaluate("posthog.reloadFeatureFlagsAsync()");

    expect(flags).toEqual({});
    expect([problems, await page.evaluate("errors")]).toEqual([[], []]);
    await context.close();
  });
});
