import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import { placesIn, strictExcluding, unorderedExcluding } from "./funnel-exclusions.ts";
import { firstOf, ownEvents } from "./funnel-unordered.ts";
import { type Attributed, ownerIn, partitionIn } from "./funnel-values.ts";
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

/**
 * Returns tables from `matched` up to `attempts`, with the depth and the times of every attempt, and all columns of the
 * event that it began with.
 */
export function attemptsSql(funnel: Funnel): string[] {
  return { ordered, strict, unordered }[funnel.order](funnel);
}

/** Tables, and the last of them. */
export type Tables = { tables: string[]; rows: string };

/** Returns tables up to `best`: the best attempt of each person, or of a person in each line, among some attempts. */
export function bestSql(target: Target, funnel: Funnel, { tables, rows }: Tables): Tables {
  const best =
    funnel.order === "unordered"
      ? bestUnordered(target, funnel, rows)
      : [bestBy(target, reachedIn(rows, funnel), ["t_1", "seq"])];
  return { tables: [...tables, ...best], rows: "best" };
}

/** A table of attempts, whose they are, the columns to keep of the best one, and SQL of the time of its last step. */
type Attempts = {
  name: string;
  from: string;
  owner: string;
  columns: readonly string[];
  ended: string;
};

/**
 * Returns the table of each owner's best attempt: the most steps, then the soonest end, then the greatest
 * columns `last`. A run aggregates, because a window over ten million events, which memory does not hold, takes
 * up to 18 % more time.
 */
export function bestBy(
  { project }: Target,
  { name, from, owner, columns, ended }: Attempts,
  last: readonly string[],
): string {
  if (project === null) {
    const order = ["depth DESC", ended, ...last.map((column) => `${column} DESC`)];
    return `${name} AS (
  SELECT * FROM ${from}
  QUALIFY row_number() OVER (PARTITION BY ${owner}
    ORDER BY ${order.join(", ")}) = 1
)`;
  }
  const fields = (all: readonly string[]) => all.map((column) => `${column}: ${column}`).join(", ");
  return `${name} AS (
  SELECT ${owner}, unnest(arg_max({${fields(columns)}},
    {depth: depth, sooner: -epoch_us(${ended}), ${fields(last)}}))
  FROM ${from} GROUP BY ${owner}
)`;
}

/** Describes attempts with the columns `depth`, `t_1` and so on. */
export function reachedIn(
  from: string,
  funnel: Pick<Funnel, "steps" | "breakdown">,
  name = "best",
): Attempts {
  const times = numbersTo(funnel.steps.length).map((step) => `t_${step}`);
  const ends = times.map((time, index) => `WHEN ${index + 1} THEN ${time}`).join(" ");
  const columns = ["depth", ...times];
  return { name, from, owner: ownerIn(funnel), columns, ended: `CASE depth ${ends} END` };
}

const forwards = (funnel: Attributed) => `(${partitionIn(funnel)} ORDER BY t, seq)`;

/**
 * Returns the tables of an ordered funnel. From the last step to the first, each event gets the soonest times of
 * the later steps. These times never decrease from event to event, so the least of them is the soonest.
 */
