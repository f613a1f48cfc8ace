/** A condition on a property, or on what a person did, as the API has it. */
export type Filter = {
  /** The property, or the event that the person did; null for any event. */
  key: string | null;
  operator: string;
  /** Absent for `is_set` and `is_not_set`. */
  value?: string | number | boolean | (string | number | boolean)[];
  type: "event" | "person" | "group" | "session" | "behavioral" | "hogql" | "event_metadata";
  group_type_index?: number;
  /** The other fields of a condition on what a person did. */
  [field: string]: unknown;
};

/** Values that each event has besides its properties, of the type `event_metadata`. */
export const METADATA: Record<string, string> = {
  ...{ event: "Event name", person_id: "Person", distinct_id: "Distinct ID" },
};

/** The condition that a person had an event, or any event. */
export function didOf(key: string | null): Filter {
  const did = { type: "behavioral", key, event_type: "events", value: "performed_event" };
  return { ...did, negation: false } as unknown as Filter;
}
