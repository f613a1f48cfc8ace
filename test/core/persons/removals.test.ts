import { expect, test } from "bun:test";
import { DISTINCT_ID_CHARS_MAX } from "../../../src/core/events/event.ts";
import { personUuid } from "../../../src/core/identity/person.ts";
import { batch } from "../../support/data/build-records.ts";
import { named, namesOf, newest, personOf, token } from "../../support/data/deletions.ts";
import { attributesOf, logsBody } from "../../support/data/logs.ts";
import { findPlanted } from "../../support/disk/bytes-on-disk.ts";
import type { TestProject } from "../../support/start/app.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

const ANONYMOUS = { $process_person_profile: false };

const seen = (id: string, text: string, properties: object = ANONYMOUS) =>
  named("seen", id, { properties: { ...properties, text } });

async function sendLog(app: TestProject, id: string, text: string) {
  const record = { body: { stringValue: text }, attributes: attributesOf({ "user.id": id }) };
  const { key } = await app.app.projects.get(app.id).then(({ api_token }) => ({ key: api_token }));
  const log = logsBody([record], { attributes: attributesOf({ "service.name": "web" }) });
  await app.ask("POST", `/i/v1/logs/?token=${key}`, { body: log, key: null });
}

/** The id as it is stored. */
const stored = (id: string) => id.slice(0, DISTINCT_ID_CHARS_MAX);

/** Ways in which an id comes to have data and no person. */
const ORIGINS: [string, (app: TestProject, id: string, text: string) => Promise<unknown>][] = [
  ["an anonymous visitor", (app, id, text) => app.capture(batch(seen(id, text)))],
  [
    "a group's own event",
    async (app, id, text) => {
      const $group_key = id.replace(/^\$org_/, "");
      const group = named("$groupidentify", id, {
        properties: { $group_type: "org", $group_key, $group_set: {}, text },
      });
      await app.capture(batch(id.startsWith("$org_") ? group : seen(id, text)));
    },
  ],
  [
    "a person that was deleted without its events",
    async (app, id, text) => {
      await app.capture(batch(seen(id, text, {})));
      await app.ask("DELETE", `${app.api}/persons/${personUuid(app.id, stored(id))}/`);
    },
  ],
  [
    "an id that left with its merged person",
    async (app, id, text) => {
      await app.capture(batch(seen(id, text, {}), seen(`+${id}`, text, {})));
      await app.capture(
        batch(named("$merge_dangerously", `+${id}`, { properties: { alias: id } })),
      );
      const { uuid } = await personOf(app, encodeURIComponent(stored(id)));
      await app.ask("DELETE", `${app.api}/persons/${uuid}/`);
    },
  ],
  ["log records alone", (app, id, text) => sendLog(app, id, text)],
];

const IDS = [
  "anon-77",
  "a/b?c=d&e#f%20",
  `o'h"are"\\n; DROP TABLE events --`,
  "🦔 Zoë 你好\u0301",
  " 12345678901234567890123 ",
  "$org_acme",
  "x".repeat(260),
];

const ALL = IDS.flatMap((id) =>
  ORIGINS.map(([name, make]) => [id.slice(0, 30), name, id, make] as const),
);

test.each(
  casesOf(
    ALL.filter((_, at) => at % ORIGINS.length === Math.floor(at / ORIGINS.length) % ORIGINS.length),
    ALL,
  ),
)("data of %p go by its distinct id: %s", async (_id, name, id, make) => {
  const app = await newProject();
  const [gone, kept] = [token(), token()];
  await make(app, id, gone);
  await app.capture(batch(seen("stays", kept)));
  await app.app.ingest.caughtUp();
  const preview = await app.get(`/persons/deletion_preview/?distinct_id=${encodeURIComponent(id)}`);
  expect(preview.status).toBe(200);

  const asked = { distinct_ids: [id, id, "nobody"], delete_events: true };
  const { status, body } = await app.ask("POST", `${app.api}/persons/bulk_delete/`, {
    body: asked,
  });
  expect([status, body]).toMatchObject([
    202,
    { persons_found: 1, ids_not_found: 1, persons_deleted: 0, events_queued_for_deletion: 1 },
  ]);
  await app.app.deletionRuns.run();

  expect(await newest(app)).toMatchObject({ status: "completed", counts: countsIn(preview.body) });
  if (!name.includes("merged")) expect(await findPlanted(app.directory, [gone])).toEqual({});
  expect(await namesOf(app, encodeURIComponent(stored(id)))).toEqual([]);
  expect(await namesOf(app, "stays")).toEqual(["seen"]);
  const again = await app.ask("POST", `${app.api}/persons/bulk_delete/`, { body: asked });
  expect(again).toMatchObject({ status: 404, body: { code: "not_found" } });
});

