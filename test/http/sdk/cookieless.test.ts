import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { batch, event } from "../../support/data/build-records.ts";
import { PERSONAL_KEY, type Server, startServer } from "../../support/start/server.ts";

const FLAGS = ["--trusted-proxies", "127.0.0.1"];

/** Addresses and browsers whose parts are in no other value of this test. */
const VISITORS = [
  ["80.187.111.222", "Firefox/140.77"],
  ["80.187.111.222", "Safari/619.77"],
  ["1.77.253.254", "Firefox/140.77"],
] as const;

/** Names under which SDKs send the address and the browser. */
const tellingOf = (agent: string) => ({
  ...{ $initial_ip: "80.187.111.9", $user_agent: agent, $initial_user_agent: agent },
  ...{ $raw_user_agent: agent, $initial_raw_user_agent: agent },
});

const page = (agent: string, uuid: string = Bun.randomUUIDv7()) =>
  event({
    ...{ event: "$pageview", distinct_id: "$posthog_cookieless", uuid },
    timestamp: new Date().toISOString(),
    properties: {
      ...{ $cookieless_mode: true, $process_person_profile: false, $timezone: "UTC" },
      ...{ $device_id: null, $session_id: null, $host: "shop.example", ...tellingOf(agent) },
      $set: { $ip: "80.187.111.9", ...tellingOf(agent) },
      $set_once: { $ip: "80.187.111.9", ...tellingOf(agent) },
    },
  });

async function visit(server: Server, address: string, sent: object): Promise<void> {
  const response = await fetch(`${server.url}/e/`, {
    method: "POST",
    headers: { "x-forwarded-for": address, "user-agent": "a browser" },
    body: JSON.stringify(batch(sent)),
  });
  expect(response.status).toBe(200);
}

async function ask(server: Server, query: object): Promise<unknown> {
  const response = await fetch(`${server.url}/api/environments/1/query/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { results } = (await response.json()) as { results: { data?: number[] }[] };
  return results;
}

/** All bytes of the files below a directory, as Latin-1. */
function bytesBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("engine"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size > 0)
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

test("visitors without cookies are counted apart, also by a server that was killed, and no address is kept", async () => {
  await using first = await startServer({ flags: FLAGS });
  for (const [address, agent] of VISITORS) await visit(first, address, page(agent));
  const resent = page(VISITORS[0][1]);
  await visit(first, VISITORS[0][0], resent);
  await first.stored(4);
  first.signal("SIGKILL");
  await first.exited;

  await using second = await startServer({ flags: FLAGS, data: first.data });
  await visit(second, VISITORS[0][0], resent);
  for (const [address, agent] of VISITORS) await visit(second, address, page(agent));
  await second.stored(7);

  const events = await second.events();
  expect(events).toHaveLength(7);
  expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(3);
  expect(new Set(events.map(({ properties }) => properties["$session_id"])).size).toBe(3);
  expect(await second.get("/persons/")).toMatchObject({ results: [] });
  expect(await second.get("/ingestion_warnings/")).toMatchObject({ results: [] });

  const series = [{ kind: "EventsNode", event: "$pageview", math: "dau" }];
  const trend = { kind: "TrendsQuery", series, trendsFilter: { display: "BoldNumber" } };
  expect(await ask(second, trend)).toMatchObject([{ aggregated_value: 3 }]);
  const sql = "SELECT count(DISTINCT person_id), count(DISTINCT distinct_id), count() FROM events";
  expect(await ask(second, { kind: "HogQLQuery", query: sql })).toEqual([[3, 3, 7]]);

  await second.stop();
  const kept = bytesBelow(first.data) + first.output().out + second.output().out;
  expect(kept).toContain("$pageview");
  for (const secret of ["80.187.111", "1.77.253", "140.77", "619.77"]) {
    expect(kept).not.toContain(secret);
  }
});
