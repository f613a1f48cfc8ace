import type { JsonObject } from "../../values/json.ts";
import { firstText } from "./fields.ts";
import { filtersOf, isBehavioral, whereWords, whoWords } from "./filters.ts";
import { eventNoun, propertyWords, type Style } from "./names.ts";
import { rangeWords } from "./time.ts";

/** Returns the words of a list of events, and the filters that they leave to say. */
export function eventsWords(
  query: JsonObject,
  style: Style,
): { what: string; filters: JsonObject[] } {
  const filters = filtersOf(query["properties"]);
  const who = filters.find(
    ({ type, operator, key }) =>
      type === "person" && operator === "exact" && /e-?mail/i.test(String(key)),
  );
  const event = typeof query["event"] === "string" ? query["event"] : null;
  const noun = eventNoun(event, style);
  const after = String(query["after"] ?? "-24h");
  const period = `, ${rangeWords({ date_from: after, date_to: query["before"] ?? null }, null)}`;
  if (who === undefined) return { what: `${noun}, one by one${period}`, filters };
  const name = firstText(who["value"]);
  const rest = filters.filter((one) => one !== who);
  if (query["limit"] !== 1) {
    const of = event === null ? "" : ` of ${noun}`;
    return { what: `what ${name} did${of}${period}`, filters: rest };
  }
  const [order = ""] = Array.isArray(query["orderBy"]) ? query["orderBy"] : [];
  const place = String(order).endsWith("DESC") ? "last" : "first";
  const did = event === null ? `was ${place} seen` : `had the ${place} ${noun}`;
  return { what: `when ${name} ${did}${after === "all" ? "" : period}`, filters: rest };
}

/** Returns the words of a list of persons, of their number, or of a property of one of them. */
export function personsWords(query: JsonObject, style: Style): string {
  const filters = filtersOf(query["properties"]);
  const rest = filters.filter((one) => !isBehavioral(one));
  const where = whereWords(rest, style);
  const select = Array.isArray(query["select"]) ? query["select"].map(String) : [];
  const only = select.length === 1 ? (select[0] ?? "") : "";
  if (only === "count()") return ["number of people", ...where].join(" ");
  const [, name] = /^properties\.`?(.+?)`?$/.exec(only) ?? [];
  const who = rest.find(({ operator }) => operator === "exact");
  if (name !== undefined && who !== undefined) {
    return `which ${propertyWords({ name, type: "person" }, style)} ${firstText(who["value"])} has`;
  }
  const did = whoWords(filters, style).join(" and ");
  const people = ["list people", did, ...where].filter((part) => part !== "").join(" ");
  return `${people}${deedsPeriod(filters.filter(isBehavioral))}`;
}

/** The period of the first deed that has one. */
function deedsPeriod(deeds: readonly JsonObject[]): string {
  for (const { explicit_datetime: from = null, explicit_datetime_to: to = null } of deeds) {
    if (from !== null) return `, ${rangeWords({ date_from: from, date_to: to }, null)}`;
  }
  return "";
}
