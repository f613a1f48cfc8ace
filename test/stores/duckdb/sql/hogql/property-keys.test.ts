import { afterAll, expect, test } from "bun:test";
import { rows } from "../../../../../src/stores/duckdb/engine/duckdb.ts";
import { newInstance } from "../../../../../src/stores/duckdb/engine/instance.ts";
import { propertyKeys } from "../../../../../src/stores/duckdb/sql/hogql/property-keys.ts";
import { temporaryDirectory } from "../../../../support/start/app.ts";

using directory = temporaryDirectory();
const instance = await newInstance(directory.path);
const connection = await instance.connect();

afterAll(() => instance.closeSync());

/** Statements, and the names that they read; null for any. */
const STATEMENTS: [string, string[] | null][] = [
  ["SELECT count(*) FROM events", []],
  ["SELECT properties->>'plan' FROM events", ["plan"]],
  ["SELECT e.properties->>'/a~1b/c' FROM events AS e", ["a/b"]],
  ["SELECT json_extract_string(properties, '$.a.b') FROM events", ["a"]],
  [`SELECT json_extract(properties, '$."a b"[0].c') FROM events`, ["a b"]],
  ["SELECT json_extract_string(json_extract(properties, '/a'), '/b') FROM events", ["a"]],
  ["SELECT * FROM events", null],
  ["SELECT x->>'a' FROM (SELECT properties AS x FROM events)", null],
  ["SELECT properties->>event FROM events", null],
  ["SELECT properties->>'$.*' FROM events", null],
  ["SELECT json_keys(properties) FROM events", null],
  ["SELECT json_extract(properties, ['a', 'b']) FROM events", null],
  ["SELECT a FROM events AS e(a, b)", null],
  ["SELECT count(*) FROM events JOIN persons USING (properties)", null],
  ["SELECT count(*) FROM events NATURAL JOIN persons", null],
  [
    `SELECT properties->>'a' FROM (SELECT e.*, r.properties AS "person.properties" FROM events AS e
       LEFT JOIN persons AS r ON r.uuid = e.person_id) AS events`,
    ["a"],
  ],
];

test.each(STATEMENTS)("the names of properties in a statement are known: %s", async (sql, keys) => {
  const [row] = await rows(
    connection,
    "SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree",
    {
      sql,
    },
  );
  const found = propertyKeys(sql, JSON.parse(String(row?.["tree"])));
  expect(found === undefined ? null : [...found]).toEqual(keys);
});
