import type { Property } from "../../../core/questions/language/name-keys.ts";
import type { Measure, Reading } from "../../../core/questions/readings/reading.ts";
import { quoted } from "../engine/duckdb.ts";
import {
  conditionSql,
  eventIn,
  grouped,
  joined,
  type Parts,
  ROWS_DEFAULT,
  TIME,
  testSql,
} from "./question-parts.ts";

/** Measures that look at what each person did. */
export function ofPersons(reading: Reading, parts: Parts, measure: Measure): string {
  switch (measure.of) {
    case "repeaters":
    case "active_on": {
      const number =
        measure.of === "repeaters"
          ? "count(*)"
          : `count(DISTINCT date_trunc('day', ${parts.clock}))`;
      const least = measure.of === "repeaters" ? measure.times : measure.days;
      const isShare = measure.of === "repeaters" && measure.isShare === true;
      const value = `count(*) FILTER (WHERE number >= ${least})`;
      return grouped(
        reading,
        { ...parts, labels: outerLabels(parts) },
        {
          value: isShare ? `100.0 * ${value} / nullif(count(*), 0)` : value,
          from: `FROM (${perPerson(parts, [measure.event], `${number} AS number`)})`,
          conditions: [],
        },
      );
    }
    case "without": {
      const [pages, seen] = [measure.pages ?? [], measure.seen ?? []].map((some) =>
        some.map((one) => conditionSql(one, parts.source)),
      ) as [string[], string[]];
      const columns = `count(*) FILTER (WHERE ${[eventIn([measure.event]), ...seen].join(" AND ")}) AS did,
    count(*) FILTER (WHERE ${[eventIn([measure.not]), ...pages].join(" AND ")}) AS not_done`;
      return grouped(
        reading,
        { ...parts, labels: outerLabels(parts) },
        {
          value: "count(*)",
          from: `FROM (${perPerson(parts, [measure.event, measure.not], columns)})`,
          conditions: ["did > 0", "not_done = 0"],
        },
      );
    }
    case "all_of":
      return ofAll(reading, parts, measure);
    case "never": {
      const [met, did] = [measure.met, measure.did ?? []].map((some) =>
        some.map((one) => conditionSql(one, parts.source)),
      ) as [string[], string[]];
      const columns = `count(*) FILTER (WHERE ${met.join(" OR ")}) AS met,
    count(*) FILTER (WHERE ${did.join(" AND ") || "true"}) AS did`;
      return grouped(
        reading,
        { ...parts, labels: outerLabels(parts) },
        {
          value: "count(*)",
          from: `FROM (${perPerson(parts, [measure.event], columns)})`,
          conditions: ["did > 0", "met = 0"],
        },
      );
    }
    case "newcomers":
      return newcomers(reading, parts, measure);
    case "funnel":
      return ofFunnel(reading, parts, measure);
    case "next":
      return nextPages(parts, measure, reading);
    default:
      throw new Error(`A ${measure.of} is a query of its own.`);
  }
}

const outerLabels = ({ labels }: Parts) => labels.map((_, at) => `label_${at + 1}`);

/** One row a person, with the labels of the question. */
function perPerson(parts: Parts, events: readonly (string | null)[], columns: string): string {
  const names = events.filter((one) => one !== null);
  const labels = parts.labels.map((one, at) => `${one} AS label_${at + 1}, `).join("");
  const groups = ["events.person_id", ...outerLabels(parts)].join(", ");
  const conditions = [
    parts.inPeriod,
    ...(names.length === 0 ? [] : [eventIn(names)]),
    ...parts.where,
  ];
  return `
  SELECT events.person_id, ${labels}${columns}
  FROM events${joined(parts)}
  WHERE ${conditions.join(" AND ")}
  GROUP BY ${groups}`;
}

/** Persons who did each of several things. */
function ofAll(
  reading: Reading,
  parts: Parts,
  { events, pages = [] }: Extract<Measure, { of: "all_of" }>,
): string {
  const ofPages = pages.map((one) => conditionSql(one, parts.source));
  const columns = events.map((event, at) => {
    const conditions = [eventIn([event]), ...(event === "$pageview" ? ofPages : [])];
    return `count(*) FILTER (WHERE ${conditions.join(" AND ")}) AS did_${at + 1}`;
  });
  return grouped(
    reading,
    { ...parts, labels: outerLabels(parts) },
    {
      value: "count(*)",
      from: `FROM (${perPerson(parts, events, columns.join(",\n    "))})`,
      conditions: events.map((_, at) => `did_${at + 1} > 0`),
    },
  );
}

