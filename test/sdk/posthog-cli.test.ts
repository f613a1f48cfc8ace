import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { attributesOf, logsBody } from "../support/data/logs.ts";
import { type Cli, openCli, runCli } from "../support/data/posthog-cli.ts";
import { settled } from "../support/disk/project-contents.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

// Log records and changes of properties are answers that are empty by default.
const server = sharedServer({ flags: ["--prefer", "representation"] });

type Row = Record<string, unknown>;
type Listed = { results: Row[] };

let cli: Cli;
const { error } = console;

const DAYS = { dateRange: { date_from: "-7d" } };
const node = (event: string) => ({ kind: "EventsNode", event });
const trends = { kind: "TrendsQuery", ...DAYS, series: [node("signed up")] };
const funnel = { kind: "FunnelsQuery", ...DAYS, series: [node("signed up"), node("paid")] };
const SQL = "SELECT event, count() FROM events WHERE event LIKE 's%' GROUP BY event ORDER BY event";

beforeAll(async () => {
  // It reports each refusal there, too.
  console.error = () => {};
  const item = (event: string, distinct_id: string, properties: object = {}) => {
    return { event, distinct_id, properties };
  };
  await server.capture({
    api_key: PROJECT_KEY,
    batch: [
      item("signed up", "ann", { source: "ad", $set: { plan: "pro", seats: 3, city: "Bonn" } }),
      item("signed up", "bob", { source: "mail" }),
      item("paid", "ann", { price: 9.5 }),
      item("$pageview", "ann", { $pathname: "/a", $current_url: "https://shop.example/a" }),
    ],
  });
  const records = [{ body: { stringValue: "cart is empty" } }];
  const shop = { attributes: attributesOf({ "service.name": "shop" }) };
  await server.capture(logsBody(records, shop), `/i/v1/logs?token=${PROJECT_KEY}`);
  await settled(server);
  cli = await openCli(server.url);
});

afterAll(() => {
  console.error = error;
  cli?.[Symbol.dispose]();
});

