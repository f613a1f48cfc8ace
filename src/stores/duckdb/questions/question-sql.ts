import type { Question } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Property } from "../../../core/questions/language/name-keys.ts";
import { askedInterval } from "../../../core/questions/readings/compile.ts";
import {
  type Aggregate,
  type Label,
  type Measure,
  PLACES,
  type Reading,
} from "../../../core/questions/readings/reading.ts";
import { eventViews } from "../insights/drafts.ts";
import type { EventSource } from "../insights/statement.ts";
import {
  aggregateSql,
  conditionSql,
  eventIn,
  grouped,
  isWithin,
  joined,
  type Parts,
  TIME,
} from "./question-parts.ts";
import { ofKnownPersons, ofPersons, personsWhere, personText } from "./question-persons.ts";
import { sessionQuery } from "./question-sessions.ts";

/**
 * Returns one SELECT over the public views that answers a question which no kind of query can express. Its columns
 * are `label_1`, … for what it has a row for each of, `interval_start` of an answer over time, and `value`.
 */
export function questionSql({ reading, period, timezone }: Question): string {
  const source = eventViews(timezone)();
  const clock = source.wall(period);
  const first = reading.by.find(({ by }) => by === "first_touch");
  const parts: Parts = {
    source,
    joins: () => [
      ...(first?.by === "first_touch" ? [firstTouch(first.property, source)] : []),
      ...source.needs(null).joins,
    ],
    clock,
    inPeriod: isWithin(clock, period),
    where: reading.where.map((one) => conditionSql(one, source)),
    labels: reading.by.map((one) => labelSql(one, clock, source)),
    interval: askedInterval(reading),
  };
  return `${selectOf(reading, parts, period)};\n`;
}

function selectOf(reading: Reading, parts: Parts, period: Period): string {
  const { measure } = reading;
  switch (measure.of) {
    case "events":
      return ofEvents(reading, parts, [measure], aggregateSql(ofSelected(measure), parts));
    case "ratio": {
      const [over, under] = [measure.over, measure.under].map((one) => aggregateSql(one, parts));
      const scale = measure.isPercent ? "100.0 * " : "1.0 * ";
      return ofEvents(
        reading,
        parts,
        [measure.over, measure.under],
        `${scale}${over} / nullif(${under}, 0)`,
      );
    }
    case "mean_of_days":
      return meanOfDays(reading, parts, measure, period);
    case "sessions":
    case "session_share":
      return sessionQuery(reading, parts, period);
    case "moment": {
      const all = { events: measure.events, math: "total" as const };
      const value = `${measure.isLast ? "max" : "min"}(${TIME})`;
      return ofEvents(reading, parts, [all], value);
    }
    case "value":
      return `SELECT ${personText(measure.property)} AS value\nFROM persons\nWHERE ${personsWhere(reading)}\nLIMIT 1`;
    case "persons":
      return ofKnownPersons(reading);
    default:
      return ofPersons(reading, parts, measure);
  }
}

/** Selects one value, for each label and each interval, from the events of the period. */
function ofEvents(
  reading: Reading,
  parts: Parts,
  counted: readonly Aggregate[],
  value: string,
): string {
  const names = counted.flatMap(({ events }) => events);
  const isOfAll = counted.some(({ events }) => events.length === 0);
  const conditions = [parts.inPeriod, ...(isOfAll ? [] : [eventIn(names)]), ...parts.where];
  return grouped(reading, parts, {
    value,
    from: `FROM events${joined(parts)}`,
    conditions,
  });
}

/** The aggregate over rows that have only its events. */
const ofSelected = (one: Aggregate): Aggregate => ({ ...one, events: [] });

/** Joins the value of a property that the first event of each person has. */
const firstTouch = ({ of: type, name }: Property, source: EventSource) =>
  `LEFT JOIN (
  SELECT events.person_id, arg_min_null(${source.text({ type }, name)}, ${TIME}) AS first_value
  FROM events GROUP BY 1) AS touches ON touches.person_id = events.person_id`;

function labelSql(label: Label, clock: string, source: EventSource): string {
  switch (label.by) {
    case "property":
      return source.text({ type: label.property.of }, label.property.name);
    case "first_touch":
      return "touches.first_value";
    case "weekday":
      return `dayname(${clock})`;
    case "hour":
      return `hour(${clock})`;
    case "date":
      return `strftime(${clock}, '%Y-%m-%d')`;
    case "event":
      return "events.event";
    case "origin": {
      const [domain, source_name] = ["$referring_domain", "utm_source"].map((name) =>
        source.text({ type: "event" }, name),
      );
      return `coalesce(nullif(nullif(${domain}, '$direct'), ''), nullif(${source_name}, ''), 'Direct')`;
    }
    default:
      return `"${PLACES[label.by]}"`;
  }
}

/** The mean of a number over the days, weeks or months of the period. */
function meanOfDays(
  reading: Reading,
  parts: Parts,
  { counted, unit }: Extract<Measure, { of: "mean_of_days" }>,
  period: Period,
): string {
  const inner = ofEvents(
    { ...reading, top: null },
    { ...parts, interval: unit },
    [counted],
    aggregateSql(ofSelected(counted), parts),
  ).replace(/\nORDER BY [\s\S]*$/, "");
  const labels = parts.labels.map((_, at) => `label_${at + 1}`);
  return grouped(
    { ...reading, top: reading.top },
    { ...parts, labels, interval: null },
    { value: `sum(value) / ${period.buckets.length}`, from: `FROM (${inner})`, conditions: [] },
  );
}
