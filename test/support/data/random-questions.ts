import type { NamedProperty, ProjectVocabulary } from "../../../src/core/ports/vocabulary.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import type { Choices } from "./random-choices.ts";

/** Names of events: with spaces, underscores, digits, capitals, umlauts, and words of the language of questions. */
const EVENT_NAMES =
  "first order|per_seat total|Plan changed v2|größe gewählt|Total Count|x1_y2|by bus and foot|funnel opened|user invited|task_created|App Überblick|not paid|new visitors|share of voice|conversion|signed-up|email.sent|who cares?".split(
    "|",
  );
const NUMBERS = "amount|total|first_count|per_unit|Größe|step 2|seats|top_5|duration_ms".split("|");
const TEXTS = "plan|first name|Is Paid|currency code|last_step|$browser|ünit|per_seat".split("|");
const VALUES = "pro|Free Trial|first|a, b|top tier|Ärger|10|yes and no".split("|");
const OF_PERSONS = "plan|score name|Rolle|last seen at|team".split("|");
const GROUPS = "company|Organization|work space|household".split("|");

const property = (name: string, type: NamedProperty["type"]): NamedProperty => ({
  ...{ name, type, count: 10 },
});

/** Makes a vocabulary of random names; each event has each property of events. */
export function randomVocabulary({ pick, several }: Choices): ProjectVocabulary {
  const some = (names: readonly string[], most: number) => [
    ...new Set(several(most, () => pick(names))),
  ];
  const texts = ["$pathname", ...some(TEXTS, 4)];
  const properties = [
    ...some(NUMBERS, 4).map((name) => property(name, "number")),
    ...texts.map((name) => property(name, "text")),
  ];
  const names = ["$pageview", "order placed", ...some(EVENT_NAMES, 5)];
  const events = names.map((name, at) => ({
    ...{ name, count: 100 - at, properties, alsoCalled: [] },
  }));
  const person_properties = ["email", ...some(OF_PERSONS, 3)].map((name) => property(name, "text"));
  const groups = [pick(GROUPS)].map((group_type, group_type_index) => ({
    ...{ group_type, group_type_index },
    properties: [property("name", "text"), property("size", "number")],
  }));
  const values = names.flatMap((event) =>
    texts.flatMap((one) =>
      some(VALUES, 3).map((value) => ({
        ...{ of: { type: "event" as const, event }, property: one, value, count: 3 },
      })),
    ),
  );
  return { events, person_properties, groups, values, propertiesAlsoCalled: [] };
}

export type Parts = ReturnType<typeof randomParts>;

/** Makes parts of queries out of a vocabulary. */
export function randomParts(choices: Choices, vocabulary: ProjectVocabulary) {
  const { pick, random, chance } = choices;
  const whole = (most: number) => 1 + Math.floor(random() * most);
  const own = vocabulary.events[0]?.properties ?? [];
  const namesOf = (type: string) =>
    own.filter((one) => one.type === type && !one.name.startsWith("$path")).map(({ name }) => name);
  const event = () => pick(vocabulary.events).name;
  /** Two events, the second of which is of the project's own. */
  const two = (): [string, string] => {
    const second = pick(vocabulary.events.slice(1)).name;
    const rest = vocabulary.events.map(({ name }) => name).filter((name) => name !== second);
    return [pick(rest), second];
  };
  const number = () => pick(namesOf("number"));
  const text = () => pick(namesOf("text"));
  const person = () => pick(vocabulary.person_properties.slice(1))?.name ?? "email";
  const value = () => pick(VALUES);
  const filter = (operator: string, more: JsonObject = { value: value() }): JsonObject => ({
    ...{ key: text(), type: "event", operator, ...more },
  });
  const range = (): JsonObject =>
    pick([
      ...[{ date_from: `-${whole(89) - 1}d` }, { date_from: "2026-10-01" }, { date_from: "all" }],
      ...[{ date_from: "2026-10-01", date_to: "2026-10-31" }, { date_from: "mStart" }],
      { date_from: "-1wStart", date_to: "-1wEnd" },
      { date_from: "-1dStart", date_to: "-1dEnd" },
    ]);
  return { ...choices, whole, event, two, number, text, person, value, filter, range, chance };
}

const node = (event: string | null, more: JsonObject = {}): JsonObject => ({
  ...{ kind: "EventsNode", event, ...more },
});

