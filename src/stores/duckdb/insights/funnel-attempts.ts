import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import { PLACES, strictExcluding, unorderedExcluding } from "./funnel-exclusions.ts";
import { firstOf, ownEvents } from "./funnel-unordered.ts";
import type { Target } from "./statement.ts";

/** Returns the numbers from 1 to `count`. */
export const numbersTo = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

/** Returns the condition that an event has one of the nodes' names; no condition if a node takes any event. */
export function nameCondition(
  { bind }: Target,
  nodes: readonly Pick<Exclusion, "event">[],
): string[] {
  const names = new Set(nodes.map(({ event }) => event));
  if (names.has(null)) return [];
  return [`events.event IN (${[...names].map((name) => bind(String(name))).join(", ")})`];
}

/** Returns tables from `matched` up to `best`, with the depth and the times of each person's best attempt. */
export function attemptsSql(target: Target, funnel: Funnel): string[] {
  return { ordered, strict, unordered }[funnel.order](target, funnel);
}

/** A table of attempts, the columns to keep of the best one, and SQL of the time of its last step. */
type Attempts = { name: string; from: string; columns: readonly string[]; ended: string };

/**
 * Returns the table of each person's best attempt: the most steps, then the soonest end, then the greatest
 * columns `last`. A run aggregates, because a window over ten million events, which memory does not hold, takes
 * up to 18 % more time.
 */
export function bestBy(
  { project }: Target,
  { name, from, columns, ended }: Attempts,
  last: readonly string[],
): string {
  if (project === null) {
    const order = ["depth DESC", ended, ...last.map((column) => `${column} DESC`)];
    return `${name} AS (
  SELECT * FROM ${from}
  QUALIFY row_number() OVER (PARTITION BY person_id
    ORDER BY ${order.join(", ")}) = 1
)`;
  }
  const fields = (all: readonly string[]) => all.map((column) => `${column}: ${column}`).join(", ");
  return `${name} AS (
  SELECT person_id, unnest(arg_max({${fields(columns)}},
    {depth: depth, sooner: -epoch_us(${ended}), ${fields(last)}}))
  FROM ${from} GROUP BY person_id
)`;
}

/** Describes attempts with the columns `depth`, `t_1` and so on, and the value of the breakdown. */
export function reachedIn(
  from: string,
  { steps, breakdown }: Pick<Funnel, "steps" | "breakdown">,
  name = "best",
): Attempts {
  const times = numbersTo(steps.length).map((step) => `t_${step}`);
  const columns = ["depth", ...times, ...(breakdown === null ? [] : ["breakdown"])];
  const ends = times.map((time, index) => `WHEN ${index + 1} THEN ${time}`).join(" ");
  return { name, from, columns, ended: `CASE depth ${ends} END` };
}

const FORWARDS = "(PARTITION BY person_id ORDER BY t, seq)";

const LATER =
  "(PARTITION BY person_id ORDER BY t, seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)";

/**
 * Returns the tables of an ordered funnel. From the last step to the first, each event gets the soonest times of
 * the later steps. These times never decrease from event to event, so the least of them is the soonest.
 */
function ordered(target: Target, funnel: Funnel): string[] {
  const { steps, exclusions, window_s } = funnel;
  const first = exclusions.length === 0 ? "matched" : "placed";
  const carried: string[] = [];
  const levels = numbersTo(steps.length - 1)
    .reverse()
    .map((step) => {
      const next = step + 1;
      const ofNext = (column: string, name: string) =>
        `min(CASE WHEN is_${next} THEN ${column} END) OVER later AS ${name}`;
      const repeated = carried.map((name) => ofNext(name, name));
      const added = [[`t_${next}`, ofNext("t", `t_${next}`)]];
      if (exclusions.some(({ to }) => to === step)) {
        added.push([`place_${next}`, ofNext("place", `place_${next}`)]);
      }
      for (const [index, { from }] of exclusions.entries()) {
        if (from + 1 !== step) continue;
        for (const column of ["t", "place"]) {
          const name = `${column}_excluded_${index + 1}`;
          const excluded = `CASE WHEN is_excluded_${index + 1} THEN ${column} END`;
          added.push([name, `min(${excluded}) OVER later AS ${name}`]);
        }
      }
      carried.push(...added.map(([name = ""]) => name));
      const before = step === steps.length - 1 ? first : `from_${next}`;
      const replaced = repeated.length === 0 ? "" : ` REPLACE (\n    ${repeated.join(",\n    ")})`;
      return `from_${step} AS (
  SELECT *${replaced},
    ${added.map(([, column]) => column).join(",\n    ")}
  FROM ${before} WINDOW later AS ${LATER}
)`;
    });
  const until = `t + ${windowOf(window_s)}`;
  const passed = exclusions.map((one, index) => `\n    AND ${passesBy(one, index + 1, until)}`);
  const placed = `placed AS (\n  SELECT *, row_number() OVER ${FORWARDS} AS place FROM matched\n)`;
  return [
    ...(exclusions.length === 0 ? [] : [placed]),
    ...levels,
    `attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, until)} AS depth
  FROM from_1 WHERE is_1${passed.join("")}
)`,
    bestBy(target, reachedIn("attempts", funnel), ["t_1", "seq"]),
  ];
}

