import type {
  KnownValue,
  NamedProperty,
  ProjectVocabulary,
  ValueOwner,
  ValueType,
} from "../../../src/core/ports/vocabulary.ts";

const property = (name: string, type: ValueType = "text", count = 50): NamedProperty => ({
  ...{ name, type, count },
});

const event = (name: string, ...properties: NamedProperty[]) => ({
  ...{ name, count: 90, alsoCalled: [], properties },
});

const valuesOf = (of: ValueOwner, name: string, ...values: string[]): KnownValue[] =>
  values.map((value, at) => ({ of, property: name, value, count: 30 - at }));

const PERSON: ValueOwner = { type: "person" };
const of = (name: string): ValueOwner => ({ type: "event", event: name });

/** A ferry whose names are words of questions, too: `month`, `total`, `count`, `first`, `last stop`. */
export const FERRY: ProjectVocabulary = {
  events: [
    event(
      "ferry boarded",
      property("pier"),
      property("checked"),
      property("charter"),
      property("luggage", "number"),
      property("online"),
      property("month"),
      property("wait min", "number"),
      property("class"),
    ),
    event("crossing ended", property("total", "number"), property("count", "number")),
    event("donation made", property("amount", "number"), property("share", "number")),
    event("tour attended", property("guests", "number"), property("users", "number")),
    event("booking opened", property("visitors", "number"), property("day")),
    event("book lent", property("number", "number"), property("last stop")),
    event("member invited", property("reason")),
    event(
      "ticket bought",
      property("tickets", "number"),
      property("refund"),
      property("fare kind"),
    ),
    event("delay reported", property("severity", "number"), property("deck", "number")),
  ],
  person_properties: [
    property("region"),
    property("weight", "number"),
    property("rank", "number"),
    property("joined since"),
    property("captain", "boolean"),
  ],
  groups: [],
  values: [
    ...valuesOf(of("ferry boarded"), "pier", "Föhr", "Amrum", "Sylt"),
    ...valuesOf(of("ferry boarded"), "checked", "yes", "no"),
    ...valuesOf(of("ferry boarded"), "charter", "TRUE", "FALSE"),
    ...valuesOf(of("ferry boarded"), "online", "true", "false"),
    ...valuesOf(of("ferry boarded"), "luggage", "0", "1", "2"),
    ...valuesOf(of("ferry boarded"), "month", "early", "late"),
    ...valuesOf(of("ferry boarded"), "class", "deck chair", "Top 20", "cabin", "CABIN"),
    ...valuesOf(of("booking opened"), "day", "workday", "holiday"),
    ...valuesOf(of("book lent"), "last stop", "Husum", "Dagebüll"),
    ...valuesOf(of("ticket bought"), "refund", "yes", "no"),
    ...valuesOf(of("ticket bought"), "fare kind", "split", "return"),
    ...valuesOf(PERSON, "captain", "true", "false"),
    ...valuesOf(PERSON, "region", "north", "south"),
  ],
  propertiesAlsoCalled: [],
};
