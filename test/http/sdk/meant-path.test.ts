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
  ["POST", "//batch/", "/batch/"],
  ["POST", "/i/v0//e", "/i/v0/e"],
  ["POST", "/Capture/", "/capture/"],
  ["POST", "/api/track/", "/track/"],
  ["POST", "/Ingest//I/V1/Logs", "/i/v1/logs"],
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
  ["GET", "//api/projects/1/insights/", "/api/projects/1/insights/"],
  ["GET", "/api/environments//1/persons/?limit=1", "/api/environments/1/persons/"],
  ["PATCH", "/API/Environments/1/Insights/AbC12345", "/api/environments/1/insights/AbC12345"],
  ["GET", "/ingest/api/users/@me/", "/api/users/@me/"],
  ["GET", "/api/api/projects/", "/api/projects/"],
  ["POST", "/api/query/", "/api/environments/<project_id>/query/"],
  ["GET", "/api/person/", "/api/environments/<project_id>/persons/"],
  ["GET", "/api/dashboard/7/", "/api/environments/<project_id>/dashboards/7/"],
  ["GET", "/api/project/1/events", "/api/projects/1/events"],
])("%s %s means the path %s of the API, and counts as no event", async (method, path, meant) => {
  const app = await newProject();

  const answered = await app.ask(method, path);

  expect(answered).toMatchObject({ status: 404, body: { code: "not_found" } });
  const { detail } = answered.body as { detail: string };
  expect(detail).toStartWith(`Not found. The path ${meant} is meant.`);
  const status = (await app.ask("GET", "/api/projects/1/status/")).body as Status;
  expect(status.arrivals.refused.map((refused) => refused.path)).not.toContain(
    path.replace(/\?.*/, ""),
  );
});

test.each([
  ["GET", "persons/cohorts/?person_id=1", "there are no cohorts"],
  ["PATCH", "persons/cohorts/", "there are no cohorts"],
  ["POST", "persons/batch_by_distinct_ids/", "GET …/persons/"],
  ["GET", "persons/funnel", "ActorsQuery"],
  ["GET", "insights/trend/?insight=TRENDS", "TrendsQuery"],
  ["GET", "insights/abcdefgh/sharing/", "nothing is shared"],
  ["GET", "property_definitions/seen_together/", "event_names"],
  ["HEAD", "surveys", ""],
  ["PUT", "hog_functions/x/", "nothing is sent out"],
])("%s …/%s, which PostHog has, is 404 with what to ask", async (method, path, advice) => {
  const app = await newProject();
  for (const below of ["environments/1", "projects/@current"]) {
    const answered = await app.ask(method, `/api/${below}/${path}`);

    expect(answered.status).toBe(404);
    if (method !== "HEAD") expect(answered.body).toMatchObject({ code: "not_found" });
    expect(String((answered.body as { detail?: string } | undefined)?.detail ?? "")).toContain(
      advice,
    );
  }
});

test("the address of an environment is one of its project", async () => {
  const app = await newProject();
  for (const below of ["", "1/", "@current/"]) {
    const { status, body } = await app.ask("GET", `/api/environments/${below}`);
    expect(status).toBe(200);
    const list = (await app.ask("GET", `/api/projects/${below}`)).body;
    expect(body).toEqual(list);
  }
});

test.each([
  "/nothing",
  "/ingest/",
  "/ecommerce",
  "/x/eat",
  "/api/projects/1/e/",
  "/v1/log",
  "/i/v0/none",
])("POST %s means no other path", async (path) => {
  const app = await newProject();
  const answered = await app.ask("POST", path, { key: null });
  expect(answered).toMatchObject({
    status: 404,
    body: {
      code: "not_found",
      detail: "Not found. GET /openapi.json has the paths of this server.",
    },
  });
});
