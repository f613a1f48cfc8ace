import { join } from "node:path";
import { segmentName } from "../../stores/journal/segment.ts";
import { DataError } from "../process/data-directory.ts";

/** The last sequence number of each store and of the archive, and the first one of the journal. */
type Marks = {
  events: number;
  persons: number;
  archived: number;
  first: number | undefined;
  /** The last number of an event store that a rebuild replaces, if it is whole. */
  held?: number | undefined;
};

/** Throws DataError if a store is older than another and the journal lacks the events between them. */
export function checkTogether(directory: string, marks: Marks): void {
  const { events, persons, archived, first, held } = marks;
  // Only the start of the journal is checked here. Later gaps are logged and counted (decision 132).
  const journalContinues = (seq: number) => first !== undefined && first <= seq + 1;
  if (persons < events) {
    // Replaying would count the gap's events as duplicates, and their persons would be missing.
    const advice =
      archived <= persons && journalContinues(archived)
        ? "Or run hoglet rebuild: no event is lost, nor the properties of persons that events set. Later changes of keys, projects and persons by the API are lost."
        : `Or start with another --data and the same --project-key: the new directory is empty, and the events stay readable in ${directory}: Parquet in archive/, a DuckDB file in events/.`;
    throw new DataError(
      `hoglet.sqlite in ${directory} is older than the event store next to it. Put back the newer file with its -wal, or restore both from the same backup. ${advice}`,
    );
  }
  const isHeld = held !== undefined && (held >= persons || journalContinues(held));
  if (events < persons && !journalContinues(events) && !isHeld) {
    const empty = join(directory, "journal", segmentName(events + 1));
    throw new DataError(
      `The event store in ${directory} lacks events, and the journal does not have them. Restore events/ and journal/ from a backup. Or, to go on without them, make an empty file ${empty}: lost events are then logged and counted.`,
    );
  }
}
