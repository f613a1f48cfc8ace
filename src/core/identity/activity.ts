import type { Json } from "../values/json.ts";

/** The user that makes a change, and its time in ISO 8601. */
export type Actor = { user_id: number; at: string };

/** The kinds of entries in a person's activity, which outlives the person (decision 50). */
export type ActivityName =
  | "updated"
  | "delete_property"
  | "deleted"
  | "delete_events"
  | "split_person"
  | "split_from"
  | "people_merged_into"
  | "merged_into";

/** A field before and after a change; of `properties`, only the keys that changed. */
export type Change = { field: string; before: Json; after: Json };

/** Details of an activity; empty once the person is deleted. */
export type ActivityDetail = {
  changes?: Change[];
  /** The uuids of both persons of a merge. */
  merge?: { source: string; target: string };
  /** The uuid of the event that merged them. */
  event_uuid?: string;
};
