import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Browser, Request } from "playwright-core";
import { builtExecutable, type Executable } from "./support/binary.ts";
import { launchChromium, problemsOf } from "./support/chromium.ts";
import { PROJECT_KEY, ROOT, type Server, startServer } from "./support/server.ts";

/** Longer than the 60 s after which a server that stores nothing is given up. */
setDefaultTimeout(90_000);

const BUNDLE = join(ROOT, "node_modules/posthog-js/dist/module.js");

/** How posthog-js is set up on the page, beside its address and key. */
type Init = { key?: string } & Record<string, unknown>;

let server: Server;
let built: Executable | undefined;
let site: ReturnType<typeof serveSite>;
let browser: Browser | undefined;

beforeAll(async () => {
  built = await builtExecutable();
  server = await startServer({ command: [built.path], cwd: built.folder });
  site = serveSite(server.url);
});

afterAll(async () => {
  await browser?.close();
  await site?.stop(true);
  await server?.[Symbol.asyncDispose]();
  built?.[Symbol.dispose]();
});

/** A site of another origin, and of another site: `localhost`, where the server is `127.0.0.1`. */
function serveSite(api: string) {
  const html = `<!doctype html>
<title>Shop</title>
<link rel="icon" href="data:,">
<script type="module">
import posthog from "/posthog.js";
const { key, ...options } = window.init;
window.posthog = posthog;
posthog.init(key, { api_host: ${JSON.stringify(api)}, ...options });
</script>`;
  const page = () => new Response(html, { headers: { "content-type": "text/html" } });
  const routes = { "/posthog.js": new Response(Bun.file(BUNDLE)), "/shop": page, "/bye": page };
  return Bun.serve({ hostname: "127.0.0.1", port: 0, routes });
}

/** A new visitor on the page, what goes wrong there, and what the page posts to the server. */
async function visit(init: Init = {}) {
  browser ??= await launchChromium();
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems = problemsOf(page);
  const posts: Request[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(request);
  });
  const options = {
    key: PROJECT_KEY,
    // posthog-js sends nothing from a headless browser, unless it is told not to look.
    opt_out_useragent_filter: true,
    request_queue_config: { flush_interval_ms: 250 },
    ...init,
  };
  await page.addInitScript(`window.init = ${JSON.stringify(options)}`);
  await page.goto(`http://localhost:${site.port}/shop?cart=3`);
  await page.waitForFunction("window.posthog?.__loaded");
  const visitor = String(await page.evaluate("posthog.get_distinct_id()"));
  return { context, page, problems, posts, visitor };
}

const personsOf = async (distinctId: string) =>
  (await server.get<{ results: Person[] }>(`/persons/?distinct_id=${distinctId}`)).results;
type Person = { uuid: string; name: string; properties: Record<string, unknown> };

const captures = (posts: Request[]) =>
  posts.filter((post) => ["/e/", "/i/v0/e/"].includes(new URL(post.url()).pathname));

