import type { EventNames, Plan, PlanOf } from "../../../core/ports/insights.ts";
import type { Breakdown } from "../../../core/queries/breakdown.ts";
import { type Period, shownPeriod } from "../../../core/queries/period.ts";
import type { PropertyOf } from "../../../core/queries/query-fields.ts";
import { seriesLabel } from "../../../core/queries/trend.ts";
import type { TrendShown } from "../../../core/queries/trend-shown.ts";
import type { PropertyFilter, PropertyTest } from "../../../core/values/property-filter.ts";
import { isDotted } from "../../../core/values/property-filter.ts";
import { DIGITS_MAX, type Version } from "../../../core/values/version-range.ts";
import { eventColumn, groupColumn } from "../../loads/event-lines.ts";
import { quoted } from "../engine/duckdb.ts";
import { anyText, type Bind, pointer, tested } from "../lists/property-filter.ts";
import { aheadOf, isUtc } from "./event-tables.ts";
import { compiled } from "./queries.ts";
import { BEGAN, sessionFacts, sessionText } from "./session-facts.ts";
import { type EventSource, metadataText, sqlOf, TIME } from "./statement.ts";
import { letterOf } from "./trends.ts";

/**
 * Returns a query as SQL over the public views, with remarks. It is the query as it runs, without the faster
 * forms, and returns the same numbers, so that a user can change it (decision 89).
 */
export function insightDraft(plan: Plan): string {
  const remarks = [...remarksOf(plan), timeRemark(plan)];
  const source = eventViews(plan.timezone);
  const { statements, order } = compiled(plan);
  const all = statements.map((compile) => compile({ bind: literal, project: null, source }));
  const tables = [...new Set(all.flatMap((one) => one.tables))];
  const select = all.map((one) => one.select).join("\nUNION ALL\n");
  const sql = sqlOf({ tables, select: order === "" ? select : `${select}\nORDER BY ${order}` });
  // An event without a group has an empty key in the public views, which is no group to count.
  const counted = sql.replace(
    /events\."(\$group_\d)" AS group_key/g,
    (_, column) => `nullIf(events."${column}", '') AS group_key`,
  );
  return `${remarks.map((line) => `-- ${line}\n`).join("")}${counted};\n`;
}

function remarksOf({ query, isWhole }: Plan): string[] {
  switch (query.kind) {
    case "TrendsQuery": {
      const { formula } = query;
      return [
        ...query.series.map((one, at) => `${letterOf(at)} is ${remark(seriesLabel(one))}.`),
        ...(formula === null ? [] : [`The formula ${remark(formula.text)} is of these numbers.`]),
        ...shownRemarks(query.shown),
        ...(isWhole ? [] : [`By ${query.interval}; a row without a bucket is of the whole time.`]),
        ...breakdownRemark(query.breakdown),
      ];
    }
    case "FunnelsQuery": {
      const steps = query.steps.map(({ name }) => remark(name)).join(", then ");
      return [
        `Funnel of ${steps} (${query.order}): ${funnelRemark(query)}`,
        ...breakdownRemark(query.breakdown),
      ];
    }
    case "RetentionQuery": {
      const [target, returning] = [query.target, query.returning].map(({ name }) => remark(name));
      return [
        `Persons who began with ${target} in a ${query.interval}, and came back with ${returning} so many later.`,
        ...breakdownRemark(query.breakdown),
      ];
    }
    case "PathsQuery":
      return ["Ways from one place of persons' paths to the next."];
    case "LifecycleQuery": {
      const of = `${remark(query.series.name)} by ${query.interval}`;
      return [`Persons of ${of}: new, returning, resurrecting, or gone (dormant).`];
    }
    case "StickinessQuery":
      return [
        ...query.series.map(({ name }, at) => `${letterOf(at)} is ${remark(name)}.`),
        `How many persons did it in how many intervals (${query.interval}).`,
      ];
  }
}

function funnelRemark({ viz, from, to, interval }: PlanOf<"FunnelsQuery">["query"]): string {
  const span = `step ${from + 1} and step ${to + 1}`;
  switch (viz) {
    case "steps":
      return "persons who came to each step, and their seconds from the step before.";
    case "trends":
      return `persons who began in each ${interval} and came to ${span}; a row without a bucket is of the whole time.`;
    case "time_to_convert":
      return `persons by their seconds between ${span}; bin N begins N times width_s after first_s, and a row without one is of all.`;
  }
}

