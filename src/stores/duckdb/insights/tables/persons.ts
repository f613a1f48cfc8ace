import type { DuckDBValue } from "@duckdb/node-api";
import type { PersonsPlan } from "../../../../core/ports/insights/tables.ts";
import { isBehavior } from "../../../../core/queries/behavior.ts";
import type { AnyFilter } from "../../../../core/queries/query-fields.ts";
import type { PersonColumn } from "../../../../core/queries/tables/persons.ts";
import { folded } from "../../../../core/values/case-folding.ts";
import { PROPERTY_COLUMNS } from "../../../loads/person-columns.ts";
import { type Omitted, textOf } from "../../lists/omitted-properties.ts";
import { type Bind, groupMet, numberOf, passes, pointer } from "../../lists/property-filter.ts";
import { personFacts } from "../behaviors.ts";
import { eventScan, IS_ACTIVITY, type Target } from "../statement.ts";

/** The parts of a SELECT of persons. */
type Selection = { tables: string[]; from: string; where: string };

/** Returns a SELECT of a part of the persons of a plan, with one more if more follow. */
export function personsSql(target: Target, plan: PersonsPlan, omitted: Omitted) {
  const { tables, from, where } = selectionOf(target, plan, omitted);
  const { order, limit, offset } = plan.query;
  const { bind } = target;
  const by = order.flatMap(({ by, isDescending }) =>
    sortedBy(by, omitted, bind).map((sql) => `${sql} ${isDescending ? "DESC" : "ASC"} NULLS LAST`),
  );
  const last = order[0]?.isDescending === true ? "DESC" : "ASC";
  return `WITH ${tables.join(", ")}
SELECT population.id::DOUBLE AS id, population.uuid::VARCHAR AS uuid
${from} WHERE ${where}
ORDER BY ${[...by, `population.id ${last} NULLS LAST`, `population.uuid ${last}`].join(", ")}
LIMIT ${limit + 1} OFFSET ${offset}`;
}

/** Returns a SELECT of the number of the persons of a plan. */
export function personCountSql(target: Target, plan: PersonsPlan, omitted: Omitted) {
  const { tables, from, where } = selectionOf(target, plan, omitted);
  return `WITH ${tables.join(", ")}\nSELECT count(*)::DOUBLE AS count ${from} WHERE ${where}`;
}

function selectionOf(
  target: Target,
  { query, owners, period }: PersonsPlan,
  omitted: Omitted,
): Selection {
  const { bind, project } = target;
  const behaviors = personFacts((own) => eventScan(target, own), period, bind);
  const one = (filter: AnyFilter) =>
    isBehavior(filter)
      ? behaviors.passes(filter, "population.uuid")
      : passes(filter.filter, textOf("person", filter.filter.key, omitted), bind);
  const filtered = groupMet({ any: false, of: query.filters }, one);
  const part = query.search;
  const searched =
    part === null
      ? []
      : [
          `(contains(population.email, ${bind(folded(part))}) OR population.id IN ${idsIn(owners, bind)})`,
        ];
  const conditions = [...(query.filters.length === 0 ? [] : [filtered]), ...searched];
  const columns = [
    "id",
    "uuid",
    "created_at",
    "email",
    "whole_properties",
    ...PROPERTY_COLUMNS,
  ].join(", ");
  const known = `SELECT ${columns} FROM persons WHERE project_id = ${bind(project ?? 0, "INTEGER")}`;
  const tables = behaviors.isEmpty()
    ? [`population AS (\n  ${known}\n)`]
    : [
        ...behaviors.tables(),
        ownersOfEvents(target, period),
        `known AS (\n  ${known}\n)`,
        `population AS (
  FROM known UNION ALL BY NAME SELECT owners.uuid FROM owners ANTI JOIN known USING (uuid)
)`,
      ];
  return {
    tables,
    from: ["FROM population", ...behaviors.joins()].join("\n"),
    where: conditions.join("\n  AND ") || "true",
  };
}

/** Returns the table of everybody who has an event, also without a profile. */
function ownersOfEvents(target: Target, period: PersonsPlan["period"]): string {
  const scan = eventScan(target, period);
  const owner = `DISTINCT ${scan.person()} AS uuid`;
  const all = [...scan.within({ everBefore: true }), IS_ACTIVITY];
  return scan.named("owners AS", [owner], all);
}

/** SQL of a list of integer ids. */
const idsIn = (ids: readonly number[], bind: Bind): string =>
  `(SELECT unnest(from_json(${bind(JSON.stringify(ids))}::JSON, '["BIGINT"]')))`;

/** Returns SQL of what persons are sorted by: numbers before other texts. */
function sortedBy(column: PersonColumn, omitted: Omitted, bind: Bind): string[] {
  if ("is" in column) {
    return [column.is === "id" ? "population.uuid" : `population.${column.is}`];
  }
  const text = textOf("person", column.property, omitted)(bind(pointer(column.property)));
  return [numberOf(`(${text})`), text];
}

/** A row of persons. */
export const personRow = ({ id, uuid }: Record<string, DuckDBValue>) => ({
  id: id === null || id === undefined ? null : Number(id),
  uuid: String(uuid),
});