function ordered(funnel: Funnel): string[] {
  const { steps, exclusions, window_s } = funnel;
  const later = `(${partitionIn(funnel)} ORDER BY t, seq
    ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)`;
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
  FROM ${before} WINDOW later AS ${later}
)`;
    });
  const until = `t + ${windowOf(window_s)}`;
  const passed = exclusions.map((one, index) => `\n    AND ${passesBy(one, index + 1, until)}`);
  const placed = `placed AS (\n  SELECT *, row_number() OVER ${forwards(funnel)} AS place FROM matched\n)`;
  return [
    ...(exclusions.length === 0 ? [] : [placed]),
    ...levels,
    `attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, until)} AS depth
  FROM from_1 WHERE is_1${passed.join("")}
)`,
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
function strict(funnel: Funnel): string[] {
  const { steps, window_s } = funnel;
  const until = `t + ${windowOf(window_s)}`;
  const { columns, conditions } = strictExcluding(funnel, until);
  const times = numbersTo(steps.length)
    .slice(1)
    .map((step) => `lead(CASE WHEN is_${step} THEN t END, ${step - 1}) OVER forwards AS t_${step}`);
  return [
    `followed AS (
  SELECT *,
    ${[...times, ...columns].join(",\n    ")}
  FROM matched WINDOW forwards AS ${forwards(funnel)}
)`,
    `attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, until)} AS depth
  FROM followed WHERE ${["is_1", ...conditions].join("\n    AND ")}
)`,
  ];
}

/** Returns the tables of an unordered funnel: from each event, the times at which one more step is done. */
function unordered(funnel: Funnel): string[] {
  const { steps, exclusions, window_s } = funnel;
  const { sets, times: each } = ownEvents(funnel);
  const first = sets.flatMap((set, index) => firstOf(set, `first_${index + 1}`));
  const areAlone = sets.every((set) => set.steps === 1);
  const done = doneIn(funnel);
  const own = each.map((time, index) => `${time} AS done_${index + 1}`).join(",\n    ");
  const depth = done.map((name) => `(${name} IS NOT NULL)::INTEGER`).join(" + ");
  const window = windowOf(window_s);
  const isStep = numbersTo(steps.length)
    .map((step) => `is_${step}`)
    .join(" OR ");
  const { columns, conditions } = unorderedExcluding(funnel, sets, `t + ${window}`);
  const isPlain = exclusions.length === 0;
  const counted = isPlain ? "" : ` WHERE ${[`(${isStep})`, ...conditions].join("\n    AND ")}`;
  return [
    ...(isPlain ? [] : [`placed AS (\n  SELECT *, ${placesIn(funnel)} FROM matched\n)`]),
    `followed AS (
  SELECT *,
    ${[...first, ...columns].join(",\n    ")}
  FROM ${isPlain ? `matched WHERE ${isStep}` : "placed"}
  WINDOW until AS (${partitionIn(funnel)} ORDER BY t RANGE BETWEEN CURRENT ROW AND ${window} FOLLOWING)
)`,
    ...(areAlone
      ? []
      : [
          `own AS (\n  -- Each step has an event of its own.\n  SELECT *,\n    ${own}\n  FROM followed\n)`,
        ]),
    `attempts AS (\n  SELECT *, ${depth} AS depth FROM ${areAlone ? "followed" : "own"}${counted}\n)`,
  ];
}

/** Returns the columns of the times at which an unordered attempt did a step, in no order. */
function doneIn(funnel: Funnel): string[] {
  const areAlone = ownEvents(funnel).sets.every((set) => set.steps === 1);
  return numbersTo(funnel.steps.length).map((step) =>
    areAlone ? `first_${step}` : `done_${step}`,
  );
}

function bestUnordered(target: Target, funnel: Funnel, from: string): string[] {
  const owner = ownerIn(funnel);
  const done = doneIn(funnel);
  const best = { name: "best_attempt", from, owner, ended: `greatest(${done.join(", ")})` };
  const times = numbersTo(done.length).map(
    (step) => `max(CASE WHEN n = ${step} THEN t END) AS t_${step}`,
  );
  return [
    bestBy(target, { ...best, columns: done }, ["t", "seq"]),
    `done AS (
  SELECT ${owner}, done_at.t, row_number() OVER (PARTITION BY ${owner} ORDER BY done_at.t) AS n
  FROM best_attempt, (VALUES ${done.map((name) => `(best_attempt.${name})`).join(", ")}) AS done_at(t)
  WHERE done_at.t IS NOT NULL
)`,
    `best AS (
  SELECT ${owner}, count(*) AS depth,
    ${times.join(",\n    ")}
  FROM done GROUP BY ${owner}
)`,
  ];
}

const UNITS_S = { DAY: 86_400, HOUR: 3600, MINUTE: 60 };

/** Returns a window of whole seconds as an SQL interval, in the largest unit. */
export function windowOf(seconds: number): string {
  const [unit, size] = Object.entries(UNITS_S).find(([, size]) => seconds % size === 0) ?? [];
  return `INTERVAL ${seconds / (size ?? 1)} ${unit ?? "SECOND"}`;
}
