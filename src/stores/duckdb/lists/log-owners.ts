import { DISTINCT_ID_CHARS_MAX } from "../../../core/events/event.ts";
import { LOG_DISTINCT_ID_KEYS } from "../../../core/logs/record.ts";
import { quoted } from "../engine/duckdb.ts";
import { pointer } from "./property-filter.ts";

const COLUMNS = ["attributes", "resource_attributes"];

const IDS = `list_concat(${COLUMNS.map((column) => {
  const pointers = LOG_DISTINCT_ID_KEYS.map((key) => quoted(pointer(key)));
  return `json_extract_string(${column}, [${pointers.join(", ")}])`;
}).join(", ")})`;

/**
 * SQL of the distinct ids that a row of `logs` may be found by, a list with nulls (decision 92); cut, as
 * those of events are: the attribute has what was sent.
 */
export const LOG_OWNERS = `list_transform(${IDS}, lambda id: left(id, ${DISTINCT_ID_CHARS_MAX}))`;

/** Texts of which one is in each of the names. */
const PARTS = LOG_DISTINCT_ID_KEYS.filter(
  (key) => !LOG_DISTINCT_ID_KEYS.some((other) => other !== key && key.includes(other)),
);

/** SQL of whether that can be any: a text is sooner looked through than JSON is read. */
export const MAY_HAVE_OWNER = `(${COLUMNS.flatMap((column) =>
  PARTS.map((part) => `contains(${column}::VARCHAR, ${quoted(part)})`),
).join(" OR ")})`;
