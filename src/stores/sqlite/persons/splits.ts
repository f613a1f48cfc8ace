import type { Actor } from "../../../core/identity/activity.ts";
import { personUuid } from "../../../core/identity/person.ts";
import { type Part, type SplitAsked, split } from "../../../core/identity/split.ts";
import type { KeptMerge, Whole } from "../../../core/identity/undo-merge.ts";
import type { ProjectedPerson, ProjectionChanges } from "../../../core/ports/projection.ts";
import { storableJson } from "../../../core/values/json.ts";
import { activityWrites } from "../activity.ts";
import type { Sqlite } from "../sqlite.ts";
import type { Stored } from "./apply-slice.ts";
import { personRows, type WrittenPerson } from "./rows.ts";

/** What a split did, for the projection and for whoever remembers persons. */
export type SplitDone = { projection: ProjectionChanges; stored: Stored[] };

/** A person as SQLite has it: `properties` is JSON text, `is_identified` 0 or 1. */
export type PersonRow = {
  id: number;
  project_id: number;
  uuid: string;
  properties: string;
  created_at: string;
  is_identified: number;
};

/** The part of the person store that splits; synchronous, for its one connection. */
export function splitWrites(sqlite: Sqlite, nextVersion: () => number) {
  const statements = prepare(sqlite.raw);

  const activity = activityWrites(sqlite.raw);

  const apply = (person: PersonRow, asked: SplitAsked, by: Actor): SplitDone => {
    const whole: Whole = {
      ...person,
      properties: JSON.parse(person.properties),
      is_identified: person.is_identified === 1,
      ids: statements.idsOf(person.id),
    };
    const { parts, rest, undone, changed } = split(whole, statements.mergesInto(person), asked);
    const version = nextVersion();
    const { project_id } = person;
    const rows = [
      statements.keep({ ...whole, ...rest, id: person.id }, version),
      ...parts.map((part) => statements.restore(project_id, part, version)),
    ];
    for (const merge of undone) statements.forget(merge);
    for (const merge of changed) statements.change(merge);
    const before = whole.ids.map(({ distinct_id }) => distinct_id);
    const left = new Set(parts.flatMap(({ distinct_ids }) => distinct_ids));
    const after = before.filter((id) => !left.has(id));
    const changes = [{ field: "distinct_ids", before, after }];
    rows.forEach((row, at) => {
      activity.add(at === 0 ? "split_person" : "split_from", row, by, at === 0 ? { changes } : {});
    });
    const owned = rows.slice(1).flatMap(({ uuid, id, distinct_ids }) => {
      statements.own({ project_id, uuid, id, distinct_ids }, version);
      return distinct_ids.map((distinct_id) => ({ project_id, distinct_id, person_id: uuid }));
    });
    const overrides = rows.slice(1).flatMap(({ uuid, distinct_ids }) => {
      const earlier = new Set([uuid, ...distinct_ids.map((id) => personUuid(project_id, id))]);
      return [...earlier].map((old_person_id) => ({ project_id, old_person_id, person_id: uuid }));
    });
    return {
      projection: {
        version,
        persons: rows.map(projected),
        gone: [],
        overrides,
        groups: [],
        owned,
      },
      stored: rows,
    };
  };

  return {
    /** Splits a person in one transaction; undefined if there is none. Fails as {@link split}. */
    split(project: number, id: number, asked: SplitAsked, by: Actor): SplitDone | undefined {
      return sqlite.transaction(() => {
        const person = statements.find(project, id);
        return person === null ? undefined : apply(person, asked, by);
      });
    },
  };
}

type Row = Stored & WrittenPerson;

function projected(row: Row): ProjectedPerson {
  const { project_id, id, uuid, created_at, texts, distinct_ids } = row;
  const rest = { distinct_ids, moved: distinct_ids, known: true };
  return { project_id, id, uuid, created_at, columns: texts.columns, ...rest };
}

type StoredMerge = Omit<
  KeptMerge,
  "gained" | "kept" | "source_properties" | "source_is_identified" | "target_is_identified"
> & {
  gained: string;
  kept: string;
  source_properties: string;
  source_is_identified: number;
  target_is_identified: number;
};

