import type { Actors, CellOf, Line, Plan, PlanOf } from "../ports/insights.ts";
import type { Breakdown } from "../queries/breakdown.ts";
import { bucketStarts } from "../queries/intervals.ts";
import { LIFECYCLE_STATUSES } from "../queries/lifecycle.ts";
import { type Period, withoutFirstInterval } from "../queries/period.ts";
import { type Fields, fields, malformed, missing } from "../queries/query-fields.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { rejectUnknownFields } from "../values/known-fields.ts";
import { parseTime } from "../values/time.ts";
import { isInstant } from "../values/zoned-time.ts";
import { BREAKDOWN_WORDS } from "./lines/line-order.ts";

/** Fields that name a number of an answer, by the kind of the query that they are sent with. */
const KNOWN: Record<string, readonly string[]> = {
  InsightActorsQuery: ["day", "series", "breakdown", "compare", "interval", "status"],
  FunnelsActorsQuery: [
    ...["funnelStep", "funnelStepBreakdown", "funnelTrendsDropOff"],
    ...["funnelTrendsEntrancePeriodStart"],
  ],
  StickinessActorsQuery: ["day", "series"],
};

/** Those of them that name a number of a kind of answer. */
const USED: Record<Plan["query"]["kind"], readonly string[]> = {
  TrendsQuery: ["day", "series", "breakdown", "compare"],
  FunnelsQuery: KNOWN["FunnelsActorsQuery"] ?? [],
  RetentionQuery: ["interval", "day", "breakdown"],
  PathsQuery: [],
  LifecycleQuery: ["day", "status"],
  StickinessQuery: ["day", "series"],
};

/** The kinds of queries that name a number of an answer. */
export const CELL_KINDS = Object.keys(KNOWN);

/** A query, and the fields that name a number of its answer. */
export type SentCell = { source: JsonObject; cell: Fields };

/** Reads the source of an `ActorsQuery`. Fails `required`, `invalid_choice`, `invalid_input`. */
export function sentCell(sent: Json | undefined, attr: string): SentCell {
  if (sent === undefined || sent === null) throw missing(attr);
  const kind = fields(isObject(sent) ? { kind: sent["kind"] ?? null } : sent, attr, [
    "kind",
  ]).choice("kind", CELL_KINDS);
  const cell = fields(sent, attr, ["kind", "source", ...(KNOWN[kind] ?? [])]);
  const { source } = cell.sent;
  if (source === undefined || source === null) throw missing(cell.attr("source"));
  if (!isObject(source)) throw malformed("A query is expected.", cell.attr("source"));
  return { source, cell };
}

/** The fields of paths that name one of their ways, as PostHog's clients send them. */
const WAY_FIELDS = ["pathStartKey", "pathEndKey"] as const;

/** Returns a query of paths without the way that it names, and the way. */
export function withoutWay(source: JsonObject): { source: JsonObject; way: JsonObject } {
  const { pathsFilter: filter } = source;
  if (!isObject(filter)) return { source, way: {} };
  const [start, end] = WAY_FIELDS;
  const { [start]: from = null, [end]: to = null, ...pathsFilter } = filter;
  return { source: { ...source, pathsFilter }, way: { [start]: from, [end]: to } };
}

/** Returns a plan with the number of its answer that is asked for. Fails `invalid_input`, `required`. */
export function actorsOf(plan: Plan, cell: Fields, way: JsonObject): Actors {
  const { kind } = plan.query;
  const known = ["kind", "source", ...USED[kind]];
  rejectUnknownFields(cell.sent, {
    known,
    attr: "query__source",
    kind: `field of a number of a ${kind}`,
  });
  switch (kind) {
    case "TrendsQuery":
      return { kind, plan: plan as PlanOf<typeof kind>, cell: trendsCell(plan as never, cell) };
    case "FunnelsQuery":
      return { kind, plan: plan as PlanOf<typeof kind>, cell: funnelCell(plan as never, cell) };
    case "RetentionQuery":
      return { kind, plan: plan as PlanOf<typeof kind>, cell: retentionCell(plan as never, cell) };
    case "PathsQuery":
      return { kind, plan: plan as PlanOf<typeof kind>, cell: wayOf(way, cell) };
    case "LifecycleQuery":
      return { kind, plan: plan as PlanOf<typeof kind>, cell: lifecycleCell(plan as never, cell) };
    case "StickinessQuery":
      return { kind, plan: plan as PlanOf<typeof kind>, cell: stickinessCell(plan as never, cell) };
  }
}

function trendsCell(
  { query, period, previous }: PlanOf<"TrendsQuery">,
  cell: Fields,
): CellOf["TrendsQuery"] {
  const isPrevious = cell.choice("compare", ["current", "previous"]) === "previous";
  if (isPrevious && previous === null) {
    throw malformed("The query does not compare.", cell.attr("compare"));
  }
  const shown = isPrevious && previous !== null ? previous : period;
  return {
    series: cell.whole("series", { min: 0, max: query.series.length - 1 }, 0),
    bucket:
      (cell.sent["day"] ?? null) === null ? null : (shown.buckets[placeOf(cell, shown)] ?? null),
    isPrevious,
    line: lineOf(cell, "breakdown", query.breakdown),
  };
}

