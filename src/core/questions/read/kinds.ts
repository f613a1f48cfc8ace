import type { Interval } from "../../queries/intervals.ts";
import type { JsonObject } from "../../values/json.ts";
import type { Draft } from "../measures/draft.ts";
import { use } from "../measures/items.ts";
import { calendar, rangeOf, type Span } from "../text/dates.ts";
import { nameWords } from "../text/stems.ts";
import type { When } from "../text/time.ts";
import { type Asked, type Item, isTagged, meanNothing, NotUnderstood } from "./asked.ts";
import { isFree, type Labels } from "./labels.ts";
import { SECONDS, unitOfName } from "./numbers.ts";
import { UNITS } from "./parts.ts";

/** The pieces of a query. `interval` is null for a single number, and `labels` are breakdowns. */
type Made = {
  asked: Asked;
  draft: Draft;
  filters: JsonObject[];
  labels: JsonObject[];
  order: Labels["order"];
  interval: Interval | null;
  span: Span;
  isAsked: boolean;
};

/** Returns the query. Throws `NotUnderstood` if its kind does not support a part of the question. */
export function queryOf(made: Made): JsonObject {
  const kind = String(made.draft.query["kind"]);
  return (KINDS[kind] ?? ofIntervals)(made);
}

const KINDS: Readonly<Record<string, (made: Made) => JsonObject>> = {
  TrendsQuery: ofTrends,
  FunnelsQuery: ofFunnel,
  RetentionQuery: ofRetention,
  PathsQuery: ofPaths,
  EventsQuery: ofTable,
  ActorsQuery: ofTable,
};

const timeAndFilters = ({ span, filters }: Made, unit: Interval | null): JsonObject => ({
  dateRange: rangeOf(span, unit),
  ...(filters.length === 0 ? {} : { properties: filters }),
});

function ofFunnel(made: Made): JsonObject {
  const { asked, draft, interval } = made;
  const isOver = (draft.query["funnelsFilter"] as JsonObject)["funnelVizType"] === "trends";
  if (interval !== null && !isOver)
    throw new NotUnderstood(`per ${interval}`, "Ask for a conversion rate to have it over time.");
  if (asked.when.compare !== undefined)
    throw new NotUnderstood("compared", "Funnels are not compared.");
  const unit = unitWord(asked);
  if (unit !== undefined && JSON.stringify(draft.query).includes("time_to_convert"))
    meanNothing(unit);
  return {
    ...draft.query,
    ...timeAndFilters(made, isOver ? interval : null),
    ...(isOver ? { interval: interval ?? "day" } : {}),
    ...breakdown(made),
  };
}

function ofRetention(made: Made): JsonObject {
  const { asked, draft, interval, span } = made;
  const unit = interval ?? "week";
  const isTimed = asked.when.span !== undefined;
  const { dateRange = null, ...rest } = timeAndFilters(made, unit);
  // One interval for each unit in the period, so that all of them are counted.
  const totalIntervals = "last" in span && span.unit === unit ? span.last : 100;
  return {
    ...draft.query,
    ...rest,
    ...(isTimed ? { dateRange } : {}),
    retentionFilter: {
      ...(draft.query["retentionFilter"] as JsonObject),
      period: unit.replace(/^./, (letter) => letter.toUpperCase()),
      ...(isTimed ? { totalIntervals } : {}),
    },
    ...breakdown(made),
  };
}

function ofPaths(made: Made): JsonObject {
  refuseLabels(
    made.labels.filter(({ property }) => !/^\$(?:pathname|screen_name)$/.test(String(property))),
  );
  if (made.interval !== null) throw new NotUnderstood(`per ${made.interval}`);
  return { ...made.draft.query, ...timeAndFilters(made, null) };
}

function ofIntervals(made: Made): JsonObject {
  refuseLabels(made.labels);
  const interval = made.interval ?? made.draft.intervalDefault ?? "day";
  return { ...made.draft.query, interval, ...timeAndFilters(made, interval) };
}

