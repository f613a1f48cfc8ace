import { describe, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

const identify = (type: unknown, key: unknown, set?: object, distinct_id = "ann") =>
  event({
    event: "$groupidentify",
    distinct_id,
    properties: { $group_type: type, $group_key: key, ...(set && { $group_set: set }) },
  });
const inGroups = ($groups: unknown, more: object = {}) =>
  event({ properties: { $groups, ...more } });

async function groupsOf(app: TestProject, index: number, query = "") {
  const { body } = await app.get(`/groups/?group_type_index=${index}${query}`);
  return body as { count: number; results: { group_key: string; group_properties: unknown }[] };
}

async function typesOf(app: TestProject): Promise<string[]> {
  const { body } = await app.get("/groups_types/");
  return (body as { group_type: string }[]).map(({ group_type }) => group_type);
}

describe("$groupidentify", () => {
  test("makes a group, then changes the named properties and keeps the others", async () => {
    const app = await newProject();
    await app.capture(batch(identify("company", "acme", { name: "Acme", plan: "free" })));
    await app.capture(batch(identify("company", "acme", { plan: "pro", seats: [1] })));

    expect(await groupsOf(app, 0)).toMatchObject({
      count: 1,
      results: [
        {
          group_type_index: 0,
          group_key: "acme",
          group_properties: { name: "Acme", plan: "pro", seats: [1] },
          created_at: "2026-11-21T12:00:00.000000Z",
        },
      ],
    });
    expect((await app.get("/groups_types/")).body).toEqual([
      { group_type: "company", group_type_index: 0 },
    ]);
  });

  test("applies several of a batch in their order, and makes an empty group without $group_set", async () => {
    const app = await newProject();
    await app.capture(
      batch(
        identify("company", "acme", { n: 1 }),
        identify("company", "acme", { n: 2 }),
        identify("team", 42),
      ),
    );

    expect((await groupsOf(app, 0)).results).toMatchObject([{ group_properties: { n: 2 } }]);
    expect((await groupsOf(app, 1)).results).toMatchObject([
      { group_key: "42", group_properties: {} },
    ]);
  });

  test("makes no person, and changes none that other events make", async () => {
    const app = await newProject();
    const ids = ["$company_acme", Bun.randomUUIDv7(), "ann"];
    await app.capture(batch(...ids.map((id) => identify("company", "acme", {}, id))));
    expect((await app.get("/persons/")).body).toMatchObject({ count: 0 });
    const seen = event({ distinct_id: "ann", event: "seen" });
    await app.capture(batch(seen, identify("company", "acme", {}, "ann")));
    const { body } = await app.get("/persons/");
    expect(body).toMatchObject({ count: 1, results: [{ distinct_ids: ["ann"] }] });
  });
});

test.each<[string, object, unknown]>([
  ["a question", { kind: "WordsQuery", query: "active users last 7 days" }, 1],
  ["persons of all events", { math: "dau" }, 1],
  ["weekly persons of all events", { math: "weekly_active" }, 1],
  ["all events", { math: "total" }, 4],
  ["persons of this event", { event: "$groupidentify", math: "dau" }, 3],
])(
  "an event about a group is no activity of a person, but an event: %s",
  async (_case, asked, value) => {
    const app = await newProject();
    const ids = ["$company_acme", Bun.randomUUIDv7(), "ann"];
    await app.capture(
      batch(...ids.map((id) => identify("company", "acme", {}, id)), event({ distinct_id: "ann" })),
    );
    const series = [{ kind: "EventsNode", event: null, ...asked }];
    const trend = { kind: "TrendsQuery", series, trendsFilter: { display: "BoldNumber" } };
    const query = "kind" in asked ? asked : trend;
    const { body } = await app.ask("POST", `${app.api}/query/`, { body: { query } as object });
    const [line] = (body as { results: { aggregated_value?: number; data?: number[] }[] }).results;
    expect(line?.aggregated_value ?? Math.max(...(line?.data ?? []))).toBe(value as number);
  },
);

describe("$groups", () => {
  test("makes no group for a new key, but its type gets the next index", async () => {
    const app = await newProject();
    await app.capture(batch(inGroups({ company: "acme", team: 42 }), inGroups(["x"])));

    expect(await typesOf(app)).toEqual(["company", "team"]);
    expect(await groupsOf(app, 0)).toMatchObject({ count: 0, results: [] });
    expect((await app.get("/events/")).body).toMatchObject({ count: 2 });
  });

  test("has five types a project; an event with a sixth is stored without that group", async () => {
    const app = await newProject();
    const six = ["a", "b", "c", "d", "e", "f"];
    await app.capture(batch(...six.map((type) => inGroups({ [type]: "1" }))));
    await app.capture(batch(inGroups({ f: "1", e: "2" }), identify("f", "1", { n: 1 })));

    expect(await typesOf(app)).toEqual(["a", "b", "c", "d", "e"]);
    expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 8 });
  });

  test("an anonymous event has no groups", async () => {
    const app = await newProject();
    await app.capture(batch(inGroups({ company: "acme" }, { $process_person_profile: false })));
    expect(await typesOf(app)).toEqual([]);
  });

  test("a key that is too long is dropped, and the event is stored", async () => {
    const app = await newProject();
    const long = "x".repeat(401);
    await app.capture(batch(inGroups({ company: long, team: "1" }), identify("company", long)));

    expect(await typesOf(app)).toEqual(["team"]);
    expect((await app.get("/events/")).body).toMatchObject({ count: 2 });
  });
});

