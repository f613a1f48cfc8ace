import type { InsightQueries, MentionedName } from "../ports/insights.ts";
import type { Query } from "../queries/insight.ts";
import type { Table } from "../queries/tables/table.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { closestNames } from "../values/similar-names.ts";
import type { Asking } from "./answers.ts";

/** Names of one query that are looked up. */
const MENTIONED_MAX = 50;

type Needs = { queries: Pick<InsightQueries, "missing" | "names"> };

/**
 * Returns a sentence for each name of a query that nothing in the project has: its number is 0, or its condition no
 * help, and nothing else in the answer would say so. `groups` are the names of the types of groups, by index.
 */
export async function unknownNames(
  { queries }: Needs,
  query: Query | Table,
  { project, signal }: Asking,
  groups: readonly string[],
): Promise<string[]> {
  const { names, indexes } = mentionedIn(query);
  const missing = names.length === 0 ? [] : await queries.missing(project, names, signal);
  const known = missing.length === 0 ? undefined : await queries.names(project, signal);
  const types =
    groups.map((name, index) => `${index} is ${name}`).join(", ") || "no group has come";
  return [
    ...missing.map(({ of, name }) => {
      const others = of === "event" ? known?.events : of === "event_property" && known?.properties;
      return `${WORDS[of](JSON.stringify(name))}${meant(name, others || [])}`;
    }),
    ...indexes
      .filter((index) => groups[index] === undefined)
      .map((index) => `No type of groups has the index ${index} yet: ${types}.`),
  ];
}

const WORDS: Record<MentionedName["of"], (name: string) => string> = {
  event: (name) => `No event ${name} has come yet.`,
  event_property: (name) => `No event has had a property ${name} yet.`,
  person_property: (name) => `No person has a property ${name}.`,
  group_property: (name) => `No group has a property ${name}.`,
};

function meant(name: string, others: readonly { name: string }[]): string {
  const folded = (one: string) => one.toLowerCase();
  const all = others.map((one) => one.name);
  const [closest] = closestNames(folded(name), all, folded);
  return closest === undefined || closest.like === 0
    ? ""
    : ` Did you mean ${JSON.stringify(closest.name)}?`;
}

const OWNERS: Readonly<Record<string, MentionedName["of"]>> = {
  event: "event_property",
  first_touch: "event_property",
  person: "person_property",
  group: "group_property",
};

/** Returns the names of events and properties in a query, and the indexes of types of groups, each once. */
function mentionedIn(query: Query | Table): { names: MentionedName[]; indexes: number[] } {
  const names = new Map<string, MentionedName>();
  const indexes = new Set<unknown>();
  const walk = (part: Json): void => {
    if (Array.isArray(part)) part.forEach(walk);
    if (!isObject(part)) return;
    for (const [of, name] of namesIn(part)) {
      if (of !== undefined && typeof name === "string") names.set(`${of} ${name}`, { of, name });
    }
    indexes.add(part["math_group_type_index"]).add(part["group_type_index"]);
    for (const value of Object.values(part)) walk(value);
  };
  walk(query as unknown as Json);
  return {
    names: [...names.values()].slice(0, MENTIONED_MAX),
    indexes: [...indexes].filter((one) => typeof one === "number"),
  };
}

/** Names that a part of a query may have itself: a node, a list of events, a condition, a column, a value or a math. */
function namesIn(part: JsonObject): [of: MentionedName["of"] | undefined, name: unknown][] {
  const { of = null, filter = null, property, events, math_property: calculated } = part;
  const owner = isObject(of) ? of["type"] : of;
  const several = Array.isArray(events) ? events : [];
  return [
    ...[part["event"], ...several, ...(owner === "event_metadata" ? eventsIn(filter) : [])].map(
      (name) => ["event", name] as ["event", unknown],
    ),
    [OWNERS[String(owner)], isObject(filter) ? filter["key"] : property],
    [OWNERS[String(part["math_property_of"])], calculated],
    [part["what"] === "sum" ? "event_property" : undefined, property],
  ];
}

/** Names of events in a filter of the type `event_metadata`. */
function eventsIn(filter: Json): Json[] {
  const { key, test = null } = isObject(filter) ? filter : {};
  const any = key === "event" && isObject(test) && test["is"] === "equal" ? test["any"] : [];
  return Array.isArray(any) ? any : [];
}
