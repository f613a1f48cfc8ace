import type { JsonObject } from "../values/json.ts";
import type { PageQuery, Place, WalkPlace } from "../values/page.ts";

/*
 * Reads of persons from the person store. A list is in descending order of `created_at`, then of the
 * integer id. The rules of all ports are in `events.ts`.
 *
 * A caller walks along a list page by page, while merges and splits change `created_at`. The first page
 * has a version of the person store, and each later page names it as `since`. Then each person is listed
 * where it was at that version, so that none is missed or repeated (decision 56). The store keeps the
 * earlier places of persons for that.
 */

/** A stored person. The main distinct id comes first, then the others in the order they came. */
export type PersonRow = {
  id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  distinct_ids: string[];
};

/** A person in a list. */
export type ListedPerson = PersonRow & {
  /** Its place in the list: `created_at` at the version `since` of the walk. */
  at: string;
};

/** Places of persons that a search has found and that are not read yet, in the order of the list. */
export type Rest = {
  places: readonly Place[];
  /** The version in which they were found, if the caller wants them as they were then. */
  asOf?: number;
};

/** The first of the persons that were found, and the places of the others. */
export type Part = { rows: ListedPerson[]; rest: Rest };

/** A part of a list: `count` persons match, at a version of the person store. */
export type Listed = Part & { count: number; version: number };

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

/** A part of a list. With `after`, `offset` counts from that place on. */
export type PartAsked = PageQuery & { after?: WalkPlace | undefined };

/** Reads of persons. */
export type PersonReads = {
  /**
   * Returns a part of a list. Undefined if so many persons have the `email` that reading them would
   * block others for long: the mirror must answer then.
   * The rows end after 200 persons or 1 MiB of properties; `rest` has the other places of the part.
   */
  list(project: number, filter: ExactFilter, part: PartAsked): Promise<Listed | undefined>;
  /**
   * Returns the next persons of `rest`, as many as `list` would. A person that is gone is left out. With
   * `asOf`, the rows end before a person that is gone or has changed since that version.
   */
  more(project: number, rest: Rest): Promise<Part>;
  /** Returns one person, by integer id or by its uuid of now. */
  find(project: number, by: { id: number } | { uuid: string }): Promise<PersonRow | undefined>;
  /** Returns the integer ids of the persons of some distinct ids, each once. Unknown ids are left out. */
  owners(project: number, distinctIds: readonly string[]): Promise<number[]>;
  /** Returns the last sequence number that the person store has applied; 0 at first. */
  applied(): number;
};
