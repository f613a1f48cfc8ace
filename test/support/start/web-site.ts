import { join } from "node:path";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { launchChromium, problemsOf } from "./chromium.ts";
import { PROJECT_KEY, ROOT } from "./server.ts";

/** The SDKs that pages load as modules, by the name of the package in package.json. */
const MODULES = {
  "posthog-js": "dist/module.js",
  "posthog-js-1.260": "dist/module.js",
  "posthog-js-1.130": "dist/es.js",
  "posthog-js-1.57": "dist/es.js",
};

/** A posthog-js that pages load. */
export type BrowserSdk = keyof typeof MODULES;

/** Options of posthog-js on a page, without the address of the server. */
export type Init = { sdk?: BrowserSdk; key?: string } & Record<string, unknown>;

/** A new visitor on a page, what goes wrong there, and what the page posts to the server. */
export type Visit = { context: BrowserContext; page: Page; problems: string[]; posts: Request[] };

/** A site of another origin than the server's, and a browser to visit it with. */
export type Site = AsyncDisposable & {
  url: string;
  /** Opens a path of the site as a visitor who was never there. */
  open(path: string, script?: string): Promise<Visit>;
  /** Opens the shop, which loads posthog-js; `visitor` is the distinct id that it made. */
  visit(init?: Init): Promise<Visit & { visitor: string }>;
};

/**
 * A site at `localhost`, where the server is at `127.0.0.1`: another origin and another site.
 * `/shop` and `/bye` load posthog-js, `/away` loads nothing; `files` are served as well.
 */
export function openSite(api: string, files: Record<string, string> = {}): Site {
  const server = serve(api, files);
  const url = `http://localhost:${server.port}`;
  let browser: Promise<Browser> | undefined;
  const open: Site["open"] = async (path, script) => {
    browser ??= launchChromium();
    const context = await (await browser).newContext();
    const page = await context.newPage();
    const problems = problemsOf(page);
    const posts: Request[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posts.push(request);
    });
    if (script !== undefined) await page.addInitScript(script);
    await page.goto(url + path);
    return { context, page, problems, posts };
  };
  return {
    url,
    open,
    async visit({ sdk = "posthog-js", ...init } = {}) {
      const options = {
        key: PROJECT_KEY,
        // posthog-js sends nothing from a headless browser, unless this check is off.
        opt_out_useragent_filter: true,
        request_queue_config: { flush_interval_ms: 250 },
        ...init,
      };
      const script = `window.sdk = "/${sdk}.js"; window.init = ${JSON.stringify(options)};`;
      const visit = await open("/shop?cart=3", script);
      await visit.page.waitForFunction("window.posthog?.__loaded");
      const visitor = String(await visit.page.evaluate("posthog.get_distinct_id()"));
      return { ...visit, visitor };
    },
    async [Symbol.asyncDispose]() {
      await (await browser)?.close();
      await server.stop(true);
    },
  };
}

/** A page without any script. */
const AWAY = `<!doctype html><title>Away</title><link rel="icon" href="data:,">`;

function serve(api: string, files: Record<string, string>) {
  const shop = `<!doctype html>
<title>Shop</title>
<link rel="icon" href="data:,">
<script type="module">
const { key, ...options } = window.init;
const { default: posthog } = await import(window.sdk);
window.posthog = posthog;
posthog.init(key, { api_host: ${JSON.stringify(api)}, ...options });
</script>`;
  const file = (path: string, text: string) => {
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    return () => new Response(text, { headers: { "content-type": `${type}; charset=utf-8` } });
  };
  const scripts = Object.entries(MODULES).map(([name, file]) => [
    `/${name}.js`,
    new Response(Bun.file(join(ROOT, "node_modules", name, file))),
  ]);
  const shown = Object.entries({ "/shop": shop, "/bye": shop, "/away": AWAY, ...files });
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      ...Object.fromEntries(scripts),
      ...Object.fromEntries(shown.map(([path, text]) => [path, file(path, text)])),
    },
  });
}

/** A page `/lite` that loads posthog-js-lite, whose errors it collects. */
export async function litePage(api: string): Promise<Record<string, string>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, "node_modules/posthog-js-lite/dist/index.mjs")],
    target: "browser",
    format: "esm",
  });
  const page = `<!doctype html>
<title>Shop</title>
<link rel="icon" href="data:,">
<script type="module">
import { PostHog } from "/lite.js";
const options = { host: ${JSON.stringify(api)}, flushInterval: 250, fetchRetryDelay: 500 };
window.errors = [];
window.posthog = new PostHog("${PROJECT_KEY}", { ...options, fetchRetryCount: 100 });
posthog.on("error", (error) => errors.push(String(error)));
</script>`;
  return { "/lite.js": (await outputs[0]?.text()) ?? "", "/lite": page };
}
