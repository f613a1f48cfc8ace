import type { Json } from "../values/json.ts";

/** Who asks for a change, and when: ISO 8601. */
export type Actor = { user_id: number; at: string };

/** An entry of a person's activity, which outlives the person (decision 50). */
export type ActivityName =
  | "updated"
  | "delete_property"
  | "deleted"
  | "delete_events"
  | "split_person"
  | "split_from"
  | "people_merged_into"
  | "merged_into";

/** One field before and after. Of properties, only those that changed. */
export type Change = { field: string; before: Json; after: Json };

/** What is kept of an activity beside who and when; nothing once the person is deleted. */
export type ActivityDetail = {
  changes?: Change[];
  /** The uuids of both persons of a merge. */
  merge?: { source: string; target: string };
  /** The uuid of the event that did it. */
  event_uuid?: string;
};
