import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { directionOf } from "../../src/console/pages/insights/direction.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { place } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

const DAY_MS = 86_400_000;

/** Page views of some visitors so many days ago, each in a session of its own, with an error for each. */
const visits = (daysAgo: number, count: number, properties: object = {}) =>
  Array.from({ length: count }, (_, at) => {
    const timestamp = new Date(Date.now() - daysAgo * DAY_MS - at * 1000).toISOString();
    const own = { $session_id: `s-${daysAgo}-${at}`, $pathname: "/", ...properties };
    const sent = { distinct_id: `person-${daysAgo}-${at}`, timestamp, properties: own };
    return { event: "$pageview", ...sent };
  });

const sentAs = (event: string, events: ReturnType<typeof visits>) =>
  events.map((one) => ({ ...one, event }));

beforeAll(async () => {
  browser = await launchChromium();
  const batch = [
    ...visits(1, 3),
    ...visits(8, 2),
    ...sentAs("$pageview", visits(8, 1)).map((one) => ({
      ...one,
      properties: { $session_id: "s-8-1" },
    })),
    ...sentAs("$exception", visits(1, 4)),
    ...sentAs("$exception", visits(8, 1)),
    ...sentAs("refund", visits(1, 4)),
    ...sentAs("refund", visits(8, 1)),
  ];
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
  opened = await openConsole(browser, server);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

const node = (event: string | null, more: object = {}) => ({ kind: "EventsNode", event, ...more });
const BOUNCED = { key: "$is_bounce", type: "session", operator: "exact", value: ["true"] };
const trend = (series: object[], more: object = {}) => ({ kind: "TrendsQuery", series, ...more });
const share = (over: object, formula = "A / B * 100", under: object = { math: "unique_session" }) =>
  trend([node("$pageview", over), node("$pageview", under)], { trendsFilter: { formula } });

describe("which way of a number is welcome", () => {
  const germans = { properties: [{ key: "$geoip_country_name", value: "Germany" }] };
  const lost = { properties: [{ key: "$pathname", value: "/not-found" }] };
  const bounced = { math: "unique_session", properties: [BOUNCED] };
  const not = { math: "unique_session", properties: [{ ...BOUNCED, value: ["false"] }] };
  const wrapped = { properties: { type: "AND", values: [{ type: "AND", values: [BOUNCED] }] } };

  test.each([
    ["visitors", trend([node("$pageview", { math: "dau" })]), "more"],
    ["screens", trend([node("$screen", { math: "total" })]), "more"],
    ["active users", trend([node(null, { math: "dau" })]), "more"],
    ["sessions, whose event is left out", trend([{ math: "unique_session" }]), "more"],
    ["visitors from a country", trend([node("$pageview", { math: "dau" })], germans), "more"],
    ["a name with a bounce in it", trend([node("bounced mail", { math: "total" })]), undefined],
    ["views of one page", trend([node("$pageview", { math: "total" })], lost), undefined],
    ["exceptions", trend([node("$exception", { math: "total" })]), "less"],
    ["people with rage clicks", trend([node("$rageclick", { math: "dau" })]), "less"],
    ["bounced visits", trend([node("$pageview", bounced)]), "less"],
    [
      "sessions that all bounced, by the filters of the query",
      trend([node(null, { math: "unique_session" })], wrapped),
      "less",
    ],
    ["visits that did not bounce", trend([node("$pageview", not)]), undefined],
    ["bounce rate", share(bounced), "less"],
    ["bounce rate in no percent", share(bounced, "A/B"), "less"],
    ["all but the bounce rate", share(bounced, "100 - A / B * 100"), undefined],
    ["its inverse", share({ math: "unique_session" }, "A / B * 100", bounced), "more"],
    ["events of a name of its own", trend([node("refund", { math: "total" })]), undefined],
    [
      "the average of a number",
      trend([node("$pageview", { math: "avg", math_property: "load_ms" })]),
      undefined,
    ],
    [
      "the length of sessions",
      trend([node(null, { math: "avg", math_property: "$session_duration" })]),
      "more",
    ],
  ] as const)("of %s", (_, query, expected) => {
    const line = "trendsFilter" in query ? { math: "formula" } : { series: 0 };
    expect(directionOf(query as never, line)).toBe(expected as never);
  });

  test.each([
    ["rising bounce rate", share(bounced), "bad"],
    ["rising exceptions", trend([node("$exception", { math: "total" })]), "bad"],
    ["rising visitors", trend([node("$pageview", { math: "dau" })]), "good"],
    ["rising refunds", trend([node("refund", { math: "total" })]), null],
  ])(
    "is the colour of %s",
    async (_, { trendsFilter, ...query }: Record<string, unknown>, colour) => {
      const { page, go } = opened;
      await go(
        place({
          ...query,
          ...{ dateRange: { date_from: "-6d" }, compareFilter: { compare: true } },
          trendsFilter: { ...(trendsFilter as object), display: "BoldNumber" },
        }),
      );
      const change = page.locator(".change > span").first();
      await change.getByText("up by").waitFor();
      expect((await change.getAttribute("class")) || null).toBe(colour);
    },
  );
});
