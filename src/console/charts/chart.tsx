import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { isDark } from "../state/preferences.ts";
import { Button } from "../ui/button.tsx";
import { announce } from "../ui/live-region.tsx";
import { DataTable } from "./data-table.tsx";
import type { Mark } from "./mark-columns.ts";
import { marksAt } from "./marks.ts";
import { type Library, loadLibrary, plot, showBefore } from "./plot.ts";
import {
  type Drawn,
  drawn,
  type Kind,
  lineAt,
  pairsOf,
  type Series,
  tableOfLines,
} from "./series.ts";
import { headOf, Legend, pointText, Tooltip } from "./tooltip.tsx";

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
  /** The length of its intervals, such as `week`; days and hours need none. */
  interval?: string | undefined;
  /** Whether a button shows the same as a table, where the page has no way to it. */
  hasTable?: boolean;
  /** Called for the point that is clicked, or chosen by Enter. */
  onPick?: ((point: Point) => void) | undefined;
  /** The effect of a choice, for screen readers. */
  pickHint?: string;
};

/**
 * Lines or bars over time, with zero in the axis. The pointer and the arrow keys move a cursor, whose values stand in a
 * card next to it.
 */
export function Chart(props: ChartProps) {
  const { columns, title, kind = "line", height, hasTable = false } = props;
  const [isTable, setTable] = useState(false);
  const lines = drawn(props.series, kind);
  const left = pairsOf(props.series).length - lines.filter(({ isBefore }) => !isBefore).length;
  const isBare = height === undefined;
  const isNamed = !isBare || lines.length > 1 || lines.some(({ isSmall }) => isSmall);
  return (
    <figure class={isBare ? "chart bare" : "chart"}>
      {hasTable && (
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
        <>
          {isNamed && <Legend drawn={lines} />}
          <Canvas {...props} lines={lines} />
        </>
      )}
      {left > 0 && <p class="caption">{left} more series in the table view</p>}
    </figure>
  );
}

/** The library that draws; undefined until it is loaded. Without it the numbers are still in the table. */
function useLibrary(): Library | undefined {
  const [loaded, setLoaded] = useState<{ library: Library }>();
  useEffect(() => {
    loadLibrary().then(
      (library) => setLoaded({ library }),
      () => announce("Can't load the chart. The table has its numbers."),
    );
  }, []);
  return loaded?.library;
}

/** A column, and the place of its point in the window. */
type Cursor = { column: number; spot: { x: number; y: number } };

/** A place of a plot in the window. */
function spotOf({ over }: uPlot, left: number, top: number): Cursor["spot"] {
  const { x, y } = over.getBoundingClientRect();
  return { x: x + left, y: y + top };
}

/** The values of a place of a plot, which is in pixels. */
const valuesAt = (plotted: uPlot, left: number, top: number) => ({
  x: plotted.posToVal(left, "x"),
  y: plotted.posToVal(top, "y"),
});

