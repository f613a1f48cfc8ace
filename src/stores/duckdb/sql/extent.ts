import { SQL_ATTR } from "../../../core/sql/tables.ts";
import { Failure } from "../../../core/values/failure.ts";
import { isNothing, isObject, type Json, type JsonObject } from "../../../core/values/json.ts";

/** Upper bounds of a part of a query. */
export type Extent = {
  /** Number of parts after each alias and query name is replaced by its definition. */
  size: number;
  /**
   * Growth of texts against the longest stored text of a short column; a long column counts as
   * LONG_TEXT of them.
   */
  growth: number;
  /** Levels of nesting, after the same replacement. */
  depth: number;
  /** Whether it has a query within an expression, after the same replacement. */
  hasQuery: boolean;
};

/** The extent of an empty part or of a single name. */
export const LEAF: Extent = { size: 1, growth: 1, depth: 1, hasQuery: false };

/** Columns whose texts may take a megabyte; all others are short. */
const LONG_COLUMNS: ReadonlySet<string> = new Set(
  "properties whole_properties attributes resource_attributes instrumentation_scope body".split(
    " ",
  ),
);

/** Growth of a long text, so that five of them, or sixty short ones, may be joined. */
const LONG_TEXT = 12;

/** Returns the growth of a column by its name in lower case. */
export const growthOf = (column: string) => (LONG_COLUMNS.has(column) ? LONG_TEXT : 1);

/** A table or subquery that a query reads. */
export type SqlTable = Extent & { columns: number };

/** Names that a part of a query may use. */
export type Scope = {
  /** The statement, for places in failures. */
  text: string;
  /** Queries with names (WITH), by name in lower case. */
  ctes: ReadonlyMap<string, SqlTable>;
  /** The queries of `ctes` that are used. */
  used: Set<SqlTable>;
  /** Names of tables in FROM, in lower case. */
  tables: Set<string>;
  /** Aliases of the columns selected so far, which later expressions may use. */
  aliases: Map<string, Extent>;
  /** Largest growth of the tables in FROM. */
  growth: number;
  /** The name of the value of a list that a lambda is about, and what the lambda is for. */
  element?: { name: string; kind: "values" | "test" };
  /** Checks a nested query. */
  query(node: JsonObject, scope: Scope): SqlTable;
};

const REPEATED_CHARS_MAX = 80;

/** Fails `invalid_input` for a part of the statement, with its line and column. */
export function refuse(what: string, node: Json | undefined, text: string): never {
  const at = isObject(node) ? node["query_location"] : undefined;
  const known = typeof at === "number" && at < new TextEncoder().encode(text).length;
  throw new Failure("invalid_input", what + (known ? ` ${placeOf(at, text)}` : ""), SQL_ATTR);
}

/** Returns line and column, from 1, of an offset in bytes of UTF-8. */
export function placeOf(at: number, text: string): string {
  const before = new TextDecoder().decode(new TextEncoder().encode(text).slice(0, at));
  const lines = before.split("\n");
  return `(line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
}

/** Returns a name as failures repeat it. */
export function named(name: Json | undefined): string {
  return JSON.stringify(String(name).slice(0, REPEATED_CHARS_MAX));
}

/** Folds a name as DuckDB does: only ASCII letters ignore case. */
export function folded(name: Json | undefined): string {
  return String(name).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the objects in a list of the tree. */
export function nodesIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

const ALWAYS_KNOWN = ["type", "class", "alias", "query_location"];

/** Fails `invalid_input` on every field that is not empty and not in `known`, so that no field escapes the check. */
export function onlyWith(node: JsonObject, known: readonly string[], text: string): void {
  for (const [field, value] of Object.entries(node)) {
    if (ALWAYS_KNOWN.includes(field) || known.includes(field) || isNothing(value)) continue;
    refuse(`${field.toUpperCase()} is not allowed here.`, node, text);
  }
}

/** Returns the extent of an expression that returns one of several parts. */
export function together(extents: readonly Extent[]): Extent {
  return extents.reduce(
    (all, { size, growth, depth, hasQuery }) => ({
      size: all.size + size,
      growth: Math.max(all.growth, growth),
      depth: Math.max(all.depth, depth + 1),
      hasQuery: all.hasQuery || hasQuery,
    }),
    LEAF,
  );
}
