import type { Line, Query, SeriesNode } from "../../api/query.ts";

/** Which way of a number is welcome. */
export type Direction = "more" | "less";

/** Events that are welcome. Names that are not here may stand for anything. */
const WELCOME = /^\$(?:pageview|screen)$/;

/** Events that stand for something that went wrong. */
const UNWELCOME = /^\$(?:exception|rageclick|dead_click)$/;

/** Measures that grow with the number of events, persons or sessions. */
const COUNTS =
  /^(?:total|dau|weekly_active|monthly_active|unique_session|unique_group|first_time_for_user)$/;

/** Properties that say who came, from where and with what, so that more of them are as welcome as more in all. */
const AUDIENCE =
  /^(?:\$(?:geoip_\w+|browser\w*|os\w*|device\w*|screen_\w+|referr\w+|referring_domain|host|lib)|(?:\$entry_|\$initial_)?(?:utm_\w+|\$?channel_type|referring_domain))$/;

/** A share or a ratio, whose first number decides; its second is only the whole. */
const RATIO = /^\s*([A-Z])\s*\/\s*[A-Z]\s*(?:\*\s*[\d.]+\s*)?$/;

/** Whether a measure counts things, so that 0 means that nothing came. */
export const isCount = (math: string): boolean => COUNTS.test(math);

type Measured = Partial<Pick<SeriesNode, "event" | "math" | "properties">> & {
  math_property?: string | null;
};

type Sent = { key?: unknown; type?: unknown; operator?: unknown; value?: unknown };

/** All filters in a list or in groups. */
function filtersIn(properties: unknown): Sent[] {
  if (Array.isArray(properties)) return properties.flatMap(filtersIn);
  if (typeof properties !== "object" || properties === null) return [];
  const { values } = properties as { values?: unknown };
  return Array.isArray(values) ? filtersIn(values) : [properties as Sent];
}

const isOfBounces = ({ key }: Sent) => key === "$is_bounce";

/** Whether filters leave sessions that bounced, or the others; undefined for anything but a plain condition. */
function bounceOf(filters: readonly Sent[]): boolean | undefined {
  const [one, ...others] = filters.filter(isOfBounces);
  if (one === undefined) return false;
  const { operator = "exact", value } = one;
  const isTrue = operator === "exact" && /^true$/i.test(String([value].flat()[0]));
  return isTrue && others.length === 0 ? true : undefined;
}

/** The direction of a measure with its own filters and those of the query. */
function directionOfSeries(
  { event = null, math = "total", math_property = null, properties }: Measured,
  common: unknown,
): Direction | undefined {
  const filters = [...filtersIn(properties), ...filtersIn(common)];
  const isBounced = bounceOf(filters);
  const others = filters.filter((one) => !isOfBounces(one));
  if (isBounced === undefined || !others.every(({ key }) => AUDIENCE.test(String(key)))) {
    return undefined;
  }
  if (isBounced) return COUNTS.test(math) ? "less" : undefined;
  if (math_property === "$session_duration" && /^(?:avg|median)$/.test(math)) return "more";
  return math_property === null && COUNTS.test(math) ? directionOfCount(event, math) : undefined;
}

function directionOfCount(event: string | null, math: string): Direction | undefined {
  // Errors are events, too.
  if (event === null) return math === "total" ? undefined : "more";
  if (UNWELCOME.test(event)) return "less";
  return WELCOME.test(event) ? "more" : undefined;
}

/** Which way of a line's number is welcome, by what it measures; undefined if that is not known. */
export function directionOf(
  { series = [], trendsFilter = {}, properties }: Query,
  { math, series: place }: Pick<Line, "math" | "series">,
): Direction | undefined {
  const nodes = trendsFilter["formulaNodes"] as { formula?: unknown }[] | undefined;
  const formula = trendsFilter["formula"] ?? nodes?.[0]?.formula;
  const letter = math === "formula" ? RATIO.exec(String(formula))?.[1] : undefined;
  const at = letter === undefined ? place : letter.charCodeAt(0) - 65;
  const measure = at === undefined ? undefined : series[at];
  return measure && directionOfSeries(measure, properties);
}
