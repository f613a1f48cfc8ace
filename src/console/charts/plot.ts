import type uPlot from "uplot";
import { drawEndLabels, drawLastTime, roomAtEnds, timeAxis, timeAxisSize } from "./labels.ts";
import type { Mark } from "./mark-columns.ts";
import { drawMarks } from "./marks.ts";
import { numberAxis } from "./number-axis.ts";
import { colorOf, type Drawn, type Kind, stacked } from "./series.ts";
import { styleOf } from "./style-of.ts";

/** How a chart is drawn. */
export type PlotOptions = {
  columns: readonly string[];
  lines: readonly Drawn[];
  kind: Kind;
  /** Whether the last interval has not ended: it is dashed, or hatched as a bar. */
  isUnfinished: boolean;
  marks: readonly Mark[];
  width: number;
  height: number;
  /** Called when the pointer has moved or left. */
  onCursor: (plotted: uPlot) => void;
};

/** The library that draws. */
export type Library = typeof uPlot;

let library: Promise<Library> | undefined;

/** Loads the library that draws, once. Rejects if it cannot be loaded; the next call tries again. */
export function loadLibrary(): Promise<Library> {
  library ??= import("./library.ts").then(
    (loaded) => loaded.uPlot,
    (error: unknown) => {
      library = undefined;
      throw error;
    },
  );
  return library;
}

type Line = uPlot.Series;

/** The colour of a line; paler for the period before, and opaque, as bars of a stack are drawn over each other. */
function colourOf({ place, isBefore }: Drawn): string {
  const colour = styleOf(colorOf(place));
  return isBefore ? paler(colour) : colour;
}

const paler = (colour: string) => `color-mix(in srgb, ${colour} 45%, ${styleOf("--card")})`;

/** A colour that fades to nothing at the bottom of a plot. */
function fading({ ctx, bbox }: uPlot, colour: string): CanvasGradient {
  const gradient = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height);
  for (const [stop, share] of ["12%", "0%"].entries()) {
    gradient.addColorStop(stop, `color-mix(in srgb, ${colour} ${share}, transparent)`);
  }
  return gradient;
}

function lineOf(one: Drawn, at: number, data: readonly (number | null)[]): Line {
  const stroke = colourOf(one);
  return {
    label: one.label,
    stroke,
    width: one.isBefore ? 1.5 : 2,
    cap: "round",
    spanGaps: false,
    points: { show: isLonely(data), size: 7, fill: stroke },
    ...(at === 0 && { fill: (plotted: uPlot) => fading(plotted, stroke), fillTo: 0 }),
  };
}

/** Whether a line has a point without neighbours, which only a dot shows. */
const isLonely = (data: readonly (number | null)[]) =>
  data.some(
    (value, at) =>
      value !== null && (data[at - 1] ?? null) === null && (data[at + 1] ?? null) === null,
  );

const NOTHING = (data: readonly (number | null)[]) => data.map(() => null);

/** Each line is two: up to the last finished interval, and from there on, dashed. */
function linesOf({ lines: drawn, isUnfinished }: PlotOptions): {
  lines: Line[];
  data: uPlot.AlignedData;
} {
  const lines: Line[] = [{}];
  const length = drawn[0]?.data.length ?? 0;
  const data: (number | null)[][] = [Array.from({ length }, (_, at) => at)];
  for (const [at, one] of drawn.entries()) {
    const split = isUnfinished && !one.isBefore ? length - 1 : length;
    const finished = one.data.map((value, index) => (index < split ? value : null));
    const tail =
      split === length
        ? NOTHING(one.data)
        : one.data.map((value, index) => (index >= split - 1 ? value : null));
    const show = !one.isBefore || isAlone(drawn);
    lines.push(
      { ...lineOf(one, at, finished), show },
      { ...lineOf(one, at, tail), dash: [4, 4], cap: "butt", show: split < length },
    );
    data.push(finished, tail);
  }
  return { lines, data: data as uPlot.AlignedData };
}

const isAlone = (lines: readonly Drawn[]) => lines.filter(({ isBefore }) => !isBefore).length === 1;

/** Of several lines, shows that of the period before for the chosen one alone. */
export function showBefore(plotted: uPlot, lines: readonly Drawn[], chosen: number | undefined) {
  for (const [at, { isBefore }] of lines.entries()) {
    const place = 2 * at + 1;
    const show = isAlone(lines) || chosen === at || chosen === at - 1;
    if (isBefore && plotted.series[place]?.show !== show) plotted.setSeries(place, { show });
  }
}

