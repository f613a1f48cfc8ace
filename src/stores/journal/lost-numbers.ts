import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import type { SeqGap } from "../../core/ports/journal.ts";

/**
 * The numbers that a journal is known to have lost, in a file of its own. Without it a loss would be forgotten
 * once new events have come: the stores then have numbers above it.
 */
export type LostNumbers = {
  /** Whether all numbers of a gap are in the file already. */
  has(gap: SeqGap): boolean;
  /** Adds a gap, on disk. On a full disk only this process knows of it. */
  add(gap: SeqGap): void;
  /** Returns how many numbers there are. A number that was lost twice counts once. */
  count(): number;
};

/** Reads the file at `path`, a line for each gap. The file is made with the first one. */
export function lostNumbers(path: string): LostNumbers {
  let gaps = joined(gapsIn(path));
  return {
    has: ({ first, last }) => gaps.some((gap) => gap.first <= first && last <= gap.last),
    add({ first, last }) {
      gaps = joined([...gaps, { first, last }]);
      try {
        const file = openSync(path, "a", 0o600);
        writeSync(file, `${JSON.stringify({ first, last })}\n`);
        fsyncSync(file);
        closeSync(file);
      } catch {
        // The start goes on: the log has the gap.
      }
    },
    count: () => gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0),
  };
}

function gapsIn(path: string): SeqGap[] {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return [...text.matchAll(/^\{"first":(\d{1,16}),"last":(\d{1,16})\}$/gm)]
    .map(([, first, last]) => ({ first: Number(first), last: Number(last) }))
    .filter(({ first, last }) => first <= last);
}

/** The same numbers as gaps that neither overlap nor touch, in order. */
function joined(gaps: readonly SeqGap[]): SeqGap[] {
  const all: SeqGap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.first - b.first)) {
    const before = all.at(-1);
    if (before !== undefined && gap.first <= before.last + 1) {
      before.last = Math.max(before.last, gap.last);
    } else all.push({ ...gap });
  }
  return all;
}
