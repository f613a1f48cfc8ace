import { DEFINED_EVENTS, DEFINED_PROPERTIES } from "../../src/core/questions/names/defined.ts";
import { DEFAULT_SPAN } from "../../src/core/questions/read/complete.ts";
import { nameWords } from "../../src/core/questions/text/stems.ts";
import { code, listed, pageOf, table } from "./markdown.ts";

/** Words of one name that the page shows at most. */
const WORDS_MAX = 4;

/** Questions by their subject, as they can be asked. */
const EXAMPLES: [subject: string, questions: string[]][] = [
  ["counts", ["how many orders did we have yesterday?", "page views this week"]],
  ["over time", ["visitors per day in November", "weekly sign ups over the last 8 weeks"]],
  ["visitors, visits", ["new visitors per day last 7 days", "bounce rate by landing page"]],
  ["lists", ["top 5 pages", "best selling products last month", "top referrers"]],
  ["filters", ["orders over 100 euros", "visitors outside France", "orders without a coupon"]],
  ["numbers", ["revenue by country", "median order value by product", "page views per visitor"]],
  ["shares", ["what share of visitors signs up?", "what share of orders is paid with paypal?"]],
  [
    "ways",
    [
      "funnel from product viewed to add to cart to purchase within 7 days",
      "cart abandonment rate",
    ],
  ],
  ["times", ["how long does it take from sign up to purchase?", "orders by day of the week"]],
  [
    "habits",
    ["weekly retention of visitors", "weekly lifecycle of visitors", "stickiness of visitors"],
  ],
  ["paths", ["where do visitors go after /pricing?", "which pages come before /checkout?"]],
  [
    "people",
    ["who started checkout but did not buy?", "how many customers bought more than once?"],
  ],
  ["one person", ["what has ann@example.com done?", "when was ann@example.com last seen?"]],
  ["groups", ["revenue by company", "which companies bought the most?", "top customers"]],
  ["changes", ["revenue this month vs last month", "is revenue growing?"]],
];

/** Ways from a word to a name of the project. */
const NAMES: [named: string, by: string, example: string][] = [
  [
    "event",
    "the words of its name, in any form and order",
    "`created tasks` and `task creations` are `task_created`",
  ],
  [
    "people",
    "the noun for the people who do an event",
    "`buyers` have a `purchase`, `searchers` a `search`",
  ],
  [
    "property",
    "the words of its name, without a unit or `is_`",
    "`average duration` is of `duration_ms`",
  ],
  [
    "value",
    "the value alone, with or without its property",
    "`orders from Germany`, `visitors on pro`",
  ],
  ["group", "its type, and its properties", "`orders by industry`"],
  [
    "anything",
    "its name in double quotes",
    '`users of "task_created"`, `visitors by person."plan"`',
  ],
];

/** Words with a meaning of their own. */
const DEFINITIONS: [word: string, meaning: string][] = [
  [
    "visitor",
    "a person with a page view in the period, after all merges; of an app, with a screen",
  ],
  ["user, person", "a person with any event, or with the event that the question names"],
  ["customer, buyer", "a person with an order"],
  ["new visitor", "a person whose first page view ever is in the period"],
  ["returning visitor", "a visitor whose first page view was before the period"],
  [
    "session, visit",
    "the events with one `$session_id`; it belongs to the period in which it starts",
  ],
  ["session length", "seconds from the first event of a session to the last"],
  ["bounce", "a session with one page view, no `$autocapture`, and less than 10 seconds"],
  ["landing page, exit page", "`$pathname` of the first and the last page view of a session"],
  [
    "revenue, order value",
    "sum and average of the amount of orders: `revenue`, `amount`, `price`, `total` or the like; with several currencies, a line for each",
  ],
  [
    "per user",
    "divided by the persons with the event; `per visitor` and `per active user` by those",
  ],
  [
    "conversion rate",
    "the share of persons with the first event who reach the last, in order, within 14 days; of one event alone, from a page view to it",
  ],
  ["abandonment", "the share of persons with the first event who lack the last one in the period"],
  [
    "conversion rate by source, medium, campaign or referrer",
    "of each source: the persons with an order on a visit from it, as a share of its visitors",
  ],
  [
    "persons who did not do A",
    "all persons, active in the period or not; customers are those of all time",
  ],
  [
    "top customers, top users",
    "those with the highest revenue, those with the most events, by email address",
  ],
  ["`bookings`, with the events `booking_started` and `booking_completed`", "completed bookings"],
  ["first order in a funnel", "the first one after the step before it"],
  [
    "`blog posts`, `an /advice page`, `the docs`",
    "all pages below `/blog/`, below `/advice/`; `/docs` and all below it",
  ],
  ["`played 5 episodes`, of an event with an `episode_id`", "played 5 times"],
  ["`why do people cancel?`", "by the property of the event with the reason"],
  [
    "`orders in Leeds, by card`, `orders in Leeds, mobile`",
    "orders that meet both conditions; values of one property, as in `orders in Leeds, York`, get a line each",
  ],
  ["`vs last month`, without a period", "this month, and the one before it"],
  ["`ratio of returns to orders`", "the number of returns divided by the number of orders"],
  ["`viewed the tent and bought it`", "both with the same value: `it` is the tent"],
  ["`cron runs that failed`, `unresolved tickets`", "where `ok` or `resolved` is false"],
  [
    "`average resolution time`, `slowest import`",
    "of the only property of the event with a unit of time; `which job is the slowest` ranks by its average",
  ],
  ["A and B, A but not B", "of persons: all of it in the period, in any order"],
  ["first touch", "the value on the first event of a person that has one, at any time"],
];

