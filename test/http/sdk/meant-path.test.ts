import { expect, test } from "bun:test";
import { testApp } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

type Status = {
  arrivals: { refused: { path: string }[] };
  advice: { code: string }[];
};

const MEANT: [method: string, path: string, meant: string][] = [
  ["POST", "/v1/logs", "/i/v1/logs"],
  ["GET", "/v1/traces/", "/i/v1/traces/"],
  ["PUT", "/otel/v1/metrics", "/i/v1/metrics"],
  ["POST", "/i/v0/ai/otel/v1/traces", "/i/v1/traces"],
  ["POST", "/ingest/e/", "/e/"],
  ["POST", "/ph/batch", "/batch"],
  ["POST", "/batch/batch/", "/batch/"],
  ["DELETE", "/a/b/c/i/v0/e/", "/i/v0/e/"],
  ["OPTIONS", "/ingest/i/v1/analytics/events", "/i/v1/analytics/events"],
  ["GET", "/ingest/static/array.js", "/static/array.js"],
  ["GET", "/ingest/static/1.2.3/web-vitals.js", "/static/1.2.3/web-vitals.js"],
  ["POST", "/relay/flags/?v=2", "/flags/"],
  ["GET", "/ph/array/:key/config.js", "/array/:key/config.js"],
  ["GET", "/ph/api/surveys/?token=x", "/api/surveys/"],
];

test("an unknown path that ends in one for SDKs is 404, names it, and is in the status", async () => {
  await using app = await testApp();
  const headers = { origin: "https://shop.example" };
  const named = (text: string) => text.replace(":key", app.token);
  for (const [method, path, meant] of MEANT) {
    const answered = await app.ask(method, named(path), { key: null, headers });

    expect(answered).toMatchObject({ status: 404, body: { code: "not_found" } });
    const { detail } = answered.body as { detail: string };
    expect(detail).toContain(`The path ${named(meant)} is meant.`);
    expect(answered.headers.get("access-control-allow-origin")).toBe("https://shop.example");
    const status = (await app.ask("GET", "/api/projects/1/status/")).body as Status;
    const kept = path.replace(/\?.*/, "");
    expect(status.arrivals.refused).toContainEqual(
      expect.objectContaining({ method, path: kept, status: 404, count: 1 }),
    );
    expect(status.advice.map(({ code }) => code)).toContain("unknown_path");
  }
});

const newProject = sharedApp();

test.each([
  "/nothing",
  "/ingest/",
  "/ecommerce",
  "/x/eat",
  "/api/projects/1/e/",
  "/v1/log",
  "/i/v0/ai",
])("POST %s means no other path", async (path) => {
  const app = await newProject();
  const answered = await app.ask("POST", path, { key: null });
  expect(answered).toMatchObject({
    status: 404,
    body: { code: "not_found", detail: "Not found." },
  });
});
