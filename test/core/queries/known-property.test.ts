import { expect, test } from "bun:test";
import {
  checkSessionProperty,
  SESSION_PROPERTIES,
} from "../../../src/core/queries/known-property.ts";
import { SQL_VIEWS } from "../../../src/core/sql/tables.ts";

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
