import type { Json, JsonObject } from "../../values/json.ts";
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
  const [order = "timestamp DESC"] = textsOf(query["orderBy"]);
  const sorted = orderWords(order);
  const isOne = query["limit"] === 1;
  const place = isDescending(order) ? "last" : "first";
  const ofOne = after === "all" ? "" : period;
  if (who === undefined && isOne && event !== null)
    return { what: `when ${noun} ${place} happened${ofOne}`, filters };
  const select = textsOf(query["select"]);
  if (select.some((one) => one.includes("(")))
    return { what: `table of ${select.join(", ")} of ${noun}${period}`, filters };
  if (who === undefined) return { what: `${noun}, one by one${sorted}${period}`, filters };
  const name = firstText(who["value"]);
  const rest = filters.filter((one) => one !== who);
  if (!isOne) {
    const of = event === null ? "" : ` of ${noun}`;
    return { what: `what ${name} did${of}${sorted}${period}`, filters: rest };
  }
  const did = event === null ? `was ${place} seen` : `had ${noun} for the ${place} time`;
  return { what: `when ${name} ${did}${ofOne}`, filters: rest };
}

/** Returns the words of a list of persons, of their number, or of a property of one of them. */
export function personsWords(query: JsonObject, style: Style): string {
  const filters = filtersOf(query["properties"]);
  const rest = filters.filter((one) => !isBehavioral(one));
  const where = whereWords(rest, style);
  const select = textsOf(query["select"]);
  const only = select.length === 1 ? (select[0] ?? "") : "";
  const [, name] = /^properties\.`?(.+?)`?$/.exec(only) ?? [];
  const who = rest.find(({ operator }) => operator === "exact");
  if (name !== undefined && who !== undefined) {
    return `which ${propertyWords({ name, type: "person" }, style)} ${firstText(who["value"])} has`;
  }
  const periods = deedPeriods(filters.filter(isBehavioral));
  const [period] = periods.size === 1 ? periods : [];
  const did = whoWords(filters, style, period === undefined).join(" ");
  // "Number of people" alone would be those of the last 30 days.
  const counted = filters.length === 0 ? "number of persons" : "number of people";
  const lead = only === "count()" ? counted : "list people";
  const people = [lead, did, ...where].filter((part) => part !== "").join(" ");
  const [order = "created_at DESC"] = textsOf(query["orderBy"]);
  const sorted = only === "count()" ? "" : orderWords(order);
  return `${people}${sorted}${period === undefined || period === "" ? "" : `, ${period}`}`;
}

/** The different periods of deeds; the empty text for those without one. */
const deedPeriods = (filters: readonly JsonObject[]): ReadonlySet<string> =>
  new Set(
    filters
      .flatMap((one) => (Array.isArray(one["values"]) ? filtersOf(one["values"]) : [one]))
      .map(({ explicit_datetime: from = null, explicit_datetime_to: to = null }) =>
        from === null ? "" : rangeWords({ date_from: from, date_to: to }, null),
      ),
  );

const isDescending = (order: string): boolean => /\sDESC$/i.test(order);

/** The order of a list: `newest first`, or by another column. */
function orderWords(order: string): string {
  const [, name = order] = /^(?:properties\.)?`?(.+?)`?(?:\s+(?:ASC|DESC))?$/i.exec(order) ?? [];
  if (/^(?:timestamp|created_at)$/.test(name))
    return `, ${isDescending(order) ? "newest" : "oldest"} first`;
  return `, sorted by ${name}${isDescending(order) ? ", descending" : ""}`;
}

const textsOf = (list: Json | undefined): string[] => (Array.isArray(list) ? list.map(String) : []);
