import type uPlot from "uplot";
import type { Mark } from "./mark-columns.ts";
import { styleOf } from "./style-of.ts";

/** The notes on a column, each with its number. */
export const marksAt = (marks: readonly Mark[], column: number | null): string[] =>
  marks.filter((one) => one.column === column).map(({ number, text }) => `${number}. ${text}`);

/** Draws a line at each column with notes, and their numbers on top of it. */
export function drawMarks(plotted: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = plotted;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `600 ${11 * ratio}px ${styleOf("--font")}`;
  ctx.strokeStyle = styleOf("--ink-2");
  ctx.fillStyle = styleOf("--ink-2");
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.textBaseline = "top";
  for (const column of new Set(marks.map((one) => one.column))) {
    const left = Math.round(plotted.valToPos(column, "x", true)) + 0.5;
    const numbers = marks.filter((one) => one.column === column).map(({ number }) => number);
    const text = numbers.join(", ");
    const isAtEnd = left + ctx.measureText(text).width + 4 * ratio > bbox.left + bbox.width;
    ctx.textAlign = isAtEnd ? "right" : "left";
    ctx.fillText(text, left + (isAtEnd ? -4 : 4) * ratio, bbox.top);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