/** Returns SQL of the number of reached steps. The first step is always reached. */
function depthOf(steps: number, until: string): string {
  const later = numbersTo(steps).slice(1);
  const whens = later
    .toReversed()
    .map((step) => {
      const all = later.filter((one) => one <= step).map((one) => `t_${one} <= ${until}`);
      return `WHEN ${all.join(" AND ")} THEN ${step}`;
    })
    .join(" ");
  return `CASE ${whens} ELSE 1 END`;
}

/**
 * Returns the condition that an attempt passes an exclusion. An attempt that reached the step `from` fails if an
 * excluded event comes before the step `to`; without that step, if it comes before the window ends.
 */
function passesBy({ from, to }: Exclusion, number: number, until: string): string {
  const came = from === 0 ? "" : `t_${from + 1} <= ${until} AND `;
  const isBefore = `(t_${to + 1} <= ${until}) IS NOT TRUE OR place_excluded_${number} < place_${to + 1}`;
  return `(${came}t_excluded_${number} <= ${until} AND (${isBefore})) IS NOT TRUE`;
}

/** Returns the tables of a strict funnel: each step is the next event after the step before. */
function strict(target: Target, funnel: Funnel): string[] {
  const { steps, exclusions, window_s } = funnel;
  const until = `t + ${windowOf(window_s)}`;
  const { columns, conditions } = strictExcluding(exclusions, until);
  const times = numbersTo(steps.length)
    .slice(1)
    .map((step) => `lead(CASE WHEN is_${step} THEN t END, ${step - 1}) OVER forwards AS t_${step}`);
  return [
    `followed AS (
  SELECT *,
    ${[...times, ...columns].join(",\n    ")}
  FROM matched WINDOW forwards AS ${FORWARDS}
)`,
    `attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, until)} AS depth
  FROM followed WHERE ${["is_1", ...conditions].join("\n    AND ")}
)`,
    bestBy(target, reachedIn("attempts", funnel), ["t_1", "seq"]),
  ];
}

/** Returns the tables of an unordered funnel: from each event, the times at which one more step is done. */
function unordered(target: Target, funnel: Funnel): string[] {
  const { steps, exclusions, window_s, breakdown } = funnel;
  const numbers = numbersTo(steps.length);
  const { sets, times: each } = ownEvents(funnel);
  const first = sets.flatMap((set, index) => firstOf(set, `first_${index + 1}`));
  const areAlone = sets.every((set) => set.steps === 1);
  const done = numbers.map((step) => (areAlone ? `first_${step}` : `done_${step}`));
  const own = each.map((time, index) => `${time} AS done_${index + 1}`).join(",\n    ");
  const depth = done.map((name) => `(${name} IS NOT NULL)::INTEGER`).join(" + ");
  const value = breakdown === null ? "" : ", breakdown";
  const best = {
    ...{ name: "best_attempt", from: "attempts", ended: `greatest(${done.join(", ")})` },
    columns: [...done, ...(breakdown === null ? [] : ["breakdown"])],
  };
  const times = numbers.map((step) => `max(CASE WHEN n = ${step} THEN t END) AS t_${step}`);
  const window = windowOf(window_s);
  const isStep = numbers.map((step) => `is_${step}`).join(" OR ");
  const { columns, conditions } = unorderedExcluding(funnel, sets, `t + ${window}`);
  const isPlain = exclusions.length === 0;
  const counted = isPlain ? "" : ` WHERE ${[`(${isStep})`, ...conditions].join("\n    AND ")}`;
  return [
    ...(isPlain ? [] : [`placed AS (\n  SELECT *, ${PLACES} FROM matched\n)`]),
    `followed AS (
  SELECT *,
    ${[...first, ...columns].join(",\n    ")}
  FROM ${isPlain ? `matched WHERE ${isStep}` : "placed"}
  WINDOW until AS (PARTITION BY person_id ORDER BY t RANGE BETWEEN CURRENT ROW AND ${window} FOLLOWING)
)`,
    ...(areAlone
      ? []
      : [
          `own AS (\n  -- Each step has an event of its own.\n  SELECT *,\n    ${own}\n  FROM followed\n)`,
        ]),
    `attempts AS (\n  SELECT *, ${depth} AS depth FROM ${areAlone ? "followed" : "own"}${counted}\n)`,
    bestBy(target, best, ["t", "seq"]),
    `done AS (
  SELECT person_id${value}, done_at.t, row_number() OVER (PARTITION BY person_id ORDER BY done_at.t) AS n
  FROM best_attempt, (VALUES ${done.map((name) => `(best_attempt.${name})`).join(", ")}) AS done_at(t)
  WHERE done_at.t IS NOT NULL
)`,
    `best AS (
  SELECT person_id${value}, count(*) AS depth,
    ${times.join(",\n    ")}
  FROM done GROUP BY person_id${value}
)`,
  ];
}

const UNITS_S = { DAY: 86_400, HOUR: 3600, MINUTE: 60 };

/** Returns a window of whole seconds as an SQL interval, in the largest unit. */
export function windowOf(seconds: number): string {
  const [unit, size] = Object.entries(UNITS_S).find(([, size]) => seconds % size === 0) ?? [];
  return `INTERVAL ${seconds / (size ?? 1)} ${unit ?? "SECOND"}`;
}
