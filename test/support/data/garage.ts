import type { NamedProperty, ProjectVocabulary } from "../../../src/core/ports/vocabulary.ts";

const text = (name: string): NamedProperty => ({ name, type: "text", count: 900 });
const number = (name: string): NamedProperty => ({ name, type: "number", count: 900 });

/** Properties that SDKs send with every event. */
const SENT = ["$browser", "$pathname", "$session_id"].map(text);

const event = (name: string, ...properties: NamedProperty[]) => ({
  ...{ name, count: 900, alsoCalled: [], properties: [...properties, ...SENT] },
});

const valuesOf = (name: string, property: string, ...values: string[]) =>
  values.map((value) => ({
    ...{ of: { type: "event" as const, event: name }, property, value, count: 90 },
  }));

/** The names of a garage. Its customers are drivers, and its groups are fleets. */
export const GARAGE: ProjectVocabulary = {
  events: [
    event("$pageview"),
    event("bill settled", text("method"), number("cost")),
    event("quote requested", text("brand")),
    event("tyres swapped", text("season"), number("wheels")),
    event("repair finished", text("brand"), number("hours")),
  ],
  person_properties: ["email", "tier"].map(text),
  groups: [{ group_type: "fleet", group_type_index: 0, properties: [text("name"), text("city")] }],
  propertiesAlsoCalled: [],
  values: [
    ...valuesOf("$pageview", "$pathname", "/prices", "/book", "/tyres", "/"),
    ...valuesOf("$pageview", "$browser", "Firefox", "Chrome", "Safari"),
    ...valuesOf("bill settled", "method", "cash", "card", "invoice"),
    ...valuesOf("quote requested", "brand", "Ford", "Škoda", "Volvo"),
    ...valuesOf("repair finished", "brand", "Ford", "Škoda", "Volvo"),
    ...valuesOf("tyres swapped", "season", "winter", "summer"),
    ...["gold", "silver"].map((value) => ({
      ...{ of: { type: "person" as const }, property: "tier", value, count: 90 },
    })),
  ],
};
