import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { batch, event } from "../support/data/build-records.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedApp } from "../support/start/shared-app.ts";

const newProject = sharedApp();

const one = JSON.stringify(batch(event({ uuid: "019aa6ec-4c00-7000-8000-000000000001" })));
const ORIGIN = { origin: "https://shop.example" };

/** Paths that SDKs post to are found at once with the slash that they end in, and by the router without it. */
test.each<[string, string, string | Uint8Array, Record<string, string>]>([
  ["events", "/batch", one, {}],
  ["a web page's events", "/e", one, ORIGIN],
  ["compressed events", "/i/v0/e", gzipSync(one), { "content-encoding": "gzip" }],
  ["an event without a name", "/capture", JSON.stringify(batch(event({ event: "" }))), ORIGIN],
  ["a body that is no JSON", "/track", "{nonsense", ORIGIN],
  ["an empty body", "/engage", "", {}],
  ["no key", "/batch", "[]", {}],
  ["a broken percent-encoding", "/batch", one, {}],
  ["a v1 request without headers", "/i/v1/analytics/events", one, ORIGIN],
  ["a lookup of flags", "/flags", "{}", ORIGIN],
])("%s is answered alike on both ways to a route", async (what, path, body, headers) => {
  const project = await newProject();
  const query = what === "a broken percent-encoding" ? "?token=%ff" : `?token=${PROJECT_KEY}`;
  const answers = [];
  for (const way of [`${path}/`, path]) {
    const sent = { body, key: null, headers: { "user-agent": "test", ...headers } };
    const { status, headers: answered, text } = await project.ask("POST", way + query, sent);
    const facts = [...answered].filter(([name]) => name !== "x-request-id");
    answers.push({ status, facts, text: text.replace(/"requestId":"[^"]*"/, "") });
    expect(answered.get("x-request-id")).toMatch(/^\w+-\w+$/);
  }
  expect(answers[0]).toEqual(answers[1]);
});
