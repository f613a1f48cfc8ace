import { describe, expect, test } from "bun:test";
import { personUuid } from "../../../src/core/identity/person.ts";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

type Listed = { count: number; next: string | null; results: { event: string }[] };

const filtered = (filters: unknown, more = "") =>
  `/events/?properties=${encodeURIComponent(JSON.stringify(filters))}${more}`;

/** The names of the events that pass, the newest first. */
async function passing(app: TestProject, filters: unknown, more = ""): Promise<string[]> {
  const { status, body } = await app.get(filtered(filters, more));
  expect(status).toBe(200);
  const { count, results } = body as Listed;
  expect(count).toBe(results.length);
  return results.map((one) => one.event);
}

test("a long distinct id finds the events and the person that were sent with it", async () => {
  const app = await newProject();
  const distinct_id = "é".repeat(250);
  await app.capture(batch(event({ distinct_id, properties: { $set: { plan: "pro" } } })));
  for (const list of ["events", "persons"]) {
    const { body } = await app.get(`/${list}/?distinct_id=${encodeURIComponent(distinct_id)}`);
    expect((body as { results: object[] }).results).toHaveLength(1);
  }
});

const at = (day: string) => `${day}T00:00:00.000000Z`;

describe("a list of events with filters of properties", () => {
  test("reads those of events, of persons and of groups, as filters of persons are read", async () => {
    const app = await newProject();
    const $groups = { company: "acme" };
    await app.capture(
      batch(
        event({ event: "$groupidentify", properties: GROUP, timestamp: at("2026-11-01") }),
        event({ event: "free", properties: { plan: "free" }, timestamp: at("2026-11-02") }),
        event({ event: "pro", properties: { plan: "pro", n: 5 }, timestamp: at("2026-11-03") }),
        event({ event: "group", properties: { $groups }, timestamp: at("2026-11-04") }),
        event({
          ...{ event: "gold", distinct_id: "bob", timestamp: at("2026-11-05") },
          properties: { $set: { tier: "gold" }, $browser: "Firefox" },
        }),
      ),
    );
    const pro = { key: "plan", value: "pro" };
    const gold = { key: "tier", value: ["gold"], type: "person" };
    const size = { key: "size", value: "9", type: "group", group_type_index: 0 };

    expect(await passing(app, pro)).toEqual(["pro"]);
    expect(await passing(app, [{ ...pro, operator: "icontains", value: "R" }])).toEqual([
      ...["pro", "free"],
    ]);
    expect(await passing(app, [{ key: "n", operator: "gt", value: 4 }])).toEqual(["pro"]);
    expect(await passing(app, [{ key: "$browser", value: "Firefox" }])).toEqual(["gold"]);
    expect(await passing(app, [gold])).toEqual(["gold"]);
    expect(await passing(app, [size])).toEqual(["group"]);
    expect(await passing(app, [pro, gold])).toEqual([]);
    expect(await passing(app, { type: "OR", values: [pro, gold] })).toEqual(["gold", "pro"]);
    expect(await passing(app, [pro], "&event=free")).toEqual([]);
    expect(
      await passing(app, [{ key: "plan", operator: "is_not_set" }], "&distinct_id=bob"),
    ).toEqual(["gold"]);
    expect(await passing(app, [])).toHaveLength(5);
  });

  test("takes several filters as the parameter repeated, also with brackets", async () => {
    const app = await newProject();
    const both = { a: 1, b: 2 };
    await app.capture(batch(event({ event: "both", properties: both }), event()));
    const [a, b] = ["a", "b"].map((key) => JSON.stringify({ key, operator: "is_set" }));

    for (const name of ["properties", "properties[]", "properties[0]"]) {
      const query = new URLSearchParams([
        [name, a ?? ""],
        [name, b ?? ""],
      ]);
      expect((await app.get(`/events/?${query}`)).body).toMatchObject({ count: 1 });
    }
  });

  test.each([
    ["a property without a column", { key: "plan", value: "pro" }, ""],
    ["a property with a column", { key: "$browser", value: "Firefox" }, ""],
    ["a property of the person", { key: "tier", value: "gold", type: "person" }, ""],
    [
      "two conditions",
      [
        { key: "plan", value: "pro" },
        { key: "$browser", value: "Firefox" },
      ],
      "",
    ],
    ["none", [], "&event=old"],
  ])("covers all time, by %s", async (_, filters, more) => {
    const app = await newProject();
    const properties = { plan: "pro", $browser: "Firefox", $set: { tier: "gold" } };
    const days = ["2019-01-01", "2025-09-01", "2026-10-01", "2026-11-19"];
    const sent = days.map((day) => event({ event: "old", properties, timestamp: at(day) }));
    await app.capture(batch(...sent));

    const { body } = await app.get(filtered(filters, `&limit=3${more}`));
    const { count, next } = body as Listed;
    expect(count).toBe(4);
    const { pathname, search, searchParams } = new URL(next ?? "");
    expect(searchParams.has("after")).toBe(false);
    const { body: last } = await app.ask("GET", pathname + search);
    expect(last).toMatchObject({
      count: 4,
      next: null,
      results: [{ timestamp: at("2019-01-01") }],
    });
    expect(await passing(app, filters, `${more}&after=2026-10-01`)).toHaveLength(1);
  });

  test.each([
    ["Asia/Tokyo", "after=2026-11-10", ["noon", "night"]],
    ["Asia/Tokyo", "before=2026-11-10", ["dusk"]],
    ["America/New_York", "after=2026-11-10", ["noon"]],
    ["America/New_York", "before=2026-11-10", ["night", "dusk"]],
    ["America/New_York", "before=2026-11-09 10:30", ["dusk"]],
    ["Asia/Tokyo", "after=2026-11-10T01:30:00", ["noon"]],
    ["Asia/Tokyo", "after=2026-11-09T16:30:00Z", ["noon"]],
    ["UTC", "before=2026-11-10", ["night", "dusk"]],
  ])("reads times on the clock of the project: %s %s", async (timezone, bound, names) => {
    const app = await newProject();
    await app.ask("PATCH", `/api/projects/${app.id}/`, { body: { timezone } });
    await app.capture(
      batch(
        event({ event: "dusk", timestamp: "2026-11-09T14:00:00Z" }),
        event({ event: "night", timestamp: "2026-11-09T16:00:00Z" }),
        event({ event: "noon", timestamp: "2026-11-10T12:00:00Z" }),
      ),
    );
    const { body } = await app.get(`/events/?${bound}`);
    expect((body as Listed).results.map((one) => one.event)).toEqual(names);
  });

  test.each([
    ["x"],
    ["5"],
    ['[{"key":1}]'],
    ['{"key":"a","operator":"like","value":1}'],
    ['{"key":"a","operator":"regex","value":"(?<=x)"}'],
    ['{"key":"a","value":1,"type":"cohort"}'],
    [JSON.stringify(Array(51).fill({ key: "a", operator: "is_set" }))],
  ])("refuses %p", async (text) => {
    const app = await newProject();
    const { status, body } = await app.get(`/events/?properties=${encodeURIComponent(text)}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { attr: "properties" } });
  });

  test.each([
    ['{"key":"a","value":1,"type":"group"}'],
    ['{"key":"a","value":1,"type":"group","group_type_index":5}'],
  ])("names the type of groups in %p", async (text) => {
    const app = await newProject();
    const { status, body } = await app.get(`/events/?properties=${encodeURIComponent(text)}`);
    const attr = "properties__group_type_index";
    expect({ status, body }).toMatchObject({ status: 400, body: { attr } });
  });
});

const GROUP = { $group_type: "company", $group_key: "acme", $group_set: { size: "9" } };

describe("one event", () => {
  test("is read with the time of its arrival and its person, which is null without one", async () => {
    const app = await newProject();
    const seen = event({ properties: { $set: { plan: "pro" } }, timestamp: at("2026-11-20") });
    const personless = event({ distinct_id: "x", properties: { $process_person_profile: false } });
    await app.capture(batch(seen, personless));

    const { body } = await app.get(`/events/${seen.uuid.toUpperCase()}/`);
    expect(body).toMatchObject({
      ...{ uuid: seen.uuid, timestamp: at("2026-11-20"), person_id: personUuid(app.id, "ann") },
      ingested_at: "2026-11-21T12:00:00.000000Z",
      person: { uuid: personUuid(app.id, "ann"), properties: { plan: "pro" } },
    });
    expect((await app.get(`/events/${personless.uuid}/`)).body).toMatchObject({ person: null });
  });

  test("shows the person of now, after a merge and after a deletion", async () => {
    const app = await newProject();
    const seen = event({ distinct_id: "new" });
    const merge = { event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } };
    await app.capture(batch(event(), seen, event(merge)));
    const ann = personUuid(app.id, "ann");
    const read = async () => (await app.get(`/events/${seen.uuid}/`)).body;

    expect(await read()).toMatchObject({ person_id: ann, person: { uuid: ann } });
    await app.ask("DELETE", `${app.api}/persons/${ann}/`);
    expect(await read()).toMatchObject({ person: null });
  });
});

describe("completion", () => {
  test("has values of events and of groups, and one group by its key", async () => {
    const app = await newProject();
    const group = event({ event: "$groupidentify", properties: GROUP });
    await app.capture(batch(group, event({ properties: { plan: "pro" } })));
    const values = (name: string, count: number) => ({
      status: 200,
      body: { results: [{ name, count }], refreshing: false },
    });

    expect(await app.get("/events/values/?key=plan")).toMatchObject(values("pro", 1));
    const named = "/events/values/?key=plan&value=P&event_name=";
    expect(await app.get(`${named}tested`)).toMatchObject(values("pro", 1));
    expect((await app.get(`${named}other`)).body).toMatchObject({ results: [] });
    const groups = "/groups/values/?group_type_index=0&key=size";
    expect(await app.get(groups)).toMatchObject(values("9", 1));
    const find = "/groups/find/?group_type_index=0&group_key=";
    expect((await app.get(`${find}acme`)).body).toMatchObject({
      ...{ group_key: "acme", group_properties: { size: "9" } },
    });
    expect(await app.get(`${find}ACME`)).toMatchObject({ status: 404 });
    expect(await app.get("/groups/find/?group_type_index=5&group_key=a")).toMatchObject({
      ...{ status: 400, body: { attr: "group_type_index" } },
    });
  });

  test("has the properties that events of a name have", async () => {
    const app = await newProject();
    const view = event({ event: "view", properties: { page: 1 } });
    await app.capture(batch(view, event({ event: "paid", properties: { plan: "pro" } })));
    const names = async (events: string) => {
      const path = `/property_definitions/?event_names=${encodeURIComponent(events)}`;
      const { status, body } = await app.get(path);
      return status === 200
        ? (body as { results: { name: string }[] }).results.map(({ name }) => name)
        : body;
    };

    expect(await names('["view"]')).toEqual(["page"]);
    expect(await names('["view","paid"]')).toEqual(["page", "plan"]);
    expect(await names("")).toEqual(["page", "plan"]);
    for (const bad of ["view", "[1]", "{}", JSON.stringify(Array(51).fill("a"))]) {
      expect(await names(bad)).toMatchObject({ code: "invalid_input", attr: "event_names" });
    }
    const persons = await app.get("/property_definitions/?type=person&event_names=[]");
    expect(persons).toMatchObject({ status: 400, body: { attr: "event_names" } });
  });

  test("has the tables, types, functions and words of SQL, and each column can be selected", async () => {
    const app = await newProject();
    const { body } = await app.get("/query/schema/");
    const schema = body as {
      tables: { name: string; columns: { name: string; type: string }[] }[];
      types: string[];
      functions: string[];
      words: string[];
    };

    expect(schema.types).toContain("VARCHAR");
    expect(schema.functions).toContain("count");
    expect(schema.words).toContain("SELECT");
    for (const { name, columns } of schema.tables) {
      const selected = columns.map((column) => `"${column.name}"`).join(", ");
      const query = { kind: "HogQLQuery", query: `SELECT ${selected} FROM ${name} LIMIT 0` };
      const answered = await app.ask("POST", `${app.api}/query/`, { body: { query } });
      expect([name, answered.status]).toEqual([name, 200]);
    }
  });
});
