import { describe, expect, test } from "bun:test";
import { byPosition } from "../../../../src/stores/sqlite/persons/order.ts";
import { openPersonStore } from "../../../support/answers/sqlite.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import { randomOf } from "../../../support/disk/faulty-disk.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";
import { casesOf, rounds } from "../../../support/start/rounds.ts";
import { PERSONAL_KEY } from "../../../support/start/server.ts";

type Shown = { id: number; created_at: string; distinct_ids: string[] };
type Listed = { count: number; next: string | null; results: Shown[] };

const PERSONS = "/api/environments/1/persons/";

const QUERIES = [
  "",
  `properties=${encodeURIComponent('{"key":"n","operator":"is_set"}')}`,
  "search=%40x.y",
  "search=%40",
  `search=P&properties=${encodeURIComponent('{"key":"email","operator":"icontains","value":"p"}')}`,
  "email=same%40x.y",
];

/** The same at each run: whom a random of a seed merges, splits and makes. */
function world(app: TestApp, seed: number) {
  const random = randomOf(seed);
  const below = (max: number) => Math.floor(random() * max);
  const any = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  let made = 0;
  const person = () => {
    made += 1;
    const timestamp = `2026-10-${10 + below(20)}T0${below(3)}:00:00Z`;
    const email = random() < 0.3 ? "same@x.y" : `P${made}@x.y`;
    const $set = { n: made, email };
    return event({ distinct_id: `p${made}`, timestamp, properties: { $set } });
  };
  const merge = (alias: string, distinct_id: string) =>
    event({ event: "$merge_dangerously", distinct_id, properties: { alias } });
  const list = async (query: string) => {
    const { status, body } = await app.get(`/persons/?limit=1000&${query}`);
    expect(status).toBe(200);
    return body as Listed;
  };
  return {
    below,
    list,
    any,
    make: (persons: number) => app.capture(batch(...Array.from({ length: persons }, person))),
    async change(): Promise<void> {
      const { results } = await list("");
      const [one, other] = [any(results), any(results)];
      const chance = random();
      if (chance < 0.35 && one !== other) {
        await app.capture(batch(merge(any(one.distinct_ids), any(other.distinct_ids))));
      } else if (chance < 0.8) {
        const { id, distinct_ids } = results.toSorted((a, b) => {
          return b.distinct_ids.length - a.distinct_ids.length;
        })[below(3)] as Shown;
        const named = any(distinct_ids);
        const body =
          random() < 0.3 ? { main_distinct_id: named } : { distinct_ids_to_split: [named] };
        await app.ask("POST", `${PERSONS}${id}/split/`, { body });
      } else if (chance < 0.9) {
        await app.capture(batch(person()));
      } else {
        await app.ask("DELETE", `${PERSONS}${one.id}/`);
      }
    },
  };
}

const idsOf = (persons: readonly Shown[]) => persons.map(({ id }) => id);

const newest = (a: Shown, b: Shown) =>
  byPosition({ at: a.created_at, id: a.id }, { at: b.created_at, id: b.id });

/** Who was there at each look, and whoever was at one, while somebody walks. */
function watched(first: readonly number[]) {
  let always = new Set(first);
  let ever = new Set(first);
  return {
    look(ids: readonly number[]): void {
      always = always.intersection(new Set(ids));
      ever = ever.union(new Set(ids));
    },
    /** Fails if a walk met somebody twice, or not, or in another order than at first. */
    expectMet(met: readonly number[]): void {
      expect(new Set(met).size).toBe(met.length);
      expect([...always].filter((id) => !met.includes(id))).toEqual([]);
      expect(met.filter((id) => !ever.has(id))).toEqual([]);
      const known = met.filter((id) => first.includes(id));
      expect(known).toEqual(first.filter((id) => known.includes(id)));
    },
  };
}

test("where persons were listed is kept of the last 32,768 moves, and not of who is deleted", async () => {
  await using app = await testApp();
  const on = (day: number, distinct_id: string, fields: object = {}) =>
    event({ distinct_id, timestamp: `2026-11-${day}T00:00:00Z`, ...fields });
  const into = (alias: string, distinct_id: string) =>
    event({ event: "$merge_dangerously", distinct_id, properties: { alias } });
  const moved = () => {
    using sqlite = openPersonStore(app.directory);
    return sqlite
      .query<object, []>("SELECT person_id AS id, created_at AS at FROM person_move")
      .values();
  };
  await app.capture(batch(on(12, "a"), on(15, "b"), on(18, "c"), on(11, "d"), on(13, "e")));
  const found = async (id: string) =>
    ((await app.get(`/persons/?distinct_id=${id}`)).body as Listed).results[0]?.id ?? 0;
  const [b, c, e] = [await found("b"), await found("c"), await found("e")];

  await app.capture(batch(into("a", "b")));
  await app.capture(batch(into("b", "c"), into("d", "e")));

  const at = (day: number) => `2026-11-${day}T00:00:00.000000Z`;
  expect(moved()).toEqual([
    [b, at(15)],
    [c, at(18)],
    [e, at(13)],
  ]);
  await app.ask("DELETE", `${PERSONS}${c}/`);
  expect(moved()).toEqual([[e, at(13)]]);

  using sqlite = openPersonStore(app.directory);
  sqlite.run(
    `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 40000)
     INSERT INTO person_move (version, project_id, person_id, created_at)
     SELECT 1000 + n, 1, n, '' FROM number`,
  );
  expect(moved().length).toBeWithin(32_768 - 1024, 32_768 + 1024);
});

describe("persons are listed by the shown time of creation", () => {
  test.each(casesOf([1], [1, 2, 3, 4]))(
    "and a walk along next meets each person once while others are merged, split, made or deleted (%p)",
    async (seed) => {
      await using app = await testApp();
      const { make, change, list, below, any } = world(app, seed);
      await make(rounds(15, 30));
      for (let n = 0; n < 10; n += 1) await change();

      for (const query of QUERIES) {
        const first = idsOf((await list(query)).results);
        const watch = watched(first);
        const met: number[] = [];
        let next: string | null = `${PERSONS}?limit=${1 + below(6)}&${query}`;
        while (next !== null) {
          const { status, body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
          expect(status).toBe(200);
          const page = body as Listed;
          met.push(...idsOf(page.results));
          next = page.next;
          for (let n = below(4); n > 0; n -= 1) {
            await change();
            const now = await list(any(QUERIES));
            expect(now.results).toEqual(now.results.toSorted(newest));
            const { count, results } = await list(query);
            expect(count).toBe(results.length);
            watch.look(idsOf(results));
          }
        }
        watch.expectMet(met);
        await make(Math.max(0, rounds(15, 30) - (await list("")).count));
      }
    },
  );

  test.each(["", QUERIES[1]])(
    "and an export %p has everybody once who is there all the time",
    async (query) => {
      await using app = await testApp();
      const { make, change, list } = world(app, 5);
      await make(700);
      const watch = watched(idsOf((await list(query ?? "")).results));
      const handle = app.app.http("http://localhost:8000");

      const response = await handle(
        new Request(`http://localhost:8000${PERSONS}?format=csv&${query}`, {
          headers: { authorization: `Bearer ${PERSONAL_KEY}` },
        }),
      );
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        for (let n = 0; n < rounds(4, 12); n += 1) await change();
        watch.look(idsOf((await list(query ?? "")).results));
      }

      const [head = "", ...lines] = text.trimEnd().split("\r\n");
      const at = head.split(",").indexOf("id");
      watch.expectMet(lines.map((line) => Number(line.split(",")[at])));
    },
  );
});
