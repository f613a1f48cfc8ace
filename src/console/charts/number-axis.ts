import type uPlot from "uplot";
import { compact, money, withUnit } from "../state/format.ts";
import { unitName } from "../state/unit.ts";
import { commonUnit, type Series } from "./series.ts";

/** Steps of an axis of counts: there is no half person. */
const WHOLE_STEPS = Array.from({ length: 15 }, (_, at) => [1, 2, 5].map((one) => one * 10 ** at));

const isWhole = (series: readonly Series[]) =>
  series.every(({ data }) => data.every((value) => Number.isInteger(value ?? 0)));

/** Steps of an axis of times, in seconds: parts of a minute, an hour or a day, then days. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 14_400, 28_800],
  ...WHOLE_STEPS.flat().map((days) => days * 86_400),
];

/** The axis of numbers: its room, its steps and its words. */
export function numberAxis(
  series: readonly Series[],
): Pick<uPlot.Axis, "size" | "incrs" | "values"> {
  const unit = commonUnit(series);
  if (unit === undefined) {
    const incrs = isWhole(series) ? { incrs: WHOLE_STEPS.flat() } : {};
    return { size: 48, ...incrs, values: (_, places) => places.map(compact) };
  }
  const values = (_: uPlot, places: number[]) => places.map((place) => withUnit(place, unit));
  if (unit === "seconds") return { size: 80, incrs: TIME_STEPS, values };
  if (unit === "percent") return { size: 56, values };
  return {
    size: 80,
    values: (_, places) => places.map((one) => money(one, unitName(unit), true)),
  };
}
