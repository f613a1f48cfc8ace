import type { PlanOf } from "../../../core/ports/insights.ts";
import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import { quoted } from "../engine/duckdb.ts";
import { PLACES, strictExcluding, unorderedExcluding } from "../insights/funnel-exclusions.ts";
import { firstOf, ownEvents } from "../insights/funnel-unordered.ts";
import { draftScan } from "./scan.ts";
import { draftRanked, draftValue } from "./trends.ts";

/**
 * SQL of a funnel over the views (decision 89): how many persons reached each step, and their seconds
 * from the step before. Every event of the first step is an attempt (decision 78).
 */
export function draftFunnel(plan: PlanOf<"FunnelsQuery">): string {
  const { steps, order, breakdown } = plan.query;
  const tables = [matched(plan), ...{ ordered, strict, unordered }[order](plan.query)];
  const told = toldOf(steps.length);
  if (breakdown === null) return `WITH ${tables.join(", ")}\nSELECT ${told}\nFROM best`;
  return `WITH ${tables.join(", ")}, top AS (
  SELECT breakdown, true AS is_top FROM best GROUP BY breakdown
  ORDER BY count(*) DESC, breakdown NULLS LAST
  LIMIT ${breakdown.limit}
)
SELECT ${draftValue("top")},
  ${told}
${draftRanked("best", "top")}
GROUP BY top.breakdown, top.is_top
ORDER BY is_other, persons_1 DESC, breakdown NULLS LAST`;
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

function toldOf(steps: number): string {
  const later = numbersTo(steps).slice(1);
  const ofStep = (step: number, aggregate: string) =>
    `${aggregate}(epoch_us(t_${step}) - epoch_us(t_${step - 1})) FILTER (depth >= ${step}) / 1000000`;
  const told = [
    "count(*) AS persons_1",
    ...later.map((step) => `count(*) FILTER (depth >= ${step}) AS persons_${step}`),
    ...later.map((step) => `${ofStep(step, "avg")} AS average_s_${step}`),
    ...later.map((step) => `${ofStep(step, "median")} AS median_s_${step}`),
  ];
  return told.join(",\n  ");
}

/** The events that a funnel looks at, and which of its steps each of them is. */
function matched({ query, period, timezone }: PlanOf<"FunnelsQuery">): string {
  const { steps, order, exclusions, breakdown } = query;
  const scan = draftScan(period, timezone);
  const columns = [
    ...["events.person_id", "events.timestamp AS t", "events.seq"],
    ...steps.map((step, index) => `(${scan.isOf(step)}) AS is_${index + 1}`),
    ...exclusions.map((one, index) => `(${scan.isOf(one)}) AS is_excluded_${index + 1}`),
    ...(breakdown === null ? [] : [`${scan.value(breakdown)} AS breakdown`]),
  ];
  const names = new Set([...steps, ...exclusions].map(({ event }) => event));
  // What is between two steps counts in a strict funnel, whatever it is.
  const isAny = order === "strict" || names.has(null);
  const looked = [...names].map((name) => quoted(String(name))).join(", ");
  return `matched AS (
  SELECT ${columns.join(",\n    ")}
  ${scan.selected(isAny ? [] : [`events.event IN (${looked})`])}
)`;
}

/** Of each person the attempt with the most steps, then the soonest at its end, then the last to begin. */
const bestBy = (ended: string, begun: string, name = "best") => `${name} AS (
  SELECT * FROM attempts
  QUALIFY row_number() OVER (PARTITION BY person_id
    ORDER BY depth DESC, ${ended}, ${begun} DESC, seq DESC) = 1
)`;

/** When the last step came that was reached. */
const endedOf = (steps: number) =>
  `CASE depth ${numbersTo(steps)
    .map((step) => `WHEN ${step} THEN t_${step}`)
    .join(" ")} END`;

const FORWARDS = "(PARTITION BY person_id ORDER BY t, seq)";

const PLACE = `row_number() OVER ${FORWARDS} AS place`;

const LATER =
  "(PARTITION BY person_id ORDER BY t, seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)";

/**
 * From the last step to the first: at each event, when the steps after it come, each as soon as may
 * be. Of an event these are never later than of one after it: the least of them is the next.
 */
function ordered({ steps, exclusions, window_s }: Funnel): string[] {
  const carried: string[] = [];
  const levels = numbersTo(steps.length - 1)
    .reverse()
    .map((step) => {
      const next = step + 1;
      const ofNext = (column: string, name: string) =>
        `min(CASE WHEN is_${next} THEN ${column} END) OVER later AS ${name}`;
      const again = carried.map((name) => ofNext(name, name));
      const told = [[`t_${next}`, ofNext("t", `t_${next}`)]];
      if (exclusions.some(({ to }) => to === step)) {
        told.push([`place_${next}`, ofNext("place", `place_${next}`)]);
      }
      for (const [index, { from }] of exclusions.entries()) {
        if (from + 1 !== step) continue;
        for (const column of ["t", "place"]) {
          const name = `${column}_excluded_${index + 1}`;
          const excluded = `CASE WHEN is_excluded_${index + 1} THEN ${column} END`;
          told.push([name, `min(${excluded}) OVER later AS ${name}`]);
        }
      }
      carried.push(...told.map(([name = ""]) => name));
      const before = step === steps.length - 1 ? "placed" : `from_${next}`;
      const replaced = again.length === 0 ? "" : ` REPLACE (\n    ${again.join(",\n    ")})`;
      return `from_${step} AS (
  SELECT *${replaced},
    ${told.map(([, column]) => column).join(",\n    ")}
  FROM ${before} WINDOW later AS ${LATER}
)`;
    });
  const until = `t + ${intervalOf(window_s)}`;
  const passed = exclusions.map((one, index) => `\n    AND ${passesBy(one, index + 1, until)}`);
  return [
    `placed AS (\n  SELECT *${exclusions.length === 0 ? "" : `, ${PLACE}`} FROM matched\n)`,
    ...levels,
    `attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, until)} AS depth
  FROM from_1 WHERE is_1${passed.join("")}
)`,
    bestBy(endedOf(steps.length), "t_1"),
  ];
}

/** How many steps are reached, one after the other; the first is. */
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
 * An attempt that came to the step `from` is not counted if what is excluded is next before the step
 * `to`, or before the window ends.
 */
function passesBy({ from, to }: Exclusion, number: number, until: string): string {
  const came = from === 0 ? "" : `t_${from + 1} <= ${until} AND `;
  const isBefore = `(t_${to + 1} <= ${until}) IS NOT TRUE OR place_excluded_${number} < place_${to + 1}`;
  return `(${came}t_excluded_${number} <= ${until} AND (${isBefore})) IS NOT TRUE`;
}

/** Each step is the very next event after the one before. */
function strict({ steps, exclusions, window_s }: Funnel): string[] {
  const until = `t + ${intervalOf(window_s)}`;
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
    bestBy(endedOf(steps.length), "t_1"),
  ];
}

