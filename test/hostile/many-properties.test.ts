import { expect, test } from "bun:test";
import { PROPERTIES_MAX } from "../../src/core/identity/property-limits.ts";
import { batch, event } from "../support/data/build-records.ts";
import type { TestProject } from "../support/start/app.ts";
import { rounds } from "../support/start/rounds.ts";
import { sharedApp } from "../support/start/shared-app.ts";

const newProject = sharedApp();

/** Persons, and groups, of each kind. */
const EACH = rounds(5, 20);

/** Changes of each of them, one property each. */
const CHANGES = 200;

const KINDS = {
  plain: { plan: "free" },
  large: { text: "x".repeat(400_000) },
  "of many properties": Object.fromEntries(
    Array.from({ length: PROPERTIES_MAX - 1 }, (_, at) => [`k${at}`, at]),
  ),
};

const person = (distinct_id: string, $set: object) =>
  event({ event: "$set", distinct_id, properties: { $set } });

const group = ($group_key: string, $group_set: object) =>
  event({
    event: "$groupidentify",
    distinct_id: `$company_${$group_key}`,
    properties: { $group_type: "company", $group_key, $group_set },
  });

/** The properties of one person and of one group. */
async function firstOf(app: TestProject) {
  const { body: persons } = await app.get("/persons/?limit=1");
  const { body: groups } = await app.get("/groups/?group_type_index=0&limit=1");
  const [person] = (persons as { results: { properties: object }[] }).results;
  const [group] = (groups as { results: { group_properties: object }[] }).results;
  return { person: person?.properties, group: group?.group_properties };
}

// Without its bound, each change costs 1 to 14 ms here.
test.each(Object.entries(KINDS))(
  "a change of a person or group that is %s costs no more than what it changes",
  async (_kind, properties) => {
    const app = await newProject();
    const names = Array.from({ length: EACH }, (_, at) => `n${at}`);
    for (const name of names) {
      await app.capture(batch(person(name, properties), group(name, properties)));
    }
    const changes = names.flatMap((name) =>
      Array.from({ length: CHANGES }, (_, n) => [person(name, { n }), group(name, { n })]).flat(),
    );
    await app.capture(batch(...changes));

    const expected = { ...properties, n: CHANGES - 1 };
    expect(await firstOf(app)).toEqual({ person: expected, group: expected });
  },
);

test("a person and a group keep their first 10,000 properties, with a warning", async () => {
  const app = await newProject();
  const full = KINDS["of many properties"];
  await app.capture(batch(person("ann", full), group("acme", full)));
  await app.capture(
    batch(person("ann", { k0: "new", a: 1, b: 2 }), group("acme", { k0: "new", a: 1, b: 2 })),
  );

  const { body } = await app.get("/ingestion_warnings/");
  const { results } = body as { results: { type: string; count: number }[] };
  const kept = { ...full, k0: "new", a: 1 };
  expect(await firstOf(app)).toEqual({ person: kept, group: kept });
  expect(results.map(({ type, count }) => [type, count]).sort()).toEqual([
    ["too_many_group_properties", 1],
    ["too_many_person_properties", 1],
  ]);
});
