import type { PropertyFilter, PropertyTest, Range } from "../../../core/values/property-filter.ts";
import type { Version } from "../../../core/values/version-range.ts";
import { quoted } from "../engine/duckdb.ts";
import {
  type DateTest,
  ISO_TIME,
  TOO_LONG,
  textTested,
  VERSION,
  ZONED,
} from "../lists/property-filter.ts";

/**
 * The condition that a filter is passed, by the text of its property, as somebody would write it
 * (decision 89): the same as `passes` of property-match.ts.
 */
export function draftCondition({ not, test }: PropertyFilter, text: string): string {
  if (test.is === "set") return `${text} IS ${not ? "NULL" : "NOT NULL"}`;
  const condition = tested(test, text);
  return not ? `(${condition}) IS NOT TRUE` : `(${condition})`;
}

function tested(test: Exclude<PropertyTest, { is: "set" }>, text: string): string {
  switch (test.is) {
    case "equal":
      if (test.any.length === 1) return `${text} = ${test.any.map(quoted)}`;
      return `${text} IN (${test.any.map(quoted).join(", ") || "NULL"})`;
    case "date":
      return `regexp_full_match(${text}, '${ISO_TIME}') AND ${dated(test, text)}`;
    case "version": {
      const bounds = [
        ...(test.from === null ? [] : [comparedBy(text, test.from, ">")]),
        ...(test.before === null ? [] : [comparedBy(text, test.before, "<")]),
      ];
      return bounds.join(" AND ");
    }
    default:
      return textTested(test, text, {
        part: (value) => `contains(lower(${text}), lower(${quoted(value)}))`,
        ...{ text: quoted, number: numberText },
      });
  }
}

/** As `dated` of property-match.ts. */
function dated({ wall, ...instant }: DateTest, text: string): string {
  const ranged = (type: string, { from, before }: Range) => {
    const time = `TRY_CAST(${text} AS ${type})`;
    return [
      ...(from === null ? [] : [`${time} >= ${type} ${quoted(from)}`]),
      ...(before === null ? [] : [`${time} < ${type} ${quoted(before)}`]),
    ].join(" AND ");
  };
  if (wall === undefined) return ranged("TIMESTAMPTZ", instant);
  return `CASE WHEN regexp_matches(${text}, '${ZONED}')
    THEN ${ranged("TIMESTAMPTZ", instant)}
    ELSE ${ranged("TIMESTAMP", { from: local(wall.from), before: local(wall.before) })} END`;
}

const local = (wall: string | null) => wall?.replace("Z", "") ?? null;

/** Exact, which a number with a point is not: that is a DECIMAL. */
function numberText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : `${quoted(String(value))}::DOUBLE`;
}

/**
 * Whether a version is at least another one, or before it, by the first number that differs; a pre-release
 * is before its release. With CASE, whatever is not needed is not taken out of the text.
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
