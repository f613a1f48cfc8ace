import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { batch, event } from "../../support/data/build-records.ts";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";

test.each([
  ["the event store", undefined],
  ["the event store", "{"],
  ["nothing else", undefined],
])("an archive that lost its marker and %s has all events again (%p)", async (lost, text) => {
  using place = temporaryDirectory();
  {
    await using app = await testApp({ data: place.path });
    await app.capture(batch(event({ distinct_id: "ann" }), event({ distinct_id: "bob" })));
    // A deletion has all that is stored archived, and the journal emptied.
    const { body } = await app.get("/persons/?distinct_id=bob");
    const [bob] = (body as { results: { id: number }[] }).results;
    await app.ask("POST", `/api/environments/1/persons/${bob?.id}/delete_events/`);
    await app.app.deletionRuns.run();
  }
  if (lost === "the event store") rmSync(join(place.path, "events"), { recursive: true });
  const marker = join(place.path, "archive", "archive.json");
  rmSync(marker);
  if (text !== undefined) writeFileSync(marker, text);

  await using app = await testApp({ data: place.path });
  await app.app.ingest.caughtUp();

  const { body } = await app.get("/events/");
  expect(body).toMatchObject({ count: 1, results: [{ distinct_id: "ann" }] });
  expect((await app.capture(batch(event({ distinct_id: "ann" })))).status).toBe(200);
  expect((await app.get("/events/")).body).toMatchObject({ count: 2 });
});
