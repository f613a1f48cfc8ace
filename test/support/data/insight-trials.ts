import { afterAll, beforeAll, expect, test } from "bun:test";
import type {
  Actors,
  BreakdownKind,
  CellOf,
  Found,
  FoundValue,
  PlanOf,
} from "../../../src/core/ports/insights.ts";
import type { Query } from "../../../src/core/queries/insight.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { turnOf } from "../start/rounds.ts";
import { expectActors, someOf } from "./actors-reference.ts";
import { chance, type DataSet, type DataSets, dataSets } from "./data-sets.ts";
import {
  DATA_SETS,
  draftedSets,
  forEach,
  PROJECTS,
  sorted,
  TIMEOUT_MS,
} from "./insight-reference.ts";

/** A row of a draft. */
export type DraftRow = Record<string, Json>;

/** The value of a row of a draft, as rows of queries have it. */
export function draftValue({ breakdown, is_other }: DraftRow): {
  kind: BreakdownKind;
  breakdown: FoundValue;
} {
  if (is_other === true) return { kind: "other", breakdown: null };
  if (breakdown === null) return { kind: "none", breakdown: null };
  if (Array.isArray(breakdown)) return { kind: "value", breakdown: breakdown as string[] };
  return { kind: "value", breakdown: String(breakdown) };
}

/** A random query over a data set, and its rows by a plain loop. */
type Trial<Kind extends Query["kind"], Row> = { plan: PlanOf<Kind>; expected: Row[] };

type Trials<Kind extends Query["kind"], Row> = {
  asked: (set: DataSet) => Trial<Kind, Row>;
  /** Returns all rows of a result, series after series. */
  rows: (found: Found[Kind]) => Row[];
  /** Expects enough rows in all: queries without rows would prove little. */
  enough: (expected: Row[]) => void;
  /** Returns the number of a row, as what its persons are asked by. */
  cell: (row: Row, plan: PlanOf<Kind>) => { cell: CellOf[Kind]; number: number };
  /** Returns a row of a draft as the plain loop has it. */
  drafted: (row: DraftRow, plan: PlanOf<Kind>) => Row;
};

/** Compares a kind of query, and its draft, with a plain loop. */
export function insightTrials<Kind extends Query["kind"], Row>(
  name: string,
  { asked, rows, enough, cell, drafted }: Trials<Kind, Row>,
): void {
  let stored: DataSets;

  beforeAll(async () => {
    stored = await dataSets(PROJECTS);
  });

  afterAll(() => stored[Symbol.asyncDispose]());

  test(
    `${name} is the same as in a plain loop over the events, on ${DATA_SETS} sets of events`,
    async () => {
      const all: Row[] = [];
      await forEach(stored.sets, async (set) => {
        const { plan, expected } = asked(set);
        const { found } = await stored.queries.run(set.project, plan as never);

        const same = [set.project, ...sorted(expected)];
        expect([set.project, ...sorted(rows(found as Found[Kind]))]).toEqual(same);
        all.push(...expected);
      });
      enough(all);
    },
    TIMEOUT_MS,
  );

  test(
    `${name} has as many persons as each number says`,
    async () => {
      await forEach(turnOf(stored.sets, 1, 2), async (set) => {
        const { plan, expected } = asked(set);
        for (const row of someOf(expected, chance(set.project))) {
          const { cell: of, number } = cell(row, plan);
          const one = { kind: plan.query.kind, plan, cell: of } as unknown as Actors;
          await expectActors(stored, set, one, number);
        }
      });
    },
    TIMEOUT_MS,
  );

  test(
    `${name} has a draft that finds the same`,
    async () => {
      await forEach(draftedSets(stored.sets), async (set) => {
        const { plan, expected } = asked(set);
        const found = (await stored.drafted(set.project, plan as never)).map((row) =>
          drafted(row, plan),
        );
        const same = [set.project, ...sorted(expected)];
        expect([set.project, ...sorted(found)]).toEqual(same);
      });
    },
    TIMEOUT_MS,
  );
}
