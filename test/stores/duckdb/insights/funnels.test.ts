import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type {
  FunnelTimeRow,
  FunnelTrendRow,
} from "../../../../src/core/ports/insights/funnel-rows.ts";
import type { Actors, FunnelRow, Plan } from "../../../../src/core/ports/insights.ts";
import { FUNNEL_ORDERS, type Funnel } from "../../../../src/core/queries/funnel.ts";
import { expectActors, someOf } from "../../../support/data/actors-reference.ts";
import { chance, type DataSets, dataSets } from "../../../support/data/data-sets.ts";
import {
  ANY,
  asked,
  NEVER,
  reference,
  timeReference,
  trendReference,
} from "../../../support/data/funnel-reference.ts";
import {
  DATA_SETS,
  forEach,
  PROJECTS,
  sorted,
  TIMEOUT_MS,
} from "../../../support/data/insight-reference.ts";
import { type DraftRow, draftValue } from "../../../support/data/insight-trials.ts";
import { turnOf } from "../../../support/start/rounds.ts";

let stored: DataSets;

beforeAll(async () => {
  stored = await dataSets(PROJECTS);
});

afterAll(() => stored[Symbol.asyncDispose]());

/** Rows of the draft of a query; undefined if it is too large to be run as SQL. */
async function rowsOfDraft(project: number, plan: Plan): Promise<DraftRow[] | undefined> {
  try {
    return await stored.drafted(project, plan);
  } catch (error) {
    if (String(error).includes("The statement is too large once")) return undefined;
    throw error;
  }
}

/** Some of the data sets, others for each order; all of them in the long run. */
const inTurn = (order: Funnel["order"]) => turnOf(stored.sets, FUNNEL_ORDERS.indexOf(order), 3);

describe.each(FUNNEL_ORDERS)("funnels that are %s", (order) => {
  test(
    `are the same as in a plain loop over each person's events, on ${DATA_SETS} sets`,
    async () => {
      const reached = [0, 0, 0, 0];
      let excluding = 0;
      await forEach(stored.sets, async (set) => {
        const trial = asked(set, order);
        const { found } = await stored.queries.run(set.project, trial.plan);

        const expected = reference(set, trial);
        expect([set.project, ...sorted(found as FunnelRow[])]).toEqual([
          set.project,
          ...sorted(expected),
        ]);
        for (const { persons } of expected) {
          for (const [step, count] of persons.entries()) {
            reached[step] = (reached[step] ?? 0) + count;
          }
        }
        const without = reference(set, { ...trial, excluded: [] });
        if (JSON.stringify(without) !== JSON.stringify(expected)) excluding += 1;
      });
      expect(Math.min(...reached, excluding)).toBeGreaterThan(2);
    },
    TIMEOUT_MS,
  );

  test(
    "have as many persons as each step says, and as were lost before it",
    async () => {
      await forEach(inTurn(order), async (set) => {
        const trial = asked(set, order);
        const { breakdown } = trial.plan.query;
        const dice = chance(set.project);
        for (const { kind, breakdown: value, persons } of someOf(reference(set, trial), dice)) {
          const step = 1 + dice.next(persons.length);
          const [before = 0, came = 0] = [persons[step - 2], persons[step - 1]];
          const line = breakdown === null ? null : { kind, breakdown: value };
          const of = (step: number): Actors => {
            return { kind: "FunnelsQuery", plan: trial.plan, cell: { step, bucket: null, line } };
          };
          await expectActors(stored, set, of(step), came);
          if (step > 1) await expectActors(stored, set, of(-step), before - came);
        }
      });
    },
    TIMEOUT_MS,
  );

  test(
    "have a draft that finds the same",
    async () => {
      let drafts = 0;
      await forEach(inTurn(order), async (set) => {
        const trial = asked(set, order);
        const { breakdown, steps } = trial.plan.query;
        const rows = await rowsOfDraft(set.project, trial.plan);
        if (rows === undefined) return;
        drafts += 1;

        const found = rows
          .filter((row) => Number(row["persons_1"]) > 0)
          .map((row) => {
            const each = (name: string) =>
              steps.map((_, step) => (row[`${name}_${step + 1}`] ?? null) as number | null);
            return {
              ...(breakdown === null ? { kind: "value", breakdown: null } : draftValue(row)),
              ...{ persons: each("persons"), average_s: each("average_s") },
              median_s: each("median_s"),
            };
          });
        const expected = reference(set, trial);
        expect([set.project, ...sorted(found)]).toEqual([set.project, ...sorted(expected)]);
      });
      expect(drafts).toBeGreaterThan(inTurn(order).length / 2);
    },
    TIMEOUT_MS,
  );
});

