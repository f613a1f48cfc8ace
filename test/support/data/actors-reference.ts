import { expect } from "bun:test";
import type { ActorRow, Actors } from "../../../src/core/ports/insights.ts";
import type { Chance, DataSet, DataSets, Stored } from "./data-sets.ts";
import { ownerOf } from "./insight-reference.ts";

/** Rows of an answer whose persons are compared, of each data set. */
const ROWS_EACH = 4;

/** A few rows, by chance. */
export function someOf<T>(rows: readonly T[], { next }: Chance): T[] {
  const left = [...rows];
  return Array.from({ length: Math.min(ROWS_EACH, rows.length) }, () => {
    return left.splice(next(left.length), 1)[0] as T;
  });
}

const ALL = { limit: 1000, offset: 0, search: null };

/** Expects as many persons as a number says; returns their rows. */
export async function expectActors(
  { queries }: DataSets,
  { project, persons }: DataSet,
  asked: Actors,
  number: number,
): Promise<ActorRow[]> {
  const { count, rows } = await queries.actors(project, asked, ALL);
  expect([project, asked.cell, count]).toEqual([project, asked.cell, number]);
  const ids = rows.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const known = new Set([...persons.keys()].map((_, at) => project * 10 + at));
  expect(ids.filter((id) => id !== null && !known.has(id))).toEqual([]);
  expect(ids.includes(null) ? ids.length <= count : ids.length === count).toBe(true);
  return rows;
}

/** The owners of some events, found by a plain loop: with their counts, and the time of their last event. */
export function ownersOf(
  set: DataSet,
  events: readonly Stored[],
  countOf: (events: Stored[]) => number,
): ActorRow[] {
  const places = new Map([...set.persons.keys()].map((uuid, at) => [uuid, set.project * 10 + at]));
  const found = new Map<number | null, ActorRow>();
  for (const [owner, own] of Map.groupBy(events, (event) => ownerOf(set, event))) {
    const id = places.get(owner) ?? null;
    const times = own.map(({ timestamp, happened = timestamp }) => happened);
    const last = times.toSorted().at(-1) ?? "";
    const before = found.get(id);
    const last_at = before !== undefined && before.last_at > last ? before.last_at : last;
    found.set(id, { id, count: (before?.count ?? 0) + countOf(own), last_at });
  }
  return [...found.values()].toSorted(
    (a, b) =>
      b.count - a.count ||
      Buffer.compare(Buffer.from(b.last_at), Buffer.from(a.last_at)) ||
      (a.id ?? Number.POSITIVE_INFINITY) - (b.id ?? Number.POSITIVE_INFINITY),
  );
}
