import type { Plan } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Breakdown } from "../../../core/queries/query-fields.ts";
import { seriesLabel } from "../../../core/queries/trend.ts";
import { draftFunnel } from "./funnel.ts";
import { draftPaths } from "./paths.ts";
import { draftLifecycle, draftRetention } from "./retention.ts";
import { draftStickiness, draftTrends, letterOf } from "./trends.ts";

/**
 * A query as SQL over the views of decision 81, with remarks, as somebody would write it by hand: it
 * finds the same numbers (decision 89).
 */
export function insightDraft(plan: Plan): string {
  const { remarks, sql } = draftOf(plan);
  const told = [...remarks, ...timeOf(plan)];
  return `${told.map((remark) => `-- ${remark}\n`).join("")}${sql};\n`;
}

/** A name in a remark: as JSON it has no line end, which would end the remark. */
const said = (name: string) => JSON.stringify(name);

function draftOf(plan: Plan): { remarks: string[]; sql: string } {
  const { query } = plan;
  switch (query.kind) {
    case "TrendsQuery": {
      const { formula } = query;
      const remarks = [
        ...query.series.map((one, at) => `${letterOf(at)} is ${said(seriesLabel(one))}.`),
        ...(formula === null ? [] : [`The formula ${said(formula.text)} is of these numbers.`]),
        `By ${query.interval}; a row without a bucket is of the whole time.`,
        ...valuesOf(query.breakdown),
      ];
      return { remarks, sql: draftTrends({ ...plan, query }) };
    }
    case "FunnelsQuery": {
      const steps = query.steps.map(({ name }) => said(name)).join(", then ");
      const remarks = [
        `Funnel of ${steps} (${query.order}): persons who came to each step, and their seconds from the step before.`,
        ...valuesOf(query.breakdown),
      ];
      return { remarks, sql: draftFunnel({ ...plan, query }) };
    }
    case "RetentionQuery": {
      const [target, returning] = [query.target, query.returning].map(({ name }) => said(name));
      const remarks = [
        `Persons who began with ${target} in a ${query.interval}, and came back with ${returning} so many later.`,
        ...valuesOf(query.breakdown),
      ];
      return { remarks, sql: draftRetention({ ...plan, query }) };
    }
    case "PathsQuery":
      return {
        remarks: ["Ways from one place of persons' paths to the next."],
        sql: draftPaths({ ...plan, query }),
      };
    case "LifecycleQuery": {
      const of = `${said(query.series.name)} by ${query.interval}`;
      const remarks = [`Persons of ${of}: new, returning, resurrecting, or gone (dormant).`];
      return { remarks, sql: draftLifecycle({ ...plan, query }) };
    }
    case "StickinessQuery": {
      const remarks = [
        ...query.series.map(({ name }, at) => `${letterOf(at)} is ${said(name)}.`),
        `How many persons did it in how many intervals (${query.interval}).`,
      ];
      return { remarks, sql: draftStickiness({ ...plan, query }) };
    }
  }
}

const valuesOf = (breakdown: Breakdown | null) =>
  breakdown === null
    ? []
    : [
        `Values of ${breakdown.by.map(({ property }) => said(property)).join(", ")}: NULL for none; all that are not told apart are is_other.`,
      ];

function timeOf({ period, previous, timezone }: Plan): string[] {
  const shown = (time: string) => time.replace("T", " ").replace(/( 00:00:00)?\.000000$/, "");
  const between = ({ from, before }: Period) => `from ${shown(from)} to before ${shown(before)}`;
  const clock = `on the clock of ${timezone}`;
  if (previous === null) return [`Times are ${clock}: ${between(period)}.`];
  return [`Times are ${clock}: ${between(period)}, compared with ${between(previous)}.`];
}
