import type { JsonObject } from "../../values/json.ts";
import type { EventInfo } from "../names/index.ts";
import { type Asked, type Item, NotUnderstood, textOf } from "../read/asked.ts";
import { takeConditions, takeFilters } from "./conditions.ts";
import { didOf, takeDeeds } from "./deeds.ts";
import { type Draft, type Measure, node, percentage, totalOf } from "./draft.ts";
import { infoOf } from "./events.ts";
import { hasPeople, takePeople } from "./people.ts";
import { funnelOf, takeSteps, takeWindow } from "./steps.ts";
import { bounceRate, visitsWith } from "./visits.ts";

/** "What share of visitors signs up", "percentage of orders paid with paypal". */
export const share: Measure = (asked) => {
  const word = asked.take("SHARE");
  if (word === undefined) return undefined;
  asked.takeAll("COUNT");
  if (asked.take("SESSION") !== undefined) return sessionShare(asked);
  const people = hasPeople(asked) ? takePeople(asked) : undefined;
  if (people !== undefined) return peopleShare(asked, people.base, word);
  const [counted, another] = asked.events();
  if (counted === undefined) throw new NotUnderstood(textOf(word));
  if (another !== undefined) throw new NotUnderstood(textOf(another));
  counted.isUsed = true;
  const { event } = counted.part;
  return shareOf(asked, totalOf(event), event, word);
};

/** The percentage of all that meets the conditions. */
function shareOf(asked: Asked, all: JsonObject, event: EventInfo | null, word: Item): Draft {
  const filters = takeConditions(asked, event);
  const own = filters.length > 0 ? filters : takeFilters(asked, [event]);
  if (own.length > 0) return percentage({ ...all, properties: own }, all, [event]);
  const reason = asked.has("PROP", "WEEKDAY", "HOUR")
    ? "A share is of what meets a condition."
    : undefined;
  throw new NotUnderstood(textOf(word), reason);
}

function sessionShare(asked: Asked): Draft {
  if (asked.take("BOUNCED") !== undefined) return bounceRate(asked);
  const [named] = asked.events();
  if (named === undefined) {
    const [view, word] = [infoOf(asked, "$pageview"), asked.items[0] as Item];
    return shareOf(asked, visitsWith("$pageview"), view, word);
  }
  named.isUsed = true;
  asked.takeAll("SET_ANY");
  const { event } = named.part;
  const part = visitsWith(event.name, takeConditions(asked, event));
  return percentage(part, visitsWith(null), [null]);
}

function peopleShare(asked: Asked, base: string | null, word: Item): Draft {
  const window = takeWindow(asked);
  if (Object.keys(window).length > 0) return windowed(asked, base, window);
  const deeds = takeDeeds(asked, { isOfPeople: true });
  const [first, ...others] = deeds;
  if (first === undefined)
    return shareOf(asked, node(base, { math: "dau" }), infoOf(asked, base), word);
  // "Of the people who created a workspace, how many created a task": the first event is the base.
  const isOfFirst = base === null && others.length > 0;
  const event = isOfFirst ? first.event : infoOf(asked, base);
  const filters = isOfFirst ? first.filters : [];
  const own = (isOfFirst ? others : deeds).flatMap(didOf);
  const whole = node(isOfFirst ? first.event.name : base, { math: "dau" }, filters);
  return percentage({ ...whole, properties: [...filters, ...own] }, whole, [event]);
}

/** "Signed up within 7 days": the last step of a funnel. */
function windowed(asked: Asked, base: string | null, window: JsonObject): Draft {
  const steps = takeSteps(asked);
  asked.takeAll("AND", "WHO", "FIRST_SEEN", "IS_NEW", "TO");
  const series = steps.length === 1 && base !== null ? [node(base), ...steps] : steps;
  if (series.length < 2) throw new NotUnderstood("within", "Say from what to what.");
  return funnelOf(asked, series, window);
}
