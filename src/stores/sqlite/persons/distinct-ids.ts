import type { IdsOfPerson } from "../../../core/ports/person-writes.ts";
import type { Sqlite } from "../sqlite.ts";

/** Distinct ids that a person did not have before: new ones, and those of another person. */
export type Placement = { put: string[]; moved: string[] };

/** A distinct id and its place in its person's list. */
type Placed = { distinct_id: string; position: number; home: string | null };

/** Distinct ids: written in the order of their person's list. */
export function distinctIds(raw: Sqlite["raw"]) {
  const insert = raw.query<null, [number, string, number, number, string | null]>(
    `INSERT INTO distinct_id (project_id, distinct_id, person_id, position, home)
     VALUES (?1, ?2, ?3, ?4, ?5)`,
  );
  const move = raw.query<null, [number, number, string | null, number, string]>(
    `UPDATE distinct_id SET person_id = ?1, position = ?2, home = ?3
     WHERE project_id = ?4 AND distinct_id = ?5`,
  );
  const of = raw.query<Placed, [number]>(
    "SELECT distinct_id, position, home FROM distinct_id WHERE person_id = ?1 ORDER BY position",
  );

  /** Writes what is new or has moved of a person's ids, and says which those are. */
  const place = (ids: IdsOfPerson, id: number): Placement => {
    const { project_id, uuid, entries, main } = ids;
    const placement: Placement = { put: [], moved: [] };
    const homeIn = (home: string) => (home === uuid ? null : home);
    let next = 0;
    for (const entry of entries) {
      const held = "person_id" in entry ? of.all(entry.person_id) : [];
      if ("distinct_id" in entry) {
        insert.run(project_id, entry.distinct_id, id, next, homeIn(entry.home));
        placement.put.push(entry.distinct_id);
        next += 1;
      } else if (entry.person_id === id) {
        // The person's own ids come first and stay where they are.
        next = (held.at(-1)?.position ?? -1) + 1;
      } else {
        held.forEach(({ distinct_id, home }, at) => {
          move.run(id, next + at, homeIn(home ?? entry.uuid), project_id, distinct_id);
          placement.moved.push(distinct_id);
        });
        next += held.length;
      }
    }
    if (main !== null) raise.run(id, project_id, main);
    return placement;
  };
  const raise = raw.query<null, [number, number, string]>(
    `UPDATE distinct_id SET position =
       (SELECT min(position) - 1 FROM distinct_id WHERE person_id = ?1)
     WHERE project_id = ?2 AND distinct_id = ?3 AND position >
       (SELECT min(position) FROM distinct_id WHERE person_id = ?1)`,
  );
  return { place };
}
