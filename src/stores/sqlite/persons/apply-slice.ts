import type {
  ChangedPerson,
  Merged,
  NewPerson,
  Override,
  PersonChanges,
  PersonRef,
} from "../../../core/ports/person-writes.ts";
import type {
  ProjectedOverride,
  ProjectedOwned,
  ProjectedPerson,
  ProjectionChanges,
  ProjectionStream,
} from "../../../core/ports/projection.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { propertyTexts } from "../../loads/person-columns.ts";
import { activityWrites } from "../activity.ts";
import { groupWrites } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { warningWrites } from "../warnings.ts";
import { distinctIds, type Placement } from "./distinct-ids.ts";
import { personRows, type WrittenPerson } from "./rows.ts";

/** A person as a slice left it, and the distinct ids that are new to it. */
export type Stored = PersonRef & { project_id: number; distinct_ids: string[] };

/** The part of the person store that applies slices; synchronous, for its one connection. */
export function identityWrites(sqlite: Sqlite) {
  const mark = appliedMark(sqlite);
  const statements = prepare(sqlite.raw);
  const groups = groupWrites(sqlite);
  const warn = warningWrites(sqlite);

  const apply = (changes: PersonChanges): { projection: ProjectionChanges; stored: Stored[] } => {
    mark.advance(changes.applied_seq);
    warn(changes.warnings ?? []);
    const version = mark.nextVersion();
    const rows = [
      ...changes.created.map((person) => statements.insert(person, version)),
      ...changes.changed.map((person) => statements.update(person, version)),
    ];
    const byUuid = new Map(rows.map((row) => [`${row.project_id} ${row.uuid}`, row]));
    const idOf = ({ project_id, uuid }: { project_id: number; uuid: string }) =>
      byUuid.get(`${project_id} ${uuid}`)?.id ?? 0;
    const placed = new Map(changes.ids.map((ids) => [idOf(ids), statements.place(ids, idOf(ids))]));
    const overrides = changes.overrides.map((override) => {
      return statements.redirect(override, idOf(override), version);
    });
    const gone = statements.remove(changes.merged, overrides, version);
    count(changes, statements);
    const projection = {
      version,
      persons: rows.map((row) => projected(row, placed.get(row.id))),
      gone,
      overrides: overrides.map(({ project_id, old_uuid, uuid }) => {
        return { project_id, old_person_id: old_uuid, person_id: uuid };
      }),
      groups: groups.apply(changes.groups, version),
      owned: [],
    };
    return { projection, stored: rows.map((row) => stored(row, placed.get(row.id))) };
  };

  return {
    applied: mark.read,
    group: groups.find,
    apply: (changes: PersonChanges) => sqlite.transaction(() => apply(changes)),
    nextVersion: mark.nextVersion,
    projectionSince: <T>(version: number, take: (changes: ProjectionStream) => T): T =>
      sqlite.transaction(() => {
        const last = mark.version();
        const since = statements.since(version, last);
        return take({ version: last, deleted: true, ...since, groups: groups.since(version) });
      }),
  };
}

type Row = ChangedPerson & WrittenPerson & { known: boolean };

function projected(row: Row, placement: Placement | undefined): ProjectedPerson {
  const { project_id, id, uuid, created_at, known, texts } = row;
  const { put = [], moved = [] } = placement ?? {};
  const ids = { distinct_ids: [...put, ...moved], moved };
  return { project_id, id, uuid, created_at, known, columns: texts.columns, ...ids };
}

function stored(row: Row, placement: Placement | undefined): Stored {
  const { project_id, id, uuid, created_at, is_identified, lifted } = row;
  const { put = [], moved = [] } = placement ?? {};
  return {
    project_id,
    id,
    uuid,
    created_at,
    is_identified,
    lifted,
    distinct_ids: [...put, ...moved],
  };
}

/** Keeps the number of persons of each project. */
function count({ created, merged }: PersonChanges, { addPersons }: ReturnType<typeof prepare>) {
  const byProject = new Map<number, number>();
  const add = (project: number, persons: number) =>
    byProject.set(project, (byProject.get(project) ?? 0) + persons);
  for (const { project_id } of created) add(project_id, 1);
  for (const { project_id, source_id } of merged) if (source_id !== null) add(project_id, -1);
  for (const [project, persons] of byProject) addPersons(project, persons);
}

/** The statements, each run many times in a slice. */
function prepare(raw: Sqlite["raw"]) {
  const rows = personRows(raw);
  const deletePerson = raw.query<null, [number]>("DELETE FROM person WHERE id = ?1");
  const insertGone = raw.query<null, [number, number]>(
    "INSERT OR REPLACE INTO person_gone (id, version) VALUES (?1, ?2)",
  );
  const addPersons = raw.query<null, [number, number]>(
    "UPDATE person_count SET count = count + ?1 WHERE project_id = ?2",
  );
  const ids = distinctIds(raw);
  const overrides = overridesOf(raw);
  const insertMerge = mergeJournal(raw);
  const activity = activityWrites(raw);

  return {
    addPersons: (project: number, persons: number) => addPersons.run(persons, project),
    insert: (person: NewPerson, version: number): Row => {
      return { ...person, ...rows.insert(person, version), known: false };
    },
    update: (person: ChangedPerson, version: number): Row => {
      return { ...person, ...rows.update(person, version), known: true };
    },
    place: ids.place,
    redirect: overrides.redirect,
    /** Removes the persons that were merged away, whose ids and overrides have moved. */
    remove(merged: readonly Merged[], redirected: readonly Redirected[], version: number) {
      const targets = new Map(redirected.map((to) => [`${to.project_id} ${to.old_uuid}`, to.id]));
      const sources = new Map(merged.map((of) => [`${of.project_id} ${of.source_uuid}`, of]));
      return merged.flatMap((merge) => {
        insertMerge(merge);
        const { project_id, source_id, source_uuid, target_uuid } = merge;
        const target_id = targets.get(`${project_id} ${source_uuid}`) ?? 0;
        // The target may have become part of a third person in the same slice.
        const into = sources.get(`${project_id} ${target_uuid}`)?.source_id ?? target_id;
        activity.merged(merge, into);
        if (source_id === null) return [];
        overrides.follow(source_id, target_id, version);
        deletePerson.run(source_id);
        insertGone.run(source_id, version);
        return [source_id];
      });
    },
    since: changesSince(raw),
  };
}

