import { describeSettings } from "../../src/app/settings/settings.ts";
import { EXIT, usageOf } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/run.ts";
import { additionRows } from "../../src/core/capture/additions.ts";
import { UNSTORED } from "../../src/core/events/event.ts";
import { METRICS, type MetricDefinition } from "../../src/core/operations/metric-definitions.ts";
import { INSTEAD } from "../../src/core/values/instead.ts";
import { UNUSED } from "../../src/core/values/known-fields.ts";
import {
  isAboutLogs,
  meaningOf,
  WARNING_TYPES,
  warningTable,
} from "../../src/core/warnings/meanings.ts";
import { tagOf } from "../../src/http/docs/openapi.ts";
import { captureRoutes } from "../../src/http/sdk/capture.ts";
import { sdkRoutes } from "../../src/http/sdk/config.ts";
import { logRoutes } from "../../src/http/sdk/otlp.ts";
import { managementRoutes } from "../../src/http/server.ts";
import { limitsPage } from "./limits.ts";
import { code, listed, pageOf, table } from "./markdown.ts";
import { questionsPage } from "./questions-page.ts";
import { sendEventsPage } from "./senders.ts";
import { sqlColumnsPage } from "./sql-page.ts";

/** The pages that are generated, by the name of their file in `src/docs`. */
export async function generatedPages(): Promise<Record<string, string>> {
  return {
    "settings.md": settingsPage(),
    "cli.md": cliPage(),
    "warnings.md": warningsPage(),
    "limits.md": await limitsPage(),
    "metrics.md": metricsPage(),
    "sql-columns.md": sqlColumnsPage(),
    "api.md": apiPage(),
    "questions.md": questionsPage(),
    "send-events.md": withAdmissionTables(sendEventsPage()),
  };
}

function settingsPage(): string {
  const rows = describeSettings().map(({ flag, help, fallback, computed, values }) => [
    code(flag),
    help,
    computed ?? code(fallback),
    values,
  ]);
  return pageOf(
    "# Settings",
    "Every command takes every setting as a flag. The first of these that has a setting counts:",
    [
      "1. the flag, such as `--port 9000`",
      "2. the environment, such as `HOGLET_PORT=9000`",
      '3. `hoglet.toml` in the working directory, such as `port = 9000`; a text has quotes: `host = "0.0.0.0"`',
      "4. the default",
    ].join("\n"),
    "In the environment and the file, a name has `_` for `-`: `HOGLET_PUBLIC_URL`, `public_url`. `--config FILE`, or `HOGLET_CONFIG`, names another file. An unknown or wrong setting is an error.",
    "`HOGLET_PROJECT_KEY_FILE` and `HOGLET_PERSONAL_KEY_FILE` name files that contain a key, for example a mounted secret. `hoglet config` prints each setting, its value and its source.",
    table(["setting", "meaning", "default", "values"], rows),
  );
}

/** What each exit code says. */
const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: "done",
  error: "refused; standard error says why",
  usage: "the command, a flag or a setting is wrong",
  locked: "another process uses the data directory",
  internal: "a bug, or an event store that failed",
};

function cliPage(): string {
  const flagged = COMMANDS.flatMap((command) => {
    const flags = Object.entries({ ...command.flags, ...command.switches });
    if (flags.length === 0) return [];
    const rows = flags.map(([flag, meaning]) => [code(flag), meaning]);
    return [`### ${command.name}`, table(["flag", "meaning"], rows)];
  });
  return pageOf(
    "# Commands",
    table(
      ["command", "does"],
      COMMANDS.map((command) => [code(`hoglet ${usageOf(command)}`), command.summary]),
    ),
    "Every command also takes the [settings](settings.md) as flags, such as `--data DIR`. A flag has its value after a space or `=`. Nothing after `--` is a flag.",
    "## Flags",
    "A default is in brackets.",
    ...flagged,
    "## Exit codes",
    table(
      ["code", "meaning"],
      Object.entries(EXIT).map(([name, number]) => [
        String(number),
        EXIT_MEANINGS[name as keyof typeof EXIT],
      ]),
    ),
  );
}

function warningsPage(): string {
  return pageOf(
    "# Ingestion warnings",
    "Hoglet answers 200 even if it drops or changes some of the events or log records of a request. Each of them counts as a warning of one of these types. `GET /api/environments/<id>/ingestion_warnings/` lists the types that a project has had, with their counts and newest samples.",
    "The severity `error` means that the event or log record was not stored. `warning` means that it was stored differently from how it was sent, or that a part of it had no effect.",
    "## Events",
    warningTable(WARNING_TYPES.filter((type) => !isAboutLogs(type))),
    "## Log records",
    warningTable(WARNING_TYPES.filter(isAboutLogs)),
  );
}

