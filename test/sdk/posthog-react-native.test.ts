import { afterAll, beforeAll, expect, mock, test } from "bun:test";
import { join } from "node:path";
import { storedLogs } from "../support/data/logs.ts";
import { expectOnePerson } from "../support/data/persons.ts";
import { settled } from "../support/disk/project-contents.ts";
import { PROJECT_KEY, ROOT, type Server, startServer } from "../support/start/server.ts";

/** What the test calls of the SDK; its own types need those of React Native. */
type Client = {
  on(name: "error", listener: (error: unknown) => void): void;
  ready(): Promise<void>;
  getDistinctId(): string;
  screen(name: string, properties?: object): Promise<void>;
  identify(distinctId: string, properties: object): void;
  group(type: string, key: string, properties: object): void;
  capture(event: string, properties?: object): void;
  captureException(error: Error): void;
  captureLog(record: { body: string; level: string; attributes: object }): void;
  reset(): void;
  reloadFeatureFlagsAsync(): Promise<unknown>;
  shutdown(): Promise<void>;
};

let server: Server;
const complaints: unknown[] = [];
const { warn, error } = console;

beforeAll(async () => {
  server = await startServer();
  console.warn = console.error = (...words: unknown[]) => complaints.push(words);
});

afterAll(async () => {
  Object.assign(console, { warn, error });
  await server?.[Symbol.asyncDispose]();
});

/** Starts the SDK as an app on a phone does, on this part of React Native. */
async function startClient(): Promise<Client> {
  await mock.module("react-native", () => ({
    Platform: { OS: "ios", Version: "19.1" },
    AppState: { currentState: "active", addEventListener: () => ({ remove() {} }) },
    Dimensions: { get: () => ({ width: 402, height: 874 }) },
    Linking: { getInitialURL: async () => null },
  }));
  const path = join(ROOT, "node_modules/posthog-react-native/dist/posthog-rn.js");
  const { PostHog } = (await import(path)) as { PostHog: new (...args: unknown[]) => Client };
  const files = new Map<string, string>();
  const client = new PostHog(PROJECT_KEY, {
    host: server.url,
    captureAppLifecycleEvents: true,
    customAppProperties: { $app_build: "140", $app_version: "1.4.0" },
    customStorage: {
      getItem: (name: string) => files.get(name) ?? null,
      setItem: (name: string, text: string) => files.set(name, text),
    },
  });
  client.on("error", (problem) => complaints.push(problem));
  return client;
}

test("posthog-react-native sends each event and log record once, without a complaint", async () => {
  const client = await startClient();
  await client.ready();
  const visitor = client.getDistinctId();
  await client.screen("Basket", { items: 3 });
  client.identify("rn", { email: "rn@x.example" });
  client.group("company", "acme", { size: 12 });
  client.captureException(new TypeError("bad seat count"));
  client.captureLog({ body: "basket failed", level: "error", attributes: { items: 3 } });
  client.capture("paid", { price: 9.5 });
  expect(await client.reloadFeatureFlagsAsync()).toEqual({});
  client.reset();
  const next = client.getDistinctId();
  client.capture("returned");
  await client.shutdown();
  await settled(server);

  const namesOf = async (distinctId: string) =>
    (await server.events(`&distinct_id=${distinctId}`)).map(({ event }) => event).sort();
  const started = ["Application Installed", "Application Opened"];
  expect(await namesOf(visitor)).toEqual(["$screen", ...started]);
  expect(await namesOf("rn")).toEqual(["$exception", "$groupidentify", "$identify", "paid"]);
  expect(await namesOf(next)).toEqual(["returned"]);
  const [paid] = await server.events("&distinct_id=rn&event=paid");
  expect(paid?.properties).toMatchObject({
    $lib: "posthog-react-native",
    $app_version: "1.4.0",
    $groups: { company: "acme" },
    price: 9.5,
  });
  const [exception] = await server.events("&distinct_id=rn&event=$exception");
  expect(exception?.properties["$exception_list"]).toMatchObject([
    { type: "TypeError", value: "bad seat count" },
  ]);
  const person = await expectOnePerson(server, [visitor, "rn"]);
  expect(person.properties).toMatchObject({ email: "rn@x.example" });
  expect(complaints).toEqual([]);

  expect(await server.stop()).toBe(0);
  expect(await storedLogs(server.data)).toMatchObject([
    { body: "basket failed", level: "error", attributes: { items: 3, posthogDistinctId: "rn" } },
  ]);
});
