import { beforeEach, describe, expect, test } from "bun:test";
import { DASHBOARD_TILES_MAX } from "../../../../src/core/dashboards/dashboard.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import type { TestProject } from "../../../support/start/app.ts";
import { sharedApp } from "../../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const NOON = "2026-11-21T12:00:00.000000Z";
const QUERY = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "view" }] };
const HOSTILE = `<img src=x onerror=alert(1)>'";--\u202e\u{1f994}`;

type Insight = { id: number; short_id: string; name: string; dashboards: number[] };
type Tile = { id: number; insight: Insight | null; text: { body: string } | null };
type Dashboard = { id: number; name: string; tiles: Tile[] };
type Listed = { count: number; results: Dashboard[] };

const dashboardsOf = () => `${app.api}/dashboards/`;
const make = async (body: object = {}) => {
  const made = await app.ask("POST", dashboardsOf(), { body });
  expect(made.status).toBe(201);
  const dashboard = made.body as Dashboard;
  return { dashboard, address: `${dashboardsOf()}${dashboard.id}/` };
};
const read = async (address: string) => (await app.ask("GET", address)).body as Dashboard;
const listed = async (query = "") => (await app.ask("GET", dashboardsOf() + query)).body as Listed;
const patch = async (address: string, body: object) => app.ask("PATCH", address, { body });
const insight = async (name: string) =>
  (await app.ask("POST", `${app.api}/insights/`, { body: { query: QUERY, name } })).body as Insight;

describe("a dashboard", () => {
  test("is made with every field, and read as it was made", async () => {
    const sent = {
      name: HOSTILE,
      description: "é\u{1f994}",
      tags: ["ops", HOSTILE],
      pinned: true,
      filters: { date_from: "-30d", properties: [{ key: "plan", type: "person", value: "pro" }] },
    };

    const { dashboard, address } = await make(sent);

    const owner = expect.objectContaining({ id: 1, email: "owner@localhost.localdomain" });
    expect(dashboard).toEqual({
      ...sent,
      id: expect.any(Number),
      deleted: false,
      created_at: NOON,
      created_by: owner,
      last_modified_at: NOON,
      last_modified_by: owner,
      tiles: [],
    } as never);
    expect(await app.ask("GET", address)).toMatchObject({ status: 200, body: dashboard });
    const { tiles: _tiles, ...row } = dashboard;
    expect((await listed()).results).toEqual([row] as never);
  });

  test("needs nothing, and changes in the sent fields alone", async () => {
    const { dashboard, address } = await make();
    expect(dashboard).toMatchObject({ name: "", description: "", pinned: false, filters: {} });

    for (const change of [{ name: "b" }, { pinned: true }, { filters: { date_to: "-1d" } }, {}]) {
      const before = await read(address);
      const changed = await patch(address, change);
      expect(changed).toMatchObject({ status: 200, body: { ...before, ...change } });
    }
  });

  test("is deleted and restored by PATCH, never by DELETE", async () => {
    const { dashboard, address } = await make({ name: "Sales", tiles: [{ text: { body: "x" } }] });

    expect(await app.ask("DELETE", address)).toMatchObject({ status: 405, body: "" });
    expect(await patch(address, { deleted: true })).toMatchObject({ body: { deleted: true } });
    expect((await app.ask("GET", address)).status).toBe(404);
    expect([(await listed()).count, (await listed("?deleted=true")).count]).toEqual([0, 1]);
    expect(await patch(address, { deleted: false })).toMatchObject({
      status: 200,
      body: dashboard,
    });
  });

  test.each<[string, object, string, string]>([
    ["a long name", { name: "x".repeat(401) }, "too_long", "name"],
    ["a long description", { description: "x".repeat(10_001) }, "too_long", "description"],
    ["another name", { name: 5 }, "invalid_input", "name"],
    ["an unknown filter", { filters: { interval: "day" } }, "invalid_input", "filters__interval"],
    ["an unknown time", { filters: { date_from: "soon" } }, "invalid_input", "filters__date_from"],
    ["a tile of nothing", { tiles: [{ color: "red" }] }, "invalid_input", "tiles__0"],
    [
      "a tile of both",
      { tiles: [{ insight: 1, text: { body: "" } }] },
      "invalid_input",
      "tiles__0",
    ],
    ["an unknown insight", { tiles: [{ insight: 9e9 }] }, "invalid_input", "tiles__0__insight"],
    ["an unknown tile", { tiles: [{ id: 9e9 }] }, "invalid_input", "tiles__0__id"],
    [
      "a long text",
      { tiles: [{ text: { body: "x".repeat(4001) } }] },
      "too_long",
      "tiles__0__text__body",
    ],
    [
      "a long color",
      { tiles: [{ text: { body: "" }, color: "x".repeat(41) }] },
      "too_long",
      "tiles__0__color",
    ],
    [
      "a place off the grid",
      { tiles: [{ text: { body: "" }, layouts: { sm: { x: 7, y: 0, w: 6, h: 1 } } }] },
      ...(["invalid_input", "tiles__0__layouts"] as const),
    ],
    [
      "too many tiles",
      { tiles: Array(DASHBOARD_TILES_MAX + 1).fill({ text: { body: "" } }) },
      ...(["invalid_input", "tiles"] as const),
    ],
  ])("is refused with %s, and unchanged", async (_what, body, code, attr) => {
    const { dashboard, address } = await make({ name: "Sales", tiles: [{ text: { body: "x" } }] });

    for (const refused of [
      await app.ask("POST", dashboardsOf(), { body }),
      await patch(address, body),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { code, attr } });
    }
    expect(await read(address)).toEqual(dashboard);
    expect((await listed()).count).toBe(1);
  });

  test.each(["999999", "x", "01", "1.0", "-1"])("that is absent gets 404: %s", async (id) => {
    expect((await app.ask("GET", `${dashboardsOf()}${id}/`)).status).toBe(404);
    expect((await patch(`${dashboardsOf()}${id}/`, { name: "x" })).status).toBe(404);
  });
});

