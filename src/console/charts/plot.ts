import type uPlot from "uplot";
import { CHARTS } from "../state/base.ts";
import { bucket } from "../state/format.ts";
import type { Mark } from "./mark-columns.ts";
import { drawMarks } from "./marks.ts";
import { numberAxis } from "./number-axis.ts";
import { colorOf, DASHES, type Kind, type Series, stacked } from "./series.ts";
import { styleOf } from "./style-of.ts";

/** How a chart is drawn. */
export type PlotOptions = {
  columns: readonly string[];
  series: readonly Series[];
  kind: Kind;
  /** Whether the last interval has not ended: it is drawn dotted. */
  isUnfinished: boolean;
  marks: readonly Mark[];
  width: number;
  height: number;
  /** Called with the column under the pointer; null when it leaves. */
  onCursor: (column: number | null) => void;
};

/** The library that draws. */
export type Library = typeof uPlot;

let library: Promise<Library> | undefined;

/** Loads the library that draws, once. Rejects if it cannot be loaded; the next call tries again. */
export function loadLibrary(): Promise<Library> {
  library ??= import(CHARTS).then(
    (loaded: { uPlot: Library }) => loaded.uPlot,
    (error: unknown) => {
      library = undefined;
      throw error;
    },
  );
  return library;
}

type Line = uPlot.Series;

/** The number of a line among those of its own period, which decides its colour. */
function placeOf(series: readonly Series[], one: Series): number {
  const now = series.filter(({ isBefore }) => !isBefore);
  const at = now.findIndex(({ label }) => label === one.label);
  return now[at]?.place ?? Math.max(0, at);
}

function lineOf(
  series: readonly Series[],
  one: Series,
  { isTail, data }: { isTail: boolean; data: readonly (number | null)[] },
): Line {
  const place = placeOf(series, one);
  const dash = one.isBefore ? [4, 4] : [...(DASHES[place] ?? [])];
  const stroke = styleOf(one.isBefore ? "--border" : colorOf(place));
  return {
    label: one.label,
    stroke,
    width: one.isBefore ? 1.5 : 2,
    dash: isTail ? [1, 4] : dash,
    cap: isTail ? "round" : "butt",
    spanGaps: false,
    points: { show: isLonely(data), size: 7, fill: stroke },
  };
}

/** Whether a line has a point without neighbours, which only a dot shows. */
const isLonely = (data: readonly (number | null)[]) =>
  data.some(
    (value, at) =>
      value !== null && (data[at - 1] ?? null) === null && (data[at + 1] ?? null) === null,
  );

const NOTHING = (data: readonly (number | null)[]) => data.map(() => null);

/** Each line is two: up to the last finished interval, and from there on, dotted. */
function linesOf({ series, isUnfinished }: PlotOptions): {
  lines: Line[];
  data: uPlot.AlignedData;
} {
  const lines: Line[] = [{}];
  const length = series[0]?.data.length ?? 0;
  const data: (number | null)[][] = [Array.from({ length }, (_, at) => at)];
  for (const one of series) {
    const split = isUnfinished && !one.isBefore ? length - 1 : length;
    const finished = one.data.map((value, at) => (at < split ? value : null));
    const tail =
      split === length
        ? NOTHING(one.data)
        : one.data.map((value, at) => (at >= split - 1 ? value : null));
    lines.push(
      lineOf(series, one, { isTail: false, data: finished }),
      lineOf(series, one, { isTail: true, data: tail }),
    );
    data.push(finished, tail);
  }
  return { lines, data: data as uPlot.AlignedData };
}

/** Bars of several series stand next to each other; those of an unfinished interval are pale. */
function barsOf(
  options: PlotOptions,
  { paths }: Library,
): { lines: Line[]; data: uPlot.AlignedData } {
  const { isUnfinished } = options;
  const isStack = options.kind === "stack";
  const series: readonly Series[] = isStack ? stacked(options.series) : options.series;
  const count = isStack ? 1 : series.length;
  const lines: Line[] = [{}];
  const length = series[0]?.data.length ?? 0;
  const data: (number | null)[][] = [Array.from({ length }, (_, at) => at)];
  for (const [at, one] of series.entries()) {
    const color = styleOf(one.isBefore ? "--border" : colorOf(placeOf(options.series, one)));
    // Opaque, because the bars of a stack are drawn over each other.
    const paler = `color-mix(in srgb, ${color} 40%, ${styleOf("--card")})`;
    const disp = {
      x0: {
        unit: 1 as const,
        values: (_: uPlot, __: number, from: number, to: number) =>
          Array.from({ length: to - from + 1 }, () => -0.4 + (isStack ? 0 : (0.8 * at) / count)),
      },
      size: {
        unit: 1 as const,
        values: (_: uPlot, __: number, from: number, to: number) =>
          Array.from({ length: to - from + 1 }, () => 0.76 / count),
      },
    };
    lines.push({
      label: one.label,
      width: 0,
      fill: color,
      points: { show: false },
      paths: paths.bars?.({
        align: 1,
        radius: 0,
        disp: {
          x0: { ...disp.x0, values: shift(disp.x0.values) },
          size: disp.size,
          fill: {
            unit: 3,
            values: (_: uPlot, __: number, from: number, to: number) =>
              Array.from({ length: to - from + 1 }, (_value, index) =>
                isUnfinished && from + index === length - 1 ? paler : color,
              ),
          },
        },
      } as uPlot.Series.BarsPathBuilderOpts),
    });
    data.push([...one.data]);
  }
  return { lines, data: data as uPlot.AlignedData };
}

