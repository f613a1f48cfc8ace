import type { Plan } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Breakdown } from "../../../core/queries/query-fields.ts";
import { seriesLabel } from "../../../core/queries/trend.ts";
import { compiled } from "../insights/compile.ts";
import { sqlOf } from "../insights/target.ts";
import { letterOf } from "../insights/trends.ts";
import { remark } from "./statement.ts";
import { eventViews, literal } from "./views.ts";

/**
 * A query as SQL over the public views, with remarks (decision 89). It is the query as it runs, without
 * the faster forms, and finds the same numbers.
 */
export function insightDraft(plan: Plan): string {
  const remarks = [...remarksOf(plan), timeRemark(plan)];
  const source = eventViews(plan.timezone);
  const { statements, order } = compiled(plan);
  const all = statements.map((compile) => compile({ bind: literal, project: null, source }));
  const tables = [...new Set(all.flatMap((one) => one.tables))];
  const select = all.map((one) => one.select).join("\nUNION ALL\n");
  const sql = sqlOf({ tables, select: order === "" ? select : `${select}\nORDER BY ${order}` });
  return `${remarks.map((line) => `-- ${line}\n`).join("")}${sql};\n`;
}

function remarksOf({ query }: Plan): string[] {
  switch (query.kind) {
    case "TrendsQuery": {
      const { formula } = query;
      return [
        ...query.series.map((one, at) => `${letterOf(at)} is ${remark(seriesLabel(one))}.`),
        ...(formula === null ? [] : [`The formula ${remark(formula.text)} is of these numbers.`]),
        `By ${query.interval}; a row without a bucket is of the whole time.`,
        ...breakdownRemark(query.breakdown),
      ];
    }
    case "FunnelsQuery": {
      const steps = query.steps.map(({ name }) => remark(name)).join(", then ");
      return [
        `Funnel of ${steps} (${query.order}): persons who came to each step, and their seconds from the step before.`,
        ...breakdownRemark(query.breakdown),
      ];
    }
    case "RetentionQuery": {
      const [target, returning] = [query.target, query.returning].map(({ name }) => remark(name));
      return [
        `Persons who began with ${target} in a ${query.interval}, and came back with ${returning} so many later.`,
        ...breakdownRemark(query.breakdown),
      ];
    }
    case "PathsQuery":
      return ["Ways from one place of persons' paths to the next."];
    case "LifecycleQuery": {
      const of = `${remark(query.series.name)} by ${query.interval}`;
      return [`Persons of ${of}: new, returning, resurrecting, or gone (dormant).`];
    }
    case "StickinessQuery":
      return [
        ...query.series.map(({ name }, at) => `${letterOf(at)} is ${remark(name)}.`),
        `How many persons did it in how many intervals (${query.interval}).`,
      ];
  }
}

const breakdownRemark = (breakdown: Breakdown | null) =>
  breakdown === null
    ? []
    : [
        `Values of ${breakdown.by.map(({ property }) => remark(property)).join(", ")}: NULL for none; is_other is true for all other values together.`,
      ];

function timeRemark({ period, previous, timezone }: Plan): string {
  const shown = (time: string) => time.replace("T", " ").replace(/( 00:00:00)?\.000000$/, "");
  const between = ({ from, before }: Period) => `from ${shown(from)} to before ${shown(before)}`;
  const compared = previous === null ? "" : `, compared with ${between(previous)}`;
  return `Times are on the clock of ${timezone}: ${between(period)}${compared}.`;
}
