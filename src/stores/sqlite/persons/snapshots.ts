import type { Place } from "../../../core/values/page.ts";
import type { PersonFacts } from "../../duckdb/lists/changed-persons.ts";
import { readSqlite, type Sqlite } from "../sqlite.ts";
import { type Part, partReader, type Rest } from "./list.ts";
import { personPlaces } from "./order.ts";

/** Persons as they were at one instant, for as long as it is held. */
export type PersonSnapshot = {
  /** The version of the person store (decision 83). */
  version: number;
  /** Where those of a project were at a version who have moved since. */
  moved(project: number, since: number | undefined): Place[];
  /** A person of a project; undefined if there is none. */
  facts(project: number, id: number): PersonFacts | undefined;
  /** The first of some persons. */
  read(project: number, rest: Rest): Part;
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
      "SELECT id, created_at, address, properties FROM person WHERE project_id = ?1 AND id = ?2",
    );
    const owner = raw.query<{ person_id: number }, [number, string]>(
      "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
    );
    const { moved } = personPlaces(raw);
    return {
      version: Number(version?.value ?? 0),
      read: partReader(raw),
      moved,
      facts: (project, id) => fact.get(project, id) ?? undefined,
      owner: (project, distinctId) => owner.get(project, distinctId)?.person_id,
      [Symbol.dispose]: sqlite.close,
    };
  };
}
