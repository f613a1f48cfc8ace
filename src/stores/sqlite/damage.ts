import { SQLiteError } from "bun:sqlite";
import type { Log } from "../../core/ports/log.ts";
import { parseUuid } from "../../core/values/ids.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { isoTime, parseTime } from "../../core/values/time.ts";
import type { Sqlite } from "./sqlite.ts";

/** Returns advice about a damaged file. */
export const recoveryAdvice = (path: string): string =>
  `Restore it from a backup, or recover it: sqlite3 ${path} .recover | sqlite3 recovered.sqlite, and put that in its place, without its old -wal and -shm files (that takes the sqlite3 of sqlite.org: a distribution's may have no .recover).`;

type Needs = {
  log: Log;
  /** Ends the process, because the file cannot be used. */
  end: (error: Error) => void;
  newUuid: () => string;
  now: () => number;
};

type Methods = Record<string, (...asked: never[]) => Promise<unknown>>;

/** The error of a row with values that nothing has stored. */
export class DamagedRow extends Error {}

/** Returns a person as it is stored. Throws {@link DamagedRow} if its uuid or time cannot be right. */
export function undamaged<T extends { uuid: string; created_at: string }>(person: T): T {
  if (isUndamaged(person)) return person;
  throw new DamagedRow("the uuid or the time of a person in hoglet.sqlite is damaged");
}

/** The form of a stored time. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const isTime = (text: string) => TIME.test(text) && parseTime(text) !== undefined;

const isUndamaged = ({ uuid, created_at }: { uuid: string; created_at: string }) =>
  parseUuid(uuid) === uuid && isTime(created_at);

/**
 * Wraps writes, so that one damaged row or index does not stop all later events: it is mended, and the error still
 * reaches the caller, who may try again. Properties that are no JSON any more become empty, and indexes are built
 * again. If that does not help, the process ends, as a start on a damaged file does (decision 150).
 */
export function mending<T extends Methods>(methods: T, sqlite: Sqlite, needs: Needs): T {
  const wrapped = Object.entries(methods).map(([name, method]) => {
    let mended = 0;
    const run = async (...asked: never[]) => {
      try {
        const result = await method(...asked);
        mended = 0;
        return result;
      } catch (error) {
        const [change] = asked as unknown[];
        const mend = mendOf(error, sqlite, needs, createdIn(change));
        if (mend === undefined) throw error;
        mended += 1;
        if (mended > MENDED_MAX || !hasMended(mend, sqlite, needs.log)) needs.end(error as Error);
        throw error;
      }
    };
    return [name, run];
  });
  return Object.fromEntries(wrapped) as T;
}

/** How often one write may mend before it succeeds: it may meet several kinds of damage. */
const MENDED_MAX = 3;

/** A person that a change creates. */
type Created = { project_id: number; uuid: string };

function createdIn(change: unknown): readonly Created[] {
  const isChange = typeof change === "object" && change !== null && "created" in change;
  return isChange && Array.isArray(change.created) ? change.created : [];
}

/** Whether damage could be mended; an index that does not fit the rows is built again first. */
function hasMended(mend: () => boolean, sqlite: Sqlite, log: Log): boolean {
  try {
    return mend();
  } catch {
    try {
      return newIndexes(sqlite, log) && mend();
    } catch {
      return false;
    }
  }
}

/** Returns the repair of the damage that an error shows: it returns whether it could. Undefined for other errors. */
function mendOf(
  error: unknown,
  sqlite: Sqlite,
  needs: Needs,
  created: readonly Created[],
): (() => boolean) | undefined {
  if (error instanceof SyntaxError) return () => emptyProperties(sqlite, needs.log) > 0;
  if (error instanceof DamagedRow) return () => newIdentities(sqlite, needs) > 0;
  if (!(error instanceof SQLiteError)) return undefined;
  if (/^SQLITE_NOTADB/.test(error.code ?? "")) return () => false;
  if (!/^SQLITE_(?:CONSTRAINT|CORRUPT)/.test(error.code ?? "")) return undefined;
  return () => freeIdentities(sqlite, needs, created) > 0 || newIndexes(sqlite, needs.log);
}

const EMPTIED = {
  person:
    "UPDATE person SET properties = '{}' WHERE NOT json_valid(properties) RETURNING project_id, id, uuid",
  group: `UPDATE "group" SET properties = '{}' WHERE NOT json_valid(properties) RETURNING project_id, type_index`,
};

/** Empties properties that are no JSON, and returns the number of their persons and groups. */
function emptyProperties({ raw, transaction }: Sqlite, log: Log): number {
  const emptied = transaction(() =>
    Object.entries(EMPTIED).flatMap(([what, sql]) =>
      raw
        .query<object, []>(sql)
        .all()
        .map((row) => ({ what, ...row })),
    ),
  );
  for (const row of emptied) {
    const message =
      "properties in hoglet.sqlite were damaged and are empty now; only a backup still has them";
    log.error(message, row);
  }
  return emptied.length;
}

/** Gives persons whose uuid or time cannot be right new ones, and returns their number. */
function newIdentities({ raw, transaction }: Sqlite, { log, newUuid, now }: Needs): number {
  const persons = raw
    .query<{ project_id: number; id: number; uuid: string; created_at: string }, []>(
      "SELECT project_id, id, uuid, created_at FROM person",
    )
    .iterate();
  const damaged = [...persons].filter((person) => !isUndamaged(person));
  transaction(() => {
    for (const { project_id, id, uuid, created_at } of damaged) {
      const isUuid = parseUuid(uuid) === uuid;
      const next = {
        uuid: isUuid ? uuid : newUuid(),
        created_at: isTime(created_at) ? created_at : isoTime(now()),
      };
      raw
        .query("UPDATE person SET uuid = ?1, created_at = ?2 WHERE id = ?3")
        .run(next.uuid, next.created_at, id);
      const message = isUuid
        ? "the time of a person in hoglet.sqlite was damaged and is the present one now"
        : "the uuid of a person in hoglet.sqlite was damaged and is a new one now; its earlier events are of no person";
      log.error(message, { project_id, id, uuid: next.uuid });
    }
  });
  return damaged.length;
}

/** Reads stored properties; none if they are no JSON any more. */
export function storedProperties(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

/**
 * Gives new uuids to stored persons whose uuids a change creates again, and returns their number. The uuid of a person
 * comes from its first distinct id, so that id was damaged: its person begins again.
 */
function freeIdentities(
  { raw, transaction }: Sqlite,
  { log, newUuid }: Needs,
  created: readonly Created[],
): number {
  return transaction(() => {
    const freed = created.flatMap(({ project_id, uuid }) =>
      raw
        .query<{ id: number; uuid: string }, [string, number, string]>(
          "UPDATE person SET uuid = ?1 WHERE project_id = ?2 AND uuid = ?3 RETURNING id, uuid",
        )
        .all(newUuid(), project_id, uuid)
        .map((row) => ({ project_id, ...row })),
    );
    for (const row of freed) {
      const message =
        "a distinct id in hoglet.sqlite was damaged: its person begins again, and its former properties are of this one";
      log.error(message, row);
    }
    return freed.length;
  });
}

function newIndexes({ raw }: Sqlite, log: Log): boolean {
  try {
    raw.run("REINDEX");
    log.error("an index of hoglet.sqlite was damaged and has been built again");
    return true;
  } catch {
    return false;
  }
}
