import type { ChangeReason, DropReason } from "./event.ts";

/** Why an event was dropped, changed or had less effect than it asked for. */
export type WarningType = DropReason | ChangeReason;

/** Something that happened to events on their way in, told to admins (contract 7, decision 32). */
export type Warning = {
  type: WarningType;
  /** How many events it happened to. */
  count: number;
  /** One of them; null where it has none. Never a property. */
  event_uuid: string | null;
  distinct_id: string | null;
};
