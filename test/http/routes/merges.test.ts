import { expect, test } from "bun:test";
import { personUuid } from "../../../src/core/identity/person.ts";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

type Merge = {
  at: string | null;
  event_uuid: string;
  source: { uuid: string; name: string; distinct_ids: string[] };
  undoable: boolean;
  distinct_ids_to_split: string[];
  preview: { gives_back: string[]; events: number };
};

const of = (app: TestProject, name: string) => `${app.api}/persons/${personUuid(app.id, name)}/`;

async function mergesOf(app: TestProject, name = "ann"): Promise<Merge[]> {
  const { status, body } = await app.ask("GET", `${of(app, name)}merges/`);
  expect(status).toBe(200);
  return body as Merge[];
}

const alias = (from: string, into: string, fields = {}) =>
  event({ event: "$create_alias", distinct_id: from, properties: { alias: into }, ...fields });

const set = (distinct_id: string, $set: object) => event({ distinct_id, properties: { $set } });

test("merges are listed newest first, each with its source and the effect of undoing it", async () => {
  const app = await newProject();
  const merge = alias("anon", "ann", { timestamp: "2026-11-20T00:00:00Z" });
  await app.capture(batch(set("ann", { plan: "pro" }), set("anon", { ref: "ad", plan: "free" })));
  await app.capture(batch(merge, event({ distinct_id: "anon" })));
  await app.capture(batch(event({ distinct_id: "phone" }), alias("phone", "ann")));

  const [second, first] = await mergesOf(app);
  expect(first).toEqual({
    id: expect.any(Number),
    at: "2026-11-20T00:00:00.000000Z",
    by: { first_name: "System", email: null, is_system: true },
    event_uuid: merge.uuid,
    source: { uuid: personUuid(app.id, "anon"), name: "anon", distinct_ids: ["anon"] },
    undoable: true,
    distinct_ids_to_split: ["anon"],
    preview: { gives_back: ["ref"], events: 3 },
  } as never);
  expect(second).toMatchObject({ source: { distinct_ids: ["phone"] }, preview: { events: 2 } });
  expect(await mergesOf(app, "ann")).toHaveLength(2);
});

test("a split by the ids of a merge undoes it alone, with the effect that the list showed", async () => {
  const app = await newProject();
  await app.capture(
    batch(set("ann", { plan: "pro" }), set("a", { ref: "ad" }), set("b", { n: 1 })),
  );
  await app.capture(batch(alias("b", "a")));
  await app.capture(batch(alias("a", "ann")));
  const merges = await mergesOf(app);
  expect(merges.map(({ source }) => source.distinct_ids)).toEqual([["a", "b"], ["b"]]);

  const [outer] = merges;
  const { distinct_ids_to_split } = outer as Merge;
  const split = await app.ask("POST", `${of(app, "ann")}split/`, {
    body: { distinct_ids_to_split },
  });
  expect(split.status).toBe(201);

  const read = async (name: string) => (await app.ask("GET", of(app, name))).body;
  expect(await read("ann")).toMatchObject({ distinct_ids: ["ann"], properties: { plan: "pro" } });
  expect(await read("a")).toMatchObject({
    distinct_ids: ["a", "b"],
    properties: { ref: "ad", n: 1 },
  });
  expect(outer?.preview.gives_back.toSorted()).toEqual(["n", "ref"]);
  const events = await app.get(`/events/?person_id=${personUuid(app.id, "a")}`);
  expect(events.body).toMatchObject({ count: outer?.preview.events });
  expect(await mergesOf(app)).toEqual([]);
  expect(await mergesOf(app, "a")).toHaveLength(1);
});

test("the list of a person without merges is empty, and an unknown person is not found", async () => {
  const app = await newProject();
  await app.capture(batch(event()));

  expect(await mergesOf(app)).toEqual([]);
  expect(await app.ask("GET", `${of(app, "nobody")}merges/`)).toMatchObject({ status: 404 });
  expect(await app.get("/persons/x/merges/")).toMatchObject({ status: 400 });
});
