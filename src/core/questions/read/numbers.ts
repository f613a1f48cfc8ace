import { spoken } from "../names/index.ts";
import { type Bound, type Compared, type Frequency, type Part, UNITS, type Unit } from "./parts.ts";
import type { Match, Places } from "./rules.ts";

/** A pattern for an optional unit after a number. */
const UNIT = `(DIFFERENT)? (${UNITS.map((unit) => unit.toUpperCase()).join("|")})?`;

/** The unit of a comparison, and the word for its currency. */
function unitsIn(found: Match<Part>): Pick<Compared, "unit" | "currency"> {
  const unit = UNITS.find((one) => found.free(one.toUpperCase()).length > 0);
  const [money] = found.free("MONEY");
  return {
    ...(unit === undefined ? {} : { unit }),
    ...(money === undefined ? {} : { currency: money.word }),
  };
}

/** Returns the numbers in a match. */
export const numbersIn = (found: Match<Part>): number[] =>
  found.free("NUM").flatMap((place) => found.term(place).number ?? []);

const COMPARISONS = {
  MORE: "gt",
  AT_LEAST: "gte",
  LESS: "lt",
  AT_MOST: "lte",
  EXACTLY: "exact",
  ONLY: "exact",
} as const;

const often = (is: Bound["is"], number: number): Frequency => ({
  ...{ kind: "freq", bounds: [{ is, number }] },
});

const compared = (found: Match<Part>, is: Bound["is"], number: number): Compared => ({
  ...{ kind: "cmp", bounds: [{ is, number }] },
  ...unitsIn(found),
});

/** Reads "between 2 and 5", "from 2 to 5 times". */
function range(found: Match<Part>): Compared | Frequency {
  const [from = 0, to = 0] = numbersIn(found);
  const bounds: Bound[] = [
    { is: "gte", number: from },
    { is: "lte", number: to },
  ];
  return found.of("TIMES").length > 0
    ? { kind: "freq", bounds }
    : { kind: "cmp", bounds, ...unitsIn(found) };
}

/** Joins "at least 2" and "at most 5" to one range; undefined if they are of different kinds or units. */
function bothEnds(found: Match<Part>): Compared | Frequency | undefined {
  const [one, other] = found.all.flatMap(({ part }) =>
    part?.kind === "cmp" || part?.kind === "freq" ? part : [],
  );
  if (one === undefined || other === undefined) return undefined;
  const bounds = [...one.bounds, ...other.bounds];
  const isLow = ({ is }: Bound) => is === "gt" || is === "gte";
  const isHigh = ({ is }: Bound) => is === "lt" || is === "lte";
  if (bounds.length > 2 || !bounds.some(isLow) || !bounds.some(isHigh)) return undefined;
  const sorted = bounds.toSorted((a, b) => Number(isHigh(a)) - Number(isHigh(b)));
  const units = new Set([one, other].flatMap((part) => ("unit" in part ? (part.unit ?? []) : [])));
  if (units.size > 1) return undefined;
  return { ...one, ...other, bounds: sorted };
}

/** Reads comparisons such as "more than 5" and frequencies such as "twice". */
export function readNumbers(places: Places<Part>): void {
  places.each(`BETWEEN _ NUM (AND|TO) NUM ${UNIT} (TIMES)?`, range);
  for (const [tag, is] of Object.entries(COMPARISONS)) {
    places.each(`${tag} _ (MONEY)? (NUM|TWICE|ONCE) ${UNIT} (TIMES)?`, (found) => {
      const isTwice = found.of("TWICE").length > 0;
      const isOften = isTwice || found.of("ONCE", "TIMES").length > 0;
      const [number = isTwice ? 2 : 1] = numbersIn(found);
      return isOften ? often(is, number) : compared(found, is, number);
    });
  }
  for (const [tag, is] of Object.entries({ OR_MORE: "gte", OR_LESS: "lte" } as const)) {
    places.each(`NUM ${UNIT} (TIMES)? ${tag} ${UNIT}`, (found) => {
      const [number = 0] = numbersIn(found);
      return found.of("TIMES").length > 0 ? often(is, number) : compared(found, is, number);
    });
  }
  places.each(`NUM {\\+} ${UNIT}`, (found) => compared(found, "gte", numbersIn(found)[0] ?? 0));
  const hasPeople = places
    .sequence()
    .some(({ tags }) => /PERSON|VISITOR|PAYER|ACTIVE|WHO\b/.test(tags.join(" ")));
  places.each(`{on${hasPeople ? "|for" : ""}} _ CMP`, (found) => {
    const part = found.of("CMP")[0]?.part;
    if (part?.kind !== "cmp" || part.unit !== "days" || part.bounds.length > 1) return undefined;
    const [{ is, number } = { is: "exact", number: 0 }] = part.bounds;
    if (is !== "gte" && is !== "gt") return undefined;
    const min_periods = number + Number(is === "gt");
    const did = { value: "performed_event_regularly", time_interval: "day", min_periods };
    return { kind: "freq", bounds: [], did };
  });
  places.each("AGAIN", () => often("gte", 2));
  places.each("NUM TIMES", (found) => often("exact", numbersIn(found)[0] ?? 0));
  places.each("TWICE", () => often("exact", 2));
  places.each("ONCE", () => often("exact", 1));
  places.each("(CMP|FREQ) _ (AND)? _ (CMP|FREQ)", bothEnds);
}

/** Units of time in seconds. */
export const SECONDS: Partial<Record<Unit, number>> = {
  ...{ millis: 0.001, seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 },
};

const NAMED_UNIT = /\b(ms|millis|milliseconds|s|sec|secs|seconds|min|mins|minutes|hours|h|days)\b/;

/** Returns the unit in the name of a property, such as `_ms`, in seconds; undefined without one. */
export function unitOfName(name: string): number | undefined {
  const [, unit] = NAMED_UNIT.exec(spoken(name)) ?? [];
  if (unit === undefined) return name === "$session_duration" ? 1 : undefined;
  const letter = unit.toLowerCase();
  if (letter.startsWith("mi") && !letter.startsWith("mil")) return 60;
  return { m: 0.001, s: 1, h: 3600, d: 86_400 }[letter[0] ?? "s"];
}

/** Converts numbers to the unit in the name of a property. Returns undefined if the name has no unit. */
export function inUnitOf(
  name: string,
  { bounds, unit }: Pick<Compared, "bounds" | "unit">,
): Bound[] | undefined {
  const size = unit === undefined ? undefined : SECONDS[unit];
  if (size === undefined) return bounds;
  const own = unitOfName(name);
  return own === undefined
    ? undefined
    : bounds.map(({ is, number }) => ({
        ...{ is, number: Number(((number * size) / own).toPrecision(12)) },
      }));
}