/** Periods, and their first and last day. */
const PERIODS: [words: string, meaning: string][] = [
  ["`last 7 days`", "today and the 6 days before"],
  ["`weekly … last 8 weeks`", "this week and the 7 before; weeks begin on Monday"],
  ["`last 24 hours`", "exactly the hours before now; by the hour, whole hours"],
  ["`today`, `this week`, `in October`, `Q4`, `ytd`", "of the calendar, up to now"],
  ["`yesterday`, `last month`, `week before last`, `3 days ago`", "of the calendar, as a whole"],
  ["`past week`, `past month`", "7 days, 30 days, with today"],
  [
    "`1 to 10 November`, `since 2026-11-10`, `27/11/2026`",
    "whole days; the day is before the month",
  ],
  ["`until 20 November`, `before 20 November`", "with and without that day"],
  [
    "`on weekends`, `on mondays`, `between 6pm and 10pm`, `after 8pm`",
    "a condition on the time of events, on the clock of the project, in any period",
  ],
  ["`of all time`", "from the first event on"],
  [
    "no period",
    `the last ${"last" in DEFAULT_SPAN ? DEFAULT_SPAN.last : 0} days; of one person, all time`,
  ],
];

/** Questions that are refused, and the way on. */
const REFUSED: [question: string, reason: string][] = [
  [
    "a word that no name and no part of the query stands for",
    "the answer would be to another question",
  ],
  [
    "`customers` and `revenue` without an event for orders or an amount",
    "nothing else takes their place",
  ],
  [
    "an amount, if the event has several; revenue, if several events are sales; a property of several events",
    "name one that the answer lists",
  ],
  ["`visitors by product`", "page views have no `product`: ask for `orders by product`"],
  [
    "`total tickets` of `ticket_sale`, `highest weight by port`, `orders by week` with a property `week`",
    "each has two readings: the answer has the words for both",
  ],
  ["the future, and facts that no event has", "no number is guessed"],
  ["`which companies did not order?`", "only persons are found by what they did not do"],
  ["lists of persons over time; comparisons of funnels", "ask by [SQL](insights.md#sql)"],
];

/** Names that the page explains; the first one stands for all others of its line. */
const SHOWN_EVENTS = [
  ...["$pageview", "$screen", "$autocapture", "$exception", "Application Installed"],
  ...["Application Opened", "purchase", "sign up", "login", "add to cart", "checkout started"],
  ...["product viewed", "search"],
];
const SHOWN_PROPERTIES = [
  ...["$pathname", "$referring_domain", "utm_source", "utm_campaign", "$device_type", "$os"],
  ...["$geoip_country_name", "$geoip_city_name", "$app_version", "query", "payment", "coupon"],
];

