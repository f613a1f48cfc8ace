import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { caughtUp } from "../support/answers/prometheus.ts";
import { type Ask, asker, type Told } from "../support/answers/requests.ts";
import { openPersonStore } from "../support/answers/sqlite.ts";
import { batch, event } from "../support/data/build-records.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { rounds, seedOf } from "../support/start/rounds.ts";
import { type Server, startServer } from "../support/start/server.ts";

type Person = { id: number; uuid: string; distinct_ids: string[]; properties: object };
type Page<T> = { count: number; results: T[] };
type Change = {
  user: { is_system: boolean };
  detail: { changes: { before: Record<string, unknown>; after: Record<string, unknown> }[] };
};

const PERSONS = "/api/environments/1/persons/";
const PLAYLISTS = "/api/environments/1/session_recording_playlists/";
const KEYS = "/api/personal_api_keys/";
const SEED = seedOf(20_261_122);
const TIMES = Array.from({ length: rounds(20, 40) }, (_, n) => n);

const random = randomOf(SEED);
const own = temporaryDirectory();
let server: Server;
let ask: Ask;

beforeAll(async () => {
  server = await startServer({ data: join(own.path, "data") });
  ask = asker(server);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  own[Symbol.dispose]();
});

async function made(...ids: string[]): Promise<Person[]> {
  await server.capture(batch(...ids.map((distinct_id) => event({ distinct_id }))));
  await caughtUp(server);
  return Promise.all(ids.map(async (id) => (await of(id)) as Person));
}

async function of(distinct_id: string): Promise<Person | undefined> {
  const { body } = await ask("GET", `${PERSONS}?${new URLSearchParams({ distinct_id })}`);
  const { count, results } = body as Page<Person>;
  expect([distinct_id, count, results.length <= 1]).toEqual([distinct_id, results.length, true]);
  return results[0];
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);

const statuses = (answers: Told[]) => [...new Set(answers.map(({ status }) => status))].sort();

/** Checks that each person is there once and has ids, and that stores and events agree on the ids. */
async function expectWhole(): Promise<void> {
  await caughtUp(server);
  const { count, results } = (await ask("GET", `${PERSONS}?limit=1000`)).body as Page<Person>;
  expect(results).toHaveLength(count);
  const ids = results.flatMap(({ distinct_ids }) => distinct_ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(results.map(({ uuid }) => uuid)).size).toBe(count);
  expect(results.filter(({ distinct_ids }) => distinct_ids.length === 0)).toEqual([]);
  const nobody = JSON.stringify({ key: "nothing has this", operator: "is_not_set" });
  const projected = (
    await ask("GET", `${PERSONS}?limit=1000&properties=${encodeURIComponent(nobody)}`)
  ).body as Page<Person>;
  expect(projected).toMatchObject({ count, results });
  const owners = new Map(
    results.flatMap(({ uuid, distinct_ids }) => distinct_ids.map((id) => [id, uuid] as const)),
  );
  for (const { distinct_id, person_id } of await server.events()) {
    const owner = owners.get(distinct_id);
    if (owner !== undefined) expect([distinct_id, person_id]).toEqual([distinct_id, owner]);
  }
}

