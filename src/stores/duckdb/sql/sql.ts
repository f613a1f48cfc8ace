import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { SqlCell, SqlLimits, SqlQuery, SqlReads, SqlTable } from "../../../core/ports/sql.ts";
import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { exactJson } from "../../../core/values/json.ts";
import { type Duckdb, quoted, rows } from "../engine/duckdb.ts";
import { untilAborted } from "../engine/query-deadline.ts";
import { type Omitted, OWNERS, omittedProperties } from "../lists/omitted-properties.ts";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES } from "./allowed.ts";
import { countedAggregate } from "./calls.ts";
import { cellOf, numberCell, withPlaces, zonedCell } from "./cells.ts";
import { checkSql } from "./check.ts";
import { bindFailure, failureOf, refused, refuseUnread } from "./faults.ts";
import { propertyKeys } from "./hogql/property-keys.ts";
import { readableSql } from "./hogql/text.ts";
import { placeholders } from "./placeholders.ts";
import { rewritten } from "./rewrite.ts";
import { templatesOf } from "./templates.ts";
import {
  constant,
  folded,
  inText,
  isNode,
  type Node,
  nodesIn,
  numberIn,
  rebuilt,
  refuse,
} from "./tree.ts";
import { viewsOf } from "./views.ts";

/** Runs SQL in the event store, within the server's process (decision 149). */
export const sqlReads = (duckdb: Duckdb): SqlReads => ({
  names: { functions: SQL_FUNCTION_NAMES, types: SQL_TYPE_NAMES.split(", ") },
  async run(project, query, limits) {
    const { timezone } = query.moment;
    let long: string | undefined;
    try {
      return await duckdb.readOnNewConnection((connection, catalog) =>
        untilAborted(connection, limits.signal, async () => {
          if (timezone !== "UTC") await connection.run(`SET TimeZone = ${quoted(timezone)}`);
          const { sql, keys, ...read } = await checkedSql(connection, query, limits.rows);
          await connection.run("BEGIN TRANSACTION READ ONLY");
          const omitted = await omittedProperties(connection, project, catalog);
          long = longIn(keys, omitted);
          for (const view of viewsOf(project, { catalog, timezone, omitted }, { sql, keys })) {
            await connection.run(view);
          }
          const result = await start(connection, sql, query.text);
          return { sql, ...(await readTable(result, limits, { ...read, timezone })) };
        }),
      );
    } catch (error) {
      throw failureOf(error, query.text, long);
    }
  },
});

/** Returns a property that a statement reads and whose values are long; `*` where it may read any of them. */
function longIn(keys: ReadonlySet<string> | undefined, omitted: Omitted): string | undefined {
  const isLong = (name?: string) => OWNERS.some((kind) => omitted(kind, name));
  if (keys !== undefined) return [...keys].find(isLong);
  return isLong() ? "*" : undefined;
}

/**
 * Checks a statement and returns it as DuckDB writes it from its parse tree. That text is checked again, so a
 * difference between text and tree does no harm.
 */
async function checkedSql(connection: DuckDBConnection, query: SqlQuery, rowsMax: number) {
  const { fill, checkUsed } = placeholders(query);
  const { written, columns } = readableSql(query.text, fill);
  checkUsed();
  const read = await treeOf(connection, written.sql);
  if (parsed(read)["error"] !== false) refuseUnread(parsed(read), written);
  const templates = await templatesOf(connection, query.moment.timezone);
  const { numbers, zones, tree, page } = inText(written, () => {
    const made = rewritten(templates, exactJson(read) as Node, columns);
    return { ...made, ...paged(made.tree, query.limit, rowsMax) };
  });
  checkSql(parsed(JSON.stringify(tree)), SQL_VIEWS, written);
  const ran = rebuilt(tree, (node) => countedAggregate(withoutDouble(node)));
  const sql = await textFrom(connection, "json_deserialize_sql($text::JSON)", JSON.stringify(ran));
  const last = parsed(await treeOf(connection, sql));
  // Its places are not those of the text that was sent.
  checkSql(last, SQL_VIEWS);
  return { sql, keys: propertyKeys(sql, last), page, numbers, zones };
}

/** The rows of an answer. Where it must be whole, more rows than `limit` fail. */
type Page = { limit: number; offset: number; isWhole: boolean };

/**
 * Returns the tree of a statement that also reads the row after its LIMIT, which shows whether there are more. One
 * without LIMIT gets that of the query; none is larger than `rows`.
 */
function paged(tree: Node, most: number | null, rows: number): { tree: Node; page: Page } {
  const [statement, ...others] = nodesIn(tree["statements"]);
  const node = statement?.["node"];
  if (!isNode(node) || others.length > 0) return refuse("One SELECT is expected.");
  const modifiers = nodesIn(node["modifiers"]);
  const own = modifiers.find(({ type }) => type?.startsWith("LIMIT"));
  const { limit: written = null, offset: skipped = null } = own ?? {};
  const asked = isNode(written) ? countIn(own, written) : (most ?? Number.POSITIVE_INFINITY);
  const offset = isNode(skipped) && skipped.value?.is_null !== true ? countIn(own, skipped) : 0;
  const limit = Math.min(asked, rows);
  const more = { type: "LIMIT_MODIFIER", offset: skipped, limit: constant(limit + 1) };
  const whole = { ...node, modifiers: [...modifiers.filter((one) => one !== own), more] };
  return {
    tree: { ...tree, statements: [{ ...statement, node: whole }] },
    page: { limit, offset, isWhole: most === null && asked > rows },
  };
}

