import type { GroupRow } from "./groups.ts";
/** A group to be put in the mirror; `properties` is JSON text. */
export type MirrorGroup = Omit<GroupRow, "properties"> & { properties: string };

/** Properties as JSON: all of them, and as the mirror has them. */
export type PropertyTexts = {
  text: string;
  /** Members of a JSON object: the columns of the mirror that have any. */
  columns: string;
};

/** A person to be put in the mirror. */
export type MirrorPerson = Pick<PropertyTexts, "columns"> & {
  project_id: number;
  id: number;
  uuid: string;
  created_at: string;
  /** Distinct ids to be put in the mirror with it. */
  distinct_ids: string[];
  /** Those of them that the mirror may hold already, as another person's. */
  moved: string[];
  /** Whether the mirror may hold the person already. */
  known: boolean;
};

/** Events of `old_person_id` belong to `person_id` now; both are uuids. */
export type MirrorOverride = { project_id: number; old_person_id: string; person_id: string };

/** Events of a distinct id belong to the person `person_id` now. */
export type MirrorOwned = { project_id: number; distinct_id: string; person_id: string };

/** What the event store's mirror of persons lacks; with it, it is of `version` (decision 83). */
export type MirrorChanges = {
  version: number;
  persons: MirrorPerson[];
  /** Integer ids of persons who are no more. */
  gone: number[];
  /** Whether some of them were deleted, so that nobody has their distinct ids. */
  deleted?: true;
  overrides: MirrorOverride[];
  groups: MirrorGroup[];
  /** Distinct ids all of whose events belong to another person now. */
  owned: MirrorOwned[];
};

/** The same, each thing as it is asked for: it may be more than fits in memory. */
export type MirrorStream = {
  [Kind in keyof MirrorChanges]: MirrorChanges[Kind] extends (infer Row)[]
    ? Iterable<Row>
    : MirrorChanges[Kind];
};
