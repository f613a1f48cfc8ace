import { Failure } from "../../../core/values/failure.ts";

/** Passes errors on, and reports the first one after which the database is unusable until a restart. */
export function fatalGuard(onFatal: (error: Error) => void) {
  let isReported = false;
  return async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!isReported && error instanceof Error && isFatal(error)) {
        isReported = true;
        onFatal(error);
      }
      throw error;
    }
  };
}

/** Errors about a statement, never fatal. They repeat its words, so the patterns below may match by chance. */
const OF_STATEMENT =
  /^(Binder|Catalog|Conversion|Invalid Input|Not implemented|Out of Range|Parser) Error/;

/** After this error a part of the appended rows is stored, and the next checkpoint fails. */
const COMMIT_WITHOUT_MEMORY = /Failed to commit: (could not|failed to) (pin|allocate)/;

function isFatal(error: Error): boolean {
  const { message } = error;
  if (error instanceof Failure || error instanceof StagingError) return false;
  if (OF_STATEMENT.test(message)) return false;
  return (
    /^(FATAL|INTERNAL) Error|has been invalidated|checkpoint failed/i.test(message) ||
    (COMMIT_WITHOUT_MEMORY.test(message) && !isOutOfMemory(error)) ||
    isDamage(error)
  );
}

/** Whether an error says that the event store's own file is damaged. */
export function isDamage({ message }: Error): boolean {
  return DAMAGE.some((said) => said.test(message));
}

/** Whether a statement asked for more than the memory and temporary files it may use. */
export function isOutOfMemory(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof StagingError) return false;
  return error.message.startsWith("Out of Memory Error");
}

/** Passes errors on; a lack of memory becomes the failure `unavailable`, so that the caller can wait and retry. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw lacksMemory(error) ? new Failure("unavailable", NO_MEMORY) : error;
  }
}

const NO_MEMORY =
  "memory: too little is free while other requests run. It continues later; --memory gives more.";

/**
 * An error that affects only a staging file, which no query reads yet. The file in use is intact, even if
 * the message says that the database is not.
 */
export class StagingError extends Error {}

/** Wraps the error of a commit to a staging file, of which an unknown part is stored; fatal errors stay. */
export function stagingError(error: unknown): unknown {
  if (!(error instanceof Error) || /^(FATAL|INTERNAL) Error/.test(error.message)) return error;
  return new StagingError(error.message, { cause: error });
}

/** The error of a failed checkpoint, and of every statement after it. */
const BROKEN = /database "([^"]*)"\.? (The database )?has been invalidated/i;

/** Wraps an error of the database `name` or of a commit without memory; other errors stay. */
export function asStagingError(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof StagingError) return error;
  const { message } = error;
  const isOfStaging = BROKEN.exec(message)?.[1] === name || COMMIT_WITHOUT_MEMORY.test(message);
  return isOfStaging ? stagingError(error) : error;
}

const WITHOUT_MEMORY = /Out of Memory Error|(could not|failed to) (pin|allocate)/;

/** Whether a statement, or a commit to a staging file, lacked memory. */
export function lacksMemory(error: unknown): boolean {
  return (
    isOutOfMemory(error) || (error instanceof StagingError && WITHOUT_MEMORY.test(error.message))
  );
}

const DAMAGE = [
  /not a valid DuckDB database file/i,
  /corrupt database file/i,
  /could not read enough bytes from file "[^"]*\.duckdb/i,
  /failure while replaying WAL|serialization error|failed to deserialize/i,
];
