import {
  EVENT_PHRASES,
  PROPERTY_PHRASES,
  ROLES,
  VALUE_WORDS,
} from "../../src/core/questions/language/lexicon.ts";
import { DAYS_DEFAULT } from "../../src/core/questions/readings/compile.ts";

/** Words that a row of the page shows at most. */
const WORDS_MAX = 14;

const code = (text: string) => `\`${text}\``;
const wordsOf = (phrases: string) => phrases.split(",").map((one) => one.trim());
const some = (words: readonly string[]) => words.slice(0, WORDS_MAX).map(code).join(", ");

const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** Questions by their subject, as they can be asked. */
const EXAMPLES: [subject: string, questions: string[]][] = [
  ["counts", ["how many orders did we have yesterday?", "page views this week"]],
  ["over time", ["visitors per day in October", "weekly sign ups over the last 8 weeks"]],
  ["visitors", ["how many visitors came from Germany last month?", "daily active users"]],
  ["sessions", ["average session length on mobile", "bounce rate by landing page"]],
  [
    "top lists",
    ["top 5 pages", "best selling products last month", "10 most frequent search terms"],
  ],
  [
    "filters",
    ["orders over 100 euros", "visitors outside France", "sign ups from the campaign spring"],
  ],
  ["money", ["revenue by country", "average order value", "biggest order this month"]],
  ["per person", ["page views per visitor", "revenue per customer", "orders per day on average"]],
  ["shares", ["what share of visitors is on mobile?", "conversion rate from visit to purchase"]],
  ["funnels", ["funnel from product viewed to add to cart to purchase within 7 days"]],
  ["time between", ["how long does it take from sign up to purchase?"]],
  ["not done", ["who started checkout but did not buy?", "cart abandonment rate"]],
  [
    "coming back",
    [
      "weekly retention of visitors",
      "new vs returning visitors",
      "customers who bought more than once",
    ],
  ],
  ["paths", ["where do visitors go after /pricing?", "which pages come before /checkout?"]],
  [
    "habits",
    ["weekly lifecycle of visitors", "stickiness of visitors", "purchases by day of the week"],
  ],
  ["origin", ["top referrers", "sign ups by first touch utm source"]],
  [
    "comparison",
    ["revenue this month vs last month", "visitors this week compared to the week before"],
  ],
  ["one person", ["what has ann@example.com done?", "when was ann@example.com last seen?"]],
  ["groups", ["revenue by company", "which companies bought the most?"]],
];

/** Words with a meaning of their own. */
const DEFINITIONS: [word: string, meaning: string][] = [
  ["visitor", "a person with a page view in the period, after all merges"],
  ["user, person", "a visitor, or a person with the event that the question names"],
  ["customer, buyer", "a person with a purchase in the period"],
  [
    "session, visit",
    "the events with one `$session_id`; it belongs to the period in which it begins",
  ],
  ["session length", "seconds from the first event of a session to the last"],
  ["bounce", "a session with one page view, no `$autocapture`, and less than 10 seconds"],
  ["entry page, exit page", "`$pathname` of the first and the last page view of a session"],
  ["revenue", "the sum of `amount` of purchases; an order value is its average"],
  [
    "conversion",
    "the share of the persons with the first event who reach the last, in order, within 14 days",
  ],
  ["A without B", "persons with A and without B in the period"],
  ["A and B, of persons", "persons with both in the period"],
  [
    "A and then B, of persons",
    "the last step of the funnel from A to B, however much time is between them",
  ],
  ["new visitor", "a person whose first page view ever is in the period"],
  ["first touch", "the value that the first event of the person has"],
  [
    "after, before a page",
    "the next page view of the same session; a page twice in a row counts once",
  ],
];

