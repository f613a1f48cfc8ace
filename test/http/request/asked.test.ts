import { expect, test } from "bun:test";
import { askedRequests } from "../../../src/http/request/asked.ts";

test("a request on behalf of another has its caller, connection and id, and a body of its own", async () => {
  const outer = new Request("http://localhost/api/a/?x=1", {
    method: "POST",
    headers: {
      ...{ authorization: "Bearer phx_1", cookie: "a=b", "x-forwarded-host": "h" },
      ...{ accept: "text/csv", "content-length": "3", "if-match": '"1"', prefer: "return=minimal" },
    },
    body: "abc",
  });
  const seen: Request[] = [];
  const { ask, connectionOf, requestId } = askedRequests({
    connectionOf: (request) => (request === outer ? "192.0.2.1" : undefined),
    requestId: (request) => (request === outer ? "id-1" : "other"),
    answer: async (request) => {
      seen.push(request);
      return new Response(await request.text());
    },
  });
  const gone = new AbortController();
  const asked = { method: "POST", path: "/api/b/", body: { c: 1 }, signal: gone.signal } as const;
  expect(await (await ask(outer, asked)).text()).toBe('{"c":1}');
  await ask(outer, { method: "GET", path: "/api/d/?e=1" });
  const [posted, read] = seen as [Request, Request];
  expect([posted.url, read.url]).toEqual([
    "http://localhost/api/b/",
    "http://localhost/api/d/?e=1",
  ]);
  expect(Object.fromEntries(posted.headers)).toEqual({
    ...{ authorization: "Bearer phx_1", cookie: "a=b", "x-forwarded-host": "h" },
    "content-type": "application/json",
  });
  expect(read.headers.has("content-type")).toBe(false);
  expect([connectionOf(posted), requestId(posted)]).toEqual(["192.0.2.1", "id-1"]);
  gone.abort();
  expect([posted.signal.aborted, read.signal.aborted]).toEqual([true, false]);
});
