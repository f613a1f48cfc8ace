/** The values that an expression may have. */
const VALUES: Record<string, readonly number[]> = {
  "toHour(timestamp)": Array.from({ length: 24 }, (_, hour) => hour),
  "toDayOfWeek(timestamp)": [1, 2, 3, 4, 5, 6, 7],
};

const CONDITION =
  /^(to(?:DayOfWeek|Hour)\(timestamp\))(?:(=|!=|<=?|>=?)(\d+)|(not)?in\(([\d,]*)\)|(not)?between(\d+)and(\d+))$/i;

/** A condition on the hour or the day of the week, 1 is Monday: its expression, and the values that meet it. */
export type TimeCondition = { expression: string; met: readonly number[] };

/** Reads a condition as a filter of the type `hogql` has it; undefined for any other text. */
export function readTime(key: string): TimeCondition | undefined {
  const found = CONDITION.exec(key.replace(/\s+/g, ""));
  if (!found) return undefined;
  const [, expression = "", sign, than, notIn, list, notBetween, from, to] = found;
  const all = VALUES[expression];
  if (all === undefined) return undefined;
  const listed = (list ?? "").split(",").filter(Boolean).map(Number);
  const isMet = (one: number): boolean => {
    const [by, low, high] = [Number(than), Number(from), Number(to)];
    if (list !== undefined) return listed.includes(one) === (notIn === undefined);
    if (from !== undefined) return (one >= low && one <= high) === (notBetween === undefined);
    if (sign === "!=") return one !== by;
    return (
      (sign?.includes("=") && one === by) ||
      (sign?.[0] === "<" && one < by) ||
      (sign?.[0] === ">" && one > by) ||
      false
    );
  };
  return { expression, met: all.filter(isMet) };
}

/** The condition as a filter has it. */
export const writeTime = ({ expression, met }: TimeCondition): string =>
  `${expression} IN (${met.toSorted((a, b) => a - b).join(", ")})`;

/** The name of a value, such as `09:00` or `Monday`. */
export const timeName = (expression: string, value: number): string =>
  expression === "toHour(timestamp)"
    ? `${String(value).padStart(2, "0")}:00`
    : new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(
        new Date(Date.UTC(2024, 0, value)),
      );

/** All values of an expression. */
export const timeValues = (expression: string): readonly number[] => VALUES[expression] ?? [];
