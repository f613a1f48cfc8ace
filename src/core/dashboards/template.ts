import { sourceOf } from "../queries/insight.ts";
import type { Json, JsonObject } from "../values/json.ts";
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
export const WEBSITE_PROPERTIES = ["$geoip_country_name", "$browser_language"] as const;

/** Rows of a list, such as that of the top pages. */
const LIST_ROWS = 10;

/** Columns of the grid, and the rows of it that a card takes. */
const COLUMNS = 12;
const NUMBERS_ROWS = 7;
const LIST_HEIGHT = 5;

/** The main event of a project: page views of a website, screens of an app, else events of any name. */
export type Subject = "$pageview" | "$screen" | null;

const VIEWS = { $pageview: "Page views", $screen: "Screen views" } as const;

/** Returns the main event of a project with events of these names. */
export function subjectOf(names: readonly string[]): Subject {
  return (["$pageview", "$screen"] as const).find((name) => names.includes(name)) ?? null;
}

/** Returns the tiles of the dashboard "Website": tiles at one place are the tabs of a card. */
export function websiteTiles(subject: Subject): TemplateTile[] {
  const numbers = numbersOf(subject).map(([name, query]) => [name, number(query)] as const);
  const cards = [numbers, ...listsOf(subject)];
  return cards.flatMap((tiles, at) => {
    const isAloneInRow = at === cards.length - 1 && at % 2 === 1;
    const place =
      at === 0
        ? { x: 0, y: 0, w: COLUMNS, h: NUMBERS_ROWS }
        : {
            ...{ x: ((at - 1) % 2) * (COLUMNS / 2), h: LIST_HEIGHT },
            w: isAloneInRow && subject !== null ? COLUMNS : COLUMNS / 2,
            y: NUMBERS_ROWS + Math.floor((at - 1) / 2) * LIST_HEIGHT,
          };
    return tiles.map(([name, query]) => placed(name, query, place));
  });
}

type Named = readonly [name: string, query: JsonObject];

/** The numbers, of which a chart draws the chosen one. */
function numbersOf(subject: Subject): Named[] {
  // Those of any event, as a question for visits counts them.
  const [all, sessions] = [trend(subject, "total"), trend(null, "unique_session")];
  const name = subject === "$pageview" ? "Visit" : "Session";
  const perSession = {
    ...all,
    series: [...(all["series"] as Json[]), ...(sessions["series"] as Json[])],
    trendsFilter: { formula: "A / B" },
  };
  const views = subject === null ? "Events" : VIEWS[subject];
  return [
    ["Visitors", trend(subject, "dau")],
    [`${name}s`, sessions],
    [views, all],
    [`${views.replace("Page views", "Views")} per ${name.toLowerCase()}`, perSession],
    ...(subject === "$pageview" ? [["Bounce rate", BOUNCE_RATE] as const] : []),
    [`${name} length`, SESSION_LENGTH],
  ];
}

/** The lists, those of a card together. */
function listsOf(subject: Subject): Named[][] {
  const visitors = trend(subject, "dau");
  const bySession = (property: string) => listOf(visitors, property, "session");
  const all = trend(subject, "total");
  const countries: Named[] = [["Countries", listOf(visitors, WEBSITE_PROPERTIES[0])]];
  const devices: Named[] = [
    ["Devices", listOf(visitors, "$device_type")],
    ["Systems", listOf(visitors, "$os")],
  ];
  if (subject === null) {
    return [[["Events by name", listOf(all, "event", "event_metadata")]], countries, devices];
  }
  const goals: Named[] = [
    ["Goals", listOf(custom("dau"), "event", "event_metadata")],
    ["Custom events", listOf(custom("total"), "event", "event_metadata")],
  ];
  if (subject === "$screen") {
    const versions = listOf(visitors, "$app_version");
    return [
      [["Screens", listOf(all, "$screen_name")]],
      countries,
      [...devices, ["Versions", versions]],
      goals,
    ];
  }
  return [
    [
      ["Sources", bySession("$entry_referring_domain")],
      ["Channels", bySession("$channel_type")],
      ["Campaigns", bySession("$entry_utm_campaign")],
    ],
    [
      ["Top pages", listOf(all, "$pathname")],
      ["Entry pages", bySession("$entry_pathname")],
      ["Exit pages", bySession("$end_pathname")],
    ],
    [...countries, ["Languages", listOf(visitors, WEBSITE_PROPERTIES[1])]],
    [
      ["Devices", listOf(visitors, "$device_type")],
      ["Browsers", listOf(visitors, "$browser")],
      ["Systems", listOf(visitors, "$os")],
    ],
    goals,
  ];
}