const countsIn = (preview: unknown) => {
  const { events, logs, warnings } = preview as Record<string, number>;
  return { events, logs, warnings };
};

test.each<[string, (app: TestProject, uuid: string) => Promise<{ status: number }>, number]>([
  [
    "DELETE",
    (app, uuid) => app.ask("DELETE", `${app.api}/persons/${uuid}/?delete_events=true`),
    204,
  ],
  [
    "DELETE in capitals",
    (app, uuid) =>
      app.ask(
        "DELETE",
        `${app.api}/persons/${uuid.toUpperCase()}/?delete_events=1&keep_person=true`,
      ),
    204,
  ],
  [
    "delete_events",
    (app, uuid) => app.ask("POST", `${app.api}/persons/${uuid}/delete_events/`),
    200,
  ],
  [
    "bulk_delete",
    (app, uuid) =>
      app.ask("POST", `${app.api}/persons/bulk_delete/`, {
        body: { ids: [uuid, 7e9], delete_events: true },
      }),
    202,
  ],
])("data go by the person_id that their events have: %s", async (_name, ask, expected) => {
  const app = await newProject();
  const [gone, logged, kept] = [token(), token(), token()];
  await app.capture(batch(seen("anon", gone), seen("anon", gone), seen("other", kept)));
  await sendLog(app, "anon", logged);
  await app.app.ingest.caughtUp();
  const uuid = personUuid(app.id, "anon");
  const path = `/persons/${uuid}/deletion_preview/`;
  expect((await app.get(path)).body).toMatchObject({ events: 2, logs: 1, warnings: 0 });
  // Without its events there is nothing to delete, and the answer says how to ask.
  const alone = await app.ask("DELETE", `${app.api}/persons/${uuid}/`);
  expect(alone).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("delete_events") },
  });

  expect((await ask(app, uuid)).status).toBe(expected);
  const { body } = await app.get(`/persons/deletion_status/?person_uuid=${uuid}`);
  expect(body).toMatchObject({ count: 1, results: [{ status: "pending" }] });
  await app.capture(batch(seen("anon", "later")));
  await app.app.deletionRuns.run();

  expect(await newest(app)).toMatchObject({ counts: { events: 2, logs: 1 } });
  expect(await findPlanted(app.directory, [gone, logged])).toEqual({});
  expect(await namesOf(app, "anon")).toEqual(["seen"]);
  expect(await namesOf(app, "other")).toEqual(["seen"]);
});

test("an id that has become a person's stands for that person, and an id of another project for nothing", async () => {
  const [app, other] = [await newProject(), await newProject()];
  await app.capture(
    batch(
      seen("anon", "before"),
      named("$identify", "ann", { properties: { $anon_distinct_id: "anon" } }),
    ),
  );
  const { uuid } = await personOf(app, "ann");
  const bulk = (of: TestProject, body: object) =>
    of.ask("POST", `${of.api}/persons/bulk_delete/`, { body });
  const old = personUuid(app.id, "anon");
  if (old !== uuid) expect((await bulk(app, { ids: [old], delete_events: true })).status).toBe(404);
  expect((await bulk(other, { distinct_ids: ["anon"], delete_events: true })).status).toBe(404);
  expect((await bulk(other, { ids: [uuid], delete_events: true })).status).toBe(404);
  expect(
    (await bulk(app, { distinct_ids: ["anon", "ann"], delete_events: true })).body,
  ).toMatchObject({
    ...{ persons_found: 1, persons_deleted: 1, events_queued_for_deletion: 1, ids_not_found: 0 },
  });
  await app.app.deletionRuns.run();
  expect([await namesOf(app, "anon"), await namesOf(app, "ann")]).toEqual([[], []]);
});
