import type { ActivityDetail } from "../../identity/activity.ts";
import type { Part, Read } from "../../values/page.ts";

/*
 * Activity of persons. The person store writes it with each change (`person-writes.ts`). The rules of all
 * ports are in `events.ts`.
 */

/** One entry of the activity log. `user` is null if an event made the change. */
export type ActivityRow = {
  id: number;
  person_id: number;
  person_uuid: string;
  /** An `ActivityName`, or a name that a later version of Hoglet has written. */
  activity: string;
  /**
   * Empty after the person was deleted. The store adds changes to `people_merged_into` while the merge
   * can be undone: the properties that the target got, and an earlier `created_at`.
   */
  detail: ActivityDetail;
  created_at: string;
  user: { first_name: string; email: string } | null;
};

/** Reads of the activity log. */
export type ActivityReads = {
  /**
   * Returns ids of entries, the newest first. With `{ id }`, they are about one person; with
   * `{ uuid }`, about all persons that ever had the uuid. Entries of deleted persons count too.
   */
  list(
    project: number,
    person: { id: number } | { uuid: string } | undefined,
    part: Part,
  ): Promise<Read<{ id: number }>>;
  /**
   * Returns the first of the entries with these ids, in the order of `ids`: one at least, and no more
   * after 1 MiB of details. Fails if an entry does not exist, because entries are never removed.
   */
  read(project: number, ids: readonly number[]): Promise<ActivityRow[]>;
};