describe("posthog-js on a page of another origin", () => {
  test("sends the page view of a visitor, who is nobody yet", async () => {
    const { context, page, problems, visitor } = await visit();

    await server.stored(1, `&distinct_id=${visitor}`);

    const events = await server.events(`&distinct_id=${visitor}`);
    expect(events).toMatchObject([
      {
        event: "$pageview",
        properties: {
          $current_url: page.url(),
          $pathname: "/shop",
          $lib: "web",
          $process_person_profile: false,
        },
      },
    ]);
    expect(await personsOf(visitor)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("sends events gzipped, in requests that need no preflight", async () => {
    const { context, page, problems, posts, visitor } = await visit();
    const properties = { price: 9.5, tags: ["a", null, "é🦔"], nested: { deep: true } };
    await page.waitForFunction("window._POSTHOG_REMOTE_CONFIG");

    await page.evaluate(`posthog.capture("added to cart", ${JSON.stringify(properties)})`);

    await server.stored(1, `&distinct_id=${visitor}&event=added to cart`);
    const [event] = await server.events(`&distinct_id=${visitor}&event=added to cart`);
    expect(event?.properties).toMatchObject(properties);
    const sent = captures(posts);
    expect(sent.map((post) => new URL(post.url()).pathname)).toContain("/i/v0/e/");
    for (const post of sent) {
      expect(post.headers()["content-type"]).toBe("text/plain");
      expect(post.postDataBuffer()?.toString("hex", 0, 2)).toBe("1f8b");
    }
    expect(problems).toEqual([]);
    await context.close();
  });

  test("makes a person of a visitor who is identified", async () => {
    const { context, page, problems } = await visit();

    await page.evaluate(`posthog.identify("ada", { email: "ada@x.example" }, { plan: "free" })`);
    await page.evaluate(`posthog.capture("paid", { $set: { plan: "pro" } })`);

    await server.stored(2, "&distinct_id=ada");
    const [person, ...others] = await personsOf("ada");
    expect(others).toEqual([]);
    expect(person).toMatchObject({
      name: "ada@x.example",
      properties: { email: "ada@x.example", plan: "pro" },
    });
    const own = await server.events(`&person_id=${person?.uuid}&distinct_id=ada`);
    expect(own.map(({ event }) => event).sort()).toEqual(["$identify", "paid"]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("makes a person of every visitor where the page asks for it", async () => {
    const { context, problems, visitor } = await visit({ person_profiles: "always" });

    await server.stored(1, `&distinct_id=${visitor}`);

    expect(await personsOf(visitor)).toMatchObject([
      { name: visitor, properties: { $initial_pathname: "/shop" } },
    ]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("sends what is left by a beacon when the page goes away", async () => {
    const { context, page, problems, visitor } = await visit({
      request_queue_config: { flush_interval_ms: 5000 },
    });
    await server.stored(1, `&distinct_id=${visitor}`);
    await page.waitForLoadState("networkidle");
    await page.evaluate(`{
      const send = navigator.sendBeacon.bind(navigator);
      navigator.sendBeacon = (url, data) => {
        sessionStorage.beacon = data.type;
        return send(url, data);
      };
    }`);

    await page.evaluate(`posthog.capture("last words")`);
    await page.goto(`http://localhost:${site.port}/bye`);

    await server.stored(4, `&distinct_id=${visitor}`);
    const events = await server.events(`&distinct_id=${visitor}`);
    const paths = events.map(({ event, properties }) => [event, properties["$pathname"]]);
    expect(paths.sort()).toEqual([
      ["$pageleave", "/shop"],
      ["$pageview", "/bye"],
      ["$pageview", "/shop"],
      ["last words", "/shop"],
    ]);
    expect(await page.evaluate("sessionStorage.beacon")).toBe("text/plain");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("passes the preflight that plain JSON and headers of its own need", async () => {
    const { context, page, problems, posts, visitor } = await visit({
      disable_compression: true,
      request_headers: { "X-Shop": "3" },
    });

    await page.evaluate(`posthog.capture("uncompressed")`);

    await server.stored(2, `&distinct_id=${visitor}`);
    const sent = captures(posts);
    for (const post of sent) {
      expect(post.headers()).toMatchObject({ "content-type": "application/json", "x-shop": "3" });
    }
    expect(sent.length).toBeGreaterThanOrEqual(2);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("reads why it is refused when its key is unknown", async () => {
    const { context, problems } = await visit({ key: "phc_unknown" });
    const refusal = `POST ${server.url}/e/: 401`;

    const deadline = Date.now() + 30_000;
    while (!problems.includes(refusal) && Date.now() < deadline) await Bun.sleep(50);

    expect(problems).toContain(refusal);
    expect(problems).toContain(`GET ${server.url}/array/phc_unknown/config.js: 404`);
    expect(problems.filter((problem) => problem.includes("CORS"))).toEqual([]);
    await context.close();
  });
});