/** New names of the tiles of any project, by the main event that became known. Others keep their names. */
const RENAMED: Record<NonNullable<Subject>, Record<string, string>> = {
  $pageview: {
    ...{ Sessions: "Visits", Events: "Page views", "Events per session": "Views per visit" },
    ...{ "Session length": "Visit length", "Events by name": "Top pages" },
  },
  $screen: {
    ...{ Events: "Screen views", "Events per session": "Screen views per session" },
    "Events by name": "Screens",
  },
};

/** The changes of tiles that were made before the main event of a project was known. */
export type Renewal = {
  insights: TemplateInsight[];
  /** Empty unless the dashboard is as it was made. */
  places: { id: number; layouts: Layouts }[];
  added: TemplateTile[];
};

/**
 * Returns tiles as they are with a main event. An insight that was changed stays as it is, and so do the places of a
 * dashboard that was changed.
 */
export function renewalOf(tiles: readonly Tile[], subject: NonNullable<Subject>): Renewal {
  const after = websiteTiles(subject);
  const insights: TemplateInsight[] = [];
  const places: Renewal["places"] = [];
  for (const { id, insight, layouts } of tiles) {
    const before = insight && formerOf(insight);
    if (!before) continue;
    const name = RENAMED[subject][before.name] ?? before.name;
    const next = after.find((one) => one.name === name);
    if (next === undefined) continue;
    insights.push({ short_id: insight.short_id, name, query: next.query });
    if (Bun.deepEquals(layouts, before.layouts)) places.push({ id, layouts: next.layouts });
  }
  const isAsMade = places.length === tiles.length && tiles.length === websiteTiles(null).length;
  if (!isAsMade) return { insights, places: [], added: [] };
  const names = new Set(insights.map(({ name }) => name));
  return { insights, places, added: after.filter(({ name }) => !names.has(name)) };
}

/** Whether a tile is as it was made before the main event of its project was known. */
export const isFormer = ({ insight }: Tile): boolean =>
  insight !== null && formerOf(insight) !== undefined;

const formerOf = (insight: Pick<TemplateTile, "name" | "query">): TemplateTile | undefined =>
  websiteTiles(null).find(
    ({ name, query }) =>
      name === insight.name && Bun.deepEquals(sourceOf(query), sourceOf(insight.query)),
  );

const placed = (name: string, query: JsonObject, sm: NonNullable<Layouts["sm"]>) => ({
  ...{ name, query: { kind: "InsightVizNode", source: query }, layouts: { sm } },
});

const COMPARED: JsonObject = { compareFilter: { compare: true } };

const trend = (event: Subject, math: string): JsonObject => ({
  ...{ kind: "TrendsQuery", series: [{ kind: "EventsNode", event, math }], interval: "day" },
});

/** Events with names of the project's own: those of SDKs begin with `$`. */
const custom = (math: string): JsonObject => {
  const own = { type: "event_metadata", key: "event", operator: "not_regex", value: "^[$]" };
  const node = { kind: "EventsNode", event: null, math, properties: [own] };
  return { kind: "TrendsQuery", series: [node], interval: "day" };
};

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
