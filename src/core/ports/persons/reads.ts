import type { KeptMerge, Whole } from "../../identity/undo-merge.ts";
import type { JsonObject } from "../../values/json.ts";
import type { ListPosition, PageQuery, SnapshotPosition } from "../../values/page.ts";

/*
 * Reads of persons from the person store. A list is in descending order of `created_at`, then of the
 * integer id. The rules of all ports are in `events.ts`.
 *
 * A client reads a list page by page, while merges and splits change `created_at`. The first page
 * has a version of the person store, and each later page names it as `since`. Then each person is listed
 * where it was at that version, so that none is missed or repeated (decision 56). The store keeps the
 * earlier positions of persons for that.
 */

/** A stored person. The main distinct id comes first, then the others in the order they came. */
export type PersonRow = {
  id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  distinct_ids: string[];
};

/** Positions in a part of a list: `count` persons match, at a version of the person store. */
export type PersonPositions = { count: number; version: number; positions: ListPosition[] };

/** The first of some persons, and the integer ids of the others, which are still to be read. */
export type PersonPart = { rows: PersonRow[]; unread: readonly number[] };

/** Conditions on whole values of a person, which all hold. */
export type ExactFilter = {
  distinct_id?: string | undefined;
  /** The value of the property `email`. */
  email?: string | undefined;
};

/** Conditions on the persons of a list, which all hold. */
export type PersonFilter = ExactFilter & {
  /** A part of `email`, in any case of its letters, or a whole distinct id. */
  search?: string | undefined;
};

/** The part of a list to return. With `after`, `offset` counts from that position on. */
export type PositionsQuery = PageQuery & { after?: SnapshotPosition | undefined };

/** A merge, with the uuid of its event, and its time; null if a deletion has removed the time. */
export type KnownMerge = KeptMerge & { event_uuid: string; at: string | null };

/** A person with all merges into it, direct and by way of others, oldest first. */
export type MergedPerson = { person: Whole; merges: KnownMerge[] };

/** Reads of persons. */
export type PersonReads = {
  /**
   * Returns the positions of a part of a list. Undefined if so many persons have the `email` that reading
   * them would block others for long: the projection must answer then.
   */
  positions(
    project: number,
    filter: ExactFilter,
    query: PositionsQuery,
  ): Promise<PersonPositions | undefined>;
  /** Returns the earlier positions, at version `since`, of the persons that have moved since then. */
  moved(project: number, since: number): Promise<ListPosition[]>;
  /**
   * Returns the first of some persons, in the order of their ids: at most 200 persons, or 1 MiB of
   * properties and the person that exceeds it. A person that is gone is left out.
   */
  read(project: number, ids: readonly number[]): Promise<PersonPart>;
  /** Returns one person, by integer id or by its uuid of now. */
  find(project: number, by: { id: number } | { uuid: string }): Promise<PersonRow | undefined>;
  /** Returns a person by its integer id, with its merges. */
  merges(project: number, id: number): Promise<MergedPerson | undefined>;
  /** Returns the integer ids of the persons of some distinct ids, each once. Unknown ids are left out. */
  owners(project: number, distinctIds: readonly string[]): Promise<number[]>;
  /** Returns the last sequence number that the person store has applied; 0 at first. */
  applied(): Promise<number>;
};
