import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { bannedPhrases, bannedTestNames } from "./support/plain-words.ts";
import { ROOT } from "./support/start/server.ts";

const SRC = join(ROOT, "src");

/**
 * The folders that a folder may import from, besides itself and the folders that all of its floor may
 * (src/docs/architecture.md). A folder without a row of its own has that of the folder it lies in.
 */
const IMPORTS: Record<string, readonly string[]> = {
  app: ["app", "cli", "core", "http", "stores"],
  "app/process": ["core"],
  "app/settings": ["core", "app/process"],
  "app/threads": ["core", "stores", "app/process", "app/records.ts"],
  "app/recovery": ["core", "stores", "app/process", "app/settings"],
  cli: ["app", "http", "core", "docs"],
  http: ["core", "http"],
  "http/operation": ["core"],
  "http/request": ["core", "http/operation"],
  "http/answer": ["core", "http/operation"],
  "http/routes": ["core", "http/operation", "http/request", "http/answer"],
  "http/sdk": ["core", "http/operation", "http/request", "http/answer"],
  "http/console": ["core", "http/operation", "http/request", "http/answer"],
  "http/docs": ["core", "docs", "http/operation", "http/request"],
  ...importsIn("core", ["core/values", "core/ports"]),
  "core/values": [],
  ...importsIn("stores", ["core"]),
  docs: [],
  console: ["console"],
  ...importsIn("console", []),
};

/** The rows of the table of a floor in src/docs/architecture.md, with the folders that all its rows may import. */
function importsIn(floor: string, all: readonly string[]): Record<string, readonly string[]> {
  const text = readFileSync(join(SRC, "docs/architecture.md"), "utf8");
  const table = text.split(`Folders of \`${floor}\`:\n\n`)[1]?.split("\n\n")[0] ?? "";
  const rows = [...table.matchAll(/^\| `([^`]+)` \| .* \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  return Object.fromEntries(
    rows.map(([, folder = "", imports = ""]) => {
      const named = [...imports.matchAll(/`([^`]+)`/g)].map(([, name]) => `${floor}/${name}`);
      const own = imports === "all of them" ? [floor] : named;
      return [`${floor}/${folder}`, [...all, ...own]];
    }),
  );
}

/** The packages that each floor may load; types may come from any. */
const PACKAGES: Record<string, readonly string[]> = {
  core: ["@bufbuild/protobuf", "croner", "node:buffer", "node:zlib", "prom-client"],
  stores: ["drizzle-orm", "bun:sqlite", "@duckdb/node-api", "node:"],
  http: [
    ...["elysia", "@elysiajs/swagger", "swagger-ui-dist", "posthog-js", "node:"],
    "@fontsource-variable/inter",
  ],
  app: ["node:", "bun:", "croner"],
  cli: ["node:"],
  console: ["preact", "@preact/signals", "preact-iso", "uplot"],
  "main.ts": [],
};

/** The most files that lie at one level of a folder. */
const FILES_MAX = 20;

