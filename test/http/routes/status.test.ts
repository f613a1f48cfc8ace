import { expect, test } from "bun:test";
import { unknownProjectKey } from "../../../src/core/access/key.ts";
import { Failure } from "../../../src/core/values/failure.ts";
import { refusalOf } from "../../../src/http/sdk/refusals.ts";
import { keyWith } from "../../support/answers/operations.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestProject, testApp } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";

type Status = {
  last_event_at: string | null;
  arrivals: { refused: Record<string, unknown>[] };
  advice: { code: string; text: string }[];
  server: { schedules: { kind: string; next_run_at: string; last_run_at: string | null }[] };
};

const statusOf = async (app: TestProject, key?: string) => {
  const { status, body } = await app.ask("GET", `/api/projects/${app.id}/status/`, {
    ...(key && { key }),
  });
  expect(status).toBe(200);
  return body as Status;
};

const codesIn = ({ advice }: Status) => advice.map(({ code }) => code);

test("a new project has no event, and says what cannot be seen", async () => {
  await using app = await testApp();
  const first = await statusOf(app);
  expect(first).toMatchObject({
    ...{ first_event_at: null, last_event_at: null, events_last_minute: 0, waiting: 0, lag_ms: 0 },
    arrivals: { minutes: 15, accepted: 0, dropped: 0, refused: [] },
    warnings: [],
    server: { ready: true, reasons: [], version: expect.stringMatching(/^\d/) },
  });
  expect(codesIn(first)).toEqual(["nothing_arrived"]);
  expect(first.server.schedules).toMatchObject([
    { kind: "weekly", next_run_at: "2026-11-22T05:00:00.000000Z", last_run_at: null },
    { kind: "nightly", last_run_at: null },
  ]);
});

test("the arrivals of the first and the last event are shown at once, and dropped ones with their warning", async () => {
  await using app = await testApp();
  await statusOf(app);
  await app.capture(batch(event({ timestamp: "2026-11-20T00:00:00Z" }), event({ event: "" })));

  const shown = await statusOf(app);
  expect(shown).toMatchObject({
    first_event_at: "2026-11-21T12:00:00.000000Z",
    last_event_at: "2026-11-21T12:00:00.000000Z",
    events_last_minute: 1,
    arrivals: { accepted: 1, dropped: 1 },
    warnings: [{ type: "missing_event_name", severity: "error", count: 1 }],
  });
  expect(codesIn(shown)).toEqual(["dropped"]);

  app.clock.now += 3_600_000;
  await app.capture(batch(event({ timestamp: "2026-10-01T00:00:00Z" })));
  while ((await statusOf(app)).last_event_at !== "2026-11-21T13:00:00.000000Z") await Bun.sleep(20);
  expect(await statusOf(app)).toMatchObject({ first_event_at: "2026-11-21T12:00:00.000000Z" });
  const second = await app.project();
  expect(await statusOf(second)).toMatchObject({ first_event_at: null });
});

test("refused requests show where they went, and nothing of their body", async () => {
  await using app = await testApp();
  const secret = "secret-of-the-body";
  const sent = { ...batch(event({ event: secret })), api_key: "phc_of_another_place_wxyz" };
  const headers = { origin: "https://shop.example", "user-agent": "posthog-node/5.1.0" };
  await app.ask("POST", "/batch/?ip=1&_=1", { body: sent, key: null, headers });
  await app.ask("POST", "/ingest/e/?secret=1", { body: sent, key: null, headers });
  await app.ask("POST", "/i/v1/analytics/events/", { body: sent, key: null });

  const shown = await statusOf(app);
  const [v1, lost, wrong] = shown.arrivals.refused;
  expect(wrong).toEqual({
    ...{ at: "2026-11-21T12:00:00.000000Z", count: 1, status: 401, code: "invalid_api_key" },
    ...{ method: "POST", path: "/batch/", sdk: "posthog-node/5.1.0" },
    ...{ origin: "https://shop.example", key_mask: "phc_...wxyz" },
  });
  expect(lost).toMatchObject({
    status: 404,
    code: "not_found",
    path: "/ingest/e/",
    key_mask: null,
  });
  expect(v1).toMatchObject({ status: 401, path: "/i/v1/analytics/events/", key_mask: null });
  expect(codesIn(shown)).toEqual(["wrong_key", "unknown_path"]);
  const text = JSON.stringify(shown);
  for (const hidden of [secret, "of_another_place", "secret=1"]) expect(text).not.toContain(hidden);
});

