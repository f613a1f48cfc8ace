import type { Plan, PlanOf } from "../ports/insights.ts";
import type { Breakdown } from "../queries/breakdown.ts";
import type { Query } from "../queries/insight.ts";
import { PATH_GAP_MINUTES } from "../queries/path.ts";
import type { Period } from "../queries/period.ts";
import type { EventFilter, EventFilters, EventsNode } from "../queries/query-fields.ts";
import type { Series, SeriesMath } from "../queries/trend.ts";
import { commonFilters } from "../questions/sentence.ts";
import { type FilterGroup, isGroup, type PropertyTest } from "../values/property-filter.ts";

/**
 * Says in one sentence what a query counts, by what, where and when, on which clock. `isWhole`: its answer has one number
 * for the whole period.
 */
export function explanationOfPlan(plan: Plan, isWhole: boolean): string {
  const nodes = nodesOf(plan.query);
  const shared = commonFilters(nodes);
  const named = shared === undefined ? nodes : nodes.map((node) => ({ ...node, filters: [] }));
  const common = plan.query.kind === "PathsQuery" ? plan.query.filters : (shared ?? []);
  const parts = [
    measureOf(plan, named.map(nodeName), isWhole),
    ...("breakdown" in plan.query ? breakdownName(plan.query.breakdown) : []),
    ...whereName(common),
    periodName(plan),
  ];
  return `${parts.join(" ")}.`;
}

function nodesOf(query: Query): Pick<EventsNode, "event" | "filters">[] {
  switch (query.kind) {
    case "FunnelsQuery":
      return query.steps;
    case "RetentionQuery":
      return [query.target, query.returning];
    case "PathsQuery":
      return [];
    case "LifecycleQuery":
      return [query.series];
    default:
      return query.series;
  }
}

const nodeName = ({ event, filters }: Pick<EventsNode, "event" | "filters">) =>
  [event ?? "any event", ...whereName(filters)].join(" ");

/** The words for the measure; `names` has those of the events of each series. */
function measureOf(plan: Plan, names: string[], isWhole: boolean): string {
  const [name = "", other = ""] = names;
  switch (plan.query.kind) {
    case "TrendsQuery": {
      const { series, formula, interval } = plan.query;
      const all = series.map((one, at) => seriesName(one, names[at] ?? ""));
      const lines =
        formula === null
          ? all.map((one, at) => (at === 0 ? one : lower(one)))
          : all.map((one, at) => `${String.fromCharCode(65 + at)} is the ${lower(one)}`);
      const counted = lines.map((one) => one.replace(/,$/, "")).join("; ");
      // A comma ends a list of several parts, and a part that has a comma.
      const comma = lines.length > 1 || lines[0]?.endsWith(",") || formula !== null ? "," : "";
      const said = `${formula === null ? "" : `${formula.text}, where `}${counted}${comma}`;
      return isWhole ? said : `${said} per ${interval}`;
    }
    case "FunnelsQuery":
      return funnelName(plan.query, names);
    case "RetentionQuery": {
      const { interval, isFirstTime } = plan.query;
      const began = isFirstTime ? `for the first time ever had ${name}` : `had ${name}`;
      return `Persons who ${began} in a ${interval}, and how many of them had ${other} in each later ${interval},`;
    }
    case "PathsQuery":
      return pathsName(plan.query);
    case "LifecycleQuery": {
      const { interval } = plan.query;
      return `Persons with ${name} per ${interval}: new with their first one ever, returning if they had one in the ${interval} before, resurrecting if only earlier, dormant if only in the ${interval} before,`;
    }
    case "StickinessQuery":
      return `Persons by the number of ${plan.query.interval}s in which they had ${names.join(", or ")},`;
  }
}

const COUNTED: Record<SeriesMath, (name: string) => string> = {
  total: (name) => `Number of events ${name}`,
  dau: (name) => `Persons with ${name}, each counted once,`,
  weekly_active: (name) => `Persons with ${name} within 7 days, each counted once,`,
  monthly_active: (name) => `Persons with ${name} within 30 days, each counted once,`,
  unique_session: (name) => `Sessions with ${name}, each counted once,`,
  unique_group: (name) => `Groups with ${name}, each counted once,`,
  sum: (name) => `Sum of ${name}`,
  avg: (name) => `Average of ${name}`,
  min: (name) => `Minimum of ${name}`,
  max: (name) => `Maximum of ${name}`,
  median: (name) => `Median of ${name}`,
  p50: (name) => `50th percentile of ${name}`,
  p75: (name) => `75th percentile of ${name}`,
  p90: (name) => `90th percentile of ${name}`,
  p95: (name) => `95th percentile of ${name}`,
  p99: (name) => `99th percentile of ${name}`,
};

