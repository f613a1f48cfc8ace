import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./support/server.ts";

const SRC = join(ROOT, "src");

/** What each floor may import from src, and which packages it may load (README, "The code"). */
const FLOORS: Record<string, { src: string[]; types?: string[]; packages: string[] }> = {
  domain: { src: ["domain"], packages: [] },
  storage: {
    src: ["domain", "storage"],
    packages: ["drizzle-orm", "bun:sqlite", "@duckdb/node-api", "node:"],
  },
  services: {
    src: ["domain", "services"],
    types: ["storage", "log.ts"],
    packages: ["@bufbuild/protobuf", "croner", "node:zlib", "prom-client"],
  },
  http: {
    src: ["domain", "services", "http", "remote.ts"],
    types: ["log.ts"],
    packages: ["elysia", "@elysiajs/swagger", "swagger-ui-dist", "posthog-js", "node:"],
  },
  cli: {
    src: [
      "domain",
      "cli",
      "http",
      "app.ts",
      "config.ts",
      "data-directory.ts",
      "log.ts",
      "rebuild.ts",
      "version.ts",
    ],
    packages: ["node:"],
  },
};

/** Source files without a test of their own, each with the reason. */
const TESTED_ELSEWHERE: Record<string, string> = {
  "app.ts": "every test that starts an appliance",
  "assets.d.ts": "types",
  "cli/command.ts": "types and constants",
  "cli/config.ts": "test/cli/run.test.ts",
  "cli/health.ts": "test/cli/run.test.ts",
  "cli/key.ts": "test/cli/run.test.ts",
  "cli/licenses.ts": "test/cli/run.test.ts, test/binary.test.ts",
  "cli/project.ts": "test/cli/run.test.ts",
  "cli/rebuild.ts": "test/rebuild.test.ts",
  "cli/serve.ts": "test/binary.test.ts, test/kill.test.ts",
  "cli/signal.ts": "test/kill.test.ts, test/cli/deletions.test.ts",
  "cli/table.ts": "test/cli/run.test.ts",
  "cli/version.ts": "test/cli/run.test.ts",
  "decoder.ts": "test/http/capture.test.ts",
  "domain/activity.ts": "types",
  "domain/alike.ts": "test/domain/insight-words.test.ts, test/services/sql.test.ts",
  "domain/definition.ts": "types and constants",
  "domain/deletion.ts": "types and constants",
  "domain/errors.ts": "test/http/management.test.ts",
  "domain/event-v1.ts": "test/http/capture-v1.test.ts",
  "domain/funnel.ts": "test/http/insights.test.ts",
  "domain/funnel-sharing.ts": "test/storage/funnels.test.ts, test/http/insights.test.ts",
  "domain/group.ts": "test/services/groups.test.ts",
  "domain/insight-name.ts": "test/http/insights.test.ts",
  "domain/insight-result.ts": "test/services/insights.test.ts, test/http/insights.test.ts",
  "domain/insight.ts": "test/services/insights.test.ts",
  "domain/json-bytes.ts": "test/domain/json-scan.test.ts, test/domain/json-sketch.test.ts",
  "domain/known-fields.ts": "test/http/insights.test.ts",
  "domain/lifecycle.ts": "test/http/insights.test.ts",
  "domain/log-value.ts": "test/domain/log-record.test.ts",
  "domain/project.ts": "types and constants",
  "domain/query-fields.ts": "test/http/insights.test.ts",
  "domain/query-shown.ts": "test/http/insight-shapes.test.ts",
  "domain/random-text.ts": "test/domain/key.test.ts, test/domain/playlist.test.ts",
  "domain/retention.ts": "test/http/insights.test.ts",
  "domain/split.ts": "test/services/split.test.ts",
  "domain/sql-allowed.ts": "test/domain/sql-tree.test.ts",
  "domain/sql-call.ts": "test/domain/sql-tree.test.ts",
  "domain/sql-cell.ts": "test/services/sql.test.ts",
  "domain/sql-expression.ts": "test/domain/sql-tree.test.ts",
  "domain/sql-part.ts": "test/domain/sql-tree.test.ts",
  "domain/sql-view.ts": "test/storage/sql.test.ts",
  "domain/stickiness.ts": "test/http/insights.test.ts",
  "domain/trend.ts": "test/services/insights.test.ts, test/http/insights.test.ts",
  "domain/unsafe-id.ts": "test/services/admission.test.ts",
  "domain/user.ts": "types",
  "domain/uuid.ts": "test/domain/person.test.ts, test/domain/event.test.ts",
  "domain/warning.ts": "types",
  "domain/words-breakdown.ts": "test/domain/insight-words.test.ts",
  "domain/words-kinds.ts": "test/domain/insight-words.test.ts",
  "domain/words-own.ts": "test/domain/insight-words.test.ts",
  "domain/words-names.ts": "test/domain/insight-words.test.ts",
  "domain/words-quoted.ts": "test/domain/insight-words.test.ts",
  "domain/words-time.ts": "test/domain/insight-words.test.ts",
  "event-store.ts": "test/rebuild.test.ts",
  "filling.ts": "wiring of test/rebuild.test.ts and test/damaged-archive.test.ts",
  "http/address.ts": "test/http/management.test.ts",
  "http/admin.ts": "test/binary.test.ts",
  "http/auth.ts": "test/http/operations.test.ts, test/http/keys.test.ts",
  "http/body.ts": "test/http/capture.test.ts",
  "http/cors.ts": "test/http/capture.test.ts",
  "http/definitions.ts": "test/services/definitions.test.ts",
  "http/docs.ts": "test/docs.test.ts",
  "http/events.ts": "test/http/management.test.ts",
  "http/format.ts": "test/http/persons.test.ts",
  "http/groups.ts": "test/services/groups.test.ts",
  "http/health.ts": "test/http/management.test.ts",
  "http/list-parameters.ts": "test/http/persons.test.ts, test/http/playlists.test.ts",
  "http/methods.ts": "test/http/operations.test.ts, test/http/errors.test.ts",
  "http/openapi-mend.ts": "test/http/openapi.test.ts",
  "http/query.ts": "test/services/sql.test.ts",
  "http/request-id.ts": "test/http/management.test.ts",
  "http/route.ts": "types",
  "http/percent.ts": "test/http/errors.test.ts",
  "http/schemas.ts": "test/http/openapi.test.ts",
  "http/server.ts": "test/http/management.test.ts",
  "http/users.ts": "test/http/playlists.test.ts",
  "main.ts": "test/binary.test.ts",
  "given-back.ts": "test/binary.test.ts",
  "pool.ts": "test/fairness.test.ts",
  "searches.ts": "every test that starts an appliance",
  "services/activity.ts": "test/http/person-edits.test.ts",
  "services/admission.ts": "test/http/capture.test.ts",
  "services/appending.ts": "test/services/ingest.test.ts",
  "services/capture.ts": "test/http/capture.test.ts",
  "services/decoding.ts": "test/http/capture.test.ts, test/http/hostile-bodies.test.ts",
  "services/deletions.ts": "test/http/person-edits.test.ts, test/cli/deletions.test.ts",
  "services/events.ts": "test/http/management.test.ts",
  "services/identity.ts": "test/services/ingest.test.ts",
  "services/insight-results.ts": "test/http/insights.test.ts",
  "services/key-turns.ts": "test/http/keys.test.ts",
  "services/keys.ts": "test/http/keys.test.ts, test/cli/run.test.ts",
  "services/log-query.ts": "test/http/log-query.test.ts",
  "services/logs.ts": "test/http/logs.test.ts",
  "services/metrics.ts": "test/http/metrics.test.ts",
  "services/people.ts": "test/services/identity.test.ts",
  "services/person-edits.ts": "test/http/person-edits.test.ts",
  "services/person-table.ts": "test/http/persons.test.ts",
  "services/person-writes.ts": "test/http/person-edits.test.ts",
  "services/persons.ts": "test/http/persons.test.ts",
  "services/projects.ts": "test/http/projects.test.ts, test/cli/run.test.ts",
  "services/restoring.ts": "test/rebuild.test.ts",
  "services/resent.ts": "test/http/ingestion-warnings.test.ts",
  "services/retrying.ts": "test/services/ingest.test.ts",
  "services/slice-content.ts": "test/services/slices.test.ts",
  "services/trends.ts": "test/services/insights.test.ts, test/http/insights.test.ts",
  "services/users.ts": "test/http/playlists.test.ts",
  "services/warnings.ts": "test/http/ingestion-warnings.test.ts",
  "setting.ts": "test/config.test.ts",
  "storage/archive-check.ts": "test/damaged-archive.test.ts",
  "storage/activity.ts": "test/http/person-edits.test.ts",
  "storage/any-case.ts": "test/http/playlists.test.ts, test/storage/person-search.test.ts",
  "storage/archive-erase.ts": "test/storage/archive.test.ts",
  "storage/archive-files.ts": "test/storage/archive.test.ts",
  "storage/archive-list.ts": "test/storage/archive.test.ts",
  "storage/blank-rows.ts": "test/storage/loads.test.ts, test/large-events.test.ts",
  "storage/dead-letters.ts": "test/storage/events.test.ts",
  "storage/definitions.ts": "test/services/definitions.test.ts",
  "storage/brief.ts": "test/large-events.test.ts",
  "storage/deletion-runs.ts": "test/services/deletion-runs.test.ts",
  "storage/deletions.ts": "test/http/person-edits.test.ts, test/cli/deletions.test.ts",
  "storage/disk.ts": "test/storage/journal.test.ts",
  "storage/distinct-ids.ts": "test/storage/persons.test.ts, test/services/identity.test.ts",
  "storage/draft-filter.ts": "test/storage/trends.test.ts, test/http/drafts.test.ts",
  "storage/draft-funnel.ts": "test/storage/funnels.test.ts",
  "storage/draft-insight.ts": "test/http/drafts.test.ts",
  "storage/draft-paths.ts": "test/storage/paths.test.ts",
  "storage/draft-returns.ts": "test/storage/retention.test.ts, test/storage/lifecycle.test.ts",
  "storage/draft-scan.ts": "test/storage/trends.test.ts, test/http/drafts.test.ts",
  "storage/draft-sql.ts": "test/storage/trends.test.ts",
  "storage/draft-trends.ts": "test/storage/trends.test.ts, test/storage/stickiness.test.ts",
  "storage/duckdb-faults.ts": "test/storage/events.test.ts, test/rebuild.test.ts",
  "storage/duckdb-instance.ts": "test/storage/events.test.ts, test/build.test.ts",
  "storage/duckdb-memory.ts": "test/storage/events.test.ts, test/services/deletion-runs.test.ts",
  "storage/duckdb-reads.ts": "test/storage/api-reads.test.ts, test/storage/generations.test.ts",
  "storage/duckdb-rewrites.ts":
    "test/storage/generations.test.ts, test/services/deletion-memory.test.ts",
  "storage/duckdb-stale.ts": "test/storage/slack.test.ts",
  "storage/duckdb-writes.ts": "test/storage/duckdb-turns.test.ts, test/storage/events.test.ts",
  "storage/duckdb.ts": "test/storage/events.test.ts",
  "storage/email-counts.ts": "test/storage/person-search.test.ts",
  "storage/engine.ts": "test/build.test.ts",
  "storage/event-file.ts": "test/rebuild.test.ts",
  "storage/event-lines.ts": "test/storage/events.test.ts",
  "storage/event-list.ts": "test/storage/events.test.ts, test/http/management.test.ts",
  "storage/event-names.ts": "test/services/insights.test.ts",
  "storage/event-scan.ts": "test/storage/trends.test.ts",
  "storage/funnel-exclusions.ts": "test/storage/funnels.test.ts",
  "storage/funnel-following.ts": "test/storage/funnels.test.ts",
  "storage/funnel-own-events.ts": "test/storage/funnels.test.ts, test/http/insights.test.ts",
  "storage/groups.ts": "test/services/groups.test.ts, test/storage/events.test.ts",
  "storage/identity.ts": "test/storage/persons.test.ts, test/services/identity.test.ts",
  "storage/insight-queries.ts": "test/storage/trends.test.ts",
  "storage/journal-frame.ts": "test/storage/journal.test.ts",
  "storage/journal-reader.ts": "test/storage/journal.test.ts",
  "storage/journal-recovery.ts": "test/storage/journal.test.ts",
  "storage/journal-segment.ts": "test/storage/journal.test.ts",
  "storage/journal-writer.ts": "test/storage/journal.test.ts",
  "storage/keyset.ts": "test/http/playlists.test.ts, test/http/walking.test.ts",
  "storage/leftovers.ts": "test/services/deletion-runs.test.ts",
  "storage/load-parts.ts": "test/storage/loads.test.ts",
  "storage/log-list.ts": "test/http/log-query.test.ts",
  "storage/log-owners.ts": "test/services/deletion-runs.test.ts",
  "storage/logs.ts": "test/http/logs.test.ts, test/storage/events.test.ts",
  "storage/migrations/0021-fold-addresses.ts": "test/storage/sqlite.test.ts",
  "storage/meta.ts": "test/storage/events.test.ts",
  "storage/migrations/index.ts": "test/storage/sqlite.test.ts",
  "storage/mirror.ts": "test/storage/events.test.ts",
  "storage/natives.ts": "test/build.test.ts",
  "storage/person-edits.ts": "test/http/person-edits.test.ts",
  "storage/person-list.ts": "test/storage/persons.test.ts, test/http/persons.test.ts",
  "storage/person-rows.ts": "test/storage/persons.test.ts, test/http/persons.test.ts",
  "storage/person-snapshots.ts": "test/services/person-matching.test.ts",
  "storage/persons-now.ts": "test/services/person-matching.test.ts, test/http/persons.test.ts",
  "storage/playlists.ts": "test/http/playlists.test.ts, test/services/playlists.test.ts",
  "storage/property-match.ts": "test/http/persons.test.ts, test/http/log-query.test.ts",
  "storage/ref-cache.ts": "test/storage/persons.test.ts, test/services/identity.test.ts",
  "storage/restore.ts": "test/rebuild.test.ts",
  "storage/retention-by-value.ts": "test/storage/retention.test.ts",
  "storage/schema.ts": "test/storage/sqlite.test.ts",
  "storage/seen-run.ts": "test/storage/seen-runs.test.ts",
  "storage/seen.ts": "test/storage/events.test.ts",
  "storage/sql-cells.ts": "test/services/sql.test.ts",
  "storage/sql-faults.ts": "test/services/sql.test.ts",
  "storage/splits.ts": "test/services/split.test.ts",
  "storage/users.ts": "test/storage/keys.test.ts",
  "stores.ts": "every test that starts an appliance",
  "syncer.ts": "test/storage/disk-thread.test.ts",
  "threads.ts": "every test that starts an appliance",
  "version.ts": "test/cli/run.test.ts",
  "writer.ts": "every test that starts an appliance",
};

