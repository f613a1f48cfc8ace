import { describe, expect, test } from "bun:test";
import type { Person } from "../../../src/core/identity/person.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { projected } from "../../support/disk/project-contents.ts";
import { type TestProject, temporaryDirectory, testApp } from "../../support/start/app.ts";
import { rounds } from "../../support/start/rounds.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

type List<T> = { count: number; results: T[] };

async function persons(app: TestProject): Promise<Person[]> {
  const { results } = (await app.get("/persons/?limit=1000")).body as List<Person>;
  return results.toSorted((a, b) => a.id - b.id);
}

async function personOf(app: TestProject, id: string): Promise<Person> {
  const { body } = await app.get(`/persons/?distinct_id=${id}`);
  return (body as List<Person>).results[0] as Person;
}

async function eventsOf(app: TestProject, { uuid }: Person): Promise<string[]> {
  const { body } = await app.get(`/events/?person_id=${uuid}`);
  return (body as List<{ event: string }>).results.map((row) => row.event).toSorted();
}

const of = (distinct_id: string, name: string, properties: object = {}) =>
  event({ distinct_id, event: name, properties });
const alias = (from: string, to: string) => of(from, `$create_alias`, { alias: to });
/** Splits a person, by default off all that was merged into the owner of its first id. */
const split = (
  app: TestProject,
  { id, distinct_ids }: Person,
  body: object = { main_distinct_id: distinct_ids[0] },
) => app.ask("POST", `${app.api}/persons/${id}/split/`, { body });

