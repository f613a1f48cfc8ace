import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Bind } from "../lists/property-filter.ts";
import { eventScan, type Scanned } from "./event-scan.ts";
import { PLACES, strictExcluding, unorderedExcluding } from "./funnel-exclusions.ts";
import { bestOf, byFollowing } from "./funnel-ordered.ts";
import { firstOf, ownEvents } from "./funnel-unordered.ts";
import { toldApart } from "./trends.ts";

/**
 * SQL of a funnel (decision 78), as rows of {@link FunnelRow}: none where nobody began. Every event of
 * the first step is an attempt, and of each person the best attempt counts.
 */
export function funnelSql(scanned: Scanned, funnel: Funnel, period: Period, bind: Bind): string {
  const { steps, order, exclusions, breakdown } = funnel;
  const isPlain = order === "ordered" && exclusions.length === 0;
  const reached = (isPlain ? byFollowing : byAttempts)(scanned, funnel, period, bind);
  if (breakdown === null) {
    return `WITH ${reached}
SELECT 'value' AS kind, NULL AS breakdown, ${toldOf(steps.length)}
FROM reached HAVING sum(persons) > 0`;
  }
  return `WITH ${reached}, top AS (
  SELECT breakdown, true AS is_top FROM reached GROUP BY breakdown
  ORDER BY sum(persons) DESC, breakdown NULLS LAST
  LIMIT ${bind(breakdown.limit, "BIGINT")}
), named AS (
  SELECT depth, times, persons, ${toldApart("reached")}
)
SELECT kind, told AS breakdown, ${toldOf(steps.length)}
FROM named GROUP BY kind, told`;
}

function byAttempts(scanned: Scanned, funnel: Funnel, period: Period, bind: Bind): string {
  const attempts = { ordered, strict, unordered }[funnel.order];
  const value = funnel.breakdown === null ? "" : ", best.breakdown AS breakdown";
  return `${attempts(scanned, funnel, period, bind)}, ${bestOf(funnel, "attempts")}, reached AS (
  SELECT best.depth AS depth, best.times AS times${value}, 1 AS persons FROM best
)`;
}

/** How many reached each step, and how long it took them. */
function toldOf(steps: number): string {
  const numbers = Array.from({ length: steps }, (_, index) => index + 1);
  const taken = (step: number) => `epoch_us(times[${step}]) - epoch_us(times[${step - 1}])`;
  const ofStep = (step: number, aggregate: (taken: string) => string) =>
    step === 1 ? "NULL" : `${aggregate(taken(step))} FILTER (depth >= ${step}) / 1000000`;
  const persons = numbers.map((step) => `sum(persons * (depth >= ${step})::INTEGER)`);
  const average = numbers.map((step) => ofStep(step, (took) => `avg(${took})`));
  const median = numbers.map((step) => ofStep(step, (took) => `quantile_cont(${took}, 0.5)`));
  return `
  [${persons.join(", ")}]::DOUBLE[] AS persons,
  [${average.join(", ")}]::DOUBLE[] AS average_s,
  [${median.join(", ")}]::DOUBLE[] AS median_s`;
}

/** The events that a funnel looks at, and which of its steps each of them is. */
function matchedSql(
  scanned: Scanned,
  { steps, order, exclusions, breakdown }: Funnel,
  period: Period,
  bind: Bind,
): string {
  const scan = eventScan(scanned, period, bind);
  const is = (node: Exclusion | Funnel["steps"][number]) => `(${scan.isOf(node)})`;
  const columns = [
    `${scan.person()} AS person_id`,
    `"timestamp" AS t`,
    "seq",
    ...steps.map((step, index) => `${is(step)} AS is_${index + 1}`),
    ...exclusions.map((exclusion, index) => `${is(exclusion)} AS is_excluded_${index + 1}`),
    ...(breakdown === null ? [] : [`${scan.value(breakdown)} AS breakdown`]),
  ];
  const names = new Set([...steps, ...exclusions].map(({ event }) => event));
  // What is between two steps counts in a strict funnel, whatever it is.
  const isAny = order === "strict" || names.has(null);
  const looked = isAny ? [] : [...names].map((name) => bind(String(name)));
  const conditions = [...scan.within(), ...(isAny ? [] : [`event IN (${looked.join(", ")})`])];
  return scan.named("matched AS", columns, conditions);
}

const FORWARDS = "PARTITION BY person_id ORDER BY t, seq";
const BACKWARDS = "PARTITION BY person_id ORDER BY t DESC, seq DESC";

/**
 * From the last step to the first: at each event, when the steps after it come, each as soon as may
 * be. Of an event these are never later than of one after it, so that the least of them is the next.
 */
