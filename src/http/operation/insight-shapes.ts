import { t } from "elysia";
import { TAG_CHARS_MAX, TAGS_MAX } from "../../core/values/tags.ts";
import {
  AnyObject,
  AnyValue,
  DateTime,
  PersonShape,
  Text,
  Texts,
  UserShape,
  Whole,
} from "./schemas.ts";

/** A question about events, for examples. */
export const QUERY = {
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "$pageview", math: "dau" }],
  interval: "week",
  dateRange: { date_from: "-90d" },
  breakdownFilter: { breakdown: "$browser", breakdown_limit: 5 },
};

/** Tags of an insight or a dashboard, as they are read. */
export const Tags = Texts(["ops"], "As they were sent.");

/** The fields by which tags, and the folder that clients of PostHog name, are sent. */
export const TagFields = {
  tags: t.Optional(
    Texts(["ops"], `At most ${TAGS_MAX} tags of at most ${TAG_CHARS_MAX} characters.`),
  ),
  _create_in_folder: t.Optional(
    Text("Unfiled", "For clients of PostHog. There are no folders, and another one is refused."),
  ),
};

/** A filter of a list by tags. */
export const TagFilter = {
  tags: t.Optional(Text('["ops"]', "Only those with any of these tags: a JSON list, or one tag.")),
};

/** An insight that is kept. */
export const InsightShape = t.Object(
  {
    id: Whole(1),
    short_id: Text("k7mXq2pB"),
    name: Text("Visitors by browser"),
    description: Text("Which browsers to test."),
    query: AnyObject(QUERY, "The query as it was sent."),
    tags: Tags,
    favorited: t.Boolean(),
    saved: t.Boolean({
      description: "Saved insights stay. Others are removed once there are too many.",
    }),
    dashboards: t.Array(t.Integer(), {
      description: "Ids of the dashboards that have it.",
      examples: [[1]],
    }),
    deleted: t.Boolean({ description: "Deleted insights are erased in the next night." }),
    created_at: DateTime,
    created_by: UserShape,
    last_modified_at: DateTime,
    last_modified_by: UserShape,
    updated_at: DateTime,
    derived_name: t.Nullable(Text("", "Always null: without a name, `name` describes the query.")),
    filters: AnyObject({}, "Always empty: `query` has the filters."),
  },
  { $id: "Insight" },
);

const number = (example: number, description: string) =>
  t.Nullable(t.Number({ examples: [example], description }));

const seconds = (description: string) => t.Optional(t.Array(number(3600, description)));

const ResultShape = t.Object(
  {
    label: Text("unique users of $pageview"),
    breakdown_value: t.Nullable(
      t.Union([t.String(), t.Array(t.String())], {
        examples: ["Firefox"],
        description:
          "Null without a breakdown; `$$_posthog_breakdown_null_$$` of events without a value, `$$_posthog_breakdown_other_$$` of all other values together. With several properties, a list with a value of each.",
      }),
    ),
    data: t.Array(number(42, "Null if it cannot be calculated, or if its time is in the future."), {
      description: "A number for each column.",
    }),
    aggregated_value: number(
      42,
      "The total. For `dau`, the number of persons; for a funnel, the share that reached the last step, over time in percent, or of its times the average or median; for retention, the number that began.",
    ),
    series: t.Optional(
      t.Integer({
        examples: [0],
        description:
          "Only for trends without a formula and for stickiness: the place of the series in the query, as a query for persons has it.",
      }),
    ),
    event: t.Optional(
      t.Nullable(Text("$pageview", "Only for trends and stickiness. Null for all events.")),
    ),
    name: t.Optional(
      Text("Bounce rate", "Only for formulas without a `custom_name`: the measure in words."),
    ),
    math: t.Optional(Text("dau", "Only for trends; `formula` for a formula.")),
    math_property: t.Optional(t.Nullable(Text("price"))),
    unit: t.Optional(
      t.Union([t.Literal("percent"), t.Literal("seconds")], {
        description: "The unit of the numbers, where they are no counts and it is known.",
      }),
    ),
    compare_label: t.Optional(
      t.Union([t.Literal("current"), t.Literal("previous")], {
        description: "Only for trends that are compared with the previous period.",
      }),
    ),
    currency: t.Optional(Text("EUR", "Of amounts of money, where it is known: ISO 4217.")),
    is_small: t.Optional(
      t.Literal(true, {
        description:
          "A formula, an average or a percentile by a breakdown, of fewer than five persons.",
      }),
    ),
    change_percent: t.Optional(
      number(12.5, "Only for current lines of a comparison: the change of `aggregated_value`."),
    ),
    change_points: t.Optional(number(2.5, "The same of percentages: percentage points.")),
    days: t.Optional(
      t.Array(Text("2026-11-21", "The beginning of an interval."), {
        description: "Only for numbers by interval: when each number of `data` begins.",
      }),
    ),
    labels: t.Optional(
      t.Array(t.String(), { examples: [["21-Nov-2026"]], description: "The same, to be read." }),
    ),
    count: t.Optional(
      t.Number({ examples: [42], description: "Only for trends: the sum of `data`." }),
    ),
    average_conversion_times: seconds("Only for funnels: seconds from the step before."),
    median_conversion_times: seconds("Only for funnels: seconds from the step before."),
    source: t.Optional(Text("1_/pricing", "Only for paths.")),
    target: t.Optional(Text("2_signup", "Only for paths.")),
    source_paths: t.Optional(Whole(84, "Only for paths: how many came to the source.")),
    source_ends: t.Optional(Whole(12, "Only for paths: how many of them ended at the source.")),
    target_paths: t.Optional(Whole(60, "Only for paths: how many came to the target.")),
    reached_from_step_count: t.Optional(
      t.Array(Whole(84), {
        description: "Only for funnels over time: of how many persons each number is the share.",
      }),
    ),
    reached_to_step_count: t.Optional(
      t.Array(Whole(42), { description: "Only for funnels over time: how many converted." }),
    ),
    average_conversion_time: t.Optional(
      number(1500, "For paths milliseconds, for the times of a funnel seconds."),
    ),
    median_conversion_time: t.Optional(number(1500, "Only for the times of a funnel: seconds.")),
  },
  { $id: "InsightResult" },
);