describe("tiles", () => {
  const sm = { x: 0, y: 0, w: 6, h: 5 };

  test("are insights and texts, in their order, and stay unless they are sent", async () => {
    const [a, b] = [await insight("a"), await insight("b")];
    const { dashboard, address } = await make({
      tiles: [
        { insight: a.id, layouts: { sm } },
        { text: { body: HOSTILE }, color: "blue" },
      ],
    });
    expect(dashboard.tiles).toMatchObject([
      {
        insight: { name: "a", dashboards: [dashboard.id] },
        text: null,
        layouts: { sm },
        color: null,
      },
      { insight: null, text: { body: HOSTILE }, layouts: {}, color: "blue" },
    ]);
    const [first, second] = dashboard.tiles;

    const { body } = await patch(address, {
      tiles: [
        { id: first?.id, deleted: true },
        { id: second?.id, text: { body: "changed" } },
        { insight: b, color: null },
      ],
    });

    expect((body as Dashboard).tiles).toMatchObject([
      { id: second?.id, text: { body: "changed" }, color: "blue" },
      { insight: { name: "b" }, text: null },
    ]);
    expect(await read(address)).toEqual(body as never);
    expect((await app.ask("GET", `${app.api}/insights/${a.short_id}/`)).status).toBe(200);
    expect((await patch(address, { tiles: (body as Dashboard).tiles })).body).toEqual(
      body as never,
    );
  });

  test("keep what they show, and are deleted by their id", async () => {
    const [a, b] = [await insight("a"), await insight("b")];
    const { dashboard, address } = await make({
      tiles: [{ insight: a.id }, { text: { body: "x" } }],
    });
    const [first, second] = dashboard.tiles.map(({ id }) => id);
    for (const [tile, attr] of [
      [{ id: first, insight: b.id }, "insight"],
      [{ id: first, text: { body: "y" } }, "text"],
      [{ id: second, insight: a.id }, "insight"],
      [{ insight: a.id, deleted: true }, "id"],
    ] as const) {
      const refused = await patch(address, { tiles: [tile] });
      expect(refused).toMatchObject({ status: 400, body: { attr: `tiles__0__${attr}` } });
    }
    expect((await read(address)).tiles).toEqual(dashboard.tiles);
  });

  test("have an insight once, also if it is put there by the insight", async () => {
    const one = await insight("a");
    const { dashboard, address } = await make({ tiles: [{ insight: one.id }] });
    for (const tiles of [
      [{ insight: one.id }, { insight: one.id }],
      [dashboard.tiles[0], { insight: one.id }],
    ]) {
      expect(await patch(address, { tiles })).toMatchObject({
        status: 400,
        body: { attr: "tiles__1__insight", detail: expect.stringContaining("twice") },
      });
    }
    const other = await make();
    const path = `${app.api}/insights/${one.short_id}/`;
    expect(dashboard.tiles).toHaveLength(1);

    const ids = [dashboard.id, other.dashboard.id];
    expect(await patch(path, { dashboards: ids })).toMatchObject({ body: { dashboards: ids } });
    expect((await read(address)).tiles).toHaveLength(1);
    expect((await read(other.address)).tiles).toHaveLength(1);
    expect(await patch(path, { dashboards: [] })).toMatchObject({ body: { dashboards: [] } });
    expect((await read(address)).tiles).toEqual([]);
  });

  test("of a deleted insight are hidden until it is restored", async () => {
    const one = await insight("a");
    const { dashboard, address } = await make({ tiles: [{ insight: one.id }] });
    const path = `${app.api}/insights/${one.short_id}/`;

    await app.ask("DELETE", path);
    expect((await read(address)).tiles).toEqual([]);
    await patch(path, { deleted: false });
    expect((await read(address)).tiles).toMatchObject([{ id: dashboard.tiles[0]?.id }]);
  });

  test("are bounded, however they are added", async () => {
    const one = await insight("a");
    const texts = Array.from({ length: DASHBOARD_TILES_MAX }, (_, n) => ({
      text: { body: `${n}` },
    }));
    const { dashboard, address } = await make({ tiles: texts });

    const refused = [
      await patch(address, { tiles: [{ text: { body: "more" } }] }),
      await patch(`${app.api}/insights/${one.short_id}/`, { dashboards: [dashboard.id] }),
    ];

    expect(refused).toMatchObject([
      { status: 400, body: { attr: "tiles" } },
      { status: 400, body: { attr: "dashboards" } },
    ]);
    expect((await read(address)).tiles).toHaveLength(DASHBOARD_TILES_MAX);
  });
});

