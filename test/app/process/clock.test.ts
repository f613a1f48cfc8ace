import { expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { testApp } from "../../support/start/app.ts";

const DAY_MS = 86_400_000;

test("a clock that jumps a day back and forth costs no event, doubles none and keeps the order", async () => {
  await using app = await testApp();
  const days = [0, -1, 1, -1, 0, 1, 0];
  const start = app.clock.now;
  const sent = days.map((_, n) => event({ properties: { $set: { n } } }));

  for (const [n, day] of days.entries()) {
    app.clock.now = start + day * DAY_MS;
    expect((await app.capture(batch(sent[n]))).status).toBe(200);
    await app.capture(batch(...sent.slice(0, n + 1)));
    const ready = await app.ask("GET", "/_readiness", { key: null });
    expect([ready.status, ready.body]).toEqual([200, { status: "ok", reasons: [] }]);
  }

  const events = (await app.get("/events/?limit=100")).body as { results: { uuid: string }[] };
  expect(events.results.map(({ uuid }) => uuid).sort()).toEqual(
    sent.map(({ uuid }) => String(uuid)).sort(),
  );
  const persons = (await app.get("/persons/")).body as { results: { properties: unknown }[] };
  expect(persons.results).toMatchObject([{ properties: { n: days.length - 1 } }]);
  expect((await app.ask("GET", "/metrics")).status).toBe(200);
});
