import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { batch, event } from "../../support/data/build-records.ts";
import { PERSONAL_KEY, startServer } from "../../support/start/server.ts";
import { sharedServer } from "../../support/start/shared-server.ts";

const server = sharedServer({ flags: ["--trusted-proxies", "127.0.0.1"] });

/** An address of Germany, whose parts are in no other value of these tests. */
const GERMAN = "80.187.111.222";

let sent = 0;

/** Sends events of one request from an address, and returns their countries as they are stored. */
async function countries(
  from: string,
  properties: Record<string, unknown>[],
  { to = server, envelope = {} } = {},
): Promise<unknown[]> {
  const events = properties.map((own) => event({ event: `from ${sent++}`, properties: own }));
  const response = await fetch(`${to.url}/batch/`, {
    method: "POST",
    headers: { "x-forwarded-for": from },
    body: JSON.stringify({ ...batch(...events), ...envelope }),
  });
  expect(response.status).toBe(200);
  return await Promise.all(
    events.map(async ({ event: name }) => {
      const query = `&event=${encodeURIComponent(String(name))}`;
      await to.stored(1, query);
      const [stored] = await to.events(query);
      const { $geoip_country_code: code, $geoip_country_name: country } = stored?.properties ?? {};
      return code === undefined ? country : `${code} ${country}`;
    }),
  );
}

describe("the country of an event", () => {
  test.each<[string, string | undefined]>([
    [GERMAN, "DE Germany"],
    [`10.9.9.9, ${GERMAN}, 127.0.0.1`, "DE Germany"],
    ["::ffff:1.1.1.1", "AU Australia"],
    ["[2a02:8109::5]:443", "DE Germany"],
    ["192.168.7.7", undefined],
    ["2001:db8::1", undefined],
    ["nonsense", undefined],
    ["", undefined],
  ])("is that of the client, which a trusted proxy names as %p", async (from, country) => {
    expect(await countries(from, [{}])).toEqual([country]);
  });

  test("is off for events that say so, and of `$ip` where an SDK sends it", async () => {
    const properties = [
      { $geoip_disable: true },
      { $ip: null },
      { $ip: "1.1.1.1" },
      { $geoip_country_code: "FR", $geoip_country_name: "France" },
    ];

    const expected = [undefined, undefined, "AU Australia", "FR France"];
    expect(await countries(GERMAN, properties)).toEqual(expected);
  });

  test("is known of large bodies, too", async () => {
    const large = "x".repeat(300_000);

    const found = await countries(GERMAN, [{ large }, { $ip: "1.1.1.1" }]);
    expect(found).toEqual(["DE Germany", "AU Australia"]);
  });

  test("is not that of the client that imports events", async () => {
    const envelope = { historical_migration: true };

    const found = await countries(GERMAN, [{}, { $ip: "1.1.1.1" }], { envelope });
    expect(found).toEqual([undefined, "AU Australia"]);
  });

  test("is absent without a trusted proxy, and with the setting off", async () => {
    await using plain = await startServer();
    expect(await countries(GERMAN, [{}], { to: plain })).toEqual([undefined]);

    const flags = ["--geoip", "off", "--trusted-proxies", "127.0.0.1"];
    await using off = await startServer({ flags });
    const found = await countries(GERMAN, [{}, { $ip: "1.1.1.1" }], { to: off });
    expect(found).toEqual([undefined, undefined]);
  });
});

describe("visitors by country", () => {
  test("are counted by a question, and the person has the latest and the first country", async () => {
    const visit = async (from: string, properties = {}) => {
      const response = await fetch(`${server.url}/i/v0/e/`, {
        method: "POST",
        headers: { "x-forwarded-for": from },
        body: JSON.stringify({
          ...event({ event: "visit", distinct_id: "traveller", properties }),
          api_key: batch().api_key,
        }),
      });
      expect(response.status).toBe(200);
    };
    await visit(GERMAN);
    await server.stored(1, "&event=visit");
    await visit("1.1.1.1", { $set: { plan: "pro" } });
    await server.stored(2, "&event=visit");

    const query = "unique users of visit by $geoip_country_code last 7 days";
    const path = "/api/environments/1/max_tools/create_and_query_insight/?format=txt";
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${PERSONAL_KEY}`,
        "content-type": "application/json",
        prefer: "return=representation",
      },
      body: JSON.stringify({ query }),
    });
    const answer = await response.text();
    expect(answer).toMatch(/\nAU +1 .*\nDE +1 /);
    const { results } = await server.get<{ results: { properties: unknown }[] }>(
      "/persons/?distinct_id=traveller",
    );
    expect(results[0]?.properties).toMatchObject({
      $geoip_country_code: "AU",
      $geoip_country_name: "Australia",
      $initial_geoip_country_code: "DE",
      $initial_geoip_country_name: "Germany",
      plan: "pro",
    });
  });

  test("leave no address in any file of the data directory", async () => {
    await countries(GERMAN, [{}]);

    const files = readdirSync(server.data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const holding = files.filter((file) => readFileSync(file).includes(GERMAN));
    expect(files.length).toBeGreaterThan(2);
    expect(holding).toEqual([]);
  });
});