test("dashboards are listed by what people search for", async () => {
  await make({ name: "Ärger", pinned: true });
  await make({ name: "b", description: "of all é" });
  const names = async (query: string) => (await listed(query)).results.map(({ name }) => name);

  expect(await names("")).toEqual(["b", "Ärger"]);
  expect(await names(`?search=${encodeURIComponent("äRG")}`)).toEqual(["Ärger"]);
  expect(await names(`?search=${encodeURIComponent("ALL É")}`)).toEqual(["b"]);
  expect(await names("?pinned=true&created_by=1")).toEqual(["Ärger"]);
  expect(await names("?created_by=999")).toEqual([]);
});

describe("the dashboard of a project", () => {
  const view = (name: string, properties: object) =>
    event({ event: name, timestamp: "2026-11-20T10:00:00Z", properties });
  const titles = ({ tiles }: Dashboard) => tiles.map(({ insight: one }) => one?.name);
  const $session_id = "0193a5b1-7f3c-7d21-8a01-2d9c3f1e5b77";

  const WEBSITE = [
    ...["Visitors", "Visits", "Page views", "Views per visit", "Bounce rate", "Visit length"],
    ...["Sources", "Channels", "Campaigns", "Top pages", "Entry pages", "Exit pages"],
    ...["Countries", "Languages", "Devices", "Browsers", "Systems", "Goals", "Custom events"],
  ];

  test("gets the tabs of a website with the first page view, as if it were made then", async () => {
    await app.capture(batch(view("hello", {})));
    const address = `${dashboardsOf()}${(await listed()).results[0]?.id}/`;
    await read(address);
    await app.capture(batch(view("$pageview", { $session_id })));
    const [after] = await Promise.all([read(address), read(address)]);
    const { dashboard } = await make({ name: "Mine", use_template: "website" });
    type Placed = { insight: { name: string; query: object }; layouts: object };
    const byName = ({ tiles }: Dashboard) =>
      (tiles as unknown as Placed[])
        .map(({ insight: one, layouts }) => ({ name: one.name, query: one.query, layouts }))
        .toSorted((a, b) => a.name.localeCompare(b.name));
    expect(byName(after)).toEqual(byName(dashboard));
    expect(await read(address)).toEqual(after);
  });

  test.each<[string, string[], string]>([
    ["a website", ["signup", "$pageview", "$screen"], "Top pages"],
    ["an app", ["signup", "$screen"], "Screens"],
    ["a server", ["signup", "paid"], "Events by name"],
  ])("is made once, when it is listed with events: of %s", async (_what, names, list) => {
    expect((await listed()).count).toBe(0);
    await app.capture(batch(...names.map((name) => view(name, { $session_id }))));

    const [first, again] = await Promise.all([listed(), listed()]);

    expect(first.results).toMatchObject([
      { name: "Website", pinned: true, filters: { date_from: "-6d" } },
    ]);
    expect(again).toEqual(first);
    const address = `${dashboardsOf()}${first.results[0]?.id}/`;
    const website = await read(address);
    expect(titles(website)).toContain(list);
    expect(website.tiles.length).toBeGreaterThan(8);
    for (const { insight: one } of website.tiles) {
      const { query } = one as unknown as { query: object };
      const answered = await app.ask("POST", `${app.api}/query/`, { body: { query } });
      expect([one?.name, answered.status]).toEqual([one?.name, 200]);
    }
    await patch(address, { deleted: true });
    expect((await listed()).count).toBe(0);
  });

  test("gets tiles of a website with the first page view, unless they were changed", async () => {
    await app.capture(batch(view("hello", {})));
    const address = `${dashboardsOf()}${(await listed()).results[0]?.id}/`;
    const before = await read(address);
    const [first] = before.tiles;
    const own = `${app.api}/insights/${first?.insight?.short_id}/`;
    await app.ask("PATCH", own, { body: { name: "People" } });
    await app.capture(batch(view("$pageview", { $session_id })));

    const after = await read(address);

    // It was changed, so that nothing else is added.
    expect(titles(after)).toEqual([
      ...["People", "Visits", "Page views", "Views per visit", "Visit length"],
      ...["Top pages", "Countries", "Devices", "Systems"],
    ]);
    const idsOf = ({ tiles }: Dashboard) => tiles.map(({ insight: one }) => one?.short_id);
    expect(idsOf(after)).toEqual(idsOf(before));
    expect(await read(address)).toEqual(after);
  });

  test("is also a template, with insights of its own that are saved", async () => {
    const { dashboard } = await make({ name: "Mine", use_template: "website" });

    expect([dashboard.name, ...titles(dashboard)]).toEqual(["Mine", ...WEBSITE]);
    expect(dashboard).toMatchObject({ filters: { date_from: "-6d" } });
    const { body } = await app.ask("GET", `${app.api}/insights/?saved=true`);
    expect((body as Listed).count).toBe(WEBSITE.length);
    const refused = await app.ask("POST", dashboardsOf(), { body: { use_template: "x" } });
    expect(refused).toMatchObject({ status: 400, body: { attr: "use_template" } });
  });
});

