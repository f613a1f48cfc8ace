import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Request } from "playwright-core";
import { expectOnePerson, personsOf } from "../support/data/persons.ts";
import { type LoneExecutable, loneExecutable } from "../support/start/executable.ts";
import { type Server, startServer } from "../support/start/server.ts";
import { type BrowserSdk, openSite, type Site } from "../support/start/web-site.ts";

let server: Server;
let built: LoneExecutable | undefined;
let site: Site;

beforeAll(async () => {
  built = loneExecutable();
  server = await startServer({ command: [built.path], cwd: built.folder });
  site = openSite(server.url);
});

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  built?.[Symbol.dispose]();
});

const captures = (posts: Request[]) =>
  posts.filter((post) => ["/e/", "/i/v0/e/"].includes(new URL(post.url()).pathname));

describe("posthog-js on a page of another origin", () => {
  test("sends the page view of an anonymous visitor", async () => {
    const { context, page, problems, visitor } = await site.visit();

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
    expect(await personsOf(server, visitor)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("sends events gzipped, in requests that need no preflight", async () => {
    const { context, page, problems, posts, visitor } = await site.visit();
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
    const { context, page, problems, visitor } = await site.visit();

    await page.evaluate(`posthog.identify("ada", { email: "ada@x.example" }, { plan: "free" })`);
    await page.evaluate(`posthog.capture("paid", { $set: { plan: "pro" } })`);

    await server.stored(2, "&distinct_id=ada");
    const [person, ...others] = await personsOf(server, "ada");
    expect(others).toEqual([]);
    expect(person).toMatchObject({
      name: "ada@x.example",
      properties: { email: "ada@x.example", plan: "pro" },
    });
    const own = await server.events(`&person_id=${person?.uuid}&distinct_id=ada`);
    expect(own.map(({ event }) => event).sort()).toEqual(["$identify", "paid"]);
    await server.stored(1, `&distinct_id=${visitor}`);
    await expectOnePerson(server, [visitor, "ada"]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("makes a person of every visitor where the page asks for it", async () => {
    const { context, problems, visitor } = await site.visit({ person_profiles: "always" });

    await server.stored(1, `&distinct_id=${visitor}`);

    expect(await personsOf(server, visitor)).toMatchObject([
      { name: visitor, properties: { $initial_pathname: "/shop" } },
    ]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("keeps no cookie in cookieless mode, and is one visitor on two visits", async () => {
    for (const _visit of [1, 2]) {
      const { context, page, problems, visitor } = await site.visit({ cookieless_mode: "always" });
      expect(visitor).toBe("$posthog_cookieless");
      await page.waitForLoadState("networkidle");
      expect(await context.cookies()).toEqual([]);
      expect(problems).toEqual([]);
      await context.close();
    }

    const filter = { key: "$cookieless_mode", value: "true", operator: "exact", type: "event" };
    const query = `&properties=${encodeURIComponent(JSON.stringify([filter]))}`;
    await server.stored(2, query);
    const events = await server.events(query);
    const ids = new Set(events.map(({ distinct_id }) => distinct_id));
    expect([...ids]).toEqual([expect.stringMatching(/^cookieless_[\w-]{22}$/)]);
    for (const { properties } of events) {
      expect(properties).toMatchObject({
        $session_id: expect.any(String),
        $timezone: expect.any(String),
      });
      expect(properties).not.toHaveProperty("$raw_user_agent");
    }
    expect(await personsOf(server, String([...ids][0]))).toEqual([]);
  });

  test("sends remaining events by a beacon when the page closes", async () => {
    const { context, page, problems, visitor } = await site.visit({
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
    await page.goto(`${site.url}/bye`);

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
    const { context, page, problems, posts, visitor } = await site.visit({
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

  test("loads the parts that the page switches on, and sends what they see", async () => {
    const { context, page, problems, visitor } = await site.visit({
      capture_exceptions: true,
      capture_dead_clicks: true,
      capture_performance: true,
      tracing_headers: ["localhost"],
    });
    await page.waitForLoadState("networkidle");

    const fetching = page.waitForRequest(`${site.url}/away`);
    await page.evaluate(`fetch("/away")`);
    await page.evaluate(`setTimeout(() => { throw new Error("out of stock"); })`);

    const headers = (await fetching).headers();
    expect(headers["x-posthog-distinct-id"]).toBe(visitor);
    await server.stored(1, `&distinct_id=${visitor}&event=$exception`);
    const [exception] = await server.events(`&distinct_id=${visitor}&event=$exception`);
    expect(exception?.properties["$exception_list"]).toMatchObject([
      { type: "Error", value: "out of stock", mechanism: { handled: false } },
    ]);
    const wanted = [
      "dead-clicks-autocapture.js",
      "exception-autocapture.js",
      "tracing-headers.js",
      "web-vitals-with-attribution.js",
    ];
    const parts = async () => {
      const loaded = await page.evaluate(
        `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)`,
      );
      return (loaded as string[]).flatMap(
        (path) => /^\/static\/[\d.]+\/(.*)/.exec(path)?.[1] ?? [],
      );
    };
    while ((await parts()).length < wanted.length) await Bun.sleep(50);
    expect((await parts()).sort()).toEqual(wanted);
    expect(problems).toEqual(["exception: out of stock"]);
    await context.close();
  });

  test("reads why it is refused when its key is unknown", async () => {
    const { context, problems } = await site.visit({ key: "phc_unknown" });
    const refusals = [
      `POST ${server.url}/e/: 401`,
      `GET ${server.url}/array/phc_unknown/config.js: 404`,
    ];

    while (!refusals.every((one) => problems.includes(one))) await Bun.sleep(50);

    expect(problems.filter((problem) => problem.includes("CORS"))).toEqual([]);
    await context.close();
  });
});

const SDKS: BrowserSdk[] = [
  "posthog-js",
  "posthog-js-1.260",
  "posthog-js-1.130",
  "posthog-js-1.57",
];

describe.each(SDKS)("%s", (sdk) => {
  /** A visit whose page has the config that it asks for. */
  const visit = async () => {
    const visited = await site.visit({ sdk });
    await visited.page.waitForLoadState("networkidle");
    return visited;
  };
  const sent = async (distinctId: string) =>
    (await server.events(`&distinct_id=${distinctId}`)).map(({ event }) => event).sort();

  test("sends each event of an identified visitor once, with the right distinct id", async () => {
    const { context, page, problems, visitor } = await visit();
    const [user, alias] = [`user-${sdk}`, `alias-${sdk}`];

    await page.evaluate(`{
      posthog.capture("browsed", { shelf: 3 });
      posthog.register({ shop: "north" });
      posthog.identify("${user}", { email: "${user}@x.example" }, { plan: "free" });
      posthog.group("company", "acme", { size: 12 });
      posthog.capture("paid", { price: 9.5 });
      posthog.people.set({ tier: "gold" });
      posthog.alias("${alias}");
      posthog.reset();
      posthog.capture("returned");
    }`);
    const next = String(await page.evaluate("posthog.get_distinct_id()"));
    await server.stored(2, `&distinct_id=${visitor}`);
    await server.stored(1, `&distinct_id=${next}`);
    await server.stored(5, `&distinct_id=${user}`);

    expect(new Set([visitor, user, next]).size).toBe(3);
    expect(await sent(visitor)).toEqual(["$pageview", "browsed"]);
    const ofUser = ["$create_alias", "$groupidentify", "$identify", "paid"];
    // 1.57 posts what a person has to /engage/, without a name: that is an `$identify`.
    const setting = sdk === "posthog-js-1.57" ? "$identify" : "$set";
    expect(await sent(user)).toEqual([...ofUser, setting].sort());
    expect(await sent(next)).toEqual(["returned"]);

    const [paid] = await server.events(`&distinct_id=${user}&event=paid`);
    expect(paid?.properties).toMatchObject({ price: 9.5, shop: "north" });
    expect(paid?.properties["$groups"]).toEqual({ company: "acme" });
    const [returned] = await server.events(`&distinct_id=${next}`);
    expect(returned?.properties).not.toHaveProperty("shop");
    expect(returned?.properties).not.toHaveProperty("$groups");
    const [person] = await personsOf(server, user);
    expect(person?.properties).toMatchObject({
      email: `${user}@x.example`,
      plan: "free",
      tier: "gold",
    });
    await expectOnePerson(server, [visitor, user, alias]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("sends remaining events once when the page closes", async () => {
    const { context, page, problems, visitor } = await visit();

    await page.evaluate(`{
      posthog.capture("last words");
      posthog.capture("very last words");
    }`);
    await page.goto(`${site.url}/away`);

    await server.stored(1, `&distinct_id=${visitor}&event=very last words`);
    const names = (await sent(visitor)).filter((name) => !name.startsWith("$page"));
    expect(names).toEqual(["last words", "very last words"]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
