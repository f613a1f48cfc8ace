import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NO_NOTE } from "../../../src/core/events/definition.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";

const AT = "2026-11-21T11:00:00.000000Z";
const UUID_NAME = "018f8a52-0c5d-7b6e-9d3f-0a1b2c3d4e5f";
const LATER = "2026-11-21T11:30:00.000000Z";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const seen = (name: string, timestamp: string, properties: object) =>
    event({ event: name, timestamp, properties });
  await app.capture(
    batch(
      seen("signed up", AT, { plan: "pro", "a/b~c.d": 1, tags: ["x"], since: "2026-11-01" }),
      seen("signed up", LATER, { plan: "free", price: 1.5, paid: true, since: "2026-11-02T10:00" }),
      seen("left", AT, { plan: 5, "one, two": 1, $set: { email: "ann@example.com", age: 42 } }),
      seen("$groupidentify", AT, {
        $group_type: "company",
        $group_key: "acme",
        $group_set: { size: 7 },
      }),
    ),
  );
  const { api_token } = await app.app.projects.create({ name: "second" });
  await app.capture({
    api_key: api_token,
    batch: [event({ event: "secret", properties: { hidden: 1, $set: { hidden: 1 } } })],
  });
});

afterAll(() => app[Symbol.asyncDispose]());

type Listed = { count: number; next: string | null; results: { name: string }[] };

const list = async (path: string) => {
  const { status, body } = await app.get(path);
  expect(status).toBe(200);
  return body as Listed;
};
const names = ({ results }: Listed) => results.map(({ name }) => name);
const definition = async (name: string, query = "") =>
  (await list(`/property_definitions/${query}`)).results.find((one) => one.name === name);

describe("definitions of events", () => {
  test("tell each name of the project, how often and when it was seen", async () => {
    const { count, results } = await list("/event_definitions/");

    expect(count).toBe(3);
    expect(results[0]).toEqual({
      id: expect.any(String),
      name: "signed up",
      count: 2,
      first_seen_at: AT,
      last_seen_at: LATER,
      ...NO_NOTE,
    } as never);
  });

  test("come in pages, and by a part of the name", async () => {
    const first = await list("/event_definitions/?limit=2");
    const second = await list("/event_definitions/?limit=2&offset=2");

    expect(names(first)).toEqual(["signed up", "$groupidentify"]);
    expect(first.next).toContain("offset=2");
    expect(second).toMatchObject({ count: 3, next: null, results: [{ name: "left" }] });
    expect(await list("/event_definitions/?offset=9")).toMatchObject({ count: 3, results: [] });
    expect(names(await list("/event_definitions/?search=SIGNED"))).toEqual(["signed up"]);
    expect(await list("/event_definitions/?search=secret")).toMatchObject({ count: 0 });
  });
});