/** A trend of one number. */
const one = (series: JsonObject[], { range }: Parts, more: JsonObject = {}): JsonObject => ({
  ...{ kind: "TrendsQuery", series, interval: "day", dateRange: range() },
  trendsFilter: { display: "BoldNumber" },
  ...more,
});

/** A trend with a number for each interval. */
const over = (series: JsonObject[], { pick, whole }: Parts, more: JsonObject = {}): JsonObject => {
  const interval = pick(["day", "week", "month"]);
  const ago = whole(8);
  return {
    ...{ kind: "TrendsQuery", series, interval },
    dateRange: { date_from: interval === "day" ? `-${ago}d` : `-${ago}${interval[0]}Start` },
    ...more,
  };
};

const lines = (breakdownFilter: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ breakdownFilter, trendsFilter: { display: "ActionsBarValue" }, ...more },
});

const behavior = (key: string | null, more: JsonObject = {}): JsonObject => ({
  ...{ type: "behavioral", key, value: "performed_event", ...more },
});

const filtered =
  (operator: string, more?: (parts: Parts) => JsonObject) =>
  (parts: Parts): JsonObject => {
    const filter = parts.filter(operator, more?.(parts) ?? { value: parts.value() });
    return one([node(parts.event(), { math: "total" })], parts, { properties: [filter] });
  };

const compared =
  (operator: string, type = "event") =>
  (parts: Parts): JsonObject => {
    const key = type === "group" ? "size" : parts.number();
    const owner = type === "group" ? { type, group_type_index: 0 } : { type };
    const filter = { key, ...owner, operator, value: parts.whole(500) };
    return one([node(parts.event(), { math: "total" })], parts, { properties: [filter] });
  };

const calculated =
  (math: string) =>
  (parts: Parts): JsonObject =>
    one([node(parts.event(), { math, math_property: parts.number() })], parts);

const counted =
  (math: string, more: JsonObject = {}) =>
  (parts: Parts): JsonObject =>
    one([node(parts.event(), { math, ...more })], parts);

const did =
  (more: (parts: Parts) => JsonObject) =>
  (parts: Parts): JsonObject => {
    const [other, event] = parts.two();
    const properties = [behavior(other, more(parts))];
    return one([node(event, { math: "dau", properties })], parts);
  };

const broken =
  (label: (parts: Parts) => JsonObject, more?: (parts: Parts) => JsonObject) =>
  (parts: Parts): JsonObject =>
    one([node(parts.event(), { math: "total" })], parts, lines(label(parts), more?.(parts) ?? {}));

const ranked =
  (order: (parts: Parts) => JsonObject) =>
  (parts: Parts): JsonObject => {
    const key = parts.text();
    const label = { breakdown: key, breakdown_type: "event", ...order(parts) };
    const properties = [{ key, type: "event", operator: "is_set" }];
    return one([node(parts.event(), { math: "total" })], parts, lines(label, { properties }));
  };

const funnel =
  (filter: (parts: Parts) => JsonObject, more: (parts: Parts) => JsonObject = () => ({})) =>
  (parts: Parts): JsonObject => {
    const series = parts.two().map((event) => node(event));
    const funnelsFilter = { funnelOrderType: "ordered", ...filter(parts) };
    return {
      kind: "FunnelsQuery",
      series,
      funnelsFilter,
      dateRange: parts.range(),
      ...more(parts),
    };
  };

const formula =
  (text: string, nodes: (parts: Parts) => JsonObject[], more: JsonObject = {}) =>
  (parts: Parts): JsonObject =>
    one(nodes(parts), parts, { trendsFilter: { formula: text, ...more, display: "BoldNumber" } });

const PERCENT = { aggregationAxisFormat: "percentage" };

const actors = (properties: JsonObject[]): JsonObject => ({
  ...{ kind: "ActorsQuery", select: ["person", "properties.email"], properties },
  ...{ orderBy: ["created_at DESC"], limit: 100 },
});

const ofOne = { key: "email", type: "person", operator: "exact", value: "ann.b@example.com" };