describe("many changes of a person at once", () => {
  test("all count, the last of each property stays, and each is in the activity with the old value", async () => {
    const [ann] = await made("ann");
    const path = `${PERSONS}${ann?.id}/`;
    const changes = TIMES.flatMap((n) => [
      () => ask("PATCH", path, { body: { properties: { [`own${n}`]: n, shared: `patch ${n}` } } }),
      () => ask("POST", `${path}update_property/`, { body: { key: "shared", value: `set ${n}` } }),
      () => ask("POST", `${path}delete_property/`, { body: { $unset: "shared" } }),
      () => {
        const $set = { [`event${n}`]: n, shared: `event ${n}` };
        return server.capture(batch(event({ distinct_id: "ann", properties: { $set } })));
      },
    ]);

    const answers = await Promise.all(shuffled(changes).map((change) => change()));

    expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    await caughtUp(server);
    const kept = (await of("ann"))?.properties as Record<string, unknown>;
    for (const n of TIMES) expect(kept).toMatchObject({ [`own${n}`]: n, [`event${n}`]: n });
    const listed: Change[] = [];
    for (let page = 1; ; page++) {
      const { body } = await ask("GET", `${path}activity/?limit=100&page=${page}`);
      const { results, next } = body as { results: Change[]; next: string | null };
      listed.push(...results);
      if (next === null) break;
    }
    const seen = listed.flatMap(({ detail }) => detail.changes).reverse();
    const own = seen.flatMap(({ after }) =>
      Object.keys(after).filter((key) => key.startsWith("own")),
    );
    expect(own.sort()).toEqual(TIMES.map((n) => `own${n}`).sort());
    // The value before a change is that of the last change, or of an event after it.
    for (const [at, { before, after }] of seen.entries()) {
      const last = seen
        .slice(0, at)
        .findLast((one) => "shared" in one.after || "shared" in one.before);
      if (!("shared" in before) && !("shared" in after)) continue;
      const known = [last?.after["shared"], ...TIMES.map((n) => `event ${n}`)];
      expect(known).toContain(before["shared"]);
    }
    await expectWhole();
  });

  test("of a playlist are all made, and its recordings are counted right", async () => {
    const created = (await ask("POST", PLAYLISTS, { body: {} })).body as { short_id: string };
    const path = `${PLAYLISTS}${created.short_id}/`;
    const record = (n: number) => `${path}recordings/r${n % 10}/`;
    const changes = TIMES.flatMap((n) => [
      () => ask("PATCH", path, { body: { name: `name ${n}` } }),
      () => ask("PATCH", path, { body: { description: `text ${n}` } }),
      () => ask("PATCH", path, { body: { filters: { n }, pinned: n % 2 === 0 } }),
      () => ask("POST", record(n)),
      () => ask(n < 20 ? "DELETE" : "POST", record(n)),
    ]);

    const answers = await Promise.all(shuffled(changes).map((change) => change()));

    expect(statuses(answers).filter((status) => status !== 404)).toEqual([200]);
    const { body } = await ask("GET", path);
    const kept = body as {
      name: string;
      description: string;
      filters: { n: number };
      recordings_counts: { collection: { count: number } };
    };
    expect([kept.name, kept.description]).toEqual([
      expect.stringMatching(/^name \d+$/),
      expect.stringMatching(/^text \d+$/),
    ]);
    expect(TIMES).toContain(kept.filters.n);
    const recordings = await ask("GET", `${path}recordings/`);
    const { results, has_next } = recordings.body as { results: object[]; has_next: boolean };
    expect(has_next).toBe(false);
    expect(kept.recordings_counts.collection.count).toBe(results.length);
  });
});

describe("a person that is deleted", () => {
  test("while it is merged is gone whole, or stays whole", async () => {
    const ids = TIMES.map((n) => [`from${n}`, `into${n}`] as const);
    const persons = await made(...ids.flat());
    const steps = ids.flatMap(([from, into], n) => {
      const [source, target] = persons.slice(2 * n, 2 * n + 2) as [Person, Person];
      const merge = { event: "$create_alias", distinct_id: from, properties: { alias: into } };
      return shuffled([
        () => server.capture(batch(event(merge))),
        () => ask("DELETE", `${PERSONS}${n % 2 === 0 ? source.id : target.uuid}/`),
        () => ask("PATCH", `${PERSONS}${target.id}/`, { body: { properties: { n } } }),
        () => ask("POST", `${PERSONS}${target.id}/split/`, { body: { main_distinct_id: into } }),
        () => server.capture(batch(event({ distinct_id: n % 3 === 0 ? from : into }))),
      ]);
    });

    const answers = await Promise.all(shuffled(steps).map((step) => step()));

    const known = [200, 201, 204, 400, 404];
    expect(answers.map(({ status }) => status).filter((one) => !known.includes(one))).toEqual([]);
    await expectWhole();
  });

  test("by many at once is deleted once", async () => {
    const ids = TIMES.map((n) => `many${n}`);
    const persons = await made(...ids);
    const bulk = () =>
      ask("POST", `${PERSONS}bulk_delete/`, { body: { distinct_ids: shuffled(ids) } });
    const singly = shuffled(persons).map(
      ({ id }) =>
        () =>
          ask("DELETE", `${PERSONS}${id}/`),
    );

    const answers = await Promise.all(shuffled([bulk, bulk, bulk, ...singly]).map((one) => one()));

    const deleted = answers.map(({ status, body }) =>
      status === 202 ? (body as { persons_deleted: number }).persons_deleted : Number(status < 300),
    );
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    expect(statuses(answers).filter((status) => ![200, 202, 404].includes(status))).toEqual([]);
    expect(await Promise.all(ids.map(of))).toEqual(ids.map(() => undefined));
    await expectWhole();
  });

  test("while its events arrive is deleted up to there, and is one again if more come", async () => {
    const ids = ["eve0", "eve1", "eve2"];
    await made(...ids);
    const sent = TIMES.map(
      (n) => () =>
        server.capture(
          batch(...ids.map((distinct_id) => event({ distinct_id, properties: { $set: { n } } }))),
        ),
    );
    const removals = TIMES.map((n) => async () => {
      const person = await of(ids[n % ids.length] ?? "");
      if (person === undefined) return undefined;
      return n % 2 === 0
        ? ask("DELETE", `${PERSONS}${person.id}/?delete_events=true`)
        : ask("POST", `${PERSONS}${person.uuid}/delete_events/`);
    });

    const answers = await Promise.all(shuffled([...sent, ...removals]).map((step) => step()));

    const known = [200, 204, 404];
    const odd = answers.filter((one) => one !== undefined && !known.includes(one.status));
    expect(odd).toEqual([]);
    const tasks = (await ask("GET", `${PERSONS}deletion_status/?limit=1000`)).body as Page<{
      status: string;
      person_uuid: string;
    }>;
    expect(tasks.results.length).toBe(tasks.count);
    expect(tasks.results.filter(({ status }) => status !== "pending")).toEqual([]);
    await caughtUp(server);
    for (const id of ids) {
      await server.capture(batch(event({ distinct_id: id })));
      await caughtUp(server);
      expect((await of(id))?.distinct_ids).toEqual([id]);
    }
    expect(await server.events("&distinct_id=eve0")).toHaveLength(TIMES.length + 2);
    await expectWhole();
  });
});

