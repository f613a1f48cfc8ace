import { describe, expect, test } from "bun:test";
import { PostHog, type PostHogOptions } from "posthog-node";
import { PostHog as PostHog3 } from "posthog-node-3";
import { expectOnePerson, personsOf } from "../support/data/persons.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();

/** A client with what it reports on its `error` event and the encodings it sends with. */
function startClient(options: PostHogOptions = {}) {
  const errors: unknown[] = [];
  const encodings: (string | undefined)[] = [];
  const client = new PostHog(PROJECT_KEY, {
    host: server.url,
    ...options,
    async fetch(url, init) {
      encodings.push(init.headers["Content-Encoding"]);
      return fetch(url, init as RequestInit);
    },
  });
  client.on("error", (error: unknown) => errors.push(error));
  return { client, errors, encodings };
}

describe("posthog-node", () => {
  test.each([
    ["gzipped", {}, "gzip"],
    ["plain", { disableCompression: true }, undefined],
  ])("delivers an event, %s, as it was captured", async (form, options, encoding) => {
    const { client, errors, encodings } = startClient(options);
    const properties = { plan: "pro", seats: 3, nested: { list: [1, null, "é🦔"] } };
    const happened = new Date("2026-02-03T04:05:06.789Z");
    const distinctId = `buyer-${form}`;

    client.capture({ distinctId, event: "order paid", properties, timestamp: happened });
    await client.shutdown();

    await server.stored(1, `&distinct_id=${distinctId}`);
    const events = await server.events(`&distinct_id=${distinctId}`);
    expect(events).toMatchObject([{ event: "order paid", properties }]);
    expect(events[0]?.properties).toMatchObject({ $lib: "posthog-node" });
    // The client's clock is the server's, so that only the way between them is added.
    const late = Date.parse(events[0]?.timestamp ?? "") - happened.getTime();
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(10_000);
    expect([encodings, errors]).toEqual([[encoding], []]);
  });

  test("makes a person with $set and $set_once, and keeps the first value of $set_once", async () => {
    const { client, errors } = startClient();
    const identify = (email: string, $set_once: Record<string, string>) =>
      client.identify({ distinctId: "ada", properties: { $set: { email }, $set_once } });

    identify("ada@old.example", { first_seen: "monday" });
    identify("ada@new.example", { first_seen: "friday", source: "mail" });
    await client.shutdown();

    await server.stored(2, "&distinct_id=ada");
    const [person, ...others] = await personsOf(server, "ada");
    expect(others).toEqual([]);
    expect(person).toMatchObject({
      name: "ada@new.example",
      distinct_ids: ["ada"],
      properties: { email: "ada@new.example", first_seen: "monday", source: "mail" },
    });
    const own = await server.events(`&person_id=${person?.uuid}`);
    expect(own.map(({ event }) => event)).toEqual(["$identify", "$identify"]);
    await expectOnePerson(server, ["ada"]);
    expect(errors).toEqual([]);
  });

  test("removes what it unsets", async () => {
    const { client, errors } = startClient();

    client.identify({ distinctId: "bob", properties: { $set: { color: "red", size: 5 } } });
    client.capture({ distinctId: "bob", event: "$set", properties: { $unset: ["color"] } });
    await client.shutdown();

    await server.stored(2, "&distinct_id=bob");
    const [person] = await personsOf(server, "bob");
    expect(person?.properties).toMatchObject({ size: 5 });
    expect(person?.properties).not.toHaveProperty("color");
    expect(errors).toEqual([]);
  });

  test("delivers aliases and groups, and a group is no person", async () => {
    const { client, errors } = startClient();

    client.alias({ distinctId: "carol", alias: "carol-old" });
    client.groupIdentify({ groupType: "company", groupKey: "acme", properties: { size: 12 } });
    client.capture({ distinctId: "carol", event: "joined", groups: { company: "acme" } });
    await client.shutdown();

    await server.stored(2, "&distinct_id=carol");
    await server.stored(1, "&distinct_id=$company_acme");
    const events = [
      ...(await server.events("&distinct_id=$company_acme")),
      ...(await server.events("&distinct_id=carol")),
    ];
    expect(events).toHaveLength(3);
    expect(
      Object.fromEntries(events.map(({ event, properties }) => [event, properties])),
    ).toMatchObject({
      $groupidentify: { $group_type: "company", $group_key: "acme", $group_set: { size: 12 } },
      joined: { $groups: { company: "acme" } },
      $create_alias: { alias: "carol-old" },
    });
    expect(await personsOf(server, "$company_acme")).toEqual([]);
    await expectOnePerson(server, ["carol", "carol-old"]);
    expect(errors).toEqual([]);
  });

  test("makes no person for an event that asks for none", async () => {
    const { client, errors } = startClient();

    const properties = { $process_person_profile: false, $set: { email: "x@y.example" } };
    client.capture({ distinctId: "visitor", event: "seen", properties });
    await client.shutdown();

    await server.stored(1, "&distinct_id=visitor");
    expect(await personsOf(server, "visitor")).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("delivers queued events at shutdown, and immediate ones at once", async () => {
    const { client, errors, encodings } = startClient({ flushAt: 100, flushInterval: 600_000 });

    await client.captureImmediate({ distinctId: "dora", event: "at once" });
    await server.stored(1, "&distinct_id=dora");
    for (let at = 0; at < 250; at++) client.capture({ distinctId: "dora", event: `step ${at}` });
    await client.shutdown();

    await server.stored(251, "&distinct_id=dora");
    const names = (await server.events("&distinct_id=dora")).map(({ event }) => event);
    expect(new Set(names).size).toBe(251);
    expect(names).toHaveLength(251);
    expect(encodings.length).toBeGreaterThanOrEqual(4);
    expect(errors).toEqual([]);
  });
});

/** How each version is started and stopped. */
const VERSIONS = {
  "posthog-node": {
    client: (options: object) => new PostHog(PROJECT_KEY, { host: server.url, ...options }),
    stop: (client: PostHog | PostHog3) => (client as PostHog).shutdown(),
  },
  "posthog-node-3": {
    client: (options: object) => new PostHog3(PROJECT_KEY, { host: server.url, ...options }),
    stop: (client: PostHog | PostHog3) => (client as PostHog3).shutdownAsync(),
  },
};

describe.each(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[])("%s", (name) => {
  const start = (options: object = {}) => {
    const errors: unknown[] = [];
    const client = VERSIONS[name].client(options);
    client.on("error", (error: unknown) => errors.push(error));
    return { client, errors, stop: () => VERSIONS[name].stop(client) };
  };

  test("delivers each kind of event once, with the right distinct id", async () => {
    const { client, errors, stop } = start();
    const [user, anonymous, alias] = [`user-${name}`, `anonymous-${name}`, `alias-${name}`];
    const acme = `acme-${name}`;

    client.capture({ distinctId: anonymous, event: "browsed", properties: { shelf: 3 } });
    client.identify({ distinctId: user, properties: { email: `${user}@x.example` } });
    client.capture({
      distinctId: user,
      event: "$identify",
      properties: { $anon_distinct_id: anonymous, $set_once: { plan: "free" } },
    });
    client.alias({ distinctId: user, alias });
    client.groupIdentify({ groupType: "company", groupKey: acme, properties: { size: 12 } });
    client.capture({ distinctId: user, event: "paid", groups: { company: acme } });
    await stop();

    await server.stored(1, `&distinct_id=${anonymous}`);
    await server.stored(4, `&distinct_id=${user}`);
    await server.stored(1, `&distinct_id=$company_${acme}`);
    const namesOf = async (distinctId: string) =>
      (await server.events(`&distinct_id=${distinctId}`)).map(({ event }) => event).sort();
    expect(await namesOf(anonymous)).toEqual(["browsed"]);
    expect(await namesOf(user)).toEqual(["$create_alias", "$identify", "$identify", "paid"]);
    expect(await namesOf(`$company_${acme}`)).toEqual(["$groupidentify"]);
    const [paid] = await server.events(`&distinct_id=${user}&event=paid`);
    expect(paid?.properties["$groups"]).toEqual({ company: acme });
    const [person] = await personsOf(server, user);
    expect(person?.properties).toMatchObject({ email: `${user}@x.example`, plan: "free" });
    expect(await personsOf(server, `$company_${acme}`)).toEqual([]);
    await expectOnePerson(server, [anonymous, user, alias]);
    expect(errors).toEqual([]);
  });

  test("learns that there are no flags, from the server and when it evaluates them itself", async () => {
    const remote = start();
    const local = start({ personalApiKey: "phx_unknown" });

    const flags = await remote.client.getAllFlags("ada");
    await local.client.reloadFeatureFlags();
    const evaluated = await local.client.getAllFlags("ada");
    await Promise.all([remote.stop(), local.stop()]);

    expect([flags, evaluated]).toEqual([{}, {}]);
    expect([remote.errors, local.errors]).toEqual([[], []]);
  });
});