const shownRemarks = ({ isCumulative, smoothing, factor, typical }: TrendShown) => [
  ...(isCumulative ? ["The answer adds these numbers up from interval to interval."] : []),
  ...(smoothing > 1 ? [`The answer has the mean of each ${smoothing} intervals.`] : []),
  ...(typical === null
    ? []
    : [
        `The answer has the ${typical.by} of the ${typical.until === null ? "intervals" : "intervals that are over"}.`,
      ]),
  ...(factor === 1 ? [] : [`The answer has these numbers times ${factor}.`]),
];

const breakdownRemark = (breakdown: Breakdown | null) =>
  breakdown === null
    ? []
    : [
        `Values of ${breakdown.by.map(({ property }) => remark(property)).join(", ")}: NULL for none; is_other is true for all other values together.`,
      ];

function timeRemark({ period, previous, timezone }: Plan): string {
  const shown = (time: string) => time.replace("T", " ").replace(/( 00:00:00)?\.000000$/, "");
  const between = (of: Period) => {
    const { from, before } = shownPeriod(of);
    return `from ${shown(from)} to before ${shown(before)}`;
  };
  const compared = previous === null ? "" : `, compared with ${between(previous)}`;
  return `Times are on the clock of ${timezone}: ${between(period)}${compared}.`;
}

/** The most names of each kind in the remarks. */
const NAMES_MAX = 20;

/** The most properties with a column of their own. */
const COLUMNS_MAX = 3;

/**
 * Returns a first query over a project's events, with its names in remarks for a user who does not know them
 * (decision 71). It counts events and persons for each day and event.
 */
export function draftSql({ events, properties }: EventNames): string {
  const named = events.slice(0, NAMES_MAX);
  const own = properties.filter(({ name }) => !name.startsWith("$")).slice(0, COLUMNS_MAX);
  const columns = own.map(({ name }, index) => {
    return `  count(DISTINCT ${propertyText("events", name)}) AS values_${index + 1}, -- of ${remark(name)}\n`;
  });
  const chosen = named.map(({ name }) => `    ${quoted(name)}`).join(",\n");
  return `-- Events and persons per day and event, of the last 30 days (UTC).
-- ${listOf("Events, the most frequent first", named)}
-- ${listOf("Properties, the most frequent first", properties.slice(0, NAMES_MAX))}
SELECT
  date_trunc('day', events.timestamp)::DATE AS day,
  event,
${columns.join("")}  count(*) AS events,
  count(DISTINCT person_id) AS persons
FROM events
WHERE events.timestamp >= date_trunc('day', now() AT TIME ZONE 'UTC') - INTERVAL 30 DAY
${chosen === "" ? "" : `  AND event IN (\n${chosen}\n  )\n`}GROUP BY day, event
ORDER BY day DESC, events DESC, event
LIMIT 1000;
`;
}

function listOf(kind: string, names: { name: string; count: number }[]): string {
  if (names.length === 0) return `${kind}: none yet.`;
  return `${kind}: ${names.map(({ name, count }) => `${remark(name)} (${count})`).join(", ")}.`;
}

/** Returns a name for a remark as JSON, which has no line end that would end the remark. */
const remark = (name: string): string => JSON.stringify(name);

/** Returns a value as an SQL literal, as a person would write it. */
const literal: Bind = (value, type = "VARCHAR") => {
  const text = String(value);
  switch (type) {
    case "VARCHAR":
      return quoted(text);
    case "TIMESTAMP":
      return `TIMESTAMP '${timeText(text)}'`;
    case "TIMESTAMPTZ":
      return `TIMESTAMPTZ ${quoted(text)}`;
    default:
      // A number with a point would be a DECIMAL, which is not the same number.
      return Number.isSafeInteger(Number(text)) ? text : `${quoted(text)}::${type}`;
  }
};

/** Returns a time on a clock as SQL writes it; at midnight only the day. */
function timeText(wall: string): string {
  const [day, time = ""] = wall.replace("Z", "").split("T");
  return /^[0:.]*$/.test(time) ? `${day}` : `${day} ${time}`;
}

