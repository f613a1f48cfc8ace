import type { Found, PlanOf, TrendsRow } from "../../../core/ports/insights.ts";
import type { Breakdown } from "../../../core/queries/breakdown.ts";
import { type Formula, type FormulaPart, seriesIn } from "../../../core/queries/formula.ts";
import { isTypical, isZeroWithout } from "../../../core/queries/trend.ts";
import {
  breakdownOf,
  bucketOf,
  joinedWith,
  type Row,
  type Statement,
  type Target,
  topColumns,
  topValues,
  valueColumns,
} from "./statement.ts";
import {
  type Divided,
  distinctTable,
  onceIn,
  type Rows,
  rowsOf,
  type SeriesIn,
} from "./trend-rows.ts";

/** One series of a trend, and the table of the breakdown values that its rows have. */
type TrendsPart = Divided & {
  own: SeriesIn;
  rows: Rows;
  top: string;
  /** SQL of the columns with the series' letter and, in a comparison, the period. */
  labels: string;
};

/** Returns the letter of a series, as formulas name it. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index);

/** Returns the columns by which a draft orders the rows of a trend. */
export function trendsOrder({ query, previous, isWhole }: PlanOf<"TrendsQuery">): string {
  const period = previous === null ? [] : ["period"];
  const value = query.breakdown === null ? [] : ["is_other", "breakdown NULLS LAST"];
  return ["series", ...period, ...value, ...(isWhole ? [] : ["bucket NULLS LAST"])].join(", ");
}

/** Returns the series of a trend, in its period or in another one. */
export function seriesOf(
  { query, period, timezone }: PlanOf<"TrendsQuery">,
  name = "",
): SeriesIn[] {
  return query.series.map((series, index) => {
    return { name: `${letterOf(index).toLowerCase()}${name}`, series, period, timezone };
  });
}

/**
 * Returns the statements of a trend: one for each series, first all of the current period. A formula by a breakdown is
 * one statement, because its values are ranked by all series.
 */
export function trendsSql(plan: PlanOf<"TrendsQuery">): ((target: Target) => Statement)[] {
  const { query, period, previous, isWhole } = plan;
  const { series, formula, interval, breakdown } = query;
  const current = seriesOf(plan);
  const before = previous === null ? [] : seriesOf({ ...plan, period: previous }, "_previous");
  const labeled = [...current, ...before].map((own, at) => {
    const countsPersons = breakdown !== null && (formula !== null || isTypical(own.series));
    const label = own.period === period ? "current" : "previous";
    const letter = letterOf(at % series.length);
    const labels = `'${letter}' AS series, ${previous === null ? "" : `'${label}' AS period, `}`;
    const ranked = current[at % series.length] ?? own;
    return { own, labels, ranked, divided: { interval, breakdown, isWhole, countsPersons } };
  });
  if (formula === null || breakdown === null) {
    return labeled.map(({ own, labels, ranked, divided }) => (target) => {
      const rows = rowsOf(target, divided, own);
      const top = `${ranked.name}_top`;
      const { tables, select } = partSql(target, { ...divided, own, rows, labels, top });
      if (breakdown === null) return { tables: [...rows.tables, ...tables], select };
      const isOwn = own.name === ranked.name;
      const all = isOwn ? rows : rowsOf(target, divided, ranked);
      const ranking = topValues(top, all.ranked, all.rankedBy, breakdown);
      return {
        tables: [...rows.tables, ...(isOwn ? [] : all.tables), ranking, ...tables],
        select,
      };
    });
  }
  return [
    (target) => {
      const parts = labeled.map((one) => ({
        ...{ ...one.divided, ...one, top: FORMULA_TOP },
        rows: rowsOf(target, one.divided, one.own),
      }));
      const top = formulaTop(breakdown, formula, parts.slice(0, series.length));
      const all = parts.map((part) => partSql(target, part));
      return {
        tables: [
          ...parts.flatMap(({ rows }) => rows.tables),
          top,
          ...all.flatMap(({ tables }) => tables),
        ],
        select: all.map(({ select }) => select).join("\nUNION ALL\n"),
      };
    },
  ];
}

/** The table of the values of a formula. */
export const FORMULA_TOP = "formula_top";

/** Returns that table: the values are ranked by the result of the formula for the whole period. */
export function formulaTop(
  breakdown: Breakdown,
  formula: Formula,
  all: readonly { own: SeriesIn; rows: Rows }[],
): string {
  const used = [...new Set(seriesIn(formula))];
  const named = used.length === 0 ? [0] : used;
  const numbers = named.map((at) => {
    const rows = all[at]?.rows;
    const columns = named.map((other) =>
      other === at
        ? `(${rows?.rankedBy})::DOUBLE AS number_${at}`
        : `NULL::DOUBLE AS number_${other}`,
    );
    return `SELECT ${["breakdown", ...columns].join(", ")} FROM ${rows?.ranked} GROUP BY breakdown`;
  });
  const sql = (part: FormulaPart): string => {
    if ("number" in part) return `${part.number}::DOUBLE`;
    if ("operator" in part) return `(${part.of.map(sql).join(` ${part.operator} `)})`;
    const number = `max(number_${part.series})`;
    const { series } = all[part.series]?.own ?? {};
    return series !== undefined && isZeroWithout(series) ? `coalesce(${number}, 0)` : number;
  };
  const result = sql(formula.part);
  const ranked = `CASE WHEN isfinite(${result}) THEN ${result} END`;
  return topValues(
    FORMULA_TOP,
    `(\n    ${numbers.join("\n    UNION ALL ")})`,
    ranked,
    breakdown,
    true,
  );
}

