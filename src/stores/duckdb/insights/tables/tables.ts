import type { TableReads } from "../../../../core/ports/insights/tables.ts";
import { propertyFiltersOf } from "../../../../core/queries/behavior.ts";
import type { EventFilters } from "../../../../core/queries/query-fields.ts";
import { PAGE_BYTES_MAX } from "../../../../core/values/page.ts";
import { rows } from "../../engine/duckdb.ts";
import type { ApiReads } from "../../engine/query-deadline.ts";
import { readableColumns } from "../../events/hot-columns.ts";
import { eventRow, withoutSeq } from "../../lists/events.ts";
import { type Omitted, omittedProperties } from "../../lists/omitted-properties.ts";
import { binder, checkPatterns } from "../../lists/property-filter.ts";
import { eventTables } from "../event-tables.ts";
import type { NoteUse } from "../queries.ts";
import type { Target } from "../statement.ts";
import { aggregatedRow, aggregatedSql, eventsSql } from "./events.ts";
import { personCountSql, personRow, personsSql } from "./persons.ts";

/** Lists persons and events in DuckDB. */
export function tableReads(reads: ApiReads, noteUse: NoteUse = () => undefined): TableReads {
  type Sql = (target: Target, omitted: Omitted) => string;
  type Reading = { project: number; filters: EventFilters; signal: AbortSignal };
  const run = ({ project, filters, signal }: Reading, sql: Sql, more: object = {}) =>
    reads.read(signal, async (connection) => {
      const used = new Set<string>();
      const beganMs = performance.now();
      await checkPatterns(connection, propertyFiltersOf(filters), "query__properties");
      const promoted = await readableColumns(connection);
      const omitted = await omittedProperties(connection, project);
      const onUse = (property: string) => used.add(property);
      const { bind, values } = binder();
      const source = eventTables({ project, promoted, omitted, onUse }, bind);
      try {
        const text = sql({ bind, project, source }, omitted);
        return await rows(connection, text, { ...values, ...more });
      } finally {
        noteUse(used, performance.now() - beganMs);
      }
    });
  return {
    async persons(project, plan, signal) {
      const reading = { project, filters: plan.query.filters, signal };
      const found = await run(reading, (target, omitted) => personsSql(target, plan, omitted));
      return found.map(personRow);
    },
    async countPersons(project, plan, signal) {
      const reading = { project, filters: plan.query.filters, signal };
      const [found] = await run(reading, (target, omitted) =>
        personCountSql(target, plan, omitted),
      );
      return Number(found?.["count"] ?? 0);
    },
    async events(project, plan, signal) {
      const reading = { project, filters: plan.query.filters, signal };
      const bytes = { bytes: PAGE_BYTES_MAX };
      const found = await run(reading, (target) => eventsSql(target, plan), bytes);
      const events = found.slice(0, plan.query.limit).map((row) => withoutSeq(eventRow(row)));
      return { rows: events, isMore: Number(found[0]?.["places"] ?? 0) > events.length };
    },
    async aggregated(project, plan, signal) {
      const reading = { project, filters: plan.query.filters, signal };
      const found = await run(reading, (target) => aggregatedSql(target, plan));
      return found.map((row) => aggregatedRow(row, plan.query.columns));
    },
  };
}
