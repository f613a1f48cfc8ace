import type { DedupHash, DedupRecords } from "../../../src/core/ingest/dedup-table.ts";

const random = crypto.getRandomValues(new Uint32Array(2));

/** A different hash for each number, in random order. */
export function hashOf(at: number): DedupHash {
  const mixed = Bun.hash.wyhash(Uint32Array.of(at, ...random).buffer);
  return { low: Number(mixed & 0xff_ff_ff_ffn), high: Number(mixed >> 32n) };
}

/** The fingerprint of the entry of a number. */
export const fingerprintOf = (at: number) => (at % 65_535) + 1;

/** Entries of the numbers `from` to `to`, without `to`. */
export function recordsOf(from: number, to: number, minute: number): DedupRecords {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  return new Uint32Array(
    numbers.flatMap((at) => {
      const { low, high } = hashOf(at);
      return [low, high, minute, fingerprintOf(at)];
    }),
  );
}
