import { useEffect, useId, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { bucket, withUnit } from "../state/format.ts";
import { isDark } from "../state/preferences.ts";
import { Button } from "../ui/button.tsx";
import { announce } from "../ui/live-region.tsx";
import { DataTable } from "./data-table.tsx";
import type { Mark } from "./mark-columns.ts";
import { marksAt } from "./marks.ts";
import { type Library, loadLibrary, plot } from "./plot.ts";
import { colorOf, DASHES, drawn, type Kind, lineAt, type Series, tableOfLines } from "./series.ts";
import { SmallMark } from "./small-mark.tsx";

/** A point of a chart: which column of which series. */
export type Point = { column: number; series: number };

type ChartProps = {
  /** The name for screen readers: a sentence on its content. */
  title: string;
  /** The beginnings of the intervals. */
  columns: readonly string[];
  series: readonly Series[];
  kind?: Kind;
  /** Whether the last interval has not ended. */
  isUnfinished?: boolean;
  marks?: readonly Mark[] | undefined;
  /** In pixels; without it the chart fills its place. */
  height?: number | undefined;
  /** Whether the page has its own way to a table. */
  isBare?: boolean;
  /** Called for the point that is clicked, or chosen by Enter. */
  onPick?: ((point: Point) => void) | undefined;
  /** The effect of a choice, for screen readers. */
  pickHint?: string;
};

/**
 * Lines or bars over time, with zero in the axis. The pointer and the arrow keys move a cursor, whose
 * values stand above the chart. A button shows the same as a table.
 */
export function Chart(props: ChartProps) {
  const { columns, title, onPick, isBare = false } = props;
  const [isTable, setTable] = useState(false);
  const series = drawn(props.series);
  const [only, before] = series;
  // A line and the same line of the period before differ in their time alone.
  const named =
    only && before?.isBefore && series.length === 2
      ? [
          { ...only, label: THIS },
          { ...before, label: THIS },
        ]
      : series;
  // Not all lines are drawn, so that they have other numbers here.
  const pick = ({ column, series: at }: Point) => {
    const line = series[at];
    if (line) onPick?.({ column, series: props.series.indexOf(line) });
  };
  const left =
    props.series.filter(({ isBefore }) => !isBefore).length -
    series.filter(({ isBefore }) => !isBefore).length;
  return (
    <figure class={isBare ? "chart bare" : "chart"}>
      {!isBare && (
        <div class="chart-tools">
          <Button
            kind="quiet"
            icon={isTable ? "chart" : "table"}
            label={isTable ? "Show the chart" : "Show the table"}
            onClick={() => setTable(!isTable)}
          />
        </div>
      )}
      {isTable ? (
        <DataTable title={title} table={tableOfLines(columns, props.series)} />
      ) : (
        <Canvas {...props} series={named} onPick={onPick && pick} />
      )}
      {left > 0 && <p class="caption">{left} more lines are in the table.</p>}
    </figure>
  );
}

/** The library that draws; undefined until it is loaded. Without it the numbers are still in the table. */
function useLibrary(): Library | undefined {
  const [loaded, setLoaded] = useState<{ library: Library }>();
  useEffect(() => {
    loadLibrary().then(
      (library) => setLoaded({ library }),
      () => announce("The chart cannot be loaded. The table has its numbers."),
    );
  }, []);
  return loaded?.library;
}

function Canvas(props: ChartProps) {
  const { title, columns, series, kind = "line", isUnfinished = false, height } = props;
  const { pickHint = "Enter shows the persons", marks = [], onPick } = props;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const [column, setColumn] = useState<number | null>(null);
  const [at, setAt] = useState(0);
  const id = useId();
  const isDarkNow = isDark.value;
  const library = useLibrary();
  const drawing = JSON.stringify([columns, series, kind, isUnfinished, marks, height, isDarkNow]);

  // `drawing` has everything that is drawn.
  useEffect(() => {
    const element = box.current;
    if (element === null || library === undefined) return;
    const size = () => ({ width: element.clientWidth, height: height ?? element.clientHeight });
    chart.current = plot(
      library,
      { columns, series, kind, isUnfinished, marks, ...size(), onCursor: setColumn },
      element,
    );
    const resized = new ResizeObserver(() => {
      const next = size();
      const { width, height: before } = chart.current ?? next;
      const isSame = next.width === width && next.height === before;
      if (next.width > 0 && !isSame) chart.current?.setSize(next);
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.current?.destroy();
    };
  }, [drawing, library]);

  const move = (to: number, line: number) => {
    const next = Math.min(columns.length - 1, Math.max(0, to));
    const which = (line + series.length) % series.length;
    setColumn(next);
    setAt(which);
    const left = chart.current?.valToPos(next, "x") ?? 0;
    chart.current?.setCursor({ left, top: 0 }, false);
    const said = pointText(columns[next], series[which], next);
    announce([said, ...marksAt(marks, next)].join(". "));
  };
  const press = (event: KeyboardEvent) => {
    const from = column ?? columns.length - 1;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => move(column === null ? from : from - 1, at),
      ArrowRight: () => move(column === null ? from : from + 1, at),
      ArrowUp: () => move(from, at - 1),
      ArrowDown: () => move(from, at + 1),
      Home: () => move(0, at),
      End: () => move(columns.length - 1, at),
      Enter: () => column !== null && props.onPick?.({ column, series: at }),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]?.();
  };
  const pick = ({ clientX }: MouseEvent) => {
    const plotted = chart.current;
    if (column === null || plotted === undefined) return;
    // The cursor stands on the middle of its column, not where the pointer is.
    const left = clientX - plotted.over.getBoundingClientRect().left;
    const top = plotted.cursor.top ?? 0;
    const at = { x: plotted.posToVal(left, "x"), y: plotted.posToVal(top, "y") };
    const line = lineAt(series, column, kind, at);
    if (line !== undefined) onPick?.({ column, series: line });
  };

  return (
    <>
      <p class="readout" id={id}>
        <Readout columns={columns} series={series} column={column} kind={kind} marks={marks} />
      </p>
      <div
        class={props.onPick ? "plot can-pick" : "plot"}
        ref={box}
        role="application"
        aria-roledescription="chart"
        aria-label={`${title}. Arrow keys read its points${props.onPick ? `, ${pickHint}` : ""}.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk through the chart.
        tabIndex={0}
        style={height === undefined ? undefined : { height: `${height}px` }}
        onKeyDown={press}
        onClick={pick}
      />
    </>
  );
}

const THIS = "this period";

function nameOf({ label, isBefore }: Series): string {
  if (!isBefore) return label;
  return label === THIS ? "period before" : `${label}, period before`;
}

function pointText(column: string | undefined, series: Series | undefined, at: number): string {
  if (column === undefined || series === undefined) return "";
  return `${bucket(column)}, ${nameOf(series)}: ${withUnit(series.data[at], series.unit)}`;
}

/** The legend, with the values under the cursor. It has its place before there is a cursor. */
function Readout(props: {
  columns: readonly string[];
  series: readonly Series[];
  column: number | null;
  kind: Kind;
  marks: readonly Mark[];
}) {
  const { columns, series, column, kind, marks } = props;
  const now = series.filter(({ isBefore }) => !isBefore);
  return (
    <>
      <span class="readout-time">
        {column === null ? extentOf(columns) : bucket(columns[column] ?? "")}
      </span>
      {series.map((one) => (
        <span class="readout-line" key={nameOf(one)}>
          <Swatch
            color={
              one.isBefore
                ? "--border"
                : colorOf(one.place ?? now.findIndex((x) => x.label === one.label))
            }
            isLine={kind === "line"}
            dash={one.isBefore ? [4, 4] : (DASHES[now.indexOf(one)] ?? [])}
          />
          <span class="readout-name">{nameOf(one)}</span>
          {one.isSmall && <SmallMark />}
          <b>{column === null ? "" : withUnit(one.data[column], one.unit)}</b>
        </span>
      ))}
      {marksAt(marks, column).map((text) => (
        <span class="readout-line" key={text}>
          <span class="readout-name">{text}</span>
        </span>
      ))}
    </>
  );
}

/** The first and the last column, such as `28 Oct – 27 Nov`. */
function extentOf(columns: readonly string[]): string {
  const [first = "", last = ""] = [columns[0], columns.at(-1)];
  return first === last ? bucket(first) : `${bucket(first)} – ${bucket(last)}`;
}

/** A piece of a line or of a bar, as it is in the chart. */
function Swatch(props: { color: string; dash: readonly number[]; isLine: boolean }) {
  const { color, dash, isLine } = props;
  if (!isLine) return <span class="swatch block" style={{ background: `var(${color})` }} />;
  return (
    <svg class="swatch" viewBox="0 0 24 8" aria-hidden="true">
      <line
        x1="0"
        y1="4"
        x2="24"
        y2="4"
        stroke={`var(${color})`}
        stroke-width="2.5"
        stroke-dasharray={dash.join(" ")}
      />
    </svg>
  );
}
