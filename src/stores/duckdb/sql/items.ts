import { ARRAY_JOIN, isJsonColumn, isView } from "./names.ts";
import { intervalOf, isDate, isText, isTextList, isTime, zoneOf } from "./nodes.ts";
import {
  constant,
  folded,
  isNode,
  lastName,
  MOMENT,
  NAME,
  type Node,
  named,
  namesOf,
  nodesIn,
  numberIn,
  rebuilt,
  refuse,
  TEXT,
  unnamed,
  ZONE,
  ZONES,
} from "./tree.ts";

/** Marks of expressions, by their names in lower case. */
export type Marks = readonly [name: string, mark: Partial<Node>][];

/** Functions that take a part of a list or of JSON. */
export const OF_PLACES = /^(?:arrayelement|(?:list|array)_extract|list_element)$/;

/** Aggregates as HogQL names them, with `If` and two pairs of brackets too. */
export const OF_ROWS =
  /^(?:count(?:distinct)?|uniq\w*|sum|avg|min|max|any|median|quantiles?|topk|group(?:uniq)?array|arg(?:min|max)|(?:stddev|var)(?:pop|samp))(?:if)?(?:\(\))?$/;

/** Returns the name of a selected expression, in lower case. */
const nameOfItem = (item: Node): string => folded(item.alias || item[NAME] || lastName(item));

/** Returns the selected expression that a name alone means. */
export const selected = (by: Node, items: readonly Node[] = []): Node | undefined =>
  namesOf(by).length === 1 ? items.find((item) => nameOfItem(item) === lastName(by)) : undefined;

/**
 * Returns the selected expression, or its place, that the name of one in GROUP BY is, also where a column has that
 * name; undefined of all else, and of aggregates, in whose place the column is meant.
 */
export function grouped(by: Node, items: readonly Node[]): Node | undefined {
  const at = items.findLastIndex(({ alias }) => alias && folded(alias) === lastName(by));
  const item = namesOf(by).length === 1 ? items[at] : undefined;
  if (item === undefined || hasAggregate(item)) return undefined;
  return items.some((one) => one.class === "STAR") ? unnamed(item) : constant(at + 1);
}

/**
 * Returns the columns of an answer with their names, those of texts that are shown as numbers where they are, and the
 * zones of those on the clock of another zone, by name in lower case.
 */
export function shownAs(select: Node, columns: readonly string[]) {
  const items = nodesIn(select["select_list"]);
  const numbers = new Set<string>();
  const zones = new Map(select[ZONES]);
  const shown = items.map((item, index) => {
    const isPlain = item.class === "COLUMN_REF" || item.class === "STAR";
    const text = items.length === columns.length && !isPlain ? columns[index] : undefined;
    const alias = item.alias || (item[NAME] ?? text ?? "");
    if (item[TEXT] === "number") numbers.add(alias);
    const zone = zoneOf(item);
    if (zone !== undefined) zones.set(folded(alias || lastName(item)), zone);
    return { ...item, alias };
  });
  return { numbers, zones, shown };
}

/** Returns the mark of a selected expression that is the text of a property, a date or a time, with its name. */
export function markOf(item: Node): Marks {
  const name = nameOfItem(item);
  const [list] = item.function_name === "unnest" ? nodesIn(item.children) : [];
  if (isText(item) || (list !== undefined && isTextList(list))) return [[name, { [TEXT]: "text" }]];
  if (isTextList(item)) return [[name, { [TEXT]: "list" }]];
  if (item[TEXT] === "json" || isJsonColumn(lastName(item))) return [[name, { [TEXT]: "json" }]];
  if (isDate(item)) return [[name, { [MOMENT]: "date" }]];
  if (!isTime(item) || intervalOf(item) !== undefined) return [];
  return [[name, { [MOMENT]: "time", [ZONE]: zoneOf(item) }]];
}

/** Returns the zones of columns on the clock of another zone, of a SELECT that has all columns of its tables. */
export function zonesOf(items: readonly Node[], marks: ReadonlyMap<string, Partial<Node>>) {
  const all = items.some((item) => item.class === "STAR") ? [...marks] : [];
  const zones = all.map(([name, { [ZONE]: zone = "" }]) => [name, zone] as const);
  return new Map(zones.filter(([, zone]) => zone !== ""));
}

/** Returns the first SELECT of a query, also of UNION and the like. */
export function firstSelect(query: unknown): Node | undefined {
  let node = isNode(query) ? (query["node"] as Node | undefined) : undefined;
  while (node?.type === "SET_OPERATION_NODE") node = node.left ?? nodesIn(node.children)[0];
  return node;
}

/** Returns a UNION and the like; fails where properties would be ordered as texts. */
export function checkedUnion(node: Node): Node {
  const items = nodesIn(firstSelect({ node })?.["select_list"]);
  for (const { expression: by } of nodesIn(node["modifiers"]).flatMap((one) =>
    nodesIn(one["orders"]),
  )) {
    const place = numberIn(by as Node);
    const item = items.find(
      (one, index) => index === place - 1 || nameOfItem(one) === lastName(by as Node),
    );
    if (item !== undefined && isText(item)) {
      refuse(
        "ORDER BY of a property after UNION: write SELECT * FROM (… UNION ALL …) AS u ORDER BY it.",
        by as Node,
      );
    }
  }
  return node;
}

/** Returns the marks of the columns of a rewritten query. */
export const marksOf = (query: unknown): Marks =>
  nodesIn(firstSelect(query)?.["select_list"]).flatMap(markOf);

const AGGREGATES =
  /"class":"WINDOW"|"function_name":"(?:list|count|count_star|count_?if|sum|avg|mean|min|max|any_value|median|mode|quantile(?:_\w+)?|approx_\w+|arg_?m\w+|m(?:in|ax)_by|(?:stddev|var|bool|bit|covar|regr)_(?!count")\w+|stddev|variance|corr|product)"/;

/** Returns whether a rewritten expression has an aggregate or OVER in it, outside of a query in it. */
export const hasAggregate = (node: Node): boolean =>
  AGGREGATES.test(JSON.stringify(node, (field, part) => (field === "subquery" ? null : part)));

/** Returns whether DuckDB does not take the name of an expression in others. */
export const isUnnamed = (node: Node): boolean =>
  /"class":"SUBQUERY"|"function_name":"error"/.test(JSON.stringify(node));

/** The column of a join with a list. */
export const listName = (at: number): string => `${ARRAY_JOIN} ${at + 1}`;

/**
 * Returns a FROM with a row for each value of the list of an arrayJoin, in which names of selected expressions stand
 * for them. `join` is the tree of such a FROM.
 */
export function withList(
  table: unknown,
  list: Node,
  { at, items, join }: { at: number; items: readonly Node[]; join: Node },
): unknown {
  const written = rebuilt(list, (node) => {
    const [name, ...more] = namesOf(node);
    const item = items.find((one) => more.length === 0 && one.alias && one.alias === name);
    return item === undefined ? node : unnamed(item);
  });
  const made = rebuilt(join, (node) => {
    if (node.class === "PARAMETER") return written;
    if (node.alias === ARRAY_JOIN) return { ...node, alias: listName(at) };
    if (node.alias === "array join") return { ...node, alias: `list ${at + 1}` };
    return isView("events", node) ? table : node;
  });
  return isNode(table) && table.type === "EMPTY" ? made.right : made;
}

/** Fails `invalid_input` for a name in whose place a large expression would stand too often. */
export const tooOften = (name: string, at: Node): never =>
  refuse(`${named(name)} is used too often: select it in a subquery of FROM.`, at);
