import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { isExactNumber, isObject, type Json, type JsonObject } from "../../../core/values/json.ts";
import { folded } from "./extent.ts";

/** The meanings of names in one SELECT. */
export type From = {
  tables: JsonObject[];
  /** The relations of its events that it uses. */
  relations: Set<string>;
  /** Columns of its subqueries that are texts of a property, in lower case. */
  texts: Set<string>;
  /** Whether it is a condition of JOIN. */
  isJoin: boolean;
  /** The selected expressions, for ORDER BY. */
  items?: readonly JsonObject[];
  /** The name of a lambda. */
  own?: string;
};

/** The meaning of a name: a column of a table, and keys in it. */
export type Found = {
  table: string[];
  column: string;
  path: string[];
  /** The relation of events that has the column. */
  relation: string | null;
};

const GROUPS = [0, 1, 2, 3, 4];

const columnsOf = (relation: string): string[] =>
  relation === "session" ? Object.keys(SQL_VIEWS["sessions"] ?? {}) : ["properties", "created_at"];

const joining = (relation: string, join: string) => {
  const columns = columnsOf(relation).map((name) => `r."${name}" AS "${relation}.${name}"`);
  return `* FROM (SELECT e.*, ${columns.join(", ")} FROM events e LEFT JOIN ${join}) AS events`;
};

/** Selections of events with what `person.`, `session.` and `group_0.` find, by that name. */
export const HOGQL_RELATIONS: Readonly<Record<string, string>> = {
  person: joining("person", "persons r ON r.uuid = e.person_id"),
  session: joining("session", `sessions r ON r.session_id = e."$session_id"`),
  ...Object.fromEntries(
    GROUPS.map((index) => [
      `group_${index}`,
      joining(
        `group_${index}`,
        `groups r ON r.type_index = ${index} AND r.key = e."$group_${index}"`,
      ),
    ]),
  ),
};

/** Names of PostHog for columns of events, of its relations and of groups. */
const OTHER_NAMES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    events: { created_at: "ingested_at" },
    groups: { index: "type_index" },
    sessions: { id: "session_id", timestamp: "$start_timestamp" },
    person: { id: "person_id", uuid: "person_id" },
    session: { id: "$session_id", session_id: "$session_id" },
    ...Object.fromEntries(GROUPS.map((index) => [`group_${index}`, { key: `$group_${index}` }])),
  }).map(([relation, names]) => [relation, new Map(Object.entries(names))]),
);

/** Returns the tables of a FROM. */
export function tablesIn(node: Json | undefined): JsonObject[] {
  if (!isObject(node)) return [];
  return node["type"] === "JOIN" ? [node["left"], node["right"]].flatMap(tablesIn) : [node];
}

/** Returns whether a table of FROM is one of the views. */
export const isView = (name: string, table: JsonObject | undefined): boolean =>
  table?.["type"] === "BASE_TABLE" && folded(table["table_name"]) === name;

/** Returns the name by which a query calls a table, in lower case. */
export const nameOf = (table: JsonObject): string =>
  folded(table["alias"] || table["table_name"] || "");

/** Returns whether a column, with or without the name of its table, is of a view. */
export function isOf(view: string, table: readonly string[], { tables }: From): boolean {
  const [name] = table;
  return name === undefined
    ? tables.length === 1 && isView(view, tables[0])
    : tables.some((one) => nameOf(one) === folded(name) && isView(view, one));
}

/**
 * Reads a name such as `e.person.properties.email`; undefined if it is a column of a table as it is. A relation
 * without such a column is returned with an empty column.
 */
export function foundIn(names: readonly string[], from: From): Found | undefined {
  const isTable = names.length > 1 && from.tables.some((one) => nameOf(one) === folded(names[0]));
  const table = isTable ? names.slice(0, 1) : [];
  const own = names.slice(table.length);
  const [first = "", ...rest] = folded(own[0]) === "pdi" && own.length > 1 ? own.slice(1) : own;
  const relation = folded(first);
  if (Object.hasOwn(HOGQL_RELATIONS, relation) && rest.length > 0) {
    return inRelation(relation, rest, table);
  }
  if (relation === "properties" && rest.length > 0) {
    return { table, column: "properties", path: rest, relation: null };
  }
  const column = [...OTHER_NAMES]
    .filter(([view]) => isOf(view, table, from))
    .map(([, columns]) => columns.get(relation))[0];
  if (column !== undefined && rest.length === 0) return { table, column, path: [], relation: null };
  if (relation === "elements_chain" && isOf("events", table, from) && rest.length === 0) {
    return { table, column: "properties", path: ["$elements_chain"], relation: null };
  }
  return own[0] === first ? undefined : { table, column: first, path: [...rest], relation: null };
}

function inRelation(
  relation: string,
  [name = "", ...path]: readonly string[],
  table: string[],
): Found {
  const column = OTHER_NAMES.get(relation)?.get(folded(name));
  if (column !== undefined) return { table, column, path: [], relation: null };
  const known = columnsOf(relation).find((one) => folded(one) === folded(name));
  const isWhole = known === "properties" || path.length === 0;
  return {
    table,
    column: known !== undefined && isWhole ? `${relation}.${known}` : "",
    path,
    relation,
  };
}

/** Returns the columns of a relation, for failures. */
export const relationColumns = (relation: string): string =>
  [...(OTHER_NAMES.get(relation)?.keys() ?? []), ...columnsOf(relation)].join(", ");

/** Returns a FROM whose events have the columns of relations. `trees` are those of {@link HOGQL_RELATIONS}. */
export function withRelations(
  table: Json,
  relations: ReadonlySet<string>,
  trees: ReadonlyMap<string, JsonObject>,
): Json {
  if (!isObject(table)) return table;
  if (table["type"] === "JOIN") {
    const [left = null, right = null] = ["left", "right"].map((side) =>
      withRelations(table[side] ?? null, relations, trees),
    );
    return { ...table, left, right };
  }
  if (!isView("events", table)) return table;
  let joined: Json = { ...table, alias: "" };
  for (const relation of relations) {
    joined = placed(trees.get(relation) ?? null, joined);
  }
  return { ...(joined as JsonObject), alias: table["alias"] || "events" };
}

/** Puts a table in the place of `events e` in the tree of a relation. */
function placed(tree: Json, events: Json): Json {
  if (Array.isArray(tree)) return tree.map((part) => placed(part, events));
  if (!isObject(tree) || isExactNumber(tree)) return tree;
  if (isView("events", tree)) return { ...(events as JsonObject), alias: "e" };
  const fields = Object.entries(tree).map(([field, part]) => [field, placed(part, events)]);
  return Object.fromEntries(fields);
}