type Redirected = Override & { id: number };

/** Whose the events of an earlier uuid are. */
function overridesOf(raw: Sqlite["raw"]) {
  const upsert = raw.query<null, [number, string, number, number]>(
    `INSERT OR REPLACE INTO person_override (project_id, old_uuid, person_id, version)
     VALUES (?1, ?2, ?3, ?4)`,
  );
  const follow = raw.query<null, [number, number, number]>(
    "UPDATE person_override SET person_id = ?1, version = ?2 WHERE person_id = ?3",
  );
  return {
    redirect(override: Override, id: number, version: number): Redirected {
      upsert.run(override.project_id, override.old_uuid, id, version);
      return { ...override, id };
    },
    /** What belonged to `source` belongs to `target`. */
    follow: (source: number, target: number, version: number) =>
      follow.run(target, version, source),
  };
}

function mergeJournal(raw: Sqlite["raw"]) {
  type Columns = [
    number,
    string,
    string,
    number,
    string,
    number | null,
    string,
    string,
    string,
    number,
    string,
  ];
  const insert = raw.query<null, Columns>(
    `INSERT INTO person_merge (project_id, target_uuid, target_created_at, target_is_identified,
       gained, source_id, source_uuid, source_properties, source_created_at,
       source_is_identified, event_uuid, source_listed_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
       (SELECT created_at FROM person WHERE id = ?6))`,
  );
  return (merge: Merged) =>
    insert.run(
      merge.project_id,
      merge.target_uuid,
      merge.target_created_at,
      merge.target_is_identified ? 1 : 0,
      JSON.stringify(merge.gained),
      merge.source_id,
      merge.source_uuid,
      merge.source_properties,
      merge.source_created_at,
      merge.source_is_identified ? 1 : 0,
      merge.event_uuid,
    );
}

/**
 * Reads all that changed after a version; a scan, for the start after a crash. Forgets what the
 * projection of that version has and nobody else needs.
 */
function changesSince(raw: Sqlite["raw"]) {
  type Person = Pick<ProjectedPerson, "project_id" | "id" | "uuid" | "created_at"> & {
    properties: string;
    ids: string;
  };
  const persons = raw.query<Person, [number]>(
    `SELECT project_id, id, uuid, created_at, properties,
       (SELECT json_group_array(distinct_id) FROM distinct_id WHERE person_id = person.id) AS ids
     FROM person WHERE version > ?1`,
  );
  const gone = raw.query<{ id: number }, [number]>("SELECT id FROM person_gone WHERE version > ?1");
  const overrides = raw.query<ProjectedOverride, [number]>(
    `SELECT person_override.project_id, old_uuid AS old_person_id, person.uuid AS person_id
     FROM person_override JOIN person ON person.id = person_id
     WHERE person_override.version > ?1`,
  );
  const forgetOwned = raw.query<null, [number]>(
    "DELETE FROM distinct_id_owned WHERE version <= ?1",
  );
  const owned = raw.query<ProjectedOwned, []>(
    "SELECT project_id, distinct_id, uuid AS person_id FROM distinct_id_owned",
  );
  return (version: number, last: number) => {
    forgetOwned.run(version);
    // An empty projection has nobody whom they could replace.
    const isNew = version === 0;
    // To look for what came since means to read every person.
    if (version === last) return { persons: [], gone: [], overrides: [], owned: [] };
    return {
      persons: Iterator.from(persons.iterate(version)).map(({ ids, properties, ...person }) => {
        const distinct_ids = JSON.parse(ids) as string[];
        const { columns } = propertyTexts(JSON.parse(properties) as JsonObject);
        return { ...person, columns, distinct_ids, ...(isNew ? NOBODY_YET : known(distinct_ids)) };
      }),
      gone: Iterator.from(gone.iterate(version)).map(({ id }) => id),
      overrides: overrides.iterate(version),
      owned: owned.iterate(),
    };
  };
}

const NOBODY_YET: Pick<ProjectedPerson, "known" | "moved"> = { known: false, moved: [] };

const known = (moved: string[]) => ({ known: true, moved });

/** How far this store has come: the last sequence number, and the version of its rows. */
function appliedMark({ raw }: Sqlite) {
  const read = raw.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?1");
  const write = raw.query<null, [string, string]>(
    "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
  );
  const numberOf = (key: string) => Number(read.get(key)?.value ?? 0);
  return {
    read: () => numberOf("applied_seq"),
    version: () => numberOf("version"),
    advance(seq: number) {
      if (seq <= numberOf("applied_seq")) throw new Error(`Slice up to ${seq} was applied before`);
      write.run("applied_seq", String(seq));
    },
    nextVersion(): number {
      const version = numberOf("version") + 1;
      write.run("version", String(version));
      return version;
    },
  };
}
