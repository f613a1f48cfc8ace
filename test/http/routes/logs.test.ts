import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PAGE_BYTES_MAX } from "../../../src/core/values/page.ts";
import { logsBody } from "../../support/data/logs.ts";
import { type TestApp, type TestProject, testApp } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

type Shown = { uuid: string; timestamp: string; body: string };
type Found = { query: object; results: Shown[]; hasMore: boolean; nextCursor: string | null };

const QUERY = "/api/environments/1/logs/query/";
const PREFERRED = { prefer: "return=representation" };
const NOW = Date.parse("2026-11-21T12:00:00Z");
const newProject = sharedApp({ now: NOW });
const MINUTE_MS = 60_000;

/** Nanoseconds since the epoch, so many minutes before now. */
const ago = (minutes: number) => `${NOW - minutes * MINUTE_MS}000000`;

type Value = string | number | boolean | null;

const anyValue = (value: Value) => {
  if (value === null) return {};
  if (typeof value === "number") return { doubleValue: value };
  return typeof value === "boolean" ? { boolValue: value } : { stringValue: value };
};
const attributesOf = (values: Record<string, Value>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

/** The field with one attribute. */
const own = (k: Value) => ({ attributes: attributesOf({ k }) });

const record = (body: string, minutes: number, fields: object = {}) => ({
  timeUnixNano: ago(minutes),
  body: { stringValue: body },
  ...fields,
});

/** Captures records as one resource's, and waits until they can be found. */
async function send(
  { ask, app, token }: TestProject,
  records: object[],
  { resource = {} }: { resource?: Record<string, Value> } = {},
) {
  const body = logsBody(records, { attributes: attributesOf(resource) }, { name: "checkout" });
  const { status } = await ask("POST", "/i/v1/logs", { body, key: token });
  expect(status).toBe(200);
  await app.ingest.caughtUp();
}

async function find(
  { ask, api }: TestProject,
  query: object,
  path = `${api}/logs/query/`,
): Promise<Found> {
  const answer = await ask("POST", path, { body: { query }, headers: PREFERRED });
  expect(answer.status).toBe(200);
  return answer.body as Found;
}
const bodies = ({ results }: Found) => results.map(({ body }) => body);

/** Every page of a query along its cursors. */
async function walk(app: TestProject, query: object): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const found = await find(app, { ...query, after });
    expect(found.nextCursor === null).toBe(!found.hasMore);
    pages.push(bodies(found));
    after = found.nextCursor;
  }
  return pages;
}

let world: TestApp;

beforeAll(async () => {
  world = await testApp({ now: NOW });
  await send(
    world,
    [
      record("Payment timeout", 1, { severityNumber: 17, ...own("Pro plan") }),
      record("100% paid", 2, { severityText: "warn", ...own(5) }),
      record("cart opened", 3, own("10")),
      record("nothing", 4, own(null)),
      record("without", 5),
    ],
    { resource: { "service.name": "shop", host: "a", k: "of the shop" } },
  );
  await send(
    world,
    [
      record("long ago", 25 * 60, { severityNumber: 21, ...own("1.2.3") }),
      record("ahead", -10, { severityNumber: 1, ...own("2026-01-15T10:00:00Z") }),
    ],
    { resource: { "service.name": "mail", host: "b" } },
  );
});

afterAll(() => world[Symbol.asyncDispose]());

const RECENT = ["ahead", "Payment timeout", "100% paid", "cart opened", "nothing", "without"];
const ALL = { date_from: "-7d" };