/** Makers of the queries that words can say, by what they have. */
export const SHAPES: Readonly<Record<string, (parts: Parts) => JsonObject>> = {
  "a count": counted("total"),
  "people with an event": counted("dau"),
  "sessions with an event": counted("unique_session"),
  "people for the first time": counted("first_time_for_user"),
  "groups with an event": counted("unique_group", { math_group_type_index: 0 }),
  "people with any event": (parts) => one([node(null, { math: "dau" })], parts),
  "all events": (parts) => one([node(null, { math: "total" })], parts),
  "a sum": calculated("sum"),
  "an average": calculated("avg"),
  "a median": calculated("median"),
  "a minimum": calculated("min"),
  "a maximum": calculated("max"),
  "a percentile": (parts) => calculated(parts.pick(["p75", "p90", "p95", "p99"]))(parts),
  "different values": (parts) =>
    counted("hogql", { math_hogql: `count(DISTINCT properties.\`${parts.text()}\`)` })(parts),
  "session length": (parts) =>
    one(
      [
        node(null, {
          ...{ math: parts.pick(["avg", "median"]), math_property: "$session_duration" },
          math_property_type: "session_properties",
        }),
      ],
      parts,
      { trendsFilter: { aggregationAxisFormat: "duration", display: "BoldNumber" } },
    ),
  "session length of sessions with an event": (parts) =>
    one(
      [
        node(parts.event(), {
          ...{ math: "avg", math_property: "$session_duration" },
          math_property_type: "session_properties",
        }),
      ],
      parts,
      { trendsFilter: { aggregationAxisFormat: "duration", display: "BoldNumber" } },
    ),
  "a query without a period": (parts) => {
    const { dateRange: _, ...query } = counted("total")(parts);
    return query;
  },
  "an interval": (parts) => over([node(parts.event(), { math: "total" })], parts),
  "people by interval": (parts) => over([node(parts.event(), { math: "dau" })], parts),
  "an average of intervals": (parts) =>
    over([node(parts.event(), { math: "total" })], parts, {
      trendsFilter: { display: "BoldNumber", detailedResultsAggregationType: "average" },
    }),
  "a median of intervals": (parts) =>
    over([node(parts.event(), { math: "total" })], parts, {
      trendsFilter: { display: "BoldNumber", detailedResultsAggregationType: "median" },
    }),
  "a running total": (parts) =>
    over([node(parts.event(), { math: "total" })], parts, {
      trendsFilter: { display: "ActionsLineGraphCumulative" },
    }),
  "two series": (parts) =>
    one(
      parts.two().map((event) => node(event, { math: "total" })),
      parts,
    ),
  "a comparison": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      ...{ dateRange: { date_from: `-${parts.whole(60)}d` }, compareFilter: { compare: true } },
    }),
  "a comparison with an age": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      dateRange: { date_from: `-${parts.whole(6)}d` },
      compareFilter: { compare: true, compare_to: `-${parts.whole(9)}w` },
    }),
  "a value": filtered("exact"),
  "one of several values": filtered("exact", ({ value }) => ({ value: [value(), `${value()}s`] })),
  "not a value": filtered("is_not"),
  "none of several values": filtered("is_not", ({ value }) => ({
    value: [value(), `${value()}s`],
  })),
  "a part of a value": filtered("icontains"),
  "no part of a value": filtered("not_icontains"),
  "the start of a value": filtered("starts_with"),
  "the end of a value": filtered("ends_with"),
  "a property that is there": filtered("is_set", () => ({})),
  "a property that is missing": filtered("is_not_set", () => ({})),
  "more than": compared("gt"),
  "at least": compared("gte"),
  "less than": compared("lt"),
  "at most": compared("lte"),
  "exactly a number": compared("exact"),
  "between two numbers": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      properties: [
        { key: parts.number(), type: "event", operator: "between", value: [parts.whole(9), 50] },
      ],
    }),
  "a number of a group": compared("gte", "group"),
  "a value of a person": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      properties: [
        { key: parts.person(), type: "person", operator: "exact", value: parts.value() },
      ],
    }),
  "a name of a group": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      properties: [
        {
          ...{ key: "name", type: "group", group_type_index: 0 },
          ...{ operator: "exact", value: parts.value() },
        },
      ],
    }),
  "two filters": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      properties: [
        parts.filter("exact"),
        { key: parts.number(), type: "event", operator: "gte", value: parts.whole(500) },
      ],
    }),
  "one of two filters": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, {
      properties: [
        {
          type: "OR",
          values: [
            parts.filter("exact"),
            { key: parts.number(), type: "event", operator: "gte", value: parts.whole(500) },
          ],
        },
      ],
    }),
  "events of one person": (parts) =>
    one([node(parts.event(), { math: "total" })], parts, { properties: [ofOne] }),
  "people who also did": did(() => ({})),
  "people who did not": did(() => ({ negation: true })),
  "people who did so often": did(({ pick, whole }) => ({
    value: "performed_event_multiple",
    operator: pick(["gte", "gt", "lte", "lt", "exact"]),
    operator_value: whole(9),
  })),
  "people who did for the first time": did(() => ({ value: "performed_event_first_time" })),
  "people who did not for the first time": did(() => ({
    value: "performed_event_first_time",
    negation: true,
  })),
  "people who did on days": did(({ whole }) => ({
    ...{ value: "performed_event_regularly", time_interval: "day", min_periods: 1 + whole(6) },
  })),
  "people by a sum": did(({ number, pick, whole }) => ({
    ...{ value: "performed_event_sum", sum_property: number() },
    ...{ operator: pick(["gte", "gt", "lte", "lt"]), operator_value: whole(500) },
  })),
  "people who did with a value": did((parts) => ({ event_filters: [parts.filter("exact")] })),
  "people who did not so often": did(({ whole }) => ({
    ...{ value: "performed_event_multiple", operator: "gte", operator_value: whole(9) },
    negation: true,
  })),
  "people who did one of two": (parts) => {
    const values = parts.two().map((event) => behavior(event));
    return one([node(parts.event(), { math: "dau", properties: [{ type: "OR", values }] })], parts);
  },
  "by a property": broken((parts) => ({ breakdown: parts.text(), breakdown_type: "event" })),
  "by a property of persons": broken((parts) => ({
    ...{ breakdown: parts.person(), breakdown_type: "person" },
  })),
  "by a property of groups": broken(() => ({
    ...{ breakdown: "size", breakdown_type: "group", breakdown_group_type_index: 0 },
  })),
  "by group": broken(() => ({
    ...{ breakdown: "name", breakdown_type: "group", breakdown_group_type_index: 0 },
  })),
  "by entry page": broken(() => ({
    ...{ breakdown: "$entry_pathname", breakdown_type: "session" },
  })),
  "by first touch": broken((parts) => ({
    ...{ breakdown: parts.text(), breakdown_type: "first_touch" },
  })),
  "by weekday": broken(() => ({
    ...{ breakdown: "dateName('weekday', timestamp)", breakdown_type: "hogql" },
  })),
  "by hour": broken(() => ({ breakdown: "toHour(timestamp)", breakdown_type: "hogql" })),
  "by event": (parts) =>
    one(
      [node(null, { math: "total" })],
      parts,
      lines({ breakdown: "event", breakdown_type: "event_metadata" }),
    ),
  "by two properties": (parts) => {
    const breakdowns = [
      { property: parts.text(), type: "event" },
      { property: parts.person(), type: "person" },
    ];
    return one([node(parts.event(), { math: "total" })], parts, lines({ breakdowns }));
  },
  "by a property, by interval": (parts) =>
    over([node(parts.event(), { math: "total" })], parts, {
      breakdownFilter: { breakdown: parts.text(), breakdown_type: "event" },
    }),
  "the most frequent": ranked(() => ({})),
  "the top": ranked(({ whole }) => ({
    ...{ breakdown_limit: whole(20), breakdown_hide_other_aggregation: true },
  })),
  "the bottom": ranked(({ whole }) => ({
    ...{ breakdown_limit: whole(20), breakdown_hide_other_aggregation: true },
    breakdown_order: "asc",
  })),
  "the highest average": (parts) => {
    const key = parts.text();
    const limit = { breakdown_limit: parts.whole(9), breakdown_hide_other_aggregation: true };
    return one(
      [node(parts.event(), { math: "avg", math_property: parts.number() })],
      parts,
      lines(
        { breakdown: key, breakdown_type: "event", ...limit },
        { properties: [{ key, type: "event", operator: "is_set" }] },
      ),
    );
  },
  "a share of events": formula(
    "A / B * 100",
    (parts) => {
      const event = parts.event();
      const math = parts.pick(["total", "dau"]);
      return [node(event, { math, properties: [parts.filter("exact")] }), node(event, { math })];
    },
    PERCENT,
  ),
  "a share of people who did": formula(
    "A / B * 100",
    (parts) => {
      const [event, other] = parts.two();
      const own = [behavior(other, parts.chance(0.5) ? { negation: true } : {})];
      return [node(event, { math: "dau", properties: own }), node(event, { math: "dau" })];
    },
    PERCENT,
  ),
  "one event as a share of another": formula(
    "A / B * 100",
    (parts) => parts.two().map((event) => node(event, { math: "total" })),
    PERCENT,
  ),
  "events per person": formula("A / B", (parts) => {
    const event = parts.event();
    return [node(event, { math: "total" }), node(event, { math: "dau" })];
  }),
  "events per event": formula("A / B", (parts) =>
    parts.two().map((event) => node(event, { math: "total" })),
  ),
  "people with a value as a share": formula(
    "A / B * 100",
    (parts) => {
      const [event, other] = parts.two();
      const own = [parts.filter("exact")];
      return [node(event, { math: "dau", properties: own }), node(other, { math: "dau" })];
    },
    PERCENT,
  ),
  "bounced sessions": (parts) =>
    one(
      [
        node("$pageview", {
          math: "unique_session",
          properties: [{ key: "$is_bounce", type: "session", operator: "exact", value: ["true"] }],
        }),
      ],
      parts,
    ),
  "events per active user": formula("A / B", (parts) => [
    node(parts.event(), { math: "total" }),
    node(null, { math: "dau" }),
  ]),
  "a sum per person": formula("A / B", (parts) => {
    const event = parts.event();
    return [
      node(event, { math: "sum", math_property: parts.number() }),
      node(event, { math: "dau" }),
    ];
  }),
  "pages per session": formula("A / B", () => [
    node("$pageview", { math: "total" }),
    node(null, { math: "unique_session" }),
  ]),
  "the bounce rate": formula(
    "A / B * 100",
    () => [
      node("$pageview", {
        math: "unique_session",
        properties: [{ key: "$is_bounce", type: "session", operator: "exact", value: ["true"] }],
      }),
      node("$pageview", { math: "unique_session" }),
    ],
    PERCENT,
  ),
  "a funnel": funnel(() => ({})),
  "a funnel with a window": funnel(({ pick, whole }) => ({
    funnelWindowInterval: whole(60),
    funnelWindowIntervalUnit: pick(["minute", "hour", "day", "week"]),
  })),
  "a funnel by a property": funnel(
    () => ({}),
    ({ text }) => ({ breakdownFilter: { breakdown: text(), breakdown_type: "event" } }),
  ),
  "a funnel with a filter": funnel(
    () => ({}),
    ({ filter }) => ({ properties: [filter("exact")] }),
  ),
  "a strict funnel": funnel(({ pick }) => ({ funnelOrderType: pick(["strict", "unordered"]) })),
  "a conversion rate": funnel(
    () => ({ funnelVizType: "trends" }),
    ({ pick }) => ({ interval: pick(["day", "week"]) }),
  ),
  "a time to convert": funnel(() => ({ funnelVizType: "time_to_convert" })),
  "a median time to convert": funnel(() => ({
    ...{ funnelVizType: "time_to_convert", timeToConvertAggregation: "median" },
  })),
  "a funnel of three": (parts) => {
    const [first, second] = parts.two();
    return {
      ...{ kind: "FunnelsQuery", series: [first, second, "$pageview"].map((name) => node(name)) },
      ...{ funnelsFilter: { funnelOrderType: "ordered" }, dateRange: parts.range() },
    };
  },
  "a step with a filter": (parts) => {
    const [first, second] = parts.two();
    const series = [node(first, { properties: [parts.filter("exact")] }), node(second)];
    return {
      ...{ kind: "FunnelsQuery", series, funnelsFilter: { funnelOrderType: "ordered" } },
      dateRange: parts.range(),
    };
  },
  "two filters of one step": (parts) => {
    const [first, second] = parts.two();
    const plan = { key: parts.person(), type: "person", operator: "exact", value: parts.value() };
    const series = [node(first), node(second, { properties: [parts.filter("exact"), plan] })];
    return {
      ...{ kind: "FunnelsQuery", series, funnelsFilter: { funnelOrderType: "ordered" } },
      dateRange: parts.range(),
    };
  },
  "a first step for the first time": (parts) => {
    const [first, second] = parts.two();
    const properties = [behavior(first, { value: "performed_event_first_time" })];
    const series = [node(first, { properties }), node(second)];
    return {
      ...{ kind: "FunnelsQuery", series, funnelsFilter: { funnelOrderType: "ordered" } },
      dateRange: parts.range(),
    };
  },
  "a recurring retention": (parts) => {
    const id = parts.event();
    return {
      kind: "RetentionQuery",
      retentionFilter: {
        ...{ targetEntity: { id, type: "events" }, returningEntity: { id, type: "events" } },
        period: "Week",
      },
    };
  },
  "a retention": (parts) => {
    const [id, back] = parts.two();
    const count = 1 + parts.whole(9);
    const period = parts.pick(["Day", "Week", "Month"]);
    const age =
      period === "Day" ? `-${count - 1}d` : `-${count - 1}${period[0]?.toLowerCase()}Start`;
    return {
      kind: "RetentionQuery",
      dateRange: { date_from: age },
      retentionFilter: {
        ...{ targetEntity: { id, type: "events" }, returningEntity: { id: back, type: "events" } },
        ...{ retentionType: "retention_first_time", period, totalIntervals: count },
      },
    };
  },
  "a retention without a period": (parts) => {
    const id = parts.event();
    return {
      kind: "RetentionQuery",
      retentionFilter: {
        ...{ targetEntity: { id, type: "events" }, returningEntity: { id, type: "events" } },
        ...{ retentionType: "retention_first_time", period: parts.pick(["Day", "Week", "Month"]) },
      },
    };
  },
  "a lifecycle": (parts) => ({
    ...over([node(parts.event())], parts),
    kind: "LifecycleQuery",
  }),
  "a stickiness": (parts) => ({
    ...{ kind: "StickinessQuery", series: [node(parts.event())], interval: "day" },
    dateRange: parts.range(),
  }),
  "a stickiness by week": (parts) => ({
    ...over([node(parts.event())], parts),
    kind: "StickinessQuery",
  }),
  "pages after": (parts) => ({
    kind: "PathsQuery",
    pathsFilter: {
      ...{ includeEventTypes: ["$pageview"], startPoint: parts.pick(["/", "/pricing", "/a-b/c"]) },
      ...{ stepLimit: 2, edgeLimit: 100 },
    },
    dateRange: parts.range(),
  }),
  "pages before": (parts) => ({
    kind: "PathsQuery",
    pathsFilter: {
      ...{ includeEventTypes: ["$pageview"], endPoint: parts.pick(["/", "/pricing", "/a-b/c"]) },
      ...{ stepLimit: 2, edgeLimit: 100 },
    },
    dateRange: parts.range(),
  }),
  "the oldest people": (parts) => ({
    ...actors([behavior(parts.event(), { explicit_datetime: "-29d" })]),
    orderBy: ["created_at ASC"],
  }),
  "a list of people": (parts) => actors([behavior(parts.event(), { explicit_datetime: "-29d" })]),
  "a list of people with and without": (parts) => {
    const [event, other] = parts.two();
    return actors([
      behavior(event, { explicit_datetime: "-29d" }),
      behavior(other, { negation: true, explicit_datetime: "-29d" }),
    ]);
  },
  "a list of people by how often": (parts) =>
    actors([
      behavior(parts.event(), {
        ...{ value: "performed_event_multiple", operator: "gte", operator_value: parts.whole(9) },
        explicit_datetime: "-29d",
      }),
    ]),
  "how many people are something": (parts) => ({
    ...{ kind: "ActorsQuery", select: ["count()"] },
    properties: [{ key: parts.person(), type: "person", operator: "exact", value: parts.value() }],
  }),
  "a property of one person": (parts) => ({
    ...{ kind: "ActorsQuery", select: [`properties.\`${parts.person()}\``], properties: [ofOne] },
    limit: 1,
  }),
  "how many people did not": (parts) => ({
    ...{ kind: "ActorsQuery", select: ["count()"] },
    properties: [behavior(parts.event(), { negation: true, explicit_datetime: "-29d" })],
  }),
  "what one person did": (parts) => ({
    ...{ kind: "EventsQuery", select: ["timestamp", "event", "properties.$pathname"] },
    ...{ properties: [ofOne], orderBy: ["timestamp DESC"], limit: 100 },
    after: parts.pick(["all", "-6d"]),
  }),
  "when one person was last seen": () => ({
    ...{ kind: "EventsQuery", select: ["timestamp", "event"], properties: [ofOne] },
    ...{ orderBy: ["timestamp DESC"], limit: 1, after: "all" },
  }),
  "when one person first did": (parts) => ({
    ...{ kind: "EventsQuery", select: ["timestamp", "event"], event: parts.event() },
    ...{ properties: [ofOne], orderBy: ["timestamp ASC"], limit: 1, after: "all" },
  }),
};
