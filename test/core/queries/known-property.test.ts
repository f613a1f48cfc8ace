import { expect, test } from "bun:test";
import {
  checkSessionProperty,
  metadataFilter,
  SESSION_PROPERTIES,
} from "../../../src/core/queries/known-property.ts";
import { SQL_VIEWS } from "../../../src/core/sql/tables.ts";
import type { PropertyFilter } from "../../../src/core/values/property-filter.ts";

test("properties of sessions are columns of the view of sessions", () => {
  const columns = Object.keys(SQL_VIEWS["sessions"] ?? {});
  expect(SESSION_PROPERTIES.filter((name) => !columns.includes(name))).toEqual([]);
});

test("only numbers of sessions are calculated with", () => {
  const isNumber = true;
  checkSessionProperty("$session_duration", "x", isNumber);
  checkSessionProperty("$is_bounce", "x");
  expect(() => checkSessionProperty("$is_bounce", "x", isNumber)).toThrow(/\$session_duration/);
  expect(() => checkSessionProperty("$browser_version", "x")).toThrow(/\$entry_pathname/);
});

const filterOf = (filter: PropertyFilter) => metadataFilter(filter, "x");

test("names of events are compared as texts, and persons by their uuid", () => {
  const equal = (key: string, ...any: string[]): PropertyFilter => ({
    ...{ key, not: true },
    test: { is: "equal", any, numbers: [1] },
  });
  expect(filterOf(equal("event", "1"))).toEqual({
    ...{ key: "event", not: true },
    test: { is: "equal", any: ["1"] },
  });
  const uuid = "00000000-592b-78b3-8d80-aa75992efae9";
  expect(filterOf(equal("person_id", uuid.toUpperCase())).test).toEqual({
    is: "equal",
    any: [uuid],
  });
  expect(() => filterOf(equal("person_id", uuid, "7"))).toThrow(/uuid/);
  expect(() => filterOf(equal("timestamp", "1"))).toThrow(/dateRange/);
  expect(() => filterOf({ key: "event", not: true, test: { is: "set" } })).toThrow(/not_regex/);
});
