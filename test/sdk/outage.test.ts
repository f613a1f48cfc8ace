import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PostHog } from "posthog-node";
import { PostHog as PostHog3 } from "posthog-node-3";
import { temporaryDirectory } from "../support/start/app.ts";
import { WAIT_MS_MAX } from "../support/start/patience.ts";
import { PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";
import {
  type BrowserSdk,
  litePage,
  openSite,
  type Site,
  type Visit,
} from "../support/start/web-site.ts";

/** All but 1.57, which names no event by a uuid: it cannot be known again (decision 10). */
const BROWSER_SDKS: BrowserSdk[] = ["posthog-js", "posthog-js-1.260", "posthog-js-1.130"];

/** Messages of a browser about a server that is absent or still starting. */
const OUTAGE = /net::ERR_|: 503$|status of 503/;

/** A program that captures with an SDK. */
type Sender = AsyncDisposable & {
  name: string;
  distinctId: string;
  capture(event: string): Promise<void>;
  /** Lets the next capture request reach the server, and loses the answer. */
  loseAnswer(): Promise<void>;
  /** Requests that came to no answer, and capture requests that were answered 200. */
  counts: { failed: number; answered: number };
  /** Everything else that went wrong. */
  problems(): Promise<unknown[]>;
};

const directory = temporaryDirectory();
let server: Server;
let site: Site;
let senders: Sender[];

/** A port that no system gives away by itself: the server must get it back after the outage. */
function freePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      void Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response() }).stop(true);
      return port;
    } catch {
      // It is taken.
    }
  }
}

/** Starts the server on its data, at a port. */
const serve = (port: number) => startServer({ data: directory.path, port });

beforeAll(async () => {
  server = await serve(freePort());
  site = openSite(server.url, await litePage(server.url));
  senders = [
    inNode("posthog-node", (options) => new PostHog(PROJECT_KEY, options)),
    inNode("posthog-node-3", (options) => new PostHog3(PROJECT_KEY, options)),
    await inLite(),
    ...(await Promise.all(BROWSER_SDKS.map(inBrowser))),
  ];
});

