import type { Log } from "../../core/ports/log.ts";
import {
  keyReads,
  keyWrites,
  projectReads,
  projectWrites,
  userReads,
  userWrites,
} from "./access.ts";
import { activityReads } from "./activity.ts";
import { annotationReads, annotationWrites } from "./annotations.ts";
import { endingIfDamaged, recoveryAdvice } from "./damage.ts";
import { dashboardReads, dashboardWrites } from "./dashboards.ts";
import { definitionNoteReads, definitionWrites } from "./definitions.ts";
import { deletionReads, deletionRunWrites } from "./deletions.ts";
import { groupReads } from "./groups.ts";
import { insightReads, insightWrites } from "./insights.ts";
import { personReads } from "./persons/list.ts";
import { personWrites } from "./persons/writes.ts";
import { playlistReads, playlistWrites } from "./playlists.ts";
import { endSessionsOfCopy, sessionReads, sessionWrites } from "./sessions.ts";
import { expectKept, openSqlite, readSqlite, type Sqlite } from "./sqlite.ts";
import { warningReads } from "./warnings.ts";

/** The ports that read records by a connection. */
export function recordReads(sqlite: Sqlite) {
  return {
    keys: keyReads(sqlite),
    users: userReads(sqlite),
    projects: projectReads(sqlite),
    annotations: annotationReads(sqlite),
    dashboards: dashboardReads(sqlite),
    definitions: definitionNoteReads(sqlite),
    insights: insightReads(sqlite),
    playlists: playlistReads(sqlite),
    sessions: sessionReads(sqlite),
    warnings: warningReads(sqlite),
    persons: personReads(sqlite),
    groups: groupReads(sqlite),
    activity: activityReads(sqlite),
    deletions: deletionReads(sqlite),
    close: sqlite.close,
  };
}

/** The ports that write records by a connection. */
export function recordWrites(sqlite: Sqlite) {
  return {
    keys: keyWrites(sqlite),
    users: userWrites(sqlite),
    projects: projectWrites(sqlite),
    annotations: annotationWrites(sqlite),
    dashboards: dashboardWrites(sqlite),
    definitions: definitionWrites(sqlite),
    insights: insightWrites(sqlite),
    playlists: playlistWrites(sqlite),
    sessions: sessionWrites(sqlite),
    persons: personWrites(sqlite),
    deletions: deletionRunWrites(sqlite),
  };
}

/** Records in one file of SQLite. One connection writes, in a thread of its own; another one reads. */
export const sqliteRecords = {
  file: "hoglet.sqlite",
  recoveryAdvice,
  expectKept,
  openReads: (path: string) => recordReads(readSqlite(path)),

  openWrites(path: string, { log, end }: { log: Log; end: (error: Error) => void }) {
    const sqlite = openSqlite(path);
    const sessions = endSessionsOfCopy(sqlite);
    if (sessions > 0) {
      const message = "hoglet.sqlite is a copy, as a restore makes it; all sessions are ended";
      log.warn(message, { sessions });
    }
    const writes = recordWrites(sqlite);
    return {
      writes: { ...writes, persons: endingIfDamaged(writes.persons, end) },
      release: sqlite.release,
      close() {
        try {
          // Prepared statements keep the connection open, so closing it would not empty the write-ahead log.
          sqlite.raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (error) {
          // On a full disk the write-ahead log keeps its content, as after a kill.
          log.warn("checkpoint of hoglet.sqlite failed; its write-ahead log stays", { error });
        }
        sqlite.close();
      },
    };
  },
};
