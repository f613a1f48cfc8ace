import type { PersonFacts, PersonSnapshot } from "../../../core/ports/person-search.ts";
import { foldedAddress } from "../../../core/values/case-folding.ts";
import { readSqlite, type Sqlite } from "../sqlite.ts";
import { partReader } from "./list.ts";
import { personPlaces } from "./order.ts";

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
      `SELECT id, created_at, email AS address, properties FROM person
       WHERE project_id = ?1 AND id = ?2`,
    );
    const owner = raw.query<{ person_id: number }, [number, string]>(
      "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
    );
    const { moved } = personPlaces(raw);
    return {
      version: Number(version?.value ?? 0),
      read: partReader(raw),
      moved,
      facts(project, id) {
        const found = fact.get(project, id);
        return found
          ? { ...found, address: found.address && foldedAddress(found.address) }
          : undefined;
      },
      owner: (project, distinctId) => owner.get(project, distinctId)?.person_id,
      [Symbol.dispose]: sqlite.close,
    };
  };
}
