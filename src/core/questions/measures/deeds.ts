import type { JsonObject } from "../../values/json.ts";
import type { EventInfo } from "../names/index.ts";
import {
  type Asked,
  behavior,
  type Item,
  isTagged,
  meanNothing,
  NotUnderstood,
  textOf,
} from "../read/asked.ts";
import { type Frequency, joined, type Named, parted } from "../read/parts.ts";
import { nameStems } from "../text/stems.ts";
import { takeConditions } from "./conditions.ts";
import { freeBefore, use } from "./items.ts";

/** An event that people did or did not do, with its conditions and frequency. */
export type Deed = {
  event: EventInfo;
  item: Item & { part: Named };
  filters: JsonObject[];
  frequency: Frequency | undefined;
  isNot: boolean;
  isOr: boolean;
  isFirst: boolean;
};

/** Takes the events of a question, each with the conditions after it, its frequency and its negation. */
export function takeDeeds(asked: Asked, { isOfPeople }: { isOfPeople: boolean }): Deed[] {
  takeObjects(asked);
  const events = asked.events();
  return events.map((item, at): Deed => {
    item.isUsed = true;
    const { event } = item.part;
    const to = events[at + 1]?.at ?? asked.items.length;
    const not = freeBefore(asked, item, "WITHOUT");
    const isWhole = events.length === 1 && not === undefined;
    const filters = isWhole ? [] : takeConditions(asked, event, { from: item.at, to });
    const link = asked.beside(not ?? item, -1);
    use(not);
    if (isTagged(link, "WHO") || (at > 0 && isTagged(link, "OR", "AND"))) use(link);
    const first = isOfPeople ? firstWord(asked, item) : undefined;
    use(first);
    return {
      ...{ event, item, filters },
      frequency: isOfPeople ? takeFrequency(asked, item, to) : undefined,
      isNot: not !== undefined,
      isOr: isTagged(link, "OR"),
      isFirst: first !== undefined,
    };
  });
}

/**
 * Takes things that an event is about: "job" in "applied for a remote job". Throws `NotUnderstood` for a part of an
 * event's name that no "and", "or" or "who" makes a deed of its own.
 */
function takeObjects(asked: Asked): void {
  const [first, ...others] = asked.events();
  for (const item of others) {
    const before = asked.beside(item, -1);
    const link = before?.part?.kind === "filter" ? asked.beside(before, -1) : before;
    const isLinked =
      !item.part.isPart ||
      isTagged(link, "AND", "OR", "WHO", "WITHOUT", "VERSUS", "TO", "COUNT") ||
      link?.word === "," ||
      link?.part?.kind === "freq" ||
      link?.part?.kind === "cmp";
    if (isLinked || first === undefined) continue;
    const stems = item.term.words.map(({ stem }) => stem);
    const isObject = [...first.part.event.properties.keys()].some((name) =>
      nameStems(name).some((stem) => stems.includes(stem)),
    );
    if (!isObject) throw new NotUnderstood(textOf(item));
    meanNothing(item);
  }
}

/** The word "first" before an event or between its words, as in "created their first task". */
export const firstWord = (asked: Asked, item: Item): Item | undefined =>
  asked.items
    .slice(item.at + 1, item.at + 4)
    .find(
      (one) =>
        !one.isUsed &&
        isTagged(one, "FIRST_SEEN") &&
        asked.items[one.at + 1]?.tags[0] === "JOINED" &&
        asked.items.slice(item.at + 1, one.at).every(({ part }) => part?.kind !== "ev"),
    ) ?? freeBefore(asked, item, "IS_NEW", "FIRST_SEEN");

function takeFrequency(asked: Asked, item: Item, to: number): Frequency | undefined {
  const before = asked.beside(item, -1);
  if (before?.isUsed === false && before.part?.kind === "cmp") {
    before.isUsed = true;
    return { kind: "freq", bounds: before.part.bounds };
  }
  // "Read at least 5 articles" has the number between the words of its event.
  const inside = asked.items
    .slice(item.at + 1, to)
    .find(
      ({ isUsed, part, at }) =>
        !isUsed && part?.kind === "cmp" && asked.items[at + 1]?.tags[0] === "JOINED",
    );
  if (inside?.part?.kind === "cmp") {
    inside.isUsed = true;
    return { kind: "freq", bounds: inside.part.bounds };
  }
  const other = asked.items
    .slice(0, to)
    .find(({ isUsed, part }) => !isUsed && part?.kind === "freq");
  use(other);
  return other?.part?.kind === "freq" ? other.part : undefined;
}

/** The filters for people who did a deed, or did not do it. */
export const didOf = ({ event, filters, frequency, isNot }: Deed): JsonObject[] =>
  parted(behavior(event.name, { filters, frequency, isNot }));

/** The filter for people who did an event for the first time, or with `isNot` not for the first time. */
export const firstTime = (
  event: string | null,
  { isNot, filters = [] }: { isNot: boolean; filters?: JsonObject[] },
): JsonObject => ({ ...behavior(event, { filters, isNot }), value: "performed_event_first_time" });

/** The filter for people who did an event at least twice. */
export const repeated = (event: string | null): JsonObject =>
  behavior(event, { frequency: { kind: "freq", bounds: [{ is: "gte", number: 2 }] } });

/** The filters for people by their deeds. They must match all of them, or any if the question says "or". */
export const behaviorsOf = (deeds: readonly Deed[]): JsonObject[] => {
  const all = deeds.map((deed) =>
    deed.isFirst ? [firstTime(deed.event.name, deed)] : didOf(deed),
  );
  return deeds.some(({ isOr }) => isOr) ? [{ type: "OR", values: all.map(joined) }] : all.flat();
};
