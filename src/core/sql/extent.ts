import { Failure } from "../values/failure.ts";
import { isNothing, isObject, type Json, type JsonObject } from "../values/json.ts";

/** What a part of a query comes to at most. */
export type Extent = {
  /** How many parts it has once every name that stands for others is written out. */
  size: number;
  /**
   * How many times longer a text may be than the longest of those that are stored and short; what
   * may be long counts as LONG_TEXT of them.
   */
  growth: number;
  /** How many parts stand within each other, with what names stand for. */
  depth: number;
};

/** The extent of what is nothing, or has a name of its own. */
export const LEAF: Extent = { size: 1, growth: 1, depth: 1 };

/** Columns whose texts may have a megabyte; those of all others are short. */
const LONG_COLUMNS: ReadonlySet<string> = new Set(
  "properties whole_properties attributes resource_attributes instrumentation_scope body".split(
    " ",
  ),
);

/** How much a long text counts for: five of them may be put together, and sixty short ones. */
const LONG_TEXT = 12;

/** The growth of a column by its name in lower case. */
export const growthOf = (column: string) => (LONG_COLUMNS.has(column) ? LONG_TEXT : 1);

/** A table that a query reads, or another query. */
export type SqlTable = Extent & { columns: number };

/** What a part of a query may name. */
export type Scope = {
  /** The statement, to say where something is. */
  text: string;
  /** Queries with names (WITH), by name in lower case. */
  ctes: ReadonlyMap<string, SqlTable>;
  /** Those of them that were named anywhere. */
  used: Set<SqlTable>;
  /** Names of tables in FROM, in lower case. */
  tables: Set<string>;
  /** Names of the columns that are selected so far: they may be used again. */
  aliases: Map<string, Extent>;
  /** The most of what the tables in FROM have. */
  growth: number;
  /** Looks at a query within the query. */
  query(node: JsonObject, scope: Scope): SqlTable;
};

/** Where a failure of SQL is found in a body. */
export const SQL_ATTR = "query__query";

const REPEATED_CHARS_MAX = 80;

/** Fails `invalid_input` for a part of the statement, with its line and column. */
export function refuse(what: string, node: Json | undefined, text: string): never {
  const at = isObject(node) ? node["query_location"] : undefined;
  const known = typeof at === "number" && at < new TextEncoder().encode(text).length;
  throw new Failure("invalid_input", what + (known ? ` ${placeOf(at, text)}` : ""), SQL_ATTR);
}

/** Line and column, from 1, of a place in a text that is counted in bytes of UTF-8. */
export function placeOf(at: number, text: string): string {
  const before = new TextDecoder().decode(new TextEncoder().encode(text).slice(0, at));
  const lines = before.split("\n");
  return `(line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
}

/** A name as it is repeated in a failure. */
export function named(name: Json | undefined): string {
  return JSON.stringify(String(name).slice(0, REPEATED_CHARS_MAX));
}

/** A name as DuckDB compares it: of ASCII letters alone, the case does not count. */
export function folded(name: Json | undefined): string {
  return String(name).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The objects in a list of the tree. */
export function nodesIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

const ALWAYS_KNOWN = ["type", "class", "alias", "query_location"];

/** Fails for every field with something in it that is not among `known`: nothing is passed over. */
export function onlyWith(node: JsonObject, known: readonly string[], text: string): void {
  for (const [field, value] of Object.entries(node)) {
    if (ALWAYS_KNOWN.includes(field) || known.includes(field) || isNothing(value)) continue;
    refuse(`${field.toUpperCase()} is not allowed here.`, node, text);
  }
}

/** The extents of several parts as one: what comes out is one of them. */
export function together(extents: readonly Extent[]): Extent {
  return extents.reduce(
    (all, { size, growth, depth }) => ({
      size: all.size + size,
      growth: Math.max(all.growth, growth),
      depth: Math.max(all.depth, depth + 1),
    }),
    LEAF,
  );
}
