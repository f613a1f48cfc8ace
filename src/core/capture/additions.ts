import type { CapturedEvent, ChangeReason } from "../events/event.ts";
import type { JsonObject } from "../values/json.ts";
import { identifyVisitor, type VisitorFacts } from "./cookieless.ts";
import { addCountry, type SenderCountries } from "./country.ts";
import { addElementsChain } from "./elements.ts";
import { addExceptionLists } from "./exceptions.ts";

/** Facts about the sender of an event from which properties are added. */
export type Sender = VisitorFacts & {
  /** Undefined if events get no country (setting `geoip`). */
  countries: SenderCountries | undefined;
};

/** An addition to some events, as PostHog's server makes it. The texts are Markdown. */
type Addition = {
  events: string;
  added: string;
  from: string;
  /** Makes the addition, or adds the reason why it could not be made to `changes`. */
  add(event: CapturedEvent, sender: Sender, changes: ChangeReason[], raw: JsonObject): void;
};

/** All additions, in the order in which they are made: before the journal, so that each store has the same. */
const ADDITIONS: readonly Addition[] = [
  {
    events: "all, but see [countries](#countries)",
    added: "`$geoip_country_code`, `$geoip_country_name`",
    from: "`$ip`, else the address of the client",
    add: ({ properties }, { countries }) => {
      if (countries !== undefined) addCountry(properties, countries);
    },
  },
  {
    events: "events without cookies, see [visitors without cookies](#visitors-without-cookies)",
    added:
      "`distinct_id`, and `$device_id` and `$session_id` if they are missing. `$ip` and the like are removed.",
    from: "address, user agent, domain and day",
    add: identifyVisitor,
  },
  {
    events: "`$exception`",
    added:
      "`$exception_types`, `$exception_values`, `$exception_sources`, `$exception_functions`: lists of at most 1 KiB each, unless they were sent",
    from: "`$exception_list`; without it `$exception_type`, `$exception_message`, `$exception_source`, `$exception_function`. Sources and functions are those of frames with `in_app`.",
    add: addExceptionLists,
  },
  {
    events: "events with `$elements`, as older SDKs send them",
    added:
      "`$elements_chain` in PostHog's form, unless it was sent. `$elements` is removed if the chain says all of it: no field of your own, no entry that is no object, no text that was cut.",
    from: "`$elements`",
    add: addElementsChain,
  },
];

/**
 * Makes all additions to an event, which was sent as `raw`, and adds the reasons why some could not be made to
 * `changes`.
 */
export function addAll(
  event: CapturedEvent,
  sender: Sender,
  changes: ChangeReason[],
  raw: JsonObject,
): void {
  for (const { add } of ADDITIONS) add(event, sender, changes, raw);
}

/** The additions as rows of a table: the events, the added properties, and their source. */
export const additionRows = (): string[][] =>
  ADDITIONS.map(({ events, added, from }) => [events, added, from]);
