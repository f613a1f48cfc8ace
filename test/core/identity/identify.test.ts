import { describe, expect, test } from "bun:test";
import { type Person, personUuid } from "../../../src/core/identity/person.ts";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

type List<T> = { count: number; results: T[] };

/** The person of a distinct id, as the API shows it. */
async function personOf(app: TestProject, id: string): Promise<Person | undefined> {
  const { body } = await app.get(`/persons/?distinct_id=${encodeURIComponent(id)}`);
  return (body as List<Person>).results[0];
}

async function persons(app: TestProject): Promise<Person[]> {
  return ((await app.get("/persons/?limit=1000")).body as List<Person>).results;
}

/** Names of the events that a person owns now, oldest first. */
async function eventsOf(app: TestProject, person: Person | undefined): Promise<string[]> {
  const { body } = await app.get(`/events/?limit=1000&person_id=${person?.uuid}`);
  return (body as List<{ event: string }>).results.map((row) => row.event).reverse();
}

let minute = 0;

/** An event of a distinct id, a minute after the one made before it. */
function of(distinct_id: string, name: string, properties: object = {}) {
  minute += 1;
  const timestamp = new Date(Date.UTC(2026, 10, 1, 0, minute)).toISOString();
  return { ...event({ distinct_id, event: name, properties }), timestamp };
}

const alias = (distinct_id: string, to: unknown) => of(distinct_id, "$create_alias", { alias: to });

/** Events sent one by one and all at once have the same effect: batches must not matter. */
const WAYS = [
  ["one after the other", false],
  ["in one batch", true],
] as const;

async function send(app: TestProject, together: boolean, ...events: unknown[]): Promise<void> {
  if (together) await app.capture(batch(...events));
  else for (const one of events) await app.capture(batch(one));
}

/** Sends an event to a path, with the fields and headers of the newer protocol. */
async function post(app: TestProject, path: string, one: object): Promise<void> {
  const { status } = await app.ask("POST", path, {
    key: app.token,
    body: { ...batch(one), created_at: "2026-11-21T12:00:00Z" },
    headers: {
      "content-type": "application/json",
      "user-agent": "test/1",
      "posthog-sdk-info": "posthog-test/1.2.3",
      "posthog-attempt": "1",
      "posthog-request-id": "01a1fc95-120f-7ee5-8897-fbda3b3b14f6",
      "posthog-request-timestamp": "2026-11-21T12:00:00Z",
    },
  });
  expect(status).toBe(200);
  await app.app.ingest.caughtUp();
}

describe.each(WAYS)("$create_alias, %s (contract 6)", (_way, together) => {
  test("merges the distinct id's person into the alias's, whose id, uuid and values stay", async () => {
    const app = await newProject();
    await app.capture(batch(of("anon", "early", { $set: { plan: "free", ref: "ad" } })));
    await app.capture(batch(of("user", "signed up", { $set: { plan: "pro" } })));
    const [anon, user] = [await personOf(app, "anon"), await personOf(app, "user")];

    await send(app, together, alias("anon", "user"), of("anon", "late"), of("user", "later"));

    const one = await personOf(app, "anon");
    expect(await persons(app)).toEqual([one as Person]);
    expect(one).toMatchObject({
      id: user?.id,
      uuid: user?.uuid,
      distinct_ids: ["user", "anon"],
      properties: { plan: "pro", ref: "ad" },
      created_at: anon?.created_at,
    });
    const all = ["early", "signed up", "$create_alias", "late", "later"];
    expect(await eventsOf(app, one)).toEqual(all);
    expect(await eventsOf(app, anon)).toEqual([]);
    expect((await app.get(`/persons/${anon?.id}/`)).status).toBe(404);
  });

  test("makes the alias the main id, also if it had no person", async () => {
    const app = await newProject();
    await app.capture(batch(of("anon", "early", { $set: { a: 1 } })));
    const before = await personOf(app, "anon");

    await send(app, together, alias("anon", "user"), of("user", "late"));

    const one = await personOf(app, "user");
    expect(one).toMatchObject({ uuid: before?.uuid, distinct_ids: ["user", "anon"] });
    expect(await eventsOf(app, one)).toEqual(["early", "$create_alias", "late"]);
  });

  test("makes one person of two ids without a person", async () => {
    const app = await newProject();
    await send(app, together, alias("anon", "user"), of("anon", "late"));

    const [one, ...others] = await persons(app);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ uuid: personUuid(app.id, "user"), distinct_ids: ["user", "anon"] });
    expect(await eventsOf(app, one)).toEqual(["$create_alias", "late"]);
  });

  test("is refused only if both persons are identified, and the event is stored", async () => {
    const app = await newProject();
    const identify = (id: string) => of(id, "$identify", { $anon_distinct_id: `${id}-device` });
    await app.capture(batch(identify("ann"), identify("bob"), of("cat", "seen")));

    await send(app, together, alias("ann", "bob"), alias("bob", "cat"));

    expect((await personOf(app, "ann"))?.distinct_ids).not.toContain("bob");
    const merged = await personOf(app, "cat");
    expect(merged?.distinct_ids).toEqual(["cat", "bob", "bob-device"]);
    expect(await eventsOf(app, await personOf(app, "ann"))).toContain("$create_alias");
  });
});