/** Persons whose first event is in the period, or before it. */
function newcomers(
  reading: Reading,
  parts: Parts,
  { event, which, isShare }: Extract<Measure, { of: "newcomers" }>,
): string {
  const { clock, interval, inPeriod } = parts;
  const [from = ""] = /TIMESTAMP '[^']*'/.exec(inPeriod) ?? [];
  const ofEvent = event === null ? "" : `\n  WHERE ${eventIn([event])}`;
  const firsts = `(\n  SELECT events.person_id, min(${clock}) AS first_at\n  FROM events${ofEvent}\n  GROUP BY 1) AS firsts`;
  const isNew =
    interval === null ? `first_at >= ${from}` : `first_at >= date_trunc('${interval}', ${clock})`;
  const counted = (condition: string) =>
    `count(DISTINCT events.person_id) FILTER (WHERE ${condition})`;
  const chosen = counted(which === "returning" ? `NOT (${isNew})` : isNew);
  const kind = which === "both" ? [`CASE WHEN ${isNew} THEN 'new' ELSE 'returning' END`] : [];
  const all = "count(DISTINCT events.person_id)";
  const one = isShare ? `100.0 * ${chosen} / nullif(${all}, 0)` : chosen;
  return grouped(
    reading,
    { ...parts, labels: [...kind, ...parts.labels] },
    {
      value: which === "both" ? all : one,
      from: `FROM events JOIN ${firsts} ON firsts.person_id = events.person_id${joined(parts)}`,
      conditions: [inPeriod, ...(event === null ? [] : [eventIn([event])]), ...parts.where],
    },
  );
}

/** Days from the first step to the last, where a question says none. */
const WINDOW_DAYS = 14;

function ofFunnel(
  reading: Reading,
  parts: Parts,
  { steps, as, window }: Extract<Measure, { of: "funnel" }>,
): string {
  const [first = "", last = ""] = [steps[0], steps.at(-1)];
  if (as === "lost" || as === "rate" || as === "steps") {
    const columns = `count(*) FILTER (WHERE ${eventIn([first])}) AS began,
    count(*) FILTER (WHERE ${eventIn([last])}) AS ended`;
    const done = "100.0 * count(*) FILTER (WHERE ended > 0) / nullif(count(*), 0)";
    return grouped(
      reading,
      { ...parts, labels: outerLabels(parts) },
      {
        value: as === "lost" ? `100 - ${done}` : done,
        from: `FROM (${perPerson(parts, [first, last], columns)})`,
        conditions: ["began > 0"],
      },
    );
  }
  const within =
    window === undefined ? `${WINDOW_DAYS} DAY` : `${window.count} ${window.unit.toUpperCase()}`;
  const value = as === "median_seconds" ? "median(seconds)" : "avg(seconds)";
  const conditions = [parts.inPeriod, eventIn([first, last]), ...parts.where];
  return `WITH steps AS (
  SELECT events.person_id, events.event, ${TIME} AS seen_at
  FROM events${joined(parts)}
  WHERE ${conditions.join(" AND ")}),
ways AS (
  SELECT began.person_id, began.seen_at AS began_at, min(ended.seen_at) AS ended_at
  FROM steps AS began
  JOIN steps AS ended ON ended.person_id = began.person_id
    AND ended.seen_at > began.seen_at AND ended.seen_at <= began.seen_at + INTERVAL ${within}
  WHERE began.event = ${quoted(first)} AND ended.event = ${quoted(last)}
  GROUP BY 1, 2),
firsts AS (
  SELECT person_id, epoch(arg_min(ended_at, began_at)) - epoch(min(began_at)) AS seconds
  FROM ways GROUP BY 1)
SELECT ${value} AS value
FROM firsts`;
}

/** The pages of visits that come after a page, or before it. The same page twice in a row counts once. */
function nextPages(
  parts: Parts,
  { page, isBefore }: Extract<Measure, { of: "next" }>,
  { top }: Reading,
): string {
  const conditions = [
    parts.inPeriod,
    eventIn(["$pageview"]),
    'events."$session_id" IS NOT NULL',
    ...parts.where,
  ];
  const inOrder = "OVER (PARTITION BY visit ORDER BY seen_at, seq)";
  return `WITH views AS (
  SELECT events."$session_id" AS visit, events."$pathname" AS place, ${TIME} AS seen_at, events.seq AS seq
  FROM events${joined(parts)}
  WHERE ${conditions.join(" AND ")}),
turns AS (
  SELECT visit, place, seen_at, seq, lag(place) ${inOrder} AS earlier
  FROM views),
ways AS (
  SELECT place, ${isBefore ? "lag" : "lead"}(place) ${inOrder} AS other
  FROM turns WHERE earlier IS DISTINCT FROM place)
SELECT other AS label_1, count(*) AS value
FROM ways
WHERE place = ${quoted(page)} AND other IS NOT NULL
GROUP BY label_1
ORDER BY value DESC, label_1
LIMIT ${top?.count ?? ROWS_DEFAULT}`;
}

/** Returns SQL that counts persons by their properties. */
export function ofKnownPersons(reading: Reading): string {
  const labels = reading.by.flatMap((one) =>
    one.by === "property" ? [personText(one.property)] : [],
  );
  const parts = { labels, interval: null, clock: "persons.created_at" };
  return grouped(reading, parts, {
    value: "count(*)",
    from: "FROM persons",
    conditions: [personsWhere(reading)],
  });
}

/** Returns SQL of a property in the view of persons. */
export const personText = ({ name }: Property) =>
  `(persons.properties->>${quoted(isPlainKey(name) ? name : `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)})`;

const isPlainKey = (key: string) => /^[A-Za-z_][\w ]*$/.test(key);

/** Returns the conditions on persons. */
export function personsWhere({ where }: Reading): string {
  const conditions = where.map((one) => testSql(one, personText(one.property), one.is, one.values));
  return conditions.join(" AND ") || "true";
}