/** The page about questions in words, from the tables that read them. */
export function questionsPage(): string {
  return pageOf(
    "# Questions in words",
    "Ask as you would ask a person, by the names of your own events, properties and values. Your words become one [typed query](insights.md#typed-queries), the same that the builder makes. The order of the parts, capitals, plurals, small typing errors and polite words make no difference:",
    table(
      ["about", "for example"],
      EXAMPLES.map(([subject, questions]) => [subject, questions.map(code).join(", ")]),
    ),
    "Each word counts. It sets a part of the query, or is one of a fixed list without meaning, such as `the` and `please`. Else the question is refused. Read the `explanation` of the answer to see how your words were read:",
    '```text\nhow many orders from Germany in the last 30 days?\nPurchases where country is "Germany", last 30 days (30 Oct to 28 Nov 2026, UTC).\n```',
    "If your words can also mean another event, or a property of the person, `other_readings` has those questions.",
    "The `sentence` is the same without the dates. Ask it to get the same query again.",
    "## Names",
    table(["of", "found by", "for example"], NAMES),
    "A property chooses its event, if only one event has it. A property of the event comes before one of the person with the same name, and that one before one of a group. The spelling of your own names and values is never changed. Capitals make no difference for names. If values differ by capitals alone, the value with your capitals is used.",
    'A name that is also a word of questions, such as a property `week`, `users` or `share`, is meant if it is in double quotes: `orders by "week"`. Without quotes the word is read as usual, or the question is refused with both spellings. A property with the values `yes` and `no` is a yes-or-no property.',
    "A text that reads as a number, such as `12.50` or `1e3`, counts as a number in sums, averages and comparisons, as in insights and in SQL. Other texts, such as `1,5` and `12€`, are left out. `orders with amount 12.5` also finds `12.50`.",
    "Names are kept for a minute. If a word is not understood, they are read again, so a new name is known at once. A project without events answers 0 to questions about page views, screens and clicks.",
    "### Your own words",
    "Say your own words for an event or a property once. They come before all others:",
    [
      "```sh",
      "API=http://127.0.0.1:8000/api/environments/1",
      'curl -X PATCH "$API/event_definitions/task_created/" -H "authorization: Bearer $PERSONAL_KEY" \\',
      '  -H \'content-type: application/json\' -d \'{"also_called": ["to-do", "ticket"]}\'',
      "```",
    ].join("\n"),
    "Now `how many tickets per week` counts `task_created`. [Names](insights.md#names) has the rest.",
    "### Words that everyone has",
    "These words are known for names of SDKs, and for the usual names of shops. An event of your own that is called like the word comes first. Without a `purchase`, the words mean `order completed`, `checkout completed` or the like.",
    table(["event", "also called"], rowsOf(DEFINED_EVENTS, SHOWN_EVENTS)),
    table(["property", "also called"], rowsOf(DEFINED_PROPERTIES, SHOWN_PROPERTIES)),
    "## Periods",
    table(["words", "period"], PERIODS),
    "In the API, `-7d` is 8 days, as in PostHog: see [time](insights.md#time-zone).",
    "Say `per day`, `weekly`, `by month` or `over time` for a number for each interval. Else a question has one number. Say `compared to the week before` or `vs last month` for the earlier period too: a week, month or year of the calendar is compared with the one before it, other periods with as many days before.",
    "## Definitions",
    table(["word", "meaning"], DEFINITIONS),
    "## Refusals",
    "A question that is not understood is refused with 400. The answer names the word and says what to write instead, such as the closest name. It offers whole questions with your period, and each of them is answered:",
    '```text\n"refunds" is not understood in "refunds last month". Write the name of an event, property or value instead, such as "order refunded", give the name this word by also_called, or ask in SQL. You can ask: "Page views, last month"; …\n```',
    table(["refused", "reason, or the way on"], REFUSED),
  );
}

/** The rows of some names, each with other words for it. */
function rowsOf(lines: readonly string[], shown: readonly string[]): string[][] {
  return shown.map((name) => {
    const line = lines.find((one) => one.split(/[|;]/)[0] === name);
    if (line === undefined) throw new Error(`No words are defined for ${name}.`);
    const words = (line.split("; ")[1] ?? "").split(", ");
    const others = words.filter((word) => /^[a-z -]{3,}$/.test(word) && bare(word) !== bare(name));
    return [code(name), listed(others.slice(0, WORDS_MAX))];
  });
}

/** A name without capitals and signs. */
const bare = (name: string) => nameWords(name).join("");