/** The box and the plot in it, which is drawn again when anything in it changes. */
function usePlot(props: ChartProps & { lines: Drawn[] }, at: number | undefined) {
  const { columns, lines, kind = "line", isUnfinished = false, marks = [], height } = props;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const onCursor = useRef<(plotted: uPlot) => void>(() => {});
  const isDarkNow = isDark.value;
  const library = useLibrary();
  const drawing = JSON.stringify([columns, lines, kind, isUnfinished, marks, height, isDarkNow]);

  // `drawing` has everything that is drawn.
  useEffect(() => {
    const element = box.current;
    if (element === null || library === undefined) return;
    const size = () => ({ width: element.clientWidth, height: height ?? element.clientHeight });
    const moved = (plotted: uPlot) => onCursor.current(plotted);
    const options = { columns, lines, kind, isUnfinished, marks, ...size(), onCursor: moved };
    chart.current = plot(library, options, element);
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

  useEffect(() => {
    if (chart.current) showBefore(chart.current, lines, at);
  }, [drawing, library, at]);
  return { box, chart, onCursor };
}

function Canvas(props: ChartProps & { lines: Drawn[] }) {
  const { title, columns, series, lines, kind = "line", isUnfinished = false, height } = props;
  const { pickHint = "Enter shows the people", marks = [], onPick, interval } = props;
  const [cursor, setCursor] = useState<Cursor>();
  // The line that the pointer is nearest to, or that keys have chosen.
  const [at, setAt] = useState<number>();
  const { box, chart, onCursor } = usePlot(props, at);
  const shown = cursor && cursor.column < columns.length ? cursor : undefined;
  const headAt = (column: number) =>
    headOf({ columns, series, column }, interval, isUnfinished && column === columns.length - 1);

  onCursor.current = (plotted) => {
    const { idx, left = 0, top = 0 } = plotted.cursor;
    if (idx == null) return setCursor(undefined);
    setCursor({ column: idx, spot: spotOf(plotted, left, top) });
    setAt((before) => lineAt(lines, idx, kind, valuesAt(plotted, left, top)) ?? before);
  };
  const move = (to: number, line: number) => {
    const plotted = chart.current;
    const column = Math.min(columns.length - 1, Math.max(0, to));
    const which = (line + lines.length) % lines.length;
    const from = lines[which]?.from ?? 0;
    setAt(which);
    const said = `${headAt(column)}: ${pointText({ columns, series, column }, from)}`;
    announce([said, ...marksAt(marks, column)].join(". "));
    const left = plotted?.valToPos(column, "x") ?? 0;
    const top = Math.max(0, plotted?.valToPos(lines[which]?.data[column] ?? 0, "y") ?? 0);
    plotted?.setCursor({ left, top }, false);
    if (plotted) setCursor({ column, spot: spotOf(plotted, left, top) });
  };
  const leave = () => {
    chart.current?.setCursor({ left: -10, top: -10 }, false);
    setCursor(undefined);
  };
  const pick = (column: number, line: number | undefined) => {
    const from = line === undefined ? undefined : lines[line]?.from;
    if (from !== undefined) onPick?.({ column, series: from });
  };
  const press = (event: KeyboardEvent) => {
    const [from, line] = [shown?.column ?? columns.length - 1, at ?? 0];
    const moves: Record<string, () => void> = {
      ArrowLeft: () => move(shown ? from - 1 : from, line),
      ArrowRight: () => move(shown ? from + 1 : from, line),
      ArrowUp: () => move(from, line - 1),
      ArrowDown: () => move(from, line + 1),
      Home: () => move(0, line),
      End: () => move(columns.length - 1, line),
      Enter: () => shown && pick(shown.column, line),
      ...(shown && { Escape: leave }),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]?.();
  };
  const click = ({ clientX }: MouseEvent) => {
    const plotted = chart.current;
    if (!shown || plotted === undefined) return;
    // The cursor stands on the middle of its column, not where the pointer is.
    const left = clientX - plotted.over.getBoundingClientRect().left;
    const place = valuesAt(plotted, left, plotted.cursor.top ?? 0);
    pick(shown.column, lineAt(lines, shown.column, kind, place));
  };

  return (
    <>
      <div
        class={onPick ? "plot can-pick" : "plot"}
        ref={box}
        role="application"
        aria-roledescription="chart"
        aria-label={`${title}. Arrow keys read its points${onPick ? `, ${pickHint}` : ""}.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk through the chart.
        tabIndex={0}
        style={height === undefined ? undefined : { height: `${height}px` }}
        onKeyDown={press}
        onBlur={leave}
        onClick={click}
      />
      {shown && (
        <Tooltip
          {...{ columns, series, drawn: lines, notes: marksAt(marks, shown.column) }}
          {...shown}
          head={headAt(shown.column)}
          chosen={at === undefined ? undefined : lines[at]}
        />
      )}
    </>
  );
}
