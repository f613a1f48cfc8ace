import { Failure } from "../domain/errors.ts";

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
  if (error instanceof Failure || OF_STATEMENT.test(message)) return false;
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
  return error instanceof Error && error.message.startsWith("Out of Memory Error");
}

/** Passes errors on; that there was no memory is a failure `unavailable`, for whoever can wait (decision 121). */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isOutOfMemory(error) ? new Failure("unavailable", NO_MEMORY) : error;
  }
}

const NO_MEMORY =
  "memory: too little is free beside what else is asked. It goes on later; more is --memory.";

/** An error of what may be thrown away: a commit of it that found no memory is as any statement that did. */
export function withoutMemory(error: unknown): unknown {
  if (!(error instanceof Error && COMMIT_WITHOUT_MEMORY.test(error.message))) return error;
  return new Error(`Out of Memory Error: ${error.message}`, { cause: error });
}

const DAMAGE = [
  /not a valid DuckDB database file/i,
  /corrupt database file/i,
  /could not read enough bytes from file "[^"]*\.duckdb/i,
  /failure while replaying WAL|serialization error|failed to deserialize/i,
];
