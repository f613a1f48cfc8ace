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

  test("goes 30 days back by a property without a column, which next shows, unless after says more", async () => {
    const app = await newProject();
    const old = { timestamp: at("2026-09-01"), properties: { plan: "pro", $browser: "Firefox" } };
    const sent = ["2026-11-18", "2026-11-19"].map((day) => ({ ...old, timestamp: at(day) }));
    await app.capture(batch(event(old), ...sent.map((fields) => event(fields))));
    const plan = { key: "plan", value: "pro" };

    const { body } = await app.get(filtered(plan, "&limit=1"));
    const { count, next } = body as Listed;
    expect(count).toBe(2);
    expect(new URL(next ?? "").searchParams.get("after")).toBe("2026-10-22T12:00:00.000000Z");
    const { pathname, search } = new URL(next ?? "");
    expect((await app.ask("GET", pathname + search)).body).toMatchObject({ count: 2, next: null });

    expect(await passing(app, plan, "&after=2026-08-01")).toHaveLength(3);
    expect(await passing(app, plan, "&before=2026-09-02")).toHaveLength(1);
    expect(await passing(app, plan, "&before=0001-01-02")).toHaveLength(0);
    expect(await passing(app, { key: "$browser", value: "Firefox" })).toHaveLength(3);
  });

  test.each([
    ["x"],
    ["5"],
    ['[{"key":1}]'],
    ['{"key":"a","operator":"like","value":1}'],
    ['{"key":"a","operator":"regex","value":"(?<=x)"}'],
    ['{"key":"a","value":1,"type":"cohort"}'],
    ['{"key":"a","value":1,"type":"group"}'],
    ['{"key":"a","value":1,"type":"group","group_type_index":5}'],
    [JSON.stringify(Array(51).fill({ key: "a", operator: "is_set" }))],
  ])("refuses %p", async (text) => {
    const app = await newProject();
    const { status, body } = await app.get(`/events/?properties=${encodeURIComponent(text)}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { attr: "properties" } });
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
