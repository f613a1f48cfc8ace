import { expect, test } from "bun:test";
import { folded } from "../../../src/core/values/case-folding.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { casesOf, rounds, turnOf } from "../../support/start/rounds.ts";

type Shown = { id: number; distinct_ids: string[]; properties: { email?: unknown } };
type Listed = { count: number; next: string | null; results: Shown[] };

const list = async (app: TestApp, query: string) =>
  (await app.get(`/persons/?${query}`)).body as Listed;

const EMAILS = ["Ann@x.y", "bob@x.y", "ΟΔΟΣ@z", "q@z.example", 5, ["a@b"]];

/** Parts of these addresses, a whole distinct id, and a part that no address has. */
const PARTS = ["@", "a", "x.", "ο", "Z", "p3", "qq"];

test.each(casesOf([1], [1, 2]))(
  "a search finds exactly the persons with the part after every change (seed %p)",
  async (seed) => {
    await using app = await testApp();
    const random = randomOf(seed);
    const any = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const person = () => `p${Math.floor(random() * 30)}`;
    const set = (id: string) =>
      event({ distinct_id: id, properties: { $set: { email: any(EMAILS) } } });
    const steps = [
      () => app.capture(batch(set(person()), set(person()))),
      () => app.capture(batch(event({ distinct_id: person(), properties: { $unset: ["email"] } }))),
      () =>
        app.capture(
          batch(
            event({
              event: "$merge_dangerously",
              distinct_id: person(),
              properties: { alias: person() },
            }),
          ),
        ),
      async () => {
        const [one] = (await list(app, `distinct_id=${person()}`)).results;
        if (one) await app.ask("DELETE", `/api/environments/1/persons/${one.id}/`);
      },
      async () => {
        const [one] = (await list(app, `distinct_id=${person()}`)).results;
        const body = { properties: { email: any(EMAILS) } };
        if (one) await app.ask("PATCH", `/api/environments/1/persons/${one.id}/`, { body });
      },
    ];
    await app.capture(batch(...Array.from({ length: 30 }, (_, n) => set(`p${n}`))));

    for (let step = 0; step < rounds(12, 40); step += 1) {
      await any(steps)();
      const everybody = (await list(app, "limit=1000")).results;
      const part = any(PARTS);
      const wanted = everybody.filter(({ properties: { email }, distinct_ids }) => {
        const upper = part.toUpperCase();
        const has = typeof email === "string" && email.toUpperCase().includes(upper);
        return has || distinct_ids.includes(part);
      });

      const search = `search=${encodeURIComponent(part)}`;
      const whole = await list(app, `${search}&limit=1000`);
      const paged = await list(app, `${search}&limit=4`);
      const { pathname, search: query } = new URL(paged.next ?? "http://none");
      const next = paged.next && ((await app.ask("GET", pathname + query)).body as Listed);

      expect(whole).toMatchObject({ count: wanted.length, next: null });
      expect(whole.results).toEqual(wanted);
      expect(paged.count).toBe(wanted.length);
      expect(paged.results).toEqual(wanted.slice(0, 4));
      expect(next ? next.results : []).toEqual(wanted.slice(4, 8));
    }
  },
);

test("a search finds the same persons alone and with a filter", async () => {
  await using app = await testApp();
  const long = `${"y".repeat(1000)}@tail.example`;
  const emails = ["İSTANBUL@x.example", "istanbul@y.example", "ΟΔΟΣ@z.example", long];
  await app.capture(
    batch(
      ...emails.map((email, n) =>
        event({ distinct_id: `p${n}`, properties: { $set: { email, plan: "pro" } } }),
      ),
    ),
  );
  await app.capture(
    batch(event({ distinct_id: "p2", properties: { $set: { email: "οδος@İ.example" } } })),
  );
  const idsOf = async (query: string) =>
    (await list(app, query)).results.map(({ distinct_ids: [id] }) => id).toSorted();
  const filter = `properties=${encodeURIComponent(JSON.stringify([{ key: "plan", value: "pro" }]))}`;

  for (const [part, found] of [
    ["istanbul", ["p0", "p1"]],
    ["İSTANBUL", ["p0", "p1"]],
    ["ΟΔΟΣ", ["p2"]],
    ["@i.ex", ["p2"]],
    ["yyyy", ["p3"]],
    ["tail", []],
  ] as const) {
    const search = `search=${encodeURIComponent(part)}`;
    expect([part, await idsOf(search)]).toEqual([part, [...found]]);
    expect([part, await idsOf(`${search}&${filter}`)]).toEqual([part, [...found]]);
  }
});

test("a letter is found in each of its cases, alone and with a filter", async () => {
  await using app = await testApp();
  const letters = [..."ſSsKkKµμΜςσΣაᲐꭰᎠẞßİıiIǅǆǄÅåÅᏸᏰΩωϴθϑ"];
  const person = (n: number, more: object = {}) =>
    event({
      distinct_id: `p${n}`,
      properties: { $set: { email: `<${letters[n]}>@x.y`, ...more } },
    });
  await app.capture(batch(...letters.map((_, n) => person(n))));
  const isSet = encodeURIComponent('{"key":"email","operator":"is_set"}');
  const alike = (letter: string) =>
    letters.flatMap((other, n) => (folded(other) === folded(letter) ? [`p${n}`] : [])).toReversed();
  const idsOf = ({ results }: Listed) => results.flatMap(({ distinct_ids }) => distinct_ids);
  const check = async () => {
    for (const [at, letter] of letters.entries()) {
      for (const part of turnOf([`<${letter}>`, `<${letter}>@X`, `${letter}>`], at, 3)) {
        const search = `search=${encodeURIComponent(part)}`;
        for (const query of [search, `${search}&properties=${isSet}`]) {
          const found = await list(app, query);
          expect([query, found.count, idsOf(found)]).toEqual([
            query,
            alike(letter).length,
            alike(letter),
          ]);
        }
      }
    }
  };

  expect(
    ["Ssſ", "Kkk", "µμΜ", "ςσΣ", "აᲐ", "ꭰᎠ", "ẞß", "İıiI", "ǅǆǄ", "Ååå"].map(
      (group) => new Set([...group].map(folded)).size,
    ),
  ).toEqual(new Array(10).fill(1));
  await check();
});
