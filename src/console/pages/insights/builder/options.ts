import type { Query } from "../../../api/query.ts";
import { eventTitle } from "../../../state/format.ts";
import { funnelViz, isOfTotals } from "../answer-table.ts";

type Choice = { value: string; label: string };

/** A field of a query with one value, and its control. */
export type Option = {
  /** Its place in the query, such as `funnelsFilter.binCount`. */
  path: string;
  label: string;
  /** The value that it has by default, as text. */
  usual: string;
  /** The values that it may have; without them it is a number within `range`, or a text. */
  choices?: Choice[] | ((query: Query) => Choice[]);
  range?: readonly [min: number, max: number];
  as?: "flag" | "number" | "list";
  /** Whether it always stands in the row, as a bare value or with its label; others do once they are set. */
  row?: "bare" | "labelled";
  /** Whether it has an effect in the form of the query. */
  has?: (query: Query) => boolean;
  /** Whether the server refuses it without an effect, so that it goes. */
  isStrict?: boolean;
};

/** Choices in few characters: `steps=Steps|trends=Conversion over time`. */
const of = (text: string): Choice[] =>
  text.split("|").map((one) => {
    const [value = "", label = ""] = one.split("=");
    return { value, label };
  });

const isBroken = ({ breakdownFilter = {} }: Query) =>
  breakdownFilter["breakdown"] != null || breakdownFilter["breakdowns"] != null;

/** Whether a breakdown has its values in their own order, such as hours. */
const isNatural = ({ breakdownFilter = {} }: Query) =>
  breakdownFilter["breakdown_type"] === "hogql";

/** Whether an answer has a number for each interval. */
const hasIntervals = (query: Query) =>
  query.kind === "FunnelsQuery" ? funnelViz(query) === "trends" : !isOfTotals(query);

/** The steps of a funnel, counted from 0 as queries do. */
const steps = ({ series = [] }: Query): Choice[] =>
  series.map(({ event, custom_name }, at) => ({
    value: String(at),
    label: `${at + 1}. ${custom_name || (event === null ? "All events" : eventTitle(event))}`,
  }));

const hasSeveral = ({ series = [] }: Query) => series.length > 1;

const isBetween = (query: Query) => funnelViz(query) !== "steps";
const isOfTimes = (query: Query) => funnelViz(query) === "time_to_convert";
const isByStep = (query: Query) =>
  isBroken(query) && query.funnelsFilter?.["breakdownAttributionType"] === "step";

const INTERVALS = of("hour=Hourly|day=Daily|week=Weekly|month=Monthly");
const PERIODS = of("Hour=Hourly|Day=Daily|Week=Weekly|Month=Monthly");
const UNITS = of("second=seconds|minute=minutes|hour=hours|day=days|week=weeks|month=months");
const VIEWS = of("steps=Steps|trends=Conversion over time|time_to_convert=Times to convert");
const DISPLAYS = of(
  "ActionsLineGraph=Lines|ActionsLineGraphCumulative=Lines that add up|ActionsBar=Bars|ActionsBarValue=Totals|BoldNumber=Number|ActionsTable=Table",
);
const ORDERS = of(
  "ordered=In this order|strict=In this order, nothing between|unordered=In any order",
);
const ATTRIBUTIONS = of(
  "first_touch=the first step with one|last_touch=the last step with one|all_events=all steps alike|step=one step",
);
const FORMATS = of(
  "numeric=plain numbers|currency=currency|duration=seconds|duration_ms=milliseconds|percentage=percent|percentage_scaled=percent of 1",
);
const TYPICAL = of("total=the whole|average=the average interval|median=the median interval");
const BEGUN = of("retention_recurring=Any time|retention_first_time=First time ever");
const PEOPLE_ORDERS = of(
  "created_at DESC=Newest first|created_at ASC=Oldest first|email=By e-mail address|id=By ID",
);
const EVENT_ORDERS = of("timestamp DESC=Newest first|timestamp ASC=Oldest first");
const VALUE_ORDERS = of("=as usual|desc=greatest first|asc=least first");

type More = Omit<Option, "path" | "label" | "usual">;

const row = (path: string, label: string, usual: string, more: More = {}): Option => ({
  ...{ path, label, usual, ...more },
});

const strict = { isStrict: true } as const;
const bare = { row: "bare" } as const;
const labelled = { row: "labelled" } as const;
const flag = { as: "flag" } as const;