/** The page on sending events with the tables of events that get additions, and that are not kept. */
function withAdmissionTables(page: string): string {
  const unstored = [...UNSTORED].map(([name, type]) => [
    code(name),
    code(type),
    meaningOf(type).meaning,
  ]);
  const tables: [heads: string[], rows: string[][]][] = [
    [["events", "added", "from"], additionRows()],
    [["event", "warning", "meaning"], unstored],
  ];
  return tables.reduce((text, [heads, rows]) => {
    const [head = ""] = table(heads, []).split("\n");
    const start = text.indexOf(head);
    const end = text.indexOf("\n\n", start);
    return text.slice(0, start) + table(heads, rows) + text.slice(end);
  }, page);
}

function metricsPage(): string {
  const rows = Object.entries<MetricDefinition>(METRICS).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    listed(labels),
    help,
  ]);
  return pageOf(
    "# Metrics",
    "`GET /metrics` is in the text format of Prometheus. It takes a personal key with the scope `project:read` as bearer token. A key that is confined to projects gets the samples of these alone.",
    "A counter begins at 0 with the process, unless its meaning says otherwise. [Operations](operations.md#metrics) says which metrics are worth an alert.",
    table(["metric", "type", "labels", "meaning"], rows),
  );
}

/** The path of most operations; the page abbreviates it. */
const PROJECT_PATH = "/api/environments/:project_id/";

const shownRoute = ({ method, path }: { method: string; path: string }) =>
  code(`${method} ${path.replace(PROJECT_PATH, "…/").replace(/:(\w+)/g, "<$1>")}`);

/** Headings of the parts of the table that are no values of a field. */
const NAMES: Readonly<Record<string, string>> = {
  field: "Fields of queries and filters",
  parameter: "Parameters of requests",
  path: "Paths",
};

function apiPage(): string {
  // The handlers are not called, so that they need no services.
  const routes = managementRoutes({} as never);
  const sections = [...Map.groupBy(routes, tagOf)].flatMap(([tag, ofTag]) => [
    `## ${tag}`,
    table(
      ["operation", "scope", "summary"],
      ofTag.map((route) => [shownRoute(route), code(route.scope), route.summary]),
    ),
  ]);
  const sdk = [
    ...captureRoutes({} as never, {} as never, {} as never, {} as never),
    ...logRoutes({} as never, {} as never, {} as never),
    ...sdkRoutes({} as never),
  ];
  return pageOf(
    "# API",
    "Every operation below takes a [personal key](keys.md) with the scope that it names: `Authorization: Bearer phx_…`. In a path, `…` stands for `/api/environments/<project_id>`. Paths work without their trailing slash, too, and with `projects` in place of `environments` and the other way round, as other clients ask. The filters `created_by`, `distinct_id`, `email`, `event`, `properties`, `search` and `short_id` do not filter if they are empty. A number in a body is kept as a double: one that is too large, or has more than its 15 to 17 digits, is refused, and is sent as a text. `/openapi.json` is the document for tools, and [`/docs`](/docs) tries operations out in the browser.",
    ...sections,
    "## SDKs",
    "These paths are public, and take a project key. [Send events](send-events.md) and [logs](logs.md) explain them.",
    sdk.map((route) => `- ${shownRoute(route)}`).join("\n"),
    "## Names of PostHog that are not taken",
    "A query, a filter or a request that has one of these is refused with 400, a path with 404, and the answer says what to write instead. [SQL](sql-columns.md#refused-names-and-syntax) has a table of its own.",
    ...Object.entries(INSTEAD).flatMap(([place, advice]) => [
      `### ${NAMES[place] ?? `Values of ${code(place)}`}`,
      table(
        ["name", "instead"],
        [...Map.groupBy(Object.entries(advice), ([, text]) => text)].map(([text, all]) => [
          listed(all.map(([name]) => name)),
          text,
        ]),
      ),
    ]),
    "## Fields of PostHog that change nothing",
    "They say how an answer is drawn, what a client notes, or how PostHog runs a query. A query or a filter with one of them has the same answer as without it, but where [insights](insights.md#typed-queries) say what it does, as `aggregationAxisFormat` of trends.",
    listed([...UNUSED].toSorted()),
    "## Health",
    "`GET /_liveness`, `GET /_readiness` and `GET /_health` take no key, see [operations](operations.md#health).",
  );
}