describe("POST /api/environments/:project_id/logs/query/", () => {
  test.each<[string, object]>([
    ["no body", {}],
    ["an empty body", { body: {} }],
    ["an empty query", { body: { query: {} } }],
  ])(
    "takes %s for the last 24 hours, the latest first, and answers 200, empty",
    async (_, asked) => {
      const answer = await world.ask("POST", QUERY, asked);
      const preferred = await world.ask("POST", QUERY, { ...asked, headers: PREFERRED });

      expect(answer).toMatchObject({ status: 200, body: "" });
      expect(preferred.headers.get("preference-applied")).toBe("return=representation");
      expect(bodies(preferred.body as Found)).toEqual(RECENT);
      expect(preferred.body).toMatchObject({ query: {}, hasMore: false, nextCursor: null });
    },
  );

  test("works without its trailing slash, and for @current", async () => {
    expect(bodies(await find(world, {}, "/api/environments/1/logs/query"))).toEqual(RECENT);
    expect(bodies(await find(world, {}, "/api/environments/@current/logs/query"))).toEqual(RECENT);
  });

  test("shows a record whole, and the query as it was sent", async () => {
    const app = await newProject();
    const ids = { traceId: "5B8EFFF798038103D269B633813FC60C", spanId: "EEE19B7EC3C1B174" };
    const kind = { severityText: "ERROR2", severityNumber: 18, eventName: "payment.failed" };
    const times = { timeUnixNano: "1795262399389123456", observedTimeUnixNano: ago(0) };
    const attributes = attributesOf({ "http.route": "/cart", n: 2 });
    await send(app, [{ ...record("late", 0), ...ids, ...kind, ...times, attributes }], {
      resource: { "service.name": "shop" },
    });
    const query = { searchTerm: "LATE", limit: 5, dateRange: { date_from: "-1h", date_to: null } };

    expect(await find(app, query)).toEqual({
      query,
      results: [
        {
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          timestamp: "2026-11-21T11:59:59.389123Z",
          observed_timestamp: "2026-11-21T12:00:00.000000Z",
          severity_text: "ERROR2",
          severity_number: 18,
          level: "error",
          service_name: "shop",
          body: "late",
          attributes: { "http.route": "/cart", n: 2 },
          resource_attributes: { "service.name": "shop" },
          trace_id: "5b8efff798038103d269b633813fc60c",
          span_id: "eee19b7ec3c1b174",
          instrumentation_scope: { name: "checkout" },
          event_name: "payment.failed",
        } as Shown,
      ],
      hasMore: false,
      nextCursor: null,
    });
  });

  test.each<[string, object, string[]]>([
    ["an age", { dateRange: { date_from: "-150M" } }, RECENT],
    ["days", { dateRange: ALL }, [...RECENT, "long ago"]],
    [
      "both ends, inclusive",
      { dateRange: { date_from: "-3M", date_to: "-2M" } },
      ["100% paid", "cart opened"],
    ],
    [
      "a whole day",
      { dateRange: { date_from: "2026-11-20", date_to: "2026-11-20" } },
      ["long ago"],
    ],
    ["a day back from an end", { dateRange: { date_to: "-24h" } }, ["long ago"]],
    ["a level", { severityLevels: ["error"] }, ["Payment timeout"]],
    ["levels", { severityLevels: ["trace", "warn"] }, ["ahead", "100% paid"]],
    ["no level", { severityLevels: [], serviceNames: [] }, RECENT],
    ["a service", { serviceNames: ["mail"] }, ["ahead"]],
    ["services", { serviceNames: ["mail", "nobody's"], dateRange: ALL }, ["ahead", "long ago"]],
    ["a part of the body", { searchTerm: "TIME" }, ["Payment timeout"]],
    ["a part with a sign", { searchTerm: "%" }, ["100% paid"]],
    ["a part that is no wildcard", { searchTerm: "p_id" }, []],
    ["a part that is SQL", { searchTerm: "'); DROP TABLE logs; --" }, []],
    ["the other order", { orderBy: "earliest", limit: 2 }, ["without", "nothing"]],
    ["an offset", { offset: 1, limit: 2 }, ["Payment timeout", "100% paid"]],
    [
      "all at once",
      { severityLevels: ["info"], serviceNames: ["shop"], searchTerm: "t", limit: 2 },
      ["cart opened", "nothing"],
    ],
  ])("finds by %s: %j", async (_, query, wanted) => {
    expect(bodies(await find(world, query))).toEqual(wanted);
  });

  test("checks the query by default, too, and names the field", async () => {
    for (const headers of [{}, PREFERRED]) {
      for (const [query, field, code = "invalid_input"] of MALFORMED) {
        const answer = await world.ask("POST", QUERY, { body: { query }, headers });
        expect(answer).toMatchObject({ status: 400, body: { attr: `query${field}`, code } });
      }
    }
    expect(
      await world.ask("POST", QUERY, { body: { queri: {}, querie: { limit: 1 } } }),
    ).toMatchObject({ status: 400, body: { attr: "querie", code: "invalid_input" } });
    const asIs = (body: string, type = "application/json") =>
      world.ask("POST", QUERY, { body, headers: { "content-type": type } });
    for (const [body, fault] of [
      ["{", "ends early, at byte 1"],
      ['{"query": {"limit" 5}}', "Byte 19: "],
      ['{"query": NaN}', "NaN"],
    ] as const)
      expect(await asIs(body)).toMatchObject({
        ...{ status: 400, body: { code: "parse_error", detail: expect.stringContaining(fault) } },
      });
    expect(await asIs("[]")).toMatchObject({ status: 400, body: { code: "invalid_input" } });
    expect(await asIs("{}", "text/plain")).toMatchObject({ status: 415 });
  });

  test("takes dates without a zone for those of the project's clock, also in attributes", async () => {
    const app = await newProject();
    await app.ask("PATCH", `/api/projects/${app.id}/`, { body: { timezone: "America/New_York" } });
    // Midnight there is five hours later.
    await send(app, [
      record("the day before", 7 * 60 + 1, own("2026-11-20T23:00:00")),
      record("of the day", 6 * 60, own("2026-11-21T04:00:00Z")),
    ]);
    const day = "2026-11-21";
    const filter = (value: string) => ({
      filterGroup: { values: [{ key: "k", operator: "is_date_exact", value }] },
    });

    expect(bodies(await find(app, { dateRange: { date_from: day } }))).toEqual(["of the day"]);
    expect(bodies(await find(app, filter("2026-11-20")))).toEqual(["of the day", "the day before"]);
    expect(bodies(await find(app, filter(day)))).toEqual([]);
  });
});

