import { DISTINCT_ID_CHARS_MAX, type DropReason, EVENT_NAME_CHARS_MAX } from "../events/event.ts";
import { isLonger, isObject, isObjectOrEmpty, type Json, type JsonObject } from "../values/json.ts";
import { parseEventTime } from "../values/time.ts";

/** Characters of `PostHog-Sdk-Info`; a longer one is not written into every event. */
export const SDK_INFO_CHARS_MAX = 200;

/** The same event in the older protocol, or the reason why it is dropped. */
export type FromV1 = { raw: JsonObject } | { dropped: DropReason };

/**
 * Reads an event of the newer protocol, which is stricter and has fields for some `$` properties of the
 * older one. `sdk` is `<name>/<version>`, from the request's header.
 */
export function fromV1(raw: JsonObject, sdk: string): FromV1 {
  const { event, distinct_id, timestamp, properties } = raw;
  if (typeof event !== "string" || event.trim() === "") return { dropped: "missing_event_name" };
  if (isLonger(event, EVENT_NAME_CHARS_MAX)) return { dropped: "invalid_event_name" };
  const id = typeof distinct_id === "string" ? distinct_id.trim() : "";
  if (id === "") return { dropped: "missing_distinct_id" };
  if (isLonger(id, DISTINCT_ID_CHARS_MAX)) return { dropped: "invalid_distinct_id" };
  if (typeof timestamp !== "string" || parseEventTime(timestamp) === undefined) {
    return { dropped: "invalid_timestamp" };
  }
  const options = optionsOf(raw["options"] ?? {});
  if (!isObjectOrEmpty(properties)) return { dropped: "invalid_event" };
  if (options === undefined) return { dropped: "invalid_options" };
  // Fields of the older protocol are kept: `$set` is read, and others get a warning.
  const { options: sent, session_id: _session, window_id: _window, ...fields } = raw;
  const hasUnknown = isObject(sent) && Object.keys(sent).some((name) => !OPTIONS.has(name));
  return {
    raw: {
      ...fields,
      ...(hasUnknown ? { options: sent } : {}),
      event,
      distinct_id: id,
      timestamp,
      // One that is missing is reported as well, because the protocol requires it.
      uuid: raw["uuid"] || false,
      properties: {
        ...(isObject(properties) ? properties : {}),
        ...texts({ $session_id: raw["session_id"], $window_id: raw["window_id"] }),
        ...options,
        ...libraryOf(sdk),
      },
    },
  };
}

const FLAGS = {
  cookieless_mode: "$cookieless_mode",
  disable_skew_correction: "$ignore_sent_at",
  process_person_profile: "$process_person_profile",
};

const OPTIONS: ReadonlySet<string> = new Set([...Object.keys(FLAGS), "product_tour_id"]);

/** Returns the properties of options; undefined if an option is invalid. */
function optionsOf(options: Json): JsonObject | undefined {
  if (!isObject(options)) return isObjectOrEmpty(options) ? {} : undefined;
  const properties: JsonObject = {};
  for (const [name, property] of Object.entries(FLAGS)) {
    const value = options[name] ?? null;
    if (value === null) continue;
    const flag = flagOf(value);
    if (flag === undefined) return undefined;
    properties[property] = flag;
  }
  const tour = options["product_tour_id"] ?? null;
  if (tour === null) return properties;
  if (typeof tour !== "string" && !Number.isSafeInteger(tour)) return undefined;
  return { ...properties, $product_tour_id: String(tour) };
}

const WORDS: Record<string, boolean> = { true: true, "1": true, false: false, "0": false };

function flagOf(value: Json): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}

function libraryOf(sdk: string): JsonObject {
  const slash = sdk.lastIndexOf("/");
  const [name, version] = [sdk.slice(0, Math.max(slash, 0)).trim(), sdk.slice(slash + 1).trim()];
  if (sdk.length > SDK_INFO_CHARS_MAX || name === "" || version === "") return {};
  return { $lib: name, $lib_version: version };
}

function texts(fields: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}
