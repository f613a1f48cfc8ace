import type { ActivityDetail } from "../identity/activity.ts";
import type { Part, Read } from "../values/page.ts";

/** What was done, and by whom; `user` is null for events. */
export type ActivityRow = {
  id: number;
  person_id: number;
  person_uuid: string;
  activity: string;
  detail: ActivityDetail;
  created_at: string;
  user: { first_name: string; email: string } | null;
};

/** What is kept of changes to persons. */
export type ActivityReads = {
  /**
   * Ids, the newest first: of the person with an id, of all who had a uuid, or of all; also of those who
   * are gone. `count` is exact.
   */
  list(
    project: number,
    person: { id: number } | { uuid: string } | undefined,
    part: Part,
  ): Promise<Read<{ id: number }>>;
  /** Those with the first of some ids, as many as READ_BYTES_MAX of texts have; one at least. */
  read(project: number, ids: readonly number[]): Promise<ActivityRow[]>;
};
