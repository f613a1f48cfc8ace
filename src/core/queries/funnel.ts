import type { JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type Breakdown, breakdownOf } from "./breakdown.ts";
import { sharing } from "./funnel-overlap.ts";
import type { Interval } from "./intervals.ts";
import type { DateRange } from "./period.ts";
import type { Fields } from "./query-fields.ts";
import {
  checkUnused,
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  intervalOf,
  malformed,
  nodesOf,
  rangeOf,
  seriesNodes,
} from "./query-fields.ts";

/** Steps of one funnel. */
export const FUNNEL_STEPS_MAX = 10;

/** Exclusions of one funnel. */
export const FUNNEL_EXCLUSIONS_MAX = 5;

/** Different steps of an unordered funnel that one event can be (decision 78). */
export const FUNNEL_OVERLAPPING_MAX = 5;

/** Sets of overlapping steps. */
const SETS_MAX = 2 ** FUNNEL_OVERLAPPING_MAX - 1;

/** Orders of steps: with other events between them, without, or in any order. */
export const FUNNEL_ORDERS = ["ordered", "strict", "unordered"] as const;

/** Seconds of the units of a window; a month is 30 days. */
const UNIT_S = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
} as const;

const UNITS = Object.keys(UNIT_S) as (keyof typeof UNIT_S)[];

/** Default window of a funnel, in days. */
const WINDOW_DAYS_DEFAULT = 14;

/** Longest window, in its unit. */
const WINDOW_MAX = 10_000;

/** An event that ends an attempt if it happens between two of its steps, by index. */
export type Exclusion = EventsNode & { from: number; to: number };

/** The numbers of a funnel: persons of each step, the share that converted by interval, or how long it took. */
export const FUNNEL_VIZ_TYPES = ["steps", "trends", "time_to_convert"] as const;

/** How persons get a value of the breakdown, see {@link Funnel}. */
const ATTRIBUTIONS = ["first_touch", "last_touch", "all_events", "step"] as const;

/** The one number of times to convert. */
export const TIME_AGGREGATIONS = ["average", "median"] as const;

/** Bins of a histogram, as PostHog has them. */
export const FUNNEL_BINS_MAX = 90;

/**
 * A parsed funnels query; it counts attempts, which can be checked by hand (decision 78). `first_touch` and
 * `last_touch` give a person the value of the first or last event of any step that has one. With `all_events` each
 * value has a funnel of its own over its events; with `step` over the events of one step that have it, and all events
 * of the others. So a person may count for several values.
 */
export type Funnel = {
  kind: "FunnelsQuery";
  viz: (typeof FUNNEL_VIZ_TYPES)[number];
  /** Into which a trend is divided; null for other numbers. */
  interval: Interval | null;
  /** Indexes of the steps between which persons convert. */
  from: number;
  to: number;
  /** Bins of the times to convert; null for as many as the cube root of their number, at most 60. */
  bins: number | null;
  aggregation: (typeof TIME_AGGREGATIONS)[number];
  steps: EventsNode[];
  order: (typeof FUNNEL_ORDERS)[number];
  /** Longest time from the first step to the last. */
  window_s: number;
  exclusions: Exclusion[];
  dateRange: DateRange;
  breakdown: Breakdown | null;
  /** `step` is the index of the step; null for other attributions. */
  attribution: { by: (typeof ATTRIBUTIONS)[number]; step: number | null };
};