/** Returns the statement of one series over its rows. Intervals without events have no row; counts are exact. */
function partSql(target: Target, part: TrendsPart): Statement {
  const { tables, select } = part.rows.isUnique ? uniqueSql(target, part) : plainSql(part);
  const persons = part.countsPersons && target.project !== null ? personsSql(part) : [];
  return { tables, select: [select, ...persons].join("\nUNION ALL ") };
}

/** The series of the rows that count the persons of lines. */
const personsOf = (letter: string) => `${letter} persons`;

/** Returns the SELECT of the persons of each line in the whole time. */
function personsSql({ own, labels, top, isWhole }: TrendsPart): string[] {
  const by = topColumns(top);
  const bucket = isWhole ? "" : "NULL AS bucket, ";
  return [
    `SELECT ${labels.replace(/^'(.)'/, (_, letter) => `'${personsOf(letter)}'`)}${valueColumns(by)}, ${bucket}count(DISTINCT actor) AS value
${joinedWith(top, `${own.name}_events`)}
GROUP BY ${by.join(", ")}`,
  ];
}

/** Returns the beginning of a SELECT of rows with these columns before the interval and the value. */
function headOf(
  { labels, interval, isWhole, own }: TrendsPart,
  columns: readonly string[],
  value: string,
) {
  const bucket = isWhole ? [] : [`${bucketOf(interval, "starts_at", own.period)} AS bucket`];
  return `SELECT ${labels}${[...columns, ...bucket, `${value} AS value`].join(", ")}`;
}

/** Returns the statement of a series in which each row counts. */
function plainSql(part: TrendsPart): Statement {
  const { breakdown, top } = part;
  const { from, value } = part.rows;
  const by = breakdown === null ? [] : topColumns(top);
  const select = `${headOf(part, breakdown === null ? [] : [valueColumns(by)], value)}
${breakdown === null ? `FROM ${from}` : joinedWith(top, from)}
${groupedBy(part, by)}HAVING count(*) > 0`;
  return { tables: [], select };
}

/** Returns the clause that makes rows of the whole time, and of each interval if these are asked for. */
function groupedBy({ isWhole }: TrendsPart, by: readonly string[]): string {
  const ofWhole = by.join(", ");
  if (isWhole) return by.length === 0 ? "" : `GROUP BY ${ofWhole}\n`;
  return `GROUP BY GROUPING SETS ((${[...by, "starts_at"].join(", ")}), (${ofWhole}))\n`;
}

/** Returns the statement of a series in which each value of an id counts once. */
function uniqueSql(target: Target, part: TrendsPart): Statement {
  const { own, breakdown, rows, top, isWhole = false } = part;
  const counted = { value: rows.value, isWhole };
  if (breakdown === null) {
    const select = `${headOf(part, [], "value")} FROM (${countedRows(rows, counted)})`;
    return { tables: [], select };
  }
  const ofTop = `${headOf(part, ["counted.breakdown", "false AS is_other"], "value")}
FROM (${countedRows(rows, { ...counted, by: ["breakdown"] })}) AS counted
JOIN ${top} ON counted.breakdown IS NOT DISTINCT FROM ${top}.breakdown`;
  if (breakdown.hidesOther) return { tables: [], select: ofTop };
  const once = onceIn(own.series, breakdown);
  const from = `${own.name}_others`;
  const others = distinctTable(target, {
    ...{ name: from, columns: [...(isWhole ? [] : ["starts_at"]), ...once] },
    from: `${joinedWith(top, rows.from)} WHERE ${top}.is_top IS NULL`,
  });
  const whole = isWhole ? from : `(SELECT DISTINCT ${once.join(", ")} FROM ${from})`;
  const ofOthers = `${headOf(part, ["NULL AS breakdown", "true AS is_other"], "value")}
FROM (${countedRows({ from, whole }, counted)})`;
  return { tables: [others], select: `${ofTop}\nUNION ALL ${ofOthers}` };
}

/**
 * Returns a SELECT of unique values: rows of `from` by interval, and rows of `whole`, in which each value is once, of the
 * whole time. DISTINCT and a count take half the time of a `count(DISTINCT id)`.
 */
function countedRows(
  { from, whole }: { from: string; whole: string },
  { value, isWhole, by = [] }: { value: string; isWhole: boolean; by?: string[] },
): string {
  const named = `${value} AS value`;
  const ofWhole = `FROM ${whole} GROUP BY (${by.join(", ")}) HAVING count(*) > 0`;
  if (isWhole) return `SELECT ${[...by, named].join(", ")} ${ofWhole}`;
  const cell = [...by, "starts_at"].join(", ");
  return `SELECT ${cell}, ${named} FROM ${from} GROUP BY ${cell}
  UNION ALL SELECT ${[...by, "NULL", value].join(", ")} ${ofWhole}`;
}

/** Reads the rows of all statements of a trend. */
export function trendsFound(
  { query }: PlanOf<"TrendsQuery">,
  rows: readonly Row[],
): Found["TrendsQuery"] {
  const labeled = Map.groupBy(rows, ({ series, period = "current" }) => `${series} ${period}`);
  const of = (period: string, nameOf = (letter: string) => letter) =>
    query.series.map((_, index) =>
      (labeled.get(`${nameOf(letterOf(index))} ${period}`) ?? []).map(trendsRow),
    );
  const persons = { current: of("current", personsOf), previous: of("previous", personsOf) };
  return { current: of("current"), previous: of("previous"), persons };
}

function trendsRow(row: Row): TrendsRow {
  const { bucket = null, value } = row as { bucket?: string | null; value: number | null };
  return { ...breakdownOf(row), bucket, value };
}
