import { Failure } from "../../../core/values/failure.ts";

/** Passes errors on, and reports the first that says the database is lost until a restart. */
export function fatalGuard(onFatal: (error: Error) => void) {
  let reported = false;
  return async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!reported && error instanceof Error && isFatal(error)) {
        reported = true;
        onFatal(error);
      }
      throw error;
    }
  };
}

/** What is about a statement repeats its words and values, and those may say anything. */
const OF_STATEMENT =
  /^(Binder|Catalog|Conversion|Invalid Input|Not implemented|Out of Range|Parser) Error/;

/** What was appended is half there then, which shows at the next checkpoint. */
const COMMIT_WITHOUT_MEMORY = /Failed to commit: (could not|failed to) (pin|allocate)/;

function isFatal(error: Error): boolean {
  const { message } = error;
  if (error instanceof Failure || error instanceof DraftError) return false;
  if (OF_STATEMENT.test(message)) return false;
  return (
    /^(FATAL|INTERNAL) Error|has been invalidated|checkpoint failed/i.test(message) ||
    (COMMIT_WITHOUT_MEMORY.test(message) && !isOutOfMemory(error)) ||
    isDamage(error)
  );
}

/** Whether an error says that the event store's own file is damaged (decision 65). */
export function isDamage({ message }: Error): boolean {
  return DAMAGE.some((said) => said.test(message));
}

/** Whether a statement asked for more than the memory and temporary files it may use. */
export function isOutOfMemory(error: unknown): error is Error {
  return !(error instanceof DraftError) && errorBegins(error, "Out of Memory Error");
}

function errorBegins(error: unknown, said: string): error is Error {
  return error instanceof Error && error.message.startsWith(said);
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
  "memory: too little is free beside what else is asked. It goes on later; more is --memory.";

/**
 * An error by which a file that nobody reads yet is lost: it is thrown away, and whatever the error says,
 * nothing that is used is broken.
 */
export class DraftError extends Error {}

/** An error of a commit to a draft: nobody knows what of it is done. */
export function ofDraft(error: unknown): unknown {
  if (!(error instanceof Error) || /^(FATAL|INTERNAL) Error/.test(error.message)) return error;
  return new DraftError(error.message, { cause: error });
}

/** What a checkpoint says that failed, and from then on every statement. */
const BROKEN = /database "([^"]*)"\.? (The database )?has been invalidated/i;

/** The same error, as one of the draft if it is about the database of that name, or a commit without memory. */
export function asOfDraft(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof DraftError) return error;
  const { message } = error;
  const isOfDraft = BROKEN.exec(message)?.[1] === name || COMMIT_WITHOUT_MEMORY.test(message);
  return isOfDraft ? ofDraft(error) : error;
}

const WITHOUT_MEMORY = /Out of Memory Error|(could not|failed to) (pin|allocate)/;

/** Whether it was memory that a statement did not find, or the draft that is lost. */
export function lacksMemory(error: unknown): boolean {
  return (
    isOutOfMemory(error) || (error instanceof DraftError && WITHOUT_MEMORY.test(error.message))
  );
}

const DAMAGE = [
  /not a valid DuckDB database file/i,
  /corrupt database file/i,
  /could not read enough bytes from file "[^"]*\.duckdb/i,
  /failure while replaying WAL|serialization error|failed to deserialize/i,
];
