import { SPREAD_PROPERTIES } from "../../loads/person-columns.ts";
import { itemsOf, numberOf } from "./property-filter.ts";

/** Events, persons and groups, the newest of each, whose properties are read. */
export const NEWEST_MAX = 20_000;

/** Most characters of the name of a property, and properties of one owner: others are not listed. */
const NAME_CHARS_MAX = 200;
const PROPERTIES_MAX = 1000;

/** Most values of one property, of all properties, and characters of a value. */
const VALUES_OF_PROPERTY_MAX = 2000;
const VALUES_MAX = 50_000;
const VALUE_CHARS_MAX = 100;

/** Properties without values in the vocabulary: each event of an SDK has them, or `$exception_types` has the values. */
const WITHOUT_VALUES =
  "('$group_type', '$group_key', '$lib', '$exception_type', '$exception_types', 'distinct_id', 'token')";

/** Types of groups, each with a column of events. */
const GROUP_COLUMNS = ["$group_0", "$group_1", "$group_2", "$group_3", "$group_4"];

const PROJECT = "project_id = $project::INTEGER";

/** Returns SQL of the newest events of the project, and of older ones by their numbers. */
const eventsOf = (older: readonly number[]) => {
  const select = `SELECT event, properties, ${GROUP_COLUMNS.map((column) => `"${column}"`)}
    FROM events WHERE ${PROJECT} AND event IN (SELECT unnest(from_json($names::JSON, '["VARCHAR"]')))`;
  const listed = older.length === 0 ? "" : `UNION ALL ${select} AND seq IN (${older.join(",")})`;
  return `${select} AND seq >= $since::BIGINT ${listed}`;
};

const KEYS_OF_EVENTS = GROUP_COLUMNS.map(
  (column, index) => `
    SELECT '${index}' AS owner, "${column}" AS value FROM sampled WHERE "${column}" IS NOT NULL`,
).join(" UNION ALL ");

/** A time in the form that events have, as JSON; a text in another form may be anything. */
const TIME = `'"\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d.*)?"'`;

/**
 * Returns SQL of the properties of events, persons and groups, each with its type, and of their values. A property has
 * the `value` null, and says with `has_numbers` whether a value is a number or a text that reads as one. The most
 * frequent come first. Of all values, as many of each property are kept as of any other, so that ids, which differ on
 * each row, leave room for the rest. A window over the hash takes half as long as one over the names.
 */
export const namesAndValues = (olderEvents: readonly number[]) => `
  WITH sampled AS MATERIALIZED (${eventsOf(olderEvents)}),
  persons_read AS (
    SELECT ${SPREAD_PROPERTIES} AS properties FROM persons WHERE ${PROJECT}
    ORDER BY id DESC LIMIT ${NEWEST_MAX}),
  groups_read AS MATERIALIZED (
    SELECT type_index::VARCHAR AS owner, key, properties FROM groups WHERE ${PROJECT}
    ORDER BY created_at DESC, type_index, key LIMIT ${NEWEST_MAX}),
  objects AS (
    SELECT 'event' AS kind, event AS owner, properties FROM sampled
    UNION ALL SELECT 'person', '', properties FROM persons_read
    UNION ALL SELECT 'group', owner, properties FROM groups_read),
  cells AS (
    SELECT kind, owner, name, raw, count(*) AS count
    FROM (
      SELECT kind, owner, unnest(json_keys(properties)) AS name,
        unnest(json_extract(properties, '$.*'))::VARCHAR AS raw
      FROM objects)
    WHERE length(name) <= ${NAME_CHARS_MAX} AND raw <> 'null'
    GROUP BY ALL),
  typed AS MATERIALIZED (
    SELECT *, CASE substr(raw, 1, 1)
        WHEN '"' THEN CASE WHEN regexp_full_match(raw, ${TIME}, 's') THEN 'time' ELSE 'text' END
        WHEN '[' THEN 'list' WHEN '{' THEN 'list' WHEN 't' THEN 'boolean' WHEN 'f' THEN 'boolean'
        ELSE 'number' END AS type,
      ${numberOf(`trim(raw, '"')`)} IS NOT NULL AS has_numbers
    FROM cells),
  properties AS (
    SELECT kind, owner, name, arg_max(type, (count, type)) AS type, greatest(sum(count), 1) AS count,
      bool_or(has_numbers) AS has_numbers
    FROM (SELECT kind, owner, name, type, sum(count) AS count, bool_or(has_numbers) AS has_numbers
        FROM typed GROUP BY kind, owner, name, type
      UNION ALL SELECT kind, owner, name, 'text', 0, false FROM omitted_properties
      WHERE ${PROJECT} AND length(name) <= ${NAME_CHARS_MAX} AND (kind <> 'event'
        OR owner IN (SELECT unnest(from_json($names::JSON, '["VARCHAR"]')))))
    GROUP BY kind, owner, name
    QUALIFY row_number() OVER (PARTITION BY kind, owner ORDER BY sum(count) DESC, name) <= ${PROPERTIES_MAX}),
  texts AS (
    SELECT kind, owner, name, count,
      CASE WHEN substr(raw, 1, 1) = '"' THEN json_extract_string(raw, '$') ELSE raw END AS value
    FROM typed WHERE type <> 'list' AND name NOT IN ${WITHOUT_VALUES}
    UNION ALL
    SELECT kind, owner, name, count, unnest(${itemsOf("raw")})
    FROM typed WHERE kind = 'event' AND name = '$exception_types'
    UNION ALL
    SELECT 'group', owner, '$group_key', count(*), value
    FROM (SELECT owner, key AS value FROM groups_read UNION ALL ${KEYS_OF_EVENTS})
    GROUP BY owner, value),
  ranked AS (
    SELECT *, row_number() OVER (
      PARTITION BY hash(kind, owner, name) ORDER BY count DESC, value) AS rank
    FROM texts WHERE length(value) <= ${VALUE_CHARS_MAX} AND trim(value) <> ''),
  known AS (
    SELECT kind, owner, name, value, sum(count) AS count
    FROM (
      FROM ranked WHERE rank <= ${VALUES_OF_PROPERTY_MAX}
      ORDER BY rank, count DESC, kind, owner, name LIMIT ${VALUES_MAX})
    GROUP BY kind, owner, name, value)
  SELECT kind, owner, name, type, NULL AS value, count::DOUBLE AS count, has_numbers FROM properties
  UNION ALL
  SELECT kind, owner, name, NULL, value, count::DOUBLE, NULL FROM known
  ORDER BY count DESC, kind, owner, name, value`;
