import type {
  KeyReads,
  KeyWrites,
  ProjectReads,
  ProjectWrites,
  UserReads,
  UserWrites,
} from "../core/ports/access.ts";
import type { AnnotationReads, AnnotationWrites } from "../core/ports/annotations.ts";
import type { DashboardReads, DashboardWrites } from "../core/ports/dashboards.ts";
import type { DefinitionNoteReads, DefinitionWrites } from "../core/ports/definitions.ts";
import type { DeletionReads, DeletionWrites } from "../core/ports/erasure.ts";
import type { InsightReads, InsightWrites } from "../core/ports/insights.ts";
import type { Log } from "../core/ports/log.ts";
import type { ActivityReads } from "../core/ports/persons/activity.ts";
import type { GroupReads } from "../core/ports/persons/groups.ts";
import type { PersonReads } from "../core/ports/persons/reads.ts";
import type { PersonWrites } from "../core/ports/persons/writes.ts";
import type { PlaylistReads, PlaylistWrites } from "../core/ports/playlists.ts";
import type { SessionReads, SessionWrites } from "../core/ports/sessions.ts";
import type { WarningReads } from "../core/ports/warnings.ts";
import { sqliteRecords } from "../stores/sqlite/records.ts";

/** The ports that read records. */
export type RecordReads = {
  keys: KeyReads;
  users: UserReads;
  projects: ProjectReads;
  annotations: AnnotationReads;
  dashboards: DashboardReads;
  definitions: DefinitionNoteReads;
  insights: InsightReads;
  playlists: PlaylistReads;
  sessions: SessionReads;
  warnings: WarningReads;
  persons: PersonReads;
  groups: GroupReads;
  activity: ActivityReads;
  deletions: DeletionReads;
};

/** The ports that write records. */
export type RecordWrites = {
  keys: KeyWrites;
  users: UserWrites;
  projects: ProjectWrites;
  annotations: AnnotationWrites;
  dashboards: DashboardWrites;
  definitions: DefinitionWrites;
  insights: InsightWrites;
  playlists: PlaylistWrites;
  sessions: SessionWrites;
  persons: PersonWrites;
  deletions: DeletionWrites;
};

/** A kind of store of records. The main thread reads, and the store worker writes. */
export type RecordStore = {
  /** The name of its file in the data directory. */
  file: string;
  /** How to go on with a damaged file. */
  recoveryAdvice(path: string): string;
  /** Throws if the file is missing or empty, which opening it would hide. */
  expectKept(path: string): void;
  /** Opens the file to write, and brings it up to date. `end` is called with damage that a batch meets. Throws if the file cannot be used. */
  openWrites(
    path: string,
    needs: { log: Log; end: (error: Error) => void },
  ): { writes: RecordWrites /** Frees caches. */; release(): void; close(): void };
  /** Opens the file to read, after `openWrites`. */
  openReads(path: string): RecordReads & { close(): void };
};

/** The store of records. Another kind joins here. */
export const RECORDS: RecordStore = sqliteRecords;
