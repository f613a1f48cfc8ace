import type { JsonObject } from "../../values/json.ts";
import { firstText, objectIn, objectsOf } from "./fields.ts";
import { propertyWords, type Style } from "./names.ts";

const EXPRESSIONS: Readonly<Record<string, string>> = {
  "dateName('weekday', timestamp)": "day of the week",
  "toDayOfWeek(timestamp)": "day of the week",
  "toHour(timestamp)": "hour of the day",
  "toDate(timestamp)": "date",
  "toStartOfWeek(timestamp)": "calendar week",
  "toStartOfMonth(timestamp)": "calendar month",
};

/** The labels of an answer, their order, and the filters that follow from them. */
export type Labels = { words: string[]; order: string[]; implied: JsonObject[] };

/** Returns the words of a breakdown: `by country and browser`, `top 10`. */
export function labelsOf(query: JsonObject, filters: readonly JsonObject[], style: Style): Labels {
  const filter = objectIn(query, "breakdownFilter");
  const all = breakdownsOf(filter);
  if (all.length === 0) return { words: [], order: [], implied: [] };
  const implied = filters.filter(
    ({ operator, key }) => operator === "is_set" && all.some(({ property }) => property === key),
  );
  const order = filter["breakdown_order"];
  const limit =
    filter["breakdown_hide_other_aggregation"] === true ? filter["breakdown_limit"] : undefined;
  const isOrdered = limit !== undefined || implied.length > 0 || order !== undefined;
  const names = all.map((one) => {
    const isPage = one["normalize_url"] === true;
    return `${labelWords(one, style)}${isPage ? " without query and slash" : ""}`;
  });
  return {
    words: [`by ${names.join(" and ")}`],
    order: isOrdered ? [orderWords(order === "asc", limit, isOfAmounts(query))] : [],
    implied,
  };
}

/** The breakdowns of a query, as those of several properties are written. */
function breakdownsOf(filter: JsonObject): JsonObject[] {
  const several = objectsOf(filter["breakdowns"]);
  const { breakdown = null, breakdown_type: type, breakdown_group_type_index: index } = filter;
  if (several.length > 0 || breakdown === null) return several;
  const group = index === undefined ? {} : { group_type_index: index };
  const normalize_url = filter["breakdown_normalize_url"] ?? false;
  return [{ property: breakdown, type: type ?? "event", normalize_url, ...group }];
}

function labelWords(breakdown: JsonObject, style: Style): string {
  const { property, type = "event", group_type_index: index } = breakdown;
  const name = firstText(property);
  switch (type) {
    case "hogql":
      return EXPRESSIONS[name] ?? name;
    case "event_metadata":
      return propertyWords({ name, type }, style);
    case "first_touch":
      return `first touch ${propertyWords({ name, type: "event" }, style)}`;
    default: {
      const [, key] = type === "event" ? (/^\$group_(\d)$/.exec(name) ?? []) : [];
      const group = index === undefined ? undefined : Number(index);
      return style.groups[Number(key)] ?? propertyWords({ name, type: String(type), group }, style);
    }
  }
}

/** Whether lines are ranked by an average, a rate or another amount, and not by a count. */
const isOfAmounts = (query: JsonObject): boolean =>
  objectIn(query, "trendsFilter")["formula"] !== undefined ||
  objectsOf(query["series"]).some(({ math_property: property = null }) => property !== null);

function orderWords(isAscending: boolean, limit: unknown, isOfAmount: boolean): string {
  if (limit !== undefined) return `${isAscending ? "bottom" : "top"} ${String(limit)}`;
  if (isOfAmount) return isAscending ? "lowest first" : "highest first";
  return isAscending ? "least first" : "most first";
}
