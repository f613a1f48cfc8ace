import type { JsonObject } from "../values/json.ts";
import { setKey } from "../values/json.ts";

/**
 * Properties of any event that become the person's, as the latest (`$browser`) and as the first
 * (`$initial_browser`). A change of these alone is not worth a write (decision 24): they change
 * with every page.
 */
const QUIET = [
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

/** The same for properties whose change is written: they tell where the person came from. */
const LOUD = [
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

/** Events that describe no person. */
const NO_LIFTS = new Set(["$snapshot", "$performance_event", "$exception", "$$heatmap"]);

const LIFTED: readonly string[] = [...QUIET, ...LOUD];
const INITIAL = LIFTED.map((key) => `$initial_${key.replace(/^\$/, "")}`);
const BITS = LIFTED.map((_, at) => 2 ** at);

/**
 * Which lifted properties a person or event has, a bit each: 43 of them, so a number and not 32
 * bits of one.
 */
export type Lifts = number;

const LOUD_BITS = LOUD.reduce((bits, _, at) => bits + 2 ** (QUIET.length + at), 0);

/** What an event would lift to its person. */
export function liftsOf(event: string, properties: JsonObject): Lifts {
  let lifts = 0;
  for (let at = 0; at < LIFTED.length; at++) {
    const value = liftedValue(properties, LIFTED[at] as string);
    if (value !== undefined && value !== null) lifts += BITS[at] as number;
  }
  return lifts === 0 || NO_LIFTS.has(event) ? 0 : lifts;
}

/** Which lifted properties a person has, both as the latest and as the first. */
export function liftedIn(properties: JsonObject): Lifts {
  let lifts = 0;
  for (let at = 0; at < LIFTED.length; at++) {
    const both =
      Object.hasOwn(properties, LIFTED[at] as string) &&
      Object.hasOwn(properties, INITIAL[at] as string);
    if (both) lifts += BITS[at] as number;
  }
  return lifts;
}

/** Whether an event lifts something that its person lacks, or whose change is written. */
export function liftsAnew(lifts: Lifts, lifted: Lifts): boolean {
  return holdsBeyond(lifts, lifted) || meets(lifts, LOUD_BITS);
}

/**
 * The latest and first values that an event lifts. `loud` are those of `latest` that a person
 * lacks or whose change is written.
 */
export function liftedBy(
  properties: JsonObject,
  lifts: Lifts,
  person: JsonObject,
): { loud: JsonObject; quiet: JsonObject; first: JsonObject } {
  const [loud, quiet, first]: [JsonObject, JsonObject, JsonObject] = [{}, {}, {}];
  for (let at = 0; at < LIFTED.length; at++) {
    if (!meets(lifts, BITS[at] as number)) continue;
    const key = LIFTED[at] as string;
    const value = liftedValue(properties, key) ?? null;
    const isLoud = at >= QUIET.length || !Object.hasOwn(person, key);
    setKey(isLoud ? loud : quiet, key, value);
    setKey(first, INITIAL[at] as string, value);
  }
  return { loud, quiet, first };
}

/** Mobile SDKs say `$os_name` where others say `$os`; a server's own system is nobody's. */
function liftedValue(properties: JsonObject, key: string) {
  if (key !== "$os" && key !== "$os_version") return properties[key];
  if (properties["$is_server"] === true) return undefined;
  return key === "$os" ? (properties[key] ?? properties["$os_name"]) : properties[key];
}

const HALF = 2 ** 32;

/** What either has. */
export function withLifts(a: Lifts, b: Lifts): Lifts {
  const high = Math.floor(a / HALF) | Math.floor(b / HALF);
  return high * HALF + ((a | b) >>> 0);
}

/** Whether two sets have a bit in common. */
function meets(a: Lifts, b: Lifts): boolean {
  return ((a & b) | (Math.floor(a / HALF) & Math.floor(b / HALF))) !== 0;
}

/** Whether `a` has a bit that `b` lacks. */
function holdsBeyond(a: Lifts, b: Lifts): boolean {
  return ((a & ~b) | (Math.floor(a / HALF) & ~Math.floor(b / HALF))) !== 0;
}
