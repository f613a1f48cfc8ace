import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp();
  const values = [true, "true", false, "false", "yes", "no", "t", "on", 1, 0, "soon"];
  await app.capture(batch(...values.map((is) => event({ event: "is", properties: { is } }))));
});

afterAll(() => app[Symbol.asyncDispose]());

const counted = async (where: string) => {
  const { body } = await app.run(`SELECT count() FROM events WHERE event = 'is' AND ${where}`);
  return (body as { results?: unknown }).results ?? body;
};

const typed = async (value: unknown) => {
  const properties = [{ key: "is", type: "event", operator: "exact", value }];
  const query = { kind: "EventsQuery", select: ["uuid"], event: "is", after: "all", properties };
  const { body } = await app.ask("POST", `${app.api}/query/`, { body: { query } });
  return (body as { results: unknown[] }).results.length;
};

test.each([
  ["properties.is = true", 2],
  ["true = properties.is", 2],
  ["properties.is = 'true'", 2],
  ["properties.is IN (true)", 2],
  ["properties.is = false", 2],
  ["properties.is != true", 9],
  ["toBool(properties.is) = true", 3],
  ["toBool(properties.is) IS NULL", 5],
  ["toBool(1) AND toBool('TRUE') AND NOT toBool(0)", 11],
])("%s counts %d values", async (where, count) => {
  expect(await counted(where)).toEqual([[count]]);
});

test("a typed filter counts the same values", async () => {
  expect([await typed(true), await typed("true"), await typed(false)]).toEqual([2, 2, 2]);
});

test("groupArray takes DISTINCT", async () => {
  const { body } = await app.run(
    "SELECT length(groupArray(DISTINCT event)) FROM events WHERE event IN ('is', 'view')",
  );
  expect(body).toMatchObject({ results: [[2]] });
});

test.each([
  ["SELECT count() FROM events WHERE group.properties.sector = 'x'", "group_0.properties.sector"],
  ['SELECT count() FROM events WHERE event = "bill settled"', "in single quotes: 'bill settled'"],
])("%s is refused with what to write", async (statement, said) => {
  const { status, body } = await app.run(statement);
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining(said) },
  });
});
