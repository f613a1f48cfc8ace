/**
 * A value in an answer of SQL. `digits` is a number that a double may not say exactly, and `json` what
 * has parts, both as they are written.
 */
export type SqlCell = null | boolean | number | string | { digits: string } | { json: string };

/** Digits that every double says exactly, and JSON's readers with it. */
const EXACT_DIGITS = 15;

/** A value as JSON: a number that readers may round is a text (decision 117). */
export function jsonOf(cell: SqlCell): string {
  if (typeof cell !== "object" || cell === null) return JSON.stringify(cell);
  if ("json" in cell) return cell.json;
  return isExact(cell.digits) ? cell.digits : `"${cell.digits}"`;
}

function isExact(digits: string): boolean {
  const significant = digits.replace(/[-.]/g, "").replace(/^0+/, "");
  return significant.length <= EXACT_DIGITS || Number.isSafeInteger(whole(digits));
}

const whole = (digits: string) => (digits.includes(".") ? Number.NaN : Number(digits));
