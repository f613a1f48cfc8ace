import { join } from "node:path";
import { segmentName } from "../../stores/journal/segment.ts";
import { DataError } from "../process/data-directory.ts";

/** How far each store and the archive have come, and where the journal begins, in sequence numbers. */
type Marks = {
  events: number;
  persons: number;
  archived: number;
  first: number | undefined;
  /** How far the one is that is replaced, if that is whole: what the journal lacks up to there is in it. */
  held?: number | undefined;
};

/** Throws DataError if the stores are not of one time, and the journal cannot make up for it. */
export function checkTogether(directory: string, marks: Marks): void {
  const { events, persons, archived, first, held } = marks;
  // Only the journal has what the event store lacks; what it has lost from there on is told (decision 132).
  const goesOnFrom = (seq: number) => first !== undefined && first <= seq + 1;
  if (persons < events) {
    // Replaying would count the gap's events as duplicates, and their persons would be missing.
    const wayOn =
      archived <= persons && goesOnFrom(archived)
        ? "Or run hoglet rebuild: no event is lost, nor what events say of persons, but what else was changed since is: keys, projects, and persons changed or deleted by the API."
        : `Or start with another --data and the same --project-key: it has none of this, and the events stay readable in ${directory}: Parquet in archive/, a DuckDB file in events/.`;
    throw new DataError(
      `hoglet.sqlite in ${directory} is older than the event store beside it. Put back the newer one with its -wal, or restore both from the same backup. ${wayOn}`,
    );
  }
  const isHeld = held !== undefined && (held >= persons || goesOnFrom(held));
  if (events < persons && !goesOnFrom(events) && !isHeld) {
    const empty = join(directory, "journal", segmentName(events + 1));
    throw new DataError(
      `The event store in ${directory} lacks events, and the journal does not have them. Restore events/ and journal/ from a backup. Or, to go on without them, make an empty file ${empty}: what is lost is then logged and counted.`,
    );
  }
}
