import { expect, test } from "bun:test";
import { personUuid } from "../../../src/core/identity/person.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { attributesOf, logsBody } from "../../support/data/logs.ts";
import { type TestProject, testApp } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

const person = (app: TestProject) => `${app.api}/persons/${personUuid(app.id, "ann")}/`;

/** Queues the deletion of the events of `ann`, and returns the path of that deletion. */
async function queued(app: TestProject): Promise<string> {
  await app.capture(batch(event()));
  await app.ask("POST", `${person(app)}delete_events/`);
  const { body } = await app.get("/persons/deletion_status/");
  return `/persons/deletions/${(body as { results: { id: number }[] }).results[0]?.id}/`;
}

test("a receipt has the state of a deletion, and its counts once it is done", async () => {
  await using app = await testApp();
  const path = await queued(app);
  expect((await app.get(path)).body).toMatchObject({
    ...{ project_id: 1, person_uuid: personUuid(1, "ann"), kind: "nightly", state: "queued" },
    ...{ attempts: 0, error: null, counts: null, places: null, finished_at: null },
    requested_by_email: expect.stringContaining("@"),
  });

  await app.app.deletionRuns.run();
  const { body } = await app.get(path);
  expect(body).toMatchObject({ state: "done", counts: { events: 1 }, places: { count: 0 } });
  const { id } = body as { id: number };
  expect(body).toEqual({ ...(await app.app.deletionDesk.receipt(id)) });

  expect(await app.ask("POST", `${app.api}${path}cancel/`)).toMatchObject({ status: 404 });
  expect((await app.get(path)).body).toMatchObject({ state: "done" });
});

test("a deletion that waits is cancelled once, and then deletes nothing", async () => {
  await using app = await testApp();
  const path = await queued(app);

  const cancelled = await app.ask("POST", `${app.api}${path}cancel/`);
  expect(cancelled).toMatchObject({ status: 200, body: { state: "cancelled" } });
  expect(await app.ask("POST", `${app.api}${path}cancel/`)).toMatchObject({ status: 404 });
  await app.app.deletionRuns.run();
  expect((await app.get("/events/")).body).toMatchObject({ count: 1 });
  const counts = ["pending", "completed", "failed", "cancelled", "all"].map(async (status) => {
    const { body } = await app.get(`/persons/deletion_status/?status=${status}`);
    return (body as { count: number }).count;
  });
  expect(await Promise.all(counts)).toEqual([0, 0, 0, 1, 1]);
});

test("a deletion of another project is not found, and stays", async () => {
  const [own, other] = [await newProject(), await newProject()];
  const path = await queued(own);

  expect(await other.get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await other.ask("POST", `${other.api}${path}cancel/`)).toMatchObject({ status: 404 });
  expect((await own.get(path)).body).toMatchObject({ state: "queued" });
  for (const id of ["x", "1.5", "-1"]) {
    const refused = await own.get(`/persons/deletions/${id}/`);
    expect(refused).toMatchObject({ status: 400, body: { attr: "deletion_id" } });
  }
});

test("a preview counts what a deletion then removes, and names what stays", async () => {
  await using app = await testApp();
  const email = "ann@shop.example";
  await app.capture(
    batch(
      event({ properties: { $set: { email } } }),
      event({ distinct_id: "new" }),
      event({ event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } }),
      event({ distinct_id: "bob" }),
      event({ event: "" }),
    ),
  );
  const records = ["ann", "bob"].map((id) => ({
    body: { stringValue: "seen" },
    attributes: attributesOf({ posthogDistinctId: id }),
  }));
  const log = logsBody(records, { attributes: attributesOf({ "service.name": "web" }) });
  await app.ask("POST", `/i/v1/logs/?token=${PROJECT_KEY}`, { body: log, key: null });
  await app.app.ingest.caughtUp();
  const playlists = `${app.api}/session_recording_playlists/`;
  await app.ask("POST", playlists, { body: { name: `visits of ${email}` } });

  const { body } = await app.ask("GET", `${person(app)}deletion_preview/`);
  expect(body).toEqual({
    ...{ events: 3, logs: 1, warnings: 1 },
    insights_naming: {
      count: 1,
      results: [{ kind: "playlist", id: 1, short_id: expect.any(String) }],
    },
    runs_at: {
      weekly: "2026-11-22T05:00:00.000000Z",
      nightly: expect.stringMatching(/^2026-11-22T/),
    },
  });

  await app.ask("POST", `${person(app)}delete_events/`);
  await app.app.deletionRuns.run();
  const { events, logs, warnings } = body as Record<string, number>;
  expect((await app.app.deletionDesk.receipt(1)).counts).toMatchObject({ events, logs, warnings });
  expect((await app.ask("GET", `${person(app)}deletion_preview/`)).body).toMatchObject({
    ...{ events: 0, logs: 0, warnings: 0 },
  });
  const absent = `${app.api}/persons/${personUuid(1, "nobody")}/deletion_preview/`;
  for (const path of [absent, `${app.api}/persons/deletion_preview/?distinct_id=nobody`]) {
    const answer = await app.ask("GET", path);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain("and no event or log record names it");
  }
});
