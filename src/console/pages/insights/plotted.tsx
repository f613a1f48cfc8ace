import type { Answer } from "../../api/ask.ts";
import { Chart } from "../../charts/chart.tsx";
import type { Mark } from "../../charts/mark-columns.ts";
import type { Kind } from "../../charts/series.ts";
import type { Filter } from "../../state/filters.ts";
import { zone } from "../../state/project.ts";
import { dayIn, shiftDay } from "../../state/zoned-days.ts";
import { AnnotationList, type Annotations, marksOf, useAnnotations } from "./annotations.tsx";
import { columnsOf, seriesOf } from "./answer-table.ts";
import { changeSentences } from "./changes.ts";
import { type Pick, pointPick } from "./picks.ts";

/** The filters of a page, and how to change them. */
export type Filtering = { filters: readonly Filter[]; onChange: (filters: Filter[]) => void };

/** An answer, and how it is drawn. */
export type ResultProps = {
  answer: Answer;
  /** The name for screen readers. */
  title: string;
  /** The height of a chart in pixels; without it a chart fills its place, and has no tools of its own. */
  height?: number;
  /** The id of the insight, for its annotations; undefined of a new question. */
  insight?: number | undefined;
  /** The filters of the page, which a row of a list changes; without them a row opens its people. */
  filtering?: Filtering | undefined;
  /** Its annotations, where the page has loaded them. */
  annotations?: Annotations;
};

/** A part of a result also gets a way to ask for the persons of one of its numbers. */
export type PartProps = ResultProps & { onPick: ((pick: Pick | undefined) => void) | undefined };

/** The properties of a chart of an answer. */
export type PlottedProps = PartProps & {
  kind: Kind;
  isUnfinished?: boolean;
  /** Whether the page has its own way to a table; so it has where the chart fills its place. */
  isBare?: boolean;
  marks?: readonly Mark[];
};

/** The numbers of an answer with several columns. */
export function Plotted(props: PlottedProps) {
  const { answer, title, height, onPick, kind, isUnfinished, marks } = props;
  const { isBare = height === undefined } = props;
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
      isBare={isBare}
      onPick={onPoint && (({ series, column }) => onPoint(pointPick(answer, series, column)))}
    />
  );
}

/** The same over time, with its annotations. */
export function OverTime(props: PartProps) {
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

/** The longest that an interval lasts, in days. */
const INTERVAL_DAYS: Record<string, number> = { hour: 1, day: 1, week: 7, month: 31 };

/** Whether the last interval of an answer may not have ended: today lies in it. */
function isUnfinished({ columns, query }: Answer): boolean {
  const last = (columns.at(-1) ?? "").slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(last)) return false;
  return shiftDay(last, INTERVAL_DAYS[query.interval ?? "day"] ?? 1) > dayIn(new Date(), zone());
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