/** Reads events from the public views, on the clock of a zone. */
export function eventViews(timezone: string): () => EventSource {
  return () => {
    const joins = new Map<string, string>();
    const sessions = sessionFacts();
    const text = (of: PropertyOf, property: string): string => {
      if (of.type === "event") return eventText(property);
      if (of.type === "event_metadata") return metadataText(property, () => "events.person_id");
      if (of.type === "session") return sessions.column(sessionText(property));
      if (of.type === "person") {
        joins.set("persons", "LEFT JOIN persons ON persons.uuid = events.person_id");
        return propertyText("persons", property);
      }
      const { group_type_index: index } = of;
      const name = `group_${index}`;
      const on = `${name}.type_index = ${index} AND ${name}.key = events."${groupColumn(index)}"`;
      joins.set(name, `LEFT JOIN groups AS ${name} ON ${on}`);
      return propertyText(name, property);
    };
    return {
      wall(period, time = TIME) {
        if (isUtc(period)) return time;
        return period.shown === undefined
          ? `(${time} AT TIME ZONE 'UTC' AT TIME ZONE ${quoted(timezone)})`
          : `(${time} AT TIME ZONE 'UTC' AT TIME ZONE 'UTC' + ${aheadOf(period, literal, time)})`;
      },
      began: () => sessions.column(BEGAN),
      person: () => "events.person_id",
      text,
      passes: ({ of, filter }) => draftCondition(filter, text(of, filter.key)),
      isPlain: () => true,
      needs: (near) => ({
        tables: sessions.tables(near),
        joins: [...joins.values(), ...sessions.joins()],
        conditions: [],
      }),
    };
  };
}

/** Returns SQL of the text of a property of events. Without a group, its key is empty in the public views. */
function eventText(property: string): string {
  if (eventColumn(property) === undefined) return propertyText("events", property);
  const column = `events."${property}"`;
  return property.startsWith("$group_") ? `nullIf(${column}, '')` : column;
}

/**
 * Returns SQL of the text of a property of a view. A key with `$`, `.` or `/` is no path, so it becomes a pointer; the keys of
 * a nested value follow one another.
 */
function propertyText(table: string, key: string): string {
  const step = (one: string) => quoted(/^[A-Za-z_][\w ]*$/.test(one) ? one : pointer(one));
  const at = (keys: string[]) =>
    `(${table}.properties${keys.map((one, n) => `${n === keys.length - 1 ? "->>" : "->"}${step(one)}`).join("")})`;
  return isDotted(key) ? `coalesce(${at([key])}, ${at(key.split("."))})` : at([key]);
}

/**
 * Returns the condition of a filter on the text of its property. It holds for the same texts as that of
 * `passes`, and is short enough for the public SQL.
 */
function draftCondition(filter: PropertyFilter, text: string): string {
  const { not, test } = filter;
  if (test.is === "set") return `${text} IS ${not ? "NULL" : "NOT NULL"}`;
  const condition = anyText(filter, text, (one) => conditionOf(test, one));
  return not ? `(${condition}) IS NOT TRUE` : `(${condition})`;
}

function conditionOf(test: PropertyTest, text: string): string {
  switch (test.is) {
    case "equal":
      if (test.numbers !== undefined) return tested(test, text, literal);
      if (test.any.length === 1) return `${text} = ${test.any.map(quoted)}`;
      return `${text} IN (${test.any.map(quoted).join(", ") || "NULL"})`;
    case "contains": {
      const parts = test.any.map((part) => `contains(lower(${text}), lower(${quoted(part)}))`);
      return parts.join(" OR ") || `${text} IN (NULL)`;
    }
    case "version": {
      const bounds = [
        ...(test.from === null ? [] : [comparedBy(text, test.from, ">")]),
        ...(test.before === null ? [] : [comparedBy(text, test.before, "<")]),
      ];
      return bounds.join(" AND ");
    }
    default:
      return tested(test, text, literal);
  }
}

/** Matches three numbers, and a pre-release or build. Texts that match {@link TOO_LONG} are no versions. */
const VERSION = String.raw`\s*v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+]\S*)?\s*`;

/** A text with a number that is too long for a version, before any pre-release or build. */
const TOO_LONG = String.raw`^[^-+]*\d{${DIGITS_MAX + 1}}`;

/**
 * Returns SQL of whether a version is at least another one, or before it, by the first number that differs. A
 * pre-release is before its release. The patterns of a run are too long for the public SQL.
 */
function comparedBy(text: string, [major, minor, patch, release]: Version, by: ">" | "<"): string {
  const part = (place: number) => {
    const between = `split_part(${text}, '.', ${place})`;
    return `TRY_CAST(${place === 2 ? between : `regexp_extract(${between}, '\\d+')`} AS HUGEINT)`;
  };
  const differing = [major, minor, patch].map((bound, index) => {
    const number = part(index + 1);
    return `WHEN ${number} IS DISTINCT FROM ${bound} THEN ${number} ${by} ${bound}`;
  });
  const isPre = `regexp_matches(${text}, '^[^-+]*-')`;
  const same = by === ">" ? ["true", `NOT ${isPre}`] : ["false", isPre];
  return `CASE WHEN NOT regexp_full_match(${text}, '${VERSION}') THEN false
    WHEN regexp_matches(${text}, '${TOO_LONG}') THEN false
    ${differing.join("\n    ")}
    ELSE ${same[release]} END`;
}