/** Returns the number of LIMIT or OFFSET; infinite of LIMIT ALL. Fails where it is not written out. */
function countIn(modifier: Node | undefined, count: Node): number {
  if (count.value?.is_null === true) return Number.POSITIVE_INFINITY;
  const number = numberIn(count);
  if (modifier?.type === "LIMIT_MODIFIER" && Number.isInteger(number) && number >= 0) return number;
  const detail =
    "LIMIT and OFFSET take numbers of rows that are written out, as in LIMIT 100 OFFSET 200.";
  return refuse(detail, count);
}

/** DuckDB writes a floating number as a DECIMAL, which changes results and overflows early; a cast stays. */
function withoutDouble(node: Node): Node {
  const { alias = "", query_location = 0, value } = node;
  if (node.class !== "CONSTANT" || value?.type?.id !== "DOUBLE" || value.is_null === true) {
    return node;
  }
  return {
    ...{ class: "CAST", type: "OPERATOR_CAST", alias, query_location, try_cast: false },
    ...{ child: constant(JSON.stringify(value.value)) },
    cast_type: { id: "DOUBLE", type_info: null },
  };
}

const treeOf = (connection: DuckDBConnection, text: string) =>
  textFrom(connection, "json_serialize_sql($text::VARCHAR)::VARCHAR", text);

async function textFrom(connection: DuckDBConnection, sql: string, text: string): Promise<string> {
  const [row] = await rows(connection, `SELECT ${sql} AS made`, { text });
  return String(row?.["made"]);
}

// DuckDB writes numbers that are not finite, which neither JSON nor DuckDB can read.
function parsed(tree: string): Node {
  try {
    return JSON.parse(tree);
  } catch {
    throw refused("A number in the SQL is too large.");
  }
}

async function start(
  connection: DuckDBConnection,
  sql: string,
  text: string,
): Promise<DuckDBResult> {
  const prepared = await connection.prepare(sql).catch((error: Error) => {
    throw bindFailure(error, text) ?? error;
  });
  const { StatementType } = await import("@duckdb/node-api");
  if (prepared.statementType !== StatementType.SELECT) throw new Error("Not a SELECT");
  return await prepared.stream();
}

/** How the columns of an answer are shown: by name those of numbers, and those on the clock of another zone. */
type Shown = {
  page: Page;
  numbers: ReadonlySet<string>;
  zones: ReadonlyMap<string, string>;
  timezone: string;
};

/** Cells that are read at once; the server does other work between. */
const CELLS_AT_ONCE = 20_000;

async function readTable(
  result: DuckDBResult,
  limits: SqlLimits,
  { page, numbers, zones, timezone }: Shown,
): Promise<Omit<SqlTable, "sql">> {
  const types = result.columnTypes().map(withPlaces);
  const names = result.columnNames();
  const isNumber = names.map((name) => numbers.has(name));
  const zoneAt = names.map((name) => zones.get(folded(name)));
  const { limit, offset, isWhole } = page;
  const cells: SqlCell[][] = [];
  let bytes = 0;
  let read = 0;
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    limits.signal.throwIfAborted();
    const columns = types.map((_, index) => chunk.getColumnVector(index));
    columns.map(({ type }) => withPlaces(type));
    for (let at = 0; at < chunk.rowCount; at += 1) {
      const row = columns.map((column) => column.getItem(at));
      bytes += row.reduce((sum: number, value) => sum + bytesOf(value), 0);
      if (bytes > limits.bytes) {
        throw refused(`The answer has more than ${limits.bytes} bytes. Select less.`);
      }
      const cell = (value: DuckDBValue, index: number) =>
        (isNumber[index] && numberCell(value)) ||
        zonedCell(value, zoneAt[index]) ||
        cellOf(value, types[index] as DuckDBType, timezone);
      cells.push(row.map(cell));
      read += columns.length;
      if (read < CELLS_AT_ONCE) continue;
      read = 0;
      await Bun.sleep(0);
      limits.signal.throwIfAborted();
    }
  }
  const hasMore = cells.length > limit;
  if (hasMore && isWhole) {
    const ways = `LIMIT ${limit} and OFFSET ${limit} read the next ones; JSON says in hasMore whether there are any`;
    throw refused(`A table has at most ${limit} rows, and this one has more: ${ways}.`);
  }
  return {
    columns: names,
    types: types.map((type, at) => (isNumber[at] ? "JSON" : (type.alias ?? type.toString()))),
    rows: hasMore ? cells.slice(0, limit) : cells,
    ...{ limit, offset, hasMore },
  };
}

function bytesOf(value: DuckDBValue): number {
  if (typeof value === "string") return value.length;
  const items = typeof value === "object" && value !== null && "items" in value ? value.items : [];
  return items.reduce((sum: number, item) => sum + bytesOf(item), 8);
}