function ordered(scanned: Scanned, funnel: Funnel, period: Period, bind: Bind): string {
  const { steps, exclusions, breakdown } = funnel;
  const follows = "OVER following";
  // What the events of a step tell of those after it, and whether the least or the greatest is next.
  const carried = new Map<string, "min" | "max">();
  const levels: string[] = [];
  let flags = [
    ...steps.map((_, index) => `is_${index + 1}`),
    ...exclusions.map((_, index) => `is_excluded_${index + 1}`),
  ];
  for (let step = steps.length - 1; step >= 1; step--) {
    const next = step + 1;
    const ofNext = (column: string) => `CASE WHEN is_${next} THEN ${column} END`;
    const told = [...carried].map(([name, by]) => `${by}(${ofNext(name)}) ${follows} AS ${name}`);
    told.push(`min(${ofNext("t")}) ${follows} AS t_${next}`);
    carried.set(`t_${next}`, "min");
    if (exclusions.some(({ to }) => to === step)) {
      told.push(`max(${ofNext("place")}) ${follows} AS place_${next}`);
      carried.set(`place_${next}`, "max");
    }
    for (const [index, { from }] of exclusions.entries()) {
      if (from + 1 !== step) continue;
      const number = index + 1;
      const excluded = (column: string) => `CASE WHEN is_excluded_${number} THEN ${column} END`;
      told.push(`min(${excluded("t")}) ${follows} AS t_excluded_${number}`);
      told.push(`max(${excluded("place")}) ${follows} AS place_excluded_${number}`);
      carried.set(`t_excluded_${number}`, "min").set(`place_excluded_${number}`, "max");
    }
    const kept = [
      ...["person_id", "t", "seq"],
      ...(exclusions.length === 0 ? [] : ["place"]),
      ...(breakdown === null ? [] : ["breakdown"]),
      ...exclusions.flatMap(({ from }, index) =>
        from + 1 < step ? [`is_excluded_${index + 1}`] : [],
      ),
      ...Array.from({ length: step }, (_, index) => `is_${index + 1}`),
    ];
    const before = step === steps.length - 1 ? "placed" : `from_${next}`;
    levels.push(`from_${step} AS (
  SELECT ${kept.join(", ")},
    ${told.join(",\n    ")}
  FROM ${before} WHERE ${flags.join(" OR ")}
  WINDOW following AS (${BACKWARDS} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)`);
    flags = kept.filter((name) => name.startsWith("is_"));
  }
  const place = `row_number() OVER (${BACKWARDS}) AS place`;
  const until = `t + to_seconds(${bind(funnel.window_s, "BIGINT")})`;
  return `${matchedSql(scanned, funnel, period, bind)}, placed AS (
  SELECT *${exclusions.length === 0 ? "" : `, ${place}`} FROM matched
), ${levels.join(", ")}, attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, (step) => `t_${step} <= ${until}`)} AS depth
  FROM from_1 WHERE is_1${exclusions.map((one, index) => `\n    AND ${passesBy(one, index + 1, until)}`).join("")}
)`;
}

/** Steps are reached one after the other; the first is. */
function depthOf(steps: number, isReached: (step: number) => string): string {
  const later = Array.from({ length: steps - 1 }, (_, index) => index + 2);
  const reached = later.map((_, index) =>
    later
      .slice(0, index + 1)
      .map(isReached)
      .join(" AND "),
  );
  return ["1", ...reached.map((all) => `coalesce((${all})::INTEGER, 0)`)].join(" + ");
}

/**
 * An attempt that came to the step `from` is not counted if what is excluded is next before the step
 * `to`, or before the window ends. Places are counted from a person's last event.
 */
function passesBy({ from, to }: Exclusion, number: number, until: string): string {
  const came = from === 0 ? "true" : `t_${from + 1} <= ${until}`;
  const isBefore = `(t_${to + 1} <= ${until}) IS NOT TRUE OR place_excluded_${number} > place_${to + 1}`;
  return `(${came} AND t_excluded_${number} <= ${until} AND (${isBefore})) IS NOT TRUE`;
}

/** Each step is the very next event after the one before. */
function strict(scanned: Scanned, funnel: Funnel, period: Period, bind: Bind): string {
  const { steps, exclusions } = funnel;
  const later = steps.slice(1).map((_, index) => index + 2);
  const times = later.map((step) => {
    return `lead(CASE WHEN is_${step} THEN t END, ${step - 1}) OVER forwards AS t_${step}`;
  });
  const until = `t + to_seconds(${bind(funnel.window_s, "BIGINT")})`;
  const { columns, conditions } = strictExcluding(exclusions, until);
  return `${matchedSql(scanned, funnel, period, bind)}, followed AS (
  SELECT *,
    ${[...times, ...columns].join(",\n    ")}
  FROM matched WINDOW forwards AS (${FORWARDS})
), attempts AS (
  SELECT *, t AS t_1, ${depthOf(steps.length, (step) => `t_${step} <= ${until}`)} AS depth
  FROM followed WHERE ${["is_1", ...conditions].join("\n    AND ")}
)`;
}

/** From every event that is a step: when one more step is done within the window. */
function unordered(scanned: Scanned, funnel: Funnel, period: Period, bind: Bind): string {
  const { steps, window_s, exclusions, breakdown } = funnel;
  const numbers = steps.map((_, index) => index + 1);
  const { sets, times } = ownEvents(funnel);
  const first = sets.flatMap((set, index) => firstOf(set, `first_${index + 1}`));
  const window = `to_seconds(${bind(window_s, "BIGINT")})`;
  const within = `RANGE BETWEEN CURRENT ROW AND ${window} FOLLOWING`;
  const ordered = numbers.map((step) => `done[${step}] AS t_${step}`);
  const kept = ["person_id", "seq", ...(breakdown === null ? [] : ["breakdown"])];
  const isStep = numbers.map((step) => `is_${step}`).join(" OR ");
  const { columns, conditions } = unorderedExcluding(funnel, sets, `t + ${window}`);
  const looked =
    exclusions.length === 0 ? `matched WHERE ${isStep}` : `(SELECT *, ${PLACES} FROM matched)`;
  const counted =
    exclusions.length === 0 ? "" : ` WHERE ${[`(${isStep})`, ...conditions].join(" AND ")}`;
  return `${matchedSql(scanned, funnel, period, bind)}, followed AS (
  SELECT *,
    ${[...first, ...columns].join(",\n    ")}
  FROM ${looked}
  WINDOW until AS (PARTITION BY person_id ORDER BY t ${within})
), attempts AS (
  SELECT ${kept.join(", ")}, list_count(done) AS depth, ${ordered.join(", ")}
  FROM (
    SELECT *, list_sort([${times.join(", ")}], 'ASC', 'NULLS LAST') AS done
    FROM followed${counted}
  )
)`;
}