/** Words that have a better one. Below `app.ts`, time and chance come in as arguments. */
const BANNED: { pattern: RegExp; instead: string; floors?: string[] }[] = [
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    instead: "the clock that is passed in",
    floors: ["domain", "storage", "services", "http"],
  },
  {
    pattern: /\bMath\.random\(|randomUUID/,
    instead: "the ids that are passed in",
    floors: ["domain", "storage", "services", "http"],
  },
  { pattern: /\bsql\.raw\(/, instead: "a parameter" },
  { pattern: /\bas any\b|: any\b/, instead: "unknown, or the type" },
  { pattern: /@ts-(ignore|expect-error|nocheck)/, instead: "the type" },
  { pattern: /\b(TODO|FIXME|XXX)\b/, instead: "an issue" },
];

const LINES_MAX = 300;

const sources = [...new Bun.Glob("**/*.ts").scanSync(SRC)].sort().map((name) => ({
  name,
  floor: name.includes("/") ? (name.split("/")[0] ?? "") : "",
  text: readFileSync(join(SRC, name), "utf8"),
}));

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
  test("imports only look down, and packages stay on their floors", () => {
    const wrong = sources.flatMap((source) => {
      const floor = FLOORS[source.floor];
      if (floor === undefined) return [];
      const within = (from: string, places: string[]) =>
        places.some((place) => from === place || from.startsWith(`${place}/`));
      return importsOf(source)
        .filter(({ from, own, types }) => {
          if (own) return !(within(from, floor.src) || (types && within(from, floor.types ?? [])));
          return !(types || floor.packages.some((name) => from === name || from.startsWith(name)));
        })
        .map(({ from }) => `${source.name} imports ${from}`);
    });
    expect(wrong).toEqual([]);
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
      .filter(({ name }) => name !== "assets.d.ts")
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
    const wrong = sources.filter(({ text }) => text.split("\n").length > LINES_MAX);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("every source has its test, or a reason not to", () => {
    const reasons = new Set(Object.keys(TESTED_ELSEWHERE));
    const missing = sources
      .map(({ name }) => name)
      .filter((name) => !existsSync(join(ROOT, "test", name.replace(/\.ts$/, ".test.ts"))))
      .filter((name) => !reasons.delete(name));
    expect(missing).toEqual([]);
    expect([...reasons].filter((name) => !existsSync(join(SRC, name)))).toEqual([]);
  });

  test("every decision that is cited exists, and every one is cited", () => {
    const decisions = readFileSync(join(SRC, "docs/decisions.md"), "utf8");
    const written = new Set(
      [...decisions.matchAll(/^## (\d+)\./gm)].map(([, number]) => Number(number)),
    );
    const cited = new Set(
      sources.flatMap(({ text }) =>
        [...text.matchAll(/decisions? ((?:\d+(?:, | to | and )?)+)/g)].flatMap(([, list = ""]) =>
          numbersIn(list),
        ),
      ),
    );
    expect([...cited].filter((number) => !written.has(number))).toEqual([]);
    expect([...written].filter((number) => !cited.has(number))).toEqual([]);
  });
});

/** The numbers of a list such as `8 to 12` or `3, 4 and 7`. */
function numbersIn(list: string): number[] {
  const range = /^(\d+) to (\d+)/.exec(list);
  if (range === null) return [...list.matchAll(/\d+/g)].map(Number);
  const [first, last] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