/** Source files without a test of their own, each with the reason. */
const TESTED_ELSEWHERE: Record<string, string> = {
  "stores/sqlite/records.ts": "test/app/records.test.ts",
  "core/capture/additions.ts": "test/core/capture/cookieless.test.ts",
  "http/request/fields.ts": "test/http/changes.test.ts, test/hostile/fields.test.ts",
  "http/request/versions.ts": "test/http/changes.test.ts",
  "core/logs/unkept.ts": "test/http/sdk/otlp.test.ts",
  "core/sql/sql.ts": "test/stores/duckdb/sql/statements.test.ts",
  "core/sql/tables.ts": "test/stores/duckdb/sql/sql.test.ts",
  "stores/duckdb/sql/allowed.ts": "test/stores/duckdb/sql/check.test.ts",
  "stores/duckdb/sql/expression.ts": "test/stores/duckdb/sql/check.test.ts",
  "stores/duckdb/sql/extent.ts": "test/stores/duckdb/sql/check.test.ts",
  "stores/duckdb/sql/hogql/functions.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/hogql/own-names.ts": "test/stores/duckdb/sql/statements.test.ts",
  "stores/duckdb/sql/hogql/refused.ts": "test/stores/duckdb/sql/hogql.test.ts",
  "stores/duckdb/sql/hogql/statements.ts": "test/stores/duckdb/sql/check.test.ts",
  "stores/duckdb/sql/items.ts": "test/stores/duckdb/sql/hogql-meaning.test.ts",
  "stores/duckdb/sql/names.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/moments.ts": "test/stores/duckdb/sql/hogql-meaning.test.ts",
  "stores/duckdb/sql/nodes.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/placeholders.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/rewrite.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/hogql/special-calls.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/hogql/special-times.ts": "test/stores/duckdb/sql/time-zones.test.ts",
  "stores/duckdb/sql/templates.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/hogql/text.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/hogql/tokens.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/tree.ts": "test/stores/duckdb/sql/check.test.ts",
  "stores/duckdb/sql/typing.ts":
    "test/stores/duckdb/sql/hogql.test.ts, test/stores/duckdb/sql/hogql-corpus.test.ts",
  "stores/duckdb/sql/cells.ts": "test/stores/duckdb/sql/statements.test.ts",
  "stores/duckdb/sql/faults.ts": "test/stores/duckdb/sql/statements.test.ts",
  "stores/duckdb/sql/views.ts": "test/stores/duckdb/sql/statements.test.ts",
  "core/insights/words/same-query.ts": "test/http/routes/read-words.test.ts",
  "http/operation/query-shapes.ts": "test/http/docs/openapi.test.ts",
  "core/insights/words/read-words.ts": "test/http/routes/read-words.test.ts",
  "core/insights/answers.ts": "test/core/insights/words/words.test.ts",
  "stores/duckdb/insights/trend-rows.ts": "test/stores/duckdb/insights/trends.test.ts",
  "stores/duckdb/lists/vocabulary.ts": "test/stores/suites/vocabulary.test.ts",
  "stores/duckdb/lists/vocabulary-sql.ts": "test/stores/suites/vocabulary.test.ts",
  "stores/sqlite/definitions.ts": "test/stores/suites/definition-notes.test.ts",
  "stores/sqlite/damage.ts": "test/crash/flipped-bits.test.ts",
  "stores/duckdb/lists/persons.ts": "test/stores/suites/person-search.test.ts",
  "stores/sqlite/persons/writes.ts": "test/stores/suites/person-writes.test.ts",
  "stores/sqlite/access.ts": "test/stores/suites/keys.test.ts, test/stores/suites/projects.test.ts",
  "stores/sqlite/warnings.ts": "test/stores/suites/warnings.test.ts",
  "app/open-events.ts": "every test that starts an appliance",
  "app/process/sources.ts": "every test that starts an appliance",
  "app/recovery/check-together.ts":
    "test/crash/recovery.test.ts, test/app/recovery/journal-gaps.test.ts",
  "app/server.ts": "every test that starts an appliance",
  "app/process/assets.d.ts": "types",
  "cli/command.ts": "types and constants",
  "cli/config.ts": "test/cli/run.test.ts",
  "cli/health.ts": "test/cli/run.test.ts",
  "cli/key.ts": "test/cli/run.test.ts",
  "cli/licenses.ts": "test/cli/run.test.ts, test/executable/executable.test.ts",
  "cli/project.ts": "test/cli/run.test.ts",
  "cli/rebuild.ts": "test/app/rebuild.test.ts",
  "cli/serve.ts": "test/executable/executable.test.ts, test/crash/kill.test.ts",
  "cli/stop-signal.ts": "test/crash/kill.test.ts, test/cli/deletions.test.ts",
  "core/values/tags.ts":
    "test/http/routes/dashboards/dashboards.test.ts, test/core/events/definitions.test.ts",
  "core/values/table.ts": "test/cli/run.test.ts, test/http/routes/sql.test.ts",
  "cli/version.ts": "test/cli/run.test.ts",
  "app/threads/decode-worker.ts": "test/http/sdk/capture.test.ts",
  "core/identity/activity.ts": "types",
  "core/values/similar-names.ts":
    "test/core/questions/fixtures.test.ts, test/stores/duckdb/sql/statements.test.ts",
  "core/events/definition.ts": "types and constants",
  "core/erasure/deletion.ts": "types and constants",
  "core/values/failure.ts": "test/http/management.test.ts",
  "core/dashboards/annotation.ts": "types and constants",
  "core/dashboards/dashboard.ts": "types and constants",
  "core/dashboards/annotations.ts": "test/http/routes/dashboards/annotations.test.ts",
  "core/dashboards/sent.ts": "test/http/routes/dashboards/dashboards.test.ts",
  "core/dashboards/template.ts": "test/http/routes/dashboards/dashboards.test.ts",
  "core/insights/insight-name.ts": "test/core/insights/kept-insights.test.ts",
  "stores/sqlite/erase-deleted.ts": "test/stores/suites/dashboards.test.ts",
  "stores/sqlite/tiles.ts": "test/stores/suites/dashboards.test.ts",
  "stores/sqlite/dashboards.ts":
    "test/stores/suites/dashboards.test.ts, test/http/routes/dashboards/dashboards.test.ts",
  "stores/sqlite/annotations.ts":
    "test/stores/suites/annotations.test.ts, test/http/routes/dashboards/annotations.test.ts",
  "core/capture/key-in-body.ts": "test/core/capture/read-body.test.ts",
  "core/capture/event-v1.ts": "test/http/sdk/capture-v1.test.ts",
  "core/insights/lines/line-order.ts": "test/core/insights/lines/trend-results.test.ts",
  "core/queries/trend-shown.ts": "test/core/insights/lines/trend-results.test.ts",
  "stores/duckdb/insights/breakdown-values.ts": "test/stores/duckdb/insights/trends.test.ts",
  "stores/duckdb/insights/behaviors.ts":
    "test/stores/duckdb/insights/lifecycle.test.ts, test/stores/duckdb/insights/trends.test.ts",
  "core/queries/breakdown.ts": "test/http/routes/insight-shapes.test.ts",
  "core/queries/funnel.ts": "test/http/routes/insights.test.ts",
  "core/queries/funnel-overlap.ts":
    "test/stores/duckdb/insights/funnels.test.ts, test/http/routes/insights.test.ts",
  "core/queries/insight.ts": "test/core/insights/insights.test.ts",
  "core/queries/lifecycle.ts": "test/http/routes/insights.test.ts",
  "core/logs/value.ts": "test/core/logs/record.test.ts",
  "core/access/project.ts": "types and constants",
  "core/access/organization.ts": "test/http/routes/users.test.ts",
  "core/queries/query-fields.ts": "test/http/routes/insights.test.ts",
  "core/queries/retention.ts": "test/http/routes/insights.test.ts",
  "core/identity/split.ts": "test/core/identity/split-person.test.ts",
  "core/queries/stickiness.ts": "test/http/routes/insights.test.ts",
  "core/queries/trend.ts": "test/core/insights/insights.test.ts, test/http/routes/insights.test.ts",
  "core/events/number-ids.ts": "test/core/capture/admit-body.test.ts",
  "core/operations/metric-definitions.ts": "test/http/routes/metrics.test.ts",
  "app/process/countries.ts": "test/http/sdk/country.test.ts",
  "app/recovery/open-event-store.ts": "test/app/rebuild.test.ts",
  "app/recovery/event-store-rebuild.ts":
    "wiring of test/app/rebuild.test.ts and test/app/recovery/archive-repair.test.ts",
  "app/admin-socket.ts": "test/executable/executable.test.ts",
  "http/request/auth.ts": "test/http/operation/operations.test.ts, test/http/routes/keys.test.ts",
  "http/routes/activity.ts": "test/http/routes/person-edits.test.ts",
  "http/routes/definitions.ts": "test/core/events/definitions.test.ts",
  "http/answer/format.ts": "test/http/routes/persons.test.ts",
  "http/routes/groups.ts": "test/core/identity/groups.test.ts",
  "http/routes/health.ts": "test/http/management.test.ts",
  "http/request/parameters.ts":
    "test/http/routes/persons.test.ts, test/http/routes/playlists.test.ts",
  "http/allowed-methods.ts":
    "test/http/operation/operations.test.ts, test/http/answer/errors.test.ts",
  "http/docs/json-schema.ts": "test/http/docs/openapi.test.ts",
  "http/docs/operations.ts": "test/http/docs/openapi.test.ts",
  "http/operation/route.ts": "types",
  "http/routes/sql-schema.ts": "test/http/routes/events.test.ts",
  "http/operation/insight-shapes.ts": "test/http/docs/openapi.test.ts",
  "core/access/running-queries.ts": "test/http/routes/sql.test.ts",
  "core/insights/cells.ts": "test/core/insights/actors.test.ts",
  "core/insights/lines/csv.ts": "test/http/routes/sql.test.ts",
  "core/insights/lines/trend-days.ts": "test/http/routes/sql.test.ts",
  "http/operation/schemas.ts": "test/http/docs/openapi.test.ts",
  "http/server.ts": "test/http/management.test.ts",
  "main.ts": "test/executable/executable.test.ts",
  "app/process/executable-pages.ts": "test/executable/executable.test.ts",
  "app/process/io-threads.ts": "test/hostile/fairness.test.ts",
  "app/services.ts": "every test that starts an appliance",
  "app/reports.ts": "every test that starts an appliance",
  "core/persons/activity-log.ts": "test/http/routes/person-edits.test.ts",
  "core/ingest/append-queue.ts": "test/core/ingest/ingest.test.ts",
  "core/capture/decode-body.ts": "test/http/sdk/capture.test.ts, test/hostile/bodies.test.ts",
  "core/erasure/deletions.ts": "test/cli/deletions.test.ts",
  "http/request/host.ts": "test/hostile/requests.test.ts",
  "http/console/routes.ts": "test/http/console/settings.test.ts",
  "http/console/assets.ts": "test/http/console/pages.test.ts",
  "http/console/bundle.ts": "test/http/console/pages.test.ts, test/executable/executable.test.ts",
  "http/console/shell.ts": "test/http/console/pages.test.ts",
  "core/insights/lines/results.ts": "test/http/routes/insights.test.ts",
  "core/insights/tables/answer.ts": "test/core/insights/tables.test.ts",
  "core/insights/tables/events.ts": "test/core/insights/tables.test.ts",
  "core/insights/tables/persons.ts": "test/core/insights/tables.test.ts",
  "core/insights/tables/text.ts": "test/core/insights/tables.test.ts",
  "core/queries/tables/columns.ts": "test/core/insights/tables.test.ts",
  "core/queries/tables/events.ts": "test/core/insights/tables.test.ts",
  "core/queries/tables/persons.ts": "test/core/insights/tables.test.ts",
  "core/queries/tables/table.ts": "test/core/insights/tables.test.ts",
  "core/access/key-changes.ts": "test/http/routes/keys.test.ts",
  "core/access/owner.ts": "test/http/routes/keys.test.ts, test/core/access/first-start.test.ts",
  "core/access/sessions.ts": "test/http/console/sessions.test.ts",
  "stores/sqlite/sessions.ts": "test/stores/suites/sessions.test.ts",
  "core/access/keys.ts": "test/http/routes/keys.test.ts, test/cli/run.test.ts",
  "core/logs/logs.ts": "test/http/sdk/otlp.test.ts",
  "core/operations/metrics.ts": "test/http/routes/metrics.test.ts",
  "core/operations/status.ts": "test/http/routes/status.test.ts",
  "http/sdk/refusals.ts": "test/http/routes/status.test.ts",
  "http/sdk/sender.ts": "test/http/sdk/country.test.ts",
  "core/identity/person-batch.ts": "test/core/identity/identify.test.ts",
  "core/persons/bare-ids.ts": "test/core/persons/removals.test.ts",
  "core/persons/ordered-writes.ts": "test/http/routes/person-edits.test.ts",
  "core/persons/person-edits.ts": "test/http/routes/person-edits.test.ts",
  "core/persons/deletion-preview.ts": "test/http/routes/deletions.test.ts",
  "core/persons/merges.ts": "test/http/routes/merges.test.ts",
  "stores/sqlite/persons/merges.ts": "test/stores/suites/person-reads.test.ts",
  "core/persons/persons.ts": "test/http/routes/persons.test.ts",
  "core/access/projects.ts": "test/http/routes/projects.test.ts, test/cli/run.test.ts",
  "core/ingest/restore.ts": "test/app/rebuild.test.ts",
  "core/ingest/retry.ts": "test/core/ingest/ingest.test.ts",
  "app/settings/types.ts": "test/app/settings/settings.test.ts",
  "stores/archive/check.ts": "test/app/recovery/archive-repair.test.ts",
  "stores/sqlite/activity.ts": "test/stores/suites/activity.test.ts",
  "stores/archive/erase.ts":
    "test/stores/suites/archive.test.ts, test/stores/archive/archive.test.ts",
  "stores/duckdb/events/dead-letters.ts": "test/stores/duckdb/events/store.test.ts",
  "stores/duckdb/lists/definitions.ts":
    "test/stores/suites/definitions.test.ts, test/core/events/definitions.test.ts",
  "stores/loads/brief-properties.ts": "test/hostile/large-events.test.ts",
  "stores/sqlite/deletions.ts": "test/stores/suites/erasure.test.ts",
  "stores/files/disk.ts": "test/stores/journal/journal.test.ts",
  "stores/duckdb/engine/faults.ts":
    "test/stores/duckdb/events/store.test.ts, test/app/rebuild.test.ts",
  "stores/duckdb/engine/instance.ts":
    "test/stores/duckdb/events/store.test.ts, test/executable/build.test.ts",
  "stores/duckdb/engine/jobs.ts":
    "test/stores/duckdb/engine/queue.test.ts, test/stores/duckdb/engine/generations.test.ts",
  "stores/duckdb/engine/duckdb.ts":
    "test/stores/suites/events.test.ts, test/stores/duckdb/events/store.test.ts",
  "stores/duckdb/engine/native-library.ts": "test/executable/build.test.ts",
  "stores/duckdb/events/quarantine.ts": "test/app/rebuild.test.ts",
  "stores/duckdb/lists/events.ts":
    "test/stores/suites/events.test.ts, test/http/management.test.ts",
  "stores/duckdb/lists/property-values.ts": "test/stores/suites/definitions.test.ts",
  "stores/duckdb/lists/names.ts": "test/core/insights/insights.test.ts",
  "stores/duckdb/insights/statement.ts": "test/stores/duckdb/insights/trends.test.ts",
  "stores/duckdb/insights/event-tables.ts": "test/stores/duckdb/insights/trends.test.ts",
  "stores/duckdb/insights/funnel-attempts.ts": "test/stores/duckdb/insights/funnels.test.ts",
  "stores/duckdb/insights/funnel-exclusions.ts": "test/stores/duckdb/insights/funnels.test.ts",
  "stores/duckdb/insights/funnel-values.ts": "test/stores/duckdb/insights/funnels.test.ts",
  "stores/duckdb/insights/tables/events.ts": "test/stores/duckdb/insights/tables/tables.test.ts",
  "stores/duckdb/insights/tables/persons.ts":
    "test/stores/duckdb/insights/tables/tables.test.ts, test/core/insights/tables.test.ts",
  "stores/duckdb/insights/funnel-ordered.ts": "test/stores/duckdb/insights/funnels.test.ts",
  "stores/duckdb/insights/funnel-unordered.ts":
    "test/stores/duckdb/insights/funnels.test.ts, test/http/routes/insights.test.ts",
  "stores/sqlite/groups.ts": "test/stores/suites/groups.test.ts",
  "stores/duckdb/insights/actors.ts":
    "test/stores/duckdb/insights/trends.test.ts, test/core/insights/actors.test.ts",
  "stores/duckdb/insights/drafts.ts":
    "test/stores/duckdb/insights/trends.test.ts, test/http/routes/insight-drafts.test.ts",
  "stores/duckdb/insights/queries.ts": "test/stores/duckdb/insights/trends.test.ts",
  "stores/journal/segment.ts": "test/stores/journal/journal.test.ts",
  "stores/files/erase-leftovers.ts": "test/core/erasure/deletion-runs.test.ts",
  "stores/loads/parts.ts": "test/stores/suites/loads.test.ts",
  "stores/duckdb/lists/logs.ts": "test/stores/suites/logs.test.ts, test/http/routes/logs.test.ts",
  "stores/loads/log-lines.ts":
    "test/http/sdk/otlp.test.ts, test/stores/duckdb/events/store.test.ts",
  "stores/duckdb/migrations/index.ts": "test/stores/duckdb/migrations.test.ts",
  "core/values/schema-version.ts": "test/stores/sqlite/sqlite.test.ts",
  "stores/sqlite/migrations/index.ts": "test/stores/sqlite/sqlite.test.ts",
  "stores/journal/end-mark.ts": "test/app/recovery/journal-gaps.test.ts",
  "stores/duckdb/events/projection.ts": "test/stores/duckdb/events/store.test.ts",
  "stores/duckdb/engine/natives.ts": "test/executable/build.test.ts",
  "stores/sqlite/persons/list.ts":
    "test/stores/suites/person-writes.test.ts, test/http/routes/persons.test.ts",
  "stores/sqlite/playlists.ts":
    "test/stores/suites/playlists.test.ts, test/http/routes/playlists.test.ts",
  "stores/duckdb/lists/property-filter.ts":
    "test/http/routes/persons.test.ts, test/http/routes/logs.test.ts",
  "stores/sqlite/persons/apply-change.ts":
    "test/stores/suites/person-writes.test.ts, test/core/identity/identify.test.ts",
  "stores/sqlite/persons/change-writer.ts":
    "test/stores/suites/person-writes.test.ts, test/core/identity/split-person.test.ts",
  "stores/sqlite/persons/changes-since.ts":
    "test/stores/suites/person-writes.test.ts, test/crash/kill.test.ts",
  "stores/sqlite/persons/statements.ts":
    "test/stores/suites/person-writes.test.ts, test/http/routes/person-edits.test.ts",
  "stores/sqlite/persons/user-changes.ts":
    "test/http/routes/person-edits.test.ts, test/core/identity/split-person.test.ts",
  "stores/archive/restore.ts": "test/stores/suites/archive.test.ts, test/app/rebuild.test.ts",
  "stores/sqlite/schema.ts": "test/stores/sqlite/sqlite.test.ts",
  "core/values/filter-operators.ts": "test/core/values/property-filter.test.ts",
  "stores/duckdb/events/dedup-replay.ts": "test/stores/suites/events.test.ts",
  "app/stores.ts": "every test that starts an appliance",
  "app/threads/fsync-worker.ts": "test/stores/files/disk-thread.test.ts",
  "app/threads/start.ts": "every test that starts an appliance",
  "app/process/version.ts": "test/cli/run.test.ts",
  "app/threads/store-worker.ts": "every test that starts an appliance",
  "core/queries/display.ts": "test/core/insights/insights.test.ts",
  "stores/duckdb/lists/first-event.ts": "test/stores/suites/insight-queries.test.ts",
  "core/warnings/meanings.ts": "test/core/warnings/warning.test.ts",
};

