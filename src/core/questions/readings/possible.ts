import type { Property } from "../language/name-keys.ts";
import type { Reading } from "./reading.ts";

/** An event and a property that a reading expects it to have. */
export type Expected = { event: string; property: string };

/** Returns the properties of their own that a reading expects its events to have. */
export function expectedOf({ measure, where, by }: Reading): Expected[] {
  const events = eventsOf(measure);
  const properties = [
    ...("property" in measure ? [measure.property] : []),
    ...where.filter(({ is }) => is !== "unset").map(({ property }) => property),
    ...(isOfSteps(measure) ? [] : by).flatMap((label) =>
      "property" in label ? [label.property] : [],
    ),
  ];
  const isOwn = (property: Property | undefined): property is Property =>
    property?.of === "event" && !/^(?:\$|utm_)/.test(property.name);
  const own = [...new Set(properties.filter(isOwn).map(({ name }) => name))];
  return own.flatMap((property) => events.map((event) => ({ event, property })));
}

/** Whether a condition has to hold for each of several events. */
export const isOfSteps = ({ of }: Reading["measure"]): boolean =>
  of === "funnel" || of === "all_of" || of === "without";

function eventsOf(measure: Reading["measure"]): readonly string[] {
  switch (measure.of) {
    case "events":
      return measure.events;
    case "series":
      return measure.all.flatMap(({ events }) => events);
    case "ratio":
      return measure.over.events;
    case "mean_of_days":
      return measure.counted.events;
    case "funnel":
      return measure.steps;
    case "all_of":
      return measure.events;
    case "without":
      return [measure.event, measure.not];
    default:
      return [];
  }
}