function refuseLabels(
  [first]: readonly JsonObject[],
  reason = "This kind of question has no lines by a property.",
): void {
  if (first !== undefined) throw new NotUnderstood(String(first["property"]), reason);
}

function ofTrends(made: Made): JsonObject {
  const { asked, draft, filters, labels, order, span } = made;
  const isTimed = asked.when.span !== undefined;
  const math = String((draft.query["series"] as JsonObject[])[0]?.["math"]);
  const isDaily = math === "dau" && draft.intervalDefault === "day";
  const byDefault = isTimed || isDaily ? (draft.intervalDefault ?? null) : null;
  const smoothing = takeSmoothing(asked);
  const interval = made.interval ?? smoothing?.unit ?? byDefault;
  const filter = {
    ...trendsFilter(made, interval),
    ...(smoothing === undefined ? {} : { smoothingIntervals: smoothing.count }),
  };
  if (order !== undefined && labels.length === 0)
    throw new NotUnderstood("top", "Say of what: top pages, top countries.");
  const isLong = math === "weekly_active" || math === "monthly_active";
  const period = isLong && interval === null && !isTimed ? calendar("day", 0) : span;
  const properties = [...filters, ...known(made)];
  return {
    ...draft.query,
    interval: interval ?? "day",
    dateRange: rangeOf(period, interval),
    ...(properties.length === 0 ? {} : { properties }),
    ...breakdown(made),
    ...(Object.keys(filter).length === 0 ? {} : { trendsFilter: filter }),
    ...compareFilter(asked.when, span),
  };
}

/** Takes "moving average" or "14 day moving average": the number of intervals, by default 7 days. */
function takeSmoothing(asked: Asked): { count: number; unit: Interval } | undefined {
  const word = asked.take("SMOOTHED");
  if (word === undefined) return undefined;
  const unit = asked.beside(word, -1);
  const number = unit === undefined ? undefined : asked.beside(unit, -1);
  const found = (["DAYS", "WEEKS"] as const).find((tag) => isTagged(unit, tag));
  if (found === undefined || number?.term.number === undefined) return { count: 7, unit: "day" };
  use(number, unit);
  return { count: number.term.number, unit: found === "DAYS" ? "day" : "week" };
}

function trendsFilter({ asked, draft, labels }: Made, interval: Interval | null): JsonObject {
  const average = interval === null ? undefined : asked.take("AVERAGE", "MEDIAN");
  const mean = average?.tags.includes("MEDIAN") === true ? "median" : "average";
  const isTotal = interval === null || average !== undefined;
  const display = labels.length === 0 ? "BoldNumber" : "ActionsBarValue";
  const isCumulative = asked.take("CUMULATIVE") !== undefined;
  return {
    ...(draft.query["trendsFilter"] as JsonObject | undefined),
    ...(isTotal ? { display } : {}),
    ...(isCumulative ? { display: "ActionsLineGraphCumulative" } : {}),
    ...(average === undefined ? {} : { detailedResultsAggregationType: mean }),
    ...takeUnit(asked, draft),
  };
}

/** Takes "in minutes": the answer is a duration if the property has times. Other units stay unread. */
function takeUnit(asked: Asked, { query }: Draft): JsonObject {
  const [first] = query["series"] as JsonObject[];
  const name = String(first?.["math_property"] ?? "");
  const own = asked.items.find(
    (item) =>
      isFree(item) &&
      asked.items[item.at - 1]?.word === "in" &&
      nameWords(name).at(-1) === item.word,
  );
  if (own !== undefined) meanNothing(own);
  const size = unitOfName(name);
  const word = unitWord(asked);
  const unit = word && unitOf(word);
  if (word === undefined || unit === undefined || size === undefined) return {};
  if (size > 1 && SECONDS[unit] !== size) return {};
  meanNothing(word);
  if (size > 1) return {};
  return { aggregationAxisFormat: size < 1 ? "duration_ms" : "duration" };
}

const unitOf = (item: Item) => UNITS.find((one) => isTagged(item, one.toUpperCase()));

