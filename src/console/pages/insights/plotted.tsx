import type { Answer } from "../../api/ask.ts";
import { Chart } from "../../charts/chart.tsx";
import { type Mark, wallClock } from "../../charts/mark-columns.ts";
import type { Kind } from "../../charts/series.ts";
import type { Filter } from "../../state/filters.ts";
import { zone } from "../../state/project.ts";
import { shiftDay } from "../../state/zoned-days.ts";
import { Empty } from "../../ui/states.tsx";
import { AnnotationList, type Annotations, marksOf, useAnnotations } from "./annotations.tsx";
import { columnsOf, isBlank, seriesOf } from "./answer-table.ts";
import { changeSentences } from "./changes.ts";
import { type Pick, pointPick } from "./picks.ts";

/** The filters of a page, and how to change them. */
export type Filtering = { filters: readonly Filter[]; onChange: (filters: Filter[]) => void };

/** An answer, and how it is drawn. */
export type ResultProps = {
  answer: Answer;
  /** The name for screen readers. */
  title: string;
  /** The height of a chart in pixels; without it a chart fills its place. */
  height?: number;
  /** The id of the insight, for its annotations; undefined of a new question. */
  insight?: number | undefined;
  /** The filters of the page, which a row of a list changes; without them a row opens its people. */
  filtering?: Filtering | undefined;
  /** Of a list of few rows: a way to all of them, and the number of the whole. */
  list?: { rowsMax: number; onShow: () => void; whole: number | null | undefined } | undefined;
  /** Its annotations, where the page has loaded them. */
  annotations?: Annotations;
};

/** A part of a result also gets a way to ask for the persons of one of its numbers. */
export type PartProps = ResultProps & { onPick: ((pick: Pick | undefined) => void) | undefined };

/** The properties of a chart of an answer. */
export type PlottedProps = PartProps & {
  kind: Kind;
  isUnfinished?: boolean;
  marks?: readonly Mark[];
};

/** The numbers of an answer with several columns. */
export function Plotted(props: PlottedProps) {
  const { answer, title, height, onPick, kind, isUnfinished, marks } = props;
  const onPoint = answer.results.some((_, at) => pointPick(answer, at, 0)) ? onPick : undefined;
  return (
    <Chart
      title={title}
      columns={columnsOf(answer)}
      series={seriesOf(answer)}
      kind={kind}
      isUnfinished={isUnfinished ?? false}
      marks={marks}
      height={height}
      interval={answer.query.interval}
      onPick={onPoint && (({ series, column }) => onPoint(pointPick(answer, series, column)))}
    />
  );
}

/** In place of a chart that would be a flat line. */
export const NoData = () => (
  <Empty icon="insights" title="No data for this question">
    <p>No event of this period matches it.</p>
  </Empty>
);

/** The same over time, with its annotations. */
export function OverTime(props: PartProps) {
  const { answer, insight } = props;
  const own = useAnnotations(props.annotations ? undefined : answer, insight);
  const annotations = props.annotations ?? own;
  const marks = marksOf(answer.columns, annotations.data ?? []);
  return (
    <>
      {isBlank(answer) ? (
        <NoData />
      ) : (
        <Plotted
          {...props}
          kind={chartOf(answer)}
          isUnfinished={isRunning(answer.columns.at(-1) ?? "", answer.query.interval)}
          marks={marks}
        />
      )}
      {props.height !== undefined && <Changes answer={answer} />}
      {props.height !== undefined && (
        <AnnotationList answer={answer} of={annotations} insight={insight} />
      )}
    </>
  );
}

/** How much the numbers have changed since the period before. */
function Changes({ answer }: { answer: Answer }) {
  const sentences = changeSentences(answer);
  return sentences.length === 0 ? null : <p class="caption">{sentences.join(" · ")}</p>;
}

/** How many characters of a time name its hour, day or month. */
const NAMED: Record<string, number> = { hour: 13, day: 10, month: 7 };

/** Whether the interval that begins so has not ended on the project's clock. */
export function isRunning(column: string, interval = "day"): boolean {
  if (!/^\d{4}-\d{2}-\d{2}/.test(column)) return false;
  const now = wallClock(new Date().toISOString(), zone());
  if (interval === "week") return shiftDay(column.slice(0, 10), 7) > now.slice(0, 10);
  const length = NAMED[interval];
  return column.slice(0, length) >= now.slice(0, length);
}

/** How the answers of a kind are drawn over time. */
function chartOf({ query, results }: Answer): Kind {
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