/** Reads a `FunnelsQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readFunnel(sent: JsonObject, moment: Moment): Funnel {
  const known = ["kind", "series", "dateRange", "breakdownFilter", "properties", "funnelsFilter"];
  const query = fields(sent, "query", [...known, "interval"]);
  const common = filtersOf(query, moment);
  const filter = query.object("funnelsFilter", [
    ...["funnelOrderType", "funnelWindowInterval", "funnelWindowIntervalUnit", "exclusions"],
    ...["funnelVizType", "funnelFromStep", "funnelToStep", "binCount", "timeToConvertAggregation"],
    ...["breakdownAttributionType", "breakdownAttributionValue"],
  ]);
  const viz = filter.choice("funnelVizType", FUNNEL_VIZ_TYPES);
  const interval = intervalOf(query);
  const steps = seriesNodes(query, { min: 2, max: FUNNEL_STEPS_MAX, moment, common });
  const order = filter.choice("funnelOrderType", FUNNEL_ORDERS);
  if (order === "unordered") checkSets(steps);
  const exclusions = exclusionsOf(filter, { steps: steps.length, order, moment });
  const unit = filter.choice("funnelWindowIntervalUnit", UNITS, "day");
  const window = { min: 1, max: WINDOW_MAX };
  const breakdown = breakdownOf(query);
  return {
    kind: "FunnelsQuery",
    viz,
    // Clients send `interval` with every funnel; it only changes a funnel over time.
    interval: viz === "trends" ? interval : null,
    ...spanOf(filter, { viz, last: steps.length - 1 }),
    steps,
    order,
    window_s: filter.whole("funnelWindowInterval", window, WINDOW_DAYS_DEFAULT) * UNIT_S[unit],
    exclusions,
    dateRange: rangeOf(query),
    breakdown,
    attribution: attributionOf(filter, { order, breakdown, last: steps.length - 1 }),
  };
}

/** Reads between which steps persons convert, and how their times are shown. */
function spanOf(
  filter: Fields,
  { viz, last }: { viz: Funnel["viz"]; last: number },
): Pick<Funnel, "from" | "to" | "bins" | "aggregation"> {
  const aggregation = filter.choice("timeToConvertAggregation", TIME_AGGREGATIONS);
  const isAuto = (filter.sent["binCount"] ?? "auto") === "auto";
  const range = { min: 1, max: FUNNEL_BINS_MAX };
  const bins = isAuto ? null : filter.whole("binCount", range, 1);
  if (viz !== "time_to_convert") {
    const detail = "Only times have it: leave it out, or write funnelVizType: time_to_convert.";
    checkUnused(filter, { binCount: "auto", timeToConvertAggregation: "average" }, detail);
  }
  if (viz === "steps") {
    const detail = "Only trends and time_to_convert are between two steps.";
    checkUnused(filter, { funnelFromStep: null, funnelToStep: null }, detail);
    return { from: 0, to: last, bins, aggregation };
  }
  const from = filter.whole("funnelFromStep", { min: 0, max: last - 1 }, 0);
  const to = filter.whole("funnelToStep", { min: from + 1, max: last }, last);
  return { from, to, bins, aggregation };
}

function attributionOf(
  filter: Fields,
  { order, breakdown, last }: Pick<Funnel, "order" | "breakdown"> & { last: number },
): Funnel["attribution"] {
  const by = filter.choice("breakdownAttributionType", ATTRIBUTIONS);
  const step = filter.whole("breakdownAttributionValue", { min: 0, max: last }, 0);
  if (breakdown === null) {
    const detail = "It goes with a breakdown: leave it out, or write a breakdownFilter.";
    checkUnused(filter, { breakdownAttributionType: ATTRIBUTIONS[0] }, detail);
  }
  if (by !== "step") {
    const detail = "It goes with breakdownAttributionType: step. Write that, or leave it out.";
    checkUnused(filter, { breakdownAttributionValue: 0 }, detail);
    return { by, step: null };
  }
  if (order === "unordered" && step > 0) {
    const detail = "Steps in any order have the value of the first event: 0 is expected.";
    throw malformed(detail, filter.attr("breakdownAttributionValue"));
  }
  return { by, step };
}

function checkSets(steps: EventsNode[]): void {
  const sets = sharing(steps).map((group) => group.sets.length);
  if (sets.reduce((sum, count) => sum + count, 0) <= SETS_MAX) return;
  const detail =
    `Of an unordered funnel one event may be any of at most ${FUNNEL_OVERLAPPING_MAX} different steps. ` +
    "Steps with other names, or with other exact values of a property, are apart.";
  throw malformed(detail, "query__series");
}

function exclusionsOf(
  filter: Fields,
  { steps, order, moment }: { steps: number; order: Funnel["order"]; moment: Moment },
): Exclusion[] {
  const range = { attr: filter.attr("exclusions"), min: 0, max: FUNNEL_EXCLUSIONS_MAX };
  return nodesOf(filter.sent["exclusions"] ?? [], range, (one, attr) => {
    const more = ["funnelFromStep", "funnelToStep"];
    const { node, read } = eventsNode(one, { attr, moment, more });
    const from = node.whole("funnelFromStep", { min: 0, max: steps - 2 }, 0);
    const to = node.whole("funnelToStep", { min: from + 1, max: steps - 1 }, steps - 1);
    if (order === "unordered" && (from > 0 || to < steps - 1)) {
      const detail = "An exclusion of an unordered funnel is between its first and its last step.";
      throw malformed(detail, node.attr(from > 0 ? "funnelFromStep" : "funnelToStep"));
    }
    return { ...read, from, to };
  });
}
