import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { SqlCell, SqlLimits, SqlQuery, SqlReads, SqlTable } from "../../../core/ports/sql.ts";
import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { exactJson } from "../../../core/values/json.ts";
import { type Duckdb, quoted, rows } from "../engine/duckdb.ts";
import { untilAborted } from "../engine/query-deadline.ts";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES } from "./allowed.ts";
import { countedAggregate } from "./calls.ts";
import { cellOf, withPlaces } from "./cells.ts";
import { checkSql } from "./check.ts";
import { bindFailure, failureOf, refused, refuseUnread } from "./faults.ts";
import { readableSql } from "./hogql/text.ts";
import { placeholders } from "./placeholders.ts";
import { rewritten } from "./rewrite.ts";
import { templatesOf } from "./templates.ts";
import { constant, inText, isNode, type Node, nodesIn, numberIn, rebuilt } from "./tree.ts";
import { viewsOf } from "./views.ts";

/** Runs SQL in the event store, within the server's process (decision 149). */
export const sqlReads = (duckdb: Duckdb): SqlReads => ({
  names: { functions: SQL_FUNCTION_NAMES, types: SQL_TYPE_NAMES.split(", ") },
  async run(project, query, limits) {
    const { timezone } = query.moment;
    try {
      return await duckdb.readOnNewConnection((connection, catalog) =>
        untilAborted(connection, limits.signal, async () => {
          if (timezone !== "UTC") await connection.run(`SET TimeZone = ${quoted(timezone)}`);
          const { sql, page } = await checkedSql(connection, query);
          for (const view of viewsOf(project, { catalog, timezone }, sql)) {
            await connection.run(view);
          }
          await connection.run("BEGIN TRANSACTION READ ONLY");
          const result = await start(connection, sql);
          return { sql, ...(await readTable(result, limits, { page, timezone })) };
        }),
      );
    } catch (error) {
      throw failureOf(error);
    }
  },
});

/**
 * Checks a statement and returns it as DuckDB writes it from its parse tree. That text is checked again, so a
 * difference between text and tree does no harm.
 */
async function checkedSql(connection: DuckDBConnection, query: SqlQuery) {
  const { sql: plain, columns } = readableSql(query.text, placeholders(query));
  const read = await treeOf(connection, plain);
  if (parsed(read)["error"] !== false) refuseUnread(parsed(read), plain);
  const templates = await templatesOf(connection, query.moment.timezone === "UTC");
  const made = inText(plain, () => rewritten(templates, exactJson(read) as Node, columns));
  const { tree, page } = paged(made, query.limit);
  checkSql(parsed(JSON.stringify(tree)), SQL_VIEWS, plain);
  const ran = rebuilt(tree, (node) => countedAggregate(withoutDouble(node)));
  const sql = await textFrom(connection, "json_deserialize_sql($text::JSON)", JSON.stringify(ran));
  checkSql(parsed(await treeOf(connection, sql)), SQL_VIEWS, sql);
  return { sql, page };
}

/** The rows of an answer: all of them without a limit. */
type Page = { limit: number | null; offset: number };

/**
 * Returns the tree of a statement that also reads the row after its LIMIT, which shows whether there are more. One
 * without LIMIT gets that of `most`.
 */
function paged(tree: Node, most: number | null): { tree: Node; page: Page } {
  const everything = { tree, page: { limit: null, offset: 0 } };
  const [statement, ...others] = nodesIn(tree["statements"]);
  const node = statement?.["node"];
  if (!isNode(node) || others.length > 0) return everything;
  const modifiers = nodesIn(node["modifiers"]);
  const own = modifiers.find(({ type }) => type?.startsWith("LIMIT"));
  const { limit: written = null, offset: skipped = null } = own ?? {};
  const offset = isNode(skipped) ? numberIn(skipped) : 0;
  const limit = isNode(written) ? numberIn(written) : most;
  const isKnown = own?.type !== "LIMIT_PERCENT_MODIFIER" && Number.isSafeInteger(offset);
  if (limit === null || !Number.isSafeInteger(limit) || limit < 0 || !isKnown) return everything;
  const more = { type: "LIMIT_MODIFIER", offset: skipped, limit: constant(limit + 1) };
  const whole = { ...node, modifiers: [...modifiers.filter((one) => one !== own), more] };
  return {
    tree: { ...tree, statements: [{ ...statement, node: whole }] },
    page: { limit, offset },
  };
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

async function start(connection: DuckDBConnection, sql: string): Promise<DuckDBResult> {
  const prepared = await connection.prepare(sql).catch((error: Error) => {
    throw bindFailure(error) ?? error;
  });
  const { StatementType } = await import("@duckdb/node-api");
  if (prepared.statementType !== StatementType.SELECT) throw new Error("Not a SELECT");
  return await prepared.stream();
}

/** Cells that are read at once; the server does other work between. */
const CELLS_AT_ONCE = 20_000;

async function readTable(
  result: DuckDBResult,
  limits: SqlLimits,
  { page, timezone }: { page: Page; timezone: string },
): Promise<Omit<SqlTable, "sql">> {
  const types = result.columnTypes().map(withPlaces);
  const { limit, offset } = page;
  const most = limit !== null && limit <= limits.rows ? limit + 1 : limits.rows;
  const cells: SqlCell[][] = [];
  let bytes = 0;
  let read = 0;
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    limits.signal.throwIfAborted();
    if (cells.length + chunk.rowCount > most) {
      throw refused(`The answer has more than ${limits.rows} rows. Add a LIMIT.`);
    }
    const columns = types.map((_, index) => chunk.getColumnVector(index));
    columns.map(({ type }) => withPlaces(type));
    for (let at = 0; at < chunk.rowCount; at += 1) {
      const row = columns.map((column) => column.getItem(at));
      bytes += row.reduce((sum: number, value) => sum + bytesOf(value), 0);
      if (bytes > limits.bytes) {
        throw refused(`The answer has more than ${limits.bytes} bytes. Select less.`);
      }
      cells.push(row.map((value, index) => cellOf(value, types[index] as DuckDBType, timezone)));
      read += columns.length;
      if (read < CELLS_AT_ONCE) continue;
      read = 0;
      await Bun.sleep(0);
      limits.signal.throwIfAborted();
    }
  }
  return {
    columns: result.columnNames(),
    types: types.map((type) => type.alias ?? type.toString()),
    rows: limit === null ? cells : cells.slice(0, limit),
    ...{ limit, offset, hasMore: limit !== null && cells.length > limit },
  };
}

function bytesOf(value: DuckDBValue): number {
  if (typeof value === "string") return value.length;
  const items = typeof value === "object" && value !== null && "items" in value ? value.items : [];
  return items.reduce((sum: number, item) => sum + bytesOf(item), 8);
}
