/**
 * The integer id that a text of an address is, as JSON writes it: `01` is none. What is beyond
 * 2^53 is the id of nothing. Undefined if it is none.
 */
export function readId(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(text)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
