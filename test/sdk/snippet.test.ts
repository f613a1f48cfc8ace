import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectOnePerson, personsOf } from "../support/data/persons.ts";
import { type LoneExecutable, loneExecutable } from "../support/start/executable.ts";
import { PROJECT_KEY, ROOT, type Server, startServer } from "../support/start/server.ts";
import { openSite, type Site } from "../support/start/web-site.ts";

let server: Server;
let built: LoneExecutable | undefined;
let site: Site;

beforeAll(async () => {
  built = loneExecutable();
  server = await startServer({ command: [built.path], cwd: built.folder });
  site = openSite(server.url, { "/snippet": pageWith(snippet(server.url)) });
});

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  built?.[Symbol.dispose]();
});

/** The snippet of the documentation, with the address and the key of a server. */
function snippet(api: string): string {
  const page = readFileSync(join(ROOT, "src/docs/send-events.md"), "utf8");
  const html = /```html\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const options = `api_host: "http://127.0.0.1:8000"`;
  expect(html).toContain(`posthog.init("phc_…", { ${options} });`);
  // posthog-js sends nothing from a headless browser without this option.
  const headless =
    "opt_out_useragent_filter: true, request_queue_config: { flush_interval_ms: 250 }";
  return html.replace("phc_…", PROJECT_KEY).replace(options, `api_host: "${api}", ${headless}`);
}

/** A page that uses posthog-js before its script can be there. */
const pageWith = (head: string) => `<!doctype html>
<html>
<head>
<title>Shop</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<script>
posthog.register({ shop: "north" });
posthog.capture("early", { loaded: Boolean(posthog.__loaded) });
</script>
<p>Nothing but a snippet.</p>
</body>
</html>`;

describe("the HTML snippet", () => {
  test("loads posthog-js from the server, which sends events from before and after", async () => {
    const { context, page, problems } = await site.open("/snippet");
    await page.waitForFunction("window.posthog.__loaded");
    const visitor = String(await page.evaluate("posthog.get_distinct_id()"));

    await page.evaluate(`{
      posthog.capture("late");
      posthog.identify("snip", { email: "snip@x.example" });
      posthog.people.set({ plan: "pro" });
    }`);

    await server.stored(3, `&distinct_id=${visitor}`);
    await server.stored(2, "&distinct_id=snip");
    const anonymous = await server.events(`&distinct_id=${visitor}`);
    expect(anonymous.map(({ event }) => event).sort()).toEqual(["$pageview", "early", "late"]);
    const early = anonymous.find(({ event }) => event === "early");
    expect(early?.properties).toMatchObject({ loaded: false, shop: "north", $lib: "web" });
    const identified = await server.events("&distinct_id=snip");
    expect(identified.map(({ event }) => event).sort()).toEqual(["$identify", "$set"]);
    const [person] = await personsOf(server, "snip");
    expect(person?.properties).toMatchObject({ email: "snip@x.example", plan: "pro" });
    await expectOnePerson(server, [visitor, "snip"]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("asks no other host for anything, and for each script once", async () => {
    const { context, page, problems } = await site.open("/snippet");
    await page.waitForFunction("window.posthog.__loaded");
    await page.waitForLoadState("networkidle");

    const addresses = (await page.evaluate(
      `performance.getEntriesByType("resource").map(({ name }) => name)`,
    )) as string[];

    const scripts = addresses.filter((address) => address.endsWith(".js"));
    expect(scripts.sort()).toEqual([
      `${server.url}/array/${PROJECT_KEY}/config.js`,
      `${server.url}/static/array.js`,
    ]);
    const origins = new Set(addresses.map((address) => new URL(address).origin));
    expect([...origins]).toEqual([server.url]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
