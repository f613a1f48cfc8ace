import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { event } from "../support/data/build-records.ts";
import { attributesOf, logsBody } from "../support/data/logs.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { runCommand } from "../support/start/process.ts";
import { PERSONAL_KEY, PROJECT_KEY, startServer } from "../support/start/server.ts";

/** Large events of each person: of several rows, and of so many bytes that queries read fewer. */
const SIZES = [2100, 6000, 40_000];
const PERSONS = ["ann", "bob"];
const textOf = (person: string, size: number) => person.repeat(size / person.length);

type Rows = Record<string, { rows: number; padding: number }>;

/** Rows of each table in the file of a server that has stopped, by whether they are padding. */
async function rowsIn(data: string): Promise<Rows> {
  const files = readdirSync(join(data, "events")).filter((name) => /^\d+\.duckdb$/.test(name));
  expect(files).toHaveLength(1);
  const file = join(data, "events", files[0] ?? "");
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  try {
    const count = (table: string) => `SELECT '${table}' AS name,
      count(*) FILTER (project_id > 0)::INTEGER AS rows,
      count(*) FILTER (project_id < 0)::INTEGER AS padding FROM ${table}`;
    const sql = ["events", "logs", "persons", "groups"].map(count).join(" UNION ALL ");
    const found = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    return Object.fromEntries(
      found.map(({ name, rows, padding }) => [
        name,
        { rows: Number(rows), padding: Number(padding) },
      ]),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test("padding rows go with the large events, records and person that they follow", async () => {
  using root = temporaryDirectory();
  const data = join(root.path, "data");
  let before: Rows;
  {
    await using server = await startServer({ data });
    const note = textOf("abc", 20_001);
    const group = { $group_type: "firm", $group_key: "x", $group_set: { note } };
    const events = PERSONS.flatMap((distinct_id) => [
      event({ distinct_id, event: "set", properties: { $set: { note } } }),
      event({ distinct_id, event: "$groupidentify", properties: group }),
      ...SIZES.map((size) => {
        const text = textOf(distinct_id, size);
        return event({ distinct_id, event: "large", properties: { text } });
      }),
    ]);
    expect((await server.capture({ api_key: PROJECT_KEY, batch: events })).status).toBe(200);
    const records = PERSONS.map((id) => ({
      body: { stringValue: textOf(id, 9000) },
      attributes: attributesOf({ posthogDistinctId: id }),
    }));
    const logs = `/i/v1/logs?token=${PROJECT_KEY}`;
    expect((await server.capture(logsBody(records), logs)).status).toBe(200);
    await server.stored(events.length);
    await server.stop();
    before = await rowsIn(data);
  }
  await using server = await startServer({ data });
  const { results } = await server.get<{ results: { id: number }[] }>("/persons/?distinct_id=ann");
  const path = `/api/environments/1/persons/${results[0]?.id}/?delete_events=true`;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  expect((await fetch(`${server.url}${path}`, { method: "DELETE", headers })).status).toBe(204);
  const run = await runCommand(["deletions", "run", "--now", "--data", data]);
  expect(run).toMatchObject({ code: 0, out: expect.stringContaining("1 done") });

  const receipt = await server.get("/persons/deletions/1/");
  expect(receipt).toMatchObject({ counts: { events: 5, logs: 1 } });
  const left = (await server.events("&event=large")).map(({ properties }) => properties["text"]);
  expect(left.toSorted()).toEqual(SIZES.map((size) => textOf("bob", size)).toSorted());
  await server.stop();
  // Both persons sent the same, and the group is of both.
  const expected = Object.entries(before).map(([table, { rows, padding }]) => {
    expect(padding).toBeGreaterThan(0);
    return [
      table,
      table === "groups" ? { rows, padding } : { rows: rows / 2, padding: padding / 2 },
    ];
  });
  expect(await rowsIn(data)).toEqual(Object.fromEntries(expected));
});
