import { join } from "node:path";
import { openLog } from "../../src/app/process/log.ts";
import type { RecordReads, RecordWrites } from "../../src/app/records.ts";
import type { Archive, ArchiveFiles, Restore } from "../../src/core/ports/archive.ts";
import type { DedupRuns } from "../../src/core/ports/dedup.ts";
import type { DefinitionReads } from "../../src/core/ports/definitions.ts";
import type { EventReads, EventStore } from "../../src/core/ports/events.ts";
import type { MaterializedColumns } from "../../src/core/ports/hot-columns.ts";
import type { InsightDrafts, InsightQueries } from "../../src/core/ports/insights.ts";
import type { Journal, JournalGaps, JournalReader } from "../../src/core/ports/journal.ts";
import type { BulkLoadFiles, RemoveLoad } from "../../src/core/ports/loads.ts";
import type { Log } from "../../src/core/ports/log.ts";
import type { LogReads } from "../../src/core/ports/logs.ts";
import type { PersonReads } from "../../src/core/ports/persons/reads.ts";
import type { PersonWrites } from "../../src/core/ports/persons/writes.ts";
import type { SqlReads } from "../../src/core/ports/sql.ts";
import type { Volumes } from "../../src/core/ports/volume.ts";
import { archiveOf } from "../../src/stores/archive/archive.ts";
import { openArchiveFiles } from "../../src/stores/archive/files.ts";
import { restoreOf } from "../../src/stores/archive/restore.ts";
import { dedupRuns } from "../../src/stores/dedup/runs.ts";
import { apiReads } from "../../src/stores/duckdb/engine/query-deadline.ts";
import { materializedColumns } from "../../src/stores/duckdb/events/hot-columns.ts";
import { draftSql, insightDraft } from "../../src/stores/duckdb/insights/drafts.ts";
import { selectEvents } from "../../src/stores/duckdb/insights/event-tables.ts";
import { insightQueries } from "../../src/stores/duckdb/insights/queries.ts";
import { definitionReads } from "../../src/stores/duckdb/lists/definitions.ts";
import { eventReads } from "../../src/stores/duckdb/lists/events.ts";
import { logReads } from "../../src/stores/duckdb/lists/logs.ts";
import type { VocabularySources } from "../../src/stores/duckdb/lists/vocabulary.ts";
import { sqlReads } from "../../src/stores/duckdb/sql/sql.ts";
import { nodeDisk } from "../../src/stores/files/disk.ts";
import { storeSizes, volumeOf } from "../../src/stores/files/volume.ts";
import { openJournal } from "../../src/stores/journal/journal.ts";
import { journalGaps, journalReader } from "../../src/stores/journal/reader.ts";
import { loadFiles, removeLoad } from "../../src/stores/loads/loads.ts";
import { recordReads, recordWrites } from "../../src/stores/sqlite/records.ts";
import { openSqlite, readSqlite } from "../../src/stores/sqlite/sqlite.ts";
import { applied, NO_CHANGES } from "../support/data/persons.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { duckdbStore } from "../support/start/duckdb-store.ts";
import { type PersonStores, personStores } from "../support/start/stores.ts";
import { memoryNotes, memorySessions } from "./memory-records.ts";

/** The ports that one store of records implements, on an empty store. */
export type Records = Disposable & {
  [Name in keyof RecordWrites]: RecordReads[Name] & RecordWrites[Name];
} & Omit<RecordReads, keyof RecordWrites>;

/** Stores of records by name. Each suite of `suites/` runs for all of its list: another store joins by one line. */
export const RECORD_STORES: readonly [name: string, open: () => Promise<Records>][] = [
  ["SQLite", sqliteRecords],
  ["SQLite, with sessions and notes in memory", memoryRecords],
];

/** Shows that another kind of store joins by its line: two of its ports are written without SQLite. */
async function memoryRecords(): Promise<Records> {
  return {
    ...(await sqliteRecords()),
    sessions: memorySessions(),
    definitions: memoryNotes(),
  };
}

async function sqliteRecords(): Promise<Records> {
  const sqlite = openSqlite(":memory:");
  const { close, ...reads } = recordReads(sqlite);
  const writes: Record<string, object> = recordWrites(sqlite);
  const ports = Object.entries(reads).map(([name, port]) => [name, { ...port, ...writes[name] }]);
  return { ...Object.fromEntries(ports), [Symbol.dispose]: close };
}

