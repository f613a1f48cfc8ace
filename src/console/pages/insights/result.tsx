import { useState } from "preact/hooks";
import type { Answer } from "../../api/ask.ts";
import type { Schemas } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import { type Bar, BarList } from "../../charts/bar-list.tsx";
import { Chart } from "../../charts/chart.tsx";
import { FunnelSteps } from "../../charts/funnel-steps.tsx";
import type { Mark } from "../../charts/mark-columns.ts";
import { NumberTile } from "../../charts/number-tile.tsx";
import { RetentionGrid } from "../../charts/retention-grid.tsx";
import { eventTitle } from "../../state/format.ts";
import { zone } from "../../state/project.ts";
import { dayIn, shiftDay } from "../../state/zoned-days.ts";
import { Empty } from "../../ui/states.tsx";
import { Grid } from "../sql/sql-result.tsx";
import { AnnotationList, type Annotations, marksOf, useAnnotations } from "./annotations.tsx";
import { commonMeasure, isSql, nameOf, seriesOf } from "./answer-table.ts";
import { CountedPersons } from "./counted-persons.tsx";
import { cellPick, type Pick, pointPick, stepPick, wayPick } from "./picks.ts";
import { KINDS } from "./query-state.ts";

/** The longest that an interval lasts, in days. */
const INTERVAL_DAYS: Record<string, number> = { hour: 1, day: 1, week: 7, month: 31 };

/** Whether the last interval of an answer may not have ended: today lies in it. */
function isUnfinished({ columns, query }: Answer): boolean {
  const last = (columns.at(-1) ?? "").slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(last)) return false;
  return shiftDay(last, INTERVAL_DAYS[query.interval ?? "day"] ?? 1) > dayIn(new Date(), zone());
}

type ResultProps = {
  answer: Answer;
  /** The name for screen readers. */
  title: string;
  /** The height of a chart in pixels; without it a chart fills its place, and has no tools of its own. */
  height?: number;
  /** The id of the insight, for its annotations; undefined of a new question. */
  insight?: number | undefined;
  /** Its annotations, where the page has loaded them. */
  annotations?: Annotations;
};

/** A part of a result also gets a way to ask for the persons of one of its numbers. */
type PartProps = ResultProps & { onPick: ((pick: Pick | undefined) => void) | undefined };

/** The answer to a question, drawn as its kind asks for. Its numbers lead to their persons. */
export function Result(props: ResultProps) {
  const [picked, setPicked] = useState<Pick>();
  const { query } = props.answer;
  const isBuilt = KINDS.some(({ value }) => value === query.kind);
  const onPick = isBuilt && may("person:read") ? setPicked : undefined;
  return (
    <>
      <Drawn {...props} onPick={onPick} />
      {picked && <CountedPersons pick={picked} onClose={() => setPicked(undefined)} />}
    </>
  );
}

function Drawn(props: PartProps) {
  const { answer } = props;
  const { query, results } = answer;
  if (isSql(query)) return <Rows answer={answer} />;
  if (results.length === 0) return <Empty icon="insights" title="No event answers this question" />;
  if (query.kind === "FunnelsQuery") return <Funnels {...props} />;
  if (query.kind === "RetentionQuery") return <Retention {...props} />;
  if (query.kind === "PathsQuery") return <Paths {...props} />;
  const display = query.trendsFilter?.["display"];
  if (display === "BoldNumber") return <Numbers {...props} />;
  if (display === "ActionsBarValue") return <Totals {...props} />;
  if (answer.columns.length === 1 && !KINDS.some(({ value }) => value === query.kind)) {
    const isList = results.length > 4 || results.some((line) => line.breakdown_value !== null);
    return isList ? <Totals {...props} /> : <Numbers {...props} />;
  }
  if (query.kind === "StickinessQuery") return <Plotted {...props} kind="bars" />;
  return <OverTime {...props} />;
}

type PlottedProps = PartProps & {
  kind: "line" | "bars" | "stack";
  isUnfinished?: boolean;
  marks?: readonly Mark[];
};

/** The numbers of an answer with several columns. */
function Plotted({ answer, title, height, onPick, kind, isUnfinished, marks }: PlottedProps) {
  return (
    <Chart
      title={title}
      columns={answer.columns}
      series={seriesOf(answer)}
      kind={kind}
      isUnfinished={isUnfinished ?? false}
      marks={marks}
      height={height}
      isBare={height === undefined}
      onPick={onPick && (({ series, column }) => onPick(pointPick(answer, series, column)))}
    />
  );
}

