import { beforeAll, describe, expect, test } from "bun:test";
import { type OpenApi, operationsOf, type Parameter } from "../support/answers/document.ts";
import { HOSTILE_TEXTS } from "../support/answers/hostile.ts";
import { concrete } from "../support/answers/operations.ts";
import { asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { turnOf } from "../support/start/rounds.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const ENVIRONMENT = "/api/environments/1";

/** More than a page may have. */
const MANY = 1003;

/** Texts that are no whole number as JSON writes it. */
const NO_NUMBERS = [
  ...["NaN", "Infinity", "-Infinity", "1e3", "1E3", "1e18", "1.0", "1.5", ".5", "5.", "0x10"],
  ...[
    "0b1",
    "1_000",
    "1,000",
    "1 000",
    " 1",
    "1 ",
    "+1",
    "--1",
    "",
    "null",
    "undefined",
    "true",
    "[]",
  ],
  ...["[1]", "{}", '"1"', "1,2", "１", "١", "1\0", "\0", "1;DROP TABLE person", "1'--", "1n", "٣"],
  ...["1000000000000000000", "9223372036854775807", "9223372036854775808", "9".repeat(400)],
];

/** Whole numbers that no list can have anything at. */
const NUMBERS = ["-1", "-9007199254740991", "1000000000", "9007199254740991", "9007199254740992"];

const server = sharedServer();
const ask = asker(server);
let document: OpenApi;
const ids = { playlist: "x", insight: "x" };

beforeAll(async () => {
  document = (await ask("GET", "/openapi.json")).body as OpenApi;
  const group = (n: number) => ({
    event: "$groupidentify",
    distinct_id: "ann",
    properties: { $group_type: "company", $group_key: `k${n}`, $group_set: { n } },
  });
  const numbers = Array.from({ length: MANY }, (_, n) => n);
  await server.capture(
    batch(
      ...[event(), event({ distinct_id: "new" })],
      event({ event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } }),
      ...numbers.map((n) => event({ distinct_id: `p${n}` })),
      ...numbers.map((n) => event(group(n))),
    ),
  );
  await server.stored(2 * MANY + 3);
  const playlists = `${ENVIRONMENT}/session_recording_playlists/`;
  const made = await ask("POST", playlists, { body: { name: "first" } });
  ids.playlist = (made.body as { short_id: string }).short_id;
  const asked = await ask("POST", `${ENVIRONMENT}/max_tools/create_and_query_insight/`, {
    body: { query: { kind: "TrendsQuery", series: [{}] } },
  });
  ids.insight = (asked.body as { insight: { short_id: string } }).insight.short_id;
  for (let n = 0; n < 3; n++) {
    await ask("POST", playlists, { body: {} });
    await ask("POST", `${ENVIRONMENT}/dashboards/`, { body: {} });
    await ask("POST", `${ENVIRONMENT}/annotations/`, { body: { content: "x" } });
  }
});

/** Every read that has a query, with the path to something that is there. */
function reads(): { path: string; parameters: Parameter[] }[] {
  return operationsOf(document).flatMap(({ path, method, operation }) => {
    const parameters = (operation.parameters ?? []).filter((one) => one.in === "query");
    const template = path.replace(/\{(\w+)\}/g, ":$1");
    const isRead = method === "get" && operation.security?.length === 1 && parameters.length > 0;
    return isRead ? [{ path: concrete(template, ids), parameters }] : [];
  });
}

/** A value that each parameter that must be there may have. */
const REQUIRED: Record<string, string> = { group_type_index: "0", key: "email", group_key: "k1" };

function asked(path: string, parameters: Parameter[], name: string, values: string[]): string {
  const query = new URLSearchParams(values.map((value): [string, string] => [name, value]));
  for (const { name: other, required } of parameters) {
    if (required === true && other !== name) query.set(other, REQUIRED[other] ?? "");
  }
  return `${path}?${query}`;
}

const isWhole = ({ schema }: Parameter) => JSON.stringify(schema).includes('"integer"');

