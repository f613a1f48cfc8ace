import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { keyWith } from "../../support/answers/operations.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const QUERY = "/api/environments/1/query/";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const did = (distinct_id: string, name: string, at: string, properties: object = {}) =>
    event({ event: name, distinct_id, timestamp: `2026-11-${at}:00Z`, properties });
  const guest = { $process_person_profile: false };
  await app.capture(
    batch(
      did("ann", "view", "19T10:00", { $set: { email: "Ann@x.test", plan: "pro", age: 9 } }),
      did("ann", "buy", "21T10:00", { amount: 2, size: "L" }),
      did("phone", "buy", "21T11:00", { amount: 3.5 }),
      did("bob", "view", "21T09:00", { $set: { email: "bob@x.test", plan: "free", age: 10 } }),
      did("cyd", "view", "21T07:00", { $set: { plan: "pro" } }),
      did("guest", "buy", "21T08:00", { ...guest, amount: "1" }),
      did("other", "view", "20T08:30", guest),
      event({ event: "$create_alias", distinct_id: "phone", properties: { alias: "ann" } }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = (query: object, format = "", key?: string) =>
  app.ask("POST", QUERY + format, { body: { query }, ...(key === undefined ? {} : { key }) });

type Rows = { results: unknown[][]; hasMore: boolean };

async function rowsOf(query: object): Promise<unknown[][]> {
  const { status, body } = await ask(query);
  expect([status, body]).toEqual([200, expect.anything()]);
  return (body as Rows).results;
}

const persons = (rest: object = {}) => ({ kind: "ActorsQuery", ...rest });
const events = (rest: object = {}) => ({ kind: "EventsQuery", after: "-7d", ...rest });

const did = (key: string, rest: object = {}) => ({
  ...{ type: "behavioral", key, event_type: "events", value: "performed_event" },
  ...rest,
});

describe("a list of persons", () => {
  test("has the columns that were asked for", async () => {
    const select = ["email", "properties.plan", "person.properties.age"];
    const sent = persons({ select, orderBy: ["properties.age DESC"] });
    expect((await ask(sent)).body).toMatchObject({
      columns: select,
      types: [
        ["email", "VARCHAR"],
        ["properties.plan", "JSON"],
        ["person.properties.age", "JSON"],
      ],
      results: [
        ["bob@x.test", "free", 10],
        ["Ann@x.test", "pro", 9],
        [null, "pro", null],
      ],
      ...{ hasMore: false, limit: 100, offset: 0, query: sent },
      calculated_at: "2026-11-21T12:00:00.000000Z",
    });
    const [[person, id, created_at] = []] = await rowsOf(
      persons({ select: ["person", "id", "created_at"], search: "ANN@" }),
    );
    expect(person).toMatchObject({ distinct_ids: ["ann", "phone"], uuid: id, created_at });
  });

  test("is counted, filtered, searched, and comes in parts", async () => {
    const pro = { key: "plan", value: "pro", type: "person" };
    const count = { select: ["count()"] };
    expect(await rowsOf(persons(count))).toEqual([[3]]);
    expect(await rowsOf(persons({ ...count, properties: [pro] }))).toEqual([[2]]);
    expect(await rowsOf(persons({ ...count, properties: [pro], search: "ann@" }))).toEqual([[1]]);
    expect(await rowsOf(persons({ ...count, search: "phone" }))).toEqual([[1]]);
    const sent = persons({ select: ["email"], orderBy: ["email"], limit: 1, offset: 1 });
    expect((await ask(sent)).body).toMatchObject({ results: [["bob@x.test"]], hasMore: true });
  });

  test("may ask what persons did, also without a profile", async () => {
    const select = ["email", "properties.plan", "person"];
    const rows = await rowsOf(persons({ select, properties: [did("buy")] }));
    expect(rows).toEqual([
      ["Ann@x.test", "pro", expect.objectContaining({ name: "Ann@x.test" })],
      [null, null, expect.objectContaining({ uuid: expect.any(String), properties: null })],
    ]);
    const counted = (properties: unknown) => rowsOf(persons({ select: ["count()"], properties }));
    expect(await counted([did("buy", { negation: true })])).toEqual([[3]]);
    const pro = { key: "plan", value: "pro", type: "person" };
    const either = { type: "OR", values: [pro, did("buy")] };
    expect(await counted(either)).toEqual([[3]]);
    expect(await counted([pro, did("buy")])).toEqual([[1]]);
    const today = did("view", { time_value: 1, time_interval: "day" });
    expect(await counted([today])).toEqual([[3]]);
  });

  test("is refused in parts that are not known", async () => {
    const refused = async (rest: object, attr: string) => {
      const { status, body } = await ask(persons(rest));
      expect([status, body]).toEqual([400, expect.objectContaining({ attr })]);
    };
    await refused({ select: ["count()", "email"] }, "query__select");
    await refused({ select: ["upper(email)"] }, "query__select__0");
    await refused({ orderBy: ["person"] }, "query__orderBy__0");
    await refused({ limit: 1001 }, "query__limit");
    await refused({ where: ["true"] }, "query__where");
    await refused({ properties: [{ key: "a", value: "b", type: "event" }] }, "query__properties");
    const source = { kind: "InsightActorsQuery", source: { kind: "TrendsQuery", series: [{}] } };
    await refused({ source, select: ["person"] }, "query__select");
  });

  test("finds a person by a property that is too large for the projection", async () => {
    const $set = { bio: "x".repeat(20_000), plan: "large" };
    await app.capture(batch(event({ event: "view", distinct_id: "dee", properties: { $set } })));
    const select = ["properties.plan"];
    const bio = (operator: string, value?: string) =>
      rowsOf(persons({ select, properties: [{ key: "bio", type: "person", operator, value }] }));
    expect(await bio("is_set")).toEqual([["large"]]);
    expect(await bio("icontains", "xxx")).toEqual([["large"]]);
    expect(await bio("is_not_set")).toHaveLength(3);
  });

  test("needs the scope person:read", async () => {
    const key = await keyWith(app, { scopes: ["query:read"] });
    const { status } = await ask(persons({ select: ["count()"] }), "", key);
    expect(status).toBe(403);
  });
});

describe("a list of events", () => {
  test("has the columns that were asked for, the newest first", async () => {
    const select = [
      "event",
      "distinct_id",
      "timestamp",
      "properties.amount",
      "person.properties.plan",
    ];
    const sent = events({ select, event: "buy" });
    expect((await ask(sent)).body).toMatchObject({
      results: [
        ["buy", "phone", "2026-11-21T11:00:00.000000Z", 3.5, "pro"],
        ["buy", "ann", "2026-11-21T10:00:00.000000Z", 2, "pro"],
        ["buy", "guest", "2026-11-21T08:00:00.000000Z", "1", null],
      ],
      hasMore: false,
      explanation: "Buys, one by one, newest first, last 8 days (14 Nov to 21 Nov 2026, UTC).",
    });
    const [[all, person] = []] = await rowsOf(
      events({ select: ["*", "person"], events: ["buy"], orderBy: ["timestamp ASC"], limit: 1 }),
    );
    expect(all).toMatchObject({ event: "buy", distinct_id: "guest", properties: { amount: "1" } });
    expect(person).toEqual(expect.objectContaining({ name: null, properties: null }));
  });

  test("is of one person, by uuid or integer id", async () => {
    const [[person] = []] = await rowsOf(persons({ search: "phone" }));
    const { id, uuid } = person as { id: number; uuid: string };
    for (const personId of [id, String(id), uuid]) {
      expect(await rowsOf(events({ select: ["event", "count()"], personId }))).toEqual([
        ["buy", 2],
        ["$create_alias", 1],
        ["view", 1],
      ]);
    }
    expect(await rowsOf(events({ select: ["count()"], personId: 9999 }))).toEqual([[0]]);
  });

  test("may be grouped, and aggregated alone", async () => {
    const select = ["min(timestamp)", "max(timestamp)", "count()"];
    expect(await rowsOf(events({ select, event: "buy" }))).toEqual([
      ["2026-11-21T08:00:00.000000Z", "2026-11-21T11:00:00.000000Z", 3],
    ]);
    const sent = { select: ["properties.size", "count()"], event: "buy", orderBy: ["count()"] };
    expect(await rowsOf(events(sent))).toEqual([
      ["L", 1],
      [null, 2],
    ]);
  });

  test("is of a time", async () => {
    const count = async (rest: object) =>
      (await rowsOf(events({ select: ["count()"], ...rest })))[0];
    expect(await count({ after: "all", event: "view" })).toEqual([5]);
    expect(await count({ after: "2026-11-20", before: "2026-11-20" })).toEqual([1]);
    expect(await count({ after: "2026-11-21T09:00:00", event: "buy" })).toEqual([2]);
    expect(await count({ event: "buy", before: "2026-11-21T10:00:00" })).toEqual([2]);
    const where = [
      "timestamp > '2026-11-21 08:00:00'",
      "timestamp < toDateTime('2026-11-21 11:00')",
    ];
    expect(await count({ event: "buy", where })).toEqual([1]);
    expect(await count({ event: "buy", properties: [did("view")] })).toEqual([2]);
  });

  test("is refused in parts that are not known", async () => {
    const refused = async (rest: object, attr: string) => {
      const { status, body } = await ask(events(rest));
      expect([status, body]).toEqual([400, expect.objectContaining({ attr })]);
    };
    await refused({}, "query__select");
    await refused({ select: ["*", "count()"] }, "query__select__0");
    await refused({ select: ["event"], where: ["event = 'a'"] }, "query__where__0");
    await refused({ select: ["event"], orderBy: ["event"] }, "query__orderBy__0");
    await refused({ select: ["event", "count()"], orderBy: ["timestamp"] }, "query__orderBy__0");
    await refused({ select: ["event"], after: "soon" }, "query__after");
    await refused({ select: ["event"], before: "soon" }, "query__before");
    await refused({ select: ["event"], event: "a", events: ["b"] }, "query__event");
    await refused({ select: ["event"], personId: "ann" }, "query__personId");
    await refused({ select: ["event"], limit: 5000 }, "query__limit");
    await refused({ select: ["event"], actionId: 1 }, "query__actionId");
  });
});

describe("lists", () => {
  const select = ["event", "person", "properties.amount"];
  const table = { kind: "DataTableNode", full: true, source: events({ select, event: "buy" }) };

  test("come in a node, as text and as CSV", async () => {
    const { text } = await ask(table, "?format=txt");
    expect(text.replace(/[0-9a-f-]{36}/, "UUID")).toBe(
      [
        "Buys, one by one, newest first, last 8 days (14 Nov to 21 Nov 2026, UTC).",
        "",
        "event  person                                properties.amount",
        "buy    Ann@x.test                            3.5",
        "buy    Ann@x.test                            2",
        "buy    UUID  1",
        "",
      ].join("\n"),
    );
    const csv = await ask(
      { ...table, source: { ...table.source, select: ["event", "properties.amount"] } },
      "?format=csv",
    );
    expect(csv.text).toBe("event,properties.amount\r\nbuy,3.5\r\nbuy,2\r\nbuy,1\r\n");
  });

  test("have the filters of a dashboard: events their period and conditions, persons none", async () => {
    const over = async (query: object) => {
      const filters_override = {
        ...{ date_from: "2026-11-21", date_to: "2026-11-21" },
        properties: [{ key: "amount", value: 2, operator: "gt", type: "event" }],
      };
      const { body } = await app.ask("POST", QUERY, { body: { query, filters_override } });
      return (body as Rows).results;
    };
    expect(await over(events({ select: ["count()"], after: "-1h" }))).toEqual([[1]]);
    expect(await over(persons({ select: ["count()"] }))).toEqual(
      await rowsOf(persons({ select: ["count()"] })),
    );
  });

  test("are kept as insights, asked or saved", async () => {
    const asked = await app.ask("POST", "/api/environments/1/max_tools/create_and_query_insight/", {
      body: { query: table },
      headers: { prefer: "return=representation" },
    });
    expect(asked.body).toMatchObject({
      insight: { name: "Events buy", query: table, saved: false },
      results: [
        ["buy", { name: "Ann@x.test" }, 3.5],
        ["buy", {}, 2],
        ["buy", {}, "1"],
      ],
    });
    const save = (query: object) =>
      app.ask("POST", "/api/environments/1/insights/", { body: { query } });
    expect((await save(persons())).body).toMatchObject({ name: "Persons", query: persons() });
    expect((await save(persons({ select: ["x"] }))).status).toBe(400);
    const sql = {
      kind: "HogQLQuery",
      query: "SELECT count() AS n FROM events WHERE event = 'buy'",
    };
    for (const kind of ["DataVisualizationNode", "DataTableNode"]) {
      const node = { kind, source: sql };
      expect((await save(node)).status).toBe(201);
      expect((await ask(node)).body).toMatchObject({ results: [[3]] });
    }
  });
});
