import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../../../support/data/build-records.ts";
import { randomChoices } from "../../../support/data/random-choices.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";
import { seedOf } from "../../../support/start/rounds.ts";

const ASK = "/api/environments/1/max_tools/create_and_query_insight/";
const PREFER = { prefer: "return=representation" };

/** A zone whose clock changed on 1 November, within the period of most questions. */
const ZONE = "America/New_York";
const NOW = Date.parse("2026-11-21T17:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 1440 * MINUTE_MS;

type Sent = {
  event: string;
  person: string;
  visit: string;
  /** Milliseconds, and what the clock of the zone shows then. */
  at: number;
  clock: string;
  properties: Record<string, unknown>;
};

const SEED = seedOf();
const dice = randomChoices(SEED);
let app: TestApp;
let sent: Sent[];

beforeAll(async () => {
  app = await testApp({ now: NOW });
  await app.ask("PATCH", "/api/projects/1/", { body: { timezone: ZONE } });
  sent = Array.from({ length: 60 }, (_, at) => visitsOf(`visitor ${at}`)).flat();
  const events = sent.map(({ event: name, person, at, properties }) =>
    event({
      event: name,
      distinct_id: dice.chance(0.5) ? person : `phone of ${person}`,
      timestamp: new Date(at).toISOString(),
      properties,
    }),
  );
  const people = [...new Set(sent.map(({ person }) => person))];
  const merges = people.map((person) =>
    event({
      event: "$create_alias",
      distinct_id: person,
      timestamp: new Date(NOW - 60 * DAY_MS).toISOString(),
      properties: { alias: `phone of ${person}` },
    }),
  );
  const named = people.map((person) =>
    event({
      event: "$set",
      distinct_id: person,
      timestamp: new Date(NOW - 60 * DAY_MS).toISOString(),
      properties: { $set: { email: emailOf(person), plan: planOf(person) } },
    }),
  );
  await app.capture(batch(...merges, ...named));
  await app.capture(batch(...events));
});

afterAll(() => app[Symbol.asyncDispose]());

const emailOf = (person: string) => `${person.replace(" ", ".")}@example.com`;
const planOf = (person: string) => (person.endsWith("3") ? "pro" : "free");

/** Some visits of one visitor in the last 50 days. */
function visitsOf(person: string): Sent[] {
  const country = dice.pick(["Germany", "France", "Austria"]);
  return dice.several(4, () => visit(person, country)).flat();
}

function visit(person: string, country: string): Sent[] {
  const id = Bun.randomUUIDv7();
  const common = {
    $session_id: id,
    $geoip_country_name: country,
    $device_type: dice.pick(["Desktop", "Mobile"]),
    utm_source: dice.pick(["google", "newsletter"]),
  };
  let at = NOW - Math.floor(dice.random() * 50 * DAY_MS) - DAY_MS;
  const list: Sent[] = [];
  const add = (name: string, properties: object = {}) => {
    at += Math.floor((1 + dice.random() * 30) * 1000);
    const clock = new Date(at).toLocaleString("sv-SE", { timeZone: ZONE });
    list.push({
      event: name,
      person,
      visit: id,
      at,
      clock,
      properties: { ...common, ...properties },
    });
  };
  for (const $pathname of dice.several(4, () => dice.pick(["/", "/pricing", "/cart", "/blog"]))) {
    add("$pageview", { $pathname });
    if (dice.chance(0.2)) add("$autocapture");
  }
  if (dice.chance(0.5))
    add("search", { query: dice.pick(["tent", "boots"]), results: Math.floor(dice.random() * 9) });
  if (dice.chance(0.4)) add("add_to_cart", { product: dice.pick(["Tent", "Boot"]) });
  if (dice.chance(0.3)) {
    add("purchase", {
      product: dice.pick(["Tent", "Boot", "Lamp"]),
      amount: Math.round(dice.random() * 20_000) / 100,
      payment: dice.pick(["card", "paypal"]),
    });
  }
  return list;
}

type Line = {
  label: string;
  breakdown_value: string | null;
  data: (number | null)[];
  aggregated_value: number | null;
  compare_label?: string;
  target?: string;
};
type Answer = { columns: string[]; results: Line[]; explanation: string; sql: string };

async function ask(query: string): Promise<Answer> {
  const { status, body } = await app.ask("POST", ASK, { body: { query }, headers: PREFER });
  expect([query, status, status === 200 ? "" : (body as { detail: string }).detail]).toEqual([
    query,
    200,
    "",
  ]);
  return body as Answer;
}

/** The one number of an answer. */
async function numberOf(query: string): Promise<number | null | undefined> {
  const { results } = await ask(query);
  expect([query, results.length, results[0]?.data.length]).toEqual([query, 1, 1]);
  return results[0]?.aggregated_value;
}

/** The numbers of an answer by their labels. */
async function rowsOf(query: string): Promise<Record<string, number | null>> {
  const { results } = await ask(query);
  return Object.fromEntries(
    results.map((line) => [String(line.breakdown_value), line.aggregated_value]),
  );
}

/** The first of so many days up to today, by the clock of the zone. */
const firstOf = (days: number) =>
  new Date(Date.parse("2026-11-21") - (days - 1) * DAY_MS).toISOString().slice(0, 10);

const since = (days: number) => {
  const first = firstOf(days);
  return sent.filter(({ clock }) => clock.slice(0, 10) >= first);
};
const named = (name: string, days = 30) => since(days).filter((one) => one.event === name);
const persons = (events: readonly Sent[]) => new Set(events.map(({ person }) => person)).size;
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const amounts = (events: readonly Sent[]) =>
  events.map(({ properties }) => Number(properties["amount"]));

function countsBy(
  events: readonly Sent[],
  keyOf: (one: Sent) => unknown,
  count = (list: Sent[]) => list.length,
) {
  const groups = Map.groupBy(events, (one) => String(keyOf(one)));
  return Object.fromEntries([...groups].map(([key, list]) => [key, count(list)]));
}

/** Visits that begin in the last 30 days, with all their events. */
function visits() {
  const all = [...Map.groupBy(sent, ({ visit: id }) => id).values()];
  const first = firstOf(30);
  return all
    .filter(([one]) => (one?.clock ?? "").slice(0, 10) >= first)
    .map((list) => {
      const views = list.filter((one) => one.event === "$pageview");
      const seconds = ((list.at(-1)?.at ?? 0) - (list[0]?.at ?? 0)) / 1000;
      const isClicked = list.some((one) => one.event === "$autocapture");
      return {
        ...{ list, seconds, views: views.length, entry: views[0]?.properties["$pathname"] },
        bounced: views.length === 1 && !isClicked && seconds < 10,
      };
    });
}

const close = (value: number | null | undefined, expected: number) =>
  expect(value ?? Number.NaN).toBeCloseTo(expected, 6);

/** The page views of a person in order, divided where half an hour is without one. */
function pathsOf(list: readonly Sent[]): Sent[][] {
  const paths: Sent[][] = [];
  for (const one of list.toSorted((a, b) => a.at - b.at)) {
    const path = paths.at(-1);
    const last = path?.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    if (path === undefined || one.at - last > 30 * MINUTE_MS) paths.push([one]);
    else path.push(one);
  }
  return paths;
}

describe("a question in plain English", () => {
  test("counts events, persons, sessions and values as plain loops do", async () => {
    const bought = named("purchase");
    expect(await numberOf("How many purchases did we have in the last 30 days?")).toBe(
      bought.length,
    );
    expect(await numberOf("How many customers bought something in the last 30 days?")).toBe(
      persons(bought),
    );
    expect(await numberOf("visitors in the last 30 days")).toBe(persons(named("$pageview")));
    expect(await numberOf("how many different products were bought in the last 30 days?")).toBe(
      new Set(bought.map(({ properties }) => properties["product"])).size,
    );
    close(await numberOf("revenue in the last 30 days"), sum(amounts(bought)));
    close(await numberOf("average order value last 30 days"), sum(amounts(bought)) / bought.length);
    close(await numberOf("highest order value of the last 30 days"), Math.max(...amounts(bought)));
    close(await numberOf("purchases per customer last 30 days"), bought.length / persons(bought));
  });

  test("counts exactly the hours before now", async () => {
    const inHours = (from: number, to: number) =>
      sent.filter(
        ({ event: name, at }) =>
          name === "$pageview" && at > NOW - from * HOUR_MS && at <= NOW - to * HOUR_MS,
      ).length;
    for (const hours of [100, 500]) {
      const { results } = await ask(`how many page views in the last ${hours} hours`);
      expect(results[0]?.aggregated_value).toBe(inHours(hours, 0));
      expect(await numberOf(`$pageview last ${hours} hours in total`)).toBe(inHours(hours, 0));
    }
  });

  test("breaks down and filters", async () => {
    expect(await rowsOf("purchases by payment method in the last 30 days")).toEqual(
      countsBy(named("purchase"), ({ properties }) => properties["payment"]),
    );
    expect(await rowsOf("visitors by country in the last 30 days")).toEqual(
      countsBy(named("$pageview"), ({ properties }) => properties["$geoip_country_name"], persons),
    );
    const over = named("purchase").filter(({ properties }) => Number(properties["amount"]) > 100);
    expect(await numberOf("orders over 100 euros in the last 30 days")).toBe(over.length);
    const german = named("$pageview").filter(
      ({ properties }) => properties["$geoip_country_name"] === "Germany",
    );
    expect(await numberOf("visitors from Germany in the last 30 days")).toBe(persons(german));
    close(
      await numberOf("What share of page views is from Germany? Last 30 days"),
      (100 * german.length) / named("$pageview").length,
    );
    expect(await rowsOf("purchases by hour of the day in the last 30 days")).toEqual(
      countsBy(named("purchase"), ({ clock }) => Number(clock.slice(11, 13))),
    );
  });

  test("tells of sessions: number, length, bounces, pages, where they begin", async () => {
    const all = visits();
    expect(await numberOf("how many sessions in the last 30 days")).toBe(all.length);
    close(
      await numberOf("average session length in the last 30 days"),
      sum(all.map(({ seconds }) => seconds)) / all.length,
    );
    close(
      await numberOf("bounce rate in the last 30 days"),
      (100 * all.filter(({ bounced }) => bounced).length) / all.length,
    );
    close(
      await numberOf("pages per session in the last 30 days"),
      sum(all.map(({ views }) => views)) / all.length,
    );
    const entries = Map.groupBy(all, ({ entry }) => String(entry));
    expect(await rowsOf("landing pages of the last 30 days")).toEqual(
      Object.fromEntries([...entries].map(([entry, list]) => [entry, list.length])),
    );
    const mobile = all.filter(({ list }) => list[0]?.properties["$device_type"] === "Mobile");
    expect(await numberOf("sessions on mobile in the last 30 days")).toBe(mobile.length);
  });

  test("looks at what each person did", async () => {
    const did = (name: string) => new Set(named(name).map(({ person }) => person));
    const [carted, bought] = [did("add_to_cart"), did("purchase")];
    expect(
      await numberOf("who added to the cart but did not buy? last 30 days, how many people"),
    ).toBe([...carted].filter((person) => !bought.has(person)).length);
    const onPricing = new Set(
      named("$pageview")
        .filter(({ properties }) => properties["$pathname"] === "/pricing")
        .map(({ person }) => person),
    );
    expect(await numberOf("how many visitors saw /pricing and bought in the last 30 days")).toBe(
      [...onPricing].filter((person) => bought.has(person)).length,
    );
    expect(await numberOf("how many users searched and bought in the last 30 days")).toBe(
      [...did("search")].filter((person) => bought.has(person)).length,
    );
    expect(await numberOf("how many visitors of /pricing did not search in the last 30 days")).toBe(
      [...onPricing].filter((person) => !did("search").has(person)).length,
    );
    const isLater = (one: Sent) =>
      named("search").some(
        ({ person, at }) => person === one.person && at < one.at && one.at <= at + 14 * DAY_MS,
      );
    const { results: stepped } = await ask(
      "how many users searched and then bought in the last 30 days",
    );
    expect(stepped[0]?.data).toEqual([
      did("search").size,
      persons(named("purchase").filter(isLater)),
    ]);
    const counts = Object.values(countsBy(named("purchase"), ({ person }) => person));
    expect(await numberOf("how many customers bought at least 2 times in the last 30 days")).toBe(
      counts.filter((count) => count >= 2).length,
    );
    const firsts = new Map(
      sent
        .filter((one) => one.event === "$pageview")
        .toSorted((a, b) => b.at - a.at)
        .map((one) => [one.person, one.at]),
    );
    const isNew = (person: string) =>
      named("$pageview").some((one) => one.person === person && one.at === firsts.get(person));
    const active = [...did("$pageview")];
    const { results: both } = await ask("new vs returning visitors last 30 days");
    expect(both.map(({ aggregated_value }) => aggregated_value)).toEqual([
      active.filter(isNew).length,
      active.filter((person) => !isNew(person)).length,
    ]);
    const days = countsBy(
      named("$pageview"),
      ({ person }) => person,
      (list) => new Set(list.map(({ clock }) => clock.slice(0, 10))).size,
    );
    expect(await numberOf("how many visitors came on at least 2 days in the last 30 days")).toBe(
      Object.values(days).filter((count) => count >= 2).length,
    );
  });

  test("follows pages within a visit, where the same page twice in a row is one", async () => {
    const after: Record<string, number> = {};
    const ofPeriod = named("$pageview");
    const byPerson = Map.groupBy(ofPeriod, ({ person }) => person).values();
    for (const list of [...byPerson].flatMap(pathsOf)) {
      const places = list.map(({ properties }) => String(properties["$pathname"]));
      const turns = places.filter((place, at) => place !== places[at - 1]);
      const at = turns.indexOf("/pricing");
      const next = at < 0 ? undefined : turns[at + 1];
      if (next !== undefined) after[next] = (after[next] ?? 0) + 1;
    }
    const { results } = await ask("Where do visitors go after /pricing? Last 30 days");
    const ways = results.map(({ target = "", aggregated_value }) => [
      target.replace(/^\d+_/, ""),
      aggregated_value,
    ]);
    expect(Object.fromEntries(ways)).toEqual(after);
  });

  test("knows one person, of all time", async () => {
    const [{ person } = { person: "" }] = sent;
    const own = sent.filter((one) => one.person === person);
    expect(await numberOf(`how many page views has ${emailOf(person)} made`)).toBe(
      own.filter((one) => one.event === "$pageview").length,
    );
    const cells = async (query: string) => (await ask(query)).results as unknown as string[][];
    const did = await cells(`what has ${emailOf(person)} done so far?`);
    for (const [name, list] of Map.groupBy(own, (one) => one.event)) {
      expect(did.filter(([, one]) => one === name)).toHaveLength(list.length);
    }
    expect(await cells(`which plan is ${emailOf(person)} on?`)).toEqual([[planOf(person)]]);
    const ofPro = new Set(sent.map((one) => one.person).filter((one) => planOf(one) === "pro"));
    expect(await cells("how many users are on the pro plan?")).toEqual([[ofPro.size]] as never);
  });

  test("compares with the period before, and says how it was read", async () => {
    const { results, explanation } = await ask("revenue this month vs last month");
    const inMonth = (month: string, last: string) =>
      sum(
        amounts(
          sent.filter(
            ({ event: name, clock }) =>
              name === "purchase" && clock.startsWith(month) && clock < last,
          ),
        ),
      );
    expect(results.map(({ compare_label }) => compare_label)).toEqual(["current", "previous"]);
    close(results[0]?.aggregated_value, inMonth("2026-11", "2026-11-22"));
    close(results[1]?.aggregated_value, inMonth("2026-10", "2026-10-21 13:00:00"));
    expect(explanation).toBe(
      "Sum of amount of purchases, this month, compared to 1 month earlier (1 Nov to 21 Nov 2026, America/New_York, compared to 1 Oct 00:00 to 21 Oct 2026 13:00).",
    );
  });

  test("has a row for each of the top, and an interval only where one was asked for", async () => {
    const { results, columns } = await ask("top 2 pages in the last 30 days");
    expect([columns, results.length]).toEqual([["total"], 2]);
    const weekly = await ask("bounce rate per week over the last 4 weeks");
    expect(weekly.columns.length).toBe(weekly.results[0]?.data.length ?? 0);
    expect(weekly.columns.length).toBeGreaterThan(3);
  });

  test("is one table as text, under the sentence that says how it was read", async () => {
    const query = "top 2 pages in the last 30 days";
    const { text } = await app.ask("POST", `${ASK}?format=txt`, {
      body: { query },
      headers: PREFER,
    });
    const [name, explanation, empty, heads, ...rows] = text.trimEnd().split("\n");
    expect([name, empty, heads?.trim(), rows.length]).toEqual([query, "", "$pageview", 2]);
    expect(explanation).toBe(
      "Page views by page, top 2, last 30 days (23 Oct to 21 Nov 2026, America/New_York).",
    );
    expect(rows[0]).toMatch(/^\/\S* +\d+ +█+$/);
  });

  test("is drafted as the SQL that answers it", async () => {
    const question = "visitors in the last 30 days";
    const { sql, results } = await ask(question);
    const drafted = await app.get(`/query/draft_sql/?prompt=${encodeURIComponent(question)}`, {
      headers: PREFER,
    });
    expect(drafted.body).toEqual({ sql });
    const ran = await app.ask("POST", "/api/environments/1/query/", {
      body: { query: { kind: "HogQLQuery", query: sql } },
    });
    expect((ran.body as { results: (number | string)[][] }).results).toEqual([
      ["A", results[0]?.aggregated_value as number],
    ]);
  });

  test.each([
    ["Why did purchases drop last week?", "Why"],
    ["What will revenue be next month?", "will"],
    ["purchases by query", "query"],
  ])("is refused with the word and with questions that are answered: %s", async (query, word) => {
    const { status, body } = await app.ask("POST", ASK, { body: { query }, headers: PREFER });
    const { detail } = body as { detail: string };
    expect([status, detail.startsWith(JSON.stringify(word))]).toEqual([400, true]);
    const offers = detail.slice(detail.indexOf(":")).match(/"[^"]+"/g) ?? [];
    expect(offers.length).toBeGreaterThan(2);
    for (const offer of offers) await ask(JSON.parse(offer));
  });
});
