import { describe, expect, test } from "bun:test";
import type { InsightType } from "../../../src/core/queries/insight.ts";
import { namesAsked, readWords } from "../../../src/core/questions/question.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

const names = {
  events: [
    "$pageview",
    "signed up",
    "by bus and foot",
    "Sum of parts",
    "funnel opened",
    "é🦔",
    "used last 3 days",
  ].map((name, index) => ({ name, count: 10 - index })),
  properties: ["$browser", "price", "rate of change", "Plan"].map((name) => ({ name, count: 1 })),
  person_properties: [{ name: "Plan of person", count: 1 }],
};

const read = (words: string, type?: InsightType) =>
  readWords(words, names, { attr: "query", type });
const series = (event: string | null, math = "total", math_property?: string) => ({
  kind: "EventsNode",
  event,
  math,
  ...(math_property === undefined ? {} : { math_property }),
});
const by = (breakdown: string) => ({ breakdownFilter: { breakdown, breakdown_type: "event" } });
const last = (date_from: string) => ({ dateRange: { date_from } });

describe("a question in words", () => {
  test.each<[string, object]>([
    [
      "weekly unique users of $pageview by $browser last 90 days",
      {
        series: [series("$pageview", "dau")],
        interval: "week",
        ...by("$browser"),
        ...last("-90d"),
      },
    ],
    ["signed up", { series: [series("signed up")], interval: "day" }],
    [
      "signed up, by $browser top 5 last 7 days;",
      {
        series: [series("signed up")],
        interval: "day",
        breakdownFilter: { breakdown: "$browser", breakdown_type: "event", breakdown_limit: 5 },
        ...last("-7d"),
      },
    ],
    [
      'signed up by "$browser", plan and person plan of person top 100',
      {
        series: [series("signed up")],
        interval: "day",
        breakdownFilter: {
          breakdowns: [
            { property: "$browser", type: "event" },
            { property: "Plan", type: "event" },
            { property: "Plan of person", type: "person" },
          ],
          breakdown_limit: 100,
        },
      },
    ],
    ["  Daily   Visitors SIGNED  UP ", { series: [series("signed up", "dau")], interval: "day" }],
    ["hourly all events today", { series: [series(null)], interval: "hour", ...last("-0d") }],
    [
      "all events today",
      {
        ...{ series: [series(null)], interval: "day", ...last("-0d") },
        trendsFilter: { display: "BoldNumber" },
      },
    ],
    [
      "sum of price of signed up by plan past 24 hours",
      {
        series: [series("signed up", "sum", "price")],
        interval: "hour",
        ...by("Plan"),
        ...last("-24h"),
      },
    ],
    [
      "monthly p90 of rate of change of é🦔 since 2026-01-01 until 2026-03-31",
      {
        series: [series("é🦔", "p90", "rate of change")],
        interval: "month",
        dateRange: { date_from: "2026-01-01", date_to: "2026-03-31" },
      },
    ],
    [
      "count of by bus and foot, $pageview and signed up",
      {
        series: [series("by bus and foot"), series("$pageview"), series("signed up")],
        interval: "day",
      },
    ],
    [
      "by bus and foot by price",
      { series: [series("by bus and foot")], interval: "day", ...by("price") },
    ],
    ["Sum of parts", { series: [series("Sum of parts")], interval: "day" }],
    ["used last 3 days", { series: [series("used last 3 days")], interval: "day" }],
    [
      "unique user of signed up per week yesterday",
      {
        series: [series("signed up", "dau")],
        interval: "week",
        dateRange: { date_from: "-1dStart", date_to: "-1dEnd" },
      },
    ],
    ["funnel opened", { series: [series("funnel opened")], interval: "day" }],
    ["trend of signed up", { series: [series("signed up")], interval: "day" }],
    ["weekly trends $pageview?", { series: [series("$pageview")], interval: "week" }],
    ["number of users of signed up.", { series: [series("signed up", "dau")], interval: "day" }],
    ...["$pageview , signed up", "$pageview vs signed up", "$pageview versus signed up"].map(
      (words): [string, object] => [
        words,
        { series: [series("$pageview"), series("signed up")], interval: "day" },
      ],
    ),
    ...[
      '"$pageview" , "signed up"',
      '"$pageview" ,and "signed up"',
      "“$pageview” vs «signed up»",
    ].map((words): [string, object] => [
      `trend of ${words} by “Plan” last 7 days`,
      {
        series: [series("$pageview"), series("signed up")],
        interval: "day",
        ...by("Plan"),
        ...last("-7d"),
      },
    ]),
    ["unique sessions of events", { series: [series(null, "unique_session")], interval: "day" }],
  ])("is read: %s", (words, query) => {
    expect(read(words)).toEqual({ kind: "TrendsQuery", ...query });
  });

  test("may ask for a comparison, and for what persons have", () => {
    expect(
      read("signed up by person plan of PERSON last 7 days compared to the previous period"),
    ).toEqual({
      kind: "TrendsQuery",
      series: [series("signed up")],
      interval: "day",
      ...last("-7d"),
      breakdownFilter: { breakdown: "Plan of person", breakdown_type: "person" },
      compareFilter: { compare: true },
    });
  });

  const node = (event: string | null) => ({ kind: "EventsNode", event });

  test.each<[string, JsonObject, JsonObject]>([
    [
      "funnel $pageview then signed up then é🦔 within 7 days",
      { series: ["$pageview", "signed up", "é🦔"].map(node) },
      { funnelOrderType: "ordered", funnelWindowInterval: 7, funnelWindowIntervalUnit: "day" },
    ],
    [
      "strict funnel of $pageview, signed up by $browser last 30 days",
      { series: ["$pageview", "signed up"].map(node), ...by("$browser"), ...last("-30d") },
      { funnelOrderType: "strict" },
    ],
    [
      "unordered funnel from by bus and foot to all events within 1 hour by price",
      { series: ["by bus and foot", null].map(node), ...by("price") },
      { funnelOrderType: "unordered", funnelWindowInterval: 1, funnelWindowIntervalUnit: "hour" },
    ],
    [
      "Funnel $pageview -> signed up without é🦔 past 2 weeks",
      { series: ["$pageview", "signed up"].map(node), ...last("-2w") },
      {
        funnelOrderType: "ordered",
        exclusions: [{ ...node("é🦔"), funnelFromStep: 0, funnelToStep: 1 }],
      },
    ],
    [
      "strict funnel $pageview then signed up then é🦔 without by bus and foot by price",
      { series: ["$pageview", "signed up", "é🦔"].map(node), ...by("price") },
      {
        funnelOrderType: "strict",
        exclusions: [{ ...node("by bus and foot"), funnelFromStep: 0, funnelToStep: 2 }],
      },
    ],
    [
      "unordered funnel $pageview, signed up excluding é🦔 and Sum of parts within 2 hours",
      { series: ["$pageview", "signed up"].map(node) },
      {
        ...{ funnelOrderType: "unordered", funnelWindowInterval: 2 },
        funnelWindowIntervalUnit: "hour",
        exclusions: ["é🦔", "Sum of parts"].map((event) => ({
          ...{ ...node(event), funnelFromStep: 0, funnelToStep: 1 },
        })),
      },
    ],
    [
      "funnel $pageview then signed up without é🦔, by bus and foot and Sum of parts",
      { series: ["$pageview", "signed up"].map(node) },
      {
        funnelOrderType: "ordered",
        exclusions: ["é🦔", "by bus and foot", "Sum of parts"].map((event) => ({
          ...{ ...node(event), funnelFromStep: 0, funnelToStep: 1 },
        })),
      },
    ],
    [
      "funnel $pageview then signed up without by bus and foot within 90 minutes by person plan of person",
      {
        series: ["$pageview", "signed up"].map(node),
        breakdownFilter: { breakdown: "Plan of person", breakdown_type: "person" },
      },
      {
        ...{ funnelOrderType: "ordered", funnelWindowInterval: 90 },
        funnelWindowIntervalUnit: "minute",
        exclusions: [{ ...node("by bus and foot"), funnelFromStep: 0, funnelToStep: 1 }],
      },
    ],
  ])("may be of a funnel: %s", (words, query, funnelsFilter) => {
    expect(read(words)).toEqual({ kind: "FunnelsQuery", ...last("-30d"), ...query, funnelsFilter });
  });

  const entity = (id: string) => ({ id, type: "events" });
  const both = (target: string, returning = target) => {
    return { targetEntity: entity(target), returningEntity: entity(returning) };
  };

  test.each<[string, JsonObject, JsonObject]>([
    [
      "retention of signed up weekly",
      { ...both("signed up"), period: "Week", totalIntervals: 8 },
      {},
    ],
    [
      "monthly retention of signed up then $pageview",
      { ...both("signed up", "$pageview"), period: "Month", totalIntervals: 8 },
      {},
    ],
    [
      "recurring retention for é🦔 last 12 weeks",
      {
        ...{ ...both("é🦔"), period: "Week", totalIntervals: 100 },
        retentionType: "retention_recurring",
      },
      last("-12w"),
    ],
    [
      "retention of signed up then $pageview by person plan of person weekly",
      { ...both("signed up", "$pageview"), period: "Week", totalIntervals: 8 },
      { breakdownFilter: { breakdown: "Plan of person", breakdown_type: "person" } },
    ],
  ])("may be of retention: %s", (words, filter, query) => {
    expect(read(words)).toEqual({
      kind: "RetentionQuery",
      retentionFilter: { retentionType: "retention_first_time", ...filter },
      ...query,
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["paths", {}, {}],
    ["paths from /pricing", { startPoint: "/pricing" }, {}],
    ["path to SIGNED up since 2026-01-01", { endPoint: "signed up" }, last("2026-01-01")],
    [
      "paths from https://x.test/a to screen Home today",
      { startPoint: "https://x.test/a", endPoint: "Home" },
      last("-0d"),
    ],
  ])("may be of paths: %s", (words, pathsFilter, query) => {
    expect(read(words)).toEqual({ kind: "PathsQuery", pathsFilter, ...query });
  });

  test.each<[string, JsonObject]>([
    [
      "lifecycle of $pageview",
      { kind: "LifecycleQuery", series: [node("$pageview")], interval: "day" },
    ],
    [
      "weekly stickiness of $pageview and signed up last 60 days",
      {
        kind: "StickinessQuery",
        series: ["$pageview", "signed up"].map(node),
        interval: "week",
        ...last("-60d"),
      },
    ],
  ])("may be of how persons come and go: %s", (words, query) => {
    expect(read(words)).toEqual(query);
  });

  test("need not name its type if it is given", () => {
    expect(read("$pageview then signed up", "funnel")).toEqual(
      read("funnel $pageview then signed up"),
    );
    expect(read("from /a", "paths")).toEqual(read("paths from /a"));
    expect(() => read("paths from /a", "trends")).toThrow("is not understood as an event");
  });

  test.each([
    [
      "weekly visits",
      '"visits" is not understood as an event. There are: "$pageview", "signed up"',
    ],
    ["signed", 'There are: "signed up", "$pageview"'],
    ["signed upp", 'There are: "signed up", "$pageview"'],
    ["constructor of price of signed up", '"constructor of price of" is not understood before'],
    ["__proto__ $pageview", '"__proto__" is not understood before "$pageview"'],
    ["signed up by color", '"color" is not understood as a property. There are: "$browser"'],
    ["sum of cost of signed up", '"cost" is not understood as a property'],
    ["signed up last week", "How often is not said: daily, weekly, monthly or in total."],
    ["signed up by person color", '"color" is not understood as a property of persons'],
    ["funnel $pageview then paid", '"paid" is not understood as an event. There are: "$pageview"'],
    [
      "funnel $pageview",
      "A funnel has two steps or more. Ask like this: [strict|unordered] funnel EVENT then EVENT",
    ],
    ["retention of signing up weekly", '"signing up" is not understood as an event'],
    ["retention of é🦔 then é🦔 then é🦔", "A retention is of one event, or of two."],
    ["paths from pricing", '"pricing" is not understood as an address or an event'],
    ["paths of pricing", '"pricing" is not understood as an address or an event'],
    [
      "paths $pageview",
      "Paths are from a place or to one: paths from $pageview; paths to $pageview.",
    ],
    ["median of price", "Of which event is not said. Of all it is: median of price of all events."],
    [
      "weekly p90 of rate of change by plan",
      "Of all it is: p90 of rate of change of all events by plan.",
    ],
    ["signed up by $browser last 7 days last 30 days", "The time of a question is said once."],
    ["signed up today yesterday", "The time of a question is said once."],
    ["signed up since 2026-01-01 today", "The time of a question is said once."],
    ["signed up daily weekly", "Daily or Weekly: one is expected."],
    ["weekly lifecycle of signed up per day", "Daily or Weekly: one is expected."],
    ['"Signed up"', '"Signed up" is not understood as an event. There are: "signed up"'],
    ['funnel "$pageview" then "a \\"b\\""', '"a \\"b\\"" is not understood as an event'],
    ["lifecycle", "The name of an event is missing."],
    ["weekly users of $pageview, by br;", '"br" is not understood as a property. There are: "$b'],
    ["signed up by $browser, colour", '"colour" is not understood as a property. There are:'],
    ["signed up by price, $browser, plan, price", "At most 3 properties may follow by."],
    ["signed up by plan top 101", "A number from 1 to 100 is expected after top."],
    ["signed up by plan top five", '"plan top five" is not understood as a property.'],
    ["signed up by plan where cost > 3", '"cost" is not understood as a property'],
    [
      "visits with plan = pro",
      '"visits with plan = pro" is not understood as an event. Filters come after where',
    ],
    ["$pageview, , signed up", '"$pageview, , signed up" is not understood as an event.'],
    ["stickiness of visits", '"visits" is not understood as an event'],
    ["wekly signed up", '"wekly" is not understood before "signed up". Is it weekly or week?'],
    [
      "signed up plan is pro",
      '"plan is pro" is not understood after "signed up". Filters come after where',
    ],
    ["stickiness of visits, $pageview", '"visits" is not understood as an event'],
    ["daily", '"daily" is not understood as an event'],
    ["x".repeat(500), `"${"x".repeat(80)}" is not understood`],
  ])("that is not understood gets the reason: %s", (words, detail) => {
    expect(() => read(words)).toThrow(detail);
  });

  test("has a length, and is there", () => {
    expect(() => read("x".repeat(1001))).toThrow(expect.objectContaining({ code: "too_long" }));
    expect(() => read(" ")).toThrow(expect.objectContaining({ code: "required", attr: "query" }));
    expect(() =>
      readWords("x y", { events: [], properties: [], person_properties: [] }, { attr: "prompt" }),
    ).toThrow(expect.objectContaining({ code: "invalid_input", attr: "prompt" }));
  });
});

describe("names in double quotes", () => {
  const odd = [
    ...[
      "signup",
      "Signup",
      "signup today",
      "a",
      "count of a",
      "a, b",
      "b",
      "of",
      "users",
      "all events",
    ],
    ...[
      "new\nline",
      " lead",
      "two  spaces",
      'say "hi"',
      "back\\slash",
      "1",
      "é, 🦔 then",
      "user signup",
      "User signup",
    ],
  ];
  const known = {
    events: odd.map((name) => ({ name, count: 1 })),
    properties: ["plan", "person plan", "Plan", "of", "x last 7 days"].map((name) => ({
      name,
      count: 1,
    })),
    person_properties: [{ name: "plan", count: 1 }],
  };
  const readOf = (words: string) => readWords(words, known, { attr: "query" });

  test.each(odd)("are names as they are: %j", (name) => {
    const event = JSON.stringify(name);

    expect(readOf(event)).toEqual({ kind: "TrendsQuery", series: [series(name)], interval: "day" });
    expect(readOf(`weekly users of ${event} by "x last 7 days" today`)).toEqual({
      kind: "TrendsQuery",
      series: [series(name, "dau")],
      interval: "week",
      ...by("x last 7 days"),
      ...last("-0d"),
    });
    expect(readOf(`funnel ${event}, ${event}->${event} without ${event}`)).toMatchObject({
      series: [name, name, name].map((event) => ({ event })),
      funnelsFilter: { exclusions: [{ event: name }] },
    });
    expect(readOf(`paths from ${event} to screen ${event}`)).toMatchObject({
      pathsFilter: { startPoint: name, endPoint: name },
    });
  });

  test.each([
    ["SIGNUP", '"signup"'],
    ["signup by PLAN", '"signup" by "plan"'],
    ["weekly count of a", 'weekly "count of a"'],
    ["count of signup today", 'count of "signup today"'],
    ["signup by person plan", '"signup" by "person plan"'],
    ["a, b", '"a, b"'],
    ["daily user signup", 'daily "user signup"'],
    ["User signup by plan", '"User signup" by "plan"'],
    ["user signup by plan", '"user signup" by "plan"'],
    ["all events", '"all events"'],
  ])("are not needed for the likeliest of several readings: %s", (words, spelled) => {
    expect(readOf(words)).toEqual(readOf(spelled));
  });

  test("come in the quotes of other keyboards, and apostrophes likewise", () => {
    const names = ["it's", 'say "hi"', "naïve"].map((name) => ({ name, count: 1 }));
    const events = { events: names, properties: [], person_properties: [] };
    const eventOf = (words: string) =>
      JSON.stringify(readWords(words, events, { attr: "query" })["series"]);
    for (const words of ["it’s", "“it's”", "„it's“", "«it's»", '"it\\u0027s"', "users of IT‘S"]) {
      expect(eventOf(words)).toContain('"event":"it\'s"');
    }
    for (const words of ['"say \\"hi\\""', 'say "hi"', "say “hi”", "daily SAY „HI“"]) {
      expect(eventOf(words)).toContain(JSON.stringify('say "hi"'));
    }
    expect(eventOf("naïve".normalize("NFD"))).toContain('"naïve"');
  });

  test("are found in words before they are looked up", () => {
    const { all } = namesAsked('funnel “a b” then "c \\"d\\"" by "e, F"');
    expect(all).toEqual(expect.arrayContaining(["a b", 'c "d"', "e, f"]));
    expect(namesAsked(`"${"x".repeat(1000)}"`).all).toEqual([]);
  });

  test("without quotes are looked up, too, those of persons after that word", () => {
    const { all, ofPersons } = namesAsked("Signed  Up->Paid, by $browser and person's Plan type?");
    const words = ["signed", "signed up", "signed up->paid", "paid", "$browser", "plan type"];
    expect(all).toEqual(expect.arrayContaining(words));
    expect(ofPersons).toEqual(["plan", "plan type", "plan type?"]);
  });

  test("are not needed where only one reading is possible", () => {
    expect(readOf("signup by of")).toMatchObject({ ...by("of") });
    expect(readOf("Signup, users")).toMatchObject({ series: [series("Signup"), series("users")] });
    expect(readOf("weekly new line")).toMatchObject({ series: [series("new\nline")] });
    expect(readOf("unique users of 1")).toMatchObject({ series: [series("1", "dau")] });
  });
});
