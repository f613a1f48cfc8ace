import { beforeAll, describe, expect, test } from "bun:test";
import { silentLog } from "../../../src/app/process/log.ts";
import { csv, paged } from "../../../src/http/answer/format.ts";
import { sent } from "../../../src/http/answer/stream.ts";
import { batch, event, largeProperties } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { turnOf } from "../../support/start/rounds.ts";
import { PERSONAL_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

type Shown = { id: number; uuid: string; distinct_ids: string[]; properties: object };
type Listed = { count: number; next: string | null; previous: string | null; results: Shown[] };

const identified = (distinct_id: string, $set: object, fields: object = {}) =>
  event({ distinct_id, properties: { $set }, ...fields });

const list = async (app: TestProject, query: string) => {
  const { status, body } = await app.get(`/persons/${query}`);
  expect(status).toBe(200);
  return body as Listed;
};
const idsOf = ({ results }: Listed) => results.map(({ distinct_ids }) => distinct_ids[0]);
const filters = (...all: object[]) =>
  `?properties=${encodeURIComponent(JSON.stringify(all.length === 1 ? all[0] : all))}`;

/** Options of a stream whose caller may read it. */
const SENDING = { check: async () => {}, requestId: "none", log: silentLog };

let world: TestProject;
/** The same persons, most of them so large that the event store has neither their `k` nor their address. */
let large: TestProject;

beforeAll(async () => {
  const people = (more: (at: number) => object) =>
    ALL.map((id, at) => {
      const email = id === "five" ? { email: "Five@x.y" } : {};
      const own = { ...(id === "without" ? {} : { k: VALUES[id] }), ...email };
      return identified(id, { ...more(at), ...own });
    });
  world = await newProject();
  large = await newProject();
  await world.capture(batch(...people(() => ({}))));
  await large.capture(
    batch(...people((at) => (at % 4 === 3 ? {} : largeProperties(130 + 32 * at)))),
  );
});

/** Each of them has one kind of value under `k`, or none. */
const VALUES: Record<string, unknown> = {
  pro: "Pro plan",
  free: "free",
  five: 5,
  ten: "10",
  yes: true,
  nothing: null,
  list: ["a", "b"],
  old: "2026-01-15T10:00:00Z",
  new: "2026-11-20",
  v1: "1.2.3",
  v2: "v1.10.0-beta",
};
const ALL = [...Object.keys(VALUES), "without"];

test("SQL finds what the rows of large persons omit", async () => {
  const asked = {
    query: { kind: "HogQLQuery", query: "SELECT count(properties->>'k') FROM persons" },
  };
  const headers = { prefer: "return=representation" };
  const { body } = await large.ask("POST", `${large.api}/query/`, { body: asked, headers });
  expect(body).toMatchObject({ results: [[ALL.length - 2]] });
});

/** One person who has each of some values under a key of its own. */
function personWith(values: readonly unknown[]) {
  let app: TestProject;

  beforeAll(async () => {
    app = await newProject();
    const $set = Object.fromEntries(values.map((value, at) => [`k${at}`, value]));
    await app.capture(batch(identified("ann", $set)));
  });

  /** How many persons a filter finds by the value at this place. */
  return async (at: number, operator: string, value: unknown) =>
    (await list(app, filters({ key: `k${at}`, operator, value }))).count;
}

describe("a filter by property", () => {
  const without = (...ids: string[]) => ALL.filter((id) => !ids.includes(id));

  test.each<[string, unknown, string[]]>([
    ["exact", "free", ["free"]],
    ["exact", ["free", 5], ["free", "five"]],
    ["exact", "5", ["five"]],
    ["exact", "true", ["yes"]],
    ["exact", true, ["yes"]],
    ["exact", ["a", "b"], []],
    ["exact", 'it\'s "quoted"; DROP TABLE persons', []],
    ["is_not", "free", without("free")],
    ["is_not", ["free", 5], without("free", "five")],
    ["in", ["free", "nobody"], ["free"]],
    ["not_in", ["free"], without("free")],
    ["is_cleaned_path_exact", "free", ["free"]],
    ["icontains", "PLAN", ["pro"]],
    ["icontains", ["plan", "REE"], ["pro", "free"]],
    ["icontains_multi", ["plan", "REE"], ["pro", "free"]],
    ["not_icontains", "PLAN", without("pro")],
    ["not_icontains_multi", ["plan", "REE"], without("pro", "free")],
    ["starts_with", "Pro", ["pro"]],
    ["ends_with", "plan", ["pro"]],
    ["regex", "^(Pro|fr)", ["pro", "free"]],
    ["not_regex", "^(Pro|fr)", without("pro", "free")],
    ["exact", [], []],
    ["is_not", [], ALL],
    ["in", [], []],
    ["not_in", [], ALL],
    ["icontains", [], []],
    ["not_icontains", [], ALL],
    ["regex", [], []],
    ["not_regex", [], ALL],
    ["gt", 5, ["ten"]],
    ["gte", "5", ["five", "ten"]],
    ["min", 10, ["ten"]],
    ["lt", 10, ["five"]],
    ["lte", 10, ["five", "ten"]],
    ["max", 5, ["five"]],
    ["gt", -1e19, ["five", "ten"]],
    ["gte", 2 ** 63, []],
    ["min", "-1e19", ["five", "ten"]],
    ["lt", "1e19", ["five", "ten"]],
    ["lte", 1e300, ["five", "ten"]],
    ["max", -(2 ** 64), []],
    ["between", [-1e19, 1e19], ["five", "ten"]],
    ["not_between", ["-1e300", 1e300], without("five", "ten")],
    ["lt", "2026-01-16", ["ten", "old", "v1"]],
    ["between", [5, 10], ["five", "ten"]],
    ["not_between", [6, 10], without("ten")],
    ["is_set", "is_set", without("nothing", "without")],
    ["is_not_set", undefined, ["nothing", "without"]],
    ["is_date_exact", "2026-01-15", ["old"]],
    ["is_date_exact", "2026-01-15T10:00:00Z", ["old"]],
    ["is_date_before", "2026-01-16", ["old"]],
    ["is_date_after", "-7d", ["new"]],
    ["is_date_after", "2026-01-15", ["new"]],
    ["semver_eq", "1.2.3", ["v1"]],
    ["semver_neq", "1.2.3", without("v1")],
    ["semver_gt", "1.9", ["v2"]],
    ["semver_gte", "1.10.0", []],
    ["semver_lt", "1.10", ["v1", "v2"]],
    ["semver_eq", "1.10.0", []],
    ["semver_eq", "1.10.0-beta", ["v2"]],
    ["semver_lt", "1.10.0-beta", ["v1"]],
    ["semver_lte", "1.10", ["v1", "v2"]],
    ["semver_tilde", "1.2.0", ["v1"]],
    ["semver_caret", "1.2.0", ["v1", "v2"]],
    ["semver_wildcard", "1.10.*", []],
  ])("%s %j finds them by the value", async (operator, value, wanted) => {
    for (const app of [world, large]) {
      const found = await list(app, filters({ key: "k", operator, value }));
      expect([found.count, idsOf(found).toSorted()]).toEqual([wanted.length, wanted.toSorted()]);
    }
  });

  test("finds each number by itself", async () => {
    const numbers = [1e21, -1e21, 1.5e300, Number.MAX_VALUE, 1e20, 2 ** 64, 1e-7, 0.1];
    const app = await newProject();
    const withAll = (value: (number: number) => unknown) =>
      Object.fromEntries(numbers.map((number, at) => [`k${at}`, value(number)]));
    await app.capture(
      batch(
        identified(
          "ann",
          withAll((number) => number),
        ),
        identified(
          "bob",
          withAll(() => "x"),
        ),
      ),
    );

    for (const [at, number] of numbers.entries()) {
      const of = async (operator: string, value: unknown) => [
        ...[number, operator],
        ...idsOf(await list(app, filters({ key: `k${at}`, operator, value }))),
      ];
      for (const operator of ["exact", "gte", "lte"]) {
        expect(await of(operator, number)).toEqual([number, operator, "ann"]);
      }
      expect(await of("in", [number, 5])).toEqual([number, "in", "ann"]);
      expect(await of("between", [number, number])).toEqual([number, "between", "ann"]);
      expect(await of("is_not", number)).toEqual([number, "is_not", "bob"]);
    }
  });

  const NO_NUMBERS = [
    ...["nan", "Infinity", "6 apples", "", { n: 6 }, [6], true, "1e999", "６", "1_000", " 6", "6 "],
    ...["6\n", "0x1f", "+-6", ".5", "6.", "6e", "6,5"],
  ];
  const withNoNumbers = personWith(NO_NUMBERS);

  test.each(NO_NUMBERS.map((value, at) => [value, at] as const))(
    "compares the value %j with no number",
    async (_value, at) => {
      for (const operator of ["gt", "lt", "not_between"]) {
        const asked = operator === "not_between" ? [-1e9, 1e9] : 5;
        const count = await withNoNumbers(at, operator, asked);
        expect([operator, count]).toEqual([operator, operator === "not_between" ? 1 : 0]);
      }
    },
  );

  const SIXES = ["6", 6, "+6", "06", "6.0", "6e0", "0.6E+1", "600e-2"];
  const withSixes = personWith(SIXES);

  test.each(SIXES.map((value, at) => [value, at] as const))(
    "compares the value %j as the number six",
    async (_value, at) => {
      expect(await withSixes(at, "gt", 5)).toBe(1);
      expect(await withSixes(at, "gte", "6")).toBe(1);
      expect(await withSixes(at, "lt", "+6")).toBe(0);
      expect(await withSixes(at, "not_between", [6, "6.0"])).toBe(0);
    },
  );

  const VERSIONS: [version: string, met: string[]][] = [
    ["1.2.3", ["semver_eq", "semver_gte", "semver_lt"]],
    [" v1.2.3+build-7 ", ["semver_eq", "semver_gte", "semver_lt"]],
    ["1.2.3-rc.1", ["semver_lt"]],
    ["1.10.0", ["semver_gte", "semver_lt"]],
    ...["1abc", "2026-01-01", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.x", "1.2.3abc"].map(
      (text): [string, string[]] => [text, []],
    ),
    [`1.2.${"9".repeat(19)}`, ["semver_gte", "semver_lt"]],
    ["1.2.3-a b", []],
  ];
  const withVersions = personWith(VERSIONS.map(([version]) => version));

  test.each(VERSIONS.map(([version, wanted], at) => [version, wanted, at] as const))(
    "takes %j for a version or none",
    async (_version, wanted, at) => {
      const asked = { semver_eq: "1.2.3", semver_gte: "1.2.3", semver_lt: "2" };
      const met = [];
      for (const [operator, value] of Object.entries(asked)) {
        if ((await withVersions(at, operator, value)) === 1) met.push(operator);
      }
      expect(met).toEqual([...wanted]);
      const none = await withVersions(at, "semver_neq", "1.2.3");
      expect(none).toBe(wanted.includes("semver_eq") ? 0 : 1);
    },
  );

  const TIMES: [time: string, operator: string, value: string, is: boolean][] = [
    ["2026-11-20T00:00:00+05:00", "is_date_exact", "2026-11-20T00:00:00+05:00", true],
    ["2026-11-20T00:00:00+05:00", "is_date_exact", "2026-11-19T19:00:00Z", true],
    ["2026-11-20T00:00:00+05:00", "is_date_exact", "2026-11-20", false],
    ["2026-11-20T00:00:00+05:00", "is_date_exact", "2026-11-19", true],
    ["2026-11-20T00:00:00-0530", "is_date_after", "2026-11-20T05:29:59Z", true],
    ["2026-11-20T00:00:00-05:30", "is_date_before", "2026-11-20T05:30:00Z", false],
    ["2026-11-20 00:00:00", "is_date_exact", "2026-11-20T00:00:00Z", true],
  ];
  const withTimes = personWith(TIMES.map(([time]) => time));

  test.each(TIMES.map((row, at) => [...row, at] as const))(
    "takes the time %s as it is: %s %s is %p",
    async (_time, operator, value, is, at) => {
      expect(await withTimes(at, operator, value)).toBe(is ? 1 : 0);
    },
  );

  const NO_DATES = [
    ...["Infinity", "-infinity", "epoch", "2026-11-20 (BC)", "2026-11-20 00:00 Europe/Berlin"],
  ];
  const withNoDates = personWith(NO_DATES);

  test.each(NO_DATES.map((text, at) => [text, at] as const))(
    "takes %j for no date",
    async (text, at) => {
      for (const operator of ["is_date_after", "is_date_before", "is_date_exact"]) {
        const isEpoch = text === "epoch" && operator === "is_date_exact";
        expect(await withNoDates(at, operator, isEpoch ? "1970-01-01" : "2000-01-01")).toBe(0);
      }
    },
  );

  test("is one of several, and goes with every other filter", async () => {
    const [set, plan] = [
      { key: "k", operator: "is_set" },
      { key: "k", operator: "icontains", value: "p" },
    ];
    const each = [set, plan].map((one) => `properties=${encodeURIComponent(JSON.stringify(one))}`);

    for (const app of [world, large]) {
      expect(idsOf(await list(app, filters(set, plan)))).toEqual(["pro"]);
      expect(idsOf(await list(app, `?${each.join("&")}`))).toEqual(["pro"]);
      expect(idsOf(await list(app, `${filters(set)}&distinct_id=ten`))).toEqual(["ten"]);
      expect(idsOf(await list(app, `${filters(set)}&search=pro`))).toEqual(["pro"]);
      expect(idsOf(await list(app, `${filters(set)}&search=pr%25o`))).toEqual([]);
      expect(idsOf(await list(app, `${filters(set)}&email=Five%40x.y`))).toEqual(["five"]);
      expect(idsOf(await list(app, `${filters(plan)}&distinct_id=ten`))).toEqual([]);
    }
  });

  test("is taken as clients write lists, also into the links and the table", async () => {
    const one = (operator: string, value: string) =>
      encodeURIComponent(JSON.stringify({ key: "k", operator, value }));
    const [has, hasNot] = [one("icontains", "r"), one("not_icontains", "p")];

    for (const [first, second] of [
      ["properties[]", "properties[]"],
      ["properties%5B%5D", "properties%5b%5d"],
      ["properties[0]", "properties[1]"],
      ["properties", "properties%5B12%5D"],
    ]) {
      const query = `?${first}=${has}&${second}=${hasNot}`;
      const both = await list(world, query);
      expect([query, idsOf(both)]).toEqual([query, ["yes", "free"]]);
      const { count, next } = await list(world, `${query}&limit=1`);
      const second_ = await list(world, new URL(next ?? "").search);
      const { previous } = second_;
      expect([count, idsOf(second_)]).toEqual([2, ["free"]]);
      expect(idsOf(await list(world, new URL(previous ?? "").search))).toEqual(["yes"]);
      const table = await world.get(`/persons/${query}&format=csv`);
      expect(table.text.split("\r\n")).toHaveLength(2 + 2);
    }
  });

  test.each([
    ["properties[key]=k", "properties"],
    ["properties[0][key]=k", "properties"],
    ["properties[=k", "properties"],
    ["email[]=a", "email"],
    ["email%5B0%5D=", "email"],
    ["search[contains]=a", "search"],
  ])("is never passed over for its brackets: %s", async (query, attr) => {
    for (const more of ["", "&format=csv"]) {
      expect(await world.get(`/persons/?${query}${more}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_input", attr },
      });
    }
  });

  test("takes each key as it is", async () => {
    const keys = ["a.b", "$x", "a/b~c", "", "0", '"', "*", "__proto__"];
    const app = await newProject();
    const own = keys.map((key, at) => `${JSON.stringify(key)}:"here ${at}",`).join("");
    await app.capture(batch(identified("ann", JSON.parse(`{${own}"other":{"b":"here"}}`))));

    for (const [at, key] of keys.entries()) {
      const { count } = await list(app, filters({ key, value: `here ${at}` }));
      expect([key, count]).toEqual([key, 1]);
    }
    expect((await list(app, filters({ key: "other.b", value: "here" }))).count).toBe(1);
    expect((await list(app, filters({ key: "a.b.c", value: "here" }))).count).toBe(0);
  });

  test.each([
    ["properties", "{"],
    ["properties", '{"key":"k"}'],
    ["properties", '[{"key":"k","operator":"near","value":1}]'],
    ["properties", '{"key":"k","operator":"is_date_before","value":"2026-11-20T00:00:00+25:00"}'],
    ["properties", '{"key":"k","operator":"regex","value":"("}'],
    ["properties", '{"key":"k","operator":"not_regex","value":["a","(?=a)"]}'],
    ["cursor", "x"],
  ])("%s=%s is refused", async (name, value) => {
    expect(await world.get(`/persons/?${name}=${encodeURIComponent(value)}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: name },
    });
  });

  test("has a part of a property, of its values and of an address in the same cases", async () => {
    const app = await newProject();
    const texts = ["ΟΔΟΣ", "οδος", "İstanbul ſ", "ıstanbul s", "5 µm (a+b).*", "plain S", "ẞ", "𞤀"];
    await app.capture(
      batch(...texts.map((text, at) => identified(`p${at}`, { text, email: text }))),
    );
    const all = texts.map((_, at) => `p${at}`);

    for (const part of [
      ...["οδοσ", "Ος", "ISTANBUL S", "S", "i", "μM", "(A+B).*", "ß", "ss", "𞤢", "z"],
    ]) {
      const searched = idsOf(await list(app, `?search=${encodeURIComponent(part)}`)).toSorted();
      const filter = { key: "text", value: part };
      const has = await list(app, filters({ ...filter, operator: "icontains" }));
      const hasNot = await list(app, filters({ ...filter, operator: "not_icontains" }));
      const values = await app.get(`/persons/values/?key=text&value=${encodeURIComponent(part)}`);

      expect([part, idsOf(has).toSorted()]).toEqual([part, searched]);
      expect([part, idsOf(hasNot).toSorted()]).toEqual([
        part,
        all.filter((id) => !searched.includes(id)),
      ]);
      const { results } = values.body as { results: { name: string }[] };
      expect(results.map(({ name }) => `p${texts.indexOf(name)}`).toSorted()).toEqual(
        searched.map(String),
      );
    }
    expect((await list(app, "?search=S")).count).toBe(3);
  });

  test("tells the values of a property, the most frequent first", async () => {
    const app = await newProject();
    const plans = ["pro", "free", "pro", "Pro team", 5, null];
    await app.capture(batch(...plans.map((plan, at) => identified(`p${at}`, { plan }))));
    const values = async (query: string) => (await app.get(`/persons/values/${query}`)).body;
    const [pro, five, team, free] = [
      { name: "pro", count: 2 },
      { name: "5", count: 1 },
      { name: "Pro team", count: 1 },
      { name: "free", count: 1 },
    ];

    expect(await values("?key=plan")).toEqual({
      results: [pro, five, team, free] as never,
      refreshing: false,
    });
    expect(await values("?key=plan&value=PRO")).toMatchObject({ results: [pro, team] as never });
    expect(await values("?key=none")).toMatchObject({ results: [] });
    await app.capture(
      batch(identified("large", { ...largeProperties(200), plan: "free", long: "x".repeat(1025) })),
    );
    expect(await values("?key=plan&value=fr")).toMatchObject({
      results: [{ name: "free", count: 2 }] as never,
    });
    expect(await values("?key=long")).toMatchObject({ results: [] });
    expect(await values("")).toMatchObject({ code: "required", attr: "key" });
  });
});

describe("a search", () => {
  const addresses = {
    ...{ ann: "Ann@x.y", bob: "bob@x.y", cat: undefined, quote: 'q"or"q@z' },
    ...{ é: "émile@z", turk: "İpek@z", five: 5 },
  };
  let addressed: TestProject;

  beforeAll(async () => {
    addressed = await newProject();
    const people = Object.entries(addresses).map(([id, email]) => identified(id, { email }));
    await addressed.capture(batch(...people));
  });

  test.each([
    ["?email=Ann%40x.y", ["ann"]],
    ["?email=ann%40x.y", []],
    ["?email=nn%40x.", []],
    ["?email=A", []],
    ["?search=NN%40X", ["ann"]],
    ["?search=x.y", ["bob", "ann"]],
    ["?search=nN", ["ann"]],
    ["?search=%25", []],
    ["?search=a_n", []],
    ["?search=%22or", ["quote"]],
    ["?search=cat", ["cat"]],
    ["?search=ca", []],
    ["?search=%C3%89MILE", ["é"]],
    ["?search=%C4%B0", ["turk", "é"]],
    ["?search=%C4%B0pek%40", ["turk"]],
    ["?search=%C4%B0PEK%40", ["turk"]],
    ["?search=5", []],
    ["?search=x.y&distinct_id=bob", ["bob"]],
    ["?search=x.y&email=Ann%40x.y", ["ann"]],
    ["?search=&email=Ann%40x.y", ["ann"]],
  ])(
    "%s finds by a part of the address in any case, or by a distinct id",
    async (query, wanted) => {
      const matches = await list(addressed, query);

      expect([matches.count, idsOf(matches)]).toEqual([wanted.length, wanted]);
    },
  );

  test("knows addresses as they are by now, and only those of its project", async () => {
    const app = await newProject();
    await app.capture(batch(identified("ann", { email: "old@x.y", n: 1 })));
    await app.capture(batch(identified("ann", { email: "new@x.y" }), identified("bob", {})));
    await app.capture(batch(event({ distinct_id: "ann", properties: { $unset: ["n"] } })));
    const second = await app.app.projects.create({ name: "second" });

    expect((await list(app, "?search=old%40x")).count).toBe(0);
    expect((await list(app, "?search=new%40x")).count).toBe(1);
    const other = await app.ask("GET", `/api/environments/${second.id}/persons/?search=new%40x`);
    expect(other.body).toMatchObject({ count: 0, results: [] });
    const unset = event({ distinct_id: "ann", properties: { $unset: ["email"] } });
    await app.capture(batch(unset));
    expect((await list(app, "?email=new%40x.y")).count).toBe(0);
  });

  test("counts and lists exactly, whether it finds thousands or a few", async () => {
    const app = await newProject();
    const many = Array.from({ length: 2400 }, (_, n) => identified(`p${n}`, { email: `${n}@x.y` }));
    await app.capture(batch(...many));

    const found = await list(app, "?search=%40x.y&limit=1000");
    const few = await list(app, "?search=2119");

    expect([found.count, found.results.length, found.next === null]).toEqual([2400, 1000, false]);
    expect(idsOf(few)).toEqual(
      many
        .map(({ distinct_id }) => distinct_id)
        .filter((id) => id.includes("2119"))
        .toReversed(),
    );
  });
});

test("filters come in groups of AND and OR, as deep as may be", async () => {
  const is = (value: unknown) => ({ key: "k", value });
  const group = (type: string, ...values: object[]) => ({ type, values });
  const found = async (...all: object[]) => idsOf(await list(world, filters(...all))).toSorted();
  const either = group("OR", is("free"), group("AND", is(5), { key: "email", operator: "is_set" }));

  expect(await found(either)).toEqual(["five", "free"]);
  expect(await found(either, { ...is("free"), operator: "is_not" })).toEqual(["five"]);
  expect(await found(group("AND", either, group("OR"), is(5)))).toEqual(["five"]);
  expect(await found(group("AND"))).toHaveLength(ALL.length);
  for (const odd of [group("NOT", is(5)), { type: "OR", values: 5 }, group("OR", { value: 1 })]) {
    const { status, body } = await world.get(`/persons/${filters(odd)}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { attr: "properties" } });
  }
});

test("dates of filters, and of persons, are on the clock of the project's time zone", async () => {
  const app = await newProject();
  const zone = { timezone: "America/New_York" };
  const changed = await app.ask("PATCH", `/api/projects/${app.id}/`, { body: zone });
  expect(changed.status).toBe(200);
  const times = {
    day: "2026-01-15",
    early: "2026-01-15T04:59:59Z",
    late: "2026-01-15T23:59:00-05:00",
    bare: "2026-01-15 23:59",
    next: "2026-01-16T05:00:00Z",
  };
  await app.capture(batch(...Object.entries(times).map(([id, at]) => identified(id, { at }))));
  const found = async (operator: string, value: string) =>
    idsOf(await list(app, filters({ key: "at", operator, value }))).toSorted();

  expect(await found("is_date_exact", "2026-01-15")).toEqual(["bare", "day", "late"]);
  expect(await found("is_date_before", "2026-01-15")).toEqual(["early"]);
  expect(await found("is_date_after", "2026-01-15")).toEqual(["next"]);
  expect(await found("is_date_after", "2026-01-15 23:58")).toEqual(["bare", "late", "next"]);
  expect(await found("is_date_before", "2026-01-15T05:00:00Z")).toEqual(["early"]);
});

describe("a walk along the persons", () => {
  const QUERIES = ["", `&${filters({ key: "n", operator: "is_set" }).slice(1)}`, "&search=%40x.y"];

  test.each(turnOf(QUERIES, 0, QUERIES.length))(
    "by next%s neither skips nor repeats a person while others come and go",
    async (query) => {
      const app = await newProject();
      const made = (n: number) => {
        const timestamp = `2026-11-${String(10 + (n % 5)).padStart(2, "0")}T00:00:00Z`;
        return identified(`p${n}`, { n, email: `${n}@x.y` }, { timestamp });
      };
      await app.capture(batch(...Array.from({ length: 60 }, (_, n) => made(n))));
      const gone = new Set<string>();
      const walked: string[] = [];

      let next: string | null = `${app.api}/persons/?limit=7${query}`;
      for (let pages = 1; next !== null; pages += 1) {
        const { body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
        const page = body as Listed;
        if (page.next !== null) expect(page.results).toHaveLength(7);
        walked.push(...page.results.map(({ distinct_ids }) => distinct_ids[0] ?? ""));
        next = page.next;
        const [first] = page.results;
        if (pages % 3 !== 1 || first === undefined) continue;
        await app.ask("DELETE", `${app.api}/persons/${first.id}/`);
        gone.add(first.distinct_ids[0] ?? "");
        const later = { timestamp: "2026-11-20T00:00:00Z" };
        await app.capture(batch(identified(`late-${pages}`, { n: 0, email: "l@x.y" }, later)));
      }

      expect(new Set(walked).size).toBe(walked.length);
      expect(walked.toSorted()).toEqual(Array.from({ length: 60 }, (_, n) => `p${n}`).toSorted());
      expect(gone.size).toBeGreaterThan(2);
    },
  );

  test.each(turnOf(QUERIES, 1, QUERIES.length))(
    "by next%s meets each person once, in its first order, while others are merged and split",
    async (query) => {
      const app = await newProject();
      const names = Array.from({ length: 12 }, (_, n) => `p${n}`);
      const made = names.map((id, n) => {
        const timestamp = `2026-10-${30 - n}T00:00:00Z`;
        return identified(id, { n, email: `${id}@x.y` }, { timestamp });
      });
      await app.capture(batch(...made));
      const merge = (alias: string, distinct_id: string) =>
        event({ event: "$merge_dangerously", distinct_id, properties: { alias } });
      const split = async (of: string, ...distinct_ids_to_split: string[]) => {
        const [person] = (await list(app, `?distinct_id=${of}`)).results;
        const path = `${app.api}/persons/${person?.id}/split/`;
        const body = { distinct_ids_to_split };
        expect((await app.ask("POST", path, { body })).status).toBe(201);
      };
      await app.capture(batch(merge("p11", "p5")));
      const afterPage: Record<number, () => Promise<unknown>> = {
        1: () => app.capture(batch(merge("p10", "p1"), merge("p1", "p0"))),
        // Has p10, and so its time, with it.
        2: () => split("p0", "p1"),
        4: () => split("p5", "p11"),
      };
      const walked: (string | undefined)[] = [];

      let next: string | null = `${app.api}/persons/?limit=2${query}`;
      for (let pages = 1; next !== null; pages += 1) {
        const { body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
        const page = body as Listed;
        walked.push(...idsOf(page));
        next = page.next;
        await afterPage[pages]?.();
      }

      const from = (first: number, last: number) => names.slice(first, last + 1);
      expect(walked).toEqual([...from(0, 4), ...from(6, 9), "p11", "p5"]);
      const p1 = (await list(app, "?distinct_id=p10")).results[0];
      expect(p1).toMatchObject({
        distinct_ids: ["p1", "p10"],
        created_at: "2026-10-20T00:00:00.000000Z",
      });
      const listed = ["p0", ...from(2, 9), "p1", "p11"];
      expect(idsOf(await list(app, `?limit=99${query}`))).toEqual(listed);
    },
  );

  test("leads back by offset, and keeps the filters in its links", async () => {
    const app = await newProject();
    await app.capture(batch(...["a", "b", "c", "d"].map((id) => identified(id, { n: 1 }))));
    const query = `${filters({ key: "n", value: 1 })}&limit=2`;

    const first = await list(app, query);
    const { pathname, search } = new URL(first.next ?? "");
    const second = (await app.ask("GET", pathname + search)).body as Listed;
    const back = new URL(second.previous ?? "");
    const again = (await app.ask("GET", back.pathname + back.search)).body;

    expect([idsOf(first), idsOf(second)]).toEqual([
      ["d", "c"],
      ["b", "a"],
    ]);
    expect(second.next).toBeNull();
    expect(again).toMatchObject({ results: first.results as never });
  });
});

describe("a list of large persons", () => {
  const KIB = 1024;
  const ids = Array.from({ length: 12 }, (_, at) => `p${at}`);
  let app: TestProject;

  beforeAll(async () => {
    app = await newProject();
    const text = (at: number) => `${at}`.padEnd(500 * KIB, "x");
    await app.capture(batch(...ids.map((id, at) => identified(id, { text: text(at), n: at % 2 }))));
  });

  const asked = (query: string) => {
    const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
    const url = `http://localhost:8000${app.api}/persons/${query}`;
    return app.app.http("http://127.0.0.1:8000")(new Request(url, { headers }));
  };

  test.each(["", "?format=csv"])("comes in parts as it is read: %s", async (query) => {
    const lengths = await Array.fromAsync((await asked(query)).body ?? [], ({ length }) => length);

    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(12 * 500 * KIB);
    expect(Math.max(...lengths)).toBeLessThan(4 * 500 * KIB);
  });

  test("is as any other, and so are its pages", async () => {
    const all = await app.get("/persons/");
    const { count, next, previous, results } = all.body as Listed;

    expect(all.headers.get("content-type")).toBe("application/json;charset=utf-8");
    expect([count, next, previous]).toEqual([12, null, null]);
    expect(results.map(({ properties }) => properties)).toEqual(
      results.map(({ distinct_ids: [id = ""] }) => {
        const at = ids.indexOf(id);
        return { text: `${at}`.padEnd(500 * KIB, "x"), n: at % 2 };
      }),
    );
    const walked: string[] = [];
    let at: string | undefined = `${app.api}/persons/?limit=5`;
    while (at !== undefined) {
      const { count, next, ...page } = (await app.ask("GET", at)).body as Listed;
      expect(count).toBe(12);
      walked.push(...page.results.map(({ distinct_ids }) => String(distinct_ids[0])));
      at = next?.slice("http://127.0.0.1:8000".length);
    }
    expect(walked).toEqual(idsOf(all.body as Listed).map(String));
    const odd = await list(app, `${filters({ key: "n", value: 1 })}&limit=5`);
    expect([odd.count, odd.results.length, odd.next === null]).toEqual([6, 5, false]);
  });

  test("leaves out a person who is deleted before the row is read", async () => {
    const answer = await asked("");
    const parts = answer.body?.getReader();
    const first = await parts?.read();
    const [last] = (await list(app, "?limit=1&offset=11")).results;
    const gone = await app.ask("DELETE", `${app.api}/persons/${last?.id}/`);
    const texts = [first?.value];
    for (let part = await parts?.read(); part?.done === false; part = await parts?.read()) {
      texts.push(part.value);
    }

    expect(gone.status).toBe(204);
    const body = JSON.parse(Buffer.concat(texts.map((text) => text ?? Buffer.of())).toString());
    expect([body.count, idsOf(body).length, idsOf(body).includes("p0")]).toEqual([12, 11, false]);
  });

  test("is no whole answer if it fails on the way", async () => {
    async function* failing() {
      yield [2];
      await Bun.sleep(1);
      throw new Error("lost");
    }
    const page = { count: 3, next: null, results: [1] };
    using server = Bun.serve({ port: 0, fetch: () => sent(paged(page, failing()), SENDING) });
    const text = fetch(server.url).then((answer) => answer.text());

    await expect(text).rejects.toThrow();
  });
});

describe("persons as CSV", () => {
  const rowsOf = (body: unknown) => String(body).split("\r\n");

  test("are all there, also if a stranger with the project's key adds many columns", async () => {
    const app = await newProject();
    const odd = (n: number) =>
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`a ${n} ${at}`, at]));
    await app.capture(batch(identified("ann", { plan: "pro" }), identified("bob", { plan: "x" })));
    await app.capture(batch(...Array.from({ length: 40 }, (_, n) => identified(`o${n}`, odd(n)))));

    const { status, body } = await app.get("/persons/?format=csv");

    expect(status).toBe(200);
    const [head = "", ...lines] = String(body).trimEnd().split("\r\n");
    const columns = head.split(",");
    expect([columns.length, columns.at(-1), lines.length]).toEqual([16_384, "other", 42]);
    const plan = columns.indexOf("properties.plan");
    const plans = lines.map((line) => line.split(",")[plan]).filter((cell) => cell !== "");
    expect(plans.toSorted()).toEqual(["pro", "x"]);
    const values = String(body).match(/"properties\.a \d+ \d+""?:\d+|,\d+(?=[,\r])/g) ?? [];
    expect(values.length).toBeGreaterThanOrEqual(20_000);
  });

  test("are all there, taken apart into columns in a stable order, and no formulas", async () => {
    const app = await newProject();
    await app.capture(
      batch(
        identified("ann", { email: "ann@x.y", note: '=1+1,"x"', n: -5 }),
        event({ distinct_id: "anon" }),
        event({ event: "$create_alias", distinct_id: "anon", properties: { alias: "ann" } }),
        identified("bob", { at: { city: "Ulm", tags: ["a", "b"] } }),
      ),
    );

    const { status, headers, body } = await app.get("/persons/?format=csv");

    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    const [bob, ann] = (await list(app, "")).results;
    const at = "2026-11-21T12:00:00.000000Z";
    expect(rowsOf(body)).toEqual([
      "created_at,distinct_ids.0,distinct_ids.1,id,name,properties.at.city,properties.at.tags.0,properties.at.tags.1,properties.email,properties.n,properties.note,uuid",
      `${at},bob,,${bob?.id},bob,Ulm,a,b,,,,${bob?.uuid}`,
      `${at},ann,anon,${ann?.id},ann@x.y,,,,ann@x.y,-5,"'=1+1,""x""",${ann?.uuid}`,
      "",
    ]);
  });

  test("know the filters, and are cut only by a limit or offset of their own", async () => {
    const app = await newProject();
    const many = Array.from({ length: 1203 }, (_, n) => identified(`p${n}`, { n: n % 2 }));
    await app.capture(batch(...many));
    const count = async (query: string) =>
      rowsOf((await app.get(`/persons/?format=csv${query}`)).body).length - 2;
    const odd = `&${filters({ key: "n", value: 1 }).slice(1)}`;

    expect(await count("")).toBe(1203);
    expect(await count(odd)).toBe(601);
    expect(await count("&limit=1100")).toBe(1100);
    expect(await count("&offset=1200")).toBe(3);
    expect(await count(`${odd}&offset=600&limit=5`)).toBe(1);
    expect(await count("&distinct_id=p7")).toBe(1);
    expect(await count("&search=nobody")).toBe(0);
    expect(await app.get("/persons/?format=csv&limit=-1")).toMatchObject({ status: 400 });
  });

  test("come in parts as they are read, and are read no further than they are taken", async () => {
    const app = await newProject();
    const many = Array.from({ length: 1000 }, (_, n) => identified(`p${n}`, { n }));
    await app.capture(batch(...many));
    const handle = app.app.http("http://127.0.0.1:8000");
    const asked = () =>
      handle(
        new Request(`http://localhost:8000${app.api}/persons/?format=csv`, {
          headers: { authorization: `Bearer ${PERSONAL_KEY}` },
        }),
      );

    const parts = await Array.fromAsync((await asked()).body ?? [], (part) => part.length);
    const reader = (await asked()).body?.getReader();
    const head = await reader?.read();
    await reader?.cancel();

    expect(parts.length).toBeGreaterThan(4);
    expect(new TextDecoder().decode(head?.value)).toBe(
      "created_at,distinct_ids.0,id,name,properties.n,uuid\r\n",
    );
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  test("are not read on when the client has gone", async () => {
    const seen = { read: 0, ended: false };
    async function* endless() {
      try {
        for (;;) {
          seen.read += 1;
          yield "a\r\n";
        }
      } finally {
        seen.ended = true;
      }
    }

    const reader = sent(csv(endless()), SENDING).body?.getReader();
    await reader?.read();
    await reader?.cancel();

    expect(seen.ended).toBe(true);
    expect(seen.read).toBeLessThan(4);
  });

  test("of one person are a table of one row", async () => {
    const app = await newProject();
    await app.capture(batch(identified("ann", { plan: "pro" })));
    const { id, uuid } = (await list(app, "")).results[0] as Shown;

    expect((await app.get(`/persons/${id}/?format=csv`)).body).toBe(
      "created_at,distinct_ids.0,id,name,properties.plan,uuid\r\n" +
        `2026-11-21T12:00:00.000000Z,ann,${id},ann,pro,${uuid}\r\n`,
    );
  });
});

describe("a filter by property, while events come", () => {
  const OTHERS = 400;
  /** Sends so many events that their batch is a busy one, and the load waits for more. */
  const send = async (app: TestProject, ...events: object[]) => {
    const others = Array.from({ length: OTHERS }, (_, n) => event({ distinct_id: `other-${n}` }));
    const { status } = await app.ask("POST", "/batch/", { body: batch(...events, ...others) });
    expect(status).toBe(200);
  };
  const ids = Array.from({ length: 20 }, (_, n) => `ann-${n}`);
  const plan = (value: string) => filters({ key: "plan", value });

  test("sees the events later, and a page has the persons as they are now", async () => {
    const app = await newProject();
    await app.capture(batch(...ids.map((id) => identified(id, { plan: "pro" }))));
    expect((await list(app, plan("pro"))).count).toBe(20);

    await send(app, ...ids.map((id) => identified(id, { plan: "free" })));

    for (let left = 20; left > 0; await Bun.sleep(20)) {
      const found = await list(app, plan("pro"));
      expect(found.results).toHaveLength(found.count);
      left = found.count;
    }
    expect((await list(app, plan("free"))).count).toBe(20);
  });

  test("sees changes by users at once", async () => {
    const app = await newProject();
    await app.capture(batch(...ids.map((id) => identified(id, { plan: "pro" }))));
    const [first, second] = (await list(app, plan("pro"))).results;

    for (const value of ["a", "b", "c"]) {
      await send(app);
      const body = { properties: { plan: value } };
      await app.ask("PATCH", `${app.api}/persons/${first?.id}/`, { body });
      const found = await list(app, plan(value));
      expect([found.count, ...found.results.map(({ id }) => id)]).toEqual([1, first?.id ?? 0]);
    }
    await send(app);
    await app.ask("DELETE", `${app.api}/persons/${second?.id}/`);
    expect((await list(app, plan("pro"))).count).toBe(18);
  });
});
