import { describe, expect, test } from "bun:test";
import { personUuid } from "../../../src/core/identity/person.ts";
import { answerOf, type Preference, prefersTable } from "../../../src/http/request/preferences.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

test.each([
  ["text/csv", true],
  ["Text/CSV; header=present", true],
  ["text/csv, application/json;q=0.9", true],
  ["text/csv;q=0.5, application/json;q=0.4", true],
  ["text/csv, */*", true],
  ["text/*", true],
  ["text/csv;q=0.1, */*;q=0.05", true],
  ["application/json, text/csv", false],
  ["text/csv, application/json", false],
  ["text/csv;q=0.9, application/json", false],
  ["text/csv;q=0", false],
  ["text/csv;q=x", false],
  ["text/csv;q=0, text/*", false],
  ["application/json, text/plain, */*", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
  ["*/*", false],
  ["", false],
  [null, false],
])("CSV is preferred by %p: %p", (accept, prefers) => {
  expect(prefersTable(accept)).toBe(prefers);
});

describe("operations with a format answer CSV to clients that prefer it", () => {
  const set = { event: "$identify", properties: { $set: { email: "ann@x.y" } } };

  test.each([
    ["GET", "persons/", undefined, true],
    ["GET", "persons/ann/", undefined, true],
    ["PATCH", "persons/ann/", { properties: { plan: "pro" } }, true],
    ["GET", "persons/activity/", undefined, true],
    ["GET", "persons/ann/activity/", undefined, true],
    ["POST", "query/", { query: { kind: "HogQLQuery", query: "SELECT 1 AS id" } }, true],
    ["GET", "events/", undefined, false],
    ["GET", "session_recording_playlists/", undefined, false],
  ] as const)("%s %s", async (method, path, body, hasFormat) => {
    const app = await newProject();
    await app.capture(batch(event(set)));
    const answer = async (query: string, accept?: string) => {
      const headers = {
        prefer: "return=representation",
        ...(accept === undefined ? {} : { accept }),
      };
      const asked = { headers, ...(body === undefined ? {} : { body }) };
      const address = `${app.api}/${path.replace("ann", personUuid(app.id, "ann"))}${query}`;
      const { status, headers: answered } = await app.ask(method, address, asked);
      expect(status).toBe(200);
      expect(/\baccept\b/i.test(answered.get("vary") ?? "")).toBe(hasFormat);
      return answered.get("content-type")?.split(";")[0];
    };

    const table = hasFormat ? "text/csv" : "application/json";
    expect(await answer("")).toBe("application/json");
    expect(await answer("", "text/csv")).toBe(table);
    expect(await answer("", "text/csv, */*;q=0.1")).toBe(table);
    expect(await answer("", "application/json, text/csv")).toBe("application/json");
    if (!hasFormat) return;
    expect(await answer("?format=json", "text/csv")).toBe("application/json");
    expect(await answer("?format=csv", "application/json")).toBe(table);
  });

  test("except failures, which are JSON, and empty answers", async () => {
    const app = await newProject();
    await app.capture(batch(event(set)));
    const headers = { accept: "text/csv" };
    const missing = await app.get("/persons/999/", { headers });
    expect(missing).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(
      (await app.get(`/persons/${personUuid(app.id, "ann")}/activity/`, { headers })).body,
    ).toBe("");
  });
});

const RESULT = { success: true };

const answered = async (
  route: Parameters<typeof answerOf>[0],
  { prefer, byDefault = "minimal", result = RESULT }: Asked = {},
) => {
  const headers = prefer === undefined ? {} : { prefer };
  const request = new Request("http://localhost/", { headers });
  const response = answerOf(route, request, { result, byDefault });
  const applied = response.headers.get("preference-applied");
  return { status: response.status, body: await response.text(), applied };
};

type Asked = { prefer?: string; byDefault?: Preference; result?: unknown };

const NOTHING = { body: "", applied: null };
const MINIMAL = { body: "", applied: "return=minimal" };
const WHOLE = { status: 200, body: '{"success":true}', applied: "return=representation" };

describe("an operation that is empty by contract", () => {
  test.each([200, 201, 202, 204] as const)(
    "answers %d without a body by itself",
    async (status) => {
      expect(await answered({ status, empty: true })).toEqual({ status, ...NOTHING });
    },
  );

  test.each<[string, object]>([
    ["return=representation", WHOLE],
    ["respond-async, return=representation; x=1", WHOLE],
    ['RETURN = "Representation"', WHOLE],
    ["return=representation, return=minimal", WHOLE],
    ["return=minimal, return=representation", { status: 204, ...MINIMAL }],
    ['x="a,return=representation"', { status: 204, ...NOTHING }],
    ['x="a\\",return=representation"', { status: 204, ...NOTHING }],
    ['x="a, return=representation', { status: 204, ...NOTHING }],
    ['x="a,b", return=representation', WHOLE],
    ["return=minimal", { status: 204, ...MINIMAL }],
    ["return=everything", { status: 204, ...NOTHING }],
    ["return=everything, return=representation", { status: 204, ...NOTHING }],
    ["return", { status: 204, ...NOTHING }],
    ["noreturn=representation", { status: 204, ...NOTHING }],
    ["", { status: 204, ...NOTHING }],
  ])("takes `Prefer: %s` as RFC 7240 has it", async (prefer, expected) => {
    expect(await answered({ status: 204, empty: true }, { prefer })).toEqual(expected as never);
  });

  test("carries its result by itself where that is the default", async () => {
    const byDefault = "representation";
    expect(await answered({ status: 204, empty: true }, { byDefault })).toEqual(WHOLE);
    const prefer = "return=minimal";
    expect(await answered({ status: 204, empty: true }, { byDefault, prefer })).toEqual({
      status: 204,
      ...MINIMAL,
    });
  });

  test("answers with the response that its handler made", async () => {
    const result = () => new Response("a,b\n", { headers: { "content-type": "text/csv" } });
    const prefer = "return=representation";
    expect(await answered({ status: 200, empty: true }, { prefer, result: result() })).toEqual({
      ...WHOLE,
      body: "a,b\n",
    });
    expect(await answered({ status: 200, empty: true }, { result: result() })).toEqual({
      status: 200,
      ...NOTHING,
    });
  });
});

test("every other operation answers its result with any preference", async () => {
  const prefer = "return=minimal";
  expect(await answered({ status: 201 }, { prefer })).toEqual({
    status: 201,
    body: '{"success":true}',
    applied: null,
  });
});
