import type { DuckDBConnection } from "@duckdb/node-api";
import type { KnownValue } from "../../../core/questions/language/name-keys.ts";
import type { Expected } from "../../../core/questions/readings/possible.ts";
import { ALL_PROPERTIES } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import { pointer } from "./property-filter.ts";
import { newestSeq } from "./property-values.ts";

/** Events and persons, the newest, whose values are looked at. */
const NEWEST_MAX = 20_000;

/** Values that one question may mean. */
const VALUES_MAX = 500;

/** Values of a project at most, and their characters, where all are asked for. */
const ALL_VALUES_MAX = 20_000;
const ALL_VALUES_CHARS_MAX = 100;

/** Conditions of values: of those whose lower case is wanted, and of all. */
const WANTED = `lower(value) IN (SELECT unnest(from_json($folded_values::JSON, '["VARCHAR"]')))`;
const SHORT = `length(value) <= ${ALL_VALUES_CHARS_MAX}`;

/** To take objects apart costs most of the time, so that objects without a wanted value are left out before. */
const HAS_WANTED = "regexp_matches(lower(properties), $has_wanted)";

/** Returns a pattern of objects as JSON in lower case that have one of some values. */
function patternOf(foldedValues: readonly string[]): string {
  const texts = foldedValues.map((text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[\\^$.|?*+()[\]{}]/g, "\\$&"),
  );
  return `:"?(?:${texts.join("|")})"?[,}]`;
}

/** Returns SQL of the values in JSON objects that meet a condition, with their counts. */
const VALUES = (of: "event" | "person", objects: string, { value, has }: Condition) => `
  SELECT '${of}' AS owner, name, value, count(*)::DOUBLE AS count
  FROM (
    SELECT unnest(json_keys(properties)) AS name, unnest(json_extract_string(properties, '$.*')) AS value
    FROM (${objects}) WHERE ${has})
  WHERE name NOT IN ('$group_type', '$group_key', '$lib', 'distinct_id', 'token') AND ${value}
  GROUP BY name, value`;

const PROJECT = "project_id = $project::INTEGER";

const NEWEST_EVENTS = `SELECT properties FROM events WHERE ${PROJECT} AND seq >= $since::BIGINT`;

const NEWEST_PERSONS = `
  SELECT ${ALL_PROPERTIES} AS properties FROM persons
  WHERE ${PROJECT} AND id >= (SELECT min(id) FROM (
    SELECT id FROM persons WHERE ${PROJECT} ORDER BY id DESC LIMIT ${NEWEST_MAX}))`;

/** Conditions of a value, and of the objects that may have one. */
type Condition = { value: string; has: string };

const known = (condition: Condition, most: number) => `
  FROM (
    ${VALUES("event", NEWEST_EVENTS, condition)}
    UNION ALL
    ${VALUES("person", NEWEST_PERSONS, condition)})
  ORDER BY count DESC, name, value LIMIT ${most}`;

const KNOWN = known({ value: WANTED, has: HAS_WANTED }, VALUES_MAX);
const ALL_KNOWN = known({ value: SHORT, has: "true" }, ALL_VALUES_MAX);

/** Returns values of properties that equal one of some texts in lower case, or all, the most frequent first. */
export async function knownValues(
  connection: DuckDBConnection,
  project: number,
  foldedValues: readonly string[] | "all",
): Promise<KnownValue[]> {
  const values = { project };
  const since = await newestSeq(connection, { where: PROJECT, values, limit: NEWEST_MAX });
  const found =
    foldedValues === "all"
      ? await rows(connection, ALL_KNOWN, { project, since })
      : await rows(connection, KNOWN, {
          ...{ project, since },
          folded_values: JSON.stringify(foldedValues),
          has_wanted: patternOf(foldedValues),
        });
  return found.map(({ owner, name, value, count }) => ({
    property: {
      of: owner === "person" ? ("person" as const) : ("event" as const),
      name: String(name),
    },
    value: String(value),
    count: Number(count),
  }));
}

const FIRST = `SELECT epoch_ms(min("timestamp"))::DOUBLE AS first FROM events WHERE project_id = $project::INTEGER`;

/** Returns the time of a project's first event in milliseconds; undefined without events. */
export async function firstEventAt(
  connection: DuckDBConnection,
  project: number,
): Promise<number | undefined> {
  const [row] = await rows(connection, FIRST, { project });
  const first = row?.["first"] ?? null;
  return first === null ? undefined : Number(first);
}

/** Returns whether one of the newest events of a name has a property. */
export async function hasProperty(
  connection: DuckDBConnection,
  project: number,
  { event, property }: Expected,
): Promise<boolean> {
  const values = { project, event };
  const where = `${PROJECT} AND event = $event`;
  const since = await newestSeq(connection, { where, values, limit: NEWEST_MAX });
  const place = pointer(property);
  const [row] = await rows(connection, HAS_PROPERTY, { ...values, since, place });
  return row?.["has"] === true;
}

const HAS_PROPERTY = `
  SELECT count(*) > 0 AS has FROM events
  WHERE ${PROJECT} AND event = $event AND seq >= $since::BIGINT AND json_exists(properties, $place)`;
