import type { Projects } from "../../core/access/projects.ts";
import { Failure } from "../../core/values/failure.ts";
import type { SdkRoute } from "../operation/route.ts";
import { scriptRoutes } from "./scripts.ts";

/**
 * What posthog-js is told before it sends. `supportedCompression` saves a preflight on every
 * capture; `surveys` is left out because even `false` makes it fetch a script that is not here.
 */
const REMOTE_CONFIG = {
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

/** There are no feature flags: for all of them, and for whoever evaluates them himself. */
const NO_FLAGS = {
  flags: {},
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
};
const NO_DEFINITIONS = { flags: [], group_type_mapping: {}, cohorts: {} };

/** What else SDKs look up and is not here, with the answer that says so. */
const NOTHING: Record<string, object> = {
  "/flags/definitions/": NO_DEFINITIONS,
  "/api/feature_flag/local_evaluation/": NO_DEFINITIONS,
  "/api/surveys/": { surveys: [] },
  "/api/early_access_features/": { earlyAccessFeatures: [] },
  "/api/web_experiments/": { experiments: [] },
  "/api/product_tours/": { product_tours: [] },
};

/**
 * The look-ups SDKs make on the capture host (design 7): there are no flags and no surprises.
 * Their answers depend on nothing in the body, which is not read (decision 41).
 */
export function sdkRoutes(projects: Projects, newUuid: () => string): SdkRoute[] {
  const flags = () => ({ ...NO_FLAGS, requestId: newUuid() });
  return [
    ...configRoutes(projects),
    ...scriptRoutes(),
    {
      method: "POST",
      path: "/flags/",
      async handle(request) {
        const config = new URL(request.url).searchParams.get("config") === "true";
        return Response.json(config ? { ...REMOTE_CONFIG, ...flags() } : flags());
      },
    },
    {
      method: "POST",
      path: "/decide/",
      handle: async () => Response.json({ ...REMOTE_CONFIG, ...flags() }),
    },
    ...Object.entries(NOTHING).map(([path, answer]): SdkRoute => {
      return { method: "GET", path, handle: async () => Response.json(answer) };
    }),
  ];
}

/** What posthog-js reads first, for the keys of projects only. */
function configRoutes(projects: Projects): SdkRoute[] {
  const known = (key: string | undefined): string => {
    if (key === undefined || projects.ofKey(key) === undefined) {
      throw new Failure("not_found", "Not found.");
    }
    return key;
  };
  return [
    {
      method: "GET",
      path: "/array/:key/config",
      async handle(_request, { key }) {
        known(key);
        return Response.json(REMOTE_CONFIG);
      },
    },
    {
      method: "GET",
      path: "/array/:key/config.js",
      async handle(_request, { key }) {
        // Only a key of ours is written into the script, never what was sent.
        const entry = JSON.stringify({ config: REMOTE_CONFIG, siteApps: [] });
        const script = `(function(){var w=window;w._POSTHOG_REMOTE_CONFIG=w._POSTHOG_REMOTE_CONFIG||{};w._POSTHOG_REMOTE_CONFIG[${JSON.stringify(known(key))}]=${entry};})();\n`;
        return new Response(script, {
          headers: {
            "content-type": "application/javascript",
            "x-content-type-options": "nosniff",
          },
        });
      },
    },
  ];
}
