import { expect, test } from "bun:test";
import { PLACES_MAX } from "../../../src/core/erasure/deletion.ts";
import { mentionReads } from "../../../src/stores/sqlite/mentions.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { openPersonStore } from "../../support/answers/sqlite.ts";
import { batch } from "../../support/data/build-records.ts";
import { named, newest, remove, removeEvents } from "../../support/data/deletions.ts";
import { testApp } from "../../support/start/app.ts";

test("a receipt lists the records that contain an id or the e-mail address, without a text", async () => {
  await using app = await testApp();
  const $set = { email: "Ann@x.y" };
  await app.capture(batch(named("one", "ann", { properties: { $set } }), named("two", "bob")));
  const filter = { key: "email", value: ["x", 'an "ann@x.y"'], operator: "exact" };
  const series = [{ kind: "EventsNode", event: "one", properties: [filter] }];
  const made: { id: number; short_id: string }[] = [];
  const playlist = async (body: object) => {
    const sent = await app.ask("POST", `${app.api}/session_recording_playlists/`, { body });
    made.push(sent.body as { id: number; short_id: string });
  };
  await playlist({ name: "Visits of ann" });
  await playlist({ name: "of Annabel" });
  await playlist({ name: "", filters: { properties: [filter] } });
  const insight = (short_id: string, name: string, query: object, deleted = 0) => {
    using sqlite = openPersonStore(app.directory);
    sqlite.run(
      `INSERT INTO insight (project_id, short_id, name, query, deleted, created_at, created_by, last_modified_by)
       VALUES (1, ?, ?, ?, ?, '', 1, 1)`,
      [short_id, name, JSON.stringify(query), deleted],
    );
  };
  insight("named", "purchases of ANN", {});
  insight("asked", "", { kind: "TrendsQuery", series });
  insight("hidden", "ann", {}, 1);
  insight("other", "purchases of bob", { n: 1 });
  await app.ask("POST", `${app.api}/annotations/`, { body: { content: "ann bought" } });
  await app.ask("POST", `${app.api}/annotations/`, { body: { content: "Annabel bought" } });
  for (const body of [
    { name: "of ann" },
    { name: "sales", tiles: [{ text: { body: "x" } }, { text: { body: "ask Ann@x.y" } }] },
    { name: "filtered", filters: { properties: [filter] } },
    { name: "of bobby" },
  ]) {
    await app.ask("POST", `${app.api}/dashboards/`, { body });
  }
  await remove(app, "ann");
  await removeEvents(app, "bob");

  expect(await app.app.deletionRuns.run()).toEqual({ done: 2 });

  const [first, , third] = made;
  expect((await app.app.deletionDesk.receipt(1)).places).toEqual({
    count: 8,
    results: [
      { kind: "annotation", id: 1 },
      { kind: "dashboard", id: 3 },
      { kind: "dashboard", id: 2 },
      { kind: "dashboard", id: 1 },
      { kind: "insight", id: 2, short_id: "asked" },
      { kind: "insight", id: 1, short_id: "named" },
      { kind: "playlist", id: third?.id ?? 0, short_id: third?.short_id ?? "" },
      { kind: "playlist", id: first?.id ?? 0, short_id: first?.short_id ?? "" },
    ],
  });
  expect((await app.app.deletionDesk.receipt(2)).places).toMatchObject({
    results: [{ short_id: "other" }],
  });
  expect(JSON.stringify(await app.app.deletionDesk.list("all"))).not.toContain("x.y");
  expect(await newest(app)).not.toHaveProperty("places");
  using sqlite = openPersonStore(app.directory);
  expect(sqlite.query("SELECT DISTINCT email FROM deletion_task").all()).toEqual([{ email: null }]);
});

test("all places are counted and the first are listed; damaged JSON is searched as text", () => {
  const sqlite = openSqlite(":memory:");
  const { raw } = sqlite;
  raw.run(`INSERT INTO project (uuid, name, api_token, created_at) VALUES ('', '', '', '')`);
  raw.run(`INSERT INTO user (uuid, distinct_id, email, created_at) VALUES ('', '', '', '')`);
  const insert = raw.query(
    `INSERT INTO insight (project_id, short_id, name, query, created_at, created_by)
     VALUES (1, ?1, '', '{"damaged": "ann', '', 1)`,
  );
  for (let at = 0; at < PLACES_MAX + 5; at++) insert.run(String(at));
  const task = { id: 7, project_id: 1, distinct_ids: ["ann"], email: "a".repeat(1000) };

  const places = mentionReads(sqlite)([task, { ...task, id: 8, project_id: 2 }]);

  expect(places.get(7)).toMatchObject({ count: PLACES_MAX + 5 });
  expect(places.get(7)?.results).toHaveLength(PLACES_MAX);
  expect(places.get(8)).toEqual({ count: 0, results: [] });
  sqlite.close();
});
