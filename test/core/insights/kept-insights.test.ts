import { beforeEach, describe, expect, test } from "bun:test";
import { QUERY_BYTES_MAX } from "../../../src/core/queries/insight.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const NOON = "2026-11-21T12:00:00.000000Z";
const QUERY = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "view" }] };

type Insight = { id: number; short_id: string; name: string; saved: boolean };

const insightsOf = () => `${app.api}/insights/`;
const save = async (body: object) => {
  const made = await app.ask("POST", insightsOf(), { body });
  expect(made.status).toBe(201);
  const insight = made.body as Insight;
  return { insight, address: `${insightsOf()}${insight.short_id}/` };
};
const asked = async (name: string) => {
  const { body } = await app.ask("POST", `${app.api}/max_tools/create_and_query_insight/`, {
    body: { query: QUERY, name },
    headers: { prefer: "return=representation" },
  });
  const { insight } = body as { insight: Insight };
  return { insight, address: `${insightsOf()}${insight.short_id}/` };
};
const names = async (query = "") => {
  const { status, body } = await app.ask("GET", insightsOf() + query);
  expect(status).toBe(200);
  return (body as { results: Insight[] }).results.map(({ name }) => name);
};

describe("an insight", () => {
  test("is saved with every field, without being run, and read as it was saved", async () => {
    const sent = { name: "Views", description: "é\u{1f994}", query: QUERY, favorited: true };

    const { insight, address } = await save(sent);

    const owner = expect.objectContaining({ id: 1, email: "owner@localhost.localdomain" });
    expect(insight).toEqual({
      ...sent,
      id: expect.any(Number),
      short_id: expect.stringMatching(/^[2-9A-HJ-NP-Za-km-z]{8}$/),
      saved: true,
      dashboards: [],
      deleted: false,
      derived_name: null,
      filters: {},
      tags: [],
      updated_at: NOON,
      created_at: NOON,
      created_by: owner,
      last_modified_at: NOON,
      last_modified_by: owner,
    } as never);
    expect(await app.ask("GET", address)).toMatchObject({ status: 200, body: insight });
    expect((await save(sent)).insight.short_id).not.toBe(insight.short_id);
  });

  test.each([
    [QUERY, "view"],
    [{ kind: "InsightVizNode", source: QUERY }, "view"],
    [{ kind: "HogQLQuery", query: "SELECT 1" }, ""],
  ])("may be of any kind, and has a name: %j", async (query, name) => {
    expect((await save({ query })).insight).toMatchObject({ query, name });
  });

  test("of words has their query, and them as its name", async () => {
    const query = { kind: "WordsQuery", query: "bounce rate today" };
    expect((await save({ query })).insight).toMatchObject({
      query: { kind: "TrendsQuery", dateRange: { date_from: "-0d" } },
      name: "bounce rate today",
    });
  });

  test.each<[string, object, string, string]>([
    ["no query", {}, "required", "query"],
    ["a query that is no object", { query: "views" }, "invalid_input", "query"],
    ["an unknown kind", { query: { kind: "X" } }, "invalid_choice", "query__kind"],
    ["a query without series", { query: { kind: "TrendsQuery" } }, "required", "query__series"],
    ["words that are no text", { query: { kind: "WordsQuery" } }, "invalid_input", "query__query"],
    [
      "a query that is too long",
      { query: { kind: "SQLQuery", query: "x".repeat(QUERY_BYTES_MAX) } },
      ...(["too_long", "query"] as const),
    ],
    ["a long name", { query: QUERY, name: "x".repeat(401) }, "too_long", "name"],
    [
      "a long description",
      { query: QUERY, description: "x".repeat(401) },
      "too_long",
      "description",
    ],
    [
      "a time of events that cannot be read",
      { query: { kind: "EventsQuery", select: ["*"], after: "soon" } },
      ...(["invalid_input", "query__after"] as const),
    ],
    [
      "an end of events that cannot be read",
      { query: { kind: "EventsQuery", select: ["*"], before: "2026-99-99" } },
      ...(["invalid_input", "query__before"] as const),
    ],
    ["an unknown dashboard", { query: QUERY, dashboards: [999] }, "invalid_input", "dashboards"],
    ["a dashboard by name", { query: QUERY, dashboards: ["1"] }, "invalid_input", "dashboards__0"],
  ])("is refused with %s", async (_what, body, code, attr) => {
    const { address } = await save({ query: QUERY });
    const before = await app.ask("GET", address);

    expect(await app.ask("POST", insightsOf(), { body })).toMatchObject({
      ...{ status: 400, body: { code, attr } },
    });
    if (!("query" in body)) return;
    expect(await app.ask("PATCH", address, { body })).toMatchObject({
      ...{ status: 400, body: { code, attr } },
    });
    expect((await app.ask("GET", address)).body).toEqual(before.body as never);
  });

  test.each<[object, boolean]>([
    [{}, false],
    [{ deleted: false }, false],
    [{ name: "Kept" }, true],
    [{ favorited: true }, true],
    [{ dashboards: [] }, true],
    [{ saved: true }, true],
    [{ name: "Kept", saved: false }, false],
  ])("that was only asked is saved by a change: %j", async (body, saved) => {
    const { insight, address } = await asked("Views");
    expect(insight.saved).toBe(false);

    const changed = await app.ask("PATCH", address, { body });

    expect(changed).toMatchObject({ status: 200, body: { name: "Views", ...body, saved } });
  });

  test("knows who changed its name, description or query last", async () => {
    const { value: key } = await app.app.keys.create({
      ...{ label: "x", scopes: ["*"], email: "ann@x.y" },
    });
    const { address } = await save({ query: QUERY });
    const modifier = async (body: object) => {
      const { body: changed } = await app.ask("PATCH", address, { body, key });
      return (changed as { last_modified_by: { email: string } }).last_modified_by.email;
    };

    expect(await modifier({ favorited: true })).toBe("owner@localhost.localdomain");
    expect(await modifier({ query: { kind: "WordsQuery", query: "views" } })).toBe("ann@x.y");
  });

  test("is deleted by DELETE, which PATCH takes back", async () => {
    const { insight, address } = await save({ name: "Views", query: QUERY });

    expect(await app.ask("DELETE", address)).toMatchObject({ status: 204, body: "" });
    expect((await app.ask("GET", address)).status).toBe(404);
    expect([await names(), await names("?deleted=true")]).toEqual([[], ["Views"]]);
    const restored = await app.ask("PATCH", address, { body: { deleted: false } });
    expect(restored).toMatchObject({ status: 200, body: insight });
    expect(await names()).toEqual(["Views"]);
  });
});

test("insights are listed by what people search for", async () => {
  await save({ query: QUERY, name: "Ärger 100%", favorited: true });
  await save({ query: QUERY, name: "b", description: "of all é" });
  await asked("only asked");

  expect(await names()).toEqual(["only asked", "b", "Ärger 100%"]);
  expect(await names("?saved=true")).toEqual(["b", "Ärger 100%"]);
  expect(await names("?saved=false")).toEqual(["only asked"]);
  expect(await names("?favorited=true")).toEqual(["Ärger 100%"]);
  expect(await names("?favorited=0&saved=1")).toEqual(["b"]);
  expect(await names(`?search=${encodeURIComponent("ärger 1")}`)).toEqual(["Ärger 100%"]);
  expect(await names(`?search=${encodeURIComponent("ALL É")}`)).toEqual(["b"]);
  expect(await names("?search=*&created_by=1")).toEqual([]);
  expect(await names("?created_by=1&search=")).toHaveLength(3);
  expect(await names("?created_by=999")).toEqual([]);
});