const grouped = (filter: object) => ({ filterGroup: { values: [filter] } });

/** Malformed queries, with the field and the code of the error. */
const MALFORMED: [query: unknown, field: string, code?: string][] = [
  ["latest", ""],
  [{ dateRange: "-7d" }, "__dateRange"],
  [{ dateRange: { date_from: 7 } }, "__dateRange__date_from"],
  [{ dateRange: { date_to: "soon" } }, "__dateRange__date_to"],
  [{ severityLevels: "error" }, "__severityLevels"],
  [{ severityLevels: ["loud"] }, "__severityLevels", "invalid_choice"],
  [{ serviceNames: [5] }, "__serviceNames__0"],
  [{ searchTerm: 5 }, "__searchTerm"],
  [{ orderBy: "newest" }, "__orderBy", "invalid_choice"],
  [{ limit: "7" }, "__limit"],
  [{ limit: 1.5 }, "__limit"],
  [{ offset: -1 }, "__offset"],
  [{ after: "x" }, "__after"],
  [{ severityLevel: ["error"] }, "__severityLevel"],
  [{ dateRange: { date_from: "-1d", date_to: "-7d" } }, "__dateRange__date_to"],
  [{ filterGroup: ["k"] }, "__filterGroup"],
  [grouped({ key: "k", operator: "near", value: 1 }), "__filterGroup"],
  [grouped({ key: "k", operator: "regex", value: "(" }), "__filterGroup"],
  [grouped({ key: "k", operator: "not_regex", value: "(?=a)" }), "__filterGroup"],
];

