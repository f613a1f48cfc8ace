import { BREAKDOWN_LIMIT_MAX, BREAKDOWNS_MAX } from "../queries/breakdown.ts";
import type { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { eventList, firstUnknown, type Known } from "./names.ts";

/** One property of a breakdown. */
type Property = { property: string; type: "event" | "person" };

const PROPERTIES = / ?, ?(?:and )?| and /gi;
const TOP = /,? top (\d{1,9})( only)?$/i;

/**
 * Reads events and their breakdown; `broken` is a `breakdownFilter`. A name that contains `by` comes
 * before a breakdown (decision 58). Fails `invalid_input`.
 */
export function eventsBy(
  text: string,
  separators: RegExp,
  known: Known,
): { events: (string | null)[]; broken?: JsonObject } {
  const whole = eventList(text, separators, known);
  if (whole !== undefined) return { events: whole };
  const by = text.toLowerCase().lastIndexOf(" by ");
  const before = (by < 0 ? text : text.slice(0, by)).replace(/ ?,$/, "");
  const events = eventList(before, separators, known);
  if (events === undefined) throw known.noEvent(firstUnknown(before, separators, known));
  return by < 0 ? { events } : { events, broken: brokenBy(text.slice(by + 4), known) };
}

function brokenBy(text: string, known: Known): JsonObject {
  const [top = "", count, only] =
    propertyIn(text, known) === undefined ? (TOP.exec(text) ?? []) : [];
  if (count !== undefined && (Number(count) < 1 || Number(count) > BREAKDOWN_LIMIT_MAX)) {
    throw known.refused(`A number from 1 to ${BREAKDOWN_LIMIT_MAX} is expected after top.`);
  }
  const limit = {
    ...(count === undefined ? {} : { breakdown_limit: Number(count) }),
    ...(only === undefined ? {} : { breakdown_hide_other_aggregation: true }),
  };
  const named = text.slice(0, text.length - top.length);
  const found = propertyList(named, known);
  if (found === undefined) throw unknownIn(named, known);
  if (found.length > BREAKDOWNS_MAX) {
    throw known.refused(`At most ${BREAKDOWNS_MAX} properties may follow by.`);
  }
  const [first, ...others] = found;
  if (first === undefined || others.length > 0) return { breakdowns: found, ...limit };
  return { breakdown: first.property, breakdown_type: first.type, ...limit };
}

/** Reads properties between separators. Names may contain separators; the longest name counts. */
function propertyList(text: string, known: Known): Property[] | undefined {
  const one = propertyIn(text, known);
  if (one !== undefined) return [one];
  for (const { 0: separator, index } of [...text.matchAll(PROPERTIES)].reverse()) {
    const first = propertyIn(text.slice(0, index), known);
    if (first === undefined) continue;
    const others = propertyList(text.slice(index + separator.length), known);
    return others && [first, ...others];
  }
  return undefined;
}

const OF_PERSON = /^(?:person|user)(?:'s)? (.+)$/i;

/** Returns the property of a text, after `person` one of persons; undefined for an unknown one. */
export function propertyIn(text: string, known: Known): Property | undefined {
  const property = known.property(text);
  if (property !== undefined) return { property, type: "event" };
  const [, ofPerson] = OF_PERSON.exec(text) ?? [];
  const found = ofPerson === undefined ? undefined : known.personProperty(ofPerson);
  return found === undefined ? undefined : { property: found, type: "person" };
}

function unknownIn(text: string, known: Known) {
  const parts = text.split(PROPERTIES);
  return unknownProperty(
    parts.find((one) => one !== "" && propertyIn(one, known) === undefined) ?? text,
    known,
  );
}

/** Returns the failure of an unknown property. */
export function unknownProperty(text: string, known: Known): Failure {
  const [, ofPerson] = OF_PERSON.exec(text) ?? [];
  return ofPerson === undefined ? known.noProperty(text) : known.noPersonProperty(ofPerson);
}
