import type { Json, JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import { sharing } from "./funnel-overlap.ts";
import type { DateRange } from "./period.ts";
import {
  type Breakdown,
  breakdownOf,
  choice,
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  malformed,
  nodesOf,
  rangeOf,
  whole,
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

/** A parsed funnels query; it counts attempts, which can be checked by hand (decision 78). */
export type Funnel = {
  kind: "FunnelsQuery";
  steps: EventsNode[];
  order: (typeof FUNNEL_ORDERS)[number];
  /** Longest time from the first step to the last. */
  window_s: number;
  exclusions: Exclusion[];
  dateRange: DateRange;
  breakdown: Breakdown | null;
};

/** Reads a `FunnelsQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readFunnel(sent: JsonObject, moment: Moment): Funnel {
  const known = ["kind", "series", "dateRange", "breakdownFilter", "properties", "funnelsFilter"];
  // Clients send `interval` with every funnel; it only changes a funnel over time.
  const query = fields(sent, "query", [...known, "interval"]);
  const common = filtersOf(query["properties"], "query__properties", moment);
  const attr = "query__funnelsFilter";
  const filter = fields(query["funnelsFilter"] ?? {}, attr, [
    ...["funnelOrderType", "funnelWindowInterval", "funnelWindowIntervalUnit", "exclusions"],
    ...["funnelVizType", "breakdownAttributionType", "breakdownAttributionValue"],
  ]);
  const attribution = filter["breakdownAttributionType"] ?? "first_touch";
  choice(attribution, ["first_touch", "step"], `${attr}__breakdownAttributionType`);
  const step = `${attr}__breakdownAttributionValue`;
  whole(filter["breakdownAttributionValue"] ?? 0, { attr: step, min: 0, max: 0 });
  choice(filter["funnelVizType"] ?? "steps", ["steps"], `${attr}__funnelVizType`);
  const steps = nodesOf(
    query["series"],
    { attr: "query__series", min: 2, max: FUNNEL_STEPS_MAX },
    (one, node) => eventsNode(one, { attr: node, moment, common }).read,
  );
  const order = choice(
    filter["funnelOrderType"] ?? "ordered",
    FUNNEL_ORDERS,
    `${attr}__funnelOrderType`,
  );
  if (order === "unordered") checkSets(steps);
  const exclusions = exclusionsOf(filter["exclusions"], { steps: steps.length, order, moment });
  return {
    kind: "FunnelsQuery",
    steps,
    order,
    window_s: windowOf(filter),
    exclusions,
    dateRange: rangeOf(query["dateRange"]),
    breakdown: breakdownOf(query["breakdownFilter"]),
  };
}

function checkSets(steps: EventsNode[]): void {
  const sets = sharing(steps).map((group) => group.sets.length);
  if (sets.reduce((sum, count) => sum + count, 0) <= SETS_MAX) return;
  const detail =
    `Of an unordered funnel one event may be any of at most ${FUNNEL_OVERLAPPING_MAX} different steps. ` +
    "Steps with other names, or with other exact values of a property, are apart.";
  throw malformed(detail, "query__series");
}

function windowOf(filter: JsonObject): number {
  const attr = "query__funnelsFilter__funnelWindowInterval";
  const unit = choice(filter["funnelWindowIntervalUnit"] ?? "day", UNITS, `${attr}Unit`);
  const count = filter["funnelWindowInterval"] ?? WINDOW_DAYS_DEFAULT;
  return whole(count, { attr, min: 1, max: WINDOW_MAX }) * UNIT_S[unit];
}

function exclusionsOf(
  sent: Json | undefined,
  { steps, order, moment }: { steps: number; order: Funnel["order"]; moment: Moment },
): Exclusion[] {
  const attr = "query__funnelsFilter__exclusions";
  const range = { attr, min: 0, max: FUNNEL_EXCLUSIONS_MAX };
  return nodesOf(sent ?? [], range, (one, named) => {
    const more = ["funnelFromStep", "funnelToStep"];
    const { node, read } = eventsNode(one, { attr: named, moment, more });
    const [from, to] = [node["funnelFromStep"] ?? 0, node["funnelToStep"] ?? steps - 1];
    const at = whole(from, { attr: `${named}__funnelFromStep`, min: 0, max: steps - 2 });
    const until = { attr: `${named}__funnelToStep`, min: at + 1, max: steps - 1 };
    const exclusion = { ...read, from: at, to: whole(to, until) };
    if (order === "unordered" && (at > 0 || exclusion.to < steps - 1)) {
      const detail = "An exclusion of an unordered funnel is between its first and its last step.";
      throw malformed(detail, at > 0 ? `${named}__funnelFromStep` : until.attr);
    }
    return exclusion;
  });
}
