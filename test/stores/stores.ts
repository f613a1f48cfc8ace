import type {
  KeyReads,
  KeyWrites,
  ProjectReads,
  ProjectWrites,
  UserReads,
  UserWrites,
} from "../../src/core/ports/access.ts";
import type { InsightReads, InsightWrites } from "../../src/core/ports/insights.ts";
import type { PersonWrites } from "../../src/core/ports/person-writes.ts";
import type { PlaylistReads, PlaylistWrites } from "../../src/core/ports/playlists.ts";
import type { WarningReads } from "../../src/core/ports/warnings.ts";
import { insightReads, insightWrites } from "../../src/stores/sqlite/insights.ts";
import { keyReads, keyWrites } from "../../src/stores/sqlite/keys.ts";
import { personWrites } from "../../src/stores/sqlite/persons/writes.ts";
import { playlistReads, playlistWrites } from "../../src/stores/sqlite/playlists.ts";
import { projectReads, projectWrites } from "../../src/stores/sqlite/projects.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite.ts";
import { userReads, userWrites } from "../../src/stores/sqlite/users.ts";
import { warningReads } from "../../src/stores/sqlite/warnings.ts";

/** The ports that one store of records implements, on an empty store. */
export type Records = Disposable & {
  keys: KeyReads & KeyWrites;
  users: UserReads & UserWrites;
  projects: ProjectReads & ProjectWrites;
  insights: InsightReads & InsightWrites;
  playlists: PlaylistReads & PlaylistWrites;
  warnings: WarningReads;
  persons: PersonWrites;
};

/** Stores of records by name. Every suite of `suites/` runs for each: another store joins by one line. */
export const RECORD_STORES: readonly [name: string, open: () => Records][] = [
  ["SQLite", sqliteRecords],
];

function sqliteRecords(): Records {
  const sqlite = openSqlite(":memory:");
  return {
    keys: { ...keyReads(sqlite), ...keyWrites(sqlite) },
    users: { ...userReads(sqlite), ...userWrites(sqlite) },
    projects: { ...projectReads(sqlite), ...projectWrites(sqlite) },
    insights: { ...insightReads(sqlite), ...insightWrites(sqlite) },
    playlists: { ...playlistReads(sqlite), ...playlistWrites(sqlite) },
    warnings: warningReads(sqlite),
    persons: personWrites(sqlite),
    [Symbol.dispose]: sqlite.close,
  };
}

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

/** An empty store with the projects 1 and 2 and the users 1 and 2. */
export async function withProjects(open: () => Records): Promise<Records> {
  const records = open();
  for (const name of ["one", "two"]) {
    await records.projects.insert(projectNamed(name));
    await records.users.insert(userNamed(`${name}@x.y`));
  }
  return records;
}
