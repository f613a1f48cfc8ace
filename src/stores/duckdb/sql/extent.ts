import type { Node } from "./tree.ts";

/** Upper bounds of a part of a query. */
export type Extent = {
  /** Number of parts after each alias and query name is replaced by its definition. */
  size: number;
  /** Growth of texts against the longest stored text of a short column; a long column counts as LONG_TEXT of them. */
  growth: number;
  /** Levels of nesting, after the same replacement. */
  depth: number;
  /** Whether it has a query within an expression, after the same replacement. */
  hasQuery: boolean;
};

/** The extent of an empty part or of a single name. */
export const LEAF: Extent = { size: 1, growth: 1, depth: 1, hasQuery: false };

/** Columns whose texts may take a megabyte; all others are short. */
const LONG_COLUMNS =
  /^(?:properties|whole_properties|attributes|resource_attributes|instrumentation_scope|body|(?:session\.)?\$urls)$/;

/** Growth of a long text, so that five of them, or sixty short ones, may be joined. */
const LONG_TEXT = 12;

/** Returns the growth of a column by its name in lower case. */
export const growthOf = (column: string) => (LONG_COLUMNS.test(column) ? LONG_TEXT : 1);

/** A table or subquery that a query reads. */
export type SqlTable = Extent & { columns: number };

/** Names that a part of a query may use. */
export type Scope = {
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
  element?: { name: string; isTest: boolean };
  /** Checks a nested query. */
  query(node: Node, scope: Scope): SqlTable;
};

/** Returns the extent of an expression that returns one of several parts. */
export function together(extents: readonly Extent[]): Extent {
  const most = (of: (extent: Extent) => number) => Math.max(...extents.map(of));
  return {
    size: extents.reduce((sum, { size }) => sum + size, 1),
    growth: Math.max(
      1,
      most(({ growth }) => growth),
    ),
    depth:
      1 +
      Math.max(
        0,
        most(({ depth }) => depth),
      ),
    hasQuery: extents.some(({ hasQuery }) => hasQuery),
  };
}
