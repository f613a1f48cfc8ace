import type { Behavior, BehaviorFilter } from "../../../core/queries/behavior.ts";
import type { Period } from "../../../core/queries/period.ts";
import { type Bind, numberOf } from "../lists/property-filter.ts";
import type { EventScan } from "./statement.ts";

/** Begins a SELECT from events, on the clock of a period. */
type Scanning = (period: Period) => EventScan;

/** Tables with the `id` of persons, and how events join the last one. */
type Found = { key: unknown; tables: string[]; name: string; person: string };

/**
 * Finds what persons did, once for each behavior and not once for each event. `asked` is the time of the behaviors without
 * their own.
 */
export function personFacts(scanOf: Scanning, asked: Period, bind: Bind) {
  const found: Found[] = [];
  const nameOf = (key: unknown, person: string, tablesOf: (name: string) => string[]) => {
    const known = found.find((one) => one.key === key && one.person === person);
    if (known !== undefined) return known.name;
    const name = `persons_${found.length + 1}`;
    found.push({ key, person, name, tables: tablesOf(name) });
    return name;
  };
  return {
    /** Returns the condition that a person meets a filter; `person` is SQL of its id. */
    passes({ behavior, not }: BehaviorFilter, person: string): string {
      const name = nameOf(behavior, person, (name) =>
        personsOf(scanOf, { name, behavior, asked, bind }),
      );
      const isIn = !not !== holdsAtNone(behavior);
      return `${name}.id IS ${isIn ? "NOT NULL" : "NULL"}`;
    },
    /** Returns the value of a property on a person's first event that has it. */
    firstTouch: (property: string, person: string) =>
      `${nameOf(property, person, (name) => firstTouches(scanOf({ ...asked, clock: UTC }), name, property))}.value`,
    isEmpty: () => found.length === 0,
    tables: () => found.flatMap(({ tables }) => tables),
    joins: () => found.map(({ name, person }) => `LEFT JOIN ${name} ON ${name}.id = ${person}`),
  };
}

function firstTouches(scan: EventScan, name: string, property: string): string[] {
  const text = scan.text({ type: "event" }, property);
  const columns = [
    `${scan.person()} AS id`,
    `${text} AS value`,
    "events.timestamp AS t",
    "events.seq",
  ];
  return [
    scan.named(`${name}_events AS`, columns, [`${text} IS NOT NULL`]),
    `${name} AS (
  SELECT id, arg_min(value, ${PLACE}) AS value FROM ${name}_events GROUP BY id
)`,
  ];
}

/** The clock of a scan that compares no time with a period. */
const UTC = [{ until: null, ahead_s: 0 }];

// Events at the same time are in the order of arrival.
const PLACE = "epoch_us(t)::HUGEINT * 9223372036854775808 + seq";

/** Whether persons without any event meet a condition. */
function holdsAtNone({ did }: Behavior): boolean {
  if (did.what !== "count" && did.what !== "sum") return false;
  const { by, than } = did;
  return {
    ...{ ">=": 0 >= than, "<=": 0 <= than },
    ...{ ">": 0 > than, "<": 0 < than, "=": than === 0 },
  }[by];
}

type Named = { name: string; behavior: Behavior; asked: Period; bind: Bind };

/**
 * Returns tables up to the named one, which has the `id` of each person that meets the condition. If persons without
 * any event meet it, the table has all others.
 */
function personsOf(scanOf: Scanning, { name, behavior, asked, bind }: Named): string[] {
  const { did, within } = behavior;
  const scan = scanOf(within?.period ?? asked);
  const ever = within?.ever ?? false;
  const columns = [`${scan.person()} AS id`];
  let condition = "";
  const compared = (number: string) =>
    did.what === "count" || did.what === "sum"
      ? `${number} ${did.by} ${bind(String(did.than), "DOUBLE")}`
      : "";
  switch (did.what) {
    case "count":
      condition = compared("count(*)");
      break;
    case "sum":
      columns.push(`${scan.text({ type: "event" }, did.property)} AS text`);
      columns.push(`${numberOf("text")} AS number`);
      condition = compared("coalesce(sum(number), 0)");
      break;
    case "first":
      // All events that are not in the time were before it.
      columns.push(`${ever ? "true" : scan.since().join(" AND ")} AS is_within`);
      condition = "bool_and(is_within)";
      break;
    case "intervals":
      columns.push(`${scan.startOf(did.interval)} AS starts_at`);
      condition = `count(DISTINCT starts_at) >= ${did.least}`;
      break;
  }
  const conditions = [
    ...scan.within({ everBefore: ever || did.what === "first" }),
    scan.isOf(behavior),
  ];
  const having = holdsAtNone(behavior) ? `NOT (${condition})` : condition;
  return [
    scan.named(`${name}_events AS`, columns, conditions),
    `${name} AS (\n  SELECT id FROM ${name}_events GROUP BY id HAVING ${having}\n)`,
  ];
}
