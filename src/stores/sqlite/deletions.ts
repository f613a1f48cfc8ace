import { and, asc, count, desc, eq, inArray, isNotNull, isNull, or } from "drizzle-orm";
import { ATTEMPTS_MAX, BATCH_TASKS_MAX } from "../../core/erasure/deletion.ts";
import type {
  Counted,
  DeletionAsked,
  DeletionReads,
  DeletionRow,
  DeletionWrites,
} from "../../core/ports/erasure.ts";
import { eraseDeleted } from "./erase-deleted.ts";
import { mentionReads } from "./mentions.ts";
import { rewriteFile } from "./rewrite.ts";
import { deletionTask, meta } from "./schema.ts";
import { afterKey, type Sqlite } from "./sqlite.ts";

/** Reads deletions on any connection. */
export function deletionReads(sqlite: Sqlite): DeletionReads {
  const { orm } = sqlite;
  const facts = factsOf(sqlite);
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
    lastDue: async (kind) => facts.read(`deletions_${kind}`),
  };
}

/** The person whose events are deleted; the fields are those of the row. */
export type DeletionOf = Pick<
  DeletionRow,
  "project_id" | "person_id" | "person_uuid" | "uuids" | "distinct_ids" | "email"
>;

/** Queues deletions in the caller's transaction. */
export function deletionWrites({ orm }: Sqlite) {
  return {
    /** Queues a deletion. It replaces the ids of an equal queued one if it includes all of them. */
    queue(of: DeletionOf, { kind, journal_seq, by }: DeletionAsked): void {
      const { project_id, person_id, uuids, distinct_ids, email } = of;
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
          .set({ uuids, distinct_ids, email, journal_seq })
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

const INTERRUPTED = "The server ended each time while this ran";

/** Each kind of deleted data that a receipt counts. */
const COUNTED: readonly Counted[] = ["events", "logs", "warnings", "dead_letters"];

/** The part of the person store that carries deletions out, on the connection that writes. */
export function deletionRunWrites(sqlite: Sqlite): DeletionWrites {
  const { orm, transaction } = sqlite;
  const facts = factsOf(sqlite);
  const changed = changing(sqlite);
  const counted = counting(sqlite);

  return {
    ...erasureWrites(sqlite),
    eraseDeleted: eraseDeleted(sqlite),
    lastDue: async (kind) => facts.read(`deletions_${kind}`),

    setDue: async (kind, at) => facts.write(`deletions_${kind}`, at),

    begin: async ({ kinds, states }, at) =>
      transaction(() => {
        const of = (where: ReturnType<typeof and>) =>
          orm
            .select()
            .from(deletionTask)
            .where(where)
            .orderBy(asc(deletionTask.id))
            .limit(BATCH_TASKS_MAX)
            .all();
        const asked = or(
          and(inArray(deletionTask.state, [...states]), inArray(deletionTask.kind, [...kinds])),
          and(eq(deletionTask.state, "queued"), isNotNull(deletionTask.error)),
        );
        const begun = of(eq(deletionTask.state, "running")).filter(({ id, attempts }) => {
          const goesOn = attempts < ATTEMPTS_MAX;
          // A task that makes the process end each time must fail at some point.
          if (!goesOn) changed([id], { state: "failed", error: INTERRUPTED });
          return goesOn;
        });
        const tasks = [...begun, ...of(asked)].slice(0, BATCH_TASKS_MAX);
        for (const { id, attempts } of tasks) {
          changed([id], { state: "running", attempts: attempts + 1, started_at: at, error: null });
        }
        const removed_version = facts.number("removed_version");
        const isPurging = removed_version > facts.number("purged_version");
        return { tasks, isPurging, removed_version };
      }),

    count: async (what, found) => transaction(() => counted(what, found)),

    finish: async (ids, at) =>
      transaction(() => {
        for (const what of COUNTED) counted(what, new Map(ids.map((id) => [id, 0])));
        changed(ids, { state: "done", finished_at: at, error: null });
      }),

    fail: async (tasks, error, { counts }) =>
      transaction(() => {
        for (const { id, attempts: before } of tasks) {
          const attempts = counts ? before + 1 : before;
          const state = attempts >= ATTEMPTS_MAX ? "failed" : "queued";
          changed([id], { state, attempts, error });
        }
      }),

    interrupt: async (tasks) =>
      transaction(() => {
        for (const { id, attempts } of tasks) changed([id], { attempts });
      }),

    cancel: async (id, at) =>
      transaction(() => {
        const cancelled = orm
          .update(deletionTask)
          .set({ state: "cancelled", finished_at: at, distinct_ids: [], email: null })
          .where(
            and(
              eq(deletionTask.id, id),
              inArray(deletionTask.state, ["queued", "failed"]),
              isNull(deletionTask.generation),
            ),
          )
          .returning({ id: deletionTask.id })
          .all();
        return cancelled.length === 1;
      }),
  };
}

/** Removes the traces of deletions in the person store. */
function erasureWrites(
  sqlite: Sqlite,
): Pick<DeletionWrites, "erasing" | "forget" | "scrub" | "traces"> {
  const { raw, transaction } = sqlite;
  const facts = factsOf(sqlite);
  const changed = changing(sqlite);
  const counted = counting(sqlite);
  const placesNaming = mentionReads(sqlite);
  const forgetOwned = raw.query<null, [number]>(
    "DELETE FROM distinct_id_owned WHERE version <= ?1",
  );
  const samples = raw.query<null, [number, string, string]>(
    `DELETE FROM ingestion_warning_sample
     WHERE project_id = ?1 AND distinct_id = ?2 AND at <= ?3`,
  );
  const removeSamples = (project: number, distinct_id: string, until: string): number =>
    samples.run(project, distinct_id, until).changes;

  const sampled = raw.query<{ count: number }, [number, string]>(
    `SELECT count(*) AS count FROM ingestion_warning_sample
     WHERE project_id = ?1 AND distinct_id IN (SELECT value FROM json_each(?2))`,
  );

  return {
    async traces(person) {
      const { project_id, distinct_ids } = person;
      const warnings = sampled.get(project_id, JSON.stringify(distinct_ids))?.count ?? 0;
      const places = placesNaming([{ ...person, id: 0 }]).get(0) ?? { count: 0, results: [] };
      return { warnings, places };
    },

    erasing: async (tasks, rows, generation) =>
      transaction(() => {
        for (const { id, counts: before, generation: since } of tasks) {
          const { events, logs } = rows.get(id) ?? { events: 0, logs: 0 };
          // Counts of an earlier attempt of the same generation are replaced, not added.
          const earlier = since !== null && since < generation ? before : null;
          const { events: e = 0, logs: l = 0 } = earlier ?? {};
          changed([id], { counts: { ...before, events: e + events, logs: l + logs }, generation });
        }
      }),

    forget: async ({ tasks, projection_version, purged_version }) =>
      transaction(() => {
        forgetOwned.run(projection_version);
        if (purged_version !== undefined) facts.write("purged_version", String(purged_version));
        const warnings = tasks.map(({ id, project_id, distinct_ids, requested_at }) => {
          const removed = distinct_ids.map((distinct_id) => {
            return removeSamples(project_id, distinct_id, requested_at);
          });
          return [id, removed.reduce((sum, count) => sum + count, 0)] as const;
        });
        counted("warnings", new Map(warnings));
        for (const [id, places] of placesNaming(tasks)) changed([id], { places });
      }),

    async scrub(ids) {
      changed(ids, { distinct_ids: [], email: null });
      rewriteFile(raw);
    },
  };
}

function changing({ orm }: Sqlite) {
  return (ids: readonly number[], change: Partial<DeletionRow>) =>
    orm
      .update(deletionTask)
      .set(change)
      .where(inArray(deletionTask.id, [...ids]))
      .run();
}

/** Adds to what receipts count, in the caller's transaction. */
function counting(sqlite: Sqlite) {
  const changed = changing(sqlite);
  return (what: Counted, found: ReadonlyMap<number, number>): void => {
    for (const [id, more] of found) {
      const row = sqlite.orm.select().from(deletionTask).where(eq(deletionTask.id, id)).get();
      const counts = row?.counts ?? {};
      changed([id], { counts: { ...counts, [what]: (counts[what] ?? 0) + more } });
    }
  };
}

function factsOf({ orm }: Sqlite) {
  const read = (key: string) => orm.select().from(meta).where(eq(meta.key, key)).get()?.value;
  return {
    read,
    number: (key: string) => Number(read(key) ?? 0),
    write: (key: string, value: string): void => {
      const set = { value };
      orm.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set }).run();
    },
  };
}
