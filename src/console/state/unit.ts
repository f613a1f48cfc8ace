/** The unit of numbers that are no counts; money has its currency, such as `currency EUR`. */
export type Unit = "percent" | "seconds" | `currency ${string}`;

/** The unit as it stands next to a number or in the head of a column: `percent`, `seconds`, `EUR`. */
export const unitName = (unit: Unit): string => unit.replace("currency ", "");
