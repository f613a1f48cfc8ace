import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { SqlCell, SqlLimits, SqlQuery, SqlReads, SqlTable } from "../../../core/ports/sql.ts";
import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { exactJson, type Json, type JsonObject } from "../../../core/values/json.ts";
import { type Duckdb, quoted, rows } from "../engine/duckdb.ts";
import { untilAborted } from "../engine/query-deadline.ts";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES } from "./allowed.ts";
import { countedAggregates } from "./calls.ts";
import { cellOf } from "./cells.ts";
import { checkSql } from "./check.ts";
import { bindFailure, failureOf, refused } from "./faults.ts";
import { type Page, paged } from "./pages.ts";
import { placeholders } from "./placeholders.ts";
import { rewritten } from "./rewrite.ts";
import { HOGQL_TEMPLATES, readTemplates, type Templates } from "./templates.ts";
import { readableSql } from "./text.ts";
import { viewsOf } from "./views.ts";

/** Runs SQL in the event store, within the server's process (decision 149). */
export function sqlReads(duckdb: Duckdb): SqlReads {
  type Prepared = { sql: string; page: Page };
  const run = async (
    project: number,
    { timezone, limits }: { timezone: string; limits: SqlLimits },
    prepare: (connection: DuckDBConnection) => Promise<Prepared>,
  ): Promise<SqlTable> => {
    try {
      return await duckdb.readOnNewConnection((connection, catalog) =>
        untilAborted(connection, limits.signal, async () => {
          if (timezone !== "UTC") await connection.run(`SET TimeZone = ${quoted(timezone)}`);
          const { sql, page } = await prepare(connection);
          for (const view of viewsOf(project, { catalog, timezone }, sql))
            await connection.run(view);
          await connection.run("BEGIN TRANSACTION READ ONLY");
          const result = await start(connection, sql);
          return { sql, ...(await readTable(result, limits, { page, timezone })) };
        }),
      );
    } catch (error) {
      throw failureOf(error);
    }
  };
  return {
    names: { functions: SQL_FUNCTION_NAMES, types: SQL_TYPE_NAMES.split(", ") },
    run: (project, query, limits) =>
      run(project, { timezone: query.moment.timezone, limits }, (connection) =>
        checkedSql(connection, query),
      ),
  };
}

/**
 * Checks a statement and returns it as DuckDB writes it from its parse tree. That text is checked again, so a
 * difference between text and tree does no harm.
 */
async function checkedSql(connection: DuckDBConnection, query: SqlQuery) {
  const { fill, bound } = placeholders(query);
  const { sql: plain, columns } = readableSql(query.text, fill);
  const read = await treeOf(connection, plain);
  if (parsed(read)["error"] !== false) checkSql(parsed(read), SQL_VIEWS, plain);
  const templates = await templatesOf(connection, query.moment.timezone === "UTC");
  const made = rewritten(templates, bound(exactJson(read)), plain, columns);
  const { tree, page } = paged(made, query.limit);
  const sent = JSON.stringify(tree);
  checkSql(parsed(sent), SQL_VIEWS, plain);
  const [sql = ""] = await textsOf(connection, [
    countedAggregates(exactJson(sent.replace(DOUBLE, asCast))),
  ]);
  checkSql(parsed(await treeOf(connection, sql)), SQL_VIEWS, sql);
  return { sql, page };
}

/** The SQL that HogQL becomes, by whether the project is on UTC; it is the same for each statement. */
const known = new Map<boolean, Templates>();

async function templatesOf(connection: DuckDBConnection, isUtc: boolean): Promise<Templates> {
  const texts = HOGQL_TEMPLATES.map((one) =>
    isUtc ? one.replaceAll("TIMESTAMPTZ", "TIMESTAMP") : one,
  );
  const read = async () => rows(connection, TREES_OF_TEXTS, { texts: JSON.stringify(texts) });
  const templates =
    known.get(isUtc) ??
    readTemplates(
      (await read()).map(({ tree }) => exactJson(String(tree)) as JsonObject),
      isUtc,
    );
  known.set(isUtc, templates);
  return templates;
}

const TREES_OF_TEXTS = `SELECT json_serialize_sql('SELECT ' || sql)::VARCHAR AS tree
  FROM (SELECT unnest(from_json($texts::JSON, '["VARCHAR"]')) AS sql)`;

/** A floating number in a tree. No text matches, because quotes in texts are escaped. */
const DOUBLE =
  /\{"class":"CONSTANT","type":"VALUE_CONSTANT",("alias":"(?:[^"\\]|\\.)*","query_location":\d+,)"value":\{"type":\{"id":"DOUBLE","type_info":null\},"is_null":false,"value":([^}"]+)\}\}/g;

// DuckDB writes a floating number as a DECIMAL, which changes results and overflows early.
function asCast(_: string, named: string, number: string): string {
  const text = `{"class":"CONSTANT","type":"VALUE_CONSTANT",${named}"value":{"type":{"id":"VARCHAR","type_info":null},"is_null":false,"value":"${number}"}}`;
  return `{"class":"CAST","type":"OPERATOR_CAST",${named}"child":${text},"cast_type":{"id":"DOUBLE","type_info":null},"try_cast":false}`;
}

/** Returns the texts of statements as DuckDB writes them. */
async function textsOf(connection: DuckDBConnection, trees: readonly Json[]): Promise<string[]> {
  if (trees.length === 0) return [];
  const found = await rows(connection, TEXTS_OF_TREES, {
    trees: JSON.stringify(trees.map((tree) => JSON.stringify(tree))),
  });
  return found.map(({ sql }) => String(sql));
}

const TEXTS_OF_TREES = `SELECT json_deserialize_sql(tree::JSON) AS sql
  FROM (SELECT unnest(from_json($trees::JSON, '["VARCHAR"]')) AS tree)`;

async function treeOf(connection: DuckDBConnection, text: string): Promise<string> {
  const sql = "SELECT json_serialize_sql($text::VARCHAR)::VARCHAR AS tree";
  const [row] = await rows(connection, sql, { text });
  return String(row?.["tree"]);
}

// DuckDB writes numbers that are not finite, which neither JSON nor DuckDB can read.
function parsed(tree: string): JsonObject {
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
  const types = result.columnTypes();
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
