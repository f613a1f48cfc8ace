import type { ChangeReason, DropReason } from "./event.ts";

/** Why an event had less effect than it asked for; it is stored all the same. */
export type EffectReason =
  | "cannot_merge_already_identified"
  | "cannot_merge_with_illegal_distinct_id"
  | "cannot_merge_with_itself"
  | "duplicate_uuid"
  | "group_key_too_long"
  | "group_properties_size_violation"
  | "person_properties_size_violation"
  | "too_many_group_types";

/** Why an event was dropped, changed or had less effect than it asked for. */
export type WarningType = DropReason | ChangeReason | EffectReason;

/** Something that happened to events on their way in, told to admins (contract 7, decision 32). */
export type Warning = {
  type: WarningType;
  /** How many events it happened to. */
  count: number;
  /** One of them; null where it has none. Never a property. */
  event_uuid: string | null;
  distinct_id: string | null;
};
