/** Texts of figures, as the table shows them. */

/** The median, the 99th percentile and the largest of times in milliseconds. */
export function spread(took: readonly number[]): string {
  return `${[0.5, 0.99, 1].map((share) => quantile(took, share).toFixed(1)).join(" / ")} ms`;
}

/** The 99th percentile of times in milliseconds. */
export const p99 = (took: readonly number[]): string => `${quantile(took, 0.99).toFixed(1)} ms`;

function quantile(took: readonly number[], share: number): number {
  const sorted = took.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** A whole number, with its thousands apart. */
export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
/** Milliseconds. */
export const ms = (value: number): string => `${value.toFixed(0)} ms`;
/** Milliseconds as seconds. */
export const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;
/** Bytes as megabytes. */
export const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? "n/a" : `${(bytes / 1e6).toFixed(0)} MB`;
