import type { SeriesMath } from "../../queries/trend.ts";
import type { When } from "../language/dates.ts";
import type { Property } from "../language/name-keys.ts";

/** A condition on a property of an event or its person. Numbers are compared as numbers. */
export type Condition = {
  property: Property;
  is: "equal" | "not" | "contains" | "above" | "at_least" | "below" | "at_most" | "set" | "unset";
  values: string[];
};

/** An answer has a row for each value of its labels. */
export type Label =
  | { by: "property"; property: Property }
  /** The value of the person's first event. */
  | { by: "first_touch"; property: Property }
  /** The origin of a visit is its referring domain, else its utm_source, else `Direct`. */
  | { by: "weekday" | "hour" | "date" | "event" | "entry" | "exit" | "origin" };

/** Properties of sessions with the pages where these begin and end, in conditions too. */
export const PLACES = { entry: "$entry_pathname", exit: "$end_pathname" } as const;

/** Whether a property is of the session of an event. */
export const isOfSession = ({ name }: Property): boolean =>
  name === PLACES.entry || name === PLACES.exit;

/** Counted events, of all names if `events` is empty, and how they are counted. */
export type Aggregate = {
  events: readonly string[];
  math: SeriesMath | "different";
  property?: Property;
  /** The index of a type of groups, for `unique_group`. */
  group?: number;
  where?: readonly Condition[];
};

/** Measures of sessions. */
export type SessionValue =
  | "count"
  | "seconds"
  | "median_seconds"
  | "longest_seconds"
  | "pages"
  | "bounce_rate"
  | "bounces"
  | "persons"
  | "per_person";

/** The measure of a question. */
export type Measure =
  /** `by` is what a reader found that the answer has a row for each of. */
  | ({ of: "events"; by?: Label } & Aggregate)
  | { of: "series"; all: readonly Aggregate[] }
  | { of: "ratio"; over: Aggregate; under: Aggregate; isPercent: boolean }
  | { of: "mean_of_days"; counted: Aggregate; unit: "day" | "week" | "month" | "hour" }
  | { of: "sessions"; value: SessionValue; page?: string }
  | { of: "session_share"; among: readonly Condition[] }
  | {
      of: "funnel";
      steps: readonly string[];
      as: "steps" | "rate" | "lost" | "seconds" | "median_seconds";
      window?: { count: number; unit: string };
      /** Conditions of its page views. */
      pages?: readonly Condition[];
    }
  | { of: "retention"; start: string | null; back: string | null }
  | { of: "lifecycle"; event: string | null }
  | { of: "stickiness"; event: string | null }
  | { of: "active_on"; event: string | null; days: number }
  | { of: "next"; page: string; isBefore: boolean }
  /** Persons with an event, or who have seen pages, and without another event, or without it on pages. */
  | {
      of: "without";
      event: string;
      not: string;
      pages?: readonly Condition[];
      seen?: readonly Condition[];
    }
  /** Persons with each of some events; the page views among them meet the conditions. */
  | { of: "all_of"; events: readonly string[]; pages?: readonly Condition[] }
  /** Persons with an event, one of which meets the conditions of `did`, and none of which meets one of `met`. */
  | { of: "never"; event: string; met: readonly Condition[]; did?: readonly Condition[] }
  | { of: "repeaters"; event: string; times: number; isShare?: boolean }
  | {
      of: "newcomers";
      event: string | null;
      which: "new" | "returning" | "both";
      isShare?: boolean;
    }
  | { of: "moment"; events: readonly string[]; isLast: boolean }
  | { of: "value"; property: Property }
  | { of: "persons" };

/** How many rows an answer has, and which come first. */
export type Top = { count: number | null; isAscending: boolean };

/** A question as it is understood. */
export type Reading = {
  measure: Measure;
  by: readonly Label[];
  where: readonly Condition[];
  top: Top | null;
  when: When;
};
