import type { TableReads } from "../../ports/insights/tables.ts";
import type { PersonReads } from "../../ports/persons/reads.ts";
import { sourceOf } from "../../queries/insight.ts";
import type { Period } from "../../queries/period.ts";
import type { Column, TablePart } from "../../queries/tables/columns.ts";
import { readTable } from "../../queries/tables/table.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import { fitting } from "../../values/page.ts";
import { isoTime } from "../../values/time.ts";
import { type AnswerNeeds, type Asking, groupNames } from "../answers.ts";
import { explanationOf, sentenceOf } from "../sentence/sentence.ts";
import { unknownNames } from "../unknown-names.ts";
import { eventRows, eventsPeriod } from "./events.ts";
import { personRows } from "./persons.ts";

/** The answer to a query of rows. */
export type TableAnswer = {
  /** As they were asked for. */
  columns: string[];
  /** The name and the type of each column: one of {@link COLUMN_TYPES}. */
  types: [name: string, type: string][];
  results: Json[][];
  /** Whether more rows follow those of this part. */
  hasMore: boolean;
  limit: number;
  /** Rows before this part. */
  offset: number;
  /** The query as it was understood, without a node around it. */
  query: JsonObject;
  /** Words that ask the same. */
  sentence: string;
  /** The rows, the conditions and the period, in one sentence. */
  explanation: string;
  /** As those of an answer about events. */
  warnings?: string[];
  /** The time up to which events count, ISO 8601 in UTC. */
  calculated_at: string;
};

/** The needs of such an answer. */
export type TableNeeds = AnswerNeeds & {
  tables: TableReads;
  persons: Pick<PersonReads, "read" | "owners" | "find">;
};

/** Rows of a table, at most one more than were asked for, and what they are. */
export type TableRows = { rows: Json[][]; isMore?: boolean; period?: Period };

/** Returns the answer. Fails as `readTable`, and `query_timeout`. */
export async function tableAnswer(
  needs: TableNeeds,
  sent: JsonObject,
  asking: Asking,
): Promise<TableAnswer> {
  const table = readTable(sent, asking.moment);
  const {
    rows,
    isMore,
    period = null,
  } = table.kind === "ActorsQuery"
    ? await personRows(needs, table, asking)
    : await eventRows(needs, table, asking);
  const groups = await groupNames(needs, asking.project);
  const warnings = await unknownNames(needs, table, asking, groups);
  const isGrouped = table.kind === "EventsQuery" && table.isAggregated;
  return {
    columns: table.columns.map(({ name }) => name),
    types: table.columns.map((column) => [column.name, typeOf(column, isGrouped)]),
    ...partOf(rows, table, isMore),
    ...(warnings.length === 0 ? {} : { warnings }),
    query: sourceOf(sent),
    sentence: sentenceOf(sourceOf(sent), { groups }),
    explanation: explanationOf(sourceOf(sent), period, {
      timezone: asking.moment.timezone,
      groups,
    }),
    calculated_at: isoTime(asking.moment.now),
  };
}

/** Says in one sentence which rows a query asks for. Fails as `readTable`. */
export async function tableExplanation(
  needs: AnswerNeeds,
  sent: JsonObject,
  asking: Asking,
): Promise<string> {
  const table = readTable(sent, asking.moment);
  const period = table.kind === "EventsQuery" ? await eventsPeriod(needs, table, asking) : null;
  const groups = await groupNames(needs, asking.project);
  return explanationOf(sourceOf(sent), period, { timezone: asking.moment.timezone, groups });
}

function partOf(rows: Json[][], { limit, offset }: TablePart, isMore = false) {
  const shown = rows.slice(0, limit);
  const { rows: results, isCut } = fitting(shown, (row) => Buffer.byteLength(JSON.stringify(row)));
  return { results, hasMore: isMore || isCut || rows.length > limit, limit, offset };
}

/** The types of columns but properties, named as DuckDB's. */
const COLUMN_TYPES: Record<string, string> = {
  ...{ "*": "JSON", person: "JSON", id: "UUID", uuid: "UUID", person_id: "UUID" },
  ...{ email: "VARCHAR", event: "VARCHAR", distinct_id: "VARCHAR", "count()": "BIGINT" },
  ...{ created_at: "TIMESTAMP", timestamp: "TIMESTAMP" },
  ...{ "min(timestamp)": "TIMESTAMP", "max(timestamp)": "TIMESTAMP" },
};

// Rows are grouped by the text of a property, as those of a breakdown are.
function typeOf(column: Column<string>, isGrouped: boolean): string {
  if ("is" in column) return COLUMN_TYPES[column.is] ?? "JSON";
  return isGrouped ? "VARCHAR" : "JSON";
}
