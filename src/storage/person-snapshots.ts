import { briefText } from "./brief.ts";
import { type PersonReads, personReads } from "./person-list.ts";
import type { PersonFacts } from "./person-match.ts";
import { readSqlite, type Sqlite } from "./sqlite.ts";

/** Persons as they were at one instant, for as long as it is held. */
export type PersonSnapshot = Pick<PersonReads, "byIds"> & {
  /** The version of the person store (decision 26). */
  version: number;
  /** Those of the ids that there are in a project, in the order of the ids. */
  facts(project: number, ids: readonly number[]): PersonFacts[];
  /** The integer id of the person of a distinct id. */
  owner(project: number, distinctId: string): number | undefined;
  [Symbol.dispose](): void;
};

/**
 * Opens snapshots, each on a connection of its own to the file of another one. While one is open
 * the file's write-ahead log only grows.
 */
export function personSnapshots({ raw: { filename } }: Sqlite): () => PersonSnapshot {
  return () => {
    const sqlite = readSqlite(filename);
    const { raw } = sqlite;
    raw.run("BEGIN");
    // Only the first read makes it a state that lasts.
    const version = raw
      .query<{ value: string }, []>("SELECT value FROM meta WHERE key = 'version'")
      .get();
    const fact = raw.query<PersonFacts, [number, number]>(
      "SELECT id, listed_at, properties FROM person WHERE project_id = ?1 AND id = ?2",
    );
    const owner = raw.query<{ person_id: number }, [number, string]>(
      "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
    );
    const { byIds } = personReads({ ...sqlite, snapshot: (work) => work() });
    return {
      version: Number(version?.value ?? 0),
      byIds,
      facts: (project, ids) =>
        ids
          .flatMap((id) => fact.get(project, id) ?? [])
          .map((found) => ({ ...found, properties: briefText(found.properties) })),
      owner: (project, distinctId) => owner.get(project, distinctId)?.person_id,
      [Symbol.dispose]: sqlite.close,
    };
  };
}