describe.each(WAYS)("$identify, %s (contract 6)", (_way, together) => {
  test("updates properties, and without $anon_distinct_id merges no person", async () => {
    const app = await newProject();
    const sent = [of("anon", "seen"), of("user", "$identify", { $set: { email: "a@b.c" } })];
    await send(app, together, ...sent);

    expect(await personOf(app, "user")).toMatchObject({ properties: { email: "a@b.c" } });
    expect(await persons(app)).toHaveLength(2);
  });

  test("gives the user the earlier anonymous events, and late ones", async () => {
    const app = await newProject();
    const anonymous = { $process_person_profile: false };
    await app.capture(batch(of("device", "first", anonymous), of("device", "second", anonymous)));
    expect(await persons(app)).toEqual([]);

    await send(
      app,
      together,
      of("user", "$identify", { $anon_distinct_id: "device", $set: { email: "a@b.c" } }),
      of("device", "queued", { ...anonymous, $set: { email: "nobody" } }),
      of("user", "third"),
    );

    const [user, ...others] = await persons(app);
    expect(others).toEqual([]);
    expect(user).toMatchObject({
      uuid: personUuid(app.id, "user"),
      distinct_ids: ["user", "device"],
      properties: { email: "a@b.c" },
    });
    expect(await eventsOf(app, user)).toEqual(["first", "second", "$identify", "queued", "third"]);
  });

  test("reports what an anonymous event asks for and does not get", async () => {
    const app = await newProject();
    const anonymous = (name: string, properties: object) =>
      of("device", name, { $process_person_profile: false, ...properties });
    const asking = [
      anonymous("set", { $set: { a: 1 } }),
      anonymous("once", { $set_once: { a: 1 } }),
      anonymous("unset", { $unset: ["a"] }),
      anonymous("groups", { $groups: { company: "acme" } }),
    ];
    const silent = [
      anonymous("none", {}),
      anonymous("empty", { $set: {}, $unset: [], $groups: {} }),
    ];

    await send(app, together, ...asking, ...silent);

    const uuids = asking.map(({ uuid }) => expect.objectContaining({ event_uuid: uuid }));
    expect((await app.get("/ingestion_warnings/")).body).toMatchObject({
      results: [
        { type: "ignored_without_profile", count: 4, samples: expect.arrayContaining(uuids) },
      ],
    });
    expect(await persons(app)).toEqual([]);
  });

  test("merges the anonymous person into the user's, and a second user stays apart", async () => {
    const app = await newProject();
    await app.capture(batch(of("device", "seen", { $set: { theme: "dark", email: "x" } })));

    const identify = (id: string) =>
      of(id, "$identify", { $anon_distinct_id: "device", $set: { email: `${id}@b.c` } });
    await send(app, together, of("ann", "seen"), identify("ann"), identify("bob"));

    const ann = await personOf(app, "device");
    expect(ann).toMatchObject({
      uuid: personUuid(app.id, "ann"),
      distinct_ids: ["ann", "device"],
      properties: { theme: "dark", email: "ann@b.c" },
    });
    expect(await personOf(app, "bob")).toMatchObject({ distinct_ids: ["bob"] });
  });
});

