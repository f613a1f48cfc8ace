import type { Property } from "../language/name-keys.ts";
import type { Part, Parts } from "../language/parts.ts";
import { askedInterval } from "./compile.ts";
import { isSame } from "./conditions.ts";
import type { Condition, Measure, Reading } from "./reading.ts";

/** Conditions that hold for an event, by the ones that deny them. */
const MET: Partial<Record<Condition["is"], Condition["is"]>> = { not: "equal", unset: "set" };

/**
 * Counts "visitors who did not come from Google" by person: none of their events in the period has the denied
 * condition. With intervals the condition is on each event.
 */
export function byPerson(parts: Parts, reading: Reading): Reading {
  const { measure, where } = reading;
  if (measure.of === "without") return withoutPages(reading, measure);
  const isOfPersons = measure.of === "events" && measure.math === "dau";
  if (!isOfPersons || reading.when.compare === true || askedInterval(reading) !== null)
    return reading;
  const [event, ...others] = measure.events;
  const isDenied = parts.all.some((part) => isNot(part) && parts.read.get(part) === "filter");
  const met = where.flatMap((one) => {
    const is = MET[one.is];
    return is === undefined ? [] : [{ ...one, is }];
  });
  if (!isDenied || event === undefined || others.length > 0 || met.length === 0) return reading;
  const views = "$pageview";
  if (event !== views && where.some(isOffPage)) {
    return withoutPages(reading, { of: "without", event, not: views });
  }
  const rest = where.filter(({ is }) => MET[is] === undefined);
  const isOfOne = ({ property }: Condition) =>
    isOwn(property) || met.some((one) => isSame(one.property, property));
  const did = rest.filter(isOfOne);
  return {
    ...reading,
    measure: { of: "never", event, met, ...(did.length === 0 ? {} : { did }) },
    where: rest.filter((one) => !isOfOne(one)),
  };
}

/** Whether a property is of single events: in "bought shoes but not bags" these are two purchases. */
const isOwn = ({ of, name }: Property) =>
  of === "event" && (name === PAGE || !/^(?:\$|utm_)/.test(name));

/** "Customers who never visited /pricing" lack a view of that page; they may have seen others. */
function withoutPages(reading: Reading, measure: Extract<Measure, { of: "without" }>): Reading {
  const { where } = reading;
  const pages = where.filter(isOffPage).map((one) => ({ ...one, is: "equal" as const }));
  if (pages.length === 0) return { ...reading, measure };
  return {
    ...reading,
    measure: { ...measure, pages },
    where: where.filter((one) => !isOffPage(one)),
  };
}

const isOffPage = ({ is, property }: Condition) => is === "not" && property.name === PAGE;

/** The property with the page of an event. */
const PAGE = "$pathname";

/** Whether a part is the "not" of a verb: "customers without a coupon" are those of such orders. */
const isNot = ({ meaning, words }: Part) =>
  meaning.roles.has("without") && words.some(({ text }) => /^not$/i.test(text));
