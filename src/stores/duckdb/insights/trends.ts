import type { PlanOf, TrendsRow } from "../../../core/ports/insights.ts";
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

/** One statement of a trend: a series, and the series whose top breakdown values its rows have. */
type TrendsPart = Divided & {
  own: SeriesIn;
  ranked: SeriesIn;
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

/** Returns the statements of a trend: one for each series, first all of the current period. */
export function trendsSql({
  query,
  period,
  previous,
  timezone,
  isWhole,
}: PlanOf<"TrendsQuery">): ((target: Target) => Statement)[] {
  const { series, formula, interval, breakdown } = query;
  const current = series.map((one, index): SeriesIn => {
    return { name: letterOf(index).toLowerCase(), series: one, period, timezone };
  });
  const before = (previous === null ? [] : current).map((one): SeriesIn => {
    return { ...one, name: `${one.name}_previous`, period: previous ?? period };
  });
  return [...current, ...before].map((own, at) => {
    const index = at % series.length;
    const label = own.period === period ? "current" : "previous";
    const labels = `'${letterOf(index)}' AS series, ${previous === null ? "" : `'${label}' AS period, `}`;
    // A formula, like a comparison, needs the same values in all series.
    const ranked = current[formula === null ? index : 0] ?? own;
    return (target) => partSql(target, { own, ranked, labels, interval, breakdown, isWhole });
  });
}

/** Returns the statement of one series. Intervals without events have no row; counts are exact. */
function partSql(target: Target, part: TrendsPart): Statement {
  const { own, ranked, breakdown } = part;
  const rows = rowsOf(target, part, own);
  const tables = [...rows.tables];
  if (breakdown !== null) {
    const isOwn = own.name === ranked.name;
    const all = isOwn ? rows : rowsOf(target, part, ranked);
    if (!isOwn) tables.push(...all.tables);
    tables.push(topValues(topOf(part), all.ranked, all.rankedBy, breakdown));
  }
  const more = rows.isUnique ? uniqueSql(target, part, rows) : plainSql(part, rows);
  return { tables: [...tables, ...more.tables], select: more.select };
}

const topOf = ({ ranked }: TrendsPart) => `${ranked.name}_top`;

/** Returns the beginning of a SELECT of rows with these columns before the interval and the value. */
function headOf(
  { labels, interval, isWhole }: TrendsPart,
  columns: readonly string[],
  value: string,
) {
  const bucket = isWhole ? [] : [`${bucketOf(interval, "starts_at")} AS bucket`];
  return `SELECT ${labels}${[...columns, ...bucket, `${value} AS value`].join(", ")}`;
}

/** Returns the statement of a series in which each row counts. */
function plainSql(part: TrendsPart, { from, value }: Rows): Statement {
  const { breakdown } = part;
  const by = breakdown === null ? [] : topColumns(topOf(part));
  const select = `${headOf(part, breakdown === null ? [] : [valueColumns(by)], value)}
${breakdown === null ? `FROM ${from}` : joinedWith(topOf(part), from)}
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
function uniqueSql(target: Target, part: TrendsPart, rows: Rows): Statement {
  const { own, breakdown, isWhole = false } = part;
  const counted = { value: rows.value, isWhole };
  if (breakdown === null) {
    const select = `${headOf(part, [], "value")} FROM (${countedRows(rows, counted)})`;
    return { tables: [], select };
  }
  const top = topOf(part);
  const ofTop = `${headOf(part, ["counted.breakdown", "false AS is_other"], "value")}
FROM (${countedRows(rows, { ...counted, by: ["breakdown"] })}) AS counted
JOIN ${top} ON counted.breakdown IS NOT DISTINCT FROM ${top}.breakdown`;
  if (breakdown.hidesOther) return { tables: [], select: ofTop };
  const once = onceIn(own.series);
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

/** Reads a row of a trend. */
export function trendsRow(row: Row): TrendsRow {
  const { bucket = null, value } = row as { bucket?: string | null; value: number | null };
  return { ...breakdownOf(row), bucket, value };
}