describe("definitions of properties", () => {
  test.each<[string, string | null, number]>([
    ["plan", "String", 3],
    ["a/b~c.d", "Numeric", 1],
    ["price", "Numeric", 1],
    ["paid", "Boolean", 1],
    ["since", "DateTime", 2],
    ["tags", null, 1],
  ])("tell that %s of events is %s", async (name, property_type, count) => {
    expect(await definition(name)).toMatchObject({
      type: "event",
      property_type,
      is_numerical: property_type === "Numeric",
      count,
    });
  });

  test("tell when a property of events was last seen", async () => {
    expect(await definition("plan")).toMatchObject({ last_seen_at: LATER });
    expect(await definition("tags")).toMatchObject({ last_seen_at: AT });
  });

  test("are of persons and groups, too", async () => {
    expect(names(await list("/property_definitions/?type=person"))).toEqual(["age", "email"]);
    expect(await list("/property_definitions/?type=group")).toMatchObject({
      count: 1,
      results: [{ name: "size", type: "group", property_type: "Numeric", last_seen_at: null }],
    });
  });

  test("are never those of another project", async () => {
    for (const type of ["event", "person", "group"]) {
      expect(await definition("hidden", `?type=${type}`)).toBeUndefined();
    }
  });

  test("find the properties of rare events next to frequent ones", async () => {
    await using own = await testApp();
    await own.capture(batch(event({ event: "rare", properties: { rare: 1 } })));
    const frequent = Array.from({ length: 500 }, () => event({ properties: { frequent: 1 } }));
    await own.capture({ api_key: PROJECT_KEY, batch: frequent });

    const { body } = await own.get("/property_definitions/?search=r");

    const counts = (body as { results: { name: string; count: number }[] }).results;
    expect(counts.filter(({ name }) => !name.startsWith("$"))).toMatchObject([
      { name: "frequent", count: 500 },
      { name: "rare", count: 1 },
    ]);
  });

  test("find those of the rarest among more than a thousand names", async () => {
    await using own = await testApp();
    const frequent = Array.from({ length: 2000 }, (_, at) =>
      event({ event: `n${at % 1000}`, properties: { common: 1 } }),
    );
    await own.capture(batch(...frequent, event({ event: "rarely", properties: { onlyhere: 1 } })));

    for (const query of ["", "?search=only"]) {
      const { body } = await own.get(`/property_definitions/${query}`);
      const counts = (body as { results: object[] }).results;
      expect(counts).toContainEqual(expect.objectContaining({ name: "onlyhere", count: 1 }));
    }
    const { body } = await own.get("/property_definitions/?search=common");
    expect(body).toMatchObject({ results: [{ name: "common", count: 2000 }] });
  });

  test.each([
    ["?properties=plan", ["plan"]],
    ["?properties=price,plan,nothing", ["plan", "price"]],
    ["?properties=plan,price&search=PRI", ["price"]],
    ["?properties=age&type=person", ["age"]],
    ["?properties=plan&type=person", []],
    ["?properties=a%2Fb~c.d&exclude_core_properties=true", ["a/b~c.d"]],
    ['?properties=plan,paid&event_names=["left"]', ["plan"]],
    ["?properties=one,%20two", ["one, two"]],
  ])("of %s are those of these names", async (query, found) => {
    expect(await list(`/property_definitions/${query}`)).toMatchObject({ count: found.length });
    expect(names(await list(`/property_definitions/${query}`))).toEqual(found);
  });

  test("of more names than a list may have are refused", async () => {
    const many = Array(51).fill("x").join(",");
    expect(await app.get(`/property_definitions/?properties=${many}`)).toMatchObject({
      ...{ status: 400, body: { code: "invalid_input", attr: "properties" } },
    });
  });

  test("are of nothing else", async () => {
    const refused = await app.get("/property_definitions/?type=session");
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_choice", attr: "type" } });
  });
});