/** Folders whose files are tested together, by the tests of the whole. */
const TESTED_TOGETHER: Record<string, string> = {
  "core/questions":
    "fixtures, accounted, read-back and long-questions of test/core/questions, test/core/insights/words/words.test.ts",
  "core/insights/sentence": "test/core/questions/read-back.test.ts",
};

/** Lists of the words that people write in questions. */
const WORD_LISTS: ReadonlySet<string> = new Set([
  "src/core/questions/names/lexicon.ts",
  "src/core/questions/text/stems.ts",
]);

/** Words that have a better one. Below `app`, time and chance come in as arguments. */
const BANNED: { pattern: RegExp; instead: string; floors?: string[] }[] = [
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    instead: "the clock that is passed in",
    floors: ["core", "stores", "http"],
  },
  {
    pattern: /\bMath\.random\(|randomUUID/,
    instead: "the ids that are passed in",
    floors: ["core", "stores", "http"],
  },
  { pattern: /\bsql\.raw\(/, instead: "a parameter" },
  { pattern: /\bas any\b|: any\b/, instead: "unknown, or the type" },
  { pattern: /@ts-(ignore|expect-error|nocheck)/, instead: "the type" },
  { pattern: /\b(TODO|FIXME|XXX)\b/, instead: "an issue" },
];

/** Names that say less than the field's own words. */
const BANNED_NAMES =
  /\b(told|isTold|tell[A-Z]\w*|looking|inert|alike|\w*[aA]new|asides?|\w*Aside|\w*[bB]ehind|unmirrored\w*|roomy|letGo|give(Back|Way)\w*|sift(ed)?|resent\w*|toldApart)\b/;

const LINES_MAX = 300;

/** Written by `scripts/build/api-types.ts`, in its own style. */
const GENERATED = "console/api/types.ts";

/** Words of a decision's body. */
const DECISION_WORDS_MAX = 80;

const sources = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(SRC)].sort().map((name) => ({
  name,
  floor: name.split("/")[0] ?? "",
  text: readFileSync(join(SRC, name), "utf8"),
}));

