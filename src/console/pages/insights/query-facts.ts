import type { Query, SeriesNode } from "../../api/query.ts";
import { boundWords } from "../../state/bounds.ts";
import { filtersText } from "../../state/filters.ts";
import { eventTitle, valueText } from "../../state/format.ts";
import { MATHS } from "./query-state.ts";

/** A field of a query in words: `Formula`, `A / B`. */
export type Fact = { name: string; text: string };

/** Fields that the page has its own controls for. */
const CONTROLLED: Record<string, readonly string[]> = {
  "": ["kind", "series", "interval", "dateRange", "properties", "after", "before"],
  trendsFilter: ["display"],
  funnelsFilter: ["funnelVizType", "funnelWindowIntervalUnit"],
  retentionFilter: ["targetEntity", "returningEntity", "period"],
  breakdownFilter: ["breakdown", "breakdown_type", "breakdown_group_type_index", "breakdowns"],
  compareFilter: ["compare"],
};

const NAMES: Record<string, string> = {
  ...{ formula: "Formula", formulas: "Formula", formulaNodes: "Formula" },
  ...{ aggregationAxisFormat: "Numbers as", aggregationAxisPostfix: "After each number" },
  ...{ smoothingIntervals: "Mean of intervals", compare_to: "Compared with" },
  ...{ detailedResultsAggregationType: "Number of all intervals" },
  ...{ funnelWindowInterval: "Within", funnelOrderType: "Order of steps", exclusions: "Without" },
  ...{ breakdownAttributionType: "Value of", breakdownAttributionValue: "Value of step" },
  ...{ timeToConvertAggregation: "Time shown", binCount: "Bars", totalIntervals: "Intervals" },
  ...{ funnelFromStep: "From step", funnelToStep: "To step", retentionType: "Begins at" },
  ...{ breakdown_limit: "Values shown", breakdown_order: "Order of values" },
  ...{
    breakdown_hide_other_aggregation: "Without other values",
    limit: "Rows",
    offset: "Rows before",
  },
  ...{ select: "Columns", event: "Event", events: "Events", personId: "Person", search: "Search" },
  ...{ where: "Where", orderBy: "Order", fixedProperties: "Always", source: "People of" },
};

/** The fields of a query that the builder has no controls for, in words. They stay as they are. */
export function otherFacts(query: Query): Fact[] {
  return Object.entries(query).flatMap(([name, value]): Fact[] => {
    if (CONTROLLED[""]?.includes(name)) return [];
    const known = CONTROLLED[name];
    if (known === undefined) return factOf(name, value, query);
    const fields = Object.entries((value ?? {}) as Record<string, unknown>);
    return fields.flatMap(([field, one]) =>
      known.includes(field) ? [] : factOf(field, one, query),
    );
  });
}

const isEmpty = (value: unknown): boolean =>
  value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

function factOf(field: string, value: unknown, query: Query): Fact[] {
  const { funnelsFilter } = query;
  if (isEmpty(value) || field === "version" || field === "tags") return [];
  const name = NAMES[field] ?? field.replaceAll("_", " ");
  if (field === "compare_to")
    return [{ name, text: boundWords(String(value)).replace("ago", "earlier") }];
  if (name === "Formula") return [{ name, text: formulaText(value, query) }];
  if (field === "select" || field === "orderBy") {
    const say = field === "select" ? columnTitle : orderText;
    return [
      {
        name,
        text: [value]
          .flat()
          .map((one) => say(String(one)))
          .join(", "),
      },
    ];
  }
  const unit = field === "funnelWindowInterval" ? funnelsFilter?.["funnelWindowIntervalUnit"] : "";
  const said = [value].flat().map(textOf).join(", ");
  // Choices have underscores between their words; names stay as they are.
  const words = /(Type|Format|Aggregation)$/.test(field) ? said.replaceAll("_", " ") : said;
  const text = `${words} ${unit ?? "day"}`.trim();
  return [{ name, text }];
}

/** Columns of lists in words; properties have their own name. */
const COLUMNS: Record<string, string> = {
  ...{ person: "Person", person_id: "Person", email: "E-mail", created_at: "First seen" },
  ...{ event: "Event", timestamp: "Time", distinct_id: "Distinct id", id: "Id", uuid: "Id" },
  ...{ count: "Number", last_at: "Last", "*": "Event, Person, Time" },
  ...{ "count()": "Number", "min(timestamp)": "First", "max(timestamp)": "Last" },
};