describe("a definition by its id", () => {
  beforeAll(() => app.capture(batch(event({ event: UUID_NAME }), event({ event: "by_name" }))));

  const idOf = async (path: string) => ((await app.get(path)).body as { id: string }).id;
  const patch = (path: string, body: object) => app.ask("PATCH", `${app.api}${path}`, { body });

  test.each([
    ["event_definitions", "left", ""],
    ["event_definitions", UUID_NAME, ""],
    ["property_definitions", "since", ""],
    ["property_definitions", "email", "?type=person"],
    ["property_definitions", "size", "?type=group"],
  ])("in %s, of %s%s, is that of its name", async (things, name, query) => {
    const { body } = await app.get(`/${things}/${name}/${query}`);
    const { id } = body as { id: string };

    for (const asked of [`${id}/`, `${id.toUpperCase()}/`, `${id}/${query}`]) {
      expect(await app.get(`/${things}/${asked}`)).toMatchObject({ status: 200, body });
    }
  });

  test("is changed, and no other one is", async () => {
    const note = { description: "Gone.", tags: ["churn"], verified: true };
    for (const [path, others] of [
      ["/event_definitions/left/", "/event_definitions/"],
      ["/property_definitions/email/?type=person", "/property_definitions/?type=person"],
    ] as const) {
      const id = await idOf(path);
      const things = path.slice(0, path.indexOf("/", 1));
      expect(await patch(`${things}/${id}/`, note)).toMatchObject({ body: { id, ...note } });
      expect((await app.get(path)).body).toMatchObject({ id, ...note });
      const { results } = await list(others);
      expect(results.filter((one) => "tags" in one && `${one.tags}` !== "")).toMatchObject([note]);
      await patch(`${things}/${id}/`, NO_NOTE);
    }
  });

  test("is found while the name has only a note", async () => {
    const made = await patch("/event_definitions/planned/", { description: "Soon." });
    const { id } = made.body as { id: string };
    expect((await app.get(`/event_definitions/${id}/`)).body).toEqual(made.body as object);
    await patch(`/event_definitions/${id}/`, { description: "" });
    expect((await app.get(`/event_definitions/${id}/`)).status).toBe(404);
  });

  test("is neither of another type, nor of another project, nor unknown", async () => {
    const id = await idOf("/property_definitions/email/?type=person");
    const paths = [
      `/property_definitions/${id}/?type=event`,
      `/event_definitions/${id}/`,
      `/event_definitions/${crypto.randomUUID()}/`,
    ];
    for (const path of paths) {
      expect((await app.get(path)).status).toBe(404);
      expect((await patch(path, { description: "x" })).status).toBe(404);
      expect((await app.get(path)).status).toBe(404);
    }
    const project = await app.app.projects.create({ name: "another" });
    const theirs = `/api/environments/${project.id}/property_definitions/${id}/`;
    expect((await app.ask("PATCH", theirs, { body: {} })).status).toBe(404);
    const group = await idOf("/property_definitions/size/?type=group");
    expect(await patch(`/property_definitions/${group}/`, { tags: [] })).toMatchObject({
      ...{ status: 400, body: { attr: "type" } },
    });
  });

  test("is in the answer of by_name, which is the name of an event, too", async () => {
    const byName = (name: string) => app.get(`/event_definitions/by_name/?name=${name}`);
    expect((await byName("signed%20up")).body).toMatchObject({ name: "signed up", count: 2 });
    expect((await byName("nothing")).status).toBe(404);
    expect((await byName(await idOf("/event_definitions/left/"))).status).toBe(404);
    expect((await app.get("/event_definitions/by_name/")).body).toMatchObject({ name: "by_name" });
    expect(await app.get("/event_definitions/left/?name=left")).toMatchObject({
      ...{ status: 400, body: { attr: "name" } },
    });
  });
});

