import { join } from "node:path";
import type { ProjectionChanges } from "../../../src/core/ports/persons/projection.ts";
import type { PersonReads } from "../../../src/core/ports/persons/reads.ts";
import type { PersonSearch } from "../../../src/core/ports/persons/search.ts";
import type { PersonChange } from "../../../src/core/ports/persons/writes.ts";
import { ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../src/stores/duckdb/engine/query-deadline.ts";
import { eventStore } from "../../../src/stores/duckdb/events/store.ts";
import { personSearch } from "../../../src/stores/duckdb/lists/persons.ts";
import { loadFiles } from "../../../src/stores/loads/loads.ts";
import { joinChanges } from "../../../src/stores/loads/projection-changes.ts";
import { projectWrites } from "../../../src/stores/sqlite/access.ts";
import { personReads } from "../../../src/stores/sqlite/persons/list.ts";
import { personWrites } from "../../../src/stores/sqlite/persons/writes.ts";
import { openSqlite, readSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { applied } from "../data/persons.ts";
import { temporaryDirectory } from "./app.ts";
import { testDuckdb } from "./duckdb-store.ts";

/** The person store and its projection, which has a change only once the test says so. */
export type PersonStores = AsyncDisposable & {
  reads: PersonReads;
  search: PersonSearch;
  /** Applies a change in the person store alone, and returns what `project` will bring to the projection. */
  apply(change: PersonChange): Promise<ProjectionChanges>;
  /** Brings the projection to the version of the person store. */
  project(): Promise<void>;
};

/** Opens both stores in a temporary directory, with the projects 1 and 2 and a user. */
export async function personStores(): Promise<PersonStores> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const sqlite = openSqlite(path);
  for (const name of ["one", "two"]) {
    await projectWrites(sqlite).insert({
      ...{ uuid: Bun.randomUUIDv7(), name, api_token: `phc_${name}` },
      ...{ timezone: "UTC", created_at: "2026-11-21T12:00:00.000000Z" },
    });
  }
  sqlite.raw.run(
    "INSERT INTO user (uuid, distinct_id, email, created_at) VALUES ('u', 'u', 'u@x.y', '')",
  );
  const duckdb = await testDuckdb(directory.path);
  const events = eventStore(duckdb, join(directory.path, "dead"));
  const files = loadFiles(join(directory.path, "loads"), ROW_GROUP_ROWS);
  const reader = readSqlite(path);
  const reads = personReads(reader);
  let pending: ProjectionChanges | undefined;
  const writes = personWrites(sqlite);
  return {
    reads,
    search: personSearch(apiReads(duckdb, 600), reads),
    async apply(change) {
      const changes = await applied(writes, change);
      pending = pending === undefined ? changes : joinChanges(pending, changes);
      return changes;
    },
    async project() {
      if (pending !== undefined) await events.applyProjection(files.writeProjection(pending));
      pending = undefined;
    },
    async [Symbol.asyncDispose]() {
      reader.close();
      sqlite.close();
      await duckdb.close();
      directory[Symbol.dispose]();
    },
  };
}
