import { describe, expect, test } from "bun:test";
import type { ProjectNames } from "../../../../src/core/questions/language/name-keys.ts";
import { takeTime } from "../../../../src/core/questions/language/time.ts";
import { vocabularyOf } from "../../../../src/core/questions/language/vocabulary.ts";
import { readQuestion } from "../../../../src/core/questions/readings/read.ts";
import type { Condition, Label, Measure } from "../../../../src/core/questions/readings/reading.ts";
import { offeredFor } from "../../../../src/core/questions/readings/refusal.ts";

import type { JsonObject } from "../../../../src/core/values/json.ts";
import { randomChoices } from "../../../support/data/random-choices.ts";
import { rounds, seedOf } from "../../../support/start/rounds.ts";

const named = (text: string) => text.split(", ").map((name, at) => ({ name, count: 1000 - at }));
const of = (type: "event" | "person", name: string) => ({ of: type, name }) as const;

const NAMES: ProjectNames = {
  events: named(
    "$pageview, product viewed, add_to_cart, purchase, sign_up, search, support ticket",
  ),
  properties: named(
    "$pathname, $browser, $device_type, $referring_domain, $geoip_country_name, utm_source, amount, quantity, product, payment, query, results, ok",
  ),
  person_properties: named("email, plan"),
  groupTypes: [{ group_type: "company", group_type_index: 0 }],
  values: [
    { property: of("event", "$geoip_country_name"), value: "Germany", count: 9 },
    { property: of("event", "$geoip_country_name"), value: "France", count: 4 },
    { property: of("event", "$device_type"), value: "Mobile", count: 9 },
    { property: of("event", "$pathname"), value: "/pricing", count: 5 },
    { property: of("event", "$pathname"), value: "/about", count: 5 },
    { property: of("event", "payment"), value: "card", count: 5 },
    { property: of("event", "payment"), value: "paypal", count: 4 },
    { property: of("event", "query"), value: "boots", count: 4 },
    { property: of("event", "utm_source"), value: "search", count: 5 },
    { property: of("person", "plan"), value: "pro", count: 3 },
  ],
};
const VOCABULARY = vocabularyOf(NAMES);
const TODAY = "2026-11-26T15:00:00.000000Z";

const read = (question: string) => readQuestion(question, VOCABULARY, TODAY);

/** Parts of sentences, with the part of the reading that each stands for. */
const MEASURES: [words: string[], measure: Measure][] = [
  [["purchases", "number of orders", "how many sales"], counted("purchase", "total")],
  [["page views", "count of pageviews", "how many page views"], counted("$pageview", "total")],
  [["visitors", "unique visitors", "how many visitors"], counted("$pageview", "dau")],
  [["customers", "number of buyers"], counted("purchase", "dau")],
  [["people who searched", "how many users searched"], counted("search", "dau")],
  [["revenue", "turnover", "how much revenue"], calculated("sum")],
  [["average order value", "mean basket value"], calculated("avg")],
  [["median order value"], calculated("median")],
  [["bounce rate", "our bounce rate"], { of: "sessions", value: "bounce_rate" }],
  [["average session length", "session duration"], { of: "sessions", value: "seconds" }],
  [["pages per session", "page views per visit"], { of: "sessions", value: "pages" }],
];

function counted(event: string, math: "total" | "dau"): Measure {
  return { of: "events", events: [event], math };
}

function calculated(math: "sum" | "avg" | "median"): Measure {
  return { of: "events", events: ["purchase"], math, property: of("event", "amount") };
}

const PERIODS: [words: string[], range: JsonObject][] = [
  [["last 30 days", "in the last 30 days", "over the past 30 days"], { date_from: "-30d" }],
  [["yesterday"], { date_from: "-1dStart", date_to: "-1dEnd" }],
  [["this week", "week to date"], { date_from: "wStart" }],
  [["last month", "in the previous month"], { date_from: "-1mStart", date_to: "-1mEnd" }],
  [["since 2026-11-10", "from 10 November on"], { date_from: "2026-11-10" }],
  [["in October"], { date_from: "2026-10-01", date_to: "2026-10-31" }],
  [["between 2026-11-01 and 2026-11-10"], { date_from: "2026-11-01", date_to: "2026-11-10" }],
  [["on Tuesday"], { date_from: "2026-11-24", date_to: "2026-11-24" }],
  [["of all time"], { date_from: "all" }],
];

