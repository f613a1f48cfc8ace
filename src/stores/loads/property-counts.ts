import { PROPERTY_TYPES, type PropertyType } from "../../core/events/definition.ts";
import type { BatchEvent } from "../../core/ports/loads.ts";
import type { Json } from "../../core/values/json.ts";

/** How many events have a property, with values of one type; null for lists, objects and null. */
export type PropertyCount = {
  project_id: number;
  name: string;
  property_type: PropertyType | null;
  count: number;
  /** Time of the newest of these events, ISO 8601. */
  last_seen: string;
};

/** The counts of a project, by the name of the property. */
type Counts = Map<string, PropertyCount[]>;

/** Counts the properties of events. */
export function countProperties(events: readonly BatchEvent[]): PropertyCount[] {
  const projects = new Map<number, Counts>();
  for (const event of events) {
    let counts = projects.get(event.project_id);
    if (counts === undefined) {
      counts = new Map();
      projects.set(event.project_id, counts);
    }
    countOne(counts, event);
  }
  return [...projects.values()].flatMap((counts) => [...counts.values()].flat());
}

function countOne(counts: Counts, { project_id, event }: BatchEvent): void {
  const { properties, timestamp: last_seen } = event;
  for (const name of Object.keys(properties)) {
    const property_type = typeOf(properties[name]);
    const known = counts.get(name);
    const one = known?.find((other) => other.property_type === property_type);
    if (one !== undefined) {
      one.count += 1;
      if (last_seen > one.last_seen) one.last_seen = last_seen;
      continue;
    }
    const added = { project_id, name, property_type, count: 1, last_seen };
    if (known === undefined) counts.set(name, [added]);
    else known.push(added);
  }
}

/** Whether a text is a time as events have it; other forms may be anything. */
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$/s;

const [BOOLEAN, DATE_TIME, NUMERIC, STRING] = PROPERTY_TYPES;

function typeOf(value: Json | undefined): PropertyType | null {
  switch (typeof value) {
    case "string":
      return value[4] === "-" && TIME.test(value) ? DATE_TIME : STRING;
    case "number":
      return NUMERIC;
    case "boolean":
      return BOOLEAN;
    default:
      return null;
  }
}
