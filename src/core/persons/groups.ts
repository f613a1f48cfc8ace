import type { Group, GroupType } from "../identity/group.ts";
import { GROUP_TYPES_MAX } from "../identity/group.ts";
import type { GroupReads } from "../ports/groups.ts";
import { Failure } from "../values/failure.ts";
import type { Page, PageQuery } from "../values/page.ts";
import { walkedPage } from "../values/page.ts";

/** Groups of one project, read: contract 6 names no way to read them (decision 27). */
export type Groups = {
  /** Fails `invalid_input` with a type index that cannot be. */
  list(
    project: number,
    filter: { group_type_index: number; search?: string | undefined },
    query: PageQuery,
    url: URL,
  ): Promise<Page<Group>>;
  types(project: number): Promise<GroupType[]>;
};

/** Groups in a store. */
export function groups(reads: GroupReads): Groups {
  return {
    async list(project, { group_type_index, search }, query, url) {
      if (group_type_index < 0 || group_type_index >= GROUP_TYPES_MAX) {
        const detail = `An index is 0 to ${GROUP_TYPES_MAX - 1}.`;
        throw new Failure("invalid_input", detail, "group_type_index");
      }
      const filter = { type_index: group_type_index, search };
      return walkedPage(url, query, {
        keysOf: ({ group_key }: Group) => [group_key] as const,
        like: [""],
        read: (part) => reads.list(project, filter, part),
      });
    },
    types: (project) => reads.types(project),
  };
}
