import { describe, expect, test } from "bun:test";
import { prefersTable } from "../../../src/http/request/accept.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { testApp } from "../../support/start/app.ts";

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

describe("what has a format comes as CSV to who accepts that best", () => {
  const set = { event: "$identify", properties: { $set: { email: "ann@x.y" } } };

  test.each([
    ["GET", "persons/", undefined, true],
    ["GET", "persons/1/", undefined, true],
    ["PATCH", "persons/1/", { properties: { plan: "pro" } }, true],
    ["GET", "persons/activity/", undefined, true],
    ["GET", "persons/1/activity/", undefined, true],
    ["POST", "query/", { query: { kind: "HogQLQuery", query: "SELECT 1 AS id" } }, true],
    ["GET", "events/", undefined, false],
    ["GET", "session_recording_playlists/", undefined, false],
  ] as const)("%s %s", async (method, path, body, hasFormat) => {
    await using app = await testApp();
    await app.capture(batch(event(set)));
    const answer = async (query: string, accept?: string) => {
      const headers = {
        prefer: "return=representation",
        ...(accept === undefined ? {} : { accept }),
      };
      const asked = { headers, ...(body === undefined ? {} : { body }) };
      const address = `/api/environments/1/${path}${query}`;
      const { status, headers: told } = await app.ask(method, address, asked);
      expect(status).toBe(200);
      expect(/\baccept\b/i.test(told.get("vary") ?? "")).toBe(hasFormat);
      return told.get("content-type")?.split(";")[0];
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

  test("but failures, which are JSON, and what is empty, which is nothing", async () => {
    await using app = await testApp();
    await app.capture(batch(event(set)));
    const headers = { accept: "text/csv" };
    const missing = await app.get("/persons/999/", { headers });
    expect(missing).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await app.get("/persons/1/activity/", { headers })).body).toBe("");
  });
});
