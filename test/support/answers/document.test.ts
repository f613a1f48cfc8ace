import { expect, test } from "bun:test";
import { testApp } from "../start/app.ts";
import { answerCheck, type OpenApi } from "./document.ts";

const path = "/api/users/@me/";

test.each<[string, (user: Record<string, unknown>) => unknown, object]>([
  ["without a field", ({ uuid: _, ...user }) => user, {}],
  ["with a field that is not named", (user) => ({ ...user, password: "x" }), {}],
  ["with a field of another type", (user) => ({ ...user, id: "1" }), {}],
  ["with a field of another form", (user) => ({ ...user, uuid: "x" }), {}],
  ["with another status", (user) => user, { status: 201 }],
  ["in another format", (user) => user, { headers: new Headers({ "content-type": "text/csv" }) }],
  ["without a body", () => undefined, {}],
])("an answer %s is refused", async (_, change, otherwise) => {
  await using app = await testApp();
  const { body: document } = await app.ask("GET", "/openapi.json", { key: null });
  const { status, headers, body } = await app.ask("GET", path);
  const check = answerCheck(document as OpenApi);
  const given = { method: "GET", path, status, headers };

  expect(() => check({ ...given, text: JSON.stringify(body) })).not.toThrow();
  const text = JSON.stringify(change(body as Record<string, unknown>)) ?? "";
  expect(() => check({ ...given, ...otherwise, text })).toThrow(`GET ${path} answered`);
});

test("an empty answer is refused where the result was preferred", async () => {
  await using app = await testApp();
  const { body: document } = await app.ask("GET", "/openapi.json", { key: null });
  const check = answerCheck(document as OpenApi);
  const given = {
    method: "GET",
    path: "/api/environments/1/session_recording_playlists/x/recordings/?limit=1",
    status: 200,
    text: "",
  };
  const preferred = new Headers({ "preference-applied": "return=representation" });

  expect(() => check({ ...given, headers: new Headers() })).not.toThrow();
  expect(() => check({ ...given, headers: preferred })).toThrow("without a body");
});
