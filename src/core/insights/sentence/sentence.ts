import { sourceOf } from "../../queries/insight.ts";
import type { Period } from "../../queries/period.ts";
import { RETENTION_INTERVALS_DEFAULT } from "../../queries/retention.ts";
import type { JsonObject } from "../../values/json.ts";
import { firstText, objectIn } from "./fields.ts";
import { filtersOf, isBehavioral, whereWords, whoWords } from "./filters.ts";
import {
  funnelWords,
  lifecycleWords,
  pathsWords,
  retentionWords,
  stickinessWords,
} from "./journeys.ts";
import { labelsOf } from "./labels.ts";
import { eventsWords, personsWords } from "./lists.ts";
import { capitalised, type Style } from "./names.ts";
import { comparisonWords, intervalOf, periodDates, rangeWords } from "./time.ts";
import { trendsWords } from "./trends.ts";

/** Words of the measures of queries about events, by kind. */
const MEASURES: ReadonlyMap<unknown, (query: JsonObject, style: Style) => string> = new Map([
  ["TrendsQuery", trendsWords],
  ["FunnelsQuery", funnelWords],
  ["RetentionQuery", retentionWords],
  ["LifecycleQuery", lifecycleWords],
  ["StickinessQuery", stickinessWords],
  ["PathsQuery", pathsWords],
]);

/**
 * Says in words what a query asks, from the query alone: its measure, interval, labels, conditions and period. Questions
 * in words are read back as the same query wherever the language can say it.
 */
export function sentenceOf(
  sent: JsonObject,
  { quotesAll = false, groups = [] }: Partial<Style> = {},
): string {
  const style: Style = { quotesAll, groups };
  const query = sourceOf(sent);
  const { what, filters } = measureOf(query, style);
  const range = MEASURES.has(query["kind"]) ? objectIn(query, "dateRange") : null;
  const labels = labelsOf(query, filters, style);
  const said = filters.filter((one) => !labels.implied.includes(one));
  const others = said.filter((one) => !(isBehavioral(one) || isOfOne(one)));
  const parts = [
    what,
    ...filters.filter(isOfOne).map(({ value }) => `of ${firstText(value)}`),
    ...whoWords(said, style),
    ...labels.words,
    ...(query["kind"] === "FunnelsQuery" && others.length > 0 ? ["with all steps"] : []),
    ...whereWords(others, style),
  ].join(" ");
  // Those of a week or month up to today are a number of now.
  const isNow = range?.["date_from"] === "-0d" && /_active/.test(JSON.stringify(query["series"]));
  const period =
    range === null || isNow ? [] : [rangeWords(range, intervalOf(query), countOf(query))];
  return [capitalised(parts), ...labels.order, ...period, ...comparisonWords(query)].join(", ");
}

/** The number of intervals that a query without a period has; undefined if it has days. */
const countOf = (query: JsonObject): number | undefined =>
  query["kind"] === "RetentionQuery"
    ? Number(objectIn(query, "retentionFilter")["totalIntervals"] ?? RETENTION_INTERVALS_DEFAULT)
    : undefined;

/** The measure of a query, and the filters that it leaves to say. */
function measureOf(query: JsonObject, style: Style): { what: string; filters: JsonObject[] } {
  const { kind } = query;
  const measure = MEASURES.get(kind);
  if (measure !== undefined) {
    return { what: measure(query, style), filters: filtersOf(query["properties"]) };
  }
  if (kind === "EventsQuery") return eventsWords(query, style);
  return { what: personsWords(query, style), filters: [] };
}

type Bounds = Pick<Period, "from" | "before">;

/** Whether a filter is of one person by its e-mail address. */
const isOfOne = ({ type, key, operator = "exact", value = null }: JsonObject): boolean =>
  type === "person" &&
  operator === "exact" &&
  /^\$?e-?mail$/i.test(String(key)) &&
  [value].flat().length === 1 &&
  /^\S+@\S+$/.test(firstText(value));

/** Returns the sentence with the dates of its period and of the period it is compared with. */
export function explanationOf(
  sent: JsonObject,
  period: Bounds | null,
  {
    timezone,
    groups,
    previous = null,
  }: { timezone: string; groups: readonly string[]; previous?: Bounds | null },
): string {
  const compared = previous === null ? "" : `, compared to ${periodDates(previous)}`;
  const dates = period === null ? "" : ` (${periodDates(period)}, ${timezone}${compared})`;
  return `${sentenceOf(sent, { groups })}${dates}.`;
}
