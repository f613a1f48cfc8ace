import { expect, test } from "bun:test";
import { batch, event } from "../support/data/build-records.ts";
import { rounds } from "../support/start/rounds.ts";
import { PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

/** Queries that take all memory, each in its own way. */
const GREEDY = [
  "SELECT whole_properties FROM events ORDER BY length(properties) DESC LIMIT 10",
  "SELECT coalesce(whole_properties, properties) AS p, count(*) FROM events GROUP BY 1 ORDER BY 2 LIMIT 3",
  "SELECT a.properties || b.properties AS x, count(*) FROM events a JOIN events b ON a.event = b.event GROUP BY 1 LIMIT 3",
  "SELECT whole_properties, uuid FROM events ORDER BY whole_properties DESC, properties LIMIT 20",
  "SELECT max(length(whole_properties)) OVER (PARTITION BY distinct_id) AS m, properties FROM events ORDER BY m LIMIT 9",
  "SELECT distinct_id, min(whole_properties), max(properties) FROM events GROUP BY 1 LIMIT 10",
  "SELECT seq, min(whole_properties || properties) AS m FROM events GROUP BY 1 ORDER BY 2 LIMIT 10",
  "SELECT uuid, first(whole_properties) AS m, mode(properties) FROM events GROUP BY 1 ORDER BY 2 LIMIT 10",
  "SELECT DISTINCT whole_properties, properties FROM events ORDER BY 1 LIMIT 10",
  "SELECT upper(whole_properties) AS u, reverse(whole_properties) AS r FROM events ORDER BY u, r LIMIT 10",
];

const CLIENTS = 2;
const BATCHES = rounds(20, 40);

/** Events of each batch: two large ones, which differ in size, and some more. */
const SMALL = 50;
const LARGE = [200_000, 490_000, 990_000];

function eventsOf(at: number) {
  const large = [at, at + 1].map((turn) => {
    const text = Bun.randomUUIDv7().repeat((LARGE[turn % LARGE.length] ?? 0) / 36);
    return event({
      uuid: Bun.randomUUIDv7(),
      distinct_id: `large-${at % 9}`,
      properties: { text },
    });
  });
  const small = Array.from({ length: SMALL }, (_, n) => {
    const properties = { n, $set: { last: at } };
    return event({ uuid: Bun.randomUUIDv7(), distinct_id: `small-${n}`, properties });
  });
  return [...large, ...small];
}

async function ask(
  server: Server,
  query: string,
): Promise<{ status: number; results: unknown[][] }> {
  const answer = await fetch(`${server.url}/api/environments/1/query/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ query: { kind: "SQLQuery", query } }),
  });
  const { results = [] } = (await answer.json()) as { results?: unknown[][] };
  return { status: answer.status, results };
}

test("the server runs on and has every event once while queries take all memory", async () => {
  await using server = await startServer({ flags: ["--memory", "256", "--query-seconds", "5"] });
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let at = client * 5; !isOver; at += 1) {
      const { status } = await ask(server, GREEDY[at % GREEDY.length] ?? "");
      statuses.add(status);
    }
  });
  try {
    for (let at = 0; at < BATCHES; at += 1) {
      const events = eventsOf(at);
      expect((await server.capture(batch(...events))).status).toBe(200);
      acknowledged.push(...events.map(({ uuid }) => String(uuid)));
      await Bun.sleep(250);
    }
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  await server.stored(acknowledged.length);

  let { status, results } = await ask(server, "SELECT uuid FROM events LIMIT 5000");
  // On a busy machine it may take longer than it may.
  while (status !== 200)
    ({ status, results } = await ask(server, "SELECT uuid FROM events LIMIT 5000"));
  expect(results.flat().toSorted()).toEqual(acknowledged.toSorted());
  expect([...statuses].filter((status) => ![200, 400, 429, 503].includes(status))).toEqual([]);
  expect(await server.stop()).toBe(0);
});
