import type { JsonObject } from "../../values/json.ts";
import type { EventInfo } from "../names/index.ts";
import { type Asked, type Item, isTagged, NotUnderstood, textOf } from "../read/asked.ts";
import { boundsJson, type Named, parted } from "../read/parts.ts";
import { takeMath } from "./calculations.ts";
import { type Draft, type Measure, node, percentage, trend } from "./draft.ts";
import { infoOf } from "./events.ts";
import { use } from "./items.ts";

/** The series that counts visits with an event. A null event means any event. */
export const visitsWith = (event: string | null, filters: JsonObject[] = []): JsonObject =>
  node(event, { math: "unique_session" }, filters);

const BOUNCED = visitsWith("$pageview", [
  { key: "$is_bounce", type: "session", operator: "exact", value: ["true"] },
]);

/** The share of bounced visits in all visits with a page view. */
export const bounceRate = (asked: Asked): Draft =>
  percentage(BOUNCED, visitsWith("$pageview"), [infoOf(asked, "$pageview")]);

/** The bounces of visits, or their pages. Throws `NotUnderstood` if the project has no page views. */
function ofPageViews(asked: Asked, view: EventInfo | null): Draft | undefined {
  const isOfViews = asked.find("BOUNCE_RATE", "BOUNCED", "DEPTH");
  if (isOfViews === undefined) return undefined;
  if (view === null) throw new NotUnderstood(textOf(isOfViews), "The project has no page views.");
  const bounced = asked.take("BOUNCE_RATE", "BOUNCED");
  if (bounced !== undefined) {
    asked.takeAll("SESSION", "AVERAGE", "MUCH", "COUNT", "VISITOR", "PERSON");
    const isRate = isTagged(bounced, "BOUNCE_RATE") || asked.take("RATE") !== undefined;
    return isRate ? bounceRate(asked) : trend([BOUNCED], [view]);
  }
  asked.takeAll("DEPTH", "SESSION", "AVERAGE", "COUNT", "VISITOR", "PERSON", "PER", "MUCH");
  const views = node("$pageview", { math: "total" });
  return trend([views, visitsWith(null)], [view], { formula: "A / B" });
}

/** The number of visits, their length, their pages, or their bounces. */
export const sessions: Measure = (asked) => {
  const view = infoOf(asked, "$pageview");
  const ofViews = ofPageViews(asked, view);
  if (ofViews !== undefined) return ofViews;
  if (asked.take("SESSION_LENGTH") !== undefined) {
    asked.takeAll("SESSION", "PERSON", "VISITOR", "COUNT", "HOW_LONG", "SPEND", "MUCH");
    return duration(takeMath(asked) ?? "avg", asked.events()[0]);
  }
  const isOfPages = asked.has("ENTRY", "EXIT");
  if (!isOfPages && !asked.has("SESSION")) return undefined;
  const [event] = asked.events();
  if (event !== undefined) {
    if (isOfPages) return undefined;
    const counted = takeViewCount(asked, event);
    if (counted !== undefined) return trend([visitsWith("$pageview", counted)], [view]);
    event.isUsed = true;
    asked.takeAll("SESSION", "COUNT", "SET_ANY");
    return trend([visitsWith(event.part.event.name)], [event.part.event]);
  }
  if (asked.find("GREATEST")?.word.startsWith("longest") === true) {
    asked.takeAll("GREATEST", "SESSION");
    return duration("max");
  }
  asked.takeAll("SESSION", "COUNT", "VISITOR", "PERSON", "SUM", "MUCH");
  return trend([visitsWith(null)], [null]);
};

/** Takes "with more than 10 page views": the filters on the number of pages of a visit. */
function takeViewCount(asked: Asked, event: Item & { part: Named }): JsonObject[] | undefined {
  const count = asked.beside(event, -1);
  if (event.part.event.name !== "$pageview" || count?.part?.kind !== "cmp") return undefined;
  use(event, count);
  asked.takeAll("SESSION", "COUNT", "SET_ANY");
  return parted(boundsJson({ of: "session", name: "$pageview_count" }, count.part.bounds));
}

/** The length of visits, or of those with an event. */
const duration = (math: string, item?: Item & { part: Named }): Draft => {
  use(item);
  const event = item?.part.event ?? null;
  const of = { math_property: "$session_duration", math_property_type: "session_properties" };
  const series = node(event?.name ?? null, { math, ...of });
  return trend([series], [event], { aggregationAxisFormat: "duration" });
};

const ACTIVE = [
  ["DAU", "dau", "day"],
  ["WAU", "weekly_active", "week"],
  ["MAU", "monthly_active", "month"],
] as const;

/** "Daily active users", "MAU", "active users". */
export const active: Measure = (asked) => {
  const word = asked.take("DAU", "WAU", "MAU");
  const found = ACTIVE.find(([tag]) => isTagged(word, tag));
  if (found === undefined) return undefined;
  const [, math, intervalDefault] = found;
  asked.takeAll("COUNT", "ACTIVE", "PERSON", "AVERAGE");
  // With a period, each interval counts its own active users.
  const isOver = asked.when.span !== undefined;
  return { ...trend([node(null, { math: isOver ? "dau" : math })], [null]), intervalDefault };
};
