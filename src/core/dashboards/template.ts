import { sourceOf } from "../queries/insight.ts";
import type { JsonObject } from "../values/json.ts";
import type { Layouts, Tile } from "./dashboard.ts";

/** A tile of a template: a query, its name and its place. */
export type TemplateTile = { name: string; query: JsonObject; layouts: Layouts };

/** An insight of a tile, with the name and the query that it gets. */
export type TemplateInsight = Pick<TemplateTile, "name" | "query"> & { short_id: string };

/** Names of templates that callers may choose. */
export const TEMPLATES = ["website"] as const;

/** One of TEMPLATES. */
export type Template = (typeof TEMPLATES)[number];

/** Properties of the template that an event store may have to give a column. */
export const WEBSITE_PROPERTIES = ["$geoip_country_name"] as const;

/** Rows of a list, such as that of the top pages. */
const LIST_ROWS = 10;

/** The main event of a project: page views of a website, screens of an app, else events of any name. */
export type Subject = "$pageview" | "$screen" | null;

const VIEWS = { $pageview: "Page views", $screen: "Screen views" } as const;

/** Returns the main event of a project with events of these names. */
export function subjectOf(names: readonly string[]): Subject {
  return (["$pageview", "$screen"] as const).find((name) => names.includes(name)) ?? null;
}

/** Returns the tiles of the dashboard "Website": four numbers, visitors over time, and lists two in a row. */
export function websiteTiles(subject: Subject): TemplateTile[] {
  const all = trend(subject, "total");
  const visitors = trend(subject, "dau");
  const lists = [
    mainList(subject),
    subject === "$pageview"
      ? (["Sources", listOf(visitors, "$referring_domain")] as const)
      : (["Systems", listOf(visitors, "$os")] as const),
    ["Countries", listOf(visitors, WEBSITE_PROPERTIES[0])],
    ["Devices", listOf(visitors, "$device_type")],
  ] as const;
  const numbers: readonly [name: string, query: JsonObject][] = [
    ["Visitors", number(visitors)],
    [subject === null ? "Events" : VIEWS[subject], number(all)],
    ["Sessions", number(trend(null, "unique_session"))],
    subject === "$pageview"
      ? ["Bounce rate", number(BOUNCE_RATE)]
      : ["Session length", number(SESSION_LENGTH)],
  ];
  const byDay = { ...visitors, ...COMPARED, trendsFilter: { display: "ActionsLineGraph" } };
  return [
    ...numbers.map(([name, query], at) => placed(name, query, { x: at * 3, y: 0, w: 3, h: 2 })),
    placed("Visitors over time", byDay, { x: 0, y: 2, w: 12, h: 5 }),
    ...lists.map(([name, query], at) =>
      placed(name, query, { x: (at % 2) * 6, y: 7 + Math.floor(at / 2) * 5, w: 6, h: 5 }),
    ),
  ];
}

/**
 * Returns the insights of tiles that were made before the main event of a project was known, as they are with it. An
 * insight that was changed stays as it is.
 */
export function withSubject(tiles: readonly Tile[], subject: Subject): TemplateInsight[] {
  const [before, after] = [websiteTiles(null), websiteTiles(subject)];
  return tiles.flatMap(({ insight }) => {
    const at = before.findIndex(
      ({ name, query }) =>
        name === insight?.name && Bun.deepEquals(sourceOf(query), sourceOf(insight.query)),
    );
    const next = after[at];
    if (insight === null || next === undefined) return [];
    return [{ short_id: insight.short_id, name: next.name, query: next.query }];
  });
}

const placed = (name: string, query: JsonObject, sm: NonNullable<Layouts["sm"]>) => ({
  ...{ name, query: { kind: "InsightVizNode", source: query }, layouts: { sm } },
});

const COMPARED: JsonObject = { compareFilter: { compare: true } };

const trend = (event: Subject, math: string): JsonObject => ({
  ...{ kind: "TrendsQuery", series: [{ kind: "EventsNode", event, math }], interval: "day" },
});

const number = (query: JsonObject): JsonObject => ({
  ...{ ...query, ...COMPARED },
  trendsFilter: { ...(query["trendsFilter"] as JsonObject | undefined), display: "BoldNumber" },
});

const VIEWED: JsonObject = { kind: "EventsNode", event: "$pageview", math: "unique_session" };

/** The share of visits with one page view and nothing else, in percent. */
const BOUNCE_RATE: JsonObject = {
  ...{ kind: "TrendsQuery", interval: "day" },
  series: [
    {
      ...VIEWED,
      properties: [{ key: "$is_bounce", type: "session", operator: "exact", value: ["true"] }],
    },
    VIEWED,
  ],
  trendsFilter: { formula: "A / B * 100", aggregationAxisFormat: "percentage" },
};

const SESSION_LENGTH: JsonObject = {
  ...{ kind: "TrendsQuery", interval: "day" },
  series: [
    {
      ...{ kind: "EventsNode", event: null, math: "avg", math_property: "$session_duration" },
      math_property_type: "session_properties",
    },
  ],
  trendsFilter: { aggregationAxisFormat: "duration" },
};

const listOf = (query: JsonObject, breakdown: string, type = "event"): JsonObject => ({
  ...query,
  breakdownFilter: {
    ...{ breakdown, breakdown_type: type, breakdown_limit: LIST_ROWS },
    breakdown_hide_other_aggregation: true,
  },
  trendsFilter: { display: "ActionsBarValue" },
});

function mainList(subject: Subject): [name: string, query: JsonObject] {
  if (subject === null)
    return ["Events by name", listOf(trend(null, "total"), "event", "event_metadata")];
  return subject === "$pageview"
    ? ["Top pages", listOf(trend(subject, "total"), "$pathname")]
    : ["Screens", listOf(trend(subject, "total"), "$screen_name")];
}