/** The unit in "in minutes" or "in min". */
const unitWord = ({ items }: Asked): Item | undefined =>
  items.find((item) => isFree(item) && unitOf(item) && items[item.at - 1]?.word === "in");

/** Filters that leave out events without a value, for a top list and for "which companies". */
const known = ({ labels, order, isAsked }: Made): JsonObject[] =>
  (order === undefined && !isAsked ? [] : labels)
    .filter(({ type }) => !["hogql", "event_metadata", "first_touch"].includes(String(type)))
    .map(({ property = null, ...owner }) => ({ key: property, ...owner, operator: "is_set" }));

function breakdown({ labels, order }: Made): JsonObject {
  const [first, ...others] = labels;
  if (first === undefined) return {};
  const { property = null, type = "event", group_type_index: index } = first;
  const limit = {
    ...(order?.limit === undefined
      ? {}
      : { breakdown_limit: order.limit, breakdown_hide_other_aggregation: true }),
    ...(order?.isAscending === true ? { breakdown_order: "asc" } : {}),
    // Days and hours are in calendar order unless the question asks for the top ones.
    ...(order !== undefined && order.isAscending !== true && type === "hogql"
      ? { breakdown_order: "desc" }
      : {}),
  };
  if (others.length > 0) return { breakdownFilter: { breakdowns: [...labels], ...limit } };
  return {
    breakdownFilter: {
      ...{ breakdown: property, breakdown_type: type },
      ...(index === undefined ? {} : { breakdown_group_type_index: index }),
      ...limit,
    },
  };
}

/** A calendar period is compared with the previous one, any other with the same length of time before it. */
function compareFilter({ compare }: When, span: Span): JsonObject {
  if (compare === undefined) return {};
  if (compare !== "previous") return { compareFilter: { compare: true, compare_to: compare } };
  const from = "range" in span ? String(span.range["date_from"]) : "";
  const to = "range" in span ? String(span.range["date_to"] ?? "") : "";
  const today = from === "-0d" ? "d" : undefined;
  const [, first = "0", unit = today] = /^(?:-(\d+))?([dwmqy])Start$/.exec(from) ?? [];
  const [, last = "0"] = /^-(\d+)[dwmqy]End$/.exec(to) ?? [];
  const count = Number(first) - Number(last) + 1;
  const age = unit === "q" ? `-${3 * count}m` : `-${count}${unit}`;
  return { compareFilter: { compare: true, ...(unit === undefined ? {} : { compare_to: age }) } };
}

function ofTable({ asked: { when }, draft: { query }, filters, labels, span }: Made): JsonObject {
  refuseLabels(labels, "A list has no lines by a property.");
  if (when.interval !== undefined || when.isOverTime === true)
    throw new NotUnderstood(`per ${when.interval ?? "time"}`, "A list has no intervals.");
  if (when.compare !== undefined) throw new NotUnderstood("compared", "A list is not compared.");
  const ofEvent = filters.find(({ type }) => type === "event" || type === "session");
  if (query["kind"] === "ActorsQuery" && ofEvent !== undefined)
    throw new NotUnderstood(
      String(ofEvent["key"]),
      "A list of people has no conditions on events.",
    );
  const properties = [...((query["properties"] as JsonObject[] | undefined) ?? []), ...filters];
  const { date_from = null, date_to = null } = rangeOf(span, null);
  if (query["kind"] === "EventsQuery") {
    const before = date_to === null ? {} : { before: date_to };
    return { ...query, properties, after: date_from, ...before };
  }
  const time = {
    explicit_datetime: date_from,
    ...(date_to === null ? {} : { explicit_datetime_to: date_to }),
  };
  const timed = (one: JsonObject): JsonObject => {
    if (Array.isArray(one["values"]))
      return { ...one, values: (one["values"] as JsonObject[]).map(timed) };
    const isTimed = one["explicit_datetime"] !== undefined;
    return one["type"] === "behavioral" && !isTimed ? { ...one, ...time } : one;
  };
  return { ...query, properties: properties.map(timed) };
}
