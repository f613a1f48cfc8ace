import type { PropertyTexts } from "../../core/ports/persons/projection.ts";
import { foldedAddress } from "../../core/values/case-folding.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { setKey, storableJson, storableText } from "../../core/values/json.ts";
import { READ_CHARS_MAX, truncateForQuery } from "./brief-properties.ts";

/**
 * Columns of the projection. A property's name alone decides its column, by kind: names with `$`, four fifths of
 * the JSON, and names whose values differ from person to person have columns apart from the others. So a filter
 * reads few other properties: a million persons by `plan` take 0.01 s, and with three columns 0.18 s. Stored data
 * depends on this layout.
 */
const SPREAD = {
  own: { few: { from: 0, columns: 5 }, many: { from: 5, columns: 3 } },
  sdk: { few: { from: 8, columns: 4 }, many: { from: 12, columns: 4 } },
};

/** Matches names of properties whose values differ from person to person. */
const MANY_VALUED =
  /(?:(?:^|first|last|full|user|path)_?name|mail|phone|url|path|referrer|agent|(?:^|_|u|r)id|(?:_|ed)at|width|height|itude)$/i;

/** The columns of the projection that have properties, each a JSON object or null. */
export const PROPERTY_COLUMNS: readonly string[] = Array.from(
  { length: 16 },
  (_, at) => `properties_${at}`,
);

/** Properties as JSON, for the person store and for the projection; each is written once. */
export function propertyTexts(properties: JsonObject): PropertyTexts {
  const texts = spreadTexts(properties);
  const inner = texts.map((text) => text?.slice(1, -1)).filter(isText);
  const text = `{${inner.join(",")}}`;
  const email = searchedEmail(properties);
  const address = email === null ? [] : [`"email":${JSON.stringify(email)}`];
  if (text.length <= READ_CHARS_MAX) {
    return { text, columns: [...columnsOf(texts), ...address].join(",") };
  }
  const brief = columnsOf(spreadTexts(truncateForQuery(properties)));
  return { text, columns: [...brief, ...address, `"whole_properties":${text}`].join(",") };
}

const columnsOf = (texts: readonly (string | undefined)[]): string[] =>
  texts.map((json, at) => json && `"${PROPERTY_COLUMNS[at]}":${json}`).filter(isText);

const isText = (text: string | undefined): text is string => text !== undefined;

/** Returns the JSON of each column's properties; undefined for an empty column. */
function spreadTexts(properties: JsonObject): (string | undefined)[] {
  const parts: (JsonObject | undefined)[] = new Array(PROPERTY_COLUMNS.length).fill(undefined);
  for (const key of Object.keys(properties)) {
    const index = columnIndexOf(key);
    const part = parts[index] ?? {};
    parts[index] = part;
    setKey(part, key, properties[key] ?? null);
  }
  return parts.map((part) => part && storableJson(part));
}

/** Returns the index of the column that has a property. */
function columnIndexOf(key: string): number {
  const cached = columnIndexes.get(key);
  if (cached !== undefined) return cached;
  const { few, many } = key.startsWith("$") ? SPREAD.sdk : SPREAD.own;
  const { from, columns } = MANY_VALUED.test(key) ? many : few;
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) >>> 0;
  const index = from + (hash % columns);
  if (columnIndexes.size < CACHED_NAMES_MAX) columnIndexes.set(key, index);
  return index;
}

/** Most names whose columns are cached. */
const CACHED_NAMES_MAX = 10_000;

const columnIndexes = new Map<string, number>();

/** Returns the column of the projection that has a property. */
export function propertyColumn(key: string): string {
  return PROPERTY_COLUMNS[columnIndexOf(key)] ?? "";
}

/** SQL of the properties in the columns of a row of the projection. The columns have no key in common. */
export const SPREAD_PROPERTIES = `('{' || concat_ws(',', ${PROPERTY_COLUMNS.map(
  (column) => `substr(${column}, 2, length(${column}) - 2)`,
).join(", ")}) || '}')::JSON`;

/** Returns the e-mail address of a person as it is stored; null if it is no text. */
export function addressIn({ email }: JsonObject): string | null {
  return typeof email === "string" ? storableText(email) : null;
}

/** Returns the e-mail address in the form that `search` compares. */
export function searchedEmail(properties: JsonObject): string | null {
  const email = addressIn(properties);
  return email === null ? null : foldedAddress(email);
}
