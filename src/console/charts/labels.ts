import type uPlot from "uplot";
import { bucket } from "../state/format.ts";
import type { Drawn, Kind } from "./series.ts";
import { styleOf } from "./style-of.ts";

/** The room of the axis of times below a plot, in pixels: a second line says that the last interval runs. */
export const timeAxisSize = (isUnfinished: boolean): number => (isUnfinished ? 40 : 28);

/** Pixels between a plot and the right edge of its chart. */
export const MARGIN = 16;

/** Room for the names of lines at their ends, in pixels. */
const END_LABEL_WIDTH = 104;

/** Narrowest chart that has names at the ends of its lines, the most lines, and the least room of a name, in pixels. */
const [END_LABELS_FROM, END_LABELS_MAX, END_LABEL_HEIGHT] = [560, 3, 14];

/** The axis of times: places that are counted back from the last column, but hours from midnight on. */
export function timeAxis(columns: readonly string[]): Pick<uPlot.Axis, "splits" | "values"> {
  const last = columns.length - 1;
  const isHourly = columns.some((column) => /^\d{4}-\d\d-\d\d[ T]\d/.test(column));
  return {
    splits: (_, __, ___, ____, step) => {
      const count = Math.floor(last / step) + 1;
      const places = Array.from({ length: count }, (_value, at) => at * step);
      if (!isHourly) return places.map((place) => last - place).reverse();
      return [...places.filter((place) => last - place >= step), last];
    },
    // The last one is written by `drawLastTime`.
    values: (_, places) =>
      places.map((place) => (place === last ? "" : axisText(columns[place], isHourly))),
  };
}

function axisText(column: string | undefined, isHourly: boolean): string {
  if (column === undefined) return "";
  const text = bucket(column);
  return isHourly && !text.endsWith("00:00") ? text.slice(-5) : text.replace(" 00:00", "");
}

function write(plotted: uPlot, align: CanvasTextAlign, baseline: CanvasTextBaseline): void {
  const { ctx } = plotted;
  ctx.font = `${12 * devicePixelRatio}px ${styleOf("--font")}`;
  ctx.fillStyle = styleOf("--ink-2");
  ctx.textAlign = align;
  ctx.textBaseline = baseline;
}

/** Writes the time of the last column, which stays inside the chart, and whether it still runs. */
export function drawLastTime(plotted: uPlot, columns: readonly string[], isRunning: boolean): void {
  const { ctx, bbox } = plotted;
  const last = columns.at(-1);
  const isHourly = /[ T]\d/.test(last ?? "");
  ctx.save();
  write(plotted, "center", "top");
  const middle = plotted.valToPos(columns.length - 1, "x", true);
  for (const [line, text] of [axisText(last, isHourly), isRunning ? "so far" : ""].entries()) {
    const half = ctx.measureText(text).width / 2;
    const left = Math.min(middle, ctx.canvas.width - half);
    ctx.fillText(text, left, bbox.top + bbox.height + (6 + 16 * line) * devicePixelRatio);
  }
  ctx.restore();
}

/** The ends of the lines of the period itself, from the top; none where their names would not fit. */
function endsOf(
  plotted: uPlot,
  lines: readonly Drawn[],
  kind: Kind,
): { text: string; top: number }[] {
  const now = lines.filter(({ isBefore }) => !isBefore);
  if (kind !== "line" || now.length < 2 || now.length > END_LABELS_MAX) return [];
  const { min = 0, max = 1 } = plotted.scales["y"] ?? {};
  const height = plotted.height - timeAxisSize(true);
  const ends = now
    .flatMap(({ label, data }) => {
      const value = data.findLast((one) => one !== null);
      const top = (((max ?? 1) - (value ?? 0)) / ((max ?? 1) - (min ?? 0))) * height;
      return value == null
        ? []
        : [{ text: label.length > 14 ? `${label.slice(0, 13)}…` : label, top, value }];
    })
    .toSorted((a, b) => a.top - b.top);
  const areApart = ends.every(
    ({ top }, at) => at === 0 || top - (ends[at - 1]?.top ?? 0) >= END_LABEL_HEIGHT,
  );
  return areApart
    ? ends.map(({ text, value }) => ({ text, top: plotted.valToPos(value, "y", true) }))
    : [];
}

/** The room on the right of a plot, in pixels: names at the ends of lines are few, and apart from each other. */
export const roomAtEnds = (plotted: uPlot, lines: readonly Drawn[], kind: Kind): number =>
  plotted.width >= END_LABELS_FROM && endsOf(plotted, lines, kind).length > 0
    ? END_LABEL_WIDTH
    : MARGIN;

/** Writes the names of lines next to their ends, where {@link roomAtEnds} has left room for them. */
export function drawEndLabels(plotted: uPlot, lines: readonly Drawn[], kind: Kind): void {
  if (roomAtEnds(plotted, lines, kind) === MARGIN) return;
  const { ctx, bbox } = plotted;
  ctx.save();
  write(plotted, "left", "middle");
  for (const { text, top } of endsOf(plotted, lines, kind)) {
    ctx.fillText(text, bbox.left + bbox.width + 6 * devicePixelRatio, top);
  }
  ctx.restore();
}
