import type { InsightType } from "../queries/insight.ts";
import type { Interval } from "../queries/period.ts";
import { RETENTION_INTERVALS_MAX } from "../queries/retention.ts";
import type { SeriesMath } from "../queries/trend.ts";
import type { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { eventsBy } from "./breakdowns.ts";
import { filtersAtEnd } from "./filters.ts";
import { withExactHours } from "./language/dates.ts";
import { eventList, eventOf, firstUnknown, type Known } from "./names.ts";
import { intervalFirst, type Timed, timeAtEnd } from "./times.ts";

/** The beginning of a question of another kind than trends, after its interval. */
export const KIND =
  /^(?:(strict|ordered|unordered|recurring|first[- ]time) )?(funnel|retention|paths?|lifecycle|stickiness)(?: |$)(?:(?:of|for) )?/i;

/** Parsers of questions, by type of insight. Each fails `invalid_input`. */
export const GRAMMARS: Record<InsightType, (text: string, known: Known) => JsonObject> = {
  trends: trendsIn,
  funnel: funnelIn,
  retention: retentionIn,
  paths: pathsIn,
  lifecycle: lifecycleIn,
  stickiness: stickinessIn,
};

const LIST = / ?, ?(?:and )?| and | vs\.? | versus /gi;
const THEN = / ?,? (?:and )?then | to | ?, ?| ?(?:->|→) ?/gi;
const WITHIN = / within (?:(\d{1,4}) )?(second|minute|hour|day|week|month)s?(?= |$)/i;
const WITHOUT = / (?:without|excluding) (.+)$/i;

const node = (event: string | null) => ({ kind: "EventsNode", event });

/** The parts that questions of all kinds have. */
type Split = Timed & { properties?: JsonObject[] };

/** Splits a question into its kind, its time, its filters and the rest. */
function splitQuestion(text: string, known: Known): Split & { how: string } {
  const first = intervalFirst(text);
  const [begins = "", how = ""] = KIND.exec(`${first.rest} `.trimStart()) ?? [];
  const remaining = first.rest.slice(begins.length);
  const timed = timeAtEnd(
    { ...first, rest: remaining === "" ? "" : ` ${remaining}` },
    readingOf(known),
  );
  const { rest, ...filtered } = filtersAtEnd(timed.rest, known);
  return { ...timed, ...filtered, how: how.toLowerCase(), rest: rest.trim() };
}

const readingOf = ({ event, refused }: Known) => ({
  isName: (text: string) => event(text.trim()) !== undefined,
  refused,
});

/** The fields of a query that all kinds have. */
const common = ({ dateRange, properties }: Pick<Split, "dateRange" | "properties">) => ({
  ...(dateRange === undefined ? {} : { dateRange }),
  ...(properties === undefined ? {} : { properties }),
});

/** One number of the last hours is of exactly the hours before now. */
const asWhole = <T extends Pick<Split, "dateRange">>(split: T): T =>
  split.dateRange === undefined ? split : { ...split, dateRange: withExactHours(split.dateRange) };

function trendsIn(text: string, known: Known): JsonObject {
  const first = intervalFirst(text);
  const remaining =
    known.event(first.rest) === undefined ? first.rest.replace(TREND, "") : first.rest;
  const said = timeAtEnd({ ...first, rest: remaining }, readingOf(known));
  const isOneDay = said.isDay === true && said.interval === undefined;
  const timed: Timed = isOneDay ? { ...said, isTotal: true } : said;
  // Without an interval the language of plain English answers with one number.
  if (timed.interval === undefined && isOnlyPlain(timed))
    throw known.refused("How often is not said: daily, weekly, monthly or in total.");
  const filtered = filtersAtEnd(timed.rest, known);
  const { math, property, rest } = mathOf(filtered.rest, known);
  const { events, broken } = eventsBy(rest, LIST, known);
  const counted = property === undefined ? { math } : { math, math_property: property };
  return {
    kind: "TrendsQuery",
    series: events.map((event) => ({ ...node(event), ...counted })),
    interval: timed.interval ?? (timed.unit === "hour" && !timed.isTotal ? "hour" : "day"),
    ...common(timed.isTotal ? asWhole({ ...timed, ...filtered }) : { ...timed, ...filtered }),
    ...(broken === undefined ? {} : { breakdownFilter: broken }),
    ...(timed.isTotal ? { trendsFilter: { display: totalDisplay(broken) } } : {}),
    ...(timed.compare === undefined ? {} : { compareFilter: timed.compare }),
  };
}

const isOnlyPlain = ({ isTotal, isCalendar, dateRange }: Timed) =>
  isTotal ? dateRange === undefined : isCalendar === true;

/** The display of one number, or of one number for each value. */
const totalDisplay = (broken: JsonObject | undefined) =>
  broken === undefined ? "BoldNumber" : "ActionsBarValue";

/** An optional beginning of a question of trends. */
const TREND = /^trends?(?: (?:of|for))? /i;

/** Words for counts, before `of` or the event itself. */
const COUNTED: [words: RegExp, math: SeriesMath][] = [
  [/^users of 7 days of /i, "weekly_active"],
  [/^users of 30 days of /i, "monthly_active"],
  [
    /^(?:(?:count|number) of |how many )?(?:unique |distinct )?(?:users?|persons?|visitors?)(?: of)? /i,
    "dau",
  ],
  [
    /^(?:(?:count|number) of |how many )?(?:unique |distinct )?sessions?(?: of)? /i,
    "unique_session",
  ],
  [/^(?:total|count|number)(?: of)? /i, "total"],
];

/** Words for calculations, before `of`, a property, `of` and the event. */
const CALCULATED: ReadonlyMap<string, SeriesMath> = new Map([
  ["sum", "sum"],
  ["average", "avg"],
  ["avg", "avg"],
  ["minimum", "min"],
  ["min", "min"],
  ["maximum", "max"],
  ["max", "max"],
  ["median", "median"],
  ["p50", "p50"],
  ["p75", "p75"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
]);

/** Reads the math before the events. The name of an event comes before a math. */
function mathOf(text: string, known: Known): { math: SeriesMath; property?: string; rest: string } {
  if (known.event(text) !== undefined) return { math: "total", rest: text };
  const [called, name = ""] = /^(\w+) of /i.exec(text) ?? [];
  const calculated = CALCULATED.get(name.toLowerCase());
  if (called !== undefined && calculated !== undefined) {
    const after = text.slice(called.length);
    for (const { index: middle } of after.matchAll(/ (?:of|in|on) /gi)) {
      const property = known.property(after.slice(0, middle));
      if (property === undefined) continue;
      return { math: calculated, property, rest: after.slice(middle + 4) };
    }
    throw (
      missingEvent(text, after, known) ??
      known.noProperty(after.split(/ (?:of|in|on) /i, 1)[0] ?? "")
    );
  }
  for (const [words, math] of COUNTED) {
    const [found] = words.exec(text) ?? [];
    if (found !== undefined) return { math, rest: text.slice(found.length) };
  }
  return { math: "total", rest: text };
}

/** Returns the failure of a calculation that names a property and no event. */
function missingEvent(text: string, after: string, known: Known): Failure | undefined {
  for (const by of [after.length, after.toLowerCase().lastIndexOf(" by ")]) {
    if (by < 0 || known.property(after.slice(0, by)) === undefined) continue;
    const rest = after.slice(by);
    const whole = known.spelled(`${text.slice(0, text.length - rest.length)} of all events${rest}`);
    return known.refused(`Of which event is not said. Of all it is: ${whole}.`);
  }
  return undefined;
}

function funnelIn(text: string, known: Known): JsonObject {
  const { how, rest, ...timed } = splitQuestion(text, known);
  const [within = "", count = "1", unit] = WITHIN.exec(rest) ?? [];
  const remaining = rest.replace(within, "");
  const { steps, excluded } = withoutIn(remaining, known);
  const { events, broken } = eventsBy(steps.trim().replace(/^from /i, ""), THEN, known);
  if (events.length < 2) throw known.refused("A funnel has two steps or more.");
  const between = { funnelFromStep: 0, funnelToStep: events.length - 1 };
  return {
    kind: "FunnelsQuery",
    series: events.map(node),
    ...common(asWhole({ dateRange: { date_from: FUNNEL_PERIOD }, ...timed })),
    funnelsFilter: {
      funnelOrderType: how === "strict" || how === "unordered" ? how : "ordered",
      ...(unit === undefined
        ? {}
        : {
            funnelWindowInterval: Number(count),
            funnelWindowIntervalUnit: unit.toLowerCase(),
          }),
      ...(excluded.length === 0
        ? {}
        : { exclusions: excluded.map((event) => ({ ...node(event), ...between })) }),
    },
    ...(broken === undefined ? {} : { breakdownFilter: broken }),
  };
}

/** The time of a funnel without one. */
const FUNNEL_PERIOD = "-30d";

/** Splits off the excluded events; `steps` keeps the breakdown. */
function withoutIn(text: string, known: Known): { steps: string; excluded: (string | null)[] } {
  const [without = "", named = ""] = WITHOUT.exec(text) ?? [];
  const before = text.slice(0, text.length - without.length);
  for (const by of [named.length, named.toLowerCase().lastIndexOf(" by ")]) {
    const excluded = by < 0 ? undefined : eventList(named.slice(0, by), LIST, known);
    if (excluded !== undefined) return { steps: before + named.slice(by), excluded };
  }
  return { steps: text, excluded: [] };
}

const PERIODS: Record<Interval, string> = {
  hour: "Hour",
  day: "Day",
  week: "Week",
  month: "Month",
};

/** Rows of a retention without a time, and its columns. */
export const RETENTION_ROWS = 8;

const INTERVALS = / with (\d{1,3}) intervals?(?= |,|$)/i;

function retentionIn(text: string, known: Known): JsonObject {
  const { how, rest: whole, interval, unit = "day", ...timed } = splitQuestion(text, known);
  const [counted = "", count] = INTERVALS.exec(whole) ?? [];
  const { events, broken } = eventsBy(whole.replace(counted, ""), THEN, known);
  const [target = null, returning, ...others] = events;
  if (others.length > 0) throw known.refused("A retention is of one event, or of two.");
  const entity = (id: string | null) => ({ id, type: "events" });
  const usual = timed.dateRange === undefined ? RETENTION_ROWS : RETENTION_INTERVALS_MAX;
  return {
    kind: "RetentionQuery",
    retentionFilter: {
      targetEntity: entity(target),
      returningEntity: entity(returning === undefined ? target : returning),
      retentionType: how === "recurring" ? "retention_recurring" : "retention_first_time",
      period: PERIODS[interval ?? unit],
      totalIntervals: count === undefined ? usual : Number(count),
    },
    ...common(timed),
    ...(broken === undefined ? {} : { breakdownFilter: broken }),
  };
}

const WAY = /^(?:from (.+?))?(?:(?:^| )to (.+))?$/i;

function pathsIn(text: string, known: Known): JsonObject {
  const { rest, ...timed } = splitQuestion(text, known);
  const [way, start, end] = WAY.exec(rest) ?? [];
  if (way === undefined) {
    placeIn(rest, known);
    const place = known.spelled(rest);
    throw known.refused(
      `Paths are from a place or to one: paths from ${place}; paths to ${place}.`,
    );
  }
  const point = (name: string, place: string | undefined) =>
    place === undefined ? {} : { [name]: placeIn(place, known) };
  return {
    kind: "PathsQuery",
    pathsFilter: { ...point("startPoint", start), ...point("endPoint", end) },
    ...common(asWhole(timed)),
  };
}

/** Returns a place: an address unchanged, the name of an event, or any name of a screen. */
function placeIn(text: string, known: Known): string {
  const [, screen] = /^screen (.+)$/i.exec(text) ?? [];
  if (screen !== undefined) return known.text(screen);
  const place = known.text(text);
  if (/^(?:[a-z][a-z\d+.-]*:\/)?\//i.test(place)) return place;
  const event = known.event(text);
  if (event === undefined) throw known.noPlace(text);
  return event;
}

function lifecycleIn(text: string, known: Known): JsonObject {
  const { rest, interval = "day", ...timed } = splitQuestion(text, known);
  const series = [node(eventOf(rest, known))];
  return { kind: "LifecycleQuery", series, interval, ...common(timed) };
}

function stickinessIn(text: string, known: Known): JsonObject {
  const { rest, interval = "day", ...timed } = splitQuestion(text, known);
  const events = eventList(rest, LIST, known);
  if (events === undefined) throw known.noEvent(firstUnknown(rest, LIST, known));
  const series = events.map(node);
  return { kind: "StickinessQuery", series, interval, ...common(timed) };
}
