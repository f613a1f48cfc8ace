/** A condition on a property, or on what a person did, as the API has it. */
export type Filter = {
  /** The property, or the event that the person did; null for any event. */
  key: string | null;
  operator: string;
  /** Absent for `is_set` and `is_not_set`. */
  value?: string | number | boolean | (string | number)[];
  type: "event" | "person" | "group" | "session" | "behavioral" | "hogql";
  group_type_index?: number;
  /** The other fields of a condition on what a person did. */
  [field: string]: unknown;
};
