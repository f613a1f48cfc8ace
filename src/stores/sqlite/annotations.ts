import { and, count, desc, eq, gte, lte, type SQL } from "drizzle-orm";
import type { Annotation } from "../../core/dashboards/annotation.ts";
import type {
  AnnotationFilter,
  AnnotationReads,
  AnnotationWrites,
} from "../../core/ports/annotations.ts";
import { Failure } from "../../core/values/failure.ts";
import { annotation, CREATED_BY, creator, insight } from "./schema.ts";
import { afterKey, type Sqlite } from "./sqlite.ts";

/** Reads annotations on any connection. */
export function annotationReads(sqlite: Sqlite): AnnotationReads {
  const { orm, snapshot } = sqlite;
  const rows = selects(sqlite);
  return {
    list: async (project, filter, { limit, offset, after }) =>
      snapshot(() => {
        const wanted = and(eq(annotation.project_id, project), ...conditions(filter));
        const keys = [annotation.date_marker, annotation.id];
        return {
          count: orm.select({ count: count() }).from(annotation).where(wanted).get()?.count ?? 0,
          rows: rows(and(wanted, afterKey(keys, "down", after)))
            .orderBy(desc(annotation.date_marker), desc(annotation.id))
            .limit(limit)
            .offset(offset)
            .all()
            .map(flat),
        };
      }),
  };
}

function conditions({ id, scope, dashboard_item, from, to, deleted = false }: AnnotationFilter) {
  return [
    eq(annotation.deleted, deleted),
    id === undefined ? undefined : eq(annotation.id, id),
    scope === undefined ? undefined : eq(annotation.scope, scope),
    dashboard_item === undefined ? undefined : eq(annotation.dashboard_item, dashboard_item),
    from === undefined ? undefined : gte(annotation.date_marker, from),
    to === undefined ? undefined : lte(annotation.date_marker, to),
  ];
}

/** Writes annotations on the connection that writes. */
export function annotationWrites(sqlite: Sqlite): AnnotationWrites {
  const { orm, transaction } = sqlite;
  const rows = selects(sqlite);
  const one = (wanted: SQL | undefined): Annotation | undefined => {
    const found = rows(wanted).get();
    return found && flat(found);
  };
  const checkItem = (project: number, item: number | null | undefined) => {
    if (item === null || item === undefined) return;
    const wanted = and(eq(insight.project_id, project), eq(insight.id, item));
    const present = and(wanted, eq(insight.deleted, false));
    if (orm.select({ id: insight.id }).from(insight).where(present).get() !== undefined) return;
    throw new Failure("invalid_input", "The insight was not found.", "dashboard_item");
  };
  return {
    insert: async (draft) =>
      transaction(() => {
        checkItem(draft.project_id, draft.dashboard_item);
        const made = orm.insert(annotation).values(draft).returning({ id: annotation.id }).get();
        return one(eq(annotation.id, made.id)) as Annotation;
      }),
    update: async ({ project, id }, change) =>
      transaction(() => {
        const wanted = and(eq(annotation.project_id, project), eq(annotation.id, id));
        checkItem(project, one(wanted) === undefined ? null : change.dashboard_item);
        if (Object.keys(change).length > 0) orm.update(annotation).set(change).where(wanted).run();
        return one(wanted);
      }),
  };
}

/** Selects annotations with their authors. */
function selects({ orm }: Sqlite) {
  return (wanted: SQL | undefined) =>
    orm
      .select({ annotation, created_by: CREATED_BY })
      .from(annotation)
      .innerJoin(creator, eq(creator.id, annotation.created_by))
      .where(wanted);
}

type Joined = {
  annotation: typeof annotation.$inferSelect;
  created_by: Annotation["created_by"];
};

function flat({ annotation: { project_id: _project, ...row }, created_by }: Joined): Annotation {
  return { ...row, created_by };
}
