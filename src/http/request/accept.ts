const TABLE = "text/csv";
const JSON_TYPE = "application/json";

/** How well a type is accepted: `q` (0 to 1), and how closely the range that says so names it. */
type Accepted = { q: number; closeness: number };

/**
 * Whether the header `Accept` prefers CSV to JSON (RFC 9110 12.5.1): by `q`; of equals, what is named
 * more closely, and JSON where nothing else decides.
 */
export function prefersTable(accept: string | null): boolean {
  if (accept === null) return false;
  const ranges = accept.toLowerCase().split(",").map(readRange);
  const [table, json] = [acceptedOf(TABLE, ranges), acceptedOf(JSON_TYPE, ranges)];
  if (table.q !== json.q) return table.q > json.q;
  return table.q > 0 && table.closeness > json.closeness;
}

function readRange(text: string): { range: string; q: number } {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const q = weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, ""));
  return { range, q: q >= 0 && q <= 1 ? q : 0 };
}

function acceptedOf(type: string, ranges: ReturnType<typeof readRange>[]): Accepted {
  const names = ["*/*", `${type.split("/", 1)}/*`, type];
  const closest = ranges
    .map(({ range, q }) => ({ q, closeness: names.indexOf(range) }))
    .sort((one, other) => other.closeness - one.closeness)[0];
  return closest === undefined || closest.closeness < 0 ? { q: 0, closeness: -1 } : closest;
}
