import type { JsonObject } from "../values/json.ts";
import { setKey } from "../values/json.ts";

/**
 * Properties of events that become properties of the person: the latest value (`$browser`) and the first one
 * (`$initial_browser`). They change with every page, so a change of these alone is not written (decision 24).
 */
const VOLATILE = [
  "$browser",
  "$browser_version",
  "$current_url",
  "$device_type",
  "$os",
  "$os_version",
  "$pathname",
  "$raw_user_agent",
  "$referrer",
  "$referring_domain",
  "$screen_height",
  "$screen_width",
  "$viewport_height",
  "$viewport_width",
] as const;

/** The same for properties that show where the person came from: each change is written. */
const ATTRIBUTION = [
  "$app_build",
  "$app_name",
  "$app_namespace",
  "$app_version",
  "_kx",
  "dclid",
  "epik",
  "fbclid",
  "gad_source",
  "gbraid",
  "gclid",
  "gclsrc",
  "igshid",
  "irclid",
  "li_fat_id",
  "mc_cid",
  "msclkid",
  "qclid",
  "rdt_cid",
  "sccid",
  "ttclid",
  "twclid",
  "utm_campaign",
  "utm_content",
  "utm_medium",
  "utm_name",
  "utm_source",
  "utm_term",
  "wbraid",
] as const;

/** Volatile properties with the latest bits, because persons in the store keep their bits. */
const LOCATION = ["$geoip_country_code", "$geoip_country_name"] as const;

const KEYS: readonly string[] = [...VOLATILE, ...ATTRIBUTION, ...LOCATION];
const INITIAL_KEYS = KEYS.map((key) => `$initial_${key.replace(/^\$/, "")}`);
const BITS = KEYS.map((_, index) => 2 ** index);

/** A set of automatic properties with a bit for each. They are 45, so the operators for 32 bits do not do. */
export type AutoProperties = number;

const isVolatileAt = (index: number) =>
  index < VOLATILE.length || index >= VOLATILE.length + ATTRIBUTION.length;

const ATTRIBUTION_BITS = ATTRIBUTION.reduce(
  (bits, _, index) => bits + 2 ** (VOLATILE.length + index),
  0,
);

/** The automatic properties that an event would set on its person; an exception is not about the person. */
export function autoPropertiesOf(event: string, properties: JsonObject): AutoProperties {
  let bits = 0;
  for (let index = 0; index < KEYS.length; index++) {
    const value = sentValue(properties, KEYS[index] as string);
    if (value !== undefined && value !== null) bits += BITS[index] as number;
  }
  return bits === 0 || event === "$exception" ? 0 : bits;
}

/** The automatic properties of which a person has both the latest and the first value. */
export function autoPropertiesIn(properties: JsonObject): AutoProperties {
  let bits = 0;
  for (let index = 0; index < KEYS.length; index++) {
    const hasBoth =
      Object.hasOwn(properties, KEYS[index] as string) &&
      Object.hasOwn(properties, INITIAL_KEYS[index] as string);
    if (hasBoth) bits += BITS[index] as number;
  }
  return bits;
}

/** Whether an event has an automatic property that its person lacks, or one for attribution. */
export function isWorthWriting(ofEvent: AutoProperties, ofPerson: AutoProperties): boolean {
  return hasOther(ofEvent, ofPerson) || intersects(ofEvent, ATTRIBUTION_BITS);
}

/**
 * The latest and first values of the automatic properties of an event. A change of `volatile` alone is not
 * written. `latest` has all others: attribution, and properties that the person lacks.
 */
export function autoValues(
  properties: JsonObject,
  ofEvent: AutoProperties,
  person: JsonObject,
): { latest: JsonObject; volatile: JsonObject; first: JsonObject } {
  const [latest, volatile, first]: [JsonObject, JsonObject, JsonObject] = [{}, {}, {}];
  for (let index = 0; index < KEYS.length; index++) {
    if (!intersects(ofEvent, BITS[index] as number)) continue;
    const key = KEYS[index] as string;
    const value = sentValue(properties, key) ?? null;
    const isVolatile = isVolatileAt(index) && Object.hasOwn(person, key);
    setKey(isVolatile ? volatile : latest, key, value);
    setKey(first, INITIAL_KEYS[index] as string, value);
  }
  return { latest, volatile, first };
}

/** The keys that a person has for automatic properties: those of the latest and of the first values. */
export function keysOf(bits: AutoProperties): string[] {
  if (bits === 0) return [];
  const indexes = [...KEYS.keys()].filter((index) => intersects(bits, BITS[index] as number));
  return indexes.flatMap((index) => [KEYS[index] as string, INITIAL_KEYS[index] as string]);
}

/** Mobile SDKs send `$os_name` in place of `$os`. The system of a server is not the person's. */
function sentValue(properties: JsonObject, key: string) {
  if (key !== "$os" && key !== "$os_version") return properties[key];
  if (properties["$is_server"] === true) return undefined;
  return key === "$os" ? (properties[key] ?? properties["$os_name"]) : properties[key];
}

const HALF = 2 ** 32;

/** The union of two sets. */
export function union(a: AutoProperties, b: AutoProperties): AutoProperties {
  const high = Math.floor(a / HALF) | Math.floor(b / HALF);
  return high * HALF + ((a | b) >>> 0);
}

/** Whether two sets have a bit in common. */
function intersects(a: AutoProperties, b: AutoProperties): boolean {
  return ((a & b) | (Math.floor(a / HALF) & Math.floor(b / HALF))) !== 0;
}

/** Whether `a` has a bit that `b` lacks. */
function hasOther(a: AutoProperties, b: AutoProperties): boolean {
  return ((a & ~b) | (Math.floor(a / HALF) & ~Math.floor(b / HALF))) !== 0;
}
