import { and, count, desc, eq, inArray } from "drizzle-orm";
import type { DeletionAsked, DeletionReads, DeletionRow } from "../../core/ports/erasure.ts";
import { deletionTask } from "./schema.ts";
import { afterKey, type Sqlite } from "./sqlite.ts";

/** Reads deletions on any connection. */
export function deletionReads({ orm }: Sqlite): DeletionReads {
  return {
    async counts() {
      const { project_id, state } = deletionTask;
      const columns = { project_id, state, count: count() };
      return orm.select(columns).from(deletionTask).groupBy(project_id, state).all();
    },

    async list(project, { states, person_uuid }, { limit, offset, after }) {
      const where = and(
        eq(deletionTask.project_id, project),
        states === undefined ? undefined : inArray(deletionTask.state, [...states]),
        person_uuid === undefined ? undefined : eq(deletionTask.person_uuid, person_uuid),
      );
      const [total] = orm.select({ count: count() }).from(deletionTask).where(where).all();
      const rows = orm
        .select()
        .from(deletionTask)
        .where(and(where, afterKey([deletionTask.id], "down", after)))
        .orderBy(desc(deletionTask.id))
        .limit(limit)
        .offset(offset)
        .all();
      return { count: total?.count ?? 0, rows };
    },
    all: async (states, limit) =>
      orm
        .select()
        .from(deletionTask)
        .where(inArray(deletionTask.state, [...states]))
        .orderBy(desc(deletionTask.id))
        .limit(limit)
        .all(),
    get: async (id) => orm.select().from(deletionTask).where(eq(deletionTask.id, id)).get(),
  };
}

/** The person whose events are deleted; the fields are those of the row. */
export type DeletionOf = Pick<
  DeletionRow,
  "project_id" | "person_id" | "person_uuid" | "uuids" | "distinct_ids"
>;

/** Queues deletions in the caller's transaction. */
export function deletionWrites({ orm }: Sqlite) {
  return {
    /** Queues a deletion. It replaces the ids of an equal queued one if it includes all of them. */
    queue(of: DeletionOf, { kind, journal_seq, by }: DeletionAsked): void {
      const { project_id, person_id, uuids, distinct_ids } = of;
      const waiting = orm
        .select()
        .from(deletionTask)
        .where(
          and(
            eq(deletionTask.project_id, project_id),
            eq(deletionTask.person_uuid, of.person_uuid),
            eq(deletionTask.person_id, person_id),
            eq(deletionTask.kind, kind),
            eq(deletionTask.state, "queued"),
          ),
        )
        .all()
        .find((task) => covers(distinct_ids, task.distinct_ids) && covers(uuids, task.uuids));
      if (waiting !== undefined) {
        orm
          .update(deletionTask)
          .set({ uuids, distinct_ids, journal_seq })
          .where(eq(deletionTask.id, waiting.id))
          .run();
        return;
      }
      orm
        .insert(deletionTask)
        .values({
          ...of,
          kind,
          journal_seq,
          requested_by: by.user_id,
          requested_at: by.at,
          state: "queued",
          attempts: 0,
        })
        .run();
    },
  };
}

function covers(all: readonly string[], some: readonly string[]): boolean {
  const known = new Set(all);
  return some.every((item) => known.has(item));
}
