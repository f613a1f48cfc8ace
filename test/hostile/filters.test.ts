import { beforeAll, describe, expect, test } from "bun:test";
import { isObject, type Json } from "../../src/core/values/json.ts";
import { PATTERNS_MAX } from "../../src/stores/duckdb/lists/property-filter.ts";
import { HOSTILE_TEXTS, stored } from "../support/answers/hostile.ts";
import { asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { rounds, seedOf } from "../support/start/rounds.ts";
import { sharedServer } from "../support/start/shared-server.ts";

type Properties = Record<string, Json>;
type Listed = { count: number; results: { distinct_ids: string[] }[] };

const SEED = seedOf(20_261_122);
const PERSONS = "/api/environments/1/persons/";
const PEOPLE = 120;

/** A key as long as an event's limits let one be used at all. */
const LONG = `${"'\"\\;".repeat(16_000)}long`;

const random = randomOf(SEED);
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** Persons with hostile names and values of properties, each with others. */
const people = Array.from({ length: PEOPLE }, (_, n): [string, Properties] => {
  const names = Array.from({ length: 12 }, () => stored(oneOf(HOSTILE_TEXTS)));
  const values = (): Json =>
    oneOf<Json>([...HOSTILE_TEXTS, n, -n, 1.5, true, null, ["'"], { a: 1 }]);
  const properties = Object.fromEntries(names.map((name) => [name, values()]));
  const email = `${oneOf(HOSTILE_TEXTS)}${n}${oneOf(HOSTILE_TEXTS)}@${oneOf(HOSTILE_TEXTS)}`;
  return [`${oneOf(HOSTILE_TEXTS)}p${n}`, { ...properties, email }];
});

people.push(["bait", { bait: `${"a".repeat(100_000)}é`, email: "bait" }]);

const server = sharedServer();
const ask = asker(server);

beforeAll(async () => {
  const events = people.map(([distinct_id, $set]) => event({ distinct_id, properties: { $set } }));
  await server.capture(batch(...events));
  await server.stored(people.length);
});

/** The listed persons, as indexes of `people`. */
async function listed(query: Record<string, string>): Promise<number[]> {
  const path = `${PERSONS}?${new URLSearchParams({ ...query, limit: "1000" })}`;
  const { status, body } = await ask("GET", path);
  expect([query, status]).toEqual([query, 200]);
  const { count, results } = body as Listed;
  expect(results).toHaveLength(count);
  return results.map(({ distinct_ids: [id = ""] }) => numbers.get(id) ?? -1).sort((a, b) => a - b);
}

const numbers = new Map(people.map(([id], n) => [stored(id), n]));

/** The persons that pass a filter, in the simplest code for its rules (decision 48). */
function passing(operator: string, key: string, value: Json): number[] {
  const wanted = (Array.isArray(value) ? value : [value]).map(textOf);
  const tests: Record<string, (text: string) => boolean> = {
    exact: (text) => wanted.includes(text),
    icontains: (text) => wanted.some((part) => text.toLowerCase().includes(part.toLowerCase())),
    regex: (text) => wanted.some((pattern) => text.includes(unescaped(pattern))),
    starts_with: (text) => wanted.some((part) => text.startsWith(part)),
    ends_with: (text) => wanted.some((part) => text.endsWith(part)),
    is_set: () => true,
  };
  const [name, isNegated] = NEGATED[operator] ?? [operator, false];
  return people.flatMap(([, properties], n) => {
    const found = propertyOf(properties, key);
    const passes = found !== null && tests[name as string]?.(textOf(found)) === true;
    return passes !== isNegated ? [n] : [];
  });
}

function propertyOf(properties: Properties, key: string): Json {
  const own = (object: Json, name: string): Json =>
    isObject(object) && Object.hasOwn(object, name) ? (object[name] ?? null) : null;
  const value = own(properties, stored(key));
  // Of the values here, `{ a: 1 }` alone has another in it.
  return value === null && key.endsWith(".a") ? own(own(properties, key.slice(0, -2)), "a") : value;
}

const NEGATED: Record<string, [string, boolean]> = {
  in: ["exact", false],
  icontains_multi: ["icontains", false],
  is_not: ["exact", true],
  not_in: ["exact", true],
  not_icontains: ["icontains", true],
  not_icontains_multi: ["icontains", true],
  not_regex: ["regex", true],
  is_not_set: ["is_set", true],
};

const OPERATORS = ["exact", "icontains", "regex", "starts_with", "ends_with", "is_set"];

function textOf(value: Json): string {
  return stored(typeof value === "string" ? value : JSON.stringify(value));
}

/** A pattern of RE2 for a text itself, and back. */
const escaped = (text: string) => text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
const unescaped = (pattern: string) => pattern.replace(/\\([!-/:-@[-`{-~])/g, "$1");

describe("a filter by property", () => {
  test.each([...OPERATORS, ...Object.keys(NEGATED)])(
    "finds exactly the right persons for any key and value: %s",
    async (operator) => {
      const isPattern = operator.endsWith("regex");
      for (let n = 0; n < rounds(8, 60); n++) {
        const [, properties] = oneOf(people.slice(0, PEOPLE));
        const key = random() < 0.8 ? oneOf(Object.keys(properties)) : oneOf(HOSTILE_TEXTS);
        const own =
          random() < 0.5 ? textOf(propertyOf(properties, key) ?? "") : oneOf(HOSTILE_TEXTS);
        const texts = [own, oneOf(HOSTILE_TEXTS)].map((text) => (isPattern ? escaped(text) : text));
        const value = random() < 0.5 ? texts : (texts[0] ?? "");

        const found = await listed({ properties: JSON.stringify({ key, operator, value }) });

        expect([{ key, operator, value }, found]).toEqual([
          { key, operator, value },
          passing(operator, key, value),
        ]);
      }
    },
  );

  test("finds those alone who have a property of any name, or a value in one", async () => {
    const names = new Set(HOSTILE_TEXTS.map(stored));
    for (const key of names) {
      const filter = { key, operator: "is_set" };
      const found = await listed({ properties: JSON.stringify([filter]) });
      expect([key, found]).toEqual([key, passing("is_set", key, "")]);
      const { body } = await ask("GET", `${PERSONS}values/?${new URLSearchParams({ key })}`);
      const values = people.map(([, own]) => propertyOf(own, key));
      const texts = new Set(values.filter((value) => value !== null).map(textOf));
      const { results } = body as { results: { name: string }[] };
      expect(new Set(results.map(({ name }) => name))).toEqual(texts);
    }
  });

  test.each([
    ["(a+)+$", false],
    ["(a|aa)+$", false],
    ["(a|a?)+$", true],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", false],
    ["(.*)*(.*)*(.*)*x", false],
    ["(?:a?){500}a{500}", true],
    ["(x+x+)+y", false],
    ["([a-zA-Z]+)*#", false],
    ["(.|\\n)*(.|\\n)*!", false],
  ])("with the pattern %s looks at each text once", async (value, isFound) => {
    const properties = JSON.stringify({ key: "bait", operator: "regex", value });

    const [found] = await Promise.all([listed({ properties }), listed({})]);

    expect(found).toEqual(isFound ? [PEOPLE] : []);
  });

  test.each([
    ...["(?=a)", "(a)\\1", "(?<!a)", "a**", "[", "(", "x{1001}", "((a{100}){100}){100}", "\\"],
  ])("with the pattern %s is refused", async (value) => {
    const filter = JSON.stringify({ key: "bait", operator: "regex", value });
    const refused = await ask("GET", `${PERSONS}?${new URLSearchParams({ properties: filter })}`);
    expect(refused).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "properties" },
    });
  });
});

test("patterns are few in one request: the dearest would keep the store busy", async () => {
  const values = (count: number) => Array.from({ length: count }, (_, n) => `^p${n}$`);
  const filter = (count: number, type: string) => ({
    ...{ key: "k", operator: "regex", value: values(count), type },
  });
  const halves = (type: string) => [filter(PATTERNS_MAX, type), filter(1, type)];
  const question = (properties: object[]) => ({
    query: { kind: "TrendsQuery", series: [{}], properties },
  });
  const search = (values: object[]) => ({ query: { filterGroup: { type: "OR", values } } });
  const persons = (filters: object[]) =>
    `${PERSONS}?${new URLSearchParams({ properties: JSON.stringify(filters) })}`;
  const insights = "/api/environments/1/max_tools/create_and_query_insight/";
  const logs = "/api/environments/1/logs/query/";

  const taken = [
    await ask("GET", persons([filter(PATTERNS_MAX, "person")])),
    await ask("POST", insights, { body: question([filter(PATTERNS_MAX, "event")]) }),
    await ask("POST", logs, { body: search([filter(PATTERNS_MAX, "log")]) }),
  ];
  const refused = [
    await ask("GET", persons(halves("person"))),
    await ask("POST", insights, { body: question(halves("event")) }),
    await ask("POST", logs, { body: search(halves("log")) }),
  ];

  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(refused.map(({ status, body }) => [status, (body as { attr: string }).attr])).toEqual([
    [400, "properties"],
    [400, "query"],
    [400, "query__filterGroup"],
  ]);
});

async function idOf(distinct_id: string): Promise<number> {
  const { body } = await ask("GET", `${PERSONS}?${new URLSearchParams({ distinct_id })}`);
  return (body as { results: { id: number }[] }).results[0]?.id ?? 0;
}

describe("a search", () => {
  const emails = people.map(([, { email }]) => stored(email as string));
  const some = () => {
    const text = oneOf([...emails, ...people.map(([id]) => id), ...HOSTILE_TEXTS]);
    const from = Math.floor(random() * text.length);
    return stored(random() < 0.5 ? text : text.slice(from, from + 1 + Math.floor(random() * 6)));
  };

  test("finds parts of addresses and whole distinct ids, and no wildcard or operator is one", async () => {
    for (let n = 0; n < rounds(40, 300); n++) {
      const search = some();
      const part = search.toLowerCase();
      const found = await listed({ search });
      const wanted = people.flatMap(([id], n) =>
        emails[n]?.toLowerCase().includes(part) || stored(id) === search ? [n] : [],
      );
      expect([search, found]).toEqual([search, wanted]);
    }
  });

  test.each(["email", "distinct_id"])("by %s finds the whole alone", async (name) => {
    const known = name === "email" ? emails : people.map(([id]) => stored(id));
    for (let n = 0; n < rounds(15, 100); n++) {
      const text = random() < 0.5 ? oneOf(known) : some();
      const wanted = known.flatMap((own, n) => (own === text ? [n] : []));
      expect([text, await listed({ [name]: text })]).toEqual([text, wanted]);
    }
  });
});

describe("a name that is removed", () => {
  test("matches only its own text, in query and body, at any length", async () => {
    // The long name is removed first: later answers are small.
    const names = [...new Set([LONG, ...HOSTILE_TEXTS.map(stored)])];
    const $set = Object.fromEntries(names.map((name) => [name, name.slice(0, 9)]));
    await server.capture(batch(event({ distinct_id: "unset", properties: { $set } })));
    await server.stored(1, "&distinct_id=unset");
    const person = `${PERSONS}${await idOf("unset")}/`;
    const properties = async () =>
      ((await ask("GET", person)).body as { properties: Properties }).properties;
    const left = { ...(await properties()) };
    expect(left).toMatchObject($set);

    for (const name of names) {
      const query =
        name.length > 1000 || random() < 0.5 ? "" : `?${new URLSearchParams({ $unset: name })}`;
      const removed = await ask("POST", `${person}delete_property/${query}`, {
        ...(query === "" ? { body: { $unset: name } } : {}),
      });
      expect([name.slice(0, 99), removed.status]).toEqual([name.slice(0, 99), 201]);
      delete left[name];
      expect(await properties()).toEqual(left);
    }
    await ask("DELETE", person);
  });
});