type Listed = { count?: number; total_count?: number; results: unknown[] };

describe("a number of a query", () => {
  test("is whole and said so in the document, for every list", () => {
    const numeric = reads().flatMap(({ path, parameters }) =>
      parameters.filter(isWhole).map(({ name, schema }) => ({ path, name, schema })),
    );
    const limits = numeric.filter(({ name }) => name === "limit");
    expect(limits.length).toBeGreaterThanOrEqual(10);
    for (const { path, schema } of limits) {
      expect([path, JSON.stringify(schema)]).toEqual([path, expect.stringMatching(/at most \d+/)]);
    }
    const lists = reads().filter(({ parameters }) =>
      parameters.some(({ name }) => name === "offset" || name === "page"),
    );
    expect(lists.length).toBe(limits.length);
  });

  test("is refused by name if it is not a number, and never read as another one", async () => {
    for (const { path, parameters } of reads()) {
      for (const { name } of parameters.filter(isWhole)) {
        for (const value of NO_NUMBERS) {
          // An empty limit or offset is the default, and an empty filter does not filter.
          if (value === "" && ["limit", "offset", "created_by"].includes(name)) continue;
          const refused = await ask("GET", asked(path, parameters, name, [value]));
          const wanted = { status: 400, body: { type: "validation_error", attr: name } };
          expect([path, name, value, refused]).toMatchObject([path, name, value, wanted]);
        }
      }
    }
  });

  test("that is out of reach is refused, or finds nothing", async () => {
    for (const { path, parameters } of reads()) {
      for (const { name } of parameters.filter(isWhole)) {
        for (const value of NUMBERS) {
          const { status, body } = await ask("GET", asked(path, parameters, name, [value]));
          const where = [path, name, value];
          if (status === 400) {
            expect([...where, body]).toMatchObject([...where, { attr: name }]);
            continue;
          }
          expect([...where, status]).toEqual([...where, 200]);
          expect([...where, (body as Listed).results]).toEqual([...where, []]);
        }
      }
    }
  });

  test.each([
    ["/persons/", 1000],
    ["/events/", 1000],
    ["/groups/?group_type_index=0", 1000],
    ["/persons/activity/", 100],
  ])("is at most what the document says, of %s", async (path, most) => {
    const separator = path.includes("?") ? "&" : "?";
    const limited = (limit: number) =>
      ask("GET", `${ENVIRONMENT}${path}${separator}limit=${limit}`);
    const { results, count, total_count } = (await limited(most)).body as Listed;
    expect(results).toHaveLength(Math.min(most, count ?? total_count ?? 0));
    for (const limit of [most + 1, 10_000]) {
      const { status, body } = await limited(limit);
      const detail = expect.stringContaining(`at most ${most}`);
      expect({ status, body }).toMatchObject({ status: 400, body: { attr: "limit", detail } });
    }
  });

  test("that is sent twice counts once if both are the same, and as a list is refused", async () => {
    for (const { path, parameters } of reads()) {
      for (const { name } of parameters.filter(isWhole)) {
        const ask2 = (values: string[]) => ask("GET", asked(path, parameters, name, values));
        const one = await ask2(["1"]);
        const [twice, other] = [await ask2(["1", "1"]), await ask2(["1", "2"])];
        const page = ({ body }: { body: unknown }) => (body as Listed).results;
        const wanted = [path, name, one.status, page(one)];
        expect([path, name, twice.status, page(twice)]).toEqual(wanted);
        const refused = { status: 400, body: { attr: name } };
        expect([path, name, other]).toMatchObject([path, name, refused]);
        const listed = await ask("GET", asked(path, parameters, `${name}[]`, ["1", "x"]));
        expect([path, name, listed.status]).toEqual([path, name, 400]);
        expect(listed.body).toMatchObject({ attr: name });
      }
    }
  });
});

