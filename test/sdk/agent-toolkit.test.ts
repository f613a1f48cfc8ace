import { beforeAll, describe, expect, test } from "bun:test";
import { PostHogAgentToolkit } from "@posthog/agent-toolkit/tools";
import { settled } from "../support/disk/project-contents.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();

type Tool = Awaited<ReturnType<PostHogAgentToolkit["getTools"]>>[number];

let kit: PostHogAgentToolkit;
let tools: Map<string, Tool>;

beforeAll(async () => {
  kit = new PostHogAgentToolkit({
    posthogApiToken: PERSONAL_KEY,
    posthogApiBaseUrl: server.url,
  });

  tools = new Map((await kit.getTools()).map((tool) => [tool.name, tool]));
  const item = (event: string, distinct_id: string, properties: object) => {
    return { event, distinct_id, properties: { ...properties, $set: { plan: "pro" } } };
  };
  await server.capture({
    api_key: PROJECT_KEY,
    batch: [
      item("signed up", "ann", { source: "ad" }),
      item("signed up", "bob", { source: "mail" }),
      item("paid", "ann", { price: 9.5 }),
      item("$ai_generation", "ann", { $ai_model: "m-1", $ai_total_cost_usd: 0.25 }),
    ],
  });
  await settled(server);
});

/** What a tool answers, after its own check of what it is called with. */
async function call(name: string, parameters: object = {}): Promise<unknown> {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const [content] = (await tool.handler(kit.getContext(), tool.schema.parse(parameters))).content;
  return JSON.parse(content.text);
}

type Named = { name: string };
type Insight = Named & { id: number; short_id: string; query: { kind: string }; url: string };

const DAYS = { dateRange: { date_from: "-7d" } };
const node = (event: string) => ({ kind: "EventsNode", event, custom_name: event });
const trends = {
  kind: "InsightVizNode",
  source: { kind: "TrendsQuery", ...DAYS, series: [node("signed up")], trendsFilter: {} },
};
const sql = {
  kind: "DataVisualizationNode",
  source: {
    kind: "HogQLQuery",
    query: "SELECT event, count() FROM events WHERE event LIKE 's%' GROUP BY event ORDER BY event",
  },
};

/** Makes an insight of each kind of query that the tools know, and gets it by both of its ids. */
const QUERIES = { trends, sql };