describe.each(WAYS)("$merge_dangerously, %s", (_way, together) => {
  test("merges the alias's person into the distinct id's, also if both are identified", async () => {
    const app = await newProject();
    const identify = (id: string) => of(id, "$identify", { $anon_distinct_id: `${id}-device` });
    await app.capture(batch(identify("ann"), identify("bob")));

    await send(app, together, of("ann", "$merge_dangerously", { alias: "bob" }));

    expect(await persons(app)).toHaveLength(1);
    expect(await personOf(app, "bob")).toMatchObject({
      uuid: personUuid(app.id, "ann"),
      distinct_ids: ["ann", "ann-device", "bob", "bob-device"],
    });
  });
});

describe("a merge that is forbidden", () => {
  test.each([
    ["null", "user"],
    ["user", "undefined"],
    ["Anonymous", "user"],
    ["user", '"guest"'],
    ["[object Object]", "user"],
    ["0", "user"],
    ["$posthog_cookieless", "user"],
    ["user", "$posthog_cookieless"],
    ["user", "cookieless_0123456789abcdef_-ABCD"],
    ["user", "user"],
    ["user", "  "],
    ["user", null],
  ])("of %p into %p is refused, and both events are stored", async (distinctId, to) => {
    const app = await newProject();
    await app.capture(batch(of("user", "seen"), alias(distinctId, to), of(distinctId, "late")));

    const uuid = personUuid(app.id, distinctId);
    expect(await eventsOf(app, { uuid } as Person)).toContain("late");
    const ids = (await persons(app)).map(({ distinct_ids }) => distinct_ids);
    expect(ids.every(({ length }) => length === 1)).toBe(true);
  });

  test.each([
    ["/batch/", "null", {}],
    ["/i/v1/analytics/events", "null", { timestamp: "2026-11-21T12:00:00Z", options: {} }],
  ])("makes a person of an odd id like of any other, sent to %s", async (path, id, more) => {
    const app = await newProject();
    await post(app, path, { ...of(id, "seen", { $set: { n: 1 } }), ...more });
    expect(await personOf(app, id)).toMatchObject({ distinct_ids: [id], properties: { n: 1 } });
  });

  const cookieless = { cookieless_mode: true };
  test.each([
    ["/batch/", {}],
    ["/i/v1/analytics/events", { timestamp: "2026-11-21T12:00:00Z", options: cookieless }],
  ])("events without cookies make no person, sent to %s", async (path, more) => {
    const app = await newProject();
    const id = "$posthog_cookieless";
    const [seen, set] = [of(id, "seen"), of(id, "set", { $set: { n: 1 } })];
    const login = of("user", "$identify", { $anon_distinct_id: id });

    for (const one of [seen, set, login]) await post(app, path, { ...one, ...more });

    expect((await persons(app)).map(({ distinct_ids }) => distinct_ids)).toEqual([["user"]]);
    expect(await eventsOf(app, { uuid: personUuid(app.id, id) } as Person)).toEqual([
      "seen",
      "set",
    ]);
    const warnings = (await app.get("/ingestion_warnings/")).body as List<object>;
    // Requests of this test have no address.
    expect(warnings.results).toHaveLength(3);
    expect(warnings.results).toContainEqual(
      expect.objectContaining({ type: "cookieless_visitor_unknown", count: 2 }),
    );
    expect(warnings.results).toContainEqual(
      expect.objectContaining({
        type: "ignored_without_profile",
        samples: [expect.objectContaining({ event_uuid: set.uuid, distinct_id: id })],
      }),
    );
    expect(warnings.results).toContainEqual(
      expect.objectContaining({ type: "cannot_merge_with_illegal_distinct_id", count: 1 }),
    );
  });

  test("changes no person of another project", async () => {
    const app = await newProject();
    const other = await app.app.projects.create({ name: "second", api_token: "phc_second" });
    await app.capture({
      ...batch(of("user", "theirs"), of("anon", "theirs")),
      api_key: "phc_second",
    });

    await app.capture(batch(of("anon", "ours"), of("user", "ours"), alias("anon", "user")));

    const { body } = await app.ask("GET", `/api/environments/${other.id}/persons/`);
    expect(body).toMatchObject({ count: 2 });
    expect(await persons(app)).toHaveLength(1);
  });

  test("in a circle ends with one person", async () => {
    const app = await newProject();
    await app.capture(batch(alias("a", "b"), alias("b", "c"), alias("c", "a")));
    await app.capture(batch(alias("a", "c"), alias("b", "a")));

    const [one, ...others] = await persons(app);
    expect(others).toEqual([]);
    expect(one?.distinct_ids.toSorted()).toEqual(["a", "b", "c"]);
  });
});

