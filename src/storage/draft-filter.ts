import type { PropertyFilter, PropertyTest, Range } from "../domain/property-filter.ts";
import { quoted } from "./duckdb.ts";
import { type DateTest, ISO_TIME, textTested, VERSION, ZONED } from "./property-match.ts";

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
      const parts = versionOf(text);
      const bounds = [
        ...(test.from === null ? [] : [`NOT (${isBefore(parts, test.from)})`]),
        ...(test.before === null ? [] : [`(${isBefore(parts, test.before)})`]),
      ];
      return [`regexp_full_match(${text}, '${VERSION}')`, ...bounds].join(" AND ");
    }
    default:
      return textTested(test, text, { text: quoted, number: numberText });
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

/** Major, minor, patch, and 1; 0 for a pre-release. */
function versionOf(text: string): string[] {
  const numbers = `regexp_extract(${text}, '[\\d.]+')`;
  const part = (place: number) => `TRY_CAST(split_part(${numbers}, '.', ${place}) AS HUGEINT)`;
  const isRelease = `NOT regexp_matches(${text}, '^[^-+]*-')`;
  return [part(1), part(2), part(3), `(${isRelease})::INTEGER`];
}

/** By the first part that differs. */
function isBefore(
  [part = "", ...parts]: string[],
  [bound, ...bounds]: readonly (bigint | number)[],
): string {
  if (parts.length === 0) return `${part} < ${bound}`;
  return `${part} < ${bound} OR ${part} = ${bound} AND (${isBefore(parts, bounds)})`;
}
