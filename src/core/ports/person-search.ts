import type { Place } from "../values/page.ts";
import type { FilterGroup, PropertyFilter } from "../values/property-filter.ts";
import type { Listed, Part, PartAsked, PersonFilter, Rest } from "./person-reads.ts";

/** A filter that the event store's mirror answers (decision 48). */
export type MatchFilter = PersonFilter & { properties: (PropertyFilter | FilterGroup)[] };

/** A value of a property, and how many persons have it. */
export type PropertyValue = { name: string; count: number };

/** Persons by their properties: those of the event store's mirror, but for what it lacks (decision 95). */
export type PersonMatches = {
  /** Runs `work` on one state of the mirror, until `signal` ends it. */
  read<T>(signal: AbortSignal, work: (mirror: MirrorState) => Promise<T>): Promise<T>;
};

/** One state of the mirror. */
export type MirrorState = {
  /** The version of the person store that it has. */
  version: number;
  /**
   * Where the persons are, newest first by `created_at`, then id, as a walk sees them. `count` is of all. Fails
   * `invalid_input` on a pattern that is none.
   */
  places(
    project: number,
    filter: MatchFilter,
    part: PartAsked,
    now: MatchedNow,
  ): Promise<{ count: number; places: Place[] }>;
  /** How many persons of a project have a part in their address, in any case. */
  addressed(project: number, part: string): Promise<number>;
  /** The values of a property, the most frequent first; `part` is in them, in any case. */
  values(project: number, key: string, part: string, now: MatchedNow): Promise<PropertyValue[]>;
};

/** What a person is filtered by, as SQLite has it; `properties` is JSON, `address` folded. */
export type PersonFacts = {
  id: number;
  created_at: string;
  address: string | null;
  properties: string;
};

/** What is to be answered of, though the mirror may not have it. */
export type MatchedNow = {
  /** Integer ids of all who changed since the mirror's version, and of those who are no more. */
  changed: readonly number[];
  /** Those of some ids that there are, whole, in parts that fit into memory. */
  whole(ids: readonly number[]): AsyncIterable<PersonFacts[]>;
  /** Where those of a project were at a version who have moved since. */
  moved(since: number | undefined): Place[];
  /** The person of a distinct id. */
  owner(distinct_id: string): number | undefined;
};

/** How many persons have a part in their address, by a version of the person store. */
export type Counted = { count: number; version: number };

/**
 * Persons by a part of their address that very many have. The trigrams take 0.25 s to count a million;
 * a kept count, brought up to date, takes 3 ms with its page.
 */
export type PersonSearches = {
  /**
   * A part of the list of those who have `search` in their address, in any case, and how many they are
   * at that instant. Undefined where they would have to be looked for among too many others, or counted
   * anew, and where somebody else has it as a distinct id.
   */
  find(project: number, search: string, part: PartAsked): Listed | undefined;
  /** Whether they were counted before. */
  isCounted(project: number, search: string): boolean;
  /** Keeps how many have it in their address. */
  keep(project: number, search: string, counted: Counted): void;
};

/**
 * The addresses of a project in memory, for many counts in turn while a user types: a rare part of a
 * million takes 2 ms, where the mirror takes 30 to 50. They take 33 MB.
 */
export type AddressPacks = {
  /** How many persons have a part in their address, in any case; undefined if that is not in memory. */
  count(project: number, search: string): Promise<Counted | undefined>;
  /** Says that one was counted otherwise: after two within a while the addresses are read, meanwhile. */
  missed(project: number): void;
  /** Lets go of them: more has changed since than is known. */
  forget(project: number): void;
};

/** Persons as they were at one instant, for as long as it is held. */
export type PersonSnapshot = {
  /** The version of the person store (decision 83). */
  version: number;
  /** Where those of a project were at a version who have moved since. */
  moved(project: number, since: number | undefined): Place[];
  /** A person of a project; undefined if there is none. */
  facts(project: number, id: number): PersonFacts | undefined;
  /** The first of some persons. */
  read(project: number, rest: Rest): Part;
  /** The integer id of the person of a distinct id. */
  owner(project: number, distinctId: string): number | undefined;
  [Symbol.dispose](): void;
};
