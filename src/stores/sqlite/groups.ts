import type { Group, GroupType } from "../../core/identity/groups.ts";
import type {
  GroupChanges,
  GroupKey,
  GroupReads,
  GroupRow,
} from "../../core/ports/persons/groups.ts";
import type { ProjectedGroup } from "../../core/ports/persons/projection.ts";
import { anyCase } from "../../core/values/case-folding.ts";
import { storableJson } from "../../core/values/json.ts";
import { fitting } from "../../core/values/page.ts";
import { storedProperties } from "./damage.ts";
import type { Sqlite } from "./sqlite.ts";

const GROUP_COLUMNS = "project_id, type_index, key, properties, created_at";

const BY_KEY = `SELECT ${GROUP_COLUMNS} FROM "group"
  WHERE project_id = ?1 AND type_index = ?2 AND key = ?3`;

/** A group as the API shows it. */
const groupOf = ({ type_index, key, properties, created_at }: ProjectedGroup): Group => ({
  group_type_index: type_index,
  group_key: key,
  group_properties: storedProperties(properties),
  created_at,
});

/** Reads groups on any connection. */
export function groupReads({ raw }: Sqlite): GroupReads {
  const where = `FROM "group" WHERE project_id = ?1 AND type_index = ?2
    AND key GLOB ?3`;
  const page = raw.query<ProjectedGroup, [number, number, string, number, number, string]>(
    `SELECT ${GROUP_COLUMNS} ${where} AND key > ?6 ORDER BY key LIMIT ?4 OFFSET ?5`,
  );
  const count = raw.query<{ count: number }, [number, number, string]>(
    `SELECT count(*) AS count ${where}`,
  );
  const byKey = raw.query<ProjectedGroup, [number, number, string]>(BY_KEY);
  const types = raw.query<GroupType, [number]>(
    `SELECT name AS group_type, type_index AS group_type_index FROM group_type
     WHERE project_id = ?1 ORDER BY type_index`,
  );
  return {
    async list(project, { type_index, search = "" }, { limit, offset, after: [after] = [""] }) {
      const part = anyCase(search);
      const found = page.iterate(project, type_index, part, limit, offset, after);
      const { rows, isCut } = fitting(found, ({ properties }) => properties.length);
      return {
        count: count.get(project, type_index, part)?.count ?? 0,
        isCut,
        rows: rows.map(groupOf),
      };
    },
    async find(project, type_index, key) {
      const row = byKey.get(project, type_index, key);
      return row === null ? undefined : groupOf(row);
    },
    types: async (project) => types.all(project),
  };
}

/** Writes the groups of batches, on the connection that writes. All methods are synchronous. */
export function groupWrites({ raw }: Sqlite) {
  const insertType = raw.query<null, [number, number, string]>(
    "INSERT INTO group_type (project_id, type_index, name) VALUES (?1, ?2, ?3)",
  );
  const upsert = raw.query<null, [number, number, string, string, string, number]>(
    `INSERT INTO "group" (${GROUP_COLUMNS}, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT DO UPDATE SET properties = excluded.properties, version = excluded.version`,
  );
  const byKey = raw.query<ProjectedGroup, [number, number, string]>(BY_KEY);
  const since = raw.query<ProjectedGroup, [number]>(
    `SELECT ${GROUP_COLUMNS} FROM "group" WHERE version > ?1`,
  );
  return {
    find({ project_id, type_index, key }: GroupKey): GroupRow | undefined {
      const row = byKey.get(project_id, type_index, key);
      return row === null ? undefined : { ...row, properties: JSON.parse(row.properties) };
    },
    /** Applies changes in the caller's transaction, and returns the rows for the projection. */
    apply({ types, rows }: GroupChanges, version: number): ProjectedGroup[] {
      for (const { project_id, type_index, name } of types) {
        insertType.run(project_id, type_index, name);
      }
      return rows.map((row) => {
        const { project_id, type_index, key, created_at } = row;
        const properties = storableJson(row.properties);
        upsert.run(project_id, type_index, key, properties, created_at, version);
        return { project_id, type_index, key, created_at, properties };
      });
    },
    since: (version: number): Iterable<ProjectedGroup> => since.iterate(version),
  };
}
