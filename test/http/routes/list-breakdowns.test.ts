import { expect, test } from "bun:test";
import { isObject, type Json } from "../../../src/core/values/json.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp({ now: Date.parse("2026-11-20T12:00:00Z") });

const TYPES = ["TypeError", "RangeError", "SyntaxError", "TimeoutError", "LockError"];
const OTHERS = "$$_posthog_breakdown_other_$$";

/** Failures with one to three types each, and a number. */
const FAILURES = [
  // With one person more, the first type is the first by persons, too.
  { user: "user-7", ms: 50, types: TYPES.slice(0, 1) },
  ...Array.from({ length: 40 }, (_, at) => ({
    user: `user-${at % 7}`,
    ms: (at * 37) % 101,
    types: TYPES.filter((_type, place) => place === 0 || (at + place) % (place + 1) === 0),
  })),
];

const EXPECTED: Record<string, (numbers: number[]) => number> = {
  total: (numbers) => numbers.length,
  sum: (numbers) => numbers.reduce((sum, one) => sum + one, 0),
  avg: (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length,
  max: (numbers) => Math.max(...numbers),
  median(numbers) {
    const sorted = numbers.toSorted((a, b) => a - b);
    const middle = sorted.length / 2;
    const at = (place: number) => sorted[place] ?? 0;
    return sorted.length % 2 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2;
  },
};

for (const [math, expected] of Object.entries(EXPECTED)) {
  for (const display of ["ActionsLineGraph", "BoldNumber"]) {
    test(`an event with several types counts once in the others: ${math}, ${display}`, async () => {
      const app = await newProject();
      await app.capture({
        batch: FAILURES.map(({ user, ms, types }) => ({
          event: "failure",
          distinct_id: user,
          timestamp: "2026-11-20T10:00:00Z",
          properties: { $exception_types: types, ms },
        })),
        api_key: app.token,
      });
      const node = {
        ...{ kind: "EventsNode", event: "failure", math },
        ...(math === "total" ? {} : { math_property: "ms" }),
      };
      const { status, body } = await app.ask("POST", `${app.api}/query/`, {
        body: {
          query: {
            kind: "TrendsQuery",
            series: [node],
            dateRange: { date_from: "2026-11-20", date_to: "2026-11-20" },
            breakdownFilter: { breakdown: "$exception_types", breakdown_limit: 2 },
            trendsFilter: { display },
          },
        },
      });

      expect(status).toBe(200);
      const results = (isObject(body as Json) && (body as { results: Json[] }).results) || [];
      const lines = results.map((line) => {
        const { breakdown_value, aggregated_value, data } = line as {
          [name: string]: Json;
        };
        return { of: breakdown_value, value: Array.isArray(data) ? data[0] : aggregated_value };
      });
      const top = lines.flatMap(({ of }) => (of === OTHERS ? [] : [String(of)]));
      expect(top).toHaveLength(2);
      for (const { of, value } of lines) {
        const counted = FAILURES.filter(({ types }) =>
          of === OTHERS ? types.some((type) => !top.includes(type)) : types.includes(String(of)),
        );
        expect([of, Number(value)]).toEqual([of, expected(counted.map(({ ms }) => ms))]);
      }
      expect(lines).toHaveLength(3);
    });
  }
}

for (const math of ["total", "dau", "sum"]) {
  for (const breakdown of [OTHERS, undefined]) {
    test(`the persons of ${breakdown ?? "all values"} count an event once: ${math}`, async () => {
      const app = await newProject();
      await app.capture({
        batch: FAILURES.map(({ user, ms, types }) => ({
          event: "failure",
          distinct_id: user,
          timestamp: "2026-11-20T10:00:00Z",
          properties: { $exception_types: types, ms, $set: { name: user } },
        })),
        api_key: app.token,
      });
      const node = {
        ...{ kind: "EventsNode", event: "failure", math },
        ...(math === "sum" ? { math_property: "ms" } : {}),
      };
      const source = {
        ...{ kind: "TrendsQuery", series: [node] },
        dateRange: { date_from: "2026-11-20", date_to: "2026-11-20" },
        breakdownFilter: { breakdown: "$exception_types", breakdown_limit: 1 },
      };
      const { status, body } = await app.ask("POST", `${app.api}/query/`, {
        body: {
          query: {
            kind: "ActorsQuery",
            source: { kind: "InsightActorsQuery", source, ...(breakdown && { breakdown }) },
          },
        },
      });

      expect(status).toBe(200);
      const { results } = body as { results: [{ name: string }, number][] };
      const counted = FAILURES.filter(
        ({ types }) => breakdown === undefined || types.some((type) => type !== TYPES[0]),
      );
      const numberOf = (all: typeof FAILURES) =>
        math === "sum" ? all.reduce((sum, { ms }) => sum + ms, 0) : all.length;
      const expected = [...Map.groupBy(counted, ({ user }) => user)].map(([user, all]) => [
        user,
        numberOf(all),
      ]);
      const found = results.map(([{ name }, count]) => [name, count]);
      expect(found.toSorted()).toEqual(expected.toSorted());
    });
  }
}
