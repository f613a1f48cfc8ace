import { beforeAll, expect, test } from "bun:test";
import { asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const ENVIRONMENT = "/api/environments/1";
const server = sharedServer();
const ask = asker(server);
let person = 0;

beforeAll(async () => {
  await server.capture(batch(event({ properties: { $set: { plan: "free" } } })));
  await server.stored(1);
  const { results } = await server.get<{ results: { id: number }[] }>("/persons/");
  person = results[0]?.id ?? 0;
});

const series = (value: string) =>
  `[{"event":"$pageview","properties":[{"key":"price","value":${value}}]}]`;

/** Requests with a number somewhere in their body, and the place of it. */
const BODIES: [method: "POST" | "PATCH", path: () => string, body: string, attr: string][] = [
  ["PATCH", () => `/persons/${person}/`, '{"properties":{"a":[1,#]}}', "properties__a__1"],
  ["POST", () => `/persons/${person}/update_property/`, '{"key":"a","value":#}', "value"],
  [
    "POST",
    () => "/insights/",
    `{"query":{"kind":"TrendsQuery","series":${series("#")}}}`,
    "query__series__0__properties__0__value",
  ],
  [
    "POST",
    () => "/query/",
    `{"query":{"kind":"HogQLQuery","query":"SELECT {a}","values":{"a":#}}}`,
    "query__values__a",
  ],
  [
    "POST",
    () => "/dashboards/",
    '{"name":"x","filters":{"properties":[{"key":"n","value":#}]}}',
    "filters__properties__0__value",
  ],
  ["POST", () => "/session_recording_playlists/", '{"filters":{"a":{"b":#}}}', "filters__a__b"],
  ["POST", () => "/annotations/", '{"content":"x","dashboard_item":#}', "dashboard_item"],
];

test.each(BODIES)(
  "%s %p refuses a number that a double does not keep, by its place",
  async (...row) => {
    const [method, path, body, attr] = row;
    for (const number of [
      "12345678901234567890",
      "-9007199254740993",
      "1e999",
      "0.12345678901234567891",
    ]) {
      const refused = await ask(method, ENVIRONMENT + path(), { body: body.replace("#", number) });
      const detail = expect.stringContaining("Write it as a text");
      expect([number, refused]).toMatchObject([
        number,
        { status: 400, body: { code: "invalid_input", attr, detail } },
      ]);
    }
  },
);

test("a number of an address or a prompt is refused, too", async () => {
  const filter = '[{"key":"n","value":12345678901234567890}]';
  for (const path of ["persons", "events"]) {
    const refused = await ask(
      "GET",
      `${ENVIRONMENT}/${path}/?properties=${encodeURIComponent(filter)}`,
    );
    expect(refused).toMatchObject({ status: 400, body: { attr: "properties" } });
  }
  const prompt = encodeURIComponent(`{"kind":"TrendsQuery","series":${series("1e999")}}`);
  const refused = await ask("GET", `${ENVIRONMENT}/query/draft_sql/?prompt=${prompt}`);
  expect(refused).toMatchObject({ status: 400, body: { attr: "prompt" } });
});

test("a person keeps each number that is taken, and takes back what it shows", async () => {
  const properties =
    '{"a":0.1,"b":12345678901234567000,"c":0.30000000000000004,"d":"12345678901234567890"}';
  const path = `${ENVIRONMENT}/persons/${person}/`;
  const set = await ask("PATCH", path, { body: `{"properties":${properties}}` });
  expect(set).toMatchObject({ status: 200, body: { properties: JSON.parse(properties) } });
  const shown = (set.body as { properties: object }).properties;
  expect(await ask("PATCH", path, { body: { properties: shown } })).toMatchObject({
    status: 200,
    body: { properties: shown },
  });
});

test("a body that is nested too deep for a parser is refused by its depth", async () => {
  const deep = `{"properties":${"[".repeat(20_000)}1e9${"]".repeat(20_000)}}`;
  const refused = await ask("PATCH", `${ENVIRONMENT}/persons/${person}/`, { body: deep });
  expect(refused).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("nesting is at most 128 deep") },
  });
});
