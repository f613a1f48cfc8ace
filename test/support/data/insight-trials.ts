import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Found, PlanOf } from "../../../src/core/ports/insights.ts";
import type { Query } from "../../../src/core/queries/insight.ts";
import type { BreakdownKind, FoundValue } from "../../../src/core/queries/result.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { type DataSet, type DataSets, dataSets } from "./data-sets.ts";
import { DATA_SETS, forEach, PROJECTS, sorted, TIMEOUT_MS } from "./insight-reference.ts";

/** A row that a draft finds. */
export type DraftRow = Record<string, Json>;

/** The value of a breakdown as rows of queries have it. */
export function draftValue({ breakdown, is_other }: DraftRow): {
  kind: BreakdownKind;
  breakdown: FoundValue;
} {
  if (is_other === true) return { kind: "other", breakdown: null };
  if (breakdown === null) return { kind: "none", breakdown: null };
  if (Array.isArray(breakdown)) return { kind: "value", breakdown: breakdown as string[] };
  return { kind: "value", breakdown: String(breakdown) };
}

/** A query of chance over a data set, and the rows that a plain loop finds for it. */
type Trial<Kind extends Query["kind"], Row> = { plan: PlanOf<Kind>; expected: Row[] };

type Trials<Kind extends Query["kind"], Row> = {
  asked: (set: DataSet) => Trial<Kind, Row>;
  /** The rows of what was found; those of its series, one after the other. */
  rows: (found: Found[Kind]) => Row[];
  /** Looks at everything that was expected: queries that find nothing would prove little. */
  enough: (expected: Row[]) => void;
  /** A row of a draft as it is expected; undefined for one that is there to be read alone. */
  drafted: (row: DraftRow, plan: PlanOf<Kind>) => Row;
};

/** Tries a kind of query against a plain loop, and its draft as well. */
export function insightTrials<Kind extends Query["kind"], Row>(
  what: string,
  { asked, rows, enough, drafted }: Trials<Kind, Row>,
): void {
  let stored: DataSets;

  beforeAll(async () => {
    stored = await dataSets(PROJECTS);
  });

  afterAll(() => stored[Symbol.asyncDispose]());

  test(
    `${what} is what a plain loop over the events finds, on ${DATA_SETS} sets of events`,
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
    `${what} is drafted as SQL that finds the same`,
    async () => {
      await forEach(stored.sets, async (set) => {
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
