import { and, count, desc, eq, sql } from "drizzle-orm";
import type { WarningReads } from "../../core/ports/warnings.ts";
import { isoTime } from "../../core/values/time.ts";
import { type ProjectWarning, WARNING_SAMPLES_MAX } from "../../core/warnings/warning.ts";
import { ingestionWarning, ingestionWarningSample } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** Reads warnings on any connection. */
export function warningReads({ orm, snapshot }: Sqlite): WarningReads {
  const samples = orm
    .select({
      at: ingestionWarningSample.at,
      count: ingestionWarningSample.count,
      event_uuid: ingestionWarningSample.event_uuid,
      distinct_id: ingestionWarningSample.distinct_id,
    })
    .from(ingestionWarningSample)
    .where(
      and(
        eq(ingestionWarningSample.project_id, sql.placeholder("project")),
        eq(ingestionWarningSample.type, sql.placeholder("type")),
      ),
    )
    .orderBy(desc(ingestionWarningSample.id))
    .prepare();
  const { project_id, type, last_at } = ingestionWarning;
  const after = sql.placeholder("last_at");
  const ofType = sql.placeholder("type");
  const wanted = and(
    eq(project_id, sql.placeholder("project")),
    sql`(${ofType} IS NULL OR ${type} = ${ofType})`,
  );
  const isAfter = sql`(${after} IS NULL OR ${last_at} < ${after}
    OR (${last_at} = ${after} AND ${type} > ${sql.placeholder("after_type")}))`;
  const counted = orm.select({ count: count() }).from(ingestionWarning).where(wanted).prepare();
  const page = orm
    .select()
    .from(ingestionWarning)
    .where(and(wanted, isAfter))
    .orderBy(desc(last_at), type)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .prepare();
  return {
    list: async (
      project,
      filter,
      { limit, offset, after: [last_at = null, after_type = null] = [] },
    ) =>
      snapshot(() => {
        const given = { project, type: filter.type ?? null };
        const rows = page.all({ ...given, last_at, after_type, limit, offset });
        return {
          count: counted.get(given)?.count ?? 0,
          rows: rows.map((row) => ({ ...row, samples: samples.all({ project, type: row.type }) })),
        };
      }),
    counts: async () =>
      orm
        .select()
        .from(ingestionWarning)
        .orderBy(ingestionWarning.project_id, ingestionWarning.type)
        .all(),
  };
}

/**
 * Adds warnings, which must be in the order of their arrival, on the connection that writes and
 * within its transaction. The number of written rows depends on the types, not on the number of warnings.
 */
export function warningWrites({ raw }: Pick<Sqlite, "raw">) {
  const add = raw.query<null, [number, string, number, string, string]>(
    `INSERT INTO ingestion_warning (project_id, type, count, first_at, last_at)
     VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (project_id, type) DO UPDATE SET count = count + excluded.count,
       first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  );
  const insert = raw.query<null, [number, string, string, number, string | null, string | null]>(
    `INSERT INTO ingestion_warning_sample (project_id, type, at, count, event_uuid, distinct_id)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  );
  const trim = raw.query<null, [number, string]>(
    `DELETE FROM ingestion_warning_sample WHERE project_id = ?1 AND type = ?2 AND id <=
       (SELECT id FROM ingestion_warning_sample WHERE project_id = ?1 AND type = ?2
        ORDER BY id DESC LIMIT 1 OFFSET ${WARNING_SAMPLES_MAX})`,
  );
  return (warnings: readonly ProjectWarning[]): void => {
    const groups = Map.groupBy(warnings, ({ project_id, type }) => `${project_id} ${type}`);
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const { project_id, type } = first;
      const total = { count: 0, from: first.at, to: first.at };
      for (const { count, at } of group) {
        total.count += count;
        total.from = Math.min(total.from, at);
        total.to = Math.max(total.to, at);
      }
      add.run(project_id, type, total.count, isoTime(total.from), isoTime(total.to));
      for (const warning of group.slice(-WARNING_SAMPLES_MAX)) {
        const { at, event_uuid, distinct_id } = warning;
        insert.run(project_id, type, isoTime(at), warning.count, event_uuid, distinct_id);
      }
      trim.run(project_id, type);
    }
  };
}