test("an event leaves one warning for each reason, however many groups it has", async () => {
  const app = await newProject();
  const many = (count: number, key: string) =>
    inGroups(Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, key])));
  await app.capture(batch(many(6, "a"), many(300, "b"), many(3, "k".repeat(500))));

  const { body } = await app.get("/ingestion_warnings/");
  const { results } = body as { results: { type: string; count: number }[] };
  expect(Object.fromEntries(results.map(({ type, count }) => [type, count]))).toEqual({
    too_many_group_types: 2,
    group_key_too_long: 1,
  });
});

test("an invalid group is ignored with a warning, and the event is stored", async () => {
  const app = await newProject();
  await app.capture(
    batch(
      inGroups("x"),
      inGroups({ company: null, team: "1" }),
      identify("company", undefined),
      identify(undefined, "acme"),
      event({
        event: "$groupidentify",
        properties: { $group_type: "team", $group_key: "1", $group_set: [1] },
      }),
    ),
  );

  const { body } = await app.get("/ingestion_warnings/?type=ignored_invalid_group");
  expect(body).toMatchObject({ results: [{ count: 5 }] });
  expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 5 });
  expect(await typesOf(app)).toEqual(["team"]);
});

test("PHP's empty objects, which are [], count as objects without a warning", async () => {
  const app = await newProject();
  const bare = { ...event(), properties: [] };
  await app.capture(batch(bare, inGroups([]), inGroups({}, { $set: [], $set_once: [] })));
  await app.capture(batch(identify("company", "acme", [])));
  const single = { ...bare, uuid: undefined, api_key: app.token };
  expect(await app.capture(single, "/i/v0/e/")).toMatchObject({ status: 200 });

  expect((await app.get("/ingestion_warnings/")).body).toMatchObject({ results: [] });
  expect((await app.get("/events/")).body).toMatchObject({ count: 5 });
  const [group] = (await groupsOf(app, 0)).results;
  expect(group).toMatchObject({ group_key: "acme", group_properties: {} });
});

test("$set and $unset of $groupidentify change no person and leave a warning, $set_once leaves none", async () => {
  const app = await newProject();
  const describing = (more: object) => {
    const described = identify("company", "acme");
    return { ...described, properties: { ...described.properties, ...more } };
  };
  await app.capture(
    batch(
      describing({ $set: { plan: "pro" } }),
      describing({ $unset: ["plan"] }),
      describing({ $group_set_once: { plan: "pro" } }),
      describing({ $group_unset: ["plan"], $group_properties: {}, $group_0: "acme" }),
      describing({ $group_0: "acme" }),
      describing({ $set: {}, $set_once: { $initial_referrer: "$direct" } }),
      describing({}),
    ),
  );

  const { body } = await app.get("/ingestion_warnings/");
  expect(body).toMatchObject({ count: 1, results: [{ type: "set_on_groupidentify", count: 4 }] });
  expect((await app.get("/persons/")).body).toMatchObject({ results: [] });
});

test("groups are listed in pages by key, searched, and each project has its own", async () => {
  const app = await newProject();
  const other = await app.app.projects.create({ name: "second", api_token: "phc_second" });
  await app.capture(batch(...["b", "Ab", "c"].map((key) => identify("company", key))));
  await app.capture({ ...batch(identify("team", "theirs")), api_key: "phc_second" });

  const keys = async (query: string) =>
    (await groupsOf(app, 0, query)).results.map(({ group_key }) => group_key);
  expect(await keys("")).toEqual(["Ab", "b", "c"]);
  expect(await keys("&search=B")).toEqual(["Ab", "b"]);
  expect(await keys("&limit=1&offset=1")).toEqual(["b"]);
  expect(await groupsOf(app, 0, "&limit=1")).toMatchObject({ count: 3 });
  const theirs = await app.ask("GET", `/api/environments/${other.id}/groups_types/`);
  expect(theirs.body).toEqual([{ group_type: "team", group_type_index: 0 }]);
});

test.each([
  ["", "required"],
  ["?group_type_index=5", "invalid_input"],
  ["?group_type_index=x", "invalid_input"],
])("groups%s is refused as %s", async (query, code) => {
  const app = await newProject();
  const { status, body } = await app.get(`/groups/${query}`);
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { code, attr: "group_type_index" },
  });
});
