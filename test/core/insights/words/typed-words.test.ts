import { expect, test } from "bun:test";
import { startTypingWords } from "../../../../src/core/insights/words/typed-words.ts";
import type { Insight } from "../../../../src/core/queries/insight.ts";
import { Failure } from "../../../../src/core/values/failure.ts";
import type { JsonObject } from "../../../../src/core/values/json.ts";

const words = (query: string): JsonObject => ({ kind: "WordsQuery", query });

test("insights that were saved as words get their query, and stay if they are not understood", async () => {
  const saved = Array.from({ length: 201 }, (_, n) => ({
    short_id: `i${n}`,
    query: n === 200 ? words("visitors") : { kind: "PathsQuery" },
  }));
  saved[0] = { short_id: "i0", query: words("unicorns") };
  const updates: [project: number, short_id: string, change: object][] = [];
  const warnings: unknown[] = [];
  let isDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (isDone = resolve));
  const typing = startTypingWords({
    reads: {
      list: async (_project, _filter, { limit = 0, offset = 0 }) => ({
        count: saved.length,
        rows: saved.slice(offset, offset + limit) as Insight[],
      }),
    },
    writes: {
      update: async (project, short_id, change) => {
        updates.push([project, short_id, change]);
        isDone();
        return undefined;
      },
    },
    projects: { all: async () => [{ id: 7 }] as never },
    isCatchingUp: () => false,
    typed: async (_project, { query }) => {
      if (query === "unicorns") throw new Failure("invalid_input", "Not understood.", "query");
      return { kind: "TrendsQuery" };
    },
    log: { warn: (_text: string, fields: unknown) => warnings.push(fields) } as never,
  });
  await done;
  await typing.stop();
  expect(updates).toEqual([[7, "i200", { query: { kind: "TrendsQuery" } }]]);
  expect(warnings).toEqual([{ project: 7, short_id: "i0" }]);
});
