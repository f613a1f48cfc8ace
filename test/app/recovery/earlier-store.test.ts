import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { batch, event } from "../../support/data/build-records.ts";
import { everything, expectMirrored } from "../../support/disk/project-contents.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { startServer } from "../../support/start/server.ts";

setDefaultTimeout(30_000);

test("an event store whose persons an earlier version wrote gets them anew, and loses no event", async () => {
  using directory = temporaryDirectory();
  const data = join(directory.path, "data");
  const first = await startServer({ data });
  const set = (distinct_id: string, $set: object) =>
    event({ event: "seen", distinct_id, properties: { $set } });
  await first.capture(batch(set("ann", { plan: "pro" }), set("bob", { plan: "free", $os: "iOS" })));
  await first.capture(
    batch(event({ event: "$create_alias", distinct_id: "bob", properties: { alias: "bobby" } })),
  );
  await first.stored(3);
  const before = await everything(first);
  expect(await first.stop()).toBe(0);
  await inEventStore(data, [
    "DROP TABLE persons",
    "CREATE TABLE persons (project_id INTEGER, id BIGINT, properties JSON)",
    "INSERT INTO persons VALUES (1, 77, '{}')",
    "ALTER TABLE events DROP COLUMN whole_properties",
    "DELETE FROM migration WHERE version > (SELECT max(version) - 5 FROM migration)",
  ]);

  const server = await startServer({ data });
  const filter = JSON.stringify([{ key: "$os", value: "iOS" }]);
  const found = await server.get(`/persons/?properties=${encodeURIComponent(filter)}`);
  expect(found).toMatchObject({ count: 1, results: [{ distinct_ids: ["bobby", "bob"] }] });
  expect(await everything(server)).toEqual(before);
  expect(await server.stop()).toBe(0);

  await expectMirrored(data, before);
});

/** Changes the event store of a server that has stopped. */
async function inEventStore(data: string, statements: readonly string[]): Promise<void> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(join(data, "events", "1.duckdb"));
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}