describe("keys that are changed at once", () => {
  test("have one value in the end, and none when they are revoked meanwhile", async () => {
    const draft = { label: "many", scopes: ["project:read"] };
    const { id } = (await ask("POST", KEYS, { body: draft })).body as { id: number };

    const rolled = await Promise.all(TIMES.map(() => ask("POST", `${KEYS}${id}/roll/`)));

    const values = rolled.map(({ body }) => (body as { value: string }).value);
    expect(new Set(values).size).toBe(TIMES.length);
    const hashes = openPersonStore(server.data, { readonly: true });
    const kept = hashes.query("SELECT hash FROM personal_api_key WHERE id = ?").all(id) as {
      hash: string;
    }[];
    hashes.close();
    const valid = values.filter(
      (value) =>
        kept[0]?.hash === `sha256$${new Bun.CryptoHasher("sha256").update(value).digest("hex")}`,
    );
    expect(valid).toHaveLength(1);
    expect((await ask("GET", "/api/projects/", { key: valid[0] ?? "" })).status).toBe(200);

    const ended = await Promise.all([
      ...TIMES.map(() => ask("POST", `${KEYS}${id}/roll/`)),
      ask("DELETE", `${KEYS}${id}/`),
      ask("PATCH", `${KEYS}${id}/`, { body: { label: "again" } }),
    ]);
    expect(statuses(ended).filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
    const last = ended.findLast(
      ({ status, body }) => status === 200 && "value" in (body as object),
    );
    const { value } = (last?.body ?? { value: valid[0] }) as { value: string };
    expect((await ask("GET", "/api/projects/", { key: value })).status).toBe(401);
    expect((await ask("GET", `${KEYS}${id}/`)).status).toBe(404);
  });
});

test("after all of it the stores are whole on disk, too", async () => {
  await expectWhole();
  expect(await server.stop()).toBe(0);
  const sqlite = openPersonStore(server.data);
  const all = (sql: string) => sqlite.query(sql).all();
  expect(all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(all("PRAGMA foreign_key_check")).toEqual([]);
  expect(all("SELECT * FROM distinct_id WHERE person_id NOT IN (SELECT id FROM person)")).toEqual(
    [],
  );
  expect(all("SELECT * FROM person WHERE id NOT IN (SELECT person_id FROM distinct_id)")).toEqual(
    [],
  );
  expect(all("SELECT project_id, count(*) AS count FROM person GROUP BY project_id")).toEqual(
    all("SELECT project_id, count FROM person_count WHERE count > 0"),
  );
  sqlite.close();
});
