import api from "./api.md" with { type: "text" };
import architecture from "./architecture.md" with { type: "text" };
import archive from "./archive.md" with { type: "text" };
import changelog from "./changelog.md" with { type: "text" };
import cli from "./cli.md" with { type: "text" };
import consolePage from "./console.md" with { type: "text" };
import contributing from "./contributing.md" with { type: "text" };
import accessDecisions from "./decisions/access.md" with { type: "text" };
import apiDecisions from "./decisions/api.md" with { type: "text" };
import architectureDecisions from "./decisions/architecture.md" with { type: "text" };
import captureDecisions from "./decisions/capture.md" with { type: "text" };
import durabilityDecisions from "./decisions/durability.md" with { type: "text" };
import erasureDecisions from "./decisions/erasure.md" with { type: "text" };
import logsDecisions from "./decisions/logs.md" with { type: "text" };
import personQueriesDecisions from "./decisions/person-queries.md" with { type: "text" };
import personsDecisions from "./decisions/persons.md" with { type: "text" };
import questionsDecisions from "./decisions/questions.md" with { type: "text" };
import storageDecisions from "./decisions/storage.md" with { type: "text" };
import deletion from "./deletion.md" with { type: "text" };
import insights from "./insights.md" with { type: "text" };
import keys from "./keys.md" with { type: "text" };
import limits from "./limits.md" with { type: "text" };
import logs from "./logs.md" with { type: "text" };
import metrics from "./metrics.md" with { type: "text" };
import operations from "./operations.md" with { type: "text" };
import performance from "./performance.md" with { type: "text" };
import persons from "./persons.md" with { type: "text" };
import playlists from "./playlists.md" with { type: "text" };
import questions from "./questions.md" with { type: "text" };
import sendEvents from "./send-events.md" with { type: "text" };
import settings from "./settings.md" with { type: "text" };
import sqlColumns from "./sql-columns.md" with { type: "text" };
import warnings from "./warnings.md" with { type: "text" };

/** A page of the documentation, in the executable. */
export type DocsPage = {
  /** Its path below `/docs/`, such as `persons` or `decisions/capture`. */
  name: string;
  /** Its heading; of decisions only the area. */
  title: string;
  /** Its subject in one line. */
  about: string;
  /** Markdown; links to other pages are relative, such as `keys.md#projects`. */
  text: string;
};

/** Every page but the list of them, in reading order; decisions last. */
export const PAGES: readonly DocsPage[] = [
  page(
    "send-events",
    "Events from applications: SDKs, HTTP, body forms, answers, retries.",
    sendEvents,
  ),
  page("logs", "Log records: send them by OTLP, and find them.", logs),
  page("warnings", "The types of ingestion warnings.", warnings),
  page("persons", "Persons: find, change, merge, split and delete them.", persons),
  page("questions", "Questions in plain English: examples, definitions, words.", questions),
  page("insights", "Questions about events: in words, as typed queries, in SQL.", insights),
  page("sql-columns", "Tables, columns and functions for SQL.", sqlColumns),
  page("playlists", "Playlists of session recordings.", playlists),
  page("deletion", "The data that a deletion removes, and when.", deletion),
  page("archive", "The Parquet files: where they lie, their columns, how to read them.", archive),
  page(
    "console",
    "The console in the browser: pages, keys, sign-in, sessions, proxies.",
    consolePage,
  ),
  page("keys", "Project keys, personal keys, scopes and projects.", keys),
  page("api", "Every operation of the API with its scope.", api),
  page(
    "operations",
    "Files, disk, memory, start and stop, metrics, backups, damaged files.",
    operations,
  ),
  page("settings", "Every setting with its default.", settings),
  page("cli", "Every command with its flags.", cli),
  page("metrics", "Every metric of `/metrics`.", metrics),
  page("limits", "Every fixed bound.", limits),
  page("performance", "Figures, and how they are measured.", performance),
  page(
    "architecture",
    "The way of an event, the source tree, the threads, and a glossary.",
    architecture,
  ),
  page(
    "contributing",
    "Build, test, house rules, how to add an operation or a store.",
    contributing,
  ),
  page("changelog", "The changes of each version.", changelog),
  page("decisions/access", "Keys, settings and projects.", accessDecisions),
  page("decisions/api", "Shapes, errors and limits of the API.", apiDecisions),
  page("decisions/architecture", "Layers, threads and memory.", architectureDecisions),
  page("decisions/capture", "Bodies of SDKs, and the events that are stored.", captureDecisions),
  page(
    "decisions/durability",
    "When an event is safe, and how retries are answered.",
    durabilityDecisions,
  ),
  page("decisions/erasure", "Deletions and receipts.", erasureDecisions),
  page("decisions/logs", "Log records.", logsDecisions),
  page(
    "decisions/person-queries",
    "Lists, searches and filters of persons.",
    personQueriesDecisions,
  ),
  page("decisions/persons", "How persons and groups are made, merged and split.", personsDecisions),
  page("decisions/questions", "Queries of events, SQL and questions in words.", questionsDecisions),
  page("decisions/storage", "The event store and the archive.", storageDecisions),
];

/** The list of all pages, itself a page. */
export const INDEX: DocsPage = page(
  "index",
  "All pages.",
  [
    "# Documentation",
    "The [API](/docs) can be tried out in the browser.",
    listOf(PAGES.filter(({ name }) => !name.includes("/"))),
    "## Decisions",
    listOf(PAGES.filter(({ name }) => name.includes("/"))),
    "",
  ].join("\n\n"),
);

function page(name: string, about: string, text: string): DocsPage {
  const heading = /^# (?:Decisions: )?(.+)$/m.exec(text)?.[1] ?? name;
  return { name, title: heading.charAt(0).toUpperCase() + heading.slice(1), about, text };
}

function listOf(pages: readonly DocsPage[]): string {
  return pages.map(({ name, title, about }) => `- [${title}](${name}.md): ${about}`).join("\n");
}
