import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { ownValue } from "../../../core/values/json.ts";
import { HOGQL_COLUMNS_REFUSED } from "./hogql/refused.ts";
import { folded, isNode, type Node, rebuilt, refuse, TEXT } from "./tree.ts";

/** The meanings of names in one SELECT. */
export type From = {
  tables: Node[];
  /** The relations of its events that it uses. */
  relations: Set<string>;
  /** Marks of names by what they are: columns of its subqueries and selected expressions, in lower case. */
  marks: Map<string, Partial<Node>>;
  /** The selected expressions so far, by their names in lower case. */
  named: Map<string, Node>;
  /** Whether it is within an aggregate. */
  isAggregate?: boolean;
  /** Whether it has GROUP BY. */
  isGrouped?: boolean;
  /** Whether it is in HAVING. */
  isAfter?: boolean;
  /** Whether it is of single rows: in WHERE or GROUP BY. */
  isRow?: boolean;
  /** Lists of its arrayJoin. */
  lists: Node[];
  /** Whether it is a condition of JOIN. */
  isJoin: boolean;
  /** The selected expressions, for ORDER BY. */
  items?: readonly Node[];
  /** The name of a lambda. */
  own?: string;
};

/** Returns a scope without names of selected expressions. */
export const withoutNames = () => ({ marks: new Map(), named: new Map(), lists: [] });

/** Returns the scope of a SELECT of some tables. */
export const fromOf = (tables: Node[] = []): From => ({
  ...{ tables, relations: new Set(), isJoin: false },
  ...withoutNames(),
});

/** The meaning of a name: a column of a table, and keys in it. */
export type Found = {
  table: string[];
  column: string;
  path: readonly string[];
  /** The relation of events that has the column. */
  relation?: string;
};

/** The name of the time of a row, which no selected expression has. */
export const ROW_TIME = "timestamp of the row";

/** A FROM with a row for each value of a list. */
export const ARRAY_JOIN = "arrayJoin";

const columnsOf = (relation: string): string[] =>
  relation === "session" ? Object.keys(SQL_VIEWS["sessions"] ?? {}) : ["properties", "created_at"];

function joining(relation: string, join: string): string {
  const columns = columnsOf(relation).map((name) => `r."${name}" AS "${relation}.${name}"`);
  return `* FROM (SELECT e.*, ${columns.join(", ")} FROM events e LEFT JOIN ${join}) AS events`;
}

const ofGroups = <T>(make: (relation: string, index: number) => T) =>
  Object.fromEntries(
    [0, 1, 2, 3, 4].map((index) => [`group_${index}`, make(`group_${index}`, index)]),
  );

/** Selections of events with what `person.`, `session.` and `group_0.` find, by that name. */
export const HOGQL_RELATIONS: Readonly<Record<string, string>> = {
  person: joining("person", "persons r ON r.uuid = e.person_id"),
  session: joining("session", `sessions r ON r.session_id = e."$session_id"`),
  [ARRAY_JOIN]: `* FROM events CROSS JOIN LATERAL (SELECT unnest($1) AS "arrayJoin") AS "array join"`,
  ...ofGroups((name, index) =>
    joining(name, `groups r ON r.type_index = ${index} AND r.key = e."$${name}"`),
  ),
};

const JSON_COLUMNS = new Set(
  Object.values(SQL_VIEWS).flatMap((columns) =>
    Object.keys(columns).filter((name) => columns[name]?.type === "JSON"),
  ),
);

/** Names of the columns of tables, but those of properties. */
export const VIEW_COLUMNS: ReadonlySet<string> = new Set(
  Object.values(SQL_VIEWS)
    .flatMap((columns) => Object.keys(columns))
    .filter((name) => !name.startsWith("$")),
);

/** Returns whether a column of a table, by its name in lower case, has properties. */
export const isJsonColumn = (name: string): boolean => JSON_COLUMNS.has(name);

const RELATIONS = /^(?:person|session|group_[0-4])$/;

/** Names of PostHog for columns of events, of its relations and of groups. */
const OTHER_NAMES: Readonly<Record<string, Record<string, string>>> = {
  events: { created_at: "ingested_at" },
  groups: { index: "type_index" },
  sessions: { id: "session_id", timestamp: "$start_timestamp" },
  person: { id: "person_id", uuid: "person_id" },
  session: { id: "$session_id", session_id: "$session_id" },
  ...ofGroups((name) => ({ key: `$${name}` })),
};

/** Returns the tables of a FROM. */
export function tablesIn(node: unknown): Node[] {
  if (!isNode(node)) return [];
  return node.type === "JOIN" ? [node.left, node.right].flatMap(tablesIn) : [node];
}