describe("posthog-cli api", () => {
  test("runs as a process, and ends with 1 and the reason when it is refused", async () => {
    const args = ["call", "--json", "user-get", "{}"];
    const { code, out, err } = await runCli(server.url, args);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ id: 1, email: expect.stringContaining("@") });

    const refused = await runCli(server.url, args, { POSTHOG_CLI_API_KEY: "phx_unknown" });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/API key|401/i);
  });

  test("finds the organization and its project by the key alone", async () => {
    const { results } = await cli.call<Listed>("organizations-list");
    expect(results).toHaveLength(1);
    const [organization] = await cli.call<Row[]>("organizations-get");
    expect(organization).toMatchObject({ id: results[0]?.["id"] });
    expect(await cli.call("organization-get")).toMatchObject({ id: organization?.["id"] });
    expect(await cli.call("projects-get")).toMatchObject([{ id: 1 }]);
    expect(await cli.call("project-get")).toMatchObject({
      id: 1,
      organization: organization?.["id"],
    });
  });

  test.each([
    ["query-trends", { ...trends, kind: undefined }],
    ["query-trends", { ...trends, trendsFilter: { display: "ActionsBar" } }],
    [
      "query-trends",
      { ...trends, breakdownFilter: { breakdowns: [{ property: "source", type: "event" }] } },
    ],
    [
      "query-trends",
      { ...trends, compareFilter: { compare: true }, trendsFilter: { display: "BoldNumber" } },
    ],
    ["query-funnel", { ...funnel, funnelsFilter: { funnelWindowInterval: 7 } }],
    ["query-lifecycle", { ...DAYS, series: trends.series }],
    ["query-stickiness", { ...DAYS, series: trends.series }],
    ["query-paths", { ...DAYS, pathsFilter: { includeEventTypes: ["custom_event"] } }],
    [
      "query-retention",
      {
        retentionFilter: {
          period: "Day",
          totalIntervals: 3,
          targetEntity: { id: "signed up", type: "events" },
          returningEntity: { id: "paid", type: "events" },
        },
      },
    ],
  ])("%s of %j has results", async (tool, query) => {
    const { results } = await cli.call<Listed>(tool, query);
    expect(results.length).toBeGreaterThan(0);
  });

  test.each([
    ["trends", { kind: "InsightVizNode", source: trends }],
    ["SQL", { kind: "DataVisualizationNode", source: { kind: "HogQLQuery", query: SQL } }],
  ])("makes, reads, runs, changes and deletes an insight of %s", async (kind, query) => {
    const name = `signed up as ${kind}`;
    const made = await cli.call("insight-create", { name, query, tags: ["made"], favorited: true });
    await cli.call("insight-create", { name: "a later one", query });
    const { id, short_id } = made as { id: number; short_id: string };

    for (const one of [short_id, id]) {
      expect(await cli.call("insight-get", { id: one })).toMatchObject({ id, short_id });
      const run = await cli.call("insight-query", { insightId: one, output_format: "json" });
      expect(run).toMatchObject({ insight: { id }, results: expect.anything() });
      const renamed = `${name} by ${one}`;
      expect(await cli.call("insight-update", { id: one, name: renamed })).toMatchObject({ id });
      const { results } = await cli.call<Listed>("insights-list", { search: renamed });
      expect(results.map((found) => found["id"])).toEqual([id]);
    }

    await cli.call("insight-delete", { id: short_id });
    await expect(cli.call("insight-get", { id: short_id })).rejects.toThrow(/404/);
    expect(
      (await cli.call<Listed>("insights-list", { search: "a later one" })).results,
    ).toHaveLength(1);
    const [later] = (await cli.call<Listed>("insights-list", { search: "a later one" })).results;
    await cli.call("insight-delete", { id: later?.["id"] });
  });

  test("makes a dashboard, puts an insight on it, changes and deletes it", async () => {
    const sent = { name: "Shop", description: "all of it", pinned: true, tags: ["ops"] };
    const { id } = await cli.call<{ id: number }>("dashboard-create", sent);
    const query = { kind: "InsightVizNode", source: trends };
    const insight = await cli.call("insight-create", { name: "on it", query });
    await cli.call("insight-update", { id: insight["id"], dashboards: [id] });

    const board = await cli.call("dashboard-get", { id });
    expect(board).toMatchObject({ ...sent, tiles: [{ insight: { id: insight["id"] } }] });
    const changed = { id, name: "Shop 2", filters: { date_from: "-14d" } };
    expect(await cli.call("dashboard-update", changed)).toMatchObject(changed);
    const found = () => cli.call<Listed>("dashboards-get-all", { search: "shop" });
    expect((await found()).results).toMatchObject([{ id, name: "Shop 2" }]);
    await cli.call("dashboard-delete", { id });
    expect((await found()).results).toEqual([]);
  });

  test("finds persons, changes their properties, and deletes them with their events", async () => {
    const { results } = await cli.call<Listed>("persons-list", { distinct_id: "ann" });
    const id = results[0]?.["uuid"];
    const properties = async () => (await cli.call("persons-retrieve", { id }))["properties"];
    expect(await properties()).toMatchObject({ plan: "pro", seats: 3 });

    await cli.call("persons-property-set", { id, key: "seats", value: 4 });
    expect(await properties()).toMatchObject({ seats: 4 });
    await cli.call("persons-property-delete", { id, unset: "seats" });
    await cli.call("persons-property-delete", { id, unset: ["plan"] });
    expect(await properties()).not.toContainAnyKeys(["seats", "plan"]);
    expect(await cli.call("persons-values-retrieve", { key: "$current_url" })).toMatchObject({
      results: [{ name: "https://shop.example/a" }],
    });

    const erased = { distinct_ids: ["bob"], delete_events: true };
    expect(await cli.call("persons-bulk-delete", erased)).toMatchObject({ persons_found: 1 });
    expect((await cli.call<Listed>("persons-list", { distinct_id: "bob" })).results).toEqual([]);
  });

  test("keeps annotations and playlists", async () => {
    const draft = { content: "deploy", date_marker: "2026-02-03T04:05:06Z", scope: "project" };
    const { id } = await cli.call("annotation-create", draft);
    await cli.call("annotations-partial-update", { id, content: "deploy 2" });
    expect(await cli.call("annotation-retrieve", { id })).toMatchObject({ content: "deploy 2" });
    const { results } = await cli.call<Listed>("annotations-list");
    expect(results).toMatchObject([{ id, content: "deploy 2" }]);
    await cli.call("annotation-delete", { id });
    expect((await cli.call<Listed>("annotations-list")).results).toEqual([]);

    const list = { name: "Watch", type: "collection" };
    const { short_id } = await cli.call("session-recording-playlist-create", list);
    await cli.call("session-recording-playlist-update", { short_id, name: "Seen" });
    const read = await cli.call("session-recording-playlist-get", { short_id });
    expect(read).toMatchObject({ name: "Seen", type: "collection" });
  });

  test.each([
    ["event-definition-update", { eventName: "paid" }, "/event_definitions/"],
    ["property-definition-update", { propertyName: "price" }, "/property_definitions/"],
    [
      "property-definition-update",
      { propertyName: "city", type: "person" },
      "/property_definitions/?type=person",
    ],
  ])("%s describes the one of %j, and leaves all others alone", async (tool, named, path) => {
    const note = { description: "in EUR", tags: ["shop", "money"], verified: true };
    expect(await cli.call(tool, { ...named, data: note })).toMatchObject(note);
    await cli.call(tool, { ...named, data: { tags: ["shop"] } });

    const { results } = await server.get<Listed>(path);
    const described = results.filter(({ description }) => description !== "");
    expect(described).toMatchObject([{ ...note, name: Object.values(named)[0], tags: ["shop"] }]);
    const hidden = cli.call(tool, { ...named, data: { hidden: true } });
    await expect(hidden).rejects.toThrow(/Bad Request/);
  });

  test.each([
    ["event-definition-update", { eventName: "nothing" }],
    ["property-definition-update", { propertyName: "nothing" }],
  ])("%s of an unknown name is refused", async (tool, named) => {
    const change = cli.call(tool, { ...named, data: { description: "x" } });
    await expect(change).rejects.toThrow(/not found/);
  });

  test("finds the log records of a service", async () => {
    const { results } = await cli.call<Listed>("query-logs", { query: { serviceNames: ["shop"] } });
    expect(results).toMatchObject([{ body: "cart is empty", service_name: "shop" }]);
  });

  test.each([
    ["execute-sql", { query: SQL }, /…\/query\/ with a HogQLQuery/],
    ["read-data-schema", { query: { kind: "events" } }, /event_definitions/],
    ["feature-flag-get-all", {}, /there are no feature flags/],
    ["surveys-get-all", {}, /there are no surveys/],
    ["experiment-list", {}, /there are no experiments/],
    ["query-error-tracking-issues-list", {}, /\$exception/],
    ["cohorts-list", {}, /there are no cohorts/],
    ["actions-get-all", {}, /there are no actions/],
    ["notebooks-list", {}, /there are no notebooks/],
    ["dashboard-insights-run", { id: 1 }, /query/],
    ["dashboard-create-tile", { id: 1, type: "text", body: "# Shop" }, /tiles/],
    ["logs-count", { query: {} }, /logs.query/],
    ["query-web-overview", { ...DAYS }, /in words/],
  ])("%s is refused with what to use instead", async (tool, sent, advice) => {
    await expect(cli.call(tool, sent)).rejects.toThrow(advice);
  });

  test("prints links that lead to the console", async () => {
    const { _posthogUrl: printed } = await cli.call<{ _posthogUrl: string }>("insights-list");

    const page = await fetch(printed, { headers: { accept: "text/html" } });

    expect(printed).toContain("/project/1/");
    expect(page.status).toBe(200);
    expect(page.url).not.toContain("/project/");
  });
});