describe("a note of a project on a name", () => {
  const EVENT = "/event_definitions/signed%20up/";
  const patch = (path: string, body: object) => app.ask("PATCH", `${app.api}${path}`, { body });

  test("is in the list and in the answer to its name", async () => {
    const { status, body } = await patch(EVENT, {
      description: "An account was made.",
      also_called: [" registration ", "Registration", "join"],
    });

    const definition = {
      ...{
        id: expect.any(String),
        name: "signed up",
        count: 2,
        first_seen_at: AT,
        last_seen_at: LATER,
      },
      ...{ ...NO_NOTE, description: "An account was made.", also_called: ["registration", "join"] },
    };
    expect([status, body]).toEqual([200, definition]);
    expect((await app.get(EVENT)).body).toEqual(definition);
    expect((await list("/event_definitions/")).results[0]).toEqual(definition);
    expect((await patch(EVENT, { description: "" })).body).toEqual({
      ...definition,
      description: "",
    });
    expect((await patch(EVENT, {})).body).toMatchObject({ also_called: ["registration", "join"] });
  });

  test("of properties is of those of events or of persons", async () => {
    const note = { also_called: ["tier"] };
    expect((await patch("/property_definitions/plan/", note)).body).toMatchObject({
      ...{ name: "plan", type: "event", count: 3, ...note },
    });
    const path = "/property_definitions/a%2Fb~c.d/";
    expect((await patch(path, { description: "odd" })).body).toMatchObject({
      ...{ name: "a/b~c.d", count: 1, property_type: "Numeric" },
    });
    expect((await app.get(path)).body).toMatchObject({ description: "odd" });
    expect((await patch("/property_definitions/age/?type=person", note)).body).toMatchObject({
      ...{ name: "age", type: "person", count: 1, ...note },
    });
    expect(await definition("plan")).toMatchObject({ also_called: ["tier"], description: "" });
    expect(await definition("age", "?type=person")).toMatchObject(note);
    expect((await app.get("/property_definitions/size/?type=group")).body).toMatchObject({
      ...{ name: "size", count: 1, description: "", also_called: [] },
    });
    const group = await patch("/property_definitions/size/?type=group", note);
    expect(group).toMatchObject({ status: 400, body: { attr: "type" } });
  });

  test("is taken for a name that does not occur, and gone with its last word", async () => {
    const path = "/event_definitions/to%20come/";
    expect((await app.get(path)).status).toBe(404);
    expect((await patch(path, { also_called: ["later"] })).body).toEqual({
      ...{
        id: expect.any(String),
        name: "to come",
        count: 0,
        first_seen_at: null,
        last_seen_at: null,
      },
      ...{ ...NO_NOTE, also_called: ["later"] },
    });
    expect((await app.get(path)).body).toMatchObject({ also_called: ["later"] });
    expect(await list("/event_definitions/?search=come")).toMatchObject({ count: 0 });
    expect((await patch(path, { also_called: [] })).body).toMatchObject({ count: 0 });
    expect((await app.get(path)).status).toBe(404);
    expect((await app.get("/property_definitions/signed%20up/")).status).toBe(404);
  });

  test.each([
    ["21 words", { also_called: Array(21).fill("x") }, "invalid_input", "also_called"],
    ["an empty word", { also_called: ["x", " "] }, "required", "also_called__1"],
    ["a long word", { also_called: ["é".repeat(101)] }, "too_long", "also_called__0"],
    ["a text as words", { also_called: "order" }, "invalid_input", "also_called"],
    ["a number as a word", { also_called: [1] }, "invalid_input", "also_called__0"],
    ["a long description", { description: "x".repeat(401) }, "too_long", "description"],
    ["a number", { description: 5 }, "invalid_input", "description"],
    ["51 tags", { tags: Array(51).fill("x") }, "invalid_input", "tags"],
    ["a long tag", { tags: ["x", "é".repeat(256)] }, "too_long", "tags__1"],
    ["a number as verified", { verified: 1 }, "invalid_input", "verified"],
    ["a field that is not kept", { hidden: true }, "invalid_input", "hidden"],
  ])("is refused with %s", async (_with, body, code, attr) => {
    expect(await patch(EVENT, body)).toMatchObject({ status: 400, body: { code, attr } });
  });

  test("is refused for a name that is too long", async () => {
    const path = `/event_definitions/${"x".repeat(201)}/`;
    expect(await patch(path, { description: "x" })).toMatchObject({
      ...{ status: 400, body: { code: "too_long", attr: "name" } },
    });
  });

  test("is of one project", async () => {
    const { id } = await app.app.projects.create({ name: "third" });
    const other = `/api/environments/${id}/event_definitions/signed%20up/`;
    expect((await app.ask("GET", other)).status).toBe(404);
    await app.ask("PATCH", other, { body: { also_called: ["theirs"] } });
    expect((await app.ask("GET", other)).body).toMatchObject({ also_called: ["theirs"], count: 0 });
    expect((await app.get(EVENT)).body).toMatchObject({ also_called: ["registration", "join"] });
  });
});