/** A person store with the projects 1 and 2 and a user. */
export type Persons = Omit<PersonReads, "applied"> & PersonWrites & Disposable;

/** Person stores by name. Another one joins by one line. */
export const PERSON_STORES: readonly [name: string, open: () => Promise<Persons>][] = [
  ["SQLite, on two connections", sqlitePersons],
];

/** One connection writes and one reads, as in the server. */
async function sqlitePersons(): Promise<Persons> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const sqlite = openSqlite(path);
  const writer = recordWrites(sqlite);
  for (const name of ["one", "two"]) await writer.projects.insert(projectNamed(name));
  await writer.users.insert(userNamed("one@x.y"));
  const reader = recordReads(readSqlite(path));
  return {
    ...reader.persons,
    ...writer.persons,
    [Symbol.dispose]() {
      reader.close();
      sqlite.close();
      directory[Symbol.dispose]();
    },
  };
}

/** Person stores with a projection by name. Another pair joins by one line. */
export const PERSON_SEARCHES: readonly [name: string, open: () => Promise<PersonStores>][] = [
  ["SQLite with DuckDB", personStores],
];

/** The ports of an event store, with the files from which it takes loads. */
export type Events = AsyncDisposable & {
  store: EventStore;
  events: EventReads;
  definitions: DefinitionReads;
  logs: LogReads;
  sql: SqlReads;
  queries: InsightQueries;
  drafts: InsightDrafts;
  columns: MaterializedColumns;
  files: BulkLoadFiles;
  /** Path of the file of dead letters. */
  deadLetters: string;
  /** Closes the store and opens it again; the ports are then those of the opened one. */
  reopen(): Promise<void>;
};

/** Event stores by name. Another one joins by one line. */
export const EVENT_STORES: readonly [
  name: string,
  open: (sources?: VocabularySources) => Promise<Events>,
][] = [["DuckDB", duckdbEvents]];

async function duckdbEvents(sources?: VocabularySources): Promise<Events> {
  return eventsOf(await duckdbStore(), sources);
}

