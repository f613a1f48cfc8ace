import type { Place } from "../values/page.ts";
import type { FilterGroup, PropertyFilter } from "../values/property-filter.ts";
import type { Part, PartAsked, PersonFilter, Rest } from "./person-reads.ts";

/*
 * Searches of persons that the person store alone cannot answer fast. The event store looks through its
 * mirror of persons. Persons that changed after the version of the mirror come with the query, from a
 * snapshot of the person store (decision 83). The rules of all ports are in `events.ts`.
 */

/** A filter that only the mirror can answer (decision 48). */
export type MatchFilter = PersonFilter & { properties: (PropertyFilter | FilterGroup)[] };

/** A value of a property, and the number of persons that have it. */
export type PropertyValue = { name: string; count: number };

/** A person as a filter sees it: `properties` is JSON, and `address` is `email` with folded case. */
export type PersonFacts = {
  id: number;
  created_at: string;
  address: string | null;
  properties: string;
};

/** Persons of one project that a query must take from here and not from the mirror. */
export type MatchedNow = {
  /** Integer ids of all persons that changed after the version of the mirror; some may be gone. */
  changed: readonly number[];
  /** Returns those of some persons that exist, in parts that fit into memory. */
  whole(ids: readonly number[]): AsyncIterable<PersonFacts[]>;
  /** Returns the earlier places of persons whose place changed after a version; none without one. */
  moved(since: number | undefined): Place[];
  /** Returns the integer id of the person of a distinct id. */
  owner(distinct_id: string): number | undefined;
};

/** Searches in the mirror of persons (decision 95). */
export type PersonMatches = {
  /** Runs `work` on one state of the mirror, and returns its result. */
  read<T>(signal: AbortSignal, work: (mirror: MirrorState) => Promise<T>): Promise<T>;
};

/** One state of the mirror, within `PersonMatches.read`. */
export type MirrorState = {
  /** The version of the person store that the mirror has. */
  version: number;
  /**
   * Returns the places of a part of the persons that match, in the order of a list of persons.
   * `count` is the number of all that match. Fails `invalid_input` on a pattern that cannot be read.
   */
  places(
    project: number,
    filter: MatchFilter,
    part: PartAsked,
    now: MatchedNow,
  ): Promise<{ count: number; places: Place[] }>;
  /**
   * Returns values of a property that have `part` in them, in any case of its letters: the most
   * frequent first, then by name. At most 100 values are returned, of at most 1 KiB each.
   */
  values(project: number, key: string, part: string, now: MatchedNow): Promise<PropertyValue[]>;
};

/** One state of the person store, until it is disposed. Its methods are synchronous. */
export type PersonSnapshot = {
  /** The version of the person store. */
  version: number;
  /** Returns the places that persons had at version `since` and have left; none if it is undefined. */
  moved(project: number, since: number | undefined): Place[];
  /** Returns one person as a filter sees it. */
  facts(project: number, id: number): PersonFacts | undefined;
  /** Returns the next persons of `rest`, as `PersonReads.more` does. */
  read(project: number, rest: Rest): Part;
  /** Returns the integer id of the person of a distinct id. */
  owner(project: number, distinctId: string): number | undefined;
  /** Ends the snapshot. It comes last and soon, because files grow while a snapshot is open. */
  [Symbol.dispose](): void;
};
