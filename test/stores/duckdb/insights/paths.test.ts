import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Actors, PathsRow, PlanOf } from "../../../../src/core/ports/insights.ts";
import { PATH_TYPES, type Paths, placeOf } from "../../../../src/core/queries/path.ts";
import { someOf } from "../../../support/data/actors-reference.ts";
import { behaviorOfChance } from "../../../support/data/behavior-reference.ts";
import {
  chance,
  type DataSet,
  type DataSets,
  dataSets,
  type Stored,
} from "../../../support/data/data-sets.ts";
import {
  asText,
  DATA_SETS,
  draftedSets,
  forEach,
  histories,
  microsOf,
  nodeOfChance,
  PROJECTS,
  periodOfChance,
  TIMEOUT_MS,
} from "../../../support/data/insight-reference.ts";

const GAP_US = 1_800_000_000;

let stored: DataSets;

beforeAll(async () => {
  stored = await dataSets(PROJECTS);
});

afterAll(() => stored[Symbol.asyncDispose]());

/** The place of an event; null if paths leave it out. */
function placeAt({ event, properties }: Stored, { types }: Paths): string | null {
  const text = (name: string) => asText(properties[name]) || null;
  const isOf = (type: Paths["types"][number]) => types.includes(type);
  if (event === "$pageview") {
    return isOf(event) ? placeOf(text("$pathname") ?? text("$current_url") ?? event) : null;
  }
  if (event === "$screen") return isOf(event) ? (text("$screen_name") ?? event) : null;
  return isOf("custom_event") && !event.startsWith("$") ? event : null;
}

type Step = { place: string; at: number };

/** The paths of one person. */
function walked(events: Stored[], query: Paths): Step[][] {
  const paths: Step[][] = [];
  let last: Step | undefined;
  for (const event of events) {
    const place = placeAt(event, query);
    if (place === null || query.excluded.includes(place)) continue;
    const step = { place, at: microsOf(event) };
    const isNew = last === undefined || step.at - last.at > GAP_US;
    if (isNew) paths.push([step]);
    else if (last?.place !== place) paths.at(-1)?.push(step);
    last = step;
  }
  return paths;
}

/** The part of a path that counts. */
function cut(path: Step[], { start, end, steps }: Paths): Step[] {
  const places = path.map(({ place }) => place);
  const first = start === null ? 0 : places.indexOf(start);
  if (first < 0) return [];
  if (end === null) return path.slice(first, first + steps);
  const last = places.indexOf(end, start === null ? 0 : first + 1);
  if (last < 0) return [];
  if (start === null) return path.slice(Math.max(0, last - steps + 1), last + 1);
  return last - first < steps ? path.slice(first, last + 1) : [];
}

/** Random paths over a data set, and their rows by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 47);
  const { next, of } = dice;
  const { period, ...when } = periodOfChance(set, dice, null);
  const { isIn } = when;
  const { node, isOf } = nodeOfChance(set, dice, () => behaviorOfChance(set, dice, { when }));
  const types = PATH_TYPES.filter(() => next(3) > 0);
  const places = ["a", "b", "it's", "/a", "/b", "/", "Home"];
  const query: Paths = {
    kind: "PathsQuery",
    types: types.length === 0 ? [...PATH_TYPES] : types,
    start: of([null, null, ...places]),
    end: of([null, null, null, ...places]),
    excluded: next(4) === 0 ? [of(places)] : [],
    steps: 2 + next(5),
    edges: next(3) === 0 ? 1 + next(3) : 1000,
    filters: node.filters,
    dateRange: { date_from: "", date_to: null },
  };
  const plan: PlanOf<"PathsQuery"> = { query, period, previous: null, timezone: set.timezone };
  const passes = (event: Stored) => isOf({ ...event, event: node.event ?? event.event });
  const events = histories(
    set,
    set.events.filter((event) => isIn(event) && passes(event)),
  );
  const parts = [...events.values()].flatMap((some) =>
    walked(some, query).map((path) => cut(path, query)),
  );
  // The last step of a path that is cut goes nowhere in the answer, but does not end there.
  const isWhole = (part: Step[]) => query.end === null && part.length < query.steps;
  const placesAt = (step: number, source: string) =>
    parts.filter((part) => part[step - 1]?.place === source);
  const ended = (step: number, source: string) =>
    placesAt(step, source).filter((part) => part.length === step && isWhole(part)).length;
  const came = (step: number, source: string) =>
    placesAt(step, source).filter((part) => part.length > step).length + ended(step, source);
  const ways = parts.flatMap((part) => {
    return part.slice(1).map(({ place, at }, index) => {
      const { place: source, at: left } = part[index] as Step;
      return { step: index + 1, source, target: place, took: at - left };
    });
  });
  const grouped = Map.groupBy(ways, ({ step, source, target }) =>
    JSON.stringify({ step, source, target }),
  );
  const bytes = (one: string, other: string) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other));
  const expected = [...grouped]
    .map(([way, some]): PathsRow => {
      const average_ms = some.reduce((sum, { took }) => sum + took, 0) / some.length / 1000;
      const { step, source, target } = JSON.parse(way);
      const places = {
        source_paths: came(step, source),
        source_ends: ended(step, source),
        target_paths: ways.filter((one) => one.step === step && one.target === target).length,
      };
      return { step, source, target, paths: some.length, average_ms, ...places };
    })
    .sort(
      (a, b) =>
        b.paths - a.paths ||
        a.step - b.step ||
        bytes(a.source, b.source) ||
        bytes(a.target, b.target),
    );
  return { plan, expected: expected.slice(0, query.edges) };
}

test(
  `paths are the same as in a plain loop over each person's events, on ${DATA_SETS} sets`,
  async () => {
    const seen = { started: 0, ended: 0, both: 0, neither: 0 };
    await forEach(stored.sets, async (set) => {
      const { plan, expected } = asked(set);
      const { found } = await stored.queries.run(set.project, plan);

      expect([set.project, plan.query, found]).toEqual([set.project, plan.query, expected]);
      const { start, end } = plan.query;
      if (start === null) seen[end === null ? "neither" : "ended"] += expected.length;
      else seen[end === null ? "started" : "both"] += expected.length;
    });
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(2);
  },
  TIMEOUT_MS,
);

test(
  "paths have persons who went each way, as often as its number says",
  async () => {
    await forEach(stored.sets, async (set) => {
      const { plan, expected } = asked(set);
      for (const { step, source, target, paths } of someOf(expected, chance(set.project))) {
        const of: Actors = { kind: "PathsQuery", plan, cell: { step, source, target } };
        const { rows } = await stored.queries.actors(set.project, of, { ...ALL });
        const went = rows.reduce((sum, { count }) => sum + count, 0);
        expect([set.project, of.cell, went]).toEqual([set.project, of.cell, paths]);
      }
    });
  },
  TIMEOUT_MS,
);

const ALL = { limit: 1000, offset: 0, search: null };

test(
  "paths have a draft that finds the same",
  async () => {
    await forEach(draftedSets(stored.sets), async (set) => {
      const { plan, expected } = asked(set);
      const found: unknown[] = await stored.drafted(set.project, plan);
      expect([set.project, found]).toEqual([set.project, expected]);
    });
  },
  TIMEOUT_MS,
);