/** The numbers of a funnel over time, and of its times. */
const OTHERS = [
  {
    viz: "trends",
    rowsOf: trendReference,
    drafted: (row: DraftRow) => ({
      bucket: row["bucket"] ?? null,
      from: row["persons_from"],
      to: row["persons_to"],
    }),
  },
  {
    viz: "time_to_convert",
    rowsOf: timeReference,
    drafted: ({ bin = null, persons, average_s, median_s, first_s, width_s, bins }: DraftRow) => ({
      ...{ bin, persons, average_s, median_s, first_s, width_s, bins },
    }),
  },
] as const;

describe.each(OTHERS)("funnels as $viz", ({ viz, rowsOf, drafted }) => {
  test(
    "are the same as in a plain loop over each person's events",
    async () => {
      let rows = 0;
      for (const order of FUNNEL_ORDERS) {
        await forEach(inTurn(order), async (set) => {
          const trial = asked(set, order, viz);
          const { found } = await stored.queries.run(set.project, trial.plan);

          const expected = sorted(rowsOf(set, trial));
          const all = found as FunnelTrendRow[] | FunnelTimeRow[];
          expect([set.project, order, ...sorted(all)]).toEqual([set.project, order, ...expected]);
          rows += expected.length;
        });
      }
      expect(rows).toBeGreaterThan(50);
    },
    TIMEOUT_MS,
  );

  test(
    "have a draft that finds the same",
    async () => {
      for (const order of FUNNEL_ORDERS) {
        await forEach(inTurn(order), async (set) => {
          const trial = asked(set, order, viz);
          const { breakdown } = trial.plan.query;
          const rows = await rowsOfDraft(set.project, trial.plan);
          if (rows === undefined) return;

          const found = rows.map((row) => ({
            ...(breakdown === null ? { kind: "value", breakdown: null } : draftValue(row)),
            ...drafted(row),
          }));
          const expected = sorted(rowsOf(set, trial));
          expect([set.project, order, ...sorted(found)]).toEqual([set.project, order, ...expected]);
        });
      }
    },
    TIMEOUT_MS,
  );
});

test(
  "funnels over time have as many persons as each interval says, and as were lost",
  async () => {
    for (const order of FUNNEL_ORDERS) {
      await forEach(inTurn(order), async (set) => {
        const trial = asked(set, order, "trends");
        const { breakdown, from, to } = trial.plan.query;
        for (const row of someOf(trendReference(set, trial), chance(set.project * 7))) {
          const { kind, breakdown: value, bucket } = row;
          if (bucket === null) continue;
          const line = breakdown === null ? null : { kind, breakdown: value };
          const of = (step: number): Actors => {
            return { kind: "FunnelsQuery", plan: trial.plan, cell: { step, bucket, line } };
          };
          await expectActors(stored, set, of(to + 1), row.to);
          await expectActors(stored, set, of(-1 - from), row.from - row.to);
        }
      });
    }
  },
  TIMEOUT_MS,
);

test(
  "a person that only began has the value of the first or last event that has one",
  async () => {
    await forEach(inTurn("unordered"), async (set) => {
      const { plan, isIn } = asked(set, "ordered");
      const steps = [ANY, NEVER];
      const query: Funnel = {
        ...plan.query,
        steps: steps.map(({ node }) => node),
        exclusions: [],
        breakdown: { by: [{ of: { type: "event" }, property: "own" }], limit: 3 },
        attribution: { by: set.project % 2 === 0 ? "first_touch" : "last_touch", step: null },
      };
      const trial = {
        ...{ plan: { ...plan, query }, isIn, excluded: [] },
        steps: steps.map(({ isOf }) => isOf),
      };
      const { found } = await stored.queries.run(set.project, trial.plan);

      const expected = sorted(reference(set, trial));
      expect([set.project, ...sorted(found as FunnelRow[])]).toEqual([set.project, ...expected]);
    });
  },
  TIMEOUT_MS,
);
