import type { JsonObject } from "../../values/json.ts";
import type { EventInfo, PropertyInfo } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  NotUnderstood,
  rankedProperties,
  textOf,
} from "../read/asked.ts";
import { emailOf, isFree, type Label } from "../read/labels.ts";
import { behavior } from "../read/parts.ts";
import { areOfPersons, takeExclusions, takeFilters, takeSpent } from "./conditions.ts";
import { behaviorsOf, type Deed, repeated, takeDeeds } from "./deeds.ts";
import type { Draft, Measure } from "./draft.ts";
import { isCondition, PEOPLE, use, useAll } from "./items.ts";
import { type People, takePeople } from "./people.ts";

/** The filter on one person by e-mail address. */
export const personFilter = (asked: Asked, id: string, operator = "exact"): JsonObject => ({
  ...{ key: emailOf(asked) ?? "email", type: "person", operator, value: id },
});

const isOfPerson = ({ of }: PropertyInfo): boolean => of === "person";

/** "What has ann@example.com done", "when was she last seen", "which plan is she on". */
export const onePerson: Measure = (asked) => {
  const item = asked.items.find(({ part }) => part?.kind === "whom" && !part.isNot);
  if (item?.part?.kind !== "whom") return latest(asked);
  const filter = personFilter(asked, item.part.id);
  const [event] = asked.events();
  const when = asked.find("WHEN");
  const seen = asked.find("LAST_SEEN", "FIRST_SEEN");
  if (when !== undefined || (seen !== undefined && event === undefined)) {
    use(item, when, seen, event);
    asked.takeAll("LAST_SEEN", "FIRST_SEEN", "ACTIVE", "ACTIVITY", "ALL_EVENTS");
    useAll(asked, ({ word }) => word === "active" || word === "seen");
    const isLast = seen === undefined ? event === undefined : isTagged(seen, "LAST_SEEN");
    return tableOf([filter], event?.part.event, [], isLast ? "DESC" : "ASC", 1);
  }
  if (asked.has("COUNT")) return undefined;
  const property = asked.items.find(
    ({ isUsed, part, term }) => !isUsed && part === undefined && term.properties.some(isOfPerson),
  );
  if (property !== undefined && event === undefined) {
    use(item, property);
    asked.takeAll("WHICH");
    const select = selected(property.term.properties.find(isOfPerson)?.name ?? "");
    const query = { kind: "ActorsQuery", select: [select], properties: [filter], limit: 1 };
    return { query, events: [null] };
  }
  const isActivity = event === undefined || asked.has("ACTIVITY", "ALL_EVENTS", "WHICH");
  if (!isActivity || asked.has("REVENUE", "SPEND")) return undefined;
  use(item, event);
  return activityOf(asked, filter, event?.part.event);
};

/** "When was the last order", "when did the backup job first run": the time of one event. */
function latest(asked: Asked): Draft | undefined {
  const [event, another] = asked.events();
  const seen = asked.find("LAST_SEEN", "FIRST_SEEN");
  if (!asked.has("WHEN") || seen === undefined || event === undefined || another !== undefined)
    return undefined;
  if (asked.has("COUNT", "WHO", ...PEOPLE)) return undefined;
  use(event, seen);
  asked.takeAll("WHEN", "DONE");
  const order = isTagged(seen, "LAST_SEEN") ? "DESC" : "ASC";
  const own = takeFilters(asked, [event.part.event]);
  return tableOf(own, event.part.event, [], order, 1);
}

/** The latest events of a person, or those with one name. */
function activityOf(asked: Asked, filter: JsonObject, event: EventInfo | undefined): Draft {
  asked.takeAll("ACTIVITY", "WHICH", "ALL_EVENTS", "DONE", "LIST");
  const shown = event === undefined ? ["$pathname"] : takeShown(asked, event);
  return tableOf([filter], event, shown.map(selected), takeWay(asked), 100);
}

/** Takes "newest first", which is the default, or "oldest first". */
const takeWay = (asked: Asked): "ASC" | "DESC" =>
  isTagged(asked.take("OLDEST", "NEWEST"), "OLDEST") ? "ASC" : "DESC";

/** The maximum number of properties in a list of events. */
const SHOWN_MAX = 6;

/** Takes the properties of an event that are named, as in "which products did she buy". The default is its own ones. */
function takeShown(asked: Asked, event: EventInfo): string[] {
  const named = asked.items.flatMap((item) => {
    const [property] = isFree(item) ? rankedProperties(item.term.properties, [event]) : [];
    if (property?.of !== "event") return [];
    item.isUsed = true;
    return [property.name];
  });
  const own = [...event.properties.keys()].filter((name) => !/^(?:\$|utm_)/.test(name));
  if (named.length > 0) return named;
  return own.length > 0 ? own.slice(0, SHOWN_MAX) : ["$pathname"];
}

