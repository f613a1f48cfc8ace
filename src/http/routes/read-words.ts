import { t } from "elysia";
import type { Insights } from "../../core/insights/insights.ts";
import { WORDS_CHARS_MAX } from "../../core/questions/question.ts";
import { route } from "../operation/route.ts";
import { AnyObject, AnyValue, Text, Texts, Whole } from "../operation/schemas.ts";

const WORDS = "visitors per week by browser, last 13 weeks";

const QUERY = {
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "$pageview", math: "dau" }],
  interval: "week",
  dateRange: { date_from: "-12wStart" },
  breakdownFilter: { breakdown: "$browser", breakdown_type: "event" },
};

const Sentence = t.Nullable(
  Text(
    "Visitors per week by browser, last 13 weeks",
    "Words that are read as the query; null if no words say it.",
  ),
);

const ReadBody = t.Object(
  {
    words: t.Optional(
      Text(
        WORDS,
        `A question in words, also an unfinished one; at most ${WORDS_CHARS_MAX} characters.`,
      ),
    ),
    query: t.Optional(AnyValue(QUERY, "A query, in place of words.")),
  },
  { $id: "WordsAsked", examples: [{ words: WORDS }] },
);

const ReadShape = t.Object(
  {
    query: t.Nullable(AnyObject(QUERY, "Null if the words are not understood.")),
    sentence: Sentence,
    explanation: t.Nullable(
      Text(
        "Visitors per week by browser, last 13 weeks (31 Aug to 28 Nov 2026, UTC).",
        "The sentence, with the dates of the period; null without a query.",
      ),
    ),
    parts: t.Array(
      t.Object({
        role: Text("measure", "measure, filter, order, breakdown, period, interval or comparison"),
        start: Whole(0),
        end: Whole(8),
      }),
      { description: "Parts of the words, or of the sentence of a query, by UTF-16 code units." },
    ),
    readings: t.Array(t.Object({ sentence: Text(WORDS), query: AnyObject(QUERY) }), {
      description: "All readings of the words that have a sentence, the likeliest first.",
    }),
    unknown: t.Array(t.Object({ start: Whole(0), end: Whole(3) }), {
      description: "Words that are not understood.",
    }),
    suggestions: Texts(
      ["how many page views in the last 30 days"],
      "Whole questions that are answered, near to words that are not understood.",
    ),
  },
  { $id: "WordsRead" },
);

/** Questions in words as queries, and queries as words. */
export const readWordsRoutes = (insights: Insights) => [
  route({
    method: "POST",
    path: "/api/environments/:project_id/query/read/",
    scope: "insight:read",
    operationId: "query_read",
    summary: "Read a question in words as a query, or say a query in words, without its answer.",
    body: ReadBody,
    status: 200,
    response: ReadShape,
    handle: ({ project, body, signal }) => insights.read(project, body, signal),
  }),
];