const Warnings = t.Optional(
  Texts(
    ['No event "orderd" has come yet. Did you mean "ordered"?'],
    "Only if the query has names of events or properties that nothing in the project has.",
  ),
);

/** The fields of an answer to a question about events. */
export const AnswerFields = {
  columns: Texts(
    ["2026-11-16"],
    "Names of the numbers in `data`. Trends and lifecycle: the start of each interval, in the project's time zone. Funnels: the steps, over time the intervals, of times the seconds from which on each bin counts persons. Retention and stickiness: the intervals.",
  ),
  results: t.Array(ResultShape),
  sql: Text("SELECT …", "A SELECT with the same numbers; `…/query/` runs it without a change."),
  elapsed_ms: Whole(42),
  query: AnyObject(QUERY, "The query as it was understood."),
  explanation: Text(
    "Visitors per week by browser, top 5, last 91 days (24 Aug to 28 Nov 2026, UTC).",
    "The measure, its breakdown, filters and period, from the query alone; for words, how they were read.",
  ),
  sentence: t.Nullable(
    Text(
      "Visitors per week by browser, top 5, last 91 days",
      "The explanation without dates. Asked as words, it is the same query; null if words cannot say it.",
    ),
  ),
  calculated_at: DateTime,
  warnings: Warnings,
  other_readings: t.Optional(
    Texts(
      ["Page views by page, last 30 days"],
      "Other meanings of the words, as whole questions; the likeliest first.",
    ),
  ),
};

/** Persons of a number of an answer. */
export const ActorsShape = t.Object(
  {
    columns: Texts(["person", "count", "last_at"]),
    results: t.Array(
      t.Array(
        t.Union([
          t.Nullable(PersonShape),
          t.Number({ examples: [3] }),
          Text("2026-11-21T12:00:00.000000Z"),
        ]),
      ),
      {
        description:
          "A person, how often, and the time of the last event, ISO 8601 in UTC. All persons without a profile are one row, with null. Of `sum` the second is the person's sum, of sessions and groups their number, of a funnel the steps that were reached, of paths the paths, of stickiness the intervals; else it is the events.",
      },
    ),
    count: Whole(84, "All persons that were counted; each of those without a profile is one."),
    hasMore: t.Boolean({
      description: "Whether more rows follow: `offset` and the rows of this part.",
    }),
    offset: Whole(0),
    calculated_at: DateTime,
  },
  { $id: "InsightActors" },
);

const TableFields = {
  columns: Texts(["person", "created_at"], "As they were asked for."),
  types: t.Array(t.Array(t.String()), {
    examples: [[["created_at", "TIMESTAMP"]]],
    description: "The name and the type of each column.",
  }),
  results: t.Array(t.Array(AnyValue("2026-11-21T12:00:00.000000Z")), {
    description:
      "Rows. A person without a profile has its `uuid` alone. A property is as it is stored; where rows are grouped, as text.",
  }),
  hasMore: t.Boolean({ description: "Whether more rows follow." }),
  limit: Whole(100),
  offset: Whole(0),
  query: AnyObject({ kind: "EventsQuery", select: ["*"] }, "The query as it was understood."),
  sentence: Text("Purchases, one by one, last 31 days", "The explanation without dates."),
  explanation: Text("Purchases, one by one, last 31 days."),
  calculated_at: DateTime,
  warnings: Warnings,
  elapsed_ms: Whole(42),
};

/** Rows of persons or events. */
export const TableShape = t.Object(TableFields, { $id: "InsightTable" });

/** An insight with its rows of persons or events. */
export const TableAnswerShape = t.Object(
  { insight: InsightShape, ...TableFields },
  { $id: "InsightTableAnswer" },
);

/** An insight with its answer. */
export const AnswerShape = t.Object(
  { insight: InsightShape, ...AnswerFields },
  { $id: "InsightAnswer" },
);
