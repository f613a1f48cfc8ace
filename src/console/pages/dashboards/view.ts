import { type Answer, askForTile, type Over } from "../../api/ask.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import type { Query } from "../../api/query.ts";
import { useAddress } from "../../state/address.ts";
import { dateRangeOf } from "../../state/bounds.ts";
import { type Filter, plainFilters, readFilters } from "../../state/filters.ts";
import type { Comparison } from "../../state/intervals.ts";
import { isList } from "../insights/answer-table.ts";
import type { Filtering } from "../insights/plotted.tsx";
import { exactHours, overPeriod, periodOf, withComparison } from "../insights/query-state.ts";
import type { Dashboard } from "./changes.ts";

/** Period and filters of a dashboard: from the address, else as they are saved with it. */
export type View = {
  /** Empty if it has no name. */
  period: string;
  /** The name of an empty period. */
  noPeriod: string;
  /** The comparison of all tiles, as the address has it; empty for each tile's own. A dashboard does not keep it. */
  comparison: Comparison | "";
  /** Undefined if the dashboard has filters that the console cannot show; they stay as they are. */
  filters: Filter[] | undefined;
  /** The same for lists whose rows change them. */
  filtering: Filtering | undefined;
  /** Whether there is a period or a filter at all. */
  isSet: boolean;
  /** Whether the address has others than the dashboard. */
  isChanged: boolean;
  /** Filters over the query of each tile, as the API takes them. */
  over: Over;
  /** Period and filters as a dashboard keeps them. */
  toSave: Record<string, unknown>;
  setPeriod(period: string): void;
  setComparison(comparison: Comparison | ""): void;
  setFilters(filters: Filter[]): void;
  reset(): void;
};

/** The word of the address for no period, where the dashboard has one. */
const OWN = "own";

/** The saved period as the address has it; empty without one, or if the address cannot have it. */
function savedPeriod({ filters: { date_from, date_to } }: Dashboard): string {
  if (date_from == null) return "";
  const range = { date_from: String(date_from), date_to: date_to == null ? null : String(date_to) };
  const period = periodOf({ kind: "", dateRange: range });
  return periodOf({ kind: "", dateRange: dateRangeOf(period) }) === period ? period : "";
}

/** The period of an address: a chosen one, else one with events from the first page, else the saved one. */
function periodIn({ period, first }: Record<string, string>, saved: string) {
  const chosen = period === OWN ? "" : period;
  return { period: chosen ?? first ?? saved, isChosen: chosen !== undefined };
}

/** Period and filters of a dashboard, and how to change them in the address. */
export function useView(dashboard: Dashboard): View {
  const { query, set } = useAddress();
  const kept = plainFilters(dashboard.filters["properties"]);
  const before = savedPeriod(dashboard);
  const { period, isChosen } = periodIn(query, before);
  const filters = query["filters"] && kept ? readFilters(query["filters"]) : kept;
  const isOther = period !== before;
  const hasPeriod = isOther && isChosen;
  const hasFilters = JSON.stringify(filters) !== JSON.stringify(kept);
  // The dashboard's own last day would stay if none were sent.
  const range =
    period === "" ? { date_from: null, date_to: null } : { date_to: null, ...dateRangeOf(period) };
  const override = {
    ...(isOther ? range : {}),
    ...(hasFilters ? { properties: filters } : {}),
  };
  const isUnnamed = before === "" && dashboard.filters["date_from"] != null;
  const setFilters = (next: Filter[]) => {
    const isKept = JSON.stringify(next) === JSON.stringify(kept);
    set({ filters: isKept ? "" : JSON.stringify(next) }, { push: true });
  };
  return {
    period,
    comparison: readComparison(query["compare"]),
    noPeriod: isUnnamed ? "As saved" : "Each tile's own period",
    filters,
    filtering: filters && { filters, onChange: setFilters },
    isSet: period !== "" || isUnnamed || filters?.length !== 0,
    isChanged: hasPeriod || hasFilters,
    over: {
      dashboard: dashboard.id,
      ...(Object.keys(override).length === 0 ? {} : { filters_override: override }),
    },
    toSave: {
      ...dashboard.filters,
      ...(hasPeriod ? range : {}),
      ...(hasFilters ? { properties: filters } : {}),
    },
    setPeriod: (next) =>
      set({ period: next === before ? "" : next || OWN, first: "" }, { push: true }),
    setComparison: (compare) => set({ compare }, { push: true }),
    setFilters,
    reset: () => set({ period: "", filters: "", first: "", compare: "" }, { push: true }),
  };
}

const readComparison = (text = ""): Comparison | "" =>
  /^(?:none|(?:previous|year)(?:-exact)?|-[1-9]\d{0,3}[hdwmy])$/.test(text)
    ? (text as Comparison)
    : "";

/**
 * The query of a tile over the period of its dashboard, with the comparison of the page. A breakdown is compared only if
 * it already was, as it would have twice as many lines.
 */
export function overView(query: Query, { period, comparison }: View): Query {
  const dateRange = exactHours(query, period);
  const over =
    period === ""
      ? query
      : { ...query, ...overPeriod(query, period), ...(dateRange && { dateRange }) };
  const canCompare =
    query.kind === "TrendsQuery" &&
    (query.breakdownFilter === undefined || query.compareFilter?.compare === true);
  if (comparison === "" || !canCompare) return over;
  return withComparison(over, comparison, period || periodOf(query));
}

/** Asks the question of a tile, if it is one, over the period and the filters of its dashboard. */
export function useAnswer(query: Query | null, { over, period }: View): Loaded<Answer> {
  // A period of the dashboard would be in place of exact hours.
  const none = { date_from: null, date_to: null };
  const isExact = query !== null && exactHours(query, period) !== undefined;
  const own = isExact ? { ...over, filters_override: { ...over.filters_override, ...none } } : over;
  const filters = query && isList(query) ? {} : own;
  const key = query && JSON.stringify([query, filters]);
  return useLoad(key, (signal) => askForTile(query as Query, signal, filters));
}
