import type { PersonReads, PersonRow } from "../ports/person-reads.ts";

/**
 * Reads persons a few at a time, so that they fit in memory. Between two parts the thread is free for
 * other requests. A person that is gone is left out.
 */
export async function* readParts(
  reads: Pick<PersonReads, "read">,
  project: number,
  ids: readonly number[],
): AsyncGenerator<PersonRow[]> {
  for (let unread = ids; unread.length > 0; ) {
    const part = await reads.read(project, unread);
    yield part.rows;
    unread = part.unread;
    await Bun.sleep(0);
  }
}
