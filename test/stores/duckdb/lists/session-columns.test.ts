import { expect, test } from "bun:test";
import { CHANNELS } from "../../../../src/console/state/session-properties.ts";
import { COMPUTED_OF_SESSIONS } from "../../../../src/stores/duckdb/lists/session-columns.ts";
import { chance } from "../../../support/data/data-sets.ts";
import { sharedApp } from "../../../support/start/shared-app.ts";

const newProject = sharedApp({ now: Date.parse("2026-11-20T12:00:00Z") });

const VALUES: Record<string, readonly (string | undefined)[]> = {
  utm_source: [
    undefined,
    undefined,
    "",
    "Google",
    "newsletter",
    "instagram",
    "youtube",
    "(direct)",
  ],
  utm_medium: [undefined, undefined, "cpc", "E-Mail", "social", "affiliate", "push", "Paid-x"],
  utm_campaign: [undefined, undefined, undefined, "a cross-network", "Shopping spring", "video ad"],
  $referring_domain: [undefined, "$direct", "www.google.de", "blog.example", "m.facebook.com"],
  gclid: [undefined, undefined, undefined, undefined, "x1", ""],
  gad_source: [undefined, undefined, undefined, undefined, "1", "2"],
  fbclid: [undefined, undefined, undefined, undefined, "f1"],
};

type Visit = { id: string; person: string; first: Record<string, string | undefined> };

const dice = chance(5);

const VISITS: Visit[] = Array.from({ length: 400 }, (_, at) => ({
  ...{ id: `visit ${at}`, person: `person ${at % 90}` },
  first: Object.fromEntries(Object.entries(VALUES).map(([name, all]) => [name, dice.of(all)])),
}));

const SITES: Record<string, string> = {
  ...{ google: "Search", "www.google.de": "Search", instagram: "Social" },
  ...{ "m.facebook.com": "Social", youtube: "Video" },
};

/** The channel by PostHog's default rules, one after the other, for the values above. */
function channelOf({ first }: Visit): string {
  const lower = (name: string) => (first[name] || undefined)?.toLowerCase();
  const [source, medium = "", campaign = ""] = ["utm_source", "utm_medium", "utm_campaign"].map(
    lower,
  );
  const domain = first["$referring_domain"];
  const { gad_source: ad, fbclid } = first;
  if (campaign.includes("cross-network")) return "Cross Network";
  const isPaid =
    medium === "cpc" || medium.startsWith("paid") || Boolean(first["gclid"]) || ad !== undefined;
  const isDirect = domain === "$direct" && medium === "" && fbclid === undefined;
  if (!isPaid && isDirect && (source ?? "(direct)") === "(direct)") return "Direct";
  const kind = isPaid ? "Paid" : "Organic";
  const site = (name = "") => SITES[name] && `${kind} ${SITES[name]}`;
  if (!isPaid && source === "newsletter") return "Email";
  const bySource = site(source);
  if (bySource) return bySource;
  if (campaign.includes("shopping")) return `${kind} Shopping`;
  if (medium === "social") return `${kind} Social`;
  const organic: Record<string, string> = {
    ...{ affiliate: "Affiliate", "e-mail": "Email", push: "Push" },
  };
  if (!isPaid && organic[medium]) return organic[medium];
  const byDomain = site(domain);
  if (byDomain) return byDomain;
  if (campaign.includes("video") && ad !== "1") return `${kind} Video`;
  if (isPaid && ad === "1") return "Paid Search";
  if (fbclid !== undefined) return `${kind} Social`;
  if (isPaid) return "Paid Unknown";
  if (domain === "$direct") return "Direct";
  return domain === undefined ? "Unknown" : "Referral";
}

