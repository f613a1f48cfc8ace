import { Failure } from "../values/failure.ts";

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
