import { Failure } from "../values/failure.ts";
import { parseUuid } from "../values/ids.ts";
import type { PropertyFilter } from "../values/property-filter.ts";

/** Types of the owners of properties in queries; the first is the default. */
export const OWNERS = ["event", "person", "group", "session", "event_metadata"] as const;

/** Those of a list of events. */
export const LISTED = ["event", "person", "group", "event_metadata"] as const;

/** The type of a session's property. */
type Type = "text" | "number" | "true or false" | "time";

/** Properties of sessions by their type; each is a column of the view `sessions`. */
const PROPERTIES: Record<Type, string> = {
  text: `$entry_current_url $entry_pathname $entry_hostname $end_current_url $end_pathname $end_hostname
    $exit_current_url $exit_pathname $entry_referring_domain $entry_utm_source $entry_utm_medium
    $entry_utm_campaign $entry_utm_term $entry_utm_content $channel_type
    $browser $os $device_type $geoip_country_code $geoip_country_name`,
  number: "$session_duration $pageview_count $autocapture_count $screen_count $event_count",
  "true or false": "$is_bounce",
  time: "$start_timestamp $end_timestamp",
};

const TYPES: ReadonlyMap<string, Type> = new Map(
  Object.entries(PROPERTIES).flatMap(([type, names]) =>
    names.split(/\s+/).map((name): [string, Type] => [name, type as Type]),
  ),
);

/** The names of all properties of sessions. */
export const SESSION_PROPERTIES: readonly string[] = [...TYPES.keys()];

/** Returns the type of a property of sessions; undefined for other names. */
export const sessionPropertyType = (name: string): Type | undefined => TYPES.get(name);

/** Fails `invalid_choice` on a name that is no property of sessions, or no number where `isNumber` asks for one. */
export function checkSessionProperty(name: string, attr: string, isNumber = false): void {
  const known = SESSION_PROPERTIES.filter((one) => !isNumber || TYPES.get(one) === "number");
  if (known.includes(name)) return;
  const what = isNumber ? "A number" : "A property";
  throw new Failure("invalid_choice", `${what} of sessions is one of ${known.join(", ")}.`, attr);
}

/** Texts that each event has besides its properties, of the type `event_metadata`. */
export const METADATA = ["event", "distinct_id", "person_id"] as const;

/**
 * Returns a filter of METADATA, whose texts are no numbers: an event `1` is no event `1.0`. Fails `invalid_choice` on
 * another key, `invalid_input` on an operator that is no help with such texts, or a `person_id` that is no uuid.
 */
export function metadataFilter(filter: PropertyFilter, attr: string): PropertyFilter {
  const { key, test } = filter;
  if (!METADATA.some((known) => known === key)) {
    const detail = `The key of a filter of the type event_metadata is one of ${METADATA.join(", ")}. Write times into dateRange, and a filter of the type event for a property.`;
    throw new Failure("invalid_choice", detail, attr);
  }
  switch (test.is) {
    case "equal":
      return {
        ...filter,
        test: { is: "equal", any: test.any.map((text) => idIn(text, key, attr)) },
      };
    case "contains":
    case "starts":
    case "ends":
    case "matches":
      return filter;
    default: {
      const detail = `Every event has a text as its ${key}. Write exact, is_not, icontains, not_icontains, starts_with, ends_with, regex or not_regex.`;
      throw new Failure("invalid_input", detail, attr);
    }
  }
}

/** Returns a text to compare with; uuids of persons as they are stored. */
function idIn(text: string, key: string, attr: string): string {
  const id = key === "person_id" ? parseUuid(text) : text;
  if (id !== undefined) return id;
  throw new Failure("invalid_input", "A person_id is the uuid of a person.", attr);
}
