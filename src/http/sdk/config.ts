import { unknownKeyInPath } from "../../core/access/key.ts";
import type { Projects } from "../../core/access/projects.ts";
import type { Arrivals } from "../../core/operations/arrivals.ts";
import type { SdkRoute } from "../operation/route.ts";
import { cut } from "./refusals.ts";
import { scriptRoutes } from "./scripts.ts";

/**
 * The configuration of posthog-js. `supportedCompression` saves a preflight for every capture. `surveys`
 * is absent, because even `false` makes posthog-js fetch a script that we do not serve.
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

/** Answers without feature flags, to requests for evaluated flags and for their definitions. */
const NO_FLAGS = {
  flags: {},
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
};
const NO_DEFINITIONS = { flags: [], group_type_mapping: {}, cohorts: {} };

/** Other features that SDKs look up, each with an empty answer. */
const ABSENT: Record<string, object> = {
  "/flags/definitions/": NO_DEFINITIONS,
  "/api/feature_flag/local_evaluation/": NO_DEFINITIONS,
  "/api/surveys/": { surveys: [] },
  "/api/early_access_features/": { earlyAccessFeatures: [] },
  "/api/web_experiments/": { experiments: [] },
  "/api/product_tours/": { product_tours: [] },
};

type Needs = {
  projects: Pick<Projects, "ofKey">;
  arrivals: Pick<Arrivals, "noteLoaded">;
  newUuid: () => string;
};

/**
 * Requests of SDKs for configuration and flags on the capture host. No answer depends on the body, which
 * is not read (decision 41).
 */
export function sdkRoutes({ projects, arrivals, newUuid }: Needs): SdkRoute[] {
  const flags = () => ({ ...NO_FLAGS, requestId: newUuid() });
  return [
    ...configRoutes({ projects, arrivals }),
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
    ...Object.entries(ABSENT).map(([path, answer]): SdkRoute => {
      return { method: "GET", path, handle: async () => Response.json(answer) };
    }),
  ];
}

/** The first requests of posthog-js; only a project key gets an answer. */
function configRoutes({ projects, arrivals }: Omit<Needs, "newUuid">): SdkRoute[] {
  const projectKey = ({ headers }: Request, key = ""): string => {
    const project = projects.ofKey(key);
    if (project === undefined) throw unknownKeyInPath(key);
    arrivals.noteLoaded(project, originOf(headers));
    return key;
  };
  return [
    {
      method: "GET",
      path: "/array/:key/config",
      async handle(request, { key }) {
        projectKey(request, key);
        return Response.json(REMOTE_CONFIG);
      },
    },
    {
      method: "GET",
      path: "/array/:key/config.js",
      async handle(request, { key }) {
        // The script contains only an existing key, so no other text gets into it.
        const entry = JSON.stringify({ config: REMOTE_CONFIG, siteApps: [] });
        const script = `(function(){var w=window;w._POSTHOG_REMOTE_CONFIG=w._POSTHOG_REMOTE_CONFIG||{};w._POSTHOG_REMOTE_CONFIG[${JSON.stringify(projectKey(request, key))}]=${entry};})();\n`;
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

/** The page that sent a request; a script tag has it in Referer alone. Null if the request names none. */
function originOf(headers: Headers): string | null {
  const { origin } = URL.parse(headers.get("origin") ?? headers.get("referer") ?? "") ?? {};
  return origin === undefined || origin === "null" ? null : cut(origin);
}