/** The title of a column of a list. */
export const columnTitle = (name: string): string =>
  COLUMNS[name] ?? name.replace(/^person\.properties\./, "person ").replace(/^properties\./, "");

/** Columns with times, of which the latest are the newest. */
const TIMES = /^(?:created_at|timestamp|last_at|(?:min|max)\(timestamp\))$/;

/** An order in words, such as `newest first` or `Number, greatest first`. */
function orderText(order: string): string {
  const [, column = order, way] = /^(.*?)(?:\s+(asc|desc))?$/i.exec(order.trim()) ?? [];
  const isDown = way?.toLowerCase() === "desc";
  if (/^(?:created_at|timestamp)$/.test(column)) return isDown ? "newest first" : "oldest first";
  if (TIMES.test(column)) {
    return `${columnTitle(column)}, ${isDown ? "latest first" : "earliest first"}`;
  }
  return `${columnTitle(column)}, ${isDown ? "greatest first" : "least first"}`;
}

const SIGNS: Record<string, string> = { "*": "×", "/": "÷", "-": "−" };

/** A formula with the names of its series: `purchase ÷ Page view × 100`. */
function formulaText(value: unknown, { series = [] }: Query): string {
  return [value]
    .flat()
    .map(textOf)
    .join(", ")
    .replace(/[*/-]/g, (sign) => ` ${SIGNS[sign]} `)
    .replace(/\b[A-Z]\b/g, (letter) => {
      const node = series[letter.charCodeAt(0) - 65];
      return node === undefined ? letter : seriesName(node);
    })
    .replace(/\s+/g, " ")
    .trim();
}

/** A series in few words: its own name, or its event with the measure and the filters. */
function seriesName({
  event,
  math = "total",
  math_property,
  math_hogql,
  custom_name,
  properties,
}: SeriesNode): string {
  if (custom_name) return custom_name;
  const name = event === null ? "All events" : eventTitle(event);
  const measure = MATHS.find(({ value }) => value === math)?.label ?? math_hogql ?? math;
  const of = math_property === undefined ? measure : `${measure} ${math_property}`;
  const only = filtersText(properties);
  const notes = [...(math === "total" ? [] : [of]), ...(only === "" ? [] : [only])];
  return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
}

function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object" || value === null) return valueText(value);
  const { event, formula } = value as Record<string, unknown>;
  if (typeof event === "string") return eventTitle(event);
  return typeof formula === "string" ? formula : valueText(value);
}

/** Expressions that a breakdown may have, in words. */
const EXPRESSIONS: Record<string, string> = {
  "toDayOfWeek(timestamp)": "day of the week",
  "dateName('weekday', timestamp)": "day of the week",
  "toHour(timestamp)": "hour of the day",
  "toDate(timestamp)": "day",
  "toStartOfWeek(timestamp)": "week",
  "toStartOfMonth(timestamp)": "month",
};

/** Whether a breakdown is by one property of the events or the persons, whose name can be typed. */
export const isPlainBreakdown = (filter: Query["breakdownFilter"] = {}): boolean =>
  isEmpty(filter["breakdowns"]) &&
  !Array.isArray(filter["breakdown"]) &&
  /^(event|person)$/.test(String(filter["breakdown_type"] ?? "event"));

/** The breakdown of a query in words. */
export function breakdownText(filter: Record<string, unknown>): string {
  const { breakdowns, breakdown, breakdown_type } = filter;
  if (!isEmpty(breakdowns)) {
    const list = breakdowns as { property?: unknown; type?: unknown }[];
    return list.map(({ property, type }) => partText(property, type)).join(", ");
  }
  return [breakdown]
    .flat()
    .map((one) => partText(one, breakdown_type))
    .join(", ");
}

function partText(property: unknown, type: unknown = "event"): string {
  const name = valueText(property);
  if (type === "hogql") return EXPRESSIONS[name] ?? name;
  if (type === "event_metadata") return name.replaceAll("_", " ");
  if (type === "first_touch") return `${name} of the person's first event that has it`;
  return type === "event" ? name : `${type} ${name}`;
}
