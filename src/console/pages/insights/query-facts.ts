import type { Query } from "../../api/query.ts";
import { eventTitle, valueText } from "../../state/format.ts";

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
  ...{ where: "Where", orderBy: "Order", fixedProperties: "Always", source: "Persons of" },
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

function factOf(field: string, value: unknown, { funnelsFilter }: Query): Fact[] {
  if (isEmpty(value) || field === "version" || field === "tags") return [];
  const name = NAMES[field] ?? field.replaceAll("_", " ");
  const unit = field === "funnelWindowInterval" ? funnelsFilter?.["funnelWindowIntervalUnit"] : "";
  const said = [value].flat().map(textOf).join(", ");
  // Choices have underscores between their words; names stay as they are.
  const words = /(Type|Format|Aggregation)$/.test(field) ? said.replaceAll("_", " ") : said;
  const text = `${words} ${unit ?? "day"}`.trim();
  return [{ name, text }];
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
