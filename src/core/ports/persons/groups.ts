import type { Group, GroupType } from "../../identity/groups.ts";
import type { JsonObject } from "../../values/json.ts";
import type { Part, Read } from "../../values/page.ts";

/*
 * Groups: reads for the API, and the types of changes. The person store writes groups
 * (`PersonWrites.apply` in `person-writes.ts`). The rules of all ports are in `events.ts`.
 */

/** Reads of groups. */
export type GroupReads = {
  /**
   * Returns groups of one type, in ascending order of their keys by UTF-8 bytes.
   * `search` is a part of the key, in any case of its letters.
   */
  list(
    project: number,
    filter: { type_index: number; search?: string | undefined },
    part: Part<readonly [key: string]>,
  ): Promise<Read<Group>>;
  /** Returns the group of a type with a key. */
  find(project: number, type_index: number, key: string): Promise<Group | undefined>;
  /** Returns the group types of a project, in order of their indexes. */
  types(project: number): Promise<GroupType[]>;
};

/** Identity of a group: project, index of its type, and key. */
export type GroupKey = { project_id: number; type_index: number; key: string };

/** A stored group. */
export type GroupRow = GroupKey & { properties: JsonObject; created_at: string };

/** Changes that one batch of events makes to groups. */
export type GroupChanges = {
  /** New group types. A project never has two with one index or one name. */
  types: { project_id: number; type_index: number; name: string }[];
  /** Groups as they are after the batch. The `created_at` of a stored group stays as it is. */
  rows: GroupRow[];
};
