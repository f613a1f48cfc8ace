import { type EventInfo, keyOf } from "../names/index.ts";
import { stemOf } from "../text/stems.ts";
import type { Part } from "./parts.ts";
import type { Place, Places } from "./rules.ts";
import type { Term } from "./terms.ts";

/** Events that words may mean, and the stems of those words. */
export type Gathered = { events: readonly EventInfo[]; stems: ReadonlySet<string> };

/** Tags of words that may separate the words of an event's name, as in "tasks did guests create". */
const BETWEEN: ReadonlySet<string> = new Set(
  "F PERSON VISITOR PAYER ACTIVE FILTER VAL NUM GROUP IS_NEW WHOM CMP MUCH JOINED FIRST_SEEN MOST".split(
    " ",
  ),
);

/** Collects more words of the event names until the clause ends. */
export function gathered(
  places: Places<Part>,
  at: number,
  starts: readonly EventInfo[],
  whole: readonly EventInfo[],
): Gathered & { others: number[] } {
  const sequence = places.sequence();
  const first = places.terms[(sequence[at] as Place<Part>).from] as Term;
  const stems = new Set(
    first.words.flatMap(({ low, stem }) =>
      /[_\s]/.test(low) ? low.split(/[_\s]+/).map(stemOf) : [stem],
    ),
  );
  let events = starts;
  const others: number[] = [];
  let hasVerb = false;
  for (let next = at + 1; next < sequence.length && next <= at + 9; next += 1) {
    const place = sequence[next] as Place<Part>;
    const term = places.terms[place.from] as Term;
    const stem = term.words[0]?.stem ?? "";
    const isWord =
      place.part === undefined &&
      place.joins === undefined &&
      term.words.length === 1 &&
      term.words[0]?.isQuoted !== true;
    // The "to" of "basket to order" is no part of "add to cart".
    const after = sequence[next + 1];
    const later = after === undefined ? [] : (places.terms[after.from] as Term).events;
    const isJoint =
      stem === "to" && (whole.length > 0 || later.some((one) => !events.includes(one)));
    // "Package purchase" is one event, "package bought".
    const fitting = events.filter(
      (one) =>
        term.events.includes(one) ||
        (one.stems.includes(stem) && !stems.has(stem)) ||
        (SALES.includes(stem) && one.stems.some((own) => SALES.includes(own))),
    );
    const isPerson = place.tags.includes("PERSON");
    if (isWord && !isJoint && fitting.length > 0 && (!isPerson || hasVerb)) {
      events = fitting;
      stems.add(stem);
      others.push(next);
      hasVerb ||= fitting.some(({ verbs }) => verbs.has(stem));
      continue;
    }
    if (!place.tags.some((tag) => BETWEEN.has(tag))) break;
  }
  return { events: unfailed({ events, stems }, whole), stems, others };
}

/** Stems of the words for a sale: "packages sold" are the event "package bought". */
const SALES = ["buy", "purchase", "sell"].map(stemOf);

/** Stems of what did not work out. Words mean such an event only if they say so: "paid" is no `payment_failed`. */
const FAILURES =
  "fail failed declined rejected refunded cancelled error abandoned removed missed expired revoked"
    .split(" ")
    .map(stemOf);

/** Leaves out events that say a failure the words do not. */
const unfailed = ({ events, stems }: Gathered, whole: readonly EventInfo[]): EventInfo[] =>
  events.filter(
    (event) =>
      whole.includes(event) ||
      FAILURES.every((stem) => !event.stems.includes(stem) || stems.has(stem)),
  );

/** Whether a part of an event's name is in the name of an event about something else: "api" of "api key" and "api call". */
export function isVague(event: EventInfo, { events, stems }: Gathered): boolean {
  const unsaid = (one: EventInfo) =>
    one.stems.filter((stem) => !one.verbs.has(stem) && !stems.has(stem));
  const own = unsaid(event);
  // "Lose customers" is not about a parcel.
  if (own.length > 0 && stems.has(stemOf("lose"))) return true;
  return (
    own.length > 0 &&
    events.some((one) => unsaid(one).length > 0 && keyOf(unsaid(one)) !== keyOf(own))
  );
}