type Offsets = (plot: uPlot, at: number, from: number, to: number) => number[];

/** Offsets from each column become places on the axis. */
const shift =
  (offsets: Offsets): Offsets =>
  (plot, at, from, to) =>
    offsets(plot, at, from, to).map((offset, index) => from + index + offset);

/** Room on the right for the names of lines, in pixels. */
const END_LABEL_WIDTH = 104;

/** Narrowest chart that has names at the ends of its lines, in pixels. */
const END_LABELS_FROM = 560;

const hasEndLabels = ({ kind, series, width }: PlotOptions) =>
  kind === "line" && series.length > 1 && width >= END_LABELS_FROM;

/** Writes the name of each line next to its end, one below the other where ends are close together. */
function drawEndLabels(plotted: uPlot, series: readonly Series[]): void {
  const { ctx, bbox } = plotted;
  const ratio = devicePixelRatio;
  const ends = series
    .map((one) => ({
      label: one.isBefore ? "before" : one.label,
      value: one.data.findLast((x) => x !== null),
    }))
    .filter((end): end is { label: string; value: number } => end.value != null)
    .map(({ label, value }) => ({ label, top: plotted.valToPos(value, "y", true) }))
    .sort((a, b) => a.top - b.top);
  const step = 14 * ratio;
  // From below, so that none leaves the chart at its bottom.
  let limit = bbox.top + bbox.height + step / 2;
  for (const end of ends.toReversed()) {
    end.top = Math.min(end.top, limit - step);
    limit = end.top;
  }
  ctx.save();
  ctx.font = `${12 * ratio}px ${styleOf("--font")}`;
  ctx.fillStyle = styleOf("--ink-2");
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const { label, top } of ends) {
    const text = label.length > 14 ? `${label.slice(0, 13)}…` : label;
    ctx.fillText(text, bbox.left + bbox.width + 6 * ratio, top);
  }
  ctx.restore();
}

/** The place of the point that is nearest to a place from the left, in pixels. */
const nearestPoint = (plot: uPlot, left: number): number =>
  plot.valToPos(plot.data[0][plot.posToIdx(left)] ?? 0, "x");

/** The chart in an element. It draws itself; {@link uPlot.destroy} removes it. */
export function plot(drawing: Library, options: PlotOptions, element: HTMLElement): uPlot {
  const { columns, kind, width, height } = options;
  const { lines, data } = kind === "line" ? linesOf(options) : barsOf(options, drawing);
  const isHourly = columns.some((column) => /^\d{4}-\d\d-\d\d[ T]\d/.test(column));
  const grid = { stroke: styleOf("--line"), width: 1 };
  const axis = {
    stroke: styleOf("--ink-2"),
    font: `12px ${styleOf("--font")}`,
    ticks: { show: false },
  };
  const half = kind === "line" && columns.length > 1 ? 0 : 0.5;
  return new drawing(
    {
      width,
      height,
      legend: { show: false },
      padding: [8, hasEndLabels(options) ? END_LABEL_WIDTH : 28, 0, 0],
      cursor: {
        // Nothing is dragged: by default a click that is not exactly on a point counts as the end of a drag.
        drag: { setScale: false, x: false, y: false, click: () => {} },
        y: false,
        // The line stands on the nearest point, whose numbers are shown.
        move: (plot, left, top) => [left < 0 ? left : nearestPoint(plot, left), top],
        points: { size: 8, show: kind === "line" },
      },
      scales: {
        x: { time: false, range: [-half, columns.length - 1 + half] },
        y: { range: (_, min, max) => yRange(min, max) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          gap: 6,
          space: isHourly ? 56 : 64,
          incrs: [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 56, 112],
          values: (_, places) => places.map((place) => axisText(columns[place], isHourly)),
        },
        { ...axis, grid, space: 40, ...numberAxis(options.series) },
      ],
      series: lines,
      hooks: {
        setCursor: [({ cursor }) => options.onCursor(cursor.idx ?? null)],
        draw: [
          (drawn) => {
            drawMarks(drawn, options.marks);
            if (hasEndLabels(options)) drawEndLabels(drawn, options.series);
          },
        ],
      },
    },
    data,
    element,
  );
}

function axisText(column: string | undefined, isHourly: boolean): string {
  if (column === undefined) return "";
  const text = bucket(column);
  return isHourly && !text.endsWith("00:00") ? text.slice(-5) : text.replace(" 00:00", "");
}

/** Zero is always in the axis; without any number it goes up to one. */
function yRange(min: number | null, max: number | null): [number, number] {
  const top = Math.max(0, max ?? 0);
  const bottom = Math.min(0, min ?? 0);
  if (top === bottom) return [0, 1];
  const room = (top - bottom) * 0.08;
  return [bottom === 0 ? 0 : bottom - room, top === 0 ? 0 : top + room];
}