test("a text of a query with NUL, or that is no UTF-8, is refused by name", async () => {
  for (const { path, parameters } of reads()) {
    for (const { name } of parameters.filter((own) => !isWhole(own))) {
      const address = asked(path, parameters, name, ["STAND-IN"]);
      for (const sent of ["%00", "a%00b", "%FF", "b%C3"]) {
        const refused = await ask("GET", address.replace("STAND-IN", sent));
        const wanted = { status: 400, body: { type: "validation_error", attr: name } };
        expect([path, name, sent, refused]).toMatchObject([path, name, sent, wanted]);
      }
    }
  }
  const { body } = await ask("GET", `${ENVIRONMENT}/persons/?search%00=x`);
  expect(body).toMatchObject({ attr: "search\ufffd", detail: expect.stringContaining("NUL") });
  const { status } = await ask("GET", `${ENVIRONMENT}/persons/?search=%EF%BF%BD`);
  expect(status).toBe(200);
});

test("no text of a query is too much for any operation", async () => {
  let turn = 0;
  const longest = ["x".repeat(8000), "🦔".repeat(900), "[".repeat(5000), '{"a":'.repeat(1000)];
  for (const { path, parameters } of reads()) {
    for (const one of parameters.filter((own) => !isWhole(own))) {
      for (const value of [...turnOf(HOSTILE_TEXTS, turn++, 4), ...longest]) {
        const address = asked(path, parameters, one.name, [value]);
        let { status, body } = await ask("GET", address);
        // A stream that was left may hold its place a little longer.
        while (status === 429 && path.endsWith("/live/")) {
          await Bun.sleep(20);
          ({ status, body } = await ask("GET", address));
        }
        const where = [path, one.name, value];
        // Only a read of one thing by its key finds nothing.
        const fine = /\/(find|deletion_preview)\//.test(path) ? [200, 400, 404] : [200, 400];
        expect([...where, fine.includes(status)]).toEqual([...where, true]);
        if (status === 400) expect(body).toMatchObject({ attr: one.name });
      }
    }
  }
});

describe("a number of a body", () => {
  const numbers = [
    ...["-1", "1.5", "1e400", "-1e400", "1e18", "9007199254740993", '"1"', "[1]", "true"],
  ];

  test.each<[string, string, (value: string) => string]>([
    ["limit of logs", "POST /api/environments/1/logs/query/", (n) => `{"query":{"limit":${n}}}`],
    ["offset of logs", "POST /api/environments/1/logs/query/", (n) => `{"query":{"offset":${n}}}`],
    ["grace_hours", "PATCH /api/projects/1/reset_token/", (n) => `{"grace_hours":${n}}`],
    [
      "scoped_teams",
      "POST /api/personal_api_keys/",
      (n) => `{"label":"a","scopes":["person:read"],"scoped_teams":[${n}]}`,
    ],
    [
      "breakdown_limit",
      "POST /api/environments/1/max_tools/create_and_query_insight/",
      (n) =>
        `{"query":{"kind":"TrendsQuery","series":[{}],"breakdownFilter":{"breakdown_limit":${n}}}}`,
    ],
  ])("is refused if it is out of range: %s", async (_name, operation, bodyOf) => {
    const [method = "", path = ""] = operation.split(" ");
    for (const number of numbers) {
      const refused = await ask(method, path, { body: bodyOf(number) });
      const wanted = { status: 400, body: { type: "validation_error" } };
      expect([number, refused]).toMatchObject([number, wanted]);
    }
    const { body } = await ask("GET", "/api/projects/1/");
    expect(body).toMatchObject({ api_token: PROJECT_KEY });
  });

  test("that is a person's id is refused or unknown", async () => {
    const path = `${ENVIRONMENT}/persons/bulk_delete/`;
    const ids = ["9007199254740991", '"1e0"', '" 1"', '"01"', '""', "null", "{}"];
    for (const id of [...numbers, ...ids]) {
      if (id === '"1"' || id === "1") continue;
      const { status, body } = await ask("POST", path, { body: `{"ids":[${id}]}` });
      if (status === 404) expect([id, body]).toMatchObject([id, { code: "not_found" }]);
      else expect([id, status]).toEqual([id, 400]);
    }
  });
});