describe("a filter by attribute", () => {
  const without = (...names: string[]) => RECENT.filter((name) => !names.includes(name));
  const passed = async (filterGroup: unknown) => bodies(await find(world, { filterGroup }));

  test.each<[string, unknown, string[]]>([
    ["exact", "Pro plan", ["Payment timeout"]],
    ["exact", ["10", 5], ["100% paid", "cart opened"]],
    ["exact", "'; DROP TABLE logs; --", []],
    ["is_not", "Pro plan", without("Payment timeout")],
    ["icontains", "PLAN", ["Payment timeout"]],
    ["not_icontains", "PLAN", without("Payment timeout")],
    ["starts_with", "Pro", ["Payment timeout"]],
    ["regex", "^(Pro|10)", ["Payment timeout", "cart opened"]],
    ["not_regex", "^(Pro|10)", without("Payment timeout", "cart opened")],
    ["gt", 5, ["cart opened"]],
    ["lte", 5, ["100% paid"]],
    ["between", [5, 10], ["100% paid", "cart opened"]],
    ["is_set", "is_set", without("nothing", "without")],
    ["is_not_set", undefined, ["nothing", "without"]],
    ["is_date_before", "-7d", ["ahead"]],
  ])("%s %j finds records by the value", async (operator, value, wanted) => {
    const filter = { key: "k", operator, value, type: "log_attribute" };
    expect(await passed({ type: "AND", values: [{ type: "AND", values: [filter] }] })).toEqual(
      wanted,
    );
  });

  test("looks at the record, at its resource, or at both", async () => {
    const where = (type: string | undefined, value: string) =>
      passed({ values: [{ key: "k", value, ...(type === undefined ? {} : { type }) }] });
    const ofShop = without("ahead");

    expect(await where("log_attribute", "of the shop")).toEqual([]);
    expect(await where("log_resource_attribute", "of the shop")).toEqual(ofShop);
    expect(await where("log_resource_attribute", "Pro plan")).toEqual([]);
    for (const type of ["log", undefined]) {
      expect(await where(type, "of the shop")).toEqual(["nothing", "without"]);
      expect(await where(type, "Pro plan")).toEqual(["Payment timeout"]);
    }
    expect(await passed({ values: [{ key: "service.name", value: "mail" }] })).toEqual(["ahead"]);
  });

  test("is one of a group, which asks for all of its filters or for any", async () => {
    const [five, ten] = [5, 10].map((value) => ({ key: "k", value }));
    const [a, b] = ["a", "b"].map((value) => ({ key: "host", value }));
    const either = { type: "OR", values: [five, ten] };

    expect(await passed(either)).toEqual(["100% paid", "cart opened"]);
    expect(await passed({ values: [five, ten] })).toEqual([]);
    expect(await passed({ type: "AND", values: [either, a] })).toEqual([
      "100% paid",
      "cart opened",
    ]);
    expect(await passed({ type: "AND", values: [either, b] })).toEqual([]);
    expect(await passed({ type: "OR", values: [{ values: [five, a] }, b] })).toEqual([
      "ahead",
      "100% paid",
    ]);
    expect(await passed({ type: "OR", values: [{ type: "AND", values: [] }] })).toEqual(RECENT);
  });

  test("may have a thousand values, also where there is little memory", async () => {
    await using app = await testApp({ now: NOW, flags: { "--memory": "128" } });
    const many = Array.from({ length: 5000 }, (_, n) => record(`${n}`, 1, own(`k${n}.`)));
    await send(app, many, { resource: { "service.name": "4999" } });
    const value = Array.from({ length: 1000 }, (_, n) => `K${n}.`);
    const withK = (operator: string) => ({
      filterGroup: { values: [{ key: "k", operator, value }] },
      orderBy: "earliest",
    });

    expect(bodies(await find(app, withK("icontains")))).toEqual(value.map((_, n) => `${n}`));
    expect((await find(app, { ...withK("is_not"), limit: 1 })).hasMore).toBe(true);
    const serviceNames = value.map((_, n) => `${n + 4000}`);
    expect((await find(app, { serviceNames, limit: 1 })).hasMore).toBe(true);
  });
});

describe("paging", () => {
  const names = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => `${prefix}${n}`);

  test.each(["latest", "earliest"])(
    "along nextCursor shows each record once, the %s first, also those of one time",
    async (orderBy) => {
      const app = await newProject();
      const [same, each] = [names(5, "same "), names(4, "each ")];
      await send(app, [
        ...same.map((name) => record(name, 10)),
        ...each.map((name, n) => record(name, 9 - n)),
      ]);

      const pages = await walk(app, { orderBy, limit: 2 });

      const earliest = [...same, ...each];
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 2, 1]);
      expect(pages.flat()).toEqual(orderBy === "latest" ? earliest.reverse() : earliest);
    },
  );

  test("is not moved by records that come meanwhile", async () => {
    const app = await newProject();
    await send(
      app,
      names(4, "old ").map((name) => record(name, 10)),
    );

    const first = await find(app, { limit: 2 });
    await send(
      app,
      names(3, "new ").map((name) => record(name, 1)),
    );
    const second = await find(app, { limit: 2, after: first.nextCursor });

    expect([...bodies(first), ...bodies(second)]).toEqual(names(4, "old ").reverse());
    expect(second).toMatchObject({ hasMore: false, nextCursor: null });
  });

  test("ends a page early where its records are large, and continues after it", async () => {
    const app = await newProject();
    const large = "x".repeat(1_000_000);
    const count = Math.ceil(PAGE_BYTES_MAX / large.length) + 3;
    for (const name of names(count, "")) {
      await send(app, [record(name, 1, { attributes: attributesOf({ large }) })]);
    }

    const pages = await walk(app, {});

    expect(pages.map(({ length }) => length)).toEqual([count - 3, 3]);
    expect(pages.flat()).toEqual(names(count, "").reverse());
  });
});