describe("many merges", () => {
  const PARTS = [
    ["several batches", 5],
    ["one batch", 1],
  ] as const;

  test.each(casesOf(PARTS.slice(0, 1), PARTS))(
    "a chain of 10,000 aliases in %s becomes one person",
    async (_batches, parts) => {
      const app = await newProject();
      const links = 10_000;
      const chain = Array.from({ length: links }, (_, n) => alias(`p${n}`, `p${n + 1}`));
      for (let part = 0; part < parts; part += 1) {
        const [from, to] = [part, part + 1].map((at) => (at * links) / parts) as [number, number];
        await app.capture(batch(...chain.slice(from, to)));
      }

      const [one, ...others] = await persons(app);
      expect(others).toEqual([]);
      expect(one?.distinct_ids).toHaveLength(links + 1);
      const { body } = await app.get(`/events/?limit=1&person_id=${one?.uuid}`);
      expect(body).toMatchObject({ count: links });
    },
  );

  test("1,000 persons into one, sent at once by many", async () => {
    const app = await newProject();
    const ids = Array.from({ length: 1000 }, (_, n) => `p${n}`);
    await app.capture(batch(...ids.map((id) => of(id, "seen", { $set: { [id]: 1 } }))));

    const sendOne = (id: string) =>
      app.ask("POST", "/i/v0/e/", {
        body: { ...batch(), ...alias(id, "hub"), batch: undefined },
        key: null,
      });
    await Promise.all(ids.map(sendOne));
    await app.app.ingest.caughtUp();

    const [one, ...others] = await persons(app);
    expect(others).toEqual([]);
    expect(one?.distinct_ids).toHaveLength(1001);
    expect(Object.keys(one?.properties ?? {})).toHaveLength(1000);
    const { body } = await app.get(`/events/?limit=1&person_id=${one?.uuid}`);
    expect(body).toMatchObject({ count: 2000 });
  });
});