/** Periods, and their first and last day. */
const PERIODS: [words: string, meaning: string][] = [
  [
    "`today`, `yesterday`, `this week`, `last month`, `in October`",
    "of the calendar; weeks begin on Monday",
  ],
  ["`last 7 days`, `past 4 weeks`, `last 2 months`", "back from today, which is included"],
  [
    "`last 24 hours`, `past hour`",
    "for one number exactly the hours before now; for a number per hour whole hours",
  ],
  ["`since 2026-11-10`, `between 1 November and 10 November`, `on Tuesday`", "whole days"],
  ["`of all time`", "from the first event on"],
  ["no period", `the last ${DAYS_DEFAULT} days; of one person all time`],
];

/** Roles that the page shows, by what they ask for. */
const SHOWN: [heading: string, roles: (keyof typeof ROLES)[]][] = [
  ["visitors and persons", ["visitor", "person", "customer", "active"]],
  ["sessions", ["session", "session_length", "bounce_rate", "pages_per_session", "entry", "exit"]],
  ["calculations", ["average", "median", "sum", "greatest", "smallest", "p90", "p95"]],
  ["order", ["most", "least", "sold"]],
  ["labels", ["by", "weekday", "hour", "date", "first_touch"]],
  ["comparisons with numbers", ["more", "at_least", "less", "at_most", "between"]],
  ["exclusions", ["without", "except"]],
  ["money", ["revenue", "order_value", "spend"]],
  [
    "journeys",
    [
      "funnel",
      "conversion",
      "abandonment",
      "retention",
      "lifecycle",
      "stickiness",
      "after",
      "before",
    ],
  ],
  ["shares", ["share"]],
  ["new and returning", ["new", "returning", "again"]],
];

/** The page about questions in words, from the lexicon that reads them. */
export function questionsPage(): string {
  const lexicon = (lines: readonly string[]) =>
    lines
      .map(wordsOf)
      .filter((words) => words.length > 1)
      .map(([name = "", ...others]) => [code(name), some(others)]);
  return `${[
    "# Questions in words",
    "Ask as you would ask a person. Names are those of your own events, properties and values. The order of the parts, capitals, plurals, small typing errors and polite words make no difference:",
    table(
      ["about", "for example"],
      EXAMPLES.map(([subject, questions]) => [subject, questions.map(code).join("<br>")]),
    ),
    "The answer has an `explanation`: a sentence that says how the question was read, with its period. `other_readings` has other meanings of the words. Each question can also be asked in a [short form](insights.md#words).",
    "A question is refused with 400 if a word has no meaning here. The answer names that word, and offers questions that work. A number is never guessed: reasons, ages, the future and other things that no event says are refused.",
    "A project with more than a million events keeps its names and values for a minute. If a word is not understood, they are read again, so a name that has just come is known.",
    "## Periods",
    table(["words", "period"], PERIODS),
    "The `quietest` or `worst` day is a day that is over: today is left out.",
    "An interval makes a number for each: `per day`, `daily`, `by week`, `each month`, `hourly`, `over time`. Without one, a question for a number has one number. `compared to the week before` and `vs last month` add the earlier period, which is as long as this one.",
    "## Definitions",
    table(["word", "meaning"], DEFINITIONS),
    "## Words",
    "Any form of these words counts.",
    table(
      ["for", "words"],
      SHOWN.map(([heading, roles]) => [
        heading,
        some(
          roles.flatMap((role) =>
            wordsOf(ROLES[role]).slice(0, Math.ceil(WORDS_MAX / roles.length)),
          ),
        ),
      ]),
    ),
    "### Events",
    "If your project has the event, or one that is called like one of these words, all of them mean it. Names of your own events always count.",
    table(["event", "also called"], lexicon(EVENT_PHRASES)),
    "### Properties",
    table(["property", "also called"], lexicon(PROPERTY_PHRASES)),
    "A filter may name a value alone: `orders from Germany`, `visitors on mobile`, `paid with paypal`. The values of the newest 20,000 events and persons are known, and these words for some of them:",
    table(
      ["word", "value"],
      [...VALUE_WORDS].map(([word, values]) => [code(word), values.map(code).join(", ")]),
    ),
  ].join("\n\n")}\n`;
}
