import type { JsonObject } from "../../values/json.ts";
import { PEOPLE } from "../measures/items.ts";
import type { PropertyInfo } from "../names/index.ts";
import { type Asked, type Item, isTagged, NotUnderstood, textOf } from "./asked.ts";

/** For each concept, the pattern that the query's JSON must match if the question has a word for it. */
const EVIDENCE: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      ["AVERAGE", /"avg"|"average"|A \/ B|time_to_convert/],
      ["MEDIAN", /"median"/],
      ["P75", /"p75"/],
      ["P90", /"p90"/],
      ["P95", /"p95"/],
      ["P99", /"p99"/],
      ["SUM", /"sum"|"sum_property"|"total"|"dau"|"unique_|A \/ B|"all"|count\(/],
      ["MOST", /breakdown|orderBy/],
      ["SOLD", /breakdown/],
      ["LEAST", /"asc"/],
      ["GREATEST", /"max"|breakdown/],
      ["SMALLEST", /"min"|"asc"/],
      ["VISITOR", /\$pageview|\$screen|"dau"|PathsQuery|ActorsQuery|"\$group/],
      [
        "PERSON",
        /"dau"|first_time|"(?:weekly|monthly)_active"|ActorsQuery|FunnelsQuery|RetentionQuery|PathsQuery|LifecycleQuery|StickinessQuery|EventsQuery|"person"|"email"|unique_session|"total"|first_touch/,
      ],
      [
        "ACTIVE",
        /"dau"|"(?:weekly|monthly)_active"|unique_group|StickinessQuery|LifecycleQuery|EventsQuery|RetentionQuery|"email"/,
      ],
      ["DAU", /"dau"/],
      ["WAU", /"weekly_active"|"week"/],
      ["MAU", /"monthly_active"|"month"/],
      ["SESSION", /unique_session|\$session|session|\$pageview/],
      [
        "IS_NEW",
        /first_time|LifecycleQuery|sign|regist|start|creat|begin|open|subscri|install|join|add|book/i,
      ],
      ["RETURNING", /first_time|recurring|performed_event_multiple|LifecycleQuery/],
      ["BOUNCE_RATE BOUNCED", /\$is_bounce/],
      ["SESSION_LENGTH", /\$session_duration/],
      ["DEPTH", /A \/ B/],
      ["ENTRY", /\$entry_pathname/],
      ["EXIT", /\$end_pathname/],
      ["CHANNEL", /\$channel_type|channel/i],
      ["BY", /breakdown|A \/ B|"person"/],
      ["PER", /breakdown|A \/ B|"avg"|"median"|"p\d\d"|"max"|"min"|"sum"/],
      ["FUNNEL", /FunnelsQuery/],
      ["CONVERSION", /FunnelsQuery|A \/ B \* 100/],
      ["ABANDONMENT", /"negation":true|FunnelsQuery/],
      ["RATE", /\* 100|A \/ B|FunnelsQuery|retention/],
      ["SHARE", /\* 100|FunnelsQuery/],
      ["HOW_LONG", /time_to_convert|\$session_duration|"math":"(?:avg|median|sum)"/],
      ["RETENTION BACK", /RetentionQuery/],
      ["LIFECYCLE", /LifecycleQuery/],
      ["STICKINESS", /StickinessQuery/],
      ["AFTER", /startPoint/],
      ["BEFORE", /endPoint/],
      ["WITHOUT", /negation|is_not|"false"|not_/],
      ["EXCEPT", /negation|is_not|not_/],
      ["DIFFERENT", /DISTINCT|"dau"|unique_/],
      ["WHY", /breakdown.*reason"/i],
      ["WEEKDAY", /dateName/],
      ["HOUR", /toHour/],
      ["FIRST_TOUCH", /first_touch/],
      ["FIRST_SEEN", /first_time|ASC|first_touch|FunnelsQuery/],
      ["LAST_SEEN", /DESC/],
      ["OR", /"value":\[|"OR"/],
      ["REVENUE", /"sum"|"avg"|"median"|"max"|"min"|"p\d\d"|performed_event_sum/],
      ["SPEND", /"sum"|"avg"|"median"|"max"|"min"|performed_event_sum/],
      ["ORDER_VALUE", /math_property/],
      ["WHO", /ActorsQuery|"dau"|FunnelsQuery|RetentionQuery|behavioral|first_time|"email"/],
      ["CUMULATIVE", /Cumulative/],
      ["SMOOTHED", /smoothingIntervals/],
      ["WITHIN HOURS", /funnelWindow/],
      ["STRICT", /"strict"/],
      ["UNORDERED", /"unordered"/],
      ["NEWEST", /DESC/],
      ["OLDEST", /ASC/],
    ] as const
  ).flatMap(([tags, pattern]) => tags.split(" ").map((tag) => [tag, pattern] as const)),
);

/** Tags that need no evidence in the query. */
const IMPLIED: ReadonlySet<string> = new Set(
  "COUNT MUCH AND TO LIST WHICH DONE ALL_EVENTS ACTIVITY SET_ANY VERSUS COMPARE WHEN TIMES BETWEEN LAST_TOUCH DATE F PROP NEARPROP EVPART EV VAL NUM GROUP PAYER".split(
    " ",
  ),
);

/**
 * Returns the items that are missing from the query. It runs for every measure, so a word cannot be dropped silently.
 */
export function unmet(asked: Asked, query: JsonObject): Item[] {
  const text = JSON.stringify(query);
  const has = (value: unknown) => text.includes(JSON.stringify(value));
  const unnamed = asked.items.filter((item) => isUnnamed(asked, item));
  if (unnamed.length > 0) return unnamed;
  return asked.items.filter((item) => {
    const { part, tags } = item;
    if (isUnmet(item, query)) return true;
    switch (part?.kind) {
      case "ev":
        return !has(part.event.name) && !isSameEvent(part.event.name, text);
      case "filter":
        return !part.of.some(
          ({ property, values }) =>
            (isPlain(part.operator) || has(part.operator)) &&
            (has(property.name) || text.includes("PathsQuery")) &&
            values.every((value) => has(value) || has(Number(value))),
        );
      case "pages":
        return !part.paths.every(has) || !(isPlain(part.how) || has(part.how));
      case "cmp":
        return (
          !part.bounds.every(({ number }) => text.includes(String(number))) &&
          part.unit === undefined
        );
      case "freq":
        return !part.bounds.every(
          ({ number }) =>
            text.includes(`"operator_value":${number}`) || text.includes("RetentionQuery"),
        );
      case "whom":
        return !has(part.id);
      default: {
        // "Total" or "amount" is the property with that name, unless an event follows directly.
        const isName =
          tags.includes("PROP") &&
          ["COUNT", "SUM"].some((tag) => tags.includes(tag)) &&
          item.isUsed;
        const isOfEvents = item.term.properties.some(({ events }) =>
          [...(events ?? [])].some((name) => has(name)),
        );
        const isBefore = asked.beside(item, 1)?.at === item.at + 1;
        if (isName && isOfEvents && !isBefore) {
          return !item.term.properties.some(({ name }) => has(name));
        }
        const proven = tags.filter((tag) => EVIDENCE.has(tag));
        const isFree = tags.some(
          (tag) => IMPLIED.has(tag) && tag !== "F" && tag !== "EVPART" && tag !== "NEARPROP",
        );
        return (
          item.isUsed &&
          proven.length > 0 &&
          !isFree &&
          !proven.some((tag) => EVIDENCE.get(tag)?.test(text))
        );
      }
    }
  });
}

/**
 * Whether a query counts events, by their own conditions. "Only" adds nothing to these, as an event that meets a
 * condition meets no other one.
 */
export function isOfEventsAlone(asked: Asked, query: JsonObject): boolean {
  const text = JSON.stringify(query);
  const isOfOthers = /"(?:dau|weekly_active|monthly_active|unique_\w+|first_time\w*)"|behavioral/;
  const isOfPeople = asked.items.some((item) => isTagged(item, ...PEOPLE, "WHO", "SESSION"));
  const isByLabel = asked.items.some((item) => isTagged(item, "BY")) || !/breakdown/.test(text);
  return query["kind"] === "TrendsQuery" && !isOfOthers.test(text) && !isOfPeople && isByLabel;
}

/** Throws `NotUnderstood` for words that turn the meaning of others round, where these would be read without them. */
export function refuseTurned(asked: Asked): void {
  refuseHabit(asked);
  const but = asked.items.find((item) => item.word === "but" && isTagged(item, "AND"));
  const part = but === undefined ? undefined : asked.beside(but, 1)?.part;
  const isSo =
    (part?.kind === "filter" && part.operator === "exact" && part.bounds === undefined) ||
    ((part?.kind === "pages" || part?.kind === "whom") && !part.isNot);
  if (but !== undefined && isSo) throw new NotUnderstood(textOf(but));
}

/** Refuses "people who bought every week", which asks for people of all weeks, and not for a count per week. */
function refuseHabit({ items, when: { each, interval } }: Asked): void {
  const has = (...tags: string[]) => items.some((item) => isTagged(item, ...tags));
  const isDone = items.some(({ part }) => part?.kind === "ev");
  const isDoer = items.some(({ part }) => part?.kind === "ev" && part.isDoer);
  if (each === undefined || !(isDoer || has(...PEOPLE, "WHO"))) return;
  const isHabit = has("WHO", "ACTIVE") || items.some(({ word }) => word === "active");
  const isCounted = has("COUNT", "MUCH");
  if (isCounted ? each === "every" && isHabit : isHabit || isDone)
    throw new NotUnderstood(
      `${each} ${interval}`,
      `Write "per ${interval}" for their number per ${interval}. For how many ${interval}s people did it in, ask for stickiness.`,
    );
}

/** Words that ask for the sum of several counts. */
export const isCombined = ({ word }: Pick<Item, "word">): boolean =>
  /^(?:combined|together|altogether|in_total|overall)$/.test(word);

/** Whether an item asks for the sum of several lines, or for amounts, without a query that has it. */
const isUnmet = (item: Item, query: JsonObject): boolean =>
  (isCombined(item) && isOfLines(query)) ||
  (isOfAmounts(item) && !/math_property|time_to_convert/.test(JSON.stringify(query)));

/** Whether a query has several lines and no formula that makes one of them. */
const isOfLines = ({ kind, series, trendsFilter }: JsonObject): boolean =>
  kind === "TrendsQuery" &&
  Array.isArray(series) &&
  series.length > 1 &&
  (trendsFilter as JsonObject | undefined)?.["formula"] === undefined;

/** Whether a word such as "type" or "message" is one of exceptions, which the question does not name. */
function isUnnamed({ items }: Asked, { part, term, isUsed }: Item): boolean {
  const named =
    part?.kind === "filter" && part.isNamed ? part.of.map(({ property }) => property) : [];
  const [first] = [...named, ...(part === undefined && isUsed ? term.properties : [])];
  const isOfExceptions = ({ property }: { property: PropertyInfo }) =>
    property.name.startsWith("$exception_");
  if (first === undefined || !isOfExceptions({ property: first })) return false;
  return !items.some(
    (one) =>
      (one.part?.kind === "ev" && one.part.event.name === "$exception") ||
      (one.part?.kind === "filter" && !one.part.isNamed && one.part.of.every(isOfExceptions)) ||
      one.term.words.some(({ low }) => /^[$]?(?:exception|error|crash)/.test(low)),
  );
}

/** Whether an item is a superlative of a time or a price. The slowest ones are not the most frequent ones. */
const isOfAmounts = (item: Item): boolean =>
  isTagged(item, "GREATEST", "SMALLEST") &&
  /slow|fast|long|short|expens|cheap|pric/.test(item.word);

/** Whether an operator compares whole values. A negated one may be the opposite of a filter of people. */
const isPlain = (operator: string): boolean => operator === "exact" || operator === "is_not";

/** A query with a page property counts as one about page views. */
const isSameEvent = (name: string, text: string): boolean =>
  (name === "$pageview" && /PathsQuery|"\$(?:pathname|entry_pathname|end_pathname)"/.test(text)) ||
  (name === "$screen" && /"\$screen(?:_name)?"/.test(text));