describe("@posthog/agent-toolkit", () => {
  test("has its tools, as the key allows them", () => {
    expect(tools.size).toBeGreaterThan(40);
  });

  test("finds the organization, its project, and the names in it", async () => {
    const [organization, ...others] = (await call("organizations-get")) as { id: string }[];
    expect(others).toEqual([]);
    expect(await call("organization-details-get")).toEqual(organization);
    const projects = await call("projects-get");
    expect(projects).toMatchObject([{ id: 1, organization: organization?.id }]);

    const events = (await call("event-definitions-list")) as Named[];
    const names = ["$ai_generation", "paid", "settled", "signed up"];
    expect(events.map(({ name }) => name).sort()).toEqual(names);
    expect(await call("event-definitions-list", { q: "pai" })).toMatchObject([{ name: "paid" }]);
    const ofEvent = { type: "event", eventName: "paid" };
    expect(await call("properties-list", ofEvent)).toEqual([
      { name: "price", property_type: "Numeric" },
    ]);
    const withCore = { ...ofEvent, includePredefinedProperties: true };
    expect(await call("properties-list", withCore)).toContainEqual(
      expect.objectContaining({ name: "$set" }),
    );
    expect(await call("properties-list", { type: "person" })).toEqual([
      { name: "plan", property_type: "String" },
    ]);
  });

  test("runs trends, funnels and SQL", async () => {
    const [line] = (await call("query-run", { query: trends })) as { count: number }[];
    expect(line?.count).toBe(2);
    const funnel = { kind: "FunnelsQuery", ...DAYS, series: [node("signed up"), node("paid")] };
    const steps = await call("query-run", { query: { kind: "InsightVizNode", source: funnel } });
    expect(steps).toMatchObject([{ label: "Funnel", data: [2, 1] }]);
    expect(await call("query-run", { query: sql })).toEqual([
      ["settled", 1],
      ["signed up", 2],
    ]);
    const costs = await call("get-llm-total-costs-for-project", { projectId: 1, days: 3 });
    expect(costs).toMatchObject([{ breakdown_value: "m-1", count: 0.25 }]);
  });

  test.each(Object.entries(QUERIES))(
    "makes, reads, runs, changes and deletes an insight of %s",
    async (kind, query) => {
      const name = `signed up as ${kind}`;
      const data = { name, query, description: "by a tool", favorited: true, tags: ["made"] };
      const made = (await call("insight-create-from-query", { data })) as Insight;
      expect(made).toMatchObject({ name, description: "by a tool", favorited: true });
      await call("insight-create-from-query", { data: { ...data, name: "a later one" } });

      const { id, short_id } = made;
      for (const insightId of [short_id, String(id)]) {
        const found = (await call("insight-get", { insightId })) as Insight;
        expect(found).toMatchObject({ id, short_id, name, query: { kind: query.kind } });
        const run = (await call("insight-query", { insightId })) as { results: unknown };
        expect(run).toMatchObject({ insight: { id }, results: await call("query-run", { query }) });
      }
      const found = (await call("insights-get-all", { data: { search: name } })) as Insight[];
      expect(found.map((one) => one.id)).toEqual([id]);

      await call("insight-update", {
        insightId: short_id,
        data: { name: `${name}, renamed`, query },
      });
      const changed = await call("insight-get", { insightId: String(id) });
      expect(changed).toMatchObject({ name: `${name}, renamed`, description: "by a tool" });
      await call("insight-delete", { insightId: short_id });
      await expect(call("insight-get", { insightId: short_id })).rejects.toThrow(
        /No insight found/,
      );
      await expect(call("insight-get", { insightId: String(id) })).rejects.toThrow(/404/);
      const [other] = (await call("insights-get-all", { data: { limit: 1 } })) as Insight[];
      await call("insight-delete", { insightId: other?.short_id });
    },
  );

  test("makes a dashboard, puts insights on it, changes and deletes it", async () => {
    const data = { name: "Shop", description: "all of it", pinned: true, tags: ["made"] };
    const { id } = (await call("dashboard-create", { data })) as { id: number };
    const query = { data: { name: "on the board", query: trends, favorited: false } };
    const insight = (await call("insight-create-from-query", query)) as Insight;
    for (const insightId of [insight.short_id, String(insight.id)]) {
      await call("add-insight-to-dashboard", { data: { insightId, dashboardId: id } });
    }

    const board = await call("dashboard-get", { dashboardId: id });
    expect(board).toMatchObject({
      id,
      name: "Shop",
      tiles: [{ insight: { short_id: insight.short_id } }],
    });
    await call("dashboard-update", { dashboardId: id, data: { name: "Shop 2", pinned: false } });
    const found = await call("dashboards-get-all", { data: { search: "shop", limit: 5 } });
    expect(found).toEqual([{ id, name: "Shop 2", description: "all of it" }]);
    await call("dashboard-delete", { dashboardId: id });
    expect(await call("dashboards-get-all", { data: { search: "shop" } })).toEqual([]);
    await expect(call("dashboard-get", { dashboardId: id })).rejects.toThrow(/404/);
  });

  test("reads the dashboard that the server made", async () => {
    await server.capture({ api_key: PROJECT_KEY, event: "$pageview", distinct_id: "ann" });
    await settled(server);
    const [own] = (await call("dashboards-get-all")) as { id: number }[];

    const { tiles } = (await call("dashboard-get", { dashboardId: own?.id })) as {
      tiles: { insight: Insight }[];
    };

    expect(tiles.length).toBeGreaterThan(0);
    for (const { insight } of tiles) {
      const run = await call("insight-query", { insightId: insight.short_id });
      expect(run).toMatchObject({ insight: { short_id: insight.short_id } });
    }
  });

  test.each([
    ["feature-flag-get-all", {}],
    ["surveys-get-all", {}],
    ["experiment-get-all", {}],
    ["list-errors", {}],
  ])("%s says that there is no such thing", async (name, parameters) => {
    await expect(call(name, parameters)).rejects.toThrow(
      /Not Found|404|ErrorTrackingQuery|Validation/,
    );
  });

  test("the links that it prints lead to the page of the console", async () => {
    const [insight] = (await call("insights-get-all")) as Insight[];

    const page = await fetch(insight?.url ?? "", { headers: { accept: "text/html" } });

    expect([page.status, new URL(page.url).pathname]).toEqual([200, expect.stringMatching(/./)]);
    expect(page.url).not.toContain("/project/");
  });
});
