import { SQLiteError } from "bun:sqlite";
import { parseUuid } from "../../core/values/ids.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { parseTime } from "../../core/values/time.ts";

/** Returns advice about a damaged file. */
export const recoveryAdvice = (path: string): string =>
  `Restore it from a backup, or recover it: sqlite3 ${path} .recover | sqlite3 recovered.sqlite, and put that in its place, without its old -wal and -shm files (that takes the sqlite3 of sqlite.org: a distribution's may have no .recover).`;

type Methods = Record<string, (...asked: never[]) => Promise<unknown>>;

/** The error of a row with values that nothing has stored. */
class DamagedRow extends Error {}

/** Returns a person as it is stored. Throws DamagedRow if its uuid or time cannot be right. */
export function undamaged<T extends { uuid: string; created_at: string }>(person: T): T {
  const { uuid, created_at } = person;
  const isTime = TIME.test(created_at) && parseTime(created_at) !== undefined;
  if (parseUuid(uuid) === uuid && isTime) return person;
  throw new DamagedRow(`the uuid or the time of person ${uuid} is damaged`);
}

/** The form of a stored time. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/**
 * Wraps writes, so that damage that one of them meets ends the process, as a start on a damaged file does: to
 * try again for ever would keep all later events from the stores (decision 150).
 */
export function endingIfDamaged<T extends Methods>(methods: T, end: (error: Error) => void): T {
  const wrapped = Object.entries(methods).map(([name, method]) => {
    const run = async (...asked: never[]) => {
      try {
        return await method(...asked);
      } catch (error) {
        if (isDamage(error)) end(error);
        throw error;
      }
    };
    return [name, run];
  });
  return Object.fromEntries(wrapped) as T;
}

/** Whether an error shows damage: a file or an index that SQLite cannot use, or a value that nothing has stored. */
const isDamage = (error: unknown): error is Error =>
  error instanceof SyntaxError ||
  error instanceof DamagedRow ||
  (error instanceof SQLiteError && /^SQLITE_(?:NOTADB|CONSTRAINT|CORRUPT)/.test(error.code ?? ""));

/** Reads stored properties; none if they are no JSON any more. */
export function storedProperties(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
