import { parseUuid, readId } from "../../values/ids.ts";
import type { JsonObject } from "../../values/json.ts";
import { isoTime } from "../../values/time.ts";
import { type Moment, type ZonedSpan, zonedSpan } from "../../values/zoned-time.ts";
import { type EventFilters, type Fields, fields, malformed, missing } from "../query-fields.ts";
import {
  type Column,
  columnsOf,
  type Order,
  orderOf,
  type TablePart,
  tableFilters,
  tablePart,
  textsOf,
} from "./columns.ts";

/** Columns that are calculated over all events of a row. */
const AGGREGATES = ["count()", "min(timestamp)", "max(timestamp)"] as const;

const WORDS = [
  ...(["*", "event", "person", "person_id", "distinct_id", "timestamp", "uuid"] as const),
  ...AGGREGATES,
] as const;

/** A column of events. */
export type EventColumn = Column<(typeof WORDS)[number]>;

/** A bound of the time of events, ISO 8601 in UTC. */
export type TimeBound = { by: ">" | ">=" | "<" | "<="; time: string };

/** A parsed list of events. With aggregates there is a row for each combination of the other columns. */
export type EventsTable = TablePart & {
  kind: "EventsQuery";
  columns: EventColumn[];
  isAggregated: boolean;
  /** Names of events, any of which is listed; empty for all. */
  events: string[];
  filters: EventFilters;
  /** The uuid or integer id of the person; null for all. */
  person: string | null;
  /** As `date_from` and `date_to`. */
  after: string;
  before: string | null;
  /** Comparisons of the time in `where`, which all hold. */
  bounds: TimeBound[];
  order: Order<(typeof WORDS)[number]>;
};

/** Default of `after`, as in PostHog. */
const AFTER_DEFAULT = "-24h";

const COLUMNS = { words: WORDS, of: "event" } as const;

/** Reads an `EventsQuery`. Fails `required`, `invalid_input`. */
export function readEvents(sent: JsonObject, moment: Moment): EventsTable {
  const query = fields(sent, "query", [
    ...["kind", "select", "where", "event", "events", "properties", "fixedProperties", "personId"],
    ...["after", "before", "orderBy", "limit", "offset"],
  ]);
  const columns = columnsOf(query, COLUMNS);
  if (columns === undefined) throw missing(query.attr("select"));
  const isAggregated = columns.some(isAggregate);
  if (isAggregated) checkGroups(columns, query.attr("select"));
  const event = query.text("event");
  const several = textsOf(query, "events") ?? [];
  if (event !== null && several.length > 0) {
    throw malformed("Give event or events, not both.", query.attr("event"));
  }
  return {
    kind: "EventsQuery",
    ...{ columns, isAggregated },
    events: event === null ? several : [event],
    filters: tableFilters(query, moment),
    person: personOf(query),
    after: query.text("after") ?? AFTER_DEFAULT,
    before: query.text("before"),
    bounds: boundsOf(query, moment),
    order: orderIn(query, columns, isAggregated),
    ...tablePart(query),
  };
}

/** Whether a column is calculated over the events of a row. */
export const isAggregate = (column: EventColumn): boolean =>
  "is" in column && AGGREGATES.some((one) => one === column.is);

function checkGroups(columns: EventColumn[], attr: string): void {
  const at = columns.findIndex((one) => "is" in one && ["*", "person", "uuid"].includes(one.is));
  if (at < 0) return;
  const detail = `With ${AGGREGATES.join(", ")} there is a row for each event, distinct_id, person_id, timestamp or property. Leave out the other columns.`;
  throw malformed(detail, `${attr}__${at}`);
}

function orderIn(
  query: Fields,
  columns: EventColumn[],
  isAggregated: boolean,
): EventsTable["order"] {
  const attr = query.attr("orderBy");
  const order = orderOf(query, COLUMNS);
  if (!isAggregated) {
    const at = order?.findIndex(({ by }) => !("is" in by) || by.is !== "timestamp") ?? -1;
    if (at < 0)
      return order ?? [{ by: { name: "timestamp", is: "timestamp" }, isDescending: true }];
    throw malformed("Events are sorted by timestamp ASC or timestamp DESC.", `${attr}__${at}`);
  }
  const names = columns.map(({ name }) => name);
  const at = order?.findIndex(({ by }) => !names.includes(by.name)) ?? -1;
  if (at >= 0) {
    throw malformed(`Rows are sorted by a selected column: ${names.join(", ")}.`, `${attr}__${at}`);
  }
  const by = columns.find(isAggregate) as EventColumn;
  return order ?? [{ by, isDescending: true }];
}

function personOf({ sent, attr }: Fields): string | null {
  const { personId: id = null } = sent;
  if (id === null) return null;
  const person = readId(String(id)) ?? parseUuid(String(id));
  if (person !== undefined) return String(person);
  throw malformed("The uuid or the integer id of a person is expected.", attr("personId"));
}

const BOUND = /^timestamp\s*(>=|<=|>|<)\s*(?:toDateTime\(\s*)?(?:'([^']+)'|"([^"]+)")(?:\s*\))?$/i;

/** Reads `where`: comparisons of the time alone. A time without a zone is on the clock of the project. */
function boundsOf(query: Fields, { timezone }: Moment): TimeBound[] {
  return (textsOf(query, "where") ?? []).map((text, at) => {
    const [, by, ...quoted] = BOUND.exec(text.trim()) ?? [];
    const time = quoted.find((one) => one !== undefined);
    // Without a time to count from, ages are no times here.
    const span =
      time === undefined || time.startsWith("-")
        ? undefined
        : zonedSpan(time, { now: 0, timezone });
    if (by !== undefined && span !== undefined) {
      return boundOf(by as TimeBound["by"], span, isDay(time));
    }
    const detail =
      "A comparison such as timestamp >= '2026-11-01' is expected. Other conditions go into properties of the EventsQuery, or into SQL: POST …/query/ with a HogQLQuery.";
    throw malformed(detail, `${query.attr("where")}__${at}`);
  });
}

const isDay = (text = "") => /^\d{4}-\d\d-\d\d$/.test(text.trim());

/** A clock that is changed may show a time twice or never: then `>` and `<=` are of what it shows a microsecond later. */
function boundOf(
  by: TimeBound["by"],
  { instant, inner }: ZonedSpan,
  isMidnight: boolean,
): TimeBound {
  if (by === ">" && !isMidnight) return { by: ">=", time: isoTime(inner.before) };
  if (by === "<=" && !isMidnight) return { by: "<", time: isoTime(instant.before) };
  return { by, time: isoTime(by.startsWith("<") ? inner.from : instant.from) };
}
