import type { CellOf, FunnelRow, PlanOf } from "../../../core/ports/insights.ts";
import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import type { Period } from "../../../core/queries/period.ts";
import { attemptsSql, nameCondition, numbersTo } from "./funnel-attempts.ts";
import { byFollowing } from "./funnel-ordered.ts";
import {
  actorsSelect,
  breakdownOf,
  eventScan,
  isOfLine,
  joinedWith,
  type Row,
  type Statement,
  type Target,
  TIME,
  topColumns,
  topValues,
  valueColumns,
} from "./statement.ts";

/**
 * Returns the statement of a funnel. Every event of the first step begins an attempt, and the best attempt of a
 * person counts.
 */
export function funnelSql(target: Target, funnel: Funnel, period: Period): Statement {
  const { steps, order, exclusions, breakdown } = funnel;
  const isFast = target.project !== null && order === "ordered" && exclusions.length === 0;
  const tables = isFast
    ? byFollowing(target, funnel, period)
    : [matchedSql(target, funnel, period), ...attemptsSql(target, funnel)];
  const all = isFast ? "sum(persons)" : "count(*)";
  const numbers = numbersOf(steps.length, all);
  if (breakdown === null) return { tables, select: `SELECT ${numbers}\nFROM best` };
  const top = topColumns("top_values");
  tables.push(topValues("top_values", "best", all, breakdown));
  const select = `SELECT ${valueColumns(top)},
  ${numbers}
${joinedWith("top_values", "best")}
GROUP BY ${top.join(", ")}
ORDER BY is_other, persons_1 DESC, breakdown NULLS LAST`;
  return { tables, select };
}

/** Returns the statement of the persons who came to a step of a funnel, or were lost before it. */
export function funnelActors(
  target: Target,
  { query: funnel, period }: PlanOf<"FunnelsQuery">,
  { step, line }: CellOf["FunnelsQuery"],
): Statement {
  const tables = [matchedSql(target, funnel, period), ...attemptsSql(target, funnel)];
  const times = numbersTo(funnel.steps.length).map((one) => `WHEN ${one} THEN t_${one}`);
  tables.push(`reached AS (
  SELECT *, CASE depth ${times.join(" ")} END AS t FROM best
)`);
  const conditions = [step > 0 ? `depth >= ${step}` : `depth = ${-step - 1}`];
  const shared = { count: "max(depth)", conditions };
  if (funnel.breakdown === null || line === null) {
    return { tables, select: actorsSelect({ ...shared, from: "FROM reached" }) };
  }
  tables.push(topValues("top_values", "best", "count(*)", funnel.breakdown));
  const value = { breakdown: "reached.breakdown", isOther: "(top_values.is_top IS NULL)" };
  conditions.push(...isOfLine(target, line, value));
  return { tables, select: actorsSelect({ ...shared, from: joinedWith("top_values", "reached") }) };
}

/** Returns columns: the persons who reached each step, and their seconds since the step before. */
function numbersOf(steps: number, all: string): string {
  const later = numbersTo(steps).slice(1);
  const secondsOf = (step: number, aggregate: string) =>
    `${aggregate}(epoch_us(t_${step}) - epoch_us(t_${step - 1})) FILTER (depth >= ${step}) / 1000000`;
  const numbers = [
    `${all} AS persons_1`,
    ...later.map((step) => `${all} FILTER (depth >= ${step}) AS persons_${step}`),
    ...later.map((step) => `${secondsOf(step, "avg")} AS average_s_${step}`),
    ...later.map((step) => `${secondsOf(step, "median")} AS median_s_${step}`),
  ];
  return numbers.join(",\n  ");
}

/** Returns the table of a funnel's events, with a column for each step and each exclusion. */
function matchedSql(
  target: Target,
  { steps, order, exclusions, breakdown }: Funnel,
  period: Period,
): string {
  const scan = eventScan(target, period);
  const is = (node: Exclusion | Funnel["steps"][number]) => `(${scan.isOf(node)})`;
  const columns = [
    `${scan.person()} AS person_id`,
    `${TIME} AS t`,
    "events.seq",
    ...steps.map((step, index) => `${is(step)} AS is_${index + 1}`),
    ...exclusions.map((exclusion, index) => `${is(exclusion)} AS is_excluded_${index + 1}`),
    ...(breakdown === null ? [] : [`${scan.value(breakdown)} AS breakdown`]),
  ];
  // In a strict funnel, any event between two steps ends the attempt.
  const among = order === "strict" ? [] : nameCondition(target, [...steps, ...exclusions]);
  return scan.named("matched AS", columns, [...scan.within(), ...among]);
}

/** Reads a row of a funnel with `steps` steps; undefined if no person began. */
export function funnelRow(row: Row, steps: number): FunnelRow | undefined {
  const each = (name: string) =>
    numbersTo(steps).map((step) => (row[`${name}_${step}`] ?? null) as number | null);
  const persons = each("persons").map((count) => count ?? 0);
  if (persons[0] === 0) return undefined;
  return { ...breakdownOf(row), persons, average_s: each("average_s"), median_s: each("median_s") };
}
