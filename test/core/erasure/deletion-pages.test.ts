import { expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { findPlanted } from "../../support/disk/bytes-on-disk.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { rounds } from "../../support/start/rounds.ts";

const PERSONS = "/api/environments/1/persons";

const token = () => `planted-${crypto.randomUUID()}`;

/** Persons whose properties grow by turns, so that pages split where somebody else's rows are. */
const PERSONS_COUNT = rounds(45, 90);
const ROUNDS = rounds(3, 4);

/** Every third of them is deleted, and some are changed by users, too. */
const isGone = (at: number) => at % 3 === 1;
const isPatched = (at: number) => at % 5 < 2;

type Planted = { at: number; id: string; texts: string[] };

async function plant(app: TestApp): Promise<Planted[]> {
  const persons = Array.from({ length: PERSONS_COUNT }, (_, at): Planted => {
    return { at, id: `id-${at}`, texts: [] };
  });
  const planted = ({ texts }: Planted) => {
    texts.push(token());
    return texts.at(-1) ?? "";
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const events = persons.map((person) => {
      const email = `${planted(person)}@x.y`;
      const pad = "x".repeat(Math.random() * 60);
      const $set = { email, pad, [`round_${round}`]: planted(person) };
      return event({ distinct_id: person.id, properties: { $set } });
    });
    const mixed = events.toSorted(() => Math.random() - 0.5);
    for (let from = 0; from < mixed.length; from += 30) {
      await app.capture(batch(...mixed.slice(from, from + 30)));
    }
  }
  const aliases = persons.map((person) => {
    const properties = { alias: person.id };
    return event({ event: "$create_alias", distinct_id: planted(person), properties });
  });
  await app.capture(batch(...aliases));
  for (const person of persons.filter(({ at }) => isPatched(at))) {
    const path = `${PERSONS}/${await numberOf(app, person.id)}/update_property/`;
    for (let change = 0; change < 4; change += 1) {
      const body = { key: `patched_${change % 2}`, value: planted(person) };
      expect((await app.ask("POST", path, { body })).status).toBeLessThan(300);
    }
  }
  return persons;
}

async function numberOf(app: TestApp, id: string): Promise<number> {
  const { body } = await app.get(`/persons/?distinct_id=${id}`);
  return (body as { results: { id: number }[] }).results[0]?.id ?? 0;
}

/** Which texts are in the files of the person store. */
async function inPersons(app: TestApp, texts: readonly string[]): Promise<Set<string>> {
  const found = await findPlanted(app.directory, texts);
  const inside = Object.entries(found).filter(([file]) => file.startsWith("hoglet.sqlite"));
  return new Set(inside.flatMap(([, some]) => some));
}

test("nothing of persons who grew and changed is left, in the person store or anywhere else, and the others are", async () => {
  await using app = await testApp();
  const persons = await plant(app);
  const texts = persons.filter(({ at }) => isGone(at)).flatMap((person) => person.texts);
  expect(texts.length).toBeGreaterThanOrEqual(100);
  expect((await inPersons(app, texts)).size).toBeGreaterThanOrEqual(0.8 * texts.length);
  for (const { id, at } of persons) {
    if (!isGone(at)) continue;
    const path = `${PERSONS}/${await numberOf(app, id)}/?delete_events=true`;
    expect((await app.ask("DELETE", path)).status).toBe(204);
  }

  expect(await app.app.deletionRuns.run()).toEqual({ done: PERSONS_COUNT / 3 });

  expect(await findPlanted(app.directory, texts)).toEqual({});
  for (const { id, at, texts: planted } of persons) {
    const { body } = await app.get(`/persons/?distinct_id=${id}`);
    expect(body).toMatchObject({ count: isGone(at) ? 0 : 1 });
    // What is searched for is still found.
    const last = planted.findLast((text) => JSON.stringify(body).includes(`${text}@x.y`));
    if (!isGone(at))
      expect((await app.get(`/persons/?search=${last}`)).body).toMatchObject({ count: 1 });
  }
});

test("a person forgets the distinct ids that were split off, also after many splits", async () => {
  await using app = await testApp();
  const [one, two] = [token(), token()];
  const set = { properties: { $set: { a: 1 } } };
  const into = (distinct_id: string, alias: string) =>
    event({ event: "$merge_dangerously", distinct_id, properties: { alias } });
  const split = async (id: string) => {
    const path = `${PERSONS}/${await numberOf(app, id)}/split/`;
    expect((await app.ask("POST", path, { body: { main_distinct_id: id } })).status).toBe(201);
    await app.app.ingest.caughtUp();
  };
  await app.capture(
    batch(...["ann", one, two].map((distinct_id) => event({ distinct_id, ...set }))),
  );
  await app.capture(batch(into(one, two), into("ann", one)));
  await split("ann");
  await app.capture(batch(event({ distinct_id: "bob", ...set }), into("bob", two)));
  await split("bob");
  for (const id of [one, two]) {
    const path = `${PERSONS}/${await numberOf(app, id)}/`;
    expect((await app.ask("DELETE", path)).status).toBe(204);
  }

  await app.app.deletionRuns.run();

  // What they sent is kept, and so is who merged them.
  expect([...(await inPersons(app, [one, two]))]).toEqual([]);
});