const counts = (all: readonly Visit[], keyOf: (one: Visit) => string) =>
  Object.fromEntries(
    [...Map.groupBy(all, channelOf)]
      .map(([channel, visits]) => [channel, new Set(visits.map(keyOf)).size] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

async function project() {
  const app = await newProject();
  const events = VISITS.flatMap(({ id, person, first }, at) => {
    const minute = (more: number) =>
      new Date(Date.UTC(2026, 10, 18, 0, at * 3 + more)).toISOString();
    const visited = { event: "$pageview", distinct_id: person };
    return [
      { ...visited, timestamp: minute(0), properties: { $session_id: id, ...first } },
      // The first event alone decides.
      {
        ...visited,
        timestamp: minute(1),
        properties: { $session_id: id, gclid: "x", utm_source: "bing" },
      },
    ];
  });
  await app.capture({ api_key: app.token, batch: events });
  const ask = async (query: object) => {
    const { status, body } = await app.ask("POST", `${app.api}/query/`, { body: { query } });
    expect({ query, status, body }).toMatchObject({ status: 200 });
    return body as { sql: string; results: { [name: string]: unknown }[] };
  };
  const rows = async (query: string) =>
    Object.fromEntries(
      (
        (await ask({ kind: "HogQLQuery", query })).results as unknown as [string, number][]
      ).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return { ask, rows };
}

const BY_CHANNEL = {
  breakdown: "$channel_type",
  ...{ breakdown_type: "session", breakdown_limit: 100 },
};

const trend = (math: string, more: object = {}) => ({
  ...{ kind: "TrendsQuery", series: [{ event: "$pageview", math }], ...more },
  ...{ dateRange: { date_from: "-6d" }, trendsFilter: { display: "ActionsBarValue" } },
});

test("channels of sessions are the same in SQL, insights and a plain loop", async () => {
  const { ask, rows } = await project();
  const visits = counts(VISITS, ({ id }) => id);
  const people = counts(VISITS, ({ person }) => person);
  expect(Object.keys(visits).length).toBeGreaterThan(12);

  expect(await rows("SELECT $channel_type, count() FROM sessions GROUP BY 1")).toEqual(visits);
  for (const [math, expected] of [
    ["unique_session", visits],
    ["dau", people],
  ] as const) {
    const { results, sql } = await ask(trend(math, { breakdownFilter: BY_CHANNEL }));
    const lines = results.map((one) => [one["breakdown_value"], one["aggregated_value"]]);
    expect(Object.fromEntries(lines)).toEqual(expected);
    const drafted = (await ask({ kind: "HogQLQuery", query: sql }))
      .results as unknown as unknown[][];
    const found = drafted.map((row) => row.filter((one) => typeof one !== "boolean").slice(-2));
    expect(Object.fromEntries(found)).toEqual(expected);
  }
});

const PAID = /^Paid/;

test.each<[operator: string, value: string | string[], passes: (channel: string) => boolean]>([
  ["exact", "Paid Search", (channel) => channel === "Paid Search"],
  ["is_not", ["Direct", "Email"], (channel) => channel !== "Direct" && channel !== "Email"],
  ["icontains", "paid", (channel) => PAID.test(channel)],
  ["not_regex", "^Paid", (channel) => !PAID.test(channel)],
])("a filter of the channel by %s %p", async (operator, value, passes) => {
  const { ask, rows } = await project();
  const passed = VISITS.filter((one) => passes(channelOf(one))).length;
  expect(passed).toBeGreaterThan(5);
  const properties = [{ key: "$channel_type", type: "session", operator, value }];
  const { results } = await ask(trend("unique_session", { properties }));
  expect(results.map((one) => one["aggregated_value"])).toEqual([passed]);
  const all = await rows("SELECT $channel_type, count() FROM sessions GROUP BY 1");
  const own = Object.entries(all).filter(([channel]) => passes(channel));
  expect(own.reduce((sum, [, count]) => sum + count, 0)).toBe(passed);
});

test("the console offers every channel", () => {
  const sql = COMPUTED_OF_SESSIONS["$channel_type"] ?? "";
  const known = [...sql.matchAll(/(?:THEN|ELSE) '([^']+)'/g)].map(([, channel]) => channel ?? "");
  expect(CHANNELS.map(({ value }) => value).sort()).toEqual([...new Set(known)].sort());
});
