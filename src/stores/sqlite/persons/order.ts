import type { ListPosition, SnapshotPosition } from "../../../core/values/page.ts";
import type { Sqlite } from "../sqlite.ts";

/** A version after all others: no person has moved since. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The condition that a person comes after a position in the list. */
function afterPosition(after: ListPosition | undefined, row: string) {
  return after === undefined ? "" : `AND ${row} < ($at, $after)`;
}

/** The first move of a person after a version. */
const FIRST_MOVE = (what: string, person: string, since: string) =>
  `SELECT ${what} FROM person_move WHERE person_id = ${person} AND version > ${since}
   ORDER BY version LIMIT 1`;

/**
 * Returns SQL of the positions of persons of `$project`, the newest `created_at` first, then the highest id.
 * It skips all persons up to the position `after` and `$offset` more. `values` are the parameters of `after`.
 */
export function inOrder(after: SnapshotPosition | undefined) {
  const since = after?.since;
  const there = `SELECT person.id, person.created_at AS at FROM person
    WHERE project_id = $project ${afterPosition(after, "(created_at, id)")}`;
  const part = "ORDER BY at DESC, id DESC LIMIT $limit OFFSET $offset";
  const position = after === undefined ? {} : { at: after.at, after: after.id };
  if (since === undefined) return { sql: `${there} ${part}`, values: position };
  const moved = `SELECT person.id, moved.created_at AS at FROM person_move AS moved
    CROSS JOIN person ON person.id = moved.person_id
    WHERE moved.version > $since AND moved.project_id = $project ${afterPosition(after, "(moved.created_at, moved.person_id)")}
      AND moved.seq = (${FIRST_MOVE("seq", "moved.person_id", "$since")})`;
  const stayed = `${there} AND NOT EXISTS (${FIRST_MOVE("1", "person.id", "$since")})`;
  return { sql: `${stayed} UNION ALL ${moved} ${part}`, values: { ...position, since } };
}

/** Compares two positions for `toSorted`: the newest comes first. */
export function byPosition(one: ListPosition, other: ListPosition): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return other.id - one.id;
}

/** A part of persons, in the order of the list. */
export function partOf(
  positions: readonly ListPosition[],
  { limit, offset, after }: { limit: number; offset: number; after?: ListPosition | undefined },
): ListPosition[] {
  const all = positions.toSorted(byPosition);
  const left =
    after === undefined ? all : all.filter((position) => byPosition(after, position) < 0);
  return left.slice(offset, offset + limit);
}

/** Reads positions of persons in the list, as of an earlier version, in the caller's snapshot. */
export function personPositions(raw: Sqlite["raw"]) {
  // CROSS JOIN begins with the few ids. The other order would read all persons.
  const ofIds = raw.query<ListPosition, [string, number, number]>(
    `SELECT person.id, coalesce((${FIRST_MOVE("created_at", "person.id", "?3")}), created_at) AS at
     FROM json_each(?1) AS found CROSS JOIN person ON person.id = found.value
     WHERE project_id = ?2`,
  );
  const moved = raw.query<ListPosition, [number, number]>(
    `SELECT person_id AS id, created_at AS at FROM person_move
     WHERE project_id = ?1 AND version > ?2 ORDER BY version DESC`,
  );
  const version = raw.query<{ value: string }, []>("SELECT value FROM meta WHERE key = 'version'");
  return {
    /** Returns the version of the person store, which later pages of a list name as `since`. */
    version: () => Number(version.get()?.value ?? 0),
    /** Returns the positions of some persons by their ids. */
    ofIds: (project: number, ids: Iterable<number>, since = NEVER): ListPosition[] =>
      ofIds.all(JSON.stringify([...ids]), project, since),
    /** Returns the earlier positions of all persons that have moved since a version. */
    moved(project: number, since: number): ListPosition[] {
      const positions = new Map<number, ListPosition>();
      for (const position of moved.iterate(project, since)) positions.set(position.id, position);
      return [...positions.values()];
    },
  };
}