/** Returns whether a table of FROM is one of the views. */
export const isView = (name: string, table: Node | undefined): boolean =>
  table?.type === "BASE_TABLE" && folded(table.table_name) === name;

/** Returns the name by which a query calls a table, in lower case. */
export const nameOf = (table: Node): string => folded(table.alias || table.table_name || "");

/** Returns whether a column, with or without the name of its table, is of a view. */
export function isOf(view: string, [name]: readonly string[], { tables }: From): boolean {
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
  const table = names.slice(0, isTable ? 1 : 0);
  const own = names.slice(table.length);
  const [first = "", ...path] = folded(own[0]) === "pdi" && own.length > 1 ? own.slice(1) : own;
  const name = folded(first);
  if (RELATIONS.test(name) && path.length > 0) return inRelation(name, path, table);
  const mark = from.marks.get([...table.map(folded), name].join("."))?.[TEXT];
  if (path.length > 0 && (isJsonColumn(name) || mark === "json")) {
    return { table, column: first, path };
  }
  if (path.length === 0 && name === "$channel_type" && isOf("events", table, from)) {
    return inRelation("session", [name], table);
  }
  if (path.length === 0) {
    const [column, ...keys] = ofPosthog(name, table, from);
    if (column !== undefined) return { table, column, path: keys };
  }
  return own[0] === first ? undefined : { table, column: first, path };
}

/** Returns the column, and the key in it, of a name that PostHog has for it. */
function ofPosthog(name: string, table: readonly string[], from: From): string[] {
  const view = Object.keys(OTHER_NAMES).find((one) => isOf(one, table, from)) ?? "";
  if (view === "events" && name === "elements_chain") return ["properties", "$elements_chain"];
  const column = ownValue(ownValue(OTHER_NAMES, view) ?? {}, name);
  return column === undefined ? [] : [column];
}

/** Returns whether the name of a selected expression may be that of a column here, too, or is read as another. */
export function hides(name: string, from: From, ctes: ReadonlyMap<string, unknown>): boolean {
  const columns = (table: Node) =>
    table.type === "BASE_TABLE" && !ctes.has(folded(table.table_name))
      ? ownValue(SQL_VIEWS, folded(table.table_name))
      : undefined;
  return (
    ownValue(HOGQL_COLUMNS_REFUSED, name) !== undefined ||
    foundIn([name], from) !== undefined ||
    from.tables.some((table) => ownValue(columns(table) ?? { [name]: {} }, name) !== undefined)
  );
}

function inRelation(relation: string, names: readonly string[], table: string[]): Found {
  const [name = "", ...path] = names;
  const column = ownValue(OTHER_NAMES[relation] ?? {}, folded(name));
  if (column !== undefined) return { table, column, path: [] };
  const known = columnsOf(relation).find((one) => folded(one) === folded(name));
  const isWhole = known === "properties" || path.length === 0;
  const isKnown = known !== undefined && isWhole;
  return { table, column: isKnown ? `${relation}.${known}` : "", path, relation };
}

/** Returns the columns of a relation, for failures. */
const relationColumns = (relation: string): string =>
  [...Object.keys(OTHER_NAMES[relation] ?? {}), ...columnsOf(relation)].join(", ");

/** Notes a relation of events that a column is of. */
export function relate({ relation, table, column }: Found, node: Node, from: From): void {
  if (relation === undefined) return;
  const hasEvents = from.tables.some((one) => isView("events", one));
  if (!hasEvents || (table.length > 0 && !isOf("events", table, from))) {
    refuse(`${relation} is known where FROM has events.`, node);
  }
  if (column === "") refuse(`${relation} has ${relationColumns(relation)}.`, node);
  from.relations.add(relation);
}

/** Returns a FROM whose events have the columns of relations. `trees` are those of {@link HOGQL_RELATIONS}. */
export const withRelations = (
  table: unknown,
  relations: ReadonlySet<string>,
  trees: Readonly<Record<string, Node>>,
): unknown => {
  if (!isNode(table)) return table;
  if (table.type === "JOIN") {
    const [left, right] = [table.left, table.right].map((side) =>
      withRelations(side, relations, trees),
    );
    return { ...table, left, right };
  }
  if (!isView("events", table) || relations.size === 0) return table;
  let joined = table;
  for (const relation of relations) {
    const events = { ...joined, alias: "e" };
    joined = rebuilt(trees[relation] ?? {}, (node) => (isView("events", node) ? events : node));
  }
  return { ...joined, alias: table.alias || "events" };
};