/** From every event that is a step: when one more step is done within the window. */
function unordered(funnel: Funnel): string[] {
  const { steps, exclusions, window_s, breakdown } = funnel;
  const numbers = numbersTo(steps.length);
  const { sets, times: each } = ownEvents(funnel);
  const first = sets.flatMap((set, index) => firstOf(set, `first_${index + 1}`));
  const areAlone = sets.every((set) => set.steps === 1);
  const done = numbers.map((step) => (areAlone ? `first_${step}` : `done_${step}`));
  const own = each.map((time, index) => `${time} AS done_${index + 1}`).join(",\n    ");
  const depth = done.map((name) => `(${name} IS NOT NULL)::INTEGER`).join(" + ");
  const value = breakdown === null ? "" : ", breakdown";
  const times = numbers.map((step) => `max(CASE WHEN n = ${step} THEN t END) AS t_${step}`);
  const window = intervalOf(window_s);
  const within = `RANGE BETWEEN CURRENT ROW AND ${window} FOLLOWING`;
  const isStep = numbers.map((step) => `is_${step}`).join(" OR ");
  const { columns, conditions } = unorderedExcluding(funnel, sets, `t + ${window}`);
  const isPlain = exclusions.length === 0;
  const placed = `placed AS (\n  SELECT *, ${PLACES} FROM matched\n)`;
  const counted = isPlain ? "" : ` WHERE ${[`(${isStep})`, ...conditions].join("\n    AND ")}`;
  return [
    ...(isPlain ? [] : [placed]),
    `followed AS (
  SELECT *,
    ${[...first, ...columns].join(",\n    ")}
  FROM ${isPlain ? `matched WHERE ${isStep}` : "placed"}
  WINDOW until AS (PARTITION BY person_id ORDER BY t ${within})
)`,
    ...(areAlone
      ? []
      : [
          `own AS (
  -- Each step has an event of its own.
  SELECT *,
    ${own}
  FROM followed
)`,
        ]),
    `attempts AS (\n  SELECT *, ${depth} AS depth FROM ${areAlone ? "followed" : "own"}${counted}\n)`,
    bestBy(`greatest(${done.join(", ")})`, "t", "best_attempt"),
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

const UNITS_S = { DAY: 86_400, HOUR: 3600, MINUTE: 60, SECOND: 1 };

function intervalOf(seconds: number): string {
  for (const [unit, size] of Object.entries(UNITS_S)) {
    if (seconds % size === 0) return `INTERVAL ${seconds / size} ${unit}`;
  }
  throw new Error("A window is of whole seconds");
}
