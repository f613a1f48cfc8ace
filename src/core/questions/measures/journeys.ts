import { type Asked, type Item, isTagged } from "../read/asked.ts";
import { type Draft, type Measure, node } from "./draft.ts";
import { infoOf, visitEvent } from "./events.ts";
import { PEOPLE, use, useAll } from "./items.ts";
import { takePeople } from "./people.ts";

/** "Weekly lifecycle of visitors". */
export const lifecycle: Measure = (asked) => {
  const states = asked.items.filter(
    ({ word, isUsed }) => !isUsed && /^(?:resurrect|dormant)/.test(word),
  );
  if (!asked.has("LIFECYCLE") && states.length === 0) return undefined;
  use(...states);
  asked.takeAll("LIFECYCLE", "IS_NEW", "RETURNING", "AND");
  return journeyOf(asked, "LifecycleQuery", "week");
};

/** "Stickiness of visitors": people by the number of days with an event. */
export const stickiness: Measure = (asked) => {
  const isNamed = asked.take("STICKINESS") !== undefined;
  const last = asked.items.findLast(
    (item) => !item.isUsed && isTagged(item, "DAYS") && isTagged(asked.beside(item, -1), "NUM"),
  );
  const days = asked.items.filter(
    (item) =>
      !item.isUsed &&
      item.at < (last?.at ?? 0) &&
      (isTagged(item, "NUM") || (item.part?.kind === "cmp" && item.part.bounds[0]?.is === "exact")),
  );
  if (!isNamed && days.length < 2) return undefined;
  for (const item of days)
    use(item, isTagged(asked.beside(item, 1), "DAYS") ? asked.beside(item, 1) : undefined);
  asked.takeAll("COUNT", "ACTIVE", "AND", "EXACTLY");
  useAll(asked, ({ word }) => word === "active");
  return journeyOf(asked, "StickinessQuery", "day");
};

const journeyOf = (asked: Asked, kind: string, intervalDefault: "day" | "week"): Draft => {
  const event = takeOne(asked);
  const query = { kind, series: [node(event)] };
  return { query, events: [infoOf(asked, event)], intervalDefault };
};

/** Takes the event of a journey: the named event, or the event of the people. */
function takeOne(asked: Asked): string | null {
  const [item] = asked.events();
  const people = asked.has(...PEOPLE) ? takePeople(asked) : undefined;
  use(item);
  if (item !== undefined) return item.part.event.name;
  return people === undefined ? visitEvent(asked) : people.base;
}

const TAKEN = ["PROP", "VISITOR", "PERSON", "WHICH", "AFTER", "BEFORE", "MOST"] as const;

/** "Paths of people", "where do visitors go after /pricing", "which pages come before /checkout". */
export const paths: Measure = (asked) => {
  const [lead] = asked.items;
  const people = lead === undefined ? undefined : asked.beside(lead, 1);
  if (/^paths?$/.test(lead?.word ?? "") && isTagged(people, "PERSON", "VISITOR")) {
    use(lead, people);
    return { query: { kind: "PathsQuery" }, events: [null] };
  }
  const way = asked.find("AFTER", "BEFORE");
  const page = asked.items.find((item) => !item.isUsed && pathsOf(item) !== undefined);
  if (page === undefined || (way === undefined && !isWay(asked)) || asked.has("COUNT"))
    return undefined;
  const isBefore =
    way === undefined
      ? asked.items.slice(0, page.at).some(({ word }) => word === "to")
      : isTagged(way, "BEFORE") && !isTagged(way, "AFTER");
  use(way, page, ...asked.events().filter(({ part }) => part.event.name === visitEvent(asked)));
  useAll(
    asked,
    (item) =>
      isTagged(item, ...TAKEN) || /^(?:go|where|paths?|navigate|previous|next)$/.test(item.word),
  );
  return {
    query: {
      kind: "PathsQuery",
      pathsFilter: {
        includeEventTypes: [visitEvent(asked)],
        [isBefore ? "endPoint" : "startPoint"]: pathsOf(page)?.[0] ?? "/",
        ...{ stepLimit: 2, edgeLimit: 100 },
      },
    },
    events: [infoOf(asked, "$pageview")],
  };
};

/** The paths that an item names; undefined if it is not a page. */
function pathsOf({ part }: Item): readonly string[] | undefined {
  if (part?.kind === "pages") return part.paths;
  if (part?.kind !== "filter") return undefined;
  return part.of.find(({ property }) => property.name === "$pathname")?.values;
}

/** Whether "from" or "to" asks for a path between pages. */
const isWay = (asked: Asked): boolean =>
  asked.items.some(({ word }) => word === "from" || word === "to") &&
  asked.items.some(({ word }) => /^(?:where|paths?|pages)$/.test(word)) &&
  asked.events().length === 0;
