import type { EventsPlan, TableCell } from "../../../../core/ports/insights/tables.ts";
import type { EventColumn } from "../../../../core/queries/tables/events.ts";
import { isAggregate } from "../../../../core/queries/tables/events.ts";
import { eventsInPlace } from "../../lists/events.ts";
import { nameCondition } from "../funnel-attempts.ts";
import { type EventScan, eventScan, type Target, TIME } from "../statement.ts";

/**
 * Returns a SELECT of the events of a part, with the count of their places; one place more than asked for says that more
 * follow. Its parameter `bytes` bounds them.
 */
export function eventsSql(target: Target, plan: EventsPlan): string {
  const { limit, offset, order } = plan.query;
  const { scan, conditions } = scanOf(target, plan);
  const columns = ["events.rowid AS row", `${TIME}`, "events.seq"];
  const way = order[0]?.isDescending === false ? "ASC" : "DESC";
  return eventsInPlace(
    [
      scan.named("found AS", columns, conditions),
      `place AS MATERIALIZED (
    SELECT * FROM found ORDER BY "timestamp" ${way}, seq ${way} LIMIT ${limit + 1} OFFSET ${offset}
  )`,
    ],
    way,
  );
}

/** Returns a SELECT of aggregated rows, with a column for each of the query, named by its place. */
export function aggregatedSql(target: Target, plan: EventsPlan): string {
  const { columns, order, limit, offset } = plan.query;
  const { scan, conditions } = scanOf(target, plan);
  const named = columns.map((column, at) => ({ column, name: `column_${at}` }));
  const keys = named.filter(({ column }) => !isAggregate(column));
  const found = [
    `${TIME} AS t`,
    ...keys.map(({ column, name }) => `${keyOf(scan, column)} AS ${name}`),
  ];
  const shown = named.map(({ column, name }) =>
    isAggregate(column) ? `${aggregateOf(column)} AS ${name}` : name,
  );
  const nameOf = ({ name }: EventColumn) =>
    named.find(({ column }) => column.name === name)?.name ?? "1";
  const by = order.map(({ by, isDescending }) => {
    return `${nameOf(by)} ${isDescending ? "DESC" : "ASC"} NULLS LAST`;
  });
  const groups = keys.map(({ name }) => name);
  const table = scan.named("found AS", found, conditions);
  return `WITH ${table}
SELECT ${shown.join(", ")} FROM found
${groups.length === 0 ? "" : `GROUP BY ${groups.join(", ")}`}
ORDER BY ${[...by, ...groups].join(", ")} LIMIT ${limit + 1} OFFSET ${offset}`;
}

function scanOf(target: Target, { query, person, period }: EventsPlan) {
  const { bind } = target;
  const scan = eventScan(target, period);
  const names = query.events.map((event) => ({ event }));
  const conditions = [
    ...scan.within(),
    ...(names.length === 0 ? [] : nameCondition(target, names)),
    ...(person === null ? [] : [`${scan.person()} = ${bind(person, "UUID")}`]),
    ...query.bounds.map(({ by, time }) => `${TIME} ${by} ${bind(time, "TIMESTAMP")}`),
    scan.isOf({ event: null, filters: query.filters }, "events"),
  ];
  return { scan, conditions };
}

const TIME_FORMAT = "'%Y-%m-%dT%H:%M:%S.%fZ'";

function keyOf(scan: EventScan, column: EventColumn): string {
  if (!("is" in column)) return scan.text({ type: column.of }, column.property);
  if (column.is === "person_id") return `${scan.person()}::VARCHAR`;
  if (column.is === "timestamp") return `strftime(${TIME}, ${TIME_FORMAT})`;
  return `events.${column.is}`;
}

function aggregateOf(column: EventColumn): string {
  const is = "is" in column ? column.is : "";
  if (is === "count()") return "count(*)::DOUBLE";
  return `strftime(${is === "min(timestamp)" ? "min" : "max"}(t), ${TIME_FORMAT})`;
}

/** Reads a row of {@link aggregatedSql}. */
export const aggregatedRow = (row: Record<string, unknown>, columns: readonly unknown[]) =>
  columns.map((_, at) => (row[`column_${at}`] ?? null) as TableCell);
