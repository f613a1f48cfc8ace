import type { DuckDBValue } from "@duckdb/node-api";
import type { PersonsPlan } from "../../../../core/ports/insights/tables.ts";
import { type BehaviorFilter, isBehavior } from "../../../../core/queries/behavior.ts";
import type { AnyFilter } from "../../../../core/queries/query-fields.ts";
import type { PersonColumn } from "../../../../core/queries/tables/persons.ts";
import { folded } from "../../../../core/values/case-folding.ts";
import { filtersIn } from "../../../../core/values/property-filter.ts";
import { PROPERTY_COLUMNS, propertyColumn } from "../../../loads/person-columns.ts";
import { omittedPersons, personsMeeting, type Search } from "../../lists/omitted-properties.ts";
import {
  type Bind,
  binder,
  groupMet,
  numberOf,
  passes,
  pointer,
  textIn,
} from "../../lists/property-filter.ts";
import { personFacts } from "../behaviors.ts";
import { eventScan, IS_ACTIVITY, type Target } from "../statement.ts";

/** The parts of a SELECT of persons. */
type Selection = { tables: string[]; from: string; where: string };

/** Returns a SELECT of a part of the persons of a plan, with one more if more follow. */
export async function personsSql(search: Search, target: Target, plan: PersonsPlan) {
  const { tables, from, where } = await selectionOf(search, target, plan);
  const { order, limit, offset } = plan.query;
  const { bind } = target;
  const by = order.flatMap(({ by, isDescending }) =>
    sortedBy(by, bind).map((sql) => `${sql} ${isDescending ? "DESC" : "ASC"} NULLS LAST`),
  );
  const last = order[0]?.isDescending === true ? "DESC" : "ASC";
  return `WITH ${tables.join(", ")}
SELECT population.id::DOUBLE AS id, population.uuid::VARCHAR AS uuid
${from} WHERE ${where}
ORDER BY ${[...by, `population.id ${last} NULLS LAST`, `population.uuid ${last}`].join(", ")}
LIMIT ${limit + 1} OFFSET ${offset}`;
}

/** Returns a SELECT of the number of the persons of a plan. */
export async function personCountSql(search: Search, target: Target, plan: PersonsPlan) {
  const { tables, from, where } = await selectionOf(search, target, plan);
  return `WITH ${tables.join(", ")}\nSELECT count(*)::DOUBLE AS count ${from} WHERE ${where}`;
}

async function selectionOf(
  search: Search,
  target: Target,
  { query, owners, period }: PersonsPlan,
): Promise<Selection> {
  const { bind } = target;
  const behaviors = personFacts((own) => eventScan(target, own), period, bind);
  const met = await metBy(search, query.filters);
  const one = (filter: AnyFilter) =>
    isBehavior(filter) ? behaviors.passes(filter, "population.uuid") : met(filter, bind);
  const filtered = groupMet({ any: false, of: query.filters }, one);
  const part = query.search;
  const searched =
    part === null
      ? []
      : [
          `(contains(population.email, ${bind(folded(part))}) OR population.id IN ${idsIn(owners, bind)})`,
        ];
  const conditions = [...(query.filters.length === 0 ? [] : [filtered]), ...searched];
  const columns = ["id", "uuid", "created_at", "email", ...PROPERTY_COLUMNS].join(", ");
  const known = `SELECT ${columns} FROM persons WHERE project_id = ${bind(search.project, "INTEGER")}`;
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

/** A condition on a property of persons, the only ones that a list of them takes. */
type Leaf = Exclude<AnyFilter, BehaviorFilter>;

/**
 * Returns a function to the condition that a person meets a filter. The few persons of whom the projection omits the
 * property are tested with those of the person store.
 */
async function metBy(search: Search, filters: PersonsPlan["query"]["filters"]) {
  const leaves = filtersIn({ any: false, of: filters }).filter(
    (one): one is Leaf => !isBehavior(one),
  );
  const conditionOf = ({ filter }: Leaf, bind: Bind) =>
    passes(filter, (at) => textIn(at, propertyColumn(filter.key)), bind);
  const found = new Map<Leaf, { omitted: number[]; meeting: number[] }>();
  for (const leaf of leaves) {
    const { key } = leaf.filter;
    const omitted = await omittedPersons(search, [key]);
    if (omitted.length === 0) continue;
    const { values, bind } = binder();
    const where = conditionOf(leaf, bind);
    const meeting = await personsMeeting(search, omitted, [key], { where, values });
    found.set(leaf, { omitted, meeting });
  }
  return (leaf: Leaf, bind: Bind): string => {
    const condition = conditionOf(leaf, bind);
    const apart = found.get(leaf);
    if (apart === undefined) return condition;
    const [omitted, meeting] = [idsIn(apart.omitted, bind), idsIn(apart.meeting, bind)];
    return `CASE WHEN population.id IN ${omitted} THEN population.id IN ${meeting} ELSE ${condition} END`;
  };
}

/** Returns SQL of what persons are sorted by: numbers before other texts. */
function sortedBy(column: PersonColumn, bind: Bind): string[] {
  if ("is" in column) {
    return [column.is === "id" ? "population.uuid" : `population.${column.is}`];
  }
  const text = textIn(bind(pointer(column.property)), propertyColumn(column.property));
  return [numberOf(`(${text})`), text];
}

/** A row of persons. */
export const personRow = ({ id, uuid }: Record<string, DuckDBValue>) => ({
  id: id === null || id === undefined ? null : Number(id),
  uuid: String(uuid),
});
