import type { Line } from "../../../api/query.ts";
import { RetentionGrid } from "../../../charts/retention-grid.tsx";
import { bucket } from "../../../state/format.ts";
import { nameOf } from "../answer-table.ts";
import { cellPick } from "../picks.ts";
import { isRunning, NoData, type PartProps } from "../plotted.tsx";

/** The people who came back, by the interval in which they began. */
export function Retention({ answer, title, onPick }: PartProps) {
  const { results, query } = answer;
  if (!results.some(({ data }) => data[0])) return <NoData />;
  const sent = query.retentionFilter?.["period"];
  const period = typeof sent === "string" ? sent : "Day";
  // Lines of a breakdown have the same intervals again.
  const starts = [...new Set(results.map(({ label }) => label))];
  const pick = (cohort: number, column: number) => {
    const line = results[cohort];
    if (line) onPick?.(cellPick(answer, line, column));
  };
  return (
    <RetentionGrid
      title={title}
      interval={period}
      cohorts={results.map((line) => ({ label: cohortName(line), values: line.data }))}
      isRunning={(cohort, at) => {
        const start = starts[starts.indexOf(results[cohort]?.label ?? "") + at];
        return start !== undefined && isRunning(start, period.toLowerCase());
      }}
      onPick={onPick && pick}
    />
  );
}

/** The beginning of a cohort, and the value of the breakdown that it has. */
const cohortName = ({ label, breakdown_value, ...line }: Line) =>
  breakdown_value === null
    ? bucket(label)
    : `${bucket(label)}, ${nameOf({ ...line, label, breakdown_value }, true)}`;