const COMMON = {
  interval: row("interval", "Interval", "day", { choices: INTERVALS, has: hasIntervals, ...bare }),
  breakdown: [
    row("breakdownFilter.breakdown_limit", "Values shown", "25", {
      ...{ range: [1, 100], has: (query) => isBroken(query) && !isNatural(query) },
    }),
    row("breakdownFilter.breakdown_limit", "Values shown", "100", {
      range: [1, 100],
      has: isNatural,
    }),
    row("breakdownFilter.breakdown_order", "Order of values", "", {
      ...{ choices: VALUE_ORDERS, has: isBroken },
    }),
    row("breakdownFilter.breakdown_hide_other_aggregation", "Other values", "false", {
      ...{ ...flag, choices: of("false=in one line|true=left out"), has: isBroken },
    }),
    row("breakdownFilter.breakdown_normalize_url", "Addresses", "false", {
      ...{ ...flag, choices: of("false=as they are|true=without query and fragment") },
      has: ({ breakdownFilter }) => breakdownFilter?.["breakdown"] != null,
    }),
  ],
  rows: row("limit", "Rows", "100", { range: [1, 1000], ...labelled }),
};

/** The fields of each kind of query that have one value, in the order of the row. */
const OPTIONS: Record<string, readonly Option[]> = {
  TrendsQuery: [
    row("trendsFilter.display", "Chart type", "ActionsLineGraph", { choices: DISPLAYS, ...bare }),
    COMMON.interval,
    row("trendsFilter.formula", "Formula", "", { has: hasSeveral, ...labelled }),
    row("trendsFilter.formula", "Formula", "", { has: (query) => !hasSeveral(query) }),
    row("trendsFilter.formulaName", "Name of the formula", "", {
      has: (query) => formulaIn(query).formula !== "",
    }),
    row("trendsFilter.smoothingIntervals", "Mean of so many intervals", "1", {
      ...{ range: [1, 100], has: hasIntervals, ...strict },
    }),
    row("trendsFilter.aggregationAxisFormat", "Numbers as", "numeric", { choices: FORMATS }),
    row("trendsFilter.aggregationAxisPostfix", "Text after each number", ""),
    row("trendsFilter.detailedResultsAggregationType", "The one number is", "total", {
      ...{ choices: TYPICAL, has: isOfTotals },
    }),
    ...COMMON.breakdown,
  ],
  FunnelsQuery: [
    row("funnelsFilter.funnelVizType", "Chart type", "steps", { choices: VIEWS, ...bare }),
    COMMON.interval,
    row("funnelsFilter.funnelWindowInterval", "Within", "14", { range: [1, 10_000], ...labelled }),
    row("funnelsFilter.funnelWindowIntervalUnit", "Unit of the window", "day", {
      ...{ choices: UNITS, ...bare },
    }),
    row("funnelsFilter.funnelOrderType", "Order of steps", "ordered", { choices: ORDERS, ...bare }),
    row("funnelsFilter.funnelFromStep", "From step", "0", {
      ...{ choices: (query) => steps(query).slice(0, -1), as: "number" },
      ...{ has: isBetween, ...labelled, ...strict },
    }),
    row("funnelsFilter.funnelToStep", "To step", "", {
      choices: (query) => [{ value: "", label: "The last" }, ...steps(query).slice(1)],
      ...{ as: "number", has: isBetween, ...labelled, ...strict },
    }),
    row("funnelsFilter.timeToConvertAggregation", "Time shown", "average", {
      ...{ choices: of("average=Average|median=Median"), has: isOfTimes, ...bare, ...strict },
    }),
    row("funnelsFilter.binCount", "Number of bars", "", {
      ...{ range: [1, 90], has: isOfTimes, ...strict },
    }),
    row("funnelsFilter.breakdownAttributionType", "Value from", "first_touch", {
      ...{ choices: ATTRIBUTIONS, has: isBroken, ...labelled, ...strict },
    }),
    row("funnelsFilter.breakdownAttributionValue", "Step", "0", {
      ...{ choices: steps, as: "number", has: isByStep, ...labelled, ...strict },
    }),
    ...COMMON.breakdown,
  ],
  RetentionQuery: [
    row("retentionFilter.retentionType", "Begins at", "retention_recurring", {
      ...{ choices: BEGUN, ...labelled },
    }),
    row("retentionFilter.period", "Interval", "Day", { choices: PERIODS, ...bare }),
    row("retentionFilter.totalIntervals", "Intervals", "7", { range: [1, 100], ...labelled }),
    ...COMMON.breakdown,
  ],
  PathsQuery: [
    row("pathsFilter.stepLimit", "Steps", "5", { range: [2, 20], ...labelled }),
    row("pathsFilter.edgeLimit", "Ways shown", "50", { range: [1, 1000], ...labelled }),
  ],
  LifecycleQuery: [COMMON.interval],
  StickinessQuery: [COMMON.interval],
  ActorsQuery: [
    row("orderBy", "Order", "created_at DESC", { choices: PEOPLE_ORDERS, as: "list", ...bare }),
    COMMON.rows,
    row("search", "E-mail address or ID", ""),
  ],
  EventsQuery: [
    row("orderBy", "Order", "timestamp DESC", { choices: EVENT_ORDERS, as: "list", ...bare }),
    COMMON.rows,
    row("personId", "Person by ID", ""),
  ],
};

