import { Chart } from "../../charts/chart.tsx";
import type { Series } from "../../charts/series.ts";
import { type Histogram, intervalsOf, LEVELS } from "./log-query.ts";

/** The number of the colour of each level. */
const COLOURS: Record<string, number> = {
  info: 0,
  warn: 2,
  debug: 7,
  error: 4,
  trace: 1,
  fatal: 3,
};

/** Log records over time, by level. A bar narrows the list to its interval. */
export function LogHistogram(props: {
  histogram: Histogram;
  period: string;
  onPick: (interval: string) => void;
}) {
  const { histogram, period, onPick } = props;
  const now = new Date();
  const all = intervalsOf(period, now);
  // All time begins with the first record.
  const first = histogram.map(({ at }) => at).sort()[0] ?? "";
  const columns = period === "all" ? all.filter((at) => at >= first) : all;
  const counts = new Map(histogram.map(({ at, level, count }) => [`${at} ${level}`, count]));
  const series = LEVELS.filter((level) => histogram.some((one) => one.level === level)).map(
    (level): Series => ({
      label: level,
      place: COLOURS[level] ?? 0,
      data: columns.map((column) => counts.get(`${column} ${level}`) ?? 0),
    }),
  );
  return (
    <Chart
      title="Log records over time, by level"
      kind="stack"
      columns={columns}
      series={series}
      height={160}
      hasTable
      pickHint="Enter shows the records of an interval"
      onPick={({ column }) => {
        const interval = columns[column];
        if (interval !== undefined) onPick(interval);
      }}
    />
  );
}