/** Stripes of a colour, for a bar of an interval that has not ended. */
function striped(colour: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  const size = Math.round(8 * devicePixelRatio);
  tile.width = size;
  tile.height = size;
  const ctx = tile.getContext("2d");
  if (ctx === null) return paler(colour);
  ctx.fillStyle = paler(colour);
  ctx.fillRect(0, 0, size, size);
  ctx.strokeStyle = colour;
  ctx.lineWidth = size / 4;
  for (const shift of [-size, 0, size]) {
    ctx.moveTo(shift, size);
    ctx.lineTo(shift + size, 0);
  }
  ctx.stroke();
  return ctx.createPattern(tile, "repeat") ?? colour;
}

/** Bars of several series stand next to each other; those of an unfinished interval are striped. */
function barsOf(
  options: PlotOptions,
  { paths }: Library,
): { lines: Line[]; data: uPlot.AlignedData } {
  const { isUnfinished } = options;
  const isStack = options.kind === "stack";
  const drawn = isStack ? stacked(options.lines) : options.lines;
  const count = isStack ? 1 : drawn.length;
  const lines: Line[] = [{}];
  const length = drawn[0]?.data.length ?? 0;
  const data: (number | null)[][] = [Array.from({ length }, (_, at) => at)];
  for (const [at, one] of drawn.entries()) {
    const colour = colourOf(one);
    const running = isUnfinished ? striped(colour) : colour;
    const across =
      <T>(valueAt: (column: number) => T) =>
      (_: uPlot, __: number, from: number, to: number): T[] =>
        Array.from({ length: to - from + 1 }, (_value, index) => valueAt(from + index));
    lines.push({
      label: one.label,
      width: 0,
      fill: colour,
      points: { show: false },
      paths: paths.bars?.({
        align: 1,
        radius: 0,
        disp: {
          x0: {
            unit: 1,
            values: across((column) => column - 0.4 + (isStack ? 0 : (0.8 * at) / count)),
          },
          size: { unit: 1, values: across(() => 0.76 / count) },
          fill: { unit: 3, values: across((column) => (column === length - 1 ? running : colour)) },
        },
      } as uPlot.Series.BarsPathBuilderOpts),
    });
    data.push([...one.data]);
  }
  return { lines, data: data as uPlot.AlignedData };
}

/** The place of the point that is nearest to a place from the left, in pixels. */
const nearestPoint = (plot: uPlot, left: number): number =>
  plot.valToPos(plot.data[0][plot.posToIdx(left)] ?? 0, "x");

/** The chart in an element. It draws itself; {@link uPlot.destroy} removes it. */
export function plot(drawing: Library, options: PlotOptions, element: HTMLElement): uPlot {
  const { columns, kind, width, height, isUnfinished } = options;
  const { lines, data } = kind === "line" ? linesOf(options) : barsOf(options, drawing);
  const grid = { stroke: styleOf("--line"), width: 1 };
  const axis = {
    stroke: styleOf("--ink-2"),
    font: `12px ${styleOf("--font")}`,
    ticks: { show: false },
  };
  const half = kind === "line" && columns.length > 1 ? 0 : 0.5;
  // Lines that are not shown yet count too, so that nothing moves when they are.
  const range = yRange(data);
  return new drawing(
    {
      width,
      height,
      legend: { show: false },
      padding: [8, (plotted) => roomAtEnds(plotted, options.lines, kind), 0, 0],
      cursor: {
        // Nothing is dragged: by default a click that is not exactly on a point counts as the end of a drag.
        drag: { setScale: false, x: false, y: false, click: () => {} },
        y: false,
        // The line stands on the nearest point, whose numbers are shown.
        move: (plot, left, top) => [left < 0 ? left : nearestPoint(plot, left), top],
        points: {
          ...(kind !== "line" && { show: false }),
          ...{ size: 10, width: 2, stroke: () => styleOf("--card") },
        },
      },
      scales: {
        x: { time: false, range: [-half, columns.length - 1 + half] },
        y: { range },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: timeAxisSize(isUnfinished),
          gap: 6,
          space: 64,
          incrs: [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 56, 112],
          ...timeAxis(columns),
        },
        { ...axis, grid, space: 40, ...numberAxis(options.lines) },
      ],
      series: lines,
      hooks: {
        setCursor: [options.onCursor],
        draw: [
          (drawn) => {
            drawMarks(drawn, options.marks);
            drawLastTime(drawn, columns, isUnfinished);
            drawEndLabels(drawn, options.lines, kind);
          },
        ],
      },
    },
    data,
    element,
  );
}

/** Zero is always in the axis; without any number it goes up to one. */
function yRange([, ...data]: uPlot.AlignedData): [number, number] {
  let [bottom, top] = [0, 0];
  for (const value of data.flatMap((values) => [...values])) {
    top = Math.max(top, value ?? 0);
    bottom = Math.min(bottom, value ?? 0);
  }
  if (top === bottom) return [0, 1];
  const room = (top - bottom) * 0.08;
  return [bottom === 0 ? 0 : bottom - room, top === 0 ? 0 : top + room];
}