test("the configuration of posthog-js with a wrong key is a wrong key, not an unknown path", async () => {
  await using app = await testApp();
  const key = "phc_of_another_place_wxyz";
  await app.ask("GET", `/array/${key}/config.js`, { key: null });
  await app.ask("GET", `/array/${key}/config?ip=0`, { key: null });

  const shown = await statusOf(app);
  expect(shown.arrivals.refused[0]).toMatchObject({
    ...{ status: 404, path: "/array/:key/config", key_mask: "phc_...wxyz" },
  });
  expect(codesIn(shown)).toEqual(["wrong_key"]);
  expect(JSON.stringify(shown)).not.toContain(key);
});

test("refused requests have no project, so a key of some projects does not see them", async () => {
  await using app = await testApp();
  await app.ask("POST", "/batch/", { body: { ...batch(event()), api_key: "phc_else" }, key: null });

  expect((await statusOf(app)).arrivals.refused).toHaveLength(1);
  const confined = await statusOf(app, await keyWith(app, { scoped_teams: [1] }));
  expect(confined.arrivals.refused).toEqual([]);
  expect(codesIn(confined)).toEqual(["nothing_arrived"]);
});

test("a status is read while the stores lag, and says for how long", async () => {
  await using app = await testApp();
  await app.ask("POST", "/batch/", { body: batch(event()), key: null });
  await app.app.ingest.caughtUp();
  expect(await statusOf(app)).toMatchObject({ waiting: 0, lag_ms: 0 });
});

test.each<[string, string]>([
  ["phc_0123456789abcdef", "phc_...cdef"],
  ["phx_0123456789abcdef", "phx_...cdef"],
  ["something-long-enough", "...ough"],
  ["phc_short", "phc_..."],
  ["short", "..."],
])("the key %s is shown as %s", (key, mask) => {
  const refusal = refusalOf(new Request("http://x/e/"), unknownProjectKey(key));
  expect(refusal).toMatchObject({ status: 401, key_mask: mask });
});

test("long facts of a request are cut, and odd ones do not fail", () => {
  const request = new Request(`http://x/${"p".repeat(300)}?ver=1.2.3`, {
    headers: { origin: "o".repeat(300), "posthog-sdk-info": "s".repeat(300) },
  });
  const { path, origin, sdk } = refusalOf(request, new Failure("not_found", "no"));
  expect([path, origin, sdk].map((text) => text?.length)).toEqual([100, 100, 100]);
  const js = new Request("http://x/e/?ver=1.2.3", { headers: { "user-agent": "Mozilla/5.0" } });
  expect(refusalOf(js, new Failure("not_found", "no"))).toMatchObject({
    ...{ sdk: "posthog-js/1.2.3", origin: null },
  });
});

test.each([
  ["a script tag", { referer: "https://shop.example/cart?token=1" }, "https://shop.example"],
  [
    "a request of posthog-js",
    { origin: "https://www.shop.example:8443" },
    "https://www.shop.example:8443",
  ],
  ["a page without a name", { origin: "null" }, "a page"],
])("%s that asks for the configuration and sends nothing is named", async (_, headers, name) => {
  await using app = await testApp();
  await app.ask("GET", `/array/${PROJECT_KEY}/config.js`, { key: null, headers });

  const { advice } = await statusOf(app);
  expect(advice.map(({ code }) => code)).toEqual(["snippet_found"]);
  expect(advice[0]?.text).toStartWith(`posthog-js is on ${name} with the key of this project`);

  await app.capture(batch(event({ timestamp: "2026-11-20T00:00:00Z" })));
  expect(codesIn(await statusOf(app))).toEqual([]);
});