function prepare(raw: Sqlite["raw"]) {
  const find = raw.query<PersonRow, [number, number]>(
    `SELECT id, project_id, uuid, properties, created_at, is_identified FROM person
     WHERE project_id = ?1 AND id = ?2`,
  );
  const ids = raw.query<{ distinct_id: string; home: string | null }, [number]>(
    "SELECT distinct_id, home FROM distinct_id WHERE person_id = ?1 ORDER BY position",
  );
  // Everything that was merged into the person, also by way of others, oldest first. CROSS JOIN
  // keeps the order of the tables: the other one reads all merges for each.
  const merges = raw.query<StoredMerge, [number, string]>(
    `WITH RECURSIVE part (uuid) AS (
       SELECT ?2 UNION SELECT source_uuid FROM part CROSS JOIN person_merge
       WHERE project_id = ?1 AND target_uuid = part.uuid)
     SELECT * FROM person_merge
     WHERE project_id = ?1 AND target_uuid IN (SELECT uuid FROM part) ORDER BY id`,
  );
  const rows = personRows(raw);
  // A walk that began before the merge is to meet it where it was then.
  const moved = raw.query<null, [number, number, number, string]>(
    `INSERT INTO person_move (version, project_id, person_id, created_at)
     VALUES (?1, ?2, ?3, ?4)`,
  );
  const ungone = raw.query<null, [number]>("DELETE FROM person_gone WHERE id = ?1");
  const count = raw.query<null, [number]>(
    "UPDATE person_count SET count = count + 1 WHERE project_id = ?1",
  );
  const forget = raw.query<null, [number]>("DELETE FROM person_merge WHERE id = ?1");
  const change = raw.query<null, [string, string, string, number, string, number, number]>(
    `UPDATE person_merge SET gained = ?1, source_properties = ?2, source_created_at = ?3,
       source_is_identified = ?4, target_created_at = ?5, target_is_identified = ?6 WHERE id = ?7`,
  );
  const own = ownership(raw);
  return {
    find: (project: number, id: number) => find.get(project, id),
    idsOf: (id: number) => ids.all(id),
    mergesInto: ({ project_id, uuid }: PersonRow): KeptMerge[] =>
      merges.all(project_id, uuid).map((merge) => ({
        ...merge,
        gained: JSON.parse(merge.gained),
        kept: JSON.parse(merge.kept),
        source_properties: JSON.parse(merge.source_properties),
        source_is_identified: merge.source_is_identified === 1,
        target_is_identified: merge.target_is_identified === 1,
      })),
    forget: (merge: number) => forget.run(merge),
    change(merge: KeptMerge): void {
      change.run(
        JSON.stringify(merge.gained),
        storableJson(merge.source_properties),
        merge.source_created_at,
        merge.source_is_identified ? 1 : 0,
        merge.target_created_at,
        merge.target_is_identified ? 1 : 0,
        merge.id,
      );
    },
    own,
    keep(person: Omit<Whole, "ids"> & { id: number }, version: number): Row {
      const { project_id, uuid, created_at, is_identified } = person;
      const written = rows.update(person, version);
      return { ...written, project_id, uuid, created_at, is_identified, distinct_ids: [] };
    },
    restore(project_id: number, part: Part, version: number): Row {
      const { uuid, created_at, listed_at, is_identified, distinct_ids } = part;
      const written = rows.insert({ ...part, id: part.id ?? undefined, project_id }, version);
      if (listed_at !== created_at) moved.run(version, project_id, written.id, listed_at);
      ungone.run(written.id);
      count.run(project_id);
      return { ...written, project_id, uuid, created_at, is_identified, distinct_ids };
    },
  };
}

/** Gives distinct ids, and the events that came with them, to another person. */
function ownership(raw: Sqlite["raw"]) {
  const move = raw.query<null, [number, number, number, string, string]>(
    `UPDATE distinct_id SET person_id = ?1, position = ?2, home = nullif(home, ?5)
     WHERE project_id = ?3 AND distinct_id = ?4`,
  );
  const redirect = raw.query<null, [number, string, number, number]>(
    `INSERT OR REPLACE INTO person_override (project_id, old_uuid, person_id, version)
     VALUES (?1, ?2, ?3, ?4)`,
  );
  const owned = raw.query<null, [number, string, string, number]>(
    `INSERT OR REPLACE INTO distinct_id_owned (project_id, distinct_id, uuid, version)
     VALUES (?1, ?2, ?3, ?4)`,
  );
  return (
    person: { project_id: number; uuid: string; id: number; distinct_ids: string[] },
    version: number,
  ): void => {
    const { project_id, uuid, id } = person;
    redirect.run(project_id, uuid, id, version);
    person.distinct_ids.forEach((distinct_id, position) => {
      move.run(id, position, project_id, distinct_id, uuid);
      redirect.run(project_id, personUuid(project_id, distinct_id), id, version);
      owned.run(project_id, distinct_id, uuid, version);
    });
  };
}
