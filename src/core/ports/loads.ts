import type { CapturedEvent } from "../events/event.ts";
import type { Frame } from "./journal.ts";
import type { ProjectionChanges, ProjectionStream } from "./persons/projection.ts";

/*
 * A load is a part of the journal that the event store takes in one transaction. The thread that reads
 * the journal writes it to files, and the event store reads the files. Core only passes their paths on,
 * so the two stores agree on their format: NDJSON, one object a line. The rules of all ports are in
 * `events.ts`.
 *
 * The files are not synced: after a crash, the journal has the same lines again.
 */

/** One event of a batch, with the fields that ingest adds. */
export type BatchEvent = {
  /** Its sequence number in the journal. */
  seq: number;
  project_id: number;
  /** Time of arrival, in milliseconds since 1970. */
  arrived_at: number;
  /** Uuid of its person at ingest. An override may lead to another person later. */
  person_id: string;
  event: CapturedEvent;
  /** Keys of its groups, by the index of their type; undefined without groups. */
  groups: Readonly<Record<number, string>> | undefined;
  /** Fingerprint, 1 to 65,535, to tell it from another event with the same uuid (decision 4). */
  mark: number;
  /** Whether it belongs to a historical migration. */
  historical: boolean;
  /** The event's JSON in UTF-8 as the journal has it, without a line feed. */
  line: Uint8Array;
};

/** The new content of one batch of the journal, without duplicates. */
export type BatchContent = {
  /** First and last sequence number of the batch, both included. */
  range: { first: number; last: number };
  /** Its events, in the order of their numbers. */
  events: BatchEvent[];
  /** Frames of the kind `logs`, whole and in order. */
  logs: Frame[];
  /** Changes of persons that the batch made; null if the projection has these or later ones already. */
  projection: ProjectionChanges | null;
};

/** Paths of the files with changes of persons; a path is null if there is nothing of its kind. */
export type ProjectionFiles = {
  /** The version of the person store that the projection has after these changes. */
  version: number;
  /** New and changed persons, and ids of persons that are gone. */
  persons: string | null;
  /** Whether the projection may have some of these persons already. */
  known: boolean;
  /** Whether the projection may have some of their distinct ids already, for another person. */
  moved: boolean;
  /** Whether persons were deleted, so that nothing has their distinct ids any more. */
  deleted: boolean;
  /** Whether some of these persons may be large, so that their rows omit properties. */
  large: boolean;
  /** Overrides: events stored with one person belong to another person now. */
  overrides: string | null;
  groups: string | null;
  /** Distinct ids whose stored events all change to another person, after a split or a deletion. */
  owned: string | null;
};

/** Files of a part of the journal, for one transaction of the event store. */
export type BulkLoad = {
  /** First and last sequence number, both included. Numbers of duplicates are missing in between. */
  first: number;
  last: number;
  /** Path of the events; null without events. */
  events: string | null;
  /** Path of the log records; null without log records. */
  logs: string | null;
  /** How many of its events have each property, JSON. Null if the event store has to count. */
  property_counts: string | null;
  /** Number of events and log records to store. */
  count: number;
  /** Whether some events belong to a historical migration. */
  historical: boolean;
  /** Whether some events are so large that they take more than one row. */
  large: boolean;
  /** UTF-8 bytes of the longest event. */
  longest: number;
  /** Changes of persons that these events made; null if the projection has them. */
  projection: ProjectionFiles | null;
};

/** All files of a load. */
export type LoadedFiles = Pick<BulkLoad, "events" | "logs" | "projection">;

/**
 * Writes loads. An event store that cannot read the files of another brings its own implementation.
 * Its methods are synchronous, and its one caller is the thread that reads the journal.
 * A new instance removes the files that an earlier process has left.
 */
export type BulkLoadFiles = {
  /**
   * Adds a batch to the current load, and returns the loads that it fills, in order.
   * Batches come in the order of their numbers. A load is full at a row group of events, or when the
   * changes of persons become large (decision 93); one batch may fill several loads.
   * Fails with the error of the disk. Then nothing is added, and the caller adds the batch again, with
   * `projection` null. The failed changes of persons go with the next write of any method.
   */
  add(batch: BatchContent): BulkLoad[];

  /**
   * Ends the current load and returns it; null if it is empty. Fails with the error of the disk.
   * A second call returns null.
   */
  end(): BulkLoad | null;

  /**
   * Ends the current load as `end` does, and writes changes of persons that must come after it.
   * Fails with the error of the disk. Then nothing has ended, and the changes go with the next write.
   */
  endWith(changes: ProjectionChanges): { load: BulkLoad | null; changes: ProjectionFiles };

  /** Writes changes of persons at once. Fails with the error of the disk; it may be repeated. */
  writeProjection(changes: ProjectionStream): ProjectionFiles;

  /**
   * Writes the changes that a projection of `version` lacks, while no load is open. Returns null if that
   * projection lacks nothing. Fails with the error of the disk; it may be repeated.
   */
  writeLacking(version: number, changes: ProjectionStream): ProjectionFiles | null;
};

/**
 * Removes the files of a load, after both stores have it. Fails with the error of the disk; it may be
 * repeated, and the next start removes the rest.
 */
export type RemoveLoad = (files: LoadedFiles) => Promise<void>;
