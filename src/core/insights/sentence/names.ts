import { nameWords } from "../../questions/text/stems.ts";

/** How names are written: plainly, or all of them in quotes, as names that look like other words need. */
export type Style = {
  quotesAll: boolean;
  /** Names of the types of groups, by index. */
  groups: readonly string[];
};

/** Words before "view" for events that SDKs define. */
const KNOWN: Readonly<Record<string, string>> = {
  $pageview: "page",
  $screen: "screen",
};

/** The end of a participle, such as that of "created". */
const DONE = /(?:ed|sent|read|bought|paid|seen|lost|shown|made|run|ran|met|won|sold|left)$/;

/** Nouns for people, which a name in words would be taken for. */
const PEOPLE =
  /^(?:user|person|people|visitor|customer|member|player|student|patient|buyer|client)s?$/;

/** The words after the first event of its name that a person has. */
export const FIRST_TIME = "for the first time";

/** Returns an event as a noun in the plural: `purchases`, `tasks created`, `"Plan changed v2" events`. */
export const eventNoun = (event: string | null, style: Style): string =>
  nounOf(event, style, plural);

/** Returns an event as a noun in the singular: `purchase`, `task created`. */
export const eventUnit = (event: string | null, style: Style): string =>
  nounOf(event, style, (word) => word);

function nounOf(
  event: string | null,
  { quotesAll }: Style,
  numbered: (word: string) => string,
): string {
  const generic = numbered("event");
  if (event === null) return generic;
  const known = KNOWN[event];
  if (known !== undefined) return `${known} ${numbered("view")}`;
  const words = event.startsWith("$") ? [event] : nameWords(event);
  const isPlain = words.every((word) => /^[a-z]{2,}$/.test(word)) && words.length <= 4;
  if (quotesAll || !isPlain || words.some((word) => PEOPLE.test(word))) {
    return `${JSON.stringify(event)} ${generic}`;
  }
  const done = words.findIndex((word) => DONE.test(word));
  if (done === 0) return `${JSON.stringify(event)} ${generic}`;
  const at = done < 0 ? words.length - 1 : done - 1;
  return words.map((word, index) => (index === at ? numbered(word) : word)).join(" ");
}

/** Returns people by the event that they had: `visitors`, `active users`, `people with purchases`. */
export function peopleNoun(event: string | null, style: Style): string {
  if (event === null) return "active users";
  return event === "$pageview" ? "visitors" : `people with ${eventNoun(event, style)}`;
}

/** Returns a type of groups as a noun in the plural. */
export const groupNoun = (index: number, { groups }: Style): string =>
  plural(groups[index] ?? "group");

function plural(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return word.endsWith("s") ? word : `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Words for properties that SDKs define. */
const PROPERTIES: Readonly<Record<string, string>> = {
  $pathname: "page",
  $current_url: "current url",
  $host: "host",
  $referring_domain: "referrer",
  utm_source: "utm source",
  utm_medium: "utm medium",
  utm_campaign: "utm campaign",
  $browser: "browser",
  $os: "operating system",
  $device_type: "device type",
  $geoip_country_name: "country",
  $geoip_country_code: "country code",
  $geoip_city_name: "city",
  $app_version: "app version",
  $entry_pathname: "entry page",
  $end_pathname: "exit page",
  $channel_type: "channel type",
  $session_duration: "session length",
};

/** A property and its owner. */
export type Owned = { name: string; type: string; group?: number | undefined };

/** Returns the words for a property. In quotes, its owner stands before it. */
export function propertyWords(
  { name, type, group = 0 }: Owned,
  { quotesAll, groups }: Style,
): string {
  if (type === "event_metadata") return name === "event" ? "event name" : name;
  const known = type === "event" || type === "session" ? PROPERTIES[name] : undefined;
  if (known !== undefined && !(quotesAll && type === "event")) return known;
  if (type === "group" && name === "name" && groups[group] !== undefined) return groups[group];
  if (quotesAll) return `${type}${type === "group" ? group : ""}.${JSON.stringify(name)}`;
  return /^[a-z][a-zA-Z\d]*(?:[ _][a-z\d]+)*$/.test(name)
    ? nameWords(name).join(" ")
    : JSON.stringify(name);
}

/** Returns a value as a text in quotes, or a number as it is. */
export const valueWords = (value: unknown): string =>
  typeof value === "number" ? String(value) : JSON.stringify(String(value));

/** Joins parts as a list: `a, b or c`. */
export const listed = (parts: readonly string[], word: "and" | "or"): string =>
  parts.length < 3
    ? parts.join(` ${word} `)
    : `${parts.slice(0, -1).join(", ")} ${word} ${parts.at(-1)}`;

/** Begins a sentence. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