function funnelCell(
  { query, period }: PlanOf<"FunnelsQuery">,
  cell: Fields,
): CellOf["FunnelsQuery"] {
  const { steps, breakdown, viz, from, to } = query;
  const line = lineOf(cell, "funnelStepBreakdown", breakdown);
  const began = "funnelTrendsEntrancePeriodStart";
  if ((cell.sent[began] ?? null) !== null) {
    if (viz !== "trends") throw malformed("Only a trend has intervals.", cell.attr(began));
    if ((cell.sent["funnelStep"] ?? null) !== null) {
      throw malformed("Give a step or an interval, not both.", cell.attr("funnelStep"));
    }
    const bucket = period.buckets[placeOf(cell, period, began)] ?? null;
    const step = cell.flag("funnelTrendsDropOff") ? -1 - from : to + 1;
    return { step, bucket, line };
  }
  if (cell.flag("funnelTrendsDropOff")) throw missing(cell.attr(began));
  const step = cell.whole("funnelStep", { min: -steps.length, max: steps.length }, 1);
  if (step === 0 || step === -1) {
    const detail = "A step from 1 on is expected, or from -2 on for the persons lost there.";
    throw malformed(detail, cell.attr("funnelStep"));
  }
  return { step, bucket: null, line };
}

function retentionCell(
  { query, period: { buckets } }: PlanOf<"RetentionQuery">,
  cell: Fields,
): CellOf["RetentionQuery"] {
  const began = cell.whole("interval", { min: 0, max: buckets.length - 1 }, 0);
  const most = Math.min(query.intervals, buckets.length - began) - 1;
  const later = cell.whole("day", { min: 0, max: most }, 0);
  return { began, later, line: lineOf(cell, "breakdown", query.breakdown) };
}

function lifecycleCell(
  { period }: PlanOf<"LifecycleQuery">,
  cell: Fields,
): CellOf["LifecycleQuery"] {
  if (cell.sent["day"] === undefined) throw missing(cell.attr("day"));
  if (cell.sent["status"] === undefined) throw missing(cell.attr("status"));
  const status = cell.choice("status", LIFECYCLE_STATUSES);
  const place = placeOf(cell, withoutFirstInterval(period)) + 1;
  return { status, place };
}

function stickinessCell(
  { query, period: { buckets } }: PlanOf<"StickinessQuery">,
  cell: Fields,
): CellOf["StickinessQuery"] {
  if (cell.sent["day"] === undefined) throw missing(cell.attr("day"));
  return {
    series: cell.whole("series", { min: 0, max: query.series.length - 1 }, 0),
    intervals: cell.whole("day", { min: 1, max: buckets.length }, 1),
  };
}

/** Reads a way of paths: `1_/pricing` and `2_/signup`, as answers name their ends. */
function wayOf(way: JsonObject, cell: Fields): CellOf["PathsQuery"] {
  const [from, to] = WAY_FIELDS.map((name) => {
    const attr = `${cell.attr("source")}__pathsFilter__${name}`;
    const sent = way[name];
    if (sent === undefined || sent === null) throw missing(attr);
    const [, step, place] = /^(\d{1,2})_(.*)$/s.exec(String(sent)) ?? [];
    if (step === undefined || place === undefined) {
      throw malformed("A place such as 1_/pricing is expected.", attr);
    }
    return { step: Number(step), place, attr };
  });
  if (from === undefined || to === undefined || to.step !== from.step + 1) {
    throw malformed("The step after that of pathStartKey is expected.", to?.attr ?? "query");
  }
  return { step: from.step, source: from.place, target: to.place };
}

/** Returns the index of the interval that `day` names, in any form of ISO 8601; one with a zone is an instant. */
function placeOf(cell: Fields, period: Period, name = "day"): number {
  const { buckets } = period;
  // An hour that is shown again has its offset in its name, which is after the seconds of a whole time.
  const text = (cell.text(name) ?? "").replace(/^(\S{10})T/, "$1 ");
  const short = text.replace(/^(\S{10} \d\d:\d\d):00(?:\.0+)?/, "$1");
  const bucket = buckets[0]?.length === 10 ? short.replace(/ 00:00$/, "") : short;
  const named = buckets.indexOf(bucket);
  if (named >= 0) return named;
  const place = isInstant(text) ? bucketStarts(period).indexOf(parseTime(text) ?? Number.NaN) : -1;
  if (place >= 0) return place;
  const detail = `The beginning of an interval is expected, as the answer has it: ${buckets[0]} to ${buckets.at(-1)}.`;
  throw malformed(detail, cell.attr(name));
}

/** Reads a value of a breakdown as answers have it; null without one, for all lines. */
function lineOf(cell: Fields, name: string, breakdown: Breakdown | null): Line | null {
  const sent = cell.sent[name] ?? null;
  const attr = cell.attr(name);
  if (sent === null) return null;
  if (breakdown === null) throw malformed("The query has no breakdown.", attr);
  const texts = [sent].flat();
  if (!texts.every((one) => typeof one === "string")) {
    throw malformed("A value is expected as the answer has it.", attr);
  }
  const [only = ""] = texts;
  if (texts.length === 1 && only === BREAKDOWN_WORDS.other)
    return { kind: "other", breakdown: null };
  if (texts.length !== breakdown.by.length) {
    throw malformed(`A list of ${breakdown.by.length} values is expected.`, attr);
  }
  const values = texts.map((one) => (one === BREAKDOWN_WORDS.none ? null : one));
  if (values.length > 1) return { kind: "value", breakdown: values };
  return values[0] === null
    ? { kind: "none", breakdown: null }
    : { kind: "value", breakdown: only };
}
