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
  const [, name] = /^properties\.`?(.+?)`?$/.exec(only) ?? [];
  const who = rest.find(({ operator }) => operator === "exact");
  if (name !== undefined && who !== undefined) {
    return `which ${propertyWords({ name, type: "person" }, style)} ${firstText(who["value"])} has`;
  }
  const deeds = filters.filter(isBehavioral);
  const periods = deeds.map(deedPeriod);
  const isOne = new Set(periods).size < 2;
  const did = whoWords(deeds, style).map((words, at) => (isOne ? words : `${words}${periods[at]}`));
  const lead = only === "count()" ? "number of people" : "list people";
  const people = [lead, did.join(" and "), ...where].filter((part) => part !== "").join(" ");
  return `${people}${isOne ? (periods[0] ?? "") : ""}`;
}

/** The period of a deed, also within a group. */
function deedPeriod({ explicit_datetime: from = null, ...deed }: JsonObject): string {
  if (Array.isArray(deed["values"])) return deedPeriod((deed["values"] as JsonObject[])[0] ?? {});
  const { explicit_datetime_to: to = null } = deed;
  return from === null ? "" : `, ${rangeWords({ date_from: from, date_to: to }, null)}`;
}
