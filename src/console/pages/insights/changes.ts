import type { Answer } from "../../api/ask.ts";
import type { Line } from "../../api/query.ts";
import { changeText } from "../../charts/number-tile.tsx";
import { withUnit } from "../../state/format.ts";
import { nameOf, unitOf } from "./answer-table.ts";

/** The same line in the period before; undefined without a comparison. */
export function lineBefore({ results }: Answer, line: Line): Line | undefined {
  if (line.compare_label !== "current") return undefined;
  const keyOf = ({ label, series, breakdown_value }: Line) =>
    JSON.stringify([label, series, breakdown_value]);
  return results.find((one) => one.compare_label === "previous" && keyOf(one) === keyOf(line));
}

/**
 * The change of a line in percent, or in points of a share; null if it is not known, as from nothing, and undefined
 * without a comparison.
 */
export function changeOf(answer: Answer, line: Line): number | null | undefined {
  const before = lineBefore(answer, line);
  if (before === undefined) return undefined;
  const isShare = line.unit === "percent";
  const said = isShare ? line.change_points : line.change_percent;
  if (said !== undefined) return said;
  const [value, old] = [line.aggregated_value, before.aggregated_value];
  if (value === null || old === null || (old === 0 && !isShare)) return null;
  return isShare ? value - old : (100 * (value - old)) / old;
}

/** The dates that an answer is compared with, such as `16 Nov to 22 Nov, 20:00`; undefined without a comparison. */
export function datesBefore({ explanation }: Answer): string | undefined {
  const [, dates] = /, compared to ([^()]+)\)\.$/.exec(explanation) ?? [];
  const thisYear = ` ${new Date().getUTCFullYear()}`;
  const plain = dates?.replaceAll(" 00:00", "").replaceAll(thisYear, "");
  return plain?.replace(/^(\d+ \w+) to \1 /, "$1 until ");
}

/** Most lines whose changes are said. */
const SENTENCES_MAX = 6;

/** The changes of the lines of an answer, such as `Visitors: 135, 14.4 % more than in the period before (118)`. */
export function changeSentences(answer: Answer): string[] {
  const sentences = answer.results.flatMap((line) => {
    const [change, before] = [changeOf(answer, line), lineBefore(answer, line)];
    const unit = unitOf(line);
    const text = change == null ? undefined : changeText(change, unit);
    if (change == null || text === undefined || before === undefined) return [];
    const [now, old] = [line, before].map((one) => withUnit(one.aggregated_value, unit));
    const more = change > 0 ? "more" : "less";
    return [`${nameOf(line, false)}: ${now}, ${text} ${more} than in the period before (${old})`];
  });
  const dates = datesBefore(answer);
  const when = sentences.length > 0 && dates ? [`The period before is ${dates}`] : [];
  return [...sentences.slice(0, SENTENCES_MAX), ...when];
}