const selected = (name: string): string =>
  `properties.${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `\`${name}\``}`;

const tableOf = (
  filters: JsonObject[],
  event: EventInfo | undefined,
  more: string[],
  order: "ASC" | "DESC",
  limit: number,
): Draft => ({
  query: {
    ...{ kind: "EventsQuery", select: ["timestamp", "event", ...more], properties: filters },
    ...(event === undefined ? {} : { event: event.name }),
    ...{ orderBy: [`timestamp ${order}`], limit },
  },
  events: [null],
  span: "all",
});

/** "Which users invited someone but never created a task", "who bought more than twice", "list customers". */
export const whoDid = (asked: Asked, labels: readonly Label[]): Draft | undefined => {
  const lead = asked.find("WHO", "WHICH", "LIST");
  if (lead === undefined || labels.length > 0 || !isOfPeople(asked, lead) || isLed(asked, lead))
    return undefined;
  if (asked.has("MOST", "LEAST", "GREATEST", "SMALLEST", "COUNT", "SHARE", "AVERAGE", "REVENUE"))
    return undefined;
  asked.takeAll("WHICH", "LIST");
  const people = takePeople(asked);
  const spent = takeSpent(asked);
  const deeds = takeDeeds(asked, { isOfPeople: true });
  const [first] = deeds;
  const event = first?.event ?? null;
  const excluded = takeExclusions(asked, event);
  const filters = [...takeFilters(asked, [event]), ...excluded];
  const isOfPersons = ({ type }: JsonObject) => type === "person" || type === "behavioral";
  const ofEvents = filters.filter((one) => !isOfPersons(one));
  const owner = first === undefined && ofEvents.length > 0 ? onlyWith(asked, ofEvents) : undefined;
  if (first === undefined && ofEvents.length > 0 && owner === undefined)
    throw new NotUnderstood(textOf(lead));
  // Conditions on events apply to the first event that the people did.
  first?.filters.push(...ofEvents);
  return {
    query: {
      kind: "ActorsQuery",
      select: ["person", selected(emailOf(asked) ?? "email")],
      properties: [
        ...nounOf(people, deeds),
        ...behaviorsOf(deeds),
        ...(owner === undefined ? [] : [behavior(owner.name, { filters: ofEvents })]),
        ...spent,
        ...filters.filter(isOfPersons),
      ],
      ...{ orderBy: [`created_at ${takeWay(asked)}`], limit: 100 },
    },
    events: [event],
  };
};

/** The only event with the properties of all filters: "who gave us 1 star" names it by its stars. */
function onlyWith(asked: Asked, filters: readonly JsonObject[]): EventInfo | undefined {
  const [event, another] = [...asked.index.events.values()].filter(({ properties }) =>
    filters.every(({ type, key }) => type === "event" && properties.has(String(key))),
  );
  return another === undefined ? event : undefined;
}

/** The filter that a noun such as "customers" implies, unless the question names its event too. */
function nounOf(people: People | undefined, deeds: readonly Deed[]): JsonObject[] {
  const base = people?.base ?? null;
  if (base === null || deeds.some(({ event, isNot }) => event.name === base && !isNot)) return [];
  return [people?.isReturning === true ? repeated(base) : behavior(base)];
}

const isOfPeople = (asked: Asked, lead: Item): boolean => {
  const next = isTagged(lead, "WHO") ? lead : asked.beside(lead, 1);
  return isTagged(next, ...PEOPLE, "WHO") || (next?.part?.kind === "ev" && next.part.isDoer);
};

/** Whether "who" follows another noun, as in "how many people who". It does not start a list then. */
const isLed = (asked: Asked, lead: Item): boolean =>
  asked.items
    .slice(0, lead.at)
    .some(
      (item) =>
        item.part !== undefined || isTagged(item, "COUNT", "SHARE", "PERSON", "VISITOR", "PAYER"),
    );

/** Whether a count is of people of a kind, as in "how many students". */
const isOfKind = (asked: Asked): boolean => {
  const count = asked.find("COUNT");
  const target = count === undefined ? undefined : asked.beside(count, 1);
  return (
    target?.part?.kind === "filter" &&
    /[^s]s$/.test(target.part.text) &&
    isCondition(target, isOfPerson)
  );
};

/** Whether a count without a condition is of all people: "how many persons", "how many users are there". */
const isOfAll = (asked: Asked, noun: Item, labels: readonly Label[]): boolean => {
  const { when, items } = asked;
  if (labels.length > 0 || when.interval !== undefined || when.compare !== undefined) return false;
  if (when.habits !== undefined || asked.has("IS_NEW", "RETURNING", "ACTIVE", "SHARE"))
    return false;
  return (
    /^persons?$/.test(noun.word) || items.some(({ word }) => /^(?:there|have|exist)$/.test(word))
  );
};

/** "How many persons have the plan pro": people by their current properties. */
export const personsNow = (asked: Asked, labels: readonly Label[]): Draft | undefined => {
  const noun = asked.find("PERSON");
  const isOfUsers = noun !== undefined && /^(?:persons?|people|users?|members?)$/.test(noun.word);
  if (!isOfUsers && !(noun === undefined && isOfKind(asked))) return undefined;
  const { when } = asked;
  if (asked.events().length > 0 || when.span !== undefined) return undefined;
  const isOfSome = asked.conditions().length > 0;
  if (!isOfSome && (noun === undefined || !isOfAll(asked, noun, labels))) return undefined;
  if (!asked.has("COUNT", "DIFFERENT") || !areOfPersons(asked)) return undefined;
  use(noun);
  asked.takeAll("COUNT", "DIFFERENT");
  const properties = takeFilters(asked, [null]);
  return { query: { kind: "ActorsQuery", select: ["count()"], properties }, events: [null] };
};