afterAll(async () => {
  for (const sender of senders ?? []) await sender[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

const isCapture = (url: string) => /^\/(e|i\/v0\/e|batch)\/$/.test(new URL(url).pathname);

type Options = ConstructorParameters<typeof PostHog>[1] & ConstructorParameters<typeof PostHog3>[1];

function inNode(name: string, start: (options: Options) => PostHog | PostHog3): Sender {
  const counts = { failed: 0, answered: 0 };
  const errors: unknown[] = [];
  let isLosing = false;
  const deliver = async (url: string, init: object) => {
    const answer = await fetch(url, init);
    if (isLosing && isCapture(url)) {
      isLosing = false;
      throw new TypeError("the answer is lost");
    }
    if (answer.status === 200 && isCapture(url)) counts.answered += 1;
    return answer;
  };
  const client = start({
    host: server.url,
    flushAt: 1,
    fetchRetryDelay: 500,
    fetchRetryCount: WAIT_MS_MAX / 500,
    fetch: (url: string, init: object) =>
      deliver(url, init).catch((error: unknown) => {
        counts.failed += 1;
        throw error;
      }),
  });
  client.on("error", (error: unknown) => errors.push(error));
  return {
    name,
    distinctId: name,
    counts,
    async capture(event) {
      client.capture({ distinctId: name, event });
    },
    async loseAnswer() {
      isLosing = true;
    },
    problems: async () => errors,
    async [Symbol.asyncDispose]() {
      await (client instanceof PostHog3 ? client.shutdownAsync() : client.shutdown());
    },
  };
}

async function inBrowser(sdk: BrowserSdk): Promise<Sender> {
  const isOld = sdk === "posthog-js-1.130";
  const visit = await site.visit({
    sdk,
    // 1.130 sends nothing of its queue a second time, only what goes out at once.
    request_batching: !isOld,
  });
  return onPage(sdk, visit, visit.visitor);
}

async function inLite(): Promise<Sender> {
  const visit = await site.open("/lite");
  await visit.page.waitForFunction("window.posthog");
  const distinctId = String(await visit.page.evaluate("posthog.getDistinctId()"));
  return onPage("posthog-js-lite", visit, distinctId);
}

async function onPage(name: string, visit: Visit, distinctId: string): Promise<Sender> {
  const { context, page, problems } = visit;
  const counts = { failed: 0, answered: 0 };
  page.on("requestfailed", () => {
    counts.failed += 1;
  });
  page.on("response", (response) => {
    if (response.status() === 200 && isCapture(response.url())) counts.answered += 1;
  });
  await page.waitForLoadState("networkidle");
  return {
    name,
    distinctId,
    counts,
    capture: (event) => page.evaluate(`void posthog.capture(${JSON.stringify(event)})`),
    async loseAnswer() {
      await page.route(
        ({ href }) => isCapture(href),
        async (route) => {
          await route.fetch();
          await route.abort("connectionreset");
        },
        { times: 1 },
      );
    },
    async problems() {
      const errors = (await page.evaluate("window.errors ?? []")) as unknown[];
      return [...problems.filter((problem) => !OUTAGE.test(problem)), ...errors];
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`it never came to this: ${what}`);
    await Bun.sleep(50);
  }
}

/** The names of a sender's own events, in alphabetical order. */
async function captured({ distinctId }: Sender): Promise<string[]> {
  const events = await server.events(`&distinct_id=${distinctId}`);
  return events.flatMap(({ event }) => (event.startsWith("$") ? [] : event)).sort();
}

/** Waits until each sender has `count` events, and all that were sent before are stored. */
async function settled(count: number): Promise<void> {
  for (const sender of senders) {
    await until(
      async () => (await captured(sender)).length >= count,
      `${count} events of ${sender.name}`,
    );
  }
  const event = `settled at ${count}`;
  await server.capture({ api_key: PROJECT_KEY, event, distinct_id: "marker" });
  await server.stored(1, `&event=${event}`);
}

const everySender = (act: (sender: Sender) => unknown) => Promise.all(senders.map(act));

/** Checks what each sender's own events are, and that nothing but answers was missing. */
async function expectCaptured(events: string[]): Promise<void> {
  for (const sender of senders) {
    const { name } = sender;
    expect({ name, events: await captured(sender) }).toEqual({ name, events });
    expect({ name, problems: await sender.problems() }).toEqual({ name, problems: [] });
  }
}

describe("every SDK", () => {
  const outage = ["after", "before", "during 1", "during 2", "racing"];

  test("loses nothing and doubles nothing when the server is killed and comes back", async () => {
    await everySender((sender) => sender.capture("before"));
    await settled(1);
    const failures = senders.map(({ counts }) => counts.failed);

    await everySender((sender) => sender.capture("racing"));
    server.signal("SIGKILL");
    await server.exited;
    await everySender((sender) => sender.capture("during 1"));
    await everySender((sender) => sender.capture("during 2"));
    await until(
      () => senders.every(({ counts }, at) => counts.failed > (failures[at] ?? 0)),
      "every SDK has found no server",
    );
    server = await serve(Number(new URL(server.url).port));
    await everySender((sender) => sender.capture("after"));

    await settled(outage.length);
    await expectCaptured(outage);
  });

  test("has an event stored once when the answer got lost and it sends it again", async () => {
    const counted = senders.map(({ counts }) => ({ ...counts }));
    await everySender((sender) => sender.loseAnswer());

    await everySender((sender) => sender.capture("sent twice"));
    await until(
      () =>
        senders.every(({ counts }, at) => {
          const { failed = 0, answered = 0 } = counted[at] ?? {};
          return counts.failed > failed && counts.answered > answered;
        }),
      "every SDK has sent the event again",
    );

    await settled(outage.length + 1);
    await expectCaptured([...outage, "sent twice"].sort());
  });
});
