import type { Answer, Query } from "../../api/ask.ts";
import type { Schemas } from "../../api/client.ts";
import { BarList } from "../../charts/bar-list.tsx";
import { Chart } from "../../charts/chart.tsx";
import { FunnelSteps } from "../../charts/funnel-steps.tsx";
import { NumberTile } from "../../charts/number-tile.tsx";
import { RetentionGrid } from "../../charts/retention-grid.tsx";
import type { Series } from "../../charts/series.ts";
import { eventTitle } from "../../state/format.ts";
import { zone } from "../../state/project.ts";
import { dayIn, shiftDay } from "../../state/zoned-days.ts";
import { Empty } from "../../ui/states.tsx";
import { KINDS } from "./query-state.ts";

type Line = Schemas["InsightResult"];

const VALUE_NAMES: Record<string, string> = {
  $$_posthog_breakdown_other_$$: "(others)",
  $$_posthog_breakdown_null_$$: "(none)",
};

/** The name of a line: its value of the breakdown, and its measure if there are several. */
export function nameOf({ label, breakdown_value }: Line, isOnlyMeasure: boolean): string {
  if (breakdown_value === null) return label;
  const values = [breakdown_value].flat().map((value) => VALUE_NAMES[value] ?? value);
  return isOnlyMeasure ? values.join(", ") : `${label}: ${values.join(", ")}`;
}

/** The lines of an answer as a chart draws them. */
export function seriesOf({ results }: Answer): Series[] {
  const measures = new Set(
    results.map(({ label, breakdown_value }) => [label, breakdown_value === null]),
  );
  const isOnlyMeasure = new Set([...measures].map(([label]) => label)).size === 1;
  return results.map((line) => ({
    label: nameOf(line, isOnlyMeasure),
    data: line.data,
    isBefore: line.compare_label === "previous",
  }));
}

/** The longest that an interval lasts, in days. */
const INTERVAL_DAYS: Record<string, number> = { hour: 1, day: 1, week: 7, month: 31 };

/** Whether the last interval of an answer may not have ended: today lies in it. */
function isUnfinished({ columns, query }: Answer): boolean {
  const last = (columns.at(-1) ?? "").slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(last)) return false;
  return shiftDay(last, INTERVAL_DAYS[query.interval ?? "day"] ?? 1) > dayIn(new Date(), zone());
}

/** The answer to a question, drawn as its kind asks for. */
export function Result({ answer, title }: { answer: Answer; title: string }) {
  const { query, results } = answer;
  if (results.length === 0) return <Empty icon="insights" title="No event answers this question" />;
  if (query.kind === "FunnelsQuery") return <Funnels answer={answer} title={title} />;
  if (query.kind === "RetentionQuery") return <Retention answer={answer} title={title} />;
  if (query.kind === "PathsQuery") return <Paths answer={answer} title={title} />;
  const display = query.trendsFilter?.["display"];
  if (query.kind === "TrendsQuery" && display === "BoldNumber") {
    return <Numbers answer={answer} />;
  }
  if (query.kind === "TrendsQuery" && display === "ActionsBarValue") {
    return <Totals answer={answer} title={title} />;
  }
  if (answer.columns.length === 1 && !KINDS.some(({ value }) => value === query.kind)) {
    const isList = results.length > 4 || results.some((line) => line.breakdown_value !== null);
    return isList ? <Totals answer={answer} title={title} /> : <Numbers answer={answer} />;
  }
  const isOverTime = query.kind !== "StickinessQuery";
  return (
    <Chart
      title={title}
      columns={answer.columns}
      series={seriesOf(answer)}
      kind={chartOf(query)}
      isUnfinished={isOverTime && isUnfinished(answer)}
      height={320}
    />
  );
}

/** How the answers of a kind are drawn over time. */
function chartOf({ kind, trendsFilter }: Query): "line" | "bars" | "stack" {
  if (kind === "LifecycleQuery") return "stack";
  return kind === "StickinessQuery" || trendsFilter?.["display"] === "ActionsBar" ? "bars" : "line";
}

function Numbers({ answer: { results } }: { answer: Answer }) {
  const now = results.filter(({ compare_label }) => compare_label !== "previous");
  return (
    <div class="number-row">
      {now.map((line, at) => {
        const before = results.find(
          (one) => one.compare_label === "previous" && one.label === line.label,
        );
        return (
          <NumberTile
            key={at}
            label={nameOf(line, false)}
            value={line.aggregated_value}
            before={before?.aggregated_value}
          />
        );
      })}
    </div>
  );
}

function Totals({ answer, title }: { answer: Answer; title: string }) {
  const series = seriesOf(answer);
  const bars = answer.results.map(({ aggregated_value }, at) => ({
    key: String(at),
    label: series[at]?.label ?? "",
    value: aggregated_value ?? 0,
  }));
  return <BarList title={title} bars={bars} />;
}

function Funnels({ answer, title }: { answer: Answer; title: string }) {
  return (
    <div class="stack">
      {answer.results.map((line, at) => (
        <div key={at}>
          {line.breakdown_value !== null && <h3>{nameOf(line, true)}</h3>}
          <FunnelSteps
            title={title}
            steps={answer.columns.map((label, step) => ({
              label: eventTitle(label),
              count: line.data[step] ?? 0,
              seconds: line.average_conversion_times?.[step] ?? null,
            }))}
          />
        </div>
      ))}
    </div>
  );
}

function Retention({ answer, title }: { answer: Answer; title: string }) {
  const period = answer.query.retentionFilter?.["period"];
  return (
    <RetentionGrid
      title={title}
      interval={typeof period === "string" ? period : "Day"}
      cohorts={answer.results.map((line) => ({ label: line.label, values: line.data }))}
    />
  );
}

function Paths({ answer, title }: { answer: Answer; title: string }) {
  const plain = (place: string | undefined) => (place ?? "").replace(/^\d+_/, "");
  const bars = answer.results.map((line, at) => ({
    key: String(at),
    label: line.source ? `${plain(line.source)} → ${plain(line.target)}` : line.label,
    value: line.aggregated_value ?? line.data[0] ?? 0,
  }));
  return <BarList title={title} bars={bars} />;
}