/** The same over time, with its annotations. */
function OverTime(props: PartProps) {
  const { answer, insight } = props;
  const own = useAnnotations(props.annotations ? undefined : answer, insight);
  const annotations = props.annotations ?? own;
  const marks = marksOf(answer.columns, annotations.data ?? []);
  return (
    <>
      <Plotted
        {...props}
        kind={chartOf(answer)}
        isUnfinished={isUnfinished(answer)}
        marks={marks}
      />
      {props.height !== undefined && (
        <AnnotationList answer={answer} of={annotations} insight={insight} />
      )}
    </>
  );
}

/** The rows of a statement in SQL, whose answer is of another shape. */
function Rows({ answer }: { answer: Answer }) {
  return <Grid answer={answer as unknown as Schemas["QueryAnswer"]} />;
}

/** How the answers of a kind are drawn over time. */
function chartOf({ query, results }: Answer): "line" | "bars" | "stack" {
  const { kind, trendsFilter } = query;
  if (kind === "LifecycleQuery") return "stack";
  if (trendsFilter?.["display"] !== "ActionsBar") return "line";
  // Parts that add up to the whole stand on each other: many thin bars side by side cannot be read.
  const areParts = results.every(
    ({ math, breakdown_value, compare_label }) =>
      /^(total|sum)$/.test(math ?? "total") &&
      breakdown_value !== null &&
      compare_label !== "previous",
  );
  return areParts ? "stack" : "bars";
}

function Numbers({ answer, height, onPick }: PartProps) {
  const { results } = answer;
  const now = results.filter(({ compare_label }) => compare_label !== "previous");
  const isAlone = now.length === 1 && height === undefined;
  return (
    <div class="number-row">
      {now.map((line, at) => {
        const before = results.find(
          (one) => one.compare_label === "previous" && one.label === line.label,
        );
        return (
          <NumberTile
            key={at}
            label={isAlone ? undefined : nameOf(line, false)}
            value={line.aggregated_value}
            before={before?.aggregated_value}
            unit={line.unit}
            isLessBetter={/bounce/.test(line.label)}
            onPick={onPick && (() => onPick(pointPick(answer, results.indexOf(line))))}
          />
        );
      })}
    </div>
  );
}

function Totals({ answer, title, onPick }: PartProps) {
  const series = seriesOf(answer);
  const bars = answer.results.flatMap(({ aggregated_value, compare_label, unit }, at) =>
    compare_label === "previous"
      ? []
      : [{ key: String(at), label: series[at]?.label ?? "", value: aggregated_value ?? 0, unit }],
  );
  return (
    <BarList
      title={title}
      measure={commonMeasure(answer)}
      bars={bars}
      onPick={onPick && (({ key }) => onPick(pointPick(answer, Number(key))))}
    />
  );
}

function Funnels({ answer, title, onPick }: PartProps) {
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
            onPick={onPick && ((step) => onPick(stepPick(answer, line, step)))}
          />
        </div>
      ))}
    </div>
  );
}

function Retention({ answer, title, onPick }: PartProps) {
  const { results, query } = answer;
  const period = query.retentionFilter?.["period"];
  const pick = (cohort: number, column: number) => {
    const line = results[cohort];
    if (line) onPick?.(cellPick(answer, line, column));
  };
  return (
    <RetentionGrid
      title={title}
      interval={typeof period === "string" ? period : "Day"}
      cohorts={results.map((line) => ({ label: line.label, values: line.data }))}
      onPick={onPick && pick}
    />
  );
}

/** Ways from place to place, by the step at which they are gone: the same way may be at several. */
function Paths({ answer, title, onPick }: PartProps) {
  const plain = (place: string | undefined) => (place ?? "").replace(/^\d+_/, "");
  const steps = new Map<number, Bar[]>();
  for (const [at, line] of answer.results.entries()) {
    const step = Number.parseInt(line.source ?? "", 10) || 0;
    const bar = {
      key: String(at),
      label: line.source ? `${plain(line.source)} → ${plain(line.target)}` : line.label,
      value: line.aggregated_value ?? line.data[0] ?? 0,
    };
    steps.set(step, [...(steps.get(step) ?? []), bar]);
  }
  const greatest = Math.max(...[...steps.values()].flat().map(({ value }) => value));
  const pick = ({ key, label }: Bar) => {
    const line = answer.results[Number(key)];
    if (line) onPick?.(wayPick(answer, line, label));
  };
  return (
    <div class="stack">
      {[...steps]
        .sort(([a], [b]) => a - b)
        .map(([step, bars]) => (
          <div key={step}>
            {step > 0 && <h3>{`From step ${step} to ${step + 1}`}</h3>}
            <BarList title={title} bars={bars} greatest={greatest} onPick={onPick && pick} />
          </div>
        ))}
    </div>
  );
}
