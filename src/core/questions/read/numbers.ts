import { type Compared, type Frequency, type Part, UNITS, type Unit } from "./parts.ts";
import type { Match, Places } from "./rules.ts";

/** A pattern for an optional unit after a number. */
const UNIT = `(${UNITS.map((unit) => unit.toUpperCase()).join("|")})?`;

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
} as const;

const often = (is: Frequency["is"], number: number): Frequency => ({ kind: "freq", is, number });

const compared = (
  found: Match<Part>,
  is: Compared["is"],
  numbers = numbersIn(found),
): Compared => ({
  ...{ kind: "cmp", is, numbers },
  ...unitsIn(found),
});

/** Reads comparisons such as "more than 5" and frequencies such as "twice". */
export function readNumbers(places: Places<Part>): void {
  places.each(`BETWEEN _ NUM (AND|TO) NUM ${UNIT}`, (found) => compared(found, "between"));
  for (const [tag, is] of Object.entries(COMPARISONS)) {
    places.each(`${tag} _ (NUM|TWICE|ONCE) ${UNIT} (TIMES)?`, (found) => {
      const isTwice = found.of("TWICE").length > 0;
      const isOften = isTwice || found.of("ONCE", "TIMES").length > 0;
      const [number = isTwice ? 2 : 1] = numbersIn(found);
      return isOften ? often(is, number) : compared(found, is, [number]);
    });
  }
  for (const [tag, is] of Object.entries({ OR_MORE: "gte", OR_LESS: "lte" } as const)) {
    places.each(`NUM ${UNIT} (TIMES)? ${tag} ${UNIT}`, (found) => {
      const [number = 0] = numbersIn(found);
      return found.of("TIMES").length > 0 ? often(is, number) : compared(found, is, [number]);
    });
  }
  places.each(`NUM {\\+} ${UNIT}`, (found) => compared(found, "gte"));
  places.each("AGAIN", () => often("gte", 2));
  places.each("NUM TIMES", (found) => often("exact", numbersIn(found)[0] ?? 0));
  places.each("TWICE", () => often("exact", 2));
}

/** Units of time in seconds. */
const SECONDS: Partial<Record<Unit, number>> = {
  ...{ millis: 0.001, seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 },
};

const NAMED_UNIT =
  /(?:^|_|\b)(ms|millis|milliseconds|s|sec|secs|seconds|min|mins|minutes|hours|h|days)(?:$|_)/i;

/** Returns the unit in the name of a property, such as `_ms`, in seconds; undefined without one. */
export function unitOfName(name: string): number | undefined {
  const [, unit] = NAMED_UNIT.exec(name) ?? [];
  if (unit === undefined) return name === "$session_duration" ? 1 : undefined;
  const letter = unit.toLowerCase();
  if (letter.startsWith("mi") && !letter.startsWith("mil")) return 60;
  return { m: 0.001, s: 1, h: 3600, d: 86_400 }[letter[0] ?? "s"];
}

/** Converts numbers to the unit in the name of a property. Returns undefined if the name has no unit. */
export function inUnitOf(
  name: string,
  { numbers, unit }: Pick<Compared, "numbers" | "unit">,
): number[] | undefined {
  const size = unit === undefined ? undefined : SECONDS[unit];
  if (size === undefined) return numbers;
  const own = unitOfName(name);
  return own === undefined
    ? undefined
    : numbers.map((one) => Number(((one * size) / own).toPrecision(12)));
}