function seriesName(series: Series, name: string): string {
  const { math, math_property, math_property_of: of, event } = series;
  if (math_property !== null && of === "session") {
    return `${COUNTED[math](`${math_property} of sessions`)} with ${name}, each session counted once,`;
  }
  if (math_property !== null && of === "person") {
    return COUNTED[math](`person ${math_property} of ${name}`);
  }
  if (math_property !== null) return COUNTED[math](`${math_property} of ${name}`);
  if (math === "total" && event === null)
    return `Number of ${name.replace(/^any event/, "events")}`;
  return COUNTED[math](name);
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

const ORDERS = {
  ordered: "in this order, with any other events between",
  strict: "in this order, with no other event between",
  unordered: "in any order",
};

function funnelName(
  { order, window_s, exclusions }: PlanOf<"FunnelsQuery">["query"],
  names: string[],
): string {
  const without = exclusions.map((one) => `, without ${nodeName(one)} between`).join("");
  return `Persons who had ${names.join(", then ")}, ${ORDERS[order]}${without}, within ${durationName(window_s)},`;
}

const UNITS_S = { day: 86_400, hour: 3600, minute: 60, second: 1 };

function durationName(seconds: number): string {
  const [unit, size] = Object.entries(UNITS_S).find(([, one]) => seconds % one === 0) ?? [
    "second",
    1,
  ];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function pathsName({ start, end, types, excluded }: PlanOf<"PathsQuery">["query"]): string {
  const ends = [
    ...(start === null ? [] : [`from ${start}`]),
    ...(end === null ? [] : [`to ${end}`]),
  ];
  const over = types.join(", ").replace("custom_event", "events without a $");
  const without = excluded.length === 0 ? "" : `, without ${excluded.join(", ")}`;
  return [
    "Ways of persons from one place to the next",
    ...ends,
    `over ${over}${without}, where ${PATH_GAP_MINUTES} minutes without a step end a path,`,
  ].join(" ");
}

function breakdownName(breakdown: Breakdown | null): string[] {
  if (breakdown === null) return [];
  const names = breakdown.by.map(({ of, property }) => ownedName(of.type, property));
  return [`by ${names.join(" and ")}`];
}

const ownedName = (type: string, name: string) => (type === "event" ? name : `${type} ${name}`);

function whereName(filters: EventFilters): string[] {
  return filters.length === 0 ? [] : [`where ${filters.map(filterName).join(" and ")}`];
}

function filterName(one: EventFilter | FilterGroup<EventFilter>): string {
  if (isGroup(one)) return `(${one.of.map(filterName).join(one.any ? " or " : " and ")})`;
  const { of, filter } = one;
  return `${ownedName(of.type, filter.key)} ${testName(filter.test, filter.not)}`;
}

const TEXT_TESTS = {
  equal: ["is", "is not"],
  contains: ["contains", "does not contain"],
  starts: ["starts with", "does not start with"],
  ends: ["ends with", "does not end with"],
  matches: ["matches", "does not match"],
} as const;

function testName(test: PropertyTest, not: boolean): string {
  const negated = not ? "not " : "";
  switch (test.is) {
    case "set":
      return `is ${negated}set`;
    case "compare":
      return `is ${negated}${test.by} ${test.text}`;
    case "between":
      return `is ${negated}between ${test.from} and ${test.to}`;
    case "date":
      return `is ${negated}${rangeName(test.wall ?? test, clockText)}`;
    case "version":
      return `is ${negated}a version ${rangeName(test, (version) => version.slice(0, 3).join("."))}`;
    default:
      return `${TEXT_TESTS[test.is][not ? 1 : 0]} ${test.any.join(" or ")}`;
  }
}

function rangeName<T>(
  { from, before }: { from: T | null; before: T | null },
  text: (one: T) => string,
): string {
  const parts = [
    ...(from === null ? [] : [`from ${text(from)} on`]),
    ...(before === null ? [] : [`before ${text(before)}`]),
  ];
  return parts.join(" and ");
}

function periodName({ query, period, previous, timezone }: Plan): string {
  const all = query.dateRange.date_from === "all" ? "over all time, " : "";
  const compared = previous === null ? "" : `, compared with ${spanName(previous)}`;
  // The first interval of a lifecycle is only there to compare with.
  const from = query.kind === "LifecycleQuery" ? (period.buckets[1] ?? period.from) : period.from;
  return `${all}${spanName({ ...period, from })} (${timezone})${compared}`;
}

const spanName = ({ from, before }: Pick<Period, "from" | "before">) =>
  `from ${clockText(from)} until before ${clockText(before)}`;

const clockText = (wall: string) => wall.replace("T", " ").replace(/( 00:00:00)?\.\d+Z?$/, "");