/** The fields with one value that have an effect in a query. */
export const optionsOf = (query: Query): Option[] =>
  (OPTIONS[query.kind] ?? []).filter(({ has }) => has?.(query) ?? true);

/** Whether a field of a query has its control here. */
export const hasOption = ({ kind }: Query, path: string): boolean =>
  (OPTIONS[kind] ?? []).some((one) => one.path === path);

type FormulaNode = { formula: string; custom_name?: string | undefined };

/** The one formula of a trend, in any of the forms in which clients write it. */
function formulaIn({ trendsFilter = {} }: Query): FormulaNode {
  const { formula, formulas, formulaNodes } = trendsFilter;
  const [node] = (formulaNodes ?? []) as FormulaNode[];
  return node ?? { formula: [formula ?? formulas ?? []].flat().join() };
}

/** A named formula is in a form of its own. */
function withFormula(query: Query, { formula, custom_name }: FormulaNode): Query {
  const { formula: _, formulas: __, formulaNodes: ___, ...rest } = query.trendsFilter ?? {};
  const named = custom_name ? { formulaNodes: [{ formula, custom_name }] } : { formula };
  return { ...query, trendsFilter: { ...rest, ...(formula !== "" && named) } };
}

const partOf = (query: Query, part: string) =>
  ((query as Record<string, unknown>)[part] ?? {}) as Record<string, unknown>;

function sentIn(query: Query, path: string): unknown {
  if (path === "trendsFilter.formula") return formulaIn(query).formula;
  if (path === "trendsFilter.formulaName") return formulaIn(query).custom_name;
  const [part = "", field] = path.split(".");
  return field === undefined
    ? (query as Record<string, unknown>)[part]
    : partOf(query, part)[field];
}

/** The value of a field as text. */
export function valueIn(query: Query, { path, usual }: Option): string {
  const sent = sentIn(query, path);
  return sent == null || sent === "auto" ? usual : [sent].flat().join(", ");
}

/** The query with another value of a field, or without it. */
export function withField(query: Query, path: string, value: unknown): Query {
  const text = String(value ?? "");
  if (path === "trendsFilter.formula")
    return withFormula(query, { ...formulaIn(query), formula: text });
  if (path === "trendsFilter.formulaName") {
    return withFormula(query, { ...formulaIn(query), custom_name: text });
  }
  const [part = "", field] = path.split(".");
  const put = (all: object, name: string) => {
    const rest = Object.entries(all).filter(([one]) => one !== name);
    return Object.fromEntries(value === undefined ? rest : [...rest, [name, value]]);
  };
  if (field === undefined) return put(query, part) as Query;
  return { ...query, [part]: put(partOf(query, part), field) };
}

/** The query with another value of a field, as its control has it. */
export function withOption(query: Query, option: Option, text: string): Query {
  const { path, usual, range, as } = option;
  if (text === usual && path !== "interval") return withField(query, path, undefined);
  if (as === "flag") return withField(query, path, text === "true");
  const one = range !== undefined || as === "number" ? Number(text) : text;
  return withField(query, path, as === "list" ? [one] : one);
}

/** The same question without fields that have no effect in its form, which the server refuses. */
export const withoutIdle = (query: Query): Query =>
  (OPTIONS[query.kind] ?? [])
    .filter(({ path, isStrict, has }) => isStrict && sentIn(query, path) != null && !has?.(query))
    .reduce((rest, { path }) => withField(rest, path, undefined), query);
