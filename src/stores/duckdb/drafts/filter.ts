import type { PropertyFilter, PropertyTest } from "../../../core/values/property-filter.ts";
import { DIGITS_MAX, type Version } from "../../../core/values/version-range.ts";
import { type Bind, tested } from "../lists/property-filter.ts";

/**
 * Returns the condition of a filter on the text of its property. It passes the same texts as `passes`
 * of property-filter.ts, and is short enough for the public SQL.
 */
export function draftCondition({ not, test }: PropertyFilter, text: string, bind: Bind): string {
  if (test.is === "set") return `${text} IS ${not ? "NULL" : "NOT NULL"}`;
  const condition = conditionOf(test, text, bind);
  return not ? `(${condition}) IS NOT TRUE` : `(${condition})`;
}

function conditionOf(test: PropertyTest, text: string, bind: Bind): string {
  switch (test.is) {
    case "equal":
      if (test.any.length === 1) return `${text} = ${test.any.map((value) => bind(value))}`;
      return `${text} IN (${test.any.map((value) => bind(value)).join(", ") || "NULL"})`;
    case "contains": {
      const parts = test.any.map((part) => `contains(lower(${text}), lower(${bind(part)}))`);
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
      return tested(test, text, bind);
  }
}

/** All versions except {@link TOO_LONG}: three numbers, and a pre-release or build (decision 105). */
const VERSION = String.raw`\s*v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+]\S*)?\s*`;

/** A text with a number that is too long for a version, before any pre-release or build. */
const TOO_LONG = String.raw`^[^-+]*\d{${DIGITS_MAX + 1}}`;

/**
 * Returns whether a version is at least another one, or before it, by the first number that differs; a
 * pre-release is before its release. The patterns of a run are longer than the public SQL allows.
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
