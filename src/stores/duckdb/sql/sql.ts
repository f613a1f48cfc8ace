import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { SqlCell, SqlLimits, SqlReads, SqlTable } from "../../../core/ports/sql.ts";
import { SQL_VIEWS } from "../../../core/sql/allowed.ts";
import { countedAggregates } from "../../../core/sql/calls.ts";
import { checkSql } from "../../../core/sql/check.ts";
import { HOGQL_TEMPLATES, hogqlRewriter } from "../../../core/sql/hogql.ts";
import { readableSql } from "../../../core/sql/hogql-text.ts";
import { exactJson, type Json, type JsonObject } from "../../../core/values/json.ts";
import { ALL_PROPERTIES } from "../../loads/person-columns.ts";
import { type Duckdb, rows } from "../engine/duckdb.ts";
import { untilAborted } from "../engine/query-deadline.ts";
import { cellOf } from "./cells.ts";
import { bindFailure, failureOf, refused } from "./faults.ts";
import { sessionsOf } from "./sessions.ts";

/** Runs SQL of callers in the event store, within the server's process (decision 149). */
export function sqlReads(duckdb: Duckdb): SqlReads {
  return {
    async run(project, text, limits) {
      try {
        return await duckdb.readOnNewConnection((connection, catalog) =>
          untilAborted(connection, limits.signal, async () => {
            const sql = await checkedSql(connection, text);
            for (const view of viewsOf(project, catalog, sql)) await connection.run(view);
            await connection.run("BEGIN TRANSACTION READ ONLY");
            return { sql, ...(await readTable(await start(connection, sql), limits)) };
          }),
        );
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

/**
 * Matches a statement that may read the persons of events: by name, or by a star, a natural join or other names of columns.
 * A product is no star: a value or a call follows its sign.
 */
const MAY_READ_PERSONS =
  /person_id|\*(?! (?:["'(\d-]|(?!exclude|replace|rename)[a-z_]\w*\())|natural|columns|\bas (?:\w+|"[^"]*") ?\(/i;

/** SQL of the columns that a view computes, by view. */
const COMPUTED: Record<string, Record<string, string>> = {
  events: { person_id: "coalesce(moved.person_id, stored.person_id)" },
  persons: { properties: ALL_PROPERTIES },
};

// The connection has no current database, so a statement finds only these temporary views. To make all of them takes
// 10 ms, so only views with a name in the statement are made.
// Without use for persons, a statement over ten million events saves half of its time by not looking them up.
function viewsOf(project: number, catalog: string, statement: string): string[] {
  const hasPersons = MAY_READ_PERSONS.test(statement);
  const rowsOf = (name: string, columns: object) => {
    const selected = Object.keys(columns).map((column) => {
      const computed = name === "events" && !hasPersons ? undefined : COMPUTED[name]?.[column];
      return computed === undefined ? `stored."${column}"` : `${computed} AS "${column}"`;
    });
    const overrides =
      name !== "events" || !hasPersons
        ? ""
        : `LEFT JOIN (${overridesOf(project, catalog)}) AS moved
            ON moved.old_person_id = stored.person_id`;
    return `SELECT ${selected.join(", ")}
      FROM ${catalog}.main."${name}" AS stored ${overrides} WHERE stored.project_id = ${project}`;
  };
  const named = Object.entries(SQL_VIEWS).filter(([name]) =>
    statement.toLowerCase().includes(name),
  );
  return named.map(([name, columns]) => {
    const sql =
      name === "sessions"
        ? sessionsOf(() => rowsOf("events", SQL_VIEWS["events"] ?? {}), Object.keys(columns))
        : rowsOf(name, columns);
    return `CREATE TEMP VIEW "${name}" AS ${sql}`;
  });
}

/**
 * Returns SQL of the overrides, with a row of nulls, so that it is never empty. After a join with an empty table
 * DuckDB expects no rows, and sums in 64 bits without a check for overflow: 20 times 2^63 - 1 was -20.
 */
function overridesOf(project: number, catalog: string): string {
  return `SELECT old_person_id, person_id FROM ${catalog}.main.person_overrides
    WHERE project_id = ${project} UNION ALL SELECT NULL, NULL`;
}

/**
 * Checks a statement and returns it as DuckDB writes it from its parse tree. That text is checked again, so a
 * difference between text and tree does no harm.
 */
async function checkedSql(connection: DuckDBConnection, text: string): Promise<string> {
  const plain = readableSql(text);
  const read = await treeOf(connection, plain);
  const isRead = parsed(read)["error"] === false;
  const sent = isRead ? JSON.stringify(await rewritten(connection, read, plain)) : read;
  checkSql(parsed(sent), SQL_VIEWS, plain);
  const { tree, renamed } = countedAggregates(exactJson(sent.replace(DOUBLE, asCast)));
  const names = await textsOf(
    connection,
    renamed.map(({ was }) => was),
  );
  for (const [at, { item }] of renamed.entries()) {
    item["alias"] = names[at]?.replace(/^SELECT /, "") ?? "";
  }
  const [sql = ""] = await textsOf(connection, [tree]);
  checkSql(parsed(await treeOf(connection, sql)), SQL_VIEWS, sql);
  return sql;
}

/** Trees of what HogQL is rewritten to, which are the same for each statement. */
let rewrite: ReturnType<typeof hogqlRewriter> | undefined;

/** Returns the tree of a statement with HogQL as DuckDB's SQL. */
async function rewritten(connection: DuckDBConnection, tree: string, text: string): Promise<Json> {
  rewrite ??= hogqlRewriter(
    (await rows(connection, TREES_OF_TEXTS, { texts: JSON.stringify(HOGQL_TEMPLATES) })).map(
      (row) => exactJson(String(row["tree"])) as JsonObject,
    ),
  );
  return rewrite(exactJson(tree), text);
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

async function readTable(result: DuckDBResult, limits: SqlLimits): Promise<Omit<SqlTable, "sql">> {
  const types = result.columnTypes();
  const cells: SqlCell[][] = [];
  let bytes = 0;
  let read = 0;
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    limits.signal.throwIfAborted();
    if (cells.length + chunk.rowCount > limits.rows) {
      throw refused(`The answer has more than ${limits.rows} rows. Add a LIMIT.`);
    }
    const columns = types.map((_, index) => chunk.getColumnVector(index));
    for (let at = 0; at < chunk.rowCount; at += 1) {
      const row = columns.map((column) => column.getItem(at));
      bytes += row.reduce((sum: number, value) => sum + bytesOf(value), 0);
      if (bytes > limits.bytes) {
        throw refused(`The answer has more than ${limits.bytes} bytes. Select less.`);
      }
      cells.push(row.map((value, index) => cellOf(value, types[index] as DuckDBType)));
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
    rows: cells,
  };
}

const bytesOf = (value: DuckDBValue) => (typeof value === "string" ? value.length : 8);