describe("events set automatic properties of their person", () => {
  const chrome = { $browser: "Chrome", $os: "Linux", $current_url: "https://a.b/one" };

  test.each(WAYS)("to the first and the latest value, %s", async (_way, together) => {
    const app = await newProject();
    await send(
      app,
      together,
      of("ann", "$pageview", { ...chrome, utm_source: "ad" }),
      of("ann", "$pageview", { ...chrome, $browser: "Firefox", utm_source: "mail" }),
    );

    expect((await personOf(app, "ann"))?.properties).toEqual({
      ...chrome,
      $browser: "Firefox",
      utm_source: "mail",
      $initial_browser: "Chrome",
      $initial_os: "Linux",
      $initial_current_url: "https://a.b/one",
      $initial_utm_source: "ad",
    });
  });

  test.each(WAYS)("again after they were removed, or did not fit, %s", async (_way, together) => {
    const app = await newProject();
    const big = "x".repeat(524_250);
    await send(
      app,
      together,
      of("ann", "x", { $browser: "Chrome" }),
      of("ann", "x", { $unset: ["$browser"] }),
      of("ann", "x", { $browser: "Firefox" }),
      of("bob", "x", { $set: { big } }),
      of("bob", "x", { $browser: "Chrome" }),
      of("bob", "x", { $unset: ["big"] }),
      of("bob", "x", { $browser: "Firefox" }),
    );

    expect((await personOf(app, "ann"))?.properties).toEqual({
      ...{ $browser: "Firefox", $initial_browser: "Chrome" },
    });
    expect((await personOf(app, "bob"))?.properties).toEqual({
      ...{ $browser: "Firefox", $initial_browser: "Firefox" },
    });
  });

  test.each(WAYS)("to the latest with an event about the person, %s", async (_way, together) => {
    const app = await newProject();
    const later = { $browser: "Firefox" };
    await send(
      app,
      together,
      ...["ann", "bob", "cat", "dan"].map((id) => of(id, "x", { $browser: "Chrome" })),
      of("ann", "$identify", later),
      of("bob", "$identify", { ...later, $anon_distinct_id: "anon" }),
      of("cat", "$create_alias", { ...later, alias: "other" }),
      of("dan", "x", later),
    );

    const browsers = await Promise.all(
      ["ann", "bob", "cat", "dan"].map(async (id) => (await personOf(app, id))?.properties),
    );
    expect(browsers.map((properties) => properties?.["$browser"])).toEqual([
      ...["Firefox", "Firefox", "Firefox", "Chrome"],
    ]);
  });

  test("a page alone is not written, a new property is", async () => {
    const app = await newProject();
    const url = (path: string) => ({ ...chrome, $current_url: `https://a.b/${path}` });
    await app.capture(batch(of("ann", "$pageview", chrome)));

    await app.capture(batch(of("ann", "$pageview", url("two"))));
    expect((await personOf(app, "ann"))?.properties).toMatchObject(chrome);
    await app.capture(batch(of("ann", "$pageview", { ...url("three"), $set: { plan: "pro" } })));

    expect((await personOf(app, "ann"))?.properties).toMatchObject({
      ...url("three"),
      plan: "pro",
    });
  });

  test("a direct first visit, which posthog-js sends as null, stays the first touch", async () => {
    const app = await newProject();
    const none = { utm_source: null, $initial_utm_source: null };
    const google = { utm_source: "google", $initial_utm_source: "google" };

    await app.capture(batch(of("visitor", "$pageview", { $set_once: none })));
    await app.capture(
      batch(of("visitor", "$pageview", { utm_source: "google", $set_once: google })),
    );

    expect((await personOf(app, "visitor"))?.properties).toEqual({
      utm_source: "google",
      $initial_utm_source: null,
    });
  });

  test("but not to values that the event sets itself, and not by an anonymous event", async () => {
    const app = await newProject();
    const given = { $set: { $browser: "mine" }, $set_once: { $initial_browser: "first" } };
    await app.capture(batch(of("ann", "$pageview", { ...chrome, ...given, $unset: ["$os"] })));
    await app.capture(batch(of("bob", "$pageview", { ...chrome, $process_person_profile: false })));

    const { properties } = (await personOf(app, "ann")) as Person;
    expect(properties).toMatchObject({ $browser: "mine", $initial_browser: "first" });
    expect(properties).not.toHaveProperty("$os");
    expect(await personOf(app, "bob")).toBeUndefined();
  });

  test("from the system of a phone, and not of a server", async () => {
    const app = await newProject();
    await app.capture(batch(of("server", "x", { $os: "Linux", $is_server: true })));
    await app.capture(batch(of("phone", "$screen", { $os_name: "iOS", $app_version: "1.2" })));

    expect((await personOf(app, "server"))?.properties).toEqual({});
    expect((await personOf(app, "phone"))?.properties).toEqual({
      $os: "iOS",
      $initial_os: "iOS",
      $app_version: "1.2",
      $initial_app_version: "1.2",
    });
  });
});

test.each(WAYS)("$set of an exception is applied in order, %s", async (_way, together) => {
  const app = await newProject();
  const automatic = { $os: "Linux" };

  await send(
    app,
    together,
    of("ann", "$set", { $set: { plan: "free", seats: 1 } }),
    of("ann", "$exception", { $set: { plan: "pro" }, ...automatic }),
    { ...of("ann", "$exception", { $set: { seats: 2 } }), $set_once: { first: "crash" } },
    of("ann", "$exception", { $unset: ["plan"], ...automatic }),
  );

  expect((await personOf(app, "ann"))?.properties).toEqual({ seats: 2, first: "crash" });
  expect((await app.get("/ingestion_warnings/")).body).toMatchObject({ count: 0 });
});

test("a survey that is shown is remembered on the person", async () => {
  const app = await newProject();
  const shown = of("ann", "survey shown", { $survey_id: "s1" });
  await app.capture(batch(shown));

  const { properties } = (await personOf(app, "ann")) as Person;
  expect(properties).toEqual({ $survey_last_seen_date: shown.timestamp.replace("Z", "000Z") });
});

test("an update that would make a person too large is refused, and its event is stored", async () => {
  const app = await newProject();
  const half = "x".repeat(300_000);
  await app.capture(batch(of("ann", "one", { $set: { a: half, small: 1 } })));
  await app.capture(batch(of("ann", "two", { $set: { b: half, small: 2 } })));
  await app.capture(batch(of("ann", "three", { $set: { small: 3 } })));

  const ann = await personOf(app, "ann");
  expect(Object.keys(ann?.properties ?? {})).toEqual(["a", "small"]);
  expect(ann?.properties["small"]).toBe(3);
  expect(await eventsOf(app, ann)).toEqual(["one", "two", "three"]);
});
