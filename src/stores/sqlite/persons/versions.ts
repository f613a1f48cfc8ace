import type { Sqlite } from "../sqlite.ts";

/** The position of the person store: the last sequence number of the journal, and its version. */
export function versions({ raw }: Sqlite) {
  const read = raw.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?1");
  const write = raw.query<null, [string, string]>(
    "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
  );
  const numberOf = (key: string) => Number(read.get(key)?.value ?? 0);
  return {
    applied: () => numberOf("applied_seq"),
    current: () => numberOf("version"),
    /** Notes that a batch is applied. Fails if it was applied before. */
    advance(seq: number): void {
      if (seq <= numberOf("applied_seq")) throw new Error(`Batch up to ${seq} was applied before`);
      write.run("applied_seq", String(seq));
    },
    next(): number {
      const version = numberOf("version") + 1;
      write.run("version", String(version));
      return version;
    },
    /** Notes a deletion: until the event store is rewritten, its file may have bytes of it (decision 60). */
    noteRemoved: (version: number): void => void write.run("removed_version", String(version)),
  };
}
