/**
 * The integer id in a path, as JSON writes it: `01` is not an id, and no id is beyond 2^53. Undefined if the
 * text is not an id.
 */
export function readId(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(text)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