describe("splitting a person", () => {
  test("brings a merged person back, both as they were before, with the events of their ids", async () => {
    const app = await newProject();
    await app.capture(batch(of("anon", "early", { $set: { plan: "free", ref: "ad" } })));
    await app.capture(batch(of("user", "signed up", { $set: { plan: "pro" } })));
    const before = await persons(app);
    await app.capture(batch(alias("anon", "user"), of("anon", "late"), of("user", "later")));
    const merged = await personOf(app, "user");

    const answered = await split(app, merged);

    expect(answered).toMatchObject({ status: 201, body: { success: true } });
    expect(await persons(app)).toEqual(before);
    const [anon, user] = [await personOf(app, "anon"), await personOf(app, "user")];
    expect(await eventsOf(app, anon)).toEqual(["$create_alias", "early", "late"]);
    expect(await eventsOf(app, user)).toEqual(["later", "signed up"]);
    await app.capture(batch(of("anon", "after", { $set: { n: 1 } })));
    expect((await personOf(app, "anon")).properties).toEqual({ plan: "free", ref: "ad", n: 1 });
    expect(await eventsOf(app, user)).toEqual(["later", "signed up"]);
  });

  test("keeps changes since the merge", async () => {
    const app = await newProject();
    await app.capture(batch(of("anon", "early", { $set: { ref: "ad", tone: "x" } })));
    await app.capture(batch(of("user", "seen"), alias("anon", "user")));
    await app.capture(batch(of("user", "changed", { $set: { ref: "mail" } })));

    await split(app, await personOf(app, "user"));

    expect((await personOf(app, "user")).properties).toEqual({ ref: "mail" });
    expect((await personOf(app, "anon")).properties).toEqual({ ref: "ad", tone: "x" });
  });

  test("keeps properties that a user has set since the merge, also to the same value", async () => {
    const app = await newProject();
    const early = { ref: "ad", tone: "x", size: 1 };
    await app.capture(batch(of("first", "early", { $set: early }), of("anon", "seen")));
    await app.capture(batch(of("user", "seen"), alias("first", "anon"), alias("anon", "user")));
    const { id } = await personOf(app, "user");
    const path = `${app.api}/persons/${id}/`;
    await app.ask("PATCH", path, { body: { properties: { ref: "ad" } } });
    await app.ask("POST", `${path}update_property/`, { body: { key: "size", value: 1 } });

    await split(app, await personOf(app, "user"));

    expect((await personOf(app, "user")).properties).toEqual({ ref: "ad", size: 1 });
    expect((await personOf(app, "first")).properties).toEqual(early);
  });

  test("undoes a chain, also when its links are in one batch", async () => {
    const app = await newProject();
    const ids = ["a", "b", "c", "d"];
    await app.capture(batch(...ids.map((id) => of(id, `of ${id}`, { $set: { [id]: id } }))));
    const before = await persons(app);
    await app.capture(batch(alias("a", "b"), alias("b", "c")));
    await app.capture(batch(alias("c", "d")));
    const [one] = await persons(app);
    expect(Object.keys(one?.properties ?? {})).toHaveLength(4);

    await split(app, one as Person);

    expect(await persons(app)).toEqual(before);
    for (const id of ids) {
      expect(await eventsOf(app, await personOf(app, id))).toContain(`of ${id}`);
    }
  });

  test("leaves who is not named: by main_distinct_id or distinct_ids_to_split", async () => {
    const app = await newProject();
    const ids = ["a", "b", "c", "hub"];
    await app.capture(batch(...ids.map((id) => of(id, `of ${id}`, { $set: { [id]: id } }))));
    await app.capture(batch(...["a", "b", "c"].map((id) => alias(id, "hub"))));

    const listed = await split(app, await personOf(app, "hub"), { distinct_ids_to_split: ["b"] });
    expect(listed.status).toBe(201);
    expect((await personOf(app, "hub")).properties).toEqual({ hub: "hub", a: "a", c: "c" });
    expect((await personOf(app, "b")).properties).toEqual({ b: "b" });

    await split(app, await personOf(app, "hub"), { main_distinct_id: "a" });
    expect((await personOf(app, "a")).distinct_ids).toEqual(["hub", "a"]);
    expect((await personOf(app, "c")).distinct_ids).toEqual(["c"]);
  });

  test("brings a person back with its own merged persons, which can be split later", async () => {
    const app = await newProject();
    const ids = ["c1", "c2", "c3"];
    await app.capture(batch(...ids.map((id, n) => of(id, `of ${id}`, { $set: { [id]: 1, n } }))));
    const before = await persons(app);
    await app.capture(batch(alias("c1", "c2"), alias("c2", "c3")));

    await split(app, await personOf(app, "c3"), { distinct_ids_to_split: ["c2"] });

    const c2 = await personOf(app, "c1");
    expect(c2).toMatchObject({ distinct_ids: ["c2", "c1"], properties: { c1: 1, c2: 1, n: 1 } });
    expect(await personOf(app, "c3")).toEqual(before[2] as Person);
    await split(app, c2);
    expect(await persons(app)).toEqual(before);
    for (const id of ids) {
      expect(await eventsOf(app, await personOf(app, id))).toContain(`of ${id}`);
    }
  });

  test("leaves nothing of an earlier split with a person that is split later", async () => {
    const app = await newProject();
    const ids = ["inner", "between", "outer"];
    await app.capture(batch(...ids.map((id) => of(id, "seen", { $set: { [id]: 1 } }))));
    const before = await persons(app);
    await app.capture(batch(alias("inner", "between")));
    await app.capture(batch(alias("between", "outer")));

    await split(app, await personOf(app, "outer"), { distinct_ids_to_split: ["inner"] });
    expect((await personOf(app, "outer")).properties).toEqual({ outer: 1, between: 1 });
    await split(app, await personOf(app, "outer"));

    expect(await persons(app)).toEqual(before);
  });

  test("undoes a chain of thousands of merges", async () => {
    const app = await newProject();
    const count = rounds(2000, 10_000);
    const ids = Array.from({ length: count }, (_, n) => `p${n}`);
    await app.capture(batch(...ids.map((id) => of(id, "seen", { $set: { own: id } }))));
    await app.capture(batch(...ids.slice(1).map((id, n) => alias(`p${n}`, id))));
    const [one] = await persons(app);

    expect((await split(app, one as Person)).status).toBe(201);

    expect((await app.get("/persons/?limit=1")).body).toMatchObject({ count });
    for (const id of ["p0", `p${count / 2}`, `p${count - 1}`]) {
      const person = await personOf(app, id);
      expect(person).toMatchObject({ distinct_ids: [id], properties: { own: id } });
      expect(await eventsOf(app, person)).toContain("seen");
    }
  });

  test("also splits off an anonymous id that never had a person", async () => {
    const app = await newProject();
    await app.capture(batch(of("device", "early", { $process_person_profile: false })));
    await app.capture(batch(of("user", "$identify", { $anon_distinct_id: "device" })));

    expect((await split(app, await personOf(app, "user"))).status).toBe(201);

    expect(await eventsOf(app, await personOf(app, "device"))).toEqual(["early"]);
    expect((await personOf(app, "user")).distinct_ids).toEqual(["user"]);
  });

  test("of a person without merges is refused", async () => {
    const app = await newProject();
    await app.capture(batch(of("user", "seen")));
    const refused = await split(app, await personOf(app, "user"));
    const body = { code: "invalid_input", attr: "main_distinct_id" };
    expect(refused).toMatchObject({ status: 400, body });
  });

  test("brings a person back whole if one of its ids is named", async () => {
    const app = await newProject();
    await app.capture(batch(of("a", "$identify", { $anon_distinct_id: "a-device" })));
    await app.capture(batch(of("hub", "seen"), alias("a", "hub")));

    await split(app, await personOf(app, "hub"), { distinct_ids_to_split: ["a-device"] });

    expect((await personOf(app, "a")).distinct_ids).toEqual(["a", "a-device"]);
    expect((await personOf(app, "hub")).distinct_ids).toEqual(["hub"]);
  });

  test("gives an anonymous id that was attached a person of its own", async () => {
    const app = await newProject();
    const anonymous = { $process_person_profile: false };
    await app.capture(batch(of("device", "early", anonymous)));
    await app.capture(batch(of("user", "$identify", { $anon_distinct_id: "device" })));
    await app.capture(batch(of("device", "late", anonymous)));

    await split(app, await personOf(app, "user"), { distinct_ids_to_split: ["device"] });

    expect(await eventsOf(app, await personOf(app, "device"))).toEqual(["early", "late"]);
    expect(await eventsOf(app, await personOf(app, "user"))).toEqual(["$identify"]);
  });

  test.each([
    [{ main_distinct_id: "nobody" }, "main_distinct_id"],
    [{ distinct_ids_to_split: ["nobody"] }, "distinct_ids_to_split"],
    [{ distinct_ids_to_split: ["user", "device"] }, "distinct_ids_to_split"],
    [{ distinct_ids_to_split: ["user"] }, "distinct_ids_to_split"],
    [{ distinct_ids_to_split: ["device"], main_distinct_id: "user" }, "main_distinct_id"],
    [{ distinct_ids_to_split: [] }, "distinct_ids_to_split"],
    [{ main_distinct_id: "device" }, "main_distinct_id"],
    [{ distinct_ids_to_split: "user" }, "distinct_ids_to_split"],
    [{}, "distinct_ids_to_split"],
  ])("with %p is refused and changes nothing", async (body, attr) => {
    const app = await newProject();
    await app.capture(batch(of("user", "$identify", { $anon_distinct_id: "device" })));
    const before = await persons(app);

    const refused = await split(app, before[0] as Person, body);

    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_input", attr } });
    expect(await persons(app)).toEqual(before);
  });

  test("can be followed by the same merge again", async () => {
    const app = await newProject();
    await app.capture(batch(of("anon", "early"), of("user", "seen"), alias("anon", "user")));
    await split(app, await personOf(app, "user"));
    await app.capture(batch(alias("anon", "user")));

    expect(await persons(app)).toHaveLength(1);
    const all = ["$create_alias", "$create_alias", "early", "seen"];
    expect(await eventsOf(app, await personOf(app, "anon"))).toEqual(all);
  });

  test("reaches the event store's copy of persons", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    {
      await using app = await testApp({ data });
      await app.capture(batch(of("anon", "early"), of("user", "seen"), alias("anon", "user")));
      await split(app, await personOf(app, "user"));
    }

    const ids = (await projected(data)).map(({ distinct_ids }) => distinct_ids);
    expect(ids.toSorted()).toEqual([["anon"], ["user"]]);
  });
});
