import type { Query } from "../../api/query.ts";
import { eventTitle, propertyTitle, valueText } from "../../state/format.ts";
import { hasOption } from "./builder/options.ts";

/** A field of a query in words: `Formula`, `A / B`. */
export type Fact = { name: string; text: string };

/** Fields that have controls of their own, besides those with one value. */
const CONTROLLED = new Set([
  ...[
    "kind",
    "series",
    "dateRange.date_from",
    "dateRange.date_to",
    "properties",
    "after",
    "before",
  ],
  ...["interval", "compareFilter.compare", "compareFilter.compare_to", "select", "event"],
  ...["trendsFilter.formulas", "trendsFilter.formulaNodes"],
  ...["retentionFilter.targetEntity", "retentionFilter.returningEntity"],
  ...["breakdownFilter.breakdown", "breakdownFilter.breakdowns", "breakdownFilter.breakdown_type"],
  ...["breakdownFilter.breakdown_group_type_index", "funnelsFilter.exclusions"],
  ...["pathsFilter.startPoint", "pathsFilter.endPoint"],
  ...["pathsFilter.includeEventTypes", "pathsFilter.excludeEvents"],
]);

const NAMES: Record<string, string> = {
  ...{ filterTestAccounts: "Test accounts left out, of which the project has no list" },
  ...{ offset: "Rows before", events: "Events", where: "Where", fixedProperties: "Always" },
  ...{ source: "People of", explicitDate: "Exact dates" },
};

/** The fields of a query that the builder has no controls for, in words. They stay as they are. */
export function otherFacts(query: Query): Fact[] {
  return Object.entries(query).flatMap(([name, value]): Fact[] => {
    const isPart = typeof value === "object" && /Filter$|^dateRange$/.test(name);
    const fields = isPart ? Object.entries((value ?? {}) as object) : [["", value] as const];
    return fields.flatMap(([field, one]) => {
      const path = field === "" ? name : `${name}.${field}`;
      return CONTROLLED.has(path) || hasOption(query, path) ? [] : factOf(field || name, one);
    });
  });
}

const isEmpty = (value: unknown): boolean =>
  value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

function factOf(field: string, value: unknown): Fact[] {
  if (isEmpty(value) || field === "version" || field === "tags") return [];
  const name = NAMES[field] ?? field.replaceAll("_", " ");
  return [{ name, text: [value].flat().map(textOf).join(", ") }];
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

/** One value of a breakdown in words. */
export function partText(property: unknown, type: unknown = "event"): string {
  const name = propertyTitle(valueText(property));
  if (type === "hogql") return EXPRESSIONS[name] ?? name;
  if (type === "event_metadata") return name.replaceAll("_", " ");
  if (type === "first_touch") return `${name} of the person's first event that has it`;
  return type === "event" ? name : `${type} ${name}`;
}
