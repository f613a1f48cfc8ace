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

/** A count, and the count of the same name with another type. */
type Counted = PropertyCount & { next: Counted | undefined };

/** The counts of a project, by the name of the property, and the newest time of its events. */
type Counts = { byName: Map<string, Counted>; newest: string };

/** Counts the properties of events. It runs for every event, so it makes no object for one. */
export function countProperties(events: readonly BatchEvent[]): PropertyCount[] {
  const projects = new Map<number, Counts>();
  for (const event of events) {
    let counts = projects.get(event.project_id);
    if (counts === undefined) {
      counts = { byName: new Map(), newest: "" };
      projects.set(event.project_id, counts);
    }
    addEvent(counts, event);
  }
  return [...projects.values()].flatMap(({ byName }) => [...byName.values()].flatMap(chained));
}

function addEvent(counts: Counts, { project_id, event }: BatchEvent): void {
  const { byName } = counts;
  const { properties, timestamp: last_seen } = event;
  const isNewest = last_seen >= counts.newest;
  if (isNewest) counts.newest = last_seen;
  for (const name in properties) {
    const property_type = typeOf(properties[name]);
    const first = byName.get(name);
    let existing = first;
    while (existing !== undefined && existing.property_type !== property_type) {
      existing = existing.next;
    }
    if (existing === undefined) {
      byName.set(name, { project_id, name, property_type, count: 1, last_seen, next: first });
      continue;
    }
    existing.count += 1;
    if (isNewest || last_seen > existing.last_seen) existing.last_seen = last_seen;
  }
}

function chained({ next, ...count }: Counted): PropertyCount[] {
  return next === undefined ? [count] : [count, ...chained(next)];
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