const LABELS: [words: string[], label: Label][] = [
  [["by country", "for each country", "split by country"], property("$geoip_country_name")],
  [["by browser", "per browser", "broken down by browser"], property("$browser")],
  [["by device", "grouped by device type"], property("$device_type")],
  [["by utm source", "by traffic source"], property("utm_source")],
];

function property(name: string): Label {
  return { by: "property", property: of("event", name) };
}

const FILTERS: [words: string[], condition: Condition][] = [
  [["from Germany", "in Germany"], is("$geoip_country_name", "Germany")],
  [["on mobile", "from phones"], is("$device_type", "Mobile")],
];

function is(name: string, value: string): Condition {
  return { property: of("event", name), is: "equal", values: [value] };
}

describe("a question in plain English", () => {
  test("is read back as the parts that it was made of, in any order", () => {
    const seed = seedOf();
    const { pick, chance } = randomChoices(seed);
    for (let round = 0; round < rounds(3000, 60_000); round += 1) {
      const [measures, measure] = pick(MEASURES);
      const [periods, range] = pick(PERIODS);
      const [labels, label] = pick(LABELS);
      const [filters, filter] = pick(FILTERS);
      const [isBroken, isFiltered] = [chance(0.5), chance(0.5)];
      const phrases: Record<string, string> = {
        measure: pick(measures),
        ...(isFiltered ? { filter: pick(filters) } : {}),
        ...(isBroken ? { breakdown: pick(labels) } : {}),
      };
      const period = pick(periods);
      const parts = [Object.values(phrases).join(" "), period];
      const sentence = (chance(0.5) ? parts : parts.toReversed()).join(chance(0.5) ? ", " : " ");
      const question = decorated(sentence, { pick, chance });

      const { readings, unknown, parts: said } = read(question);
      const [reading] = readings;
      const whole: Record<string, string> = { ...phrases, period };
      const strange = said.filter(({ role, start, end }) => {
        const phrase = whole[role] ?? "";
        const words = question.slice(start, end).toLowerCase();
        return !phrase.toLowerCase().includes(words.replace(/^the /, ""));
      });
      expect([question, strange]).toEqual([question, []]);
      expect(new Set<string>(said.map(({ role }) => role))).toEqual(new Set(Object.keys(whole)));
      expect([seed, question, unknown, reading?.measure]).toEqual([seed, question, [], measure]);
      expect([question, reading?.when.range]).toEqual([question, range]);
      expect([question, reading?.by]).toEqual([question, isBroken ? [label] : []]);
      expect([question, reading?.where]).toEqual([question, isFiltered ? [filter] : []]);
    }
  });

  test.each([
    ["top 5 products last month", { top: { count: 5, isAscending: false } }],
    ["Which country has the fewest visitors?", { top: { count: null, isAscending: true } }],
    [
      "visitors this week vs last week",
      { when: { range: { date_from: "wStart" }, compare: true, days: 7 } },
    ],
    [
      "orders per week over the last 8 weeks",
      { when: { range: { date_from: "-8w" }, days: 56, interval: "week" } },
    ],
    [
      "orders over 100 euros",
      { where: [{ property: of("event", "amount"), is: "above", values: ["100"] }] },
    ],
    [
      "visitors outside Germany",
      { where: [{ ...is("$geoip_country_name", "Germany"), is: "not" }] },
    ],
    [
      "funnel from product viewed to add to cart to purchase",
      {
        measure: {
          of: "funnel",
          as: "steps",
          steps: ["product viewed", "add_to_cart", "purchase"],
        },
      },
    ],
    [
      "conversion rate from visit to sign up",
      { measure: { of: "funnel", as: "rate", steps: ["$pageview", "sign_up"] } },
    ],
    [
      "who added to the cart but did not buy?",
      { measure: { of: "without", event: "add_to_cart", not: "purchase" } },
    ],
    [
      "customers who bought at least 3 times",
      { measure: { of: "repeaters", event: "purchase", times: 3 } },
    ],
    [
      "where do visitors go after /pricing?",
      { measure: { of: "next", page: "/pricing", isBefore: false } },
    ],
    [
      "new vs returning visitors",
      { measure: { of: "newcomers", event: "$pageview", which: "both" } },
    ],
    [
      "revenue by first touch utm source",
      { by: [{ by: "first_touch", property: of("event", "utm_source") }] },
    ],
    [
      "what has ann@example.com done?",
      { measure: { of: "events", events: [] }, by: [{ by: "event" }] },
    ],
    [
      "when was ann@example.com last seen?",
      { measure: { of: "moment", events: [], isLast: true } },
    ],
    ["how many users are on the pro plan?", { measure: { of: "persons" } }],
    ["which companies bought the most", { by: [property("$group_0")] }],
    ["purchases by weekday", { by: [{ by: "weekday" }] }],
    [
      "Page veiws by brwoser",
      { measure: counted("$pageview", "total"), by: [property("$browser")] },
    ],
    [
      "On which days of the week do people place the most orders, looking at the past six weeks?",
      {
        measure: counted("purchase", "total"),
        by: [{ by: "weekday" }],
        when: { range: { date_from: "-6w" } },
      },
    ],
    [
      "How often were our pages looked at on each day of the past two weeks?",
      { measure: counted("$pageview", "total"), by: [], when: { interval: "day" } },
    ],
    [
      "the 4 most frequent things people searched for",
      { by: [property("query")], top: { count: 4, isAscending: false } },
    ],
    [
      "what is the typical, I mean the median, amount people pay for an order",
      { measure: calculated("median") },
    ],
    [
      "how many people put something into their cart but never went on to buy",
      { measure: { of: "without", event: "add_to_cart", not: "purchase" } },
    ],
    ["% visitors from Germany", { measure: { of: "ratio", isPercent: true } }],
    ["when do people buy?", { measure: counted("purchase", "total"), by: [{ by: "hour" }] }],
    ["when was the last order", { measure: { of: "moment", events: ["purchase"], isLast: true } }],
    [
      "how many people made their first purchase last week",
      { measure: { of: "newcomers", event: "purchase", which: "new" } },
    ],
    [
      "compare revenue from Germany and France",
      {
        measure: calculated("sum"),
        by: [property("$geoip_country_name")],
        where: [{ ...is("$geoip_country_name", "Germany"), values: ["Germany", "France"] }],
      },
    ],
    [
      "revenue from Germany and France",
      {
        by: [],
        where: [{ ...is("$geoip_country_name", "Germany"), values: ["Germany", "France"] }],
      },
    ],
    [
      "How do our customers pay? orders by payment",
      { measure: counted("purchase", "total"), by: [property("payment")] },
    ],
    ["orders, sign ups and searches per week", { measure: { of: "series" } }],
    [
      "which page comes before the pricing page?",
      { measure: { of: "next", page: "/pricing", isBefore: true } },
    ],
    [
      "Where do people go from the pricing page?",
      { measure: { of: "next", page: "/pricing", isBefore: false } },
    ],
    [
      "average orders per day",
      {
        measure: {
          of: "mean_of_days",
          counted: { events: ["purchase"], math: "total" },
          unit: "day",
        },
      },
    ],
    [
      "page views per month by person email",
      { measure: counted("$pageview", "total"), when: { interval: "month" } },
    ],
    [
      "purchase funnel: product viewed, add to cart, purchase",
      { measure: { of: "funnel", steps: ["product viewed", "add_to_cart", "purchase"] } },
    ],
    [
      "orders by customer",
      {
        measure: counted("purchase", "total"),
        by: [{ by: "property", property: of("person", "email") }],
      },
    ],
    ["orders by customers on the pro plan", { measure: counted("purchase", "total"), by: [] }],
    ["sign up rate of visitors", { measure: { of: "funnel", steps: ["$pageview", "sign_up"] } }],
    ["how many people go to /pricing", { measure: counted("$pageview", "dau") }],
    ["bestsellers of last month", { by: [property("product")] }],
    ["revenue by device and day", { by: [property("$device_type")], when: { interval: "day" } }],
    [
      "how many visitors did not come from Germany",
      {
        measure: { of: "never", event: "$pageview", met: [is("$geoip_country_name", "Germany")] },
        where: [],
      },
    ],
    [
      "how many visitors never visited /pricing",
      { measure: { of: "never", event: "$pageview", met: [is("$pathname", "/pricing")] } },
    ],
    [
      "how many customers never visited /pricing",
      {
        where: [],
        measure: { of: "without", event: "purchase", pages: [is("$pathname", "/pricing")] },
      },
    ],
    ...["searched and then bought", "searched before they bought", "bought after searching"].map(
      (did): [string, object] => [
        `how many users ${did}`,
        { measure: { of: "funnel", as: "steps", steps: ["search", "purchase"] }, where: [] },
      ],
    ),
    [
      "how many users searched and bought",
      { measure: { of: "all_of", events: ["search", "purchase"] } },
    ],
    [
      "how many users signed up and bought",
      { measure: { of: "all_of", events: ["sign_up", "purchase"] } },
    ],
    [
      "how many users signed up and then opened a support ticket",
      { measure: { of: "funnel", steps: ["sign_up", "support ticket"] } },
    ],
    ["how many users searched or bought", { measure: { events: ["search", "purchase"] } }],
    [
      "how many people visited the pricing page and then signed up",
      {
        where: [],
        measure: {
          of: "funnel",
          steps: ["$pageview", "sign_up"],
          pages: [is("$pathname", "/pricing")],
        },
      },
    ],
    [
      "visitors of the pricing page signed up",
      { measure: { of: "funnel", pages: [is("$pathname", "/pricing")] }, where: [] },
    ],
    [
      "how many visitors saw the pricing page and bought",
      { measure: { of: "all_of", pages: [is("$pathname", "/pricing")] }, where: [] },
    ],
    [
      "conversion rate from the pricing page to sign up",
      { measure: { of: "funnel", as: "rate", pages: [is("$pathname", "/pricing")] }, where: [] },
    ],
    [
      "customers from Germany who never saw /about",
      {
        where: [is("$geoip_country_name", "Germany")],
        measure: { of: "without", event: "purchase", pages: [is("$pathname", "/about")] },
      },
    ],
    [
      "how many visitors of the pricing page did not sign up",
      { where: [], measure: { of: "without", seen: [is("$pathname", "/pricing")] } },
    ],
    [
      "customers who paid with paypal but not with card",
      { where: [], measure: { of: "never", did: [is("payment", "paypal")] } },
    ],
    [
      "users who searched but not for boots",
      { where: [], measure: { of: "never", event: "search", met: [is("query", "boots")] } },
    ],
    [
      "visitors of /pricing but not of /about",
      { where: [], measure: { of: "never", did: [is("$pathname", "/pricing")] } },
    ],
    ...["with quantity more than 1", "where quantity is more than 1"].map(
      (compared): [string, object] => [
        `purchases ${compared}`,
        {
          measure: counted("purchase", "total"),
          where: [{ property: of("event", "quantity"), is: "above", values: ["1"] }],
        },
      ],
    ),
    ["quantity sold last 3 weeks", { measure: { math: "sum" }, when: { days: 21 } }],
    [
      "What did people search for without finding anything?",
      { measure: counted("search", "total"), by: [property("query")], where: [is("results", "0")] },
    ],
    [
      "how many customers never used a payment",
      { measure: { of: "never", event: "purchase", met: [{ is: "set" }] }, where: [] },
    ],
    [
      "visitors who did not come from Germany per week",
      { measure: counted("$pageview", "dau"), where: [{ is: "not" }] },
    ],
    ["which payment methods are used", { top: { count: null, isAscending: false } }],
    [
      "how many people abandon their cart?",
      { measure: { of: "without", event: "add_to_cart", not: "purchase" } },
    ],
    ["what share of people abandon their cart?", { measure: { of: "funnel", as: "lost" } }],
    [
      "conversion rate from search",
      {
        measure: { of: "funnel", steps: ["$pageview", "purchase"] },
        where: [is("utm_source", "search")],
      },
    ],
    [
      "conversion rate from search to purchase",
      { measure: { of: "funnel", steps: ["search", "purchase"] }, where: [] },
    ],
    ["sales in Q4", { when: { range: { date_from: "2026-10-01" } } }],
    [
      "sales in Q1 of 2025",
      { when: { range: { date_from: "2025-01-01", date_to: "2025-03-31" } } },
    ],
    [
      "what was our best day",
      { measure: calculated("sum"), by: [{ by: "date" }], top: { count: 1, isAscending: false } },
    ],
    ["orders by hour of the day, by hour of day", { by: [{ by: "hour" }] }],
    ["the busiest day last month", { measure: counted("$pageview", "dau"), top: { count: 1 } }],
    [
      "how many people came back a second time",
      { measure: { of: "newcomers", which: "returning" } },
    ],
    [
      "how many searches failed",
      { measure: counted("search", "total"), where: [is("ok", "false")] },
    ],
    ["VISITORS FROM GERMANY", { measure: counted("$pageview", "dau") }],
  ])("means one thing: %s", (question, expected) => {
    const { readings, unknown } = read(question);

    expect(unknown).toEqual([]);
    expect(readings[0]).toMatchObject(expected);
  });

  test.each([
    ["profit margin", "how many visitors in the last 7 days"],
    ["do searches return margin", "weekly retention of search"],
    ["sales by unicorn", "how many purchase in the last 30 days"],
    ["how many payments by lib margin", "visitors by payment last month"],
    ["why did revenue drop", "revenue in the last 30 days"],
  ])("that is refused gets offers about its words: %s", (question, first) => {
    const names = { ...NAMES, properties: [...NAMES.properties, ...named("$lib, $insert_id")] };
    const offers = offeredFor(question, names);
    expect(offers[0]).toBe(first);
    for (const offer of offers) expect([offer, read(offer).unknown]).toEqual([offer, []]);
  });

  test("a name in quotes has no time", () => {
    const { text, when } = takeTime('visitors of "black friday" on Monday', "2026-11-21T17:00:00Z");
    expect([text.trimEnd(), when]).toEqual([
      'visitors of "black friday"',
      { days: 1, range: { date_from: "2026-11-16", date_to: "2026-11-16" } },
    ]);
  });

  test("has the role of each part, at its place in the typed text", () => {
    const question = "How many visitors didn’t come from Germany per week, since October?";
    const { parts } = read(question);
    expect(parts.map(({ role, start, end }) => [role, question.slice(start, end)])).toEqual([
      ["measure", "visitors"],
      ["filter", "didn’t"],
      ["filter", "Germany"],
      ["interval", "per week"],
      ["period", "since October"],
    ]);
  });

  test.each([
    ["Why did sign ups drop last week?", ["Why"]],
    ["What will revenue be next month?", ["will"]],
    ["average age of our customers", ["age"]],
    ["how many kangaroos visited", ["kangaroos"]],
    ["visitors per unicorn", ["unicorn"]],
    ["revenue from first purchases", ["revenue"]],
    ["the last order", ["last"]],
    ["when did people buy", ["when"]],
    ["customers who bought once", ["once"]],
    ["compare revenue", ["compare"]],
    ["purchase flow", ["flow"]],
    ["what do customers think about us", ["think"]],
    ["how many orders were returned", ["returned"]],
    ["how many visitors left", ["left"]],
    ["how many newsletters were opened and bought", ["newsletters"]],
    ["how many searches bought", ["bought"]],
    ["how many sessions had a search and a purchase", ["and"]],
    ["how many users searched and then bought per week", ["and then"]],
    ["how many users searched, bought", [","]],
    ["visitors, sign ups and purchases last month", ["and"]],
    ["what share of visitors searched and bought", ["and"]],
    ["customers who searched and bought more than once", ["bought"]],
    ["returning users who searched and bought", ["bought"]],
    ["visitors who did not sign up on the pricing page", ["pricing page"]],
    ["do sign ups come back", ["come back"]],
    ["how many visitors and sign ups", ["and"]],
    ["how many users visited /pricing and then /about", ["and then"]],
    ["conversion rate from sign up to the pricing page", ["pricing page"]],
    ["visitors on Good Friday", ["Good Friday"]],
    ["users online now", ["users online now"]],
    ["the slowest pages", ["slowest pages"]],
    ["most expensive product", ["most expensive product"]],
  ])("is refused with the words that have no meaning: %s", (question, words) => {
    const { readings, unknown } = read(question);

    expect(readings).toEqual([]);
    expect(unknown.map(({ text }) => text)).toEqual(expect.arrayContaining(words));
    for (const { text, start, end } of unknown) expect(question.slice(start, end)).toBe(text);
  });
});

/** Writes a sentence as people do: with an opening, a question mark, capitals. */
function decorated(
  sentence: string,
  { pick, chance }: Pick<ReturnType<typeof randomChoices>, "pick" | "chance">,
): string {
  const opening = sentence.startsWith("how ")
    ? ""
    : pick(["", "show me ", "what is the ", "Give me ", "please list "]);
  const text = `${opening}${sentence}${pick(["", "?", "."])}`;
  return chance(0.2) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
