import { describe, expect, test } from "bun:test";
import { answerOf, type Preference } from "../../../src/http/request/preferences.ts";

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

describe("an operation that is empty by contract (decision 44)", () => {
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

test("every other operation answers its result whatever is preferred", async () => {
  const prefer = "return=minimal";
  expect(await answered({ status: 201 }, { prefer })).toEqual({
    status: 201,
    body: '{"success":true}',
    applied: null,
  });
});
