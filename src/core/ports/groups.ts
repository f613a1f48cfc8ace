import type { Group, GroupType } from "../identity/group.ts";
import type { JsonObject } from "../values/json.ts";
import type { Part, Read } from "../values/page.ts";

/** What groups a project has. */
export type GroupReads = {
  /**
   * In order of their keys, up to PAGE_BYTES_MAX of properties. `search` is part of a key, of any case.
   * `count` is exact.
   */
  list(
    project: number,
    filter: { type_index: number; search?: string | undefined },
    part: Part<readonly [key: string]>,
  ): Promise<Read<Group>>;
  /** In order of their indexes. */
  types(project: number): Promise<GroupType[]>;
};

/** A group of a project, by its place. */
export type GroupKey = { project_id: number; type_index: number; key: string };

/** A group as it is to be stored. */
export type GroupRow = GroupKey & { properties: JsonObject; created_at: string };

/** What a slice does to groups. */
export type GroupChanges = {
  /** New types. */
  types: { project_id: number; type_index: number; name: string }[];
  rows: GroupRow[];
};
