/** Code that sends events from one language or tool. */
export type Snippet = {
  value: string;
  label: string;
  /** One sentence: where the code belongs. */
  about: string;
  /** Parts of it, each with its own button to copy. */
  parts: (at: { key: string; host: string }) => { label: string; text: string }[];
};

const part = (label: string, text: string) => ({ label, text });

/** The head of a page without packages, as in the documentation. Calls made early wait for the script. */
const HTML = (key: string, host: string) => `<script>
  ((posthog) => {
    if (posthog.__SV) return;
    const methods = "capture identify alias group reset register register_once unregister " +
      "setPersonProperties captureException opt_in_capturing opt_out_capturing";
    window.posthog = Object.assign(posthog, { __SV: 1, _i: [], people: [] });
    for (const name of methods.split(" ")) posthog[name] = (...args) => posthog.push([name, ...args]);
    posthog.people.set = (...args) => posthog.people.push(["set", ...args]);
    posthog.init = (key, options) => {
      const src = \`\${options.api_host}/static/array.js\`;
      const script = { src, async: true, crossOrigin: "anonymous" };
      document.head.append(Object.assign(document.createElement("script"), script));
      posthog._i.push([key, options]);
    };
  })(window.posthog || []);
  posthog.init("${key}", { api_host: "${host}" });
</script>`;

const NPM = (key: string, host: string) => `import posthog from "posthog-js";

posthog.init("${key}", { api_host: "${host}" });`;

const NODE = (key: string, host: string) => `import { PostHog } from "posthog-node";

const posthog = new PostHog("${key}", { host: "${host}" });
posthog.capture({ distinctId: "ann", event: "signed up" });
await posthog.shutdown();`;

/** All snippets, the most frequent first. */
export const SNIPPETS: readonly Snippet[] = [
  {
    value: "html",
    label: "HTML",
    about: "Add this to the head of each page. It loads posthog-js from this server.",
    parts: ({ key, host }) => [part("Snippet", HTML(key, host))],
  },
  {
    value: "npm",
    label: "npm",
    about: "For a web application with a bundler.",
    parts: ({ key, host }) => [
      part("Install", "npm install posthog-js"),
      part("Where the application starts", NPM(key, host)),
    ],
  },
  {
    value: "node",
    label: "Node",
    about: "Call shutdown before the process ends: until then, some events are only in memory.",
    parts: ({ key, host }) => [
      part("Install", "npm install posthog-node"),
      part("Send an event", NODE(key, host)),
    ],
  },
  {
    value: "python",
    label: "Python",
    about: "Flush before the process ends: until then, some events are only in memory.",
    parts: ({ key, host }) => [
      part("Install", "pip install posthog"),
      part(
        "Send an event",
        `from posthog import Posthog\n\nposthog = Posthog("${key}", host="${host}")\nposthog.capture("signed up", distinct_id="ann")\nposthog.flush()`,
      ),
    ],
  },
  {
    value: "go",
    label: "Go",
    about: "Close the client before the process ends: until then, some events are only in memory.",
    parts: ({ key, host }) => [
      part("Install", "go get github.com/posthog/posthog-go"),
      part(
        "Send an event",
        `client, _ := posthog.NewWithConfig("${key}", posthog.Config{Endpoint: "${host}"})\ndefer client.Close()\nclient.Enqueue(posthog.Capture{DistinctId: "ann", Event: "signed up"})`,
      ),
    ],
  },
  {
    value: "php",
    label: "PHP",
    about: "Flush before the process ends: until then, some events are only in memory.",
    parts: ({ key, host }) => [
      part("Install", "composer require posthog/posthog-php"),
      part(
        "Send an event",
        `PostHog\\PostHog::init("${key}", ["host" => "${host}"]);\nPostHog\\PostHog::capture(["distinctId" => "ann", "event" => "signed up"]);\nPostHog\\PostHog::flush();`,
      ),
    ],
  },
  {
    value: "curl",
    label: "curl",
    about: "From anything that speaks HTTP.",
    parts: ({ key, host }) => [
      part(
        "Send an event",
        `curl ${host}/i/v0/e/ -H 'content-type: application/json' \\\n  -d '{"api_key": "${key}", "event": "signed up", "distinct_id": "ann"}'`,
      ),
    ],
  },
  {
    value: "otlp",
    label: "OTLP",
    about: "Log records of an application with an OpenTelemetry SDK. They appear under Logs.",
    parts: ({ key, host }) => [
      part(
        "Environment of the application",
        `export OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=${host}/i/v1/logs\nexport OTEL_EXPORTER_OTLP_LOGS_HEADERS="authorization=Bearer%20${key}"\nexport OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/protobuf`,
      ),
    ],
  },
];