const documents = [...new Bun.Glob("docs/**/*.md").scanSync(SRC)]
  .sort()
  .map((name) => ({ name, text: readFileSync(join(SRC, name), "utf8") }));

const decisions = documents
  .filter(({ name }) => name.startsWith("docs/decisions/"))
  .flatMap(({ text }) => decisionsIn(text));

/** Whether a path below src is a folder or lies in it. */
const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** The folder of {@link IMPORTS} that has the row for a source: its own, else one that it lies in. */
function folderOf(name: string): string {
  let folder = dirname(name);
  while (!(folder in IMPORTS) && folder.includes("/")) folder = dirname(folder);
  return folder;
}

const rowOf = (name: string) =>
  name === "main.ts" ? ["cli", "app/process"] : IMPORTS[folderOf(name)];

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, "");

/** What a source imports: a path below src or a package, and whether only types. */
function importsOf({ name, text: source }: { name: string; text: string }) {
  const text = withoutComments(source);
  const found = [
    ...text.matchAll(/^(?:import|export) ([^;]*?) from "([^"]+)"/gm),
    ...text.matchAll(/^()import "([^"]+)"/gm),
    ...text.matchAll(/()\bimport\("([^"]+)"\)/g),
  ];
  return found.map(([, what = "", from = ""]) => ({
    types: what.startsWith("type ") || /^\{(\s*type [^,]+,?)+\s*\}$/.test(what),
    from: from.startsWith(".") ? relative(SRC, join(SRC, name, "..", from)) : from,
    own: from.startsWith("."),
  }));
}