function eventsOf(
  made: Awaited<ReturnType<typeof duckdbStore>>,
  sources?: VocabularySources,
): Events {
  const ports = () => {
    const reads = apiReads(made.duckdb, 600);
    return {
      store: made.store,
      events: eventReads(reads, { select: selectEvents, noteUse: () => {} }),
      definitions: definitionReads(reads),
      logs: logReads(reads),
      sql: sqlReads(made.duckdb),
      queries: insightQueries(reads, () => {}, sources),
      drafts: { sql: insightDraft, overview: draftSql },
      columns: materializedColumns(made.duckdb),
    };
  };
  return {
    ...ports(),
    files: made.files,
    deadLetters: made.deadLetters,
    async reopen() {
      await made.reopen();
      Object.assign(this, ports());
    },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

/** A journal in an empty place, with a reader and a finder of its own. */
export type Journals = Disposable & {
  /** Opens the journal; new entries have numbers above `after`, and segments are small on request. */
  open(options?: { after?: number; segmentBytesMax?: number }): Promise<Journal>;
  reader(): JournalReader;
  gaps(): JournalGaps;
};

/** Journals by name. Another one joins by one line. */
export const JOURNALS: readonly [name: string, make: () => Journals][] = [
  ["segments in files", fileJournals],
];

function fileJournals(): Journals {
  const data = temporaryDirectory();
  const place = { directory: join(data.path, "journal"), disk: nodeDisk };
  const reader = () => journalReader({ ...place, onCorrupt: () => {} });
  return {
    open: (options) => openJournal({ ...place, after: 0, ...options }),
    reader,
    gaps: () => journalGaps(reader(), place),
    [Symbol.dispose]: data[Symbol.dispose],
  };
}

/** Runs of the deduplication window by name. Another one joins by one line. */
export const DEDUP: readonly [name: string, make: () => Disposable & { runs: DedupRuns }][] = [
  ["runs in files", fileRuns],
];

function fileRuns() {
  const data = temporaryDirectory();
  return { runs: dedupRuns(join(data.path, "seen")), [Symbol.dispose]: data[Symbol.dispose] };
}

/** Files of loads in an empty place; a load has ten rows. `open` is a start. */
export type Loads = Disposable & { open(): BulkLoadFiles; remove: RemoveLoad };

/** Files of loads by name. Another format joins by one line. */
export const LOADS: readonly [name: string, make: () => Loads][] = [["NDJSON files", ndjsonLoads]];

function ndjsonLoads(): Loads {
  const data = temporaryDirectory();
  return {
    open: () => loadFiles(join(data.path, "loads"), 10),
    remove: removeLoad,
    [Symbol.dispose]: data[Symbol.dispose],
  };
}

/** An empty archive with its event store. */
export type Archives = AsyncDisposable & {
  stored: Events;
  archive: Archive;
  files: ArchiveFiles;
  restore: Restore;
};

/** Archives by name. Another one joins by one line. */
export const ARCHIVES: readonly [name: string, make: () => Promise<Archives>][] = [
  ["Parquet files", parquetArchive],
];

async function parquetArchive(): Promise<Archives> {
  const made = await duckdbStore();
  const files = await openArchiveFiles(made.archiveDirectory, {
    make: true,
    reached: () => Number.POSITIVE_INFINITY,
  });
  return {
    stored: eventsOf(made),
    archive: archiveOf(made.duckdb, files, { onRepaired: () => {}, onLost: () => {} }),
    files,
    restore: restoreOf(made.duckdb, files),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

/** Sizes of an empty data directory, which can be removed. */
export type Sizes = Disposable & { volumes: Volumes; removeDirectory(): void };

/** Readers of sizes by name. Another one joins by one line. */
export const VOLUMES: readonly [name: string, make: () => Sizes][] = [["files", fileSizes]];

function fileSizes(): Sizes {
  const { path, [Symbol.dispose]: remove } = temporaryDirectory();
  const volumes = { volume: () => volumeOf(path), sizes: () => storeSizes(path) };
  return { volumes, removeDirectory: remove, [Symbol.dispose]: remove };
}

/** Logs by name, each on a function that takes its lines. Another one joins by one line. */
export const LOGS: readonly [name: string, make: (write: (line: string) => void) => Log][] = [
  ["JSON", (write) => openLog({ format: "json", now: () => 0, write })],
  ["text", (write) => openLog({ format: "human", now: () => 0, write })],
];

/** A time of the suites, as stores have it. */
export const AT = "2026-11-21T12:00:00.000000Z";

/** A project to be inserted. */
export const projectNamed = (name: string) => ({
  uuid: Bun.randomUUIDv7(),
  name,
  api_token: `phc_${name}`,
  timezone: "UTC",
  created_at: AT,
});

/** A user to be inserted. */
export const userNamed = (email: string) => ({
  uuid: Bun.randomUUIDv7(),
  distinct_id: email,
  first_name: "",
  last_name: "",
  email,
  is_email_verified: false,
  hedgehog_config: { hat: ["red"] },
  role_at_organization: "",
  created_at: AT,
});

/** An insight to be inserted that is not saved. */
export const unsaved = {
  ...{
    name: "",
    description: "",
    query: {},
    tags: [],
    favorited: false,
    saved: false,
    dashboards: [],
  },
  ...{ created_at: AT, created_by: 1, last_modified_at: AT, last_modified_by: 1 },
};

/** An empty store with the projects 1 and 2 and the users 1 and 2. */
export async function withProjects(open: () => Promise<Records>): Promise<Records> {
  const records = await open();
  for (const name of ["one", "two"]) {
    await records.projects.insert(projectNamed(name));
    await records.users.insert(userNamed(`${name}@x.y`));
  }
  return records;
}

/** A person that {@link createPersons} made. */
export type Created = { id: number; uuid: string };

/** Makes persons of the project 1 with a distinct id each, as the first batch. */
export async function createPersons<Ids extends string[]>(
  { persons }: Records,
  ...distinctIds: Ids
): Promise<{ [Place in keyof Ids]: Created }> {
  const made = distinctIds.map((distinct_id) => ({
    uuid: Bun.randomUUIDv7(),
    entries: [distinct_id],
  }));
  const changes = await applied(persons, {
    ...NO_CHANGES,
    created: made.map(({ uuid }) => ({
      ...{ project_id: 1, uuid, properties: {}, created_at: AT, is_identified: false },
    })),
    ids: made.map(({ uuid, entries: [distinct_id = ""] }) => ({
      ...{ project_id: 1, uuid, main: null },
      entries: [{ distinct_id, initial_uuid: uuid }],
    })),
    applied_seq: 1,
  });
  return changes.persons.map(({ id, uuid }) => ({ id, uuid })) as {
    [Place in keyof Ids]: Created;
  };
}
