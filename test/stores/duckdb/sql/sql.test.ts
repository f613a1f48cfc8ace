import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL_VIEWS } from "../../../../src/core/sql/tables.ts";
import { bindFailure, failureOf } from "../../../../src/stores/duckdb/sql/faults.ts";
import { groupColumn, HOT_PROPERTIES } from "../../../../src/stores/loads/event-lines.ts";
import { sqlApp } from "../../../support/answers/sql.ts";

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp({ flags: { "--query-seconds": "5" } });
});

afterAll(() => app[Symbol.asyncDispose]());

describe("the views", () => {
  test("have every property that is a column", () => {
    const names = Object.keys(SQL_VIEWS["events"] ?? {});
    const hot = [...HOT_PROPERTIES, ...[0, 1, 2, 3, 4].map(groupColumn)];
    expect(names.slice(names.indexOf("properties") + 1)).toEqual(hot);
  });

  test("have the columns that they are said to have, of those types", async () => {
    for (const [view, columns] of Object.entries(SQL_VIEWS)) {
      const { body } = await app.run(`SELECT * FROM ${view} LIMIT 0`);
      const said = Object.entries(columns).map(([name, { type }]) => [name, type]);
      expect((body as { types: unknown }).types).toEqual(said);
    }
  });
});

test.each(["INTERNAL Error: a", "Serialization Error: a", "Invalid Error: unordered_map::at"])(
  "%s of the planner is a failure of the statement",
  (message) => {
    expect(bindFailure(new Error(message))).toMatchObject({ code: "invalid_input" });
  },
);

test("a fatal error of the planner is not about the statement", () => {
  expect(bindFailure(new Error("FATAL Error: a"))).toBeUndefined();
});

test("a statement without memory names the property whose values are long, and --memory", () => {
  const error = new Error("Out of Memory Error: failed to allocate data");
  expect(failureOf(error, "", "$ai_input")).toMatchObject({
    code: "invalid_input",
    message:
      'Reading the long values of "$ai_input" takes too much memory. Select fewer events, or a part, such as substring(properties."$ai_input", 1, 100), or start the server with more --memory or fewer --threads.',
  });
  expect(failureOf(error, "", "*")).toMatchObject({
    message: expect.stringContaining("Reading all properties takes too much memory."),
  });
});
