import type { JsonObject } from "../values/json.ts";
import type { PageQuery, Place, WalkPlace } from "../values/page.ts";

/** A person as it is kept. `distinct_ids`: the main one first, then as they were attached. */
export type PersonRow = {
  id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  distinct_ids: string[];
};

/** A person in a list. */
export type ListedPerson = PersonRow & {
  /** Its place: `created_at` as it was when the walk along the list began (decision 56). */
  at: string;
};

/** Persons who were found and are not read yet, in their order. */
export type Rest = {
  places: readonly Place[];
  /** The version of the person store that they were found in, if they are wanted as they were then. */
  asOf?: number;
};

/** Some persons whole, the first of those who were found. */
export type Part = { rows: ListedPerson[]; rest: Rest };

/** A part of a list of `count` persons, as it was at a version of the person store. */
export type Listed = Part & { count: number; version: number };

/** Which persons a list asks for; all must be met. */
export type PersonFilter = {
  distinct_id?: string | undefined;
  /** The whole address. */
  email?: string | undefined;
  /** A part of the address in any case, or a whole distinct id. */
  search?: string | undefined;
};

/** A part of a list; with `after`, `offset` counts from behind that place. */
export type PartAsked = PageQuery & { after?: WalkPlace | undefined };

/** What persons a project has. */
export type PersonReads = {
  /**
   * Newest first by `created_at`, then id. `count` is exact. Undefined where the filter is left to
   * the mirror, which looks at everybody without holding up others: too many persons have the
   * address or the part of one, or the part is too short for the index.
   */
  list(project: number, filter: PersonFilter, part: PartAsked): Promise<Listed | undefined>;
  /** Reads on. Who is gone is left out; with a version, a part ends before one who changed since. */
  more(project: number, rest: Rest): Promise<Part>;
  /** By integer id or by uuid. */
  find(project: number, by: { id: number } | { uuid: string }): Promise<PersonRow | undefined>;
  /** The persons who have one of the distinct ids, each once, by integer id. */
  owners(project: number, distinctIds: readonly string[]): Promise<number[]>;
  /** The last sequence number of the journal that was applied; 0 at first. */
  applied(): number;
};
