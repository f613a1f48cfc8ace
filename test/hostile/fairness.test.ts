import { expect, test } from "bun:test";
import { batch, event } from "../support/data/build-records.ts";
import { PERSONAL_KEY, startServer } from "../support/start/server.ts";

/** A query that takes far longer than it may, and works on rows that are already read. */
const ENDLESS = `SELECT max(a.seq + b.seq + c.seq + d.seq + e.seq)
  FROM events a, events b, events c, events d, events e`;

/** Statements that run at once: the next is refused. */
const AT_ONCE = 2;

test("while statements of others take all the time there is, events are stored and questions answered", async () => {
  await using server = await startServer({ flags: ["--query-seconds", "120"] });
  const seen = (distinct_id: string) =>
    event({ event: "seen", distinct_id, properties: { $set: { plan: "pro" } } });
  await server.capture(batch(...Array.from({ length: 300 }, (_, at) => seen(`person-${at}`))));
  await server.stored(300);
  const ask = (path: string, body: object, signal: AbortSignal | null = null) =>
    fetch(`${server.url}/api/environments/1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${PERSONAL_KEY}`,
        "content-type": "application/json",
        prefer: "return=representation",
      },
      body: JSON.stringify(body),
      signal,
    });
  const leaving = new AbortController();
  const query = { kind: "SQLQuery", query: ENDLESS };
  let ended = 0;
  const endless = Array.from({ length: AT_ONCE }, () =>
    ask("/query/", { query }, leaving.signal).then(
      () => {
        ended += 1;
      },
      () => undefined,
    ),
  );
  const refused = async () =>
    (await ask("/query/", { query: { ...query, query: "SELECT 1" } })).status;
  while ((await refused()) !== 429) await Bun.sleep(20);

  await server.capture(batch(seen("late")));
  await server.stored(301);
  const insight = await ask("/max_tools/create_and_query_insight/", { query: "count of seen" });
  expect(await insight.json()).toMatchObject({ results: [{ aggregated_value: 301 }] });
  const filter = encodeURIComponent(JSON.stringify([{ key: "plan", value: "pro" }]));
  expect(await server.get(`/persons/?properties=${filter}`)).toMatchObject({ count: 301 });
  const logs = await ask("/logs/query/", { query: {} });
  expect(logs.status).toBe(200);

  expect(ended).toBe(0);
  leaving.abort();
  await Promise.all(endless);
});
