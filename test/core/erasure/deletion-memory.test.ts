import { expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { findPlanted } from "../../support/disk/bytes-on-disk.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { rounds } from "../../support/start/rounds.ts";

/** Takes all the memory that there is: a list does not go to the disk. */
const GREEDY = `SELECT mode(concat(properties::VARCHAR, uuid)), mode(concat(uuid, properties::VARCHAR)),
  count(DISTINCT concat(uuid, properties::VARCHAR)) FROM events`;

async function fill(app: TestApp, count: number): Promise<void> {
  for (let from = 0; from < count; from += 8192) {
    const events = Array.from({ length: Math.min(8192, count - from) }, (_, at) => {
      const text = Bun.hash(String(from + at))
        .toString(36)
        .repeat(40);
      return event({ distinct_id: `user-${(from + at) % 97}`, properties: { text } });
    });
    await app.ask("POST", "/batch/", { body: batch(...events), key: null });
  }
  await app.app.ingest.caughtUp();
}

async function remove(app: TestApp, id: string): Promise<void> {
  const { body } = await app.get(`/persons/?distinct_id=${id}`);
  const [person] = (body as { results: { id: number }[] }).results;
  const path = `/api/environments/1/persons/${person?.id}/delete_events/`;
  expect((await app.ask("POST", path)).status).toBe(200);
}

test("deletions run next to statements that take all memory, or wait and say why", async () => {
  await using app = await testApp({ flags: { "--memory": "128" } });
  await fill(app, rounds(4000, 30_000));
  const planted = `planted-${crypto.randomUUID()}`;
  await app.capture(batch(event({ distinct_id: "gone", properties: { planted } })));
  let isOver = false;
  const greedy = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const body = { query: { kind: "HogQLQuery", query: GREEDY } };
      await app.ask("POST", "/api/environments/1/query/", { body });
      // A refusal comes at once: without a pause nothing else would have its turn.
      await Bun.sleep(1);
    }
  });
  await remove(app, "gone");
  const outcome = await app.app.deletionRuns.run().catch((error: unknown) => error);
  if (outcome instanceof Error) {
    expect(outcome).toMatchObject({ code: "unavailable" });
    expect(outcome.message).toMatch(/^(memory|statements|temporary_files): /);
    const task = { state: "queued", attempts: 0, error: outcome.message };
    expect(await app.app.deletionDesk.receipt(1)).toMatchObject(task);
  }
  isOver = true;
  await Promise.all(greedy);

  await app.app.deletionRuns.run();

  expect(await app.app.deletionDesk.receipt(1)).toMatchObject({ state: "done" });
  expect(await findPlanted(app.directory, [planted])).toEqual({});
});