describe("the house rules", () => {
  test("a folder imports from the folders that the tree allows", () => {
    const wrong = sources.flatMap((source) => {
      const allowed = [folderOf(source.name), ...(rowOf(source.name) ?? [])];
      return importsOf(source)
        .filter(
          ({ own, from }) =>
            own && !from.startsWith("..") && !allowed.some((folder) => isWithin(from, folder)),
        )
        .map(({ from }) => `${source.name} imports ${from}`);
    });
    expect(wrong).toEqual([]);
  });

  test("ports are types alone", () => {
    const ports = sources.filter(({ name }) => isWithin(name, "core/ports"));
    const wrong = ports.filter(
      (source) =>
        importsOf(source).some(({ types }) => !types) || /^export (?!type )/m.test(source.text),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("a package is loaded on the floors that may load it", () => {
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter(({ own, types }) => !(own || types))
        .filter(({ from }) => !PACKAGES[source.floor]?.some((name) => from.startsWith(name)))
        .map(({ from }) => `${source.name} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test("no folder holds more files than one can look over", () => {
    const counts = new Map<string, number>();
    for (const { name } of sources) {
      counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
    }
    const full = [...counts].filter(([, count]) => count > FILES_MAX);
    expect(full).toEqual([]);
    expect(sources.filter(({ name }) => !name.includes("/")).map(({ name }) => name)).toEqual([
      "main.ts",
    ]);
  });

  test("the engine is loaded when it is needed, never when a file is imported", () => {
    const wrong = sources.filter(
      (source) =>
        importsOf(source).some(({ from, types }) => from === "@duckdb/node-api" && !types) &&
        !source.text.includes('await import("@duckdb/node-api")'),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("every export says what it is", () => {
    const wrong = sources
      .filter(({ name }) => name !== "app/process/assets.d.ts" && name !== GENERATED)
      .flatMap(({ name, text }) => {
        const lines = text.split("\n");
        return lines.flatMap((line, at) => {
          const exported = /^export (?!\{|\*|type \{)/.test(line);
          const overload = /^export function/.test(lines[at - 1] ?? "");
          return exported && !overload && !/\*\/$/.test(lines[at - 1] ?? "")
            ? [`${name}:${at + 1}`]
            : [];
        });
      });
    expect(wrong).toEqual([]);
  });

  test.each(BANNED)("$pattern is not used: there is $instead", ({ pattern, floors }) => {
    const wrong = sources
      .filter(({ floor }) => floors === undefined || floors.includes(floor))
      .filter(({ text }) => pattern.test(withoutComments(text)));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("no file outgrows what one reads at a sitting", () => {
    const wrong = sources
      .filter(({ name }) => name !== GENERATED)
      .filter(({ text }) => text.split("\n").length > LINES_MAX);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("every source has its test, or a reason not to", () => {
    const reasons = new Set(Object.keys(TESTED_ELSEWHERE));
    const missing = sources
      .map(({ name }) => name)
      .filter((name) => !isWithin(name, "core/ports"))
      .filter((name) => !Object.keys(TESTED_TOGETHER).some((folder) => isWithin(name, folder)))
      // Tests in a browser cover the console by its pages.
      .filter((name) => !isWithin(name, "console"))
      .filter((name) => !existsSync(join(ROOT, "test", name.replace(/\.ts$/, ".test.ts"))))
      .filter((name) => !reasons.delete(name));
    expect(missing).toEqual([]);
    expect([...reasons]).toEqual([]);
  });

  test("every decision that is cited exists, and every one is cited", () => {
    const written = decisions.map(({ number }) => number);
    expect(written).toEqual([...new Set(written)]);
    const cited = new Set(
      [...sources, ...documents].flatMap(({ text }) =>
        [...text.matchAll(/decisions?[\s*]+((?:\d+(?:, | to | and )?)+)/gi)].flatMap(
          ([, list = ""]) => numbersIn(list),
        ),
      ),
    );
    expect([...cited].filter((number) => !written.includes(number))).toEqual([]);
    expect(written.filter((number) => !cited.has(number))).toEqual([]);
  });

  test("comments, messages, pages and test names are in plain words", () => {
    const patterns = ["README.md", "src/**/*.{ts,tsx}", "src/**/*.md", "test/**/*.test.ts"];
    const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
    expect(paths.length).toBeGreaterThan(sources.length);
    const written = paths.filter((path) => path !== `src/${GENERATED}`);
    const wrong = written
      .filter((path) => !WORD_LISTS.has(path))
      .flatMap((path) => {
        const text = readFileSync(join(ROOT, path), "utf8");
        return path.startsWith("test/") ? bannedTestNames(path, text) : bannedPhrases(path, text);
      });
    expect(wrong).toEqual([]);
  });

  test("names in the code are the words of the field", () => {
    const withoutTexts = (text: string) =>
      withoutComments(text).replace(/\/\/.*$|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gm, "");
    const wrong = sources.flatMap(({ name, text }) => {
      const found = BANNED_NAMES.exec(withoutTexts(text));
      return found === null ? [] : [`${name}: ${found[0]}`];
    });
    expect(wrong).toEqual([]);
  });

  test("a decision is short", () => {
    const long = decisions.filter(({ body }) => body.split(/\s+/).length > DECISION_WORDS_MAX);
    expect(long.map(({ number }) => number)).toEqual([]);
  });
});

/** The decisions of a page, each a heading with a number and a body. */
function decisionsIn(page: string): { number: number; body: string }[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((part) => /^(\d+)\. .+\n+([\s\S]*)$/.exec(part))
    .map((match) => ({ number: Number(match?.[1]), body: (match?.[2] ?? "").trim() }));
}

/** The numbers of a list such as `8 to 12` or `3, 4 and 7`. */
function numbersIn(list: string): number[] {
  const range = /^(\d+) to (\d+)/.exec(list);
  if (range === null) return [...list.matchAll(/\d+/g)].map(Number);
  const [first, last] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
