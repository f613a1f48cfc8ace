import { describe, expect, test } from "bun:test";
import { PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const flags = {
  flags: {},
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
  requestId: expect.stringMatching(UUID),
};
const config = {
  supportedCompression: ["gzip", "gzip-js"],
  hasFeatureFlags: false,
  analytics: { endpoint: "/i/v0/e/" },
  autocapture_opt_out: false,
  sessionRecording: false,
  heatmaps: false,
  captureDeadClicks: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  defaultIdentifiedOnly: true,
  isAuthenticated: false,
  siteApps: [],
  toolbarParams: {},
  editorParams: {},
  config: { enable_collect_everything: true },
};
const definitions = { flags: [], group_type_mapping: {}, cohorts: {} };

describe("lookups of SDKs", () => {
  test.each<[string, string, object]>([
    ["POST", "/flags/?v=2", flags],
    ["POST", "/flags/?v=2&config=true", { ...config, ...flags }],
    ["POST", "/decide/?v=3&ip=1&_=1795240041999&ver=1.57.4", { ...config, ...flags }],
    ["GET", `/array/${PROJECT_KEY}/config`, config],
    ["GET", `/flags/definitions?token=${PROJECT_KEY}&send_cohorts`, definitions],
    ["GET", `/api/feature_flag/local_evaluation?token=${PROJECT_KEY}&send_cohorts`, definitions],
    ["GET", `/api/surveys/?token=${PROJECT_KEY}&_=1795240041999`, { surveys: [] }],
    ["GET", `/api/early_access_features/?token=${PROJECT_KEY}`, { earlyAccessFeatures: [] }],
    ["GET", `/api/web_experiments/?token=${PROJECT_KEY}`, { experiments: [] }],
    ["GET", `/api/product_tours/?token=${PROJECT_KEY}`, { product_tours: [] }],
    ["POST", "/s/?ip=0&_=1795240041999&ver=1.449.2", { status: "Ok" }],
  ])("%s %s has its whole answer, with a slash and without", async (method, address, body) => {
    const app = await newProject();
    const [path = "", query = ""] = address.split("?");
    const bare = path.replace(/\/$/, "");

    for (const form of [bare, `${bare}/`]) {
      const answered = await app.ask(method, `${form}?${query}`, { key: null });
      expect(answered).toMatchObject({ status: 200 });
      expect(answered.body).toEqual(body);
    }
  });

  test("is answered for any body", async () => {
    const app = await newProject();
    const body = new ReadableStream({
      pull() {
        throw new Error("the body is read");
      },
    });
    const handle = app.app.http("http://127.0.0.1:8000");

    for (const path of ["/flags/?v=2", "/decide/?v=3", "/s/"]) {
      const request = new Request(`http://localhost${path}`, { method: "POST", body });
      expect((await handle(request)).status).toBe(200);
      for (const sent of ["", "{", "[".repeat(1000), new Uint8Array([0x1f, 0x8b, 0])]) {
        expect(await app.ask("POST", path, { key: null, body: sent })).toMatchObject({
          status: 200,
        });
      }
    }
  });

  test("as a script sets the config for the key alone", async () => {
    const app = await newProject();

    const { status, headers, body } = await app.ask("GET", `/array/${PROJECT_KEY}/config.js`, {
      key: null,
    });

    expect([status, headers.get("content-type")]).toEqual([200, "application/javascript"]);
    const page: { _POSTHOG_REMOTE_CONFIG?: object } = {};
    new Function("window", String(body))(page);
    expect(page).toEqual({ _POSTHOG_REMOTE_CONFIG: { [app.token]: { config, siteApps: [] } } });
  });

  test.each([
    ...["phc_unknown", "phx_test0123456789abcdefghijklmnop", "%22%5D%3Balert(1)%2F%2F"],
    ...["__proto__", "constructor"],
  ])("for the key %s is not there, and the key is not repeated", async (key) => {
    const app = await newProject();
    const detail = key.startsWith("phx_")
      ? "This is a personal API key, which is secret. A project API key, phc_…, is expected."
      : "The project API key is not known here.";
    const problem = { type: "invalid_request", code: "not_found", detail, attr: null };

    for (const form of ["config", "config.js"]) {
      const refused = await app.ask("GET", `/array/${key}/${form}`, { key: null });
      expect(refused).toMatchObject({ status: 404 });
      expect(refused.body).toEqual(problem);
    }
  });

  test("and is about one feature flag is not found", async () => {
    const app = await newProject();
    const path = `/api/projects/@current/feature_flags/beta/remote_config?token=${PROJECT_KEY}`;
    expect(await app.ask("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
