import { PROPERTY_TYPES, type PropertyType } from "../../core/events/definition.ts";
import type { BatchEvent } from "../../core/ports/loads.ts";
import type { Json } from "../../core/values/json.ts";

/** The number of events that have a property with values of one type. The type of lists, objects and null is null. */
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
    addEvent(counts, event);
  }
  return [...projects.values()].flatMap((counts) => [...counts.values()].flat());
}

function addEvent(counts: Counts, { project_id, event }: BatchEvent): void {
  const { properties, timestamp: last_seen } = event;
  for (const name of Object.keys(properties)) {
    const property_type = typeOf(properties[name]);
    const ofName = counts.get(name);
    const existing = ofName?.find((count) => count.property_type === property_type);
    if (existing !== undefined) {
      existing.count += 1;
      if (last_seen > existing.last_seen) existing.last_seen = last_seen;
      continue;
    }
    const added = { project_id, name, property_type, count: 1, last_seen };
    if (ofName === undefined) counts.set(name, [added]);
    else ofName.push(added);
  }
}

/** Matches a time in the form that events have; a text in another form may be anything. */
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