describe("the filters of a dashboard", () => {
  const view = (day: number, plan: string) =>
    event({
      event: "$pageview",
      distinct_id: `d${day}`,
      timestamp: `2026-11-${String(day).padStart(2, "0")}T10:00:00Z`,
      properties: { plan, $session_id: Bun.randomUUIDv7() },
    });
  const is = { key: "plan", type: "event", operator: "exact", value: "pro" };
  const TOTAL = { ...QUERY, series: [{ event: "$pageview", math: "total" }] };
  const answered = async (body: object, key?: string) => {
    const sent = key === undefined ? { body } : { body, key };
    return await app.ask("POST", `${app.api}/query/`, sent);
  };
  const sumOf = async (body: object) => {
    const { status, body: answer } = await answered(body);
    expect(status).toBe(200);
    const { results } = answer as { results: { data: number[] }[] };
    return results.flatMap(({ data }) => data).reduce((sum, one) => sum + one, 0);
  };

  test.each<[string, object]>([
    ["a typed query", TOTAL],
    ["words that are one", { kind: "WordsQuery", query: "how many page views yesterday" }],
    ["words with lines", { kind: "WordsQuery", query: "page views by plan yesterday" }],
    ["words about sessions", { kind: "WordsQuery", query: "number of sessions yesterday" }],
  ])("are put over %s", async (_what, query) => {
    await app.capture(batch(view(1, "pro"), view(2, "free"), view(19, "pro"), view(20, "free")));
    const { dashboard } = await make({ filters: { date_from: "2026-11-01", properties: [is] } });
    const { id } = dashboard;

    expect(await sumOf({ query, dashboard: id })).toBe(2);
    const filters_override = { date_from: "2026-11-02" };
    expect(await sumOf({ query, dashboard: id, filters_override })).toBe(1);
    expect(await sumOf({ query, filters_override })).toBe(3);
    expect(
      await sumOf({ query, filters_override: { date_from: "all", date_to: "2026-11-01" } }),
    ).toBe(1);
  });

  test("may be of any kind, over words, too", async () => {
    await app.capture(batch(view(19, "pro"), view(20, "free"), view(20, "none")));
    const query = { kind: "WordsQuery", query: "how many page views this month" };
    const either = { type: "OR", values: [is, { ...is, value: "free" }] };
    expect(await sumOf({ query, filters_override: { properties: either } })).toBe(2);
    const pattern = [{ ...is, operator: "regex", value: "o" }];
    expect(await sumOf({ query, filters_override: { properties: pattern } })).toBe(2);
  });

  test("are not put over SQL, and are read with a scope of their own", async () => {
    const { dashboard } = await make({ filters: { date_from: "2026-11-01" } });
    const sql = { kind: "HogQLQuery", query: "SELECT 1 AS one" };
    expect(await answered({ query: sql, dashboard: dashboard.id })).toMatchObject({ status: 200 });

    const key = (await app.app.keys.create({ label: "x", scopes: ["query:read"] })).value;
    expect(await answered({ query: TOTAL }, key)).toMatchObject({ status: 200 });
    expect(await answered({ query: TOTAL, dashboard: dashboard.id }, key)).toMatchObject({
      status: 403,
    });
  });

  test.each<[string, object, string]>([
    ["an absent dashboard", { dashboard: 9e9 }, "dashboard"],
    ["an unknown filter", { filters_override: { x: 1 } }, "filters_override__x"],
    ["an unknown time", { filters_override: { date_from: "x" } }, "filters_override__date_from"],
  ])("are refused: %s", async (_what, body, attr) => {
    await app.capture(batch(view(20, "pro")));
    const query = { kind: "WordsQuery", query: "page views yesterday" };
    const refused = await answered({ query, ...body });
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_input", attr } });
  });

  test("of a deleted dashboard are not found", async () => {
    const { dashboard, address } = await make();
    await patch(address, { deleted: true });
    expect(await answered({ query: TOTAL, dashboard: dashboard.id })).toMatchObject({
      ...{ status: 400, body: { attr: "dashboard" } },
    });
  });
});
