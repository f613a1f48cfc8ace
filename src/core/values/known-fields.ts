import { Failure } from "./failure.ts";
import { insteadOf } from "./instead.ts";
import { isNothing, isObject, type Json, type JsonObject, ownValue } from "./json.ts";

/**
 * Fields of queries and filters from PostHog's clients that change no number (decision 72): how an answer is drawn, what
 * a client notes, how PostHog runs a query. No project has test accounts to leave out, rules for paths or recordings.
 */
export const UNUSED: ReadonlySet<string> = new Set(
  `version tags response modifiers dataColorTheme filterTestAccounts label group_key_names
  aggregationAxisFormat aggregationAxisPostfix aggregationAxisPrefix confidenceLevel decimalPlaces
  minDecimalPlaces detailedResultsAggregationType excludeBoxPlotOutliers goalLines hiddenLegendBreakdowns
  hiddenLegendIndexes resultCustomizationBy resultCustomizations showAlertThresholdLines
  showConfidenceIntervals showFullUrls showLabelsOnSeries showLegend showMean showMovingAverage
  showMultipleYAxes showPercentStackView showTrendLines showValuesOnSeries stacked toggledLifecycles
  yAxisScaleType movingAverageIntervals layout funnelStepReference dashboardDisplay
  meanRetentionCalculation retentionReference selectedInterval cohortLabelStartIndex
  aggregationPropertyType metricShowChange metricChangeIncreaseColor metricChangeDecreaseColor
  metricColorByDirection metricLineIncreaseColor metricLineDecreaseColor metricSummary legendPosition
  xAxisLabel yAxisLabel stackBreakdownValues hideWeekends showAnnotations showPercentagesOnSeries
  calendarHeatmapFilter breakdownSorting useUdf pathReplacements breakdown_path_cleaning path_cleaning doPathCleaning
  includeRecordings chartSettings tableSettings vizSpecificOptions full embedded showTable`.split(
    /\s+/,
  ),
);

/** Fields that change no number if they have one of these values. */
const UNUSED_VALUES: Readonly<Record<string, (value: Json) => boolean>> = {
  samplingFactor: (value) => value === 1,
  aggregationType: (value) => value === "count",
  compare: (value) => value === "current",
  intervalCount: (value) => value === 1,
  math_multiplier: (value) => value === 1,
  minEdgeWeight: (value) => value === 1 || value === 0,
  stickinessCriteria: (value) =>
    isObject(value) && value["operator"] === "gte" && value["value"] === 1,
  // Clients keep the type of a breakdown that was removed.
  breakdownFilter: (value) =>
    isObject(value) &&
    isNothing({ ...value, breakdown_type: null }) &&
    (value["breakdown_type"] ?? "event") === "event",
};

/** The types of fields that are checked alone, because they change no number. */
const UNUSED_TYPES: Readonly<Record<string, [expected: string, isIt: (value: Json) => boolean]>> = {
  filterTestAccounts: ["true or false", (value) => typeof value === "boolean"],
  includeRecordings: ["true or false", (value) => typeof value === "boolean"],
  version: ["A number", (value) => typeof value === "number"],
  modifiers: ["An object", isObject],
  response: ["An object", isObject],
  tags: ["An object", isObject],
};

const isUnused = (name: string, value: Json): boolean =>
  UNUSED.has(name) || (Object.hasOwn(UNUSED_VALUES, name) && UNUSED_VALUES[name]?.(value) === true);

/** Characters of a field's name that a failure has, in `attr` alone. */
const NAME_CHARS_MAX = 80;

/**
 * Fails `invalid_input` on the first field that is neither known nor empty, and names it (decision 59). `attr` is the
 * field of the whole, a query or filter, where fields that change no number are taken. Without it, it is a body.
 */
export function rejectUnknownFields(
  sent: JsonObject,
  { known, attr, kind = "field" }: { known: readonly string[]; attr?: string; kind?: string },
): void {
  for (const [name, value] of Object.entries(sent)) {
    if (known.includes(name) || isNothing(value)) continue;
    const [expected, isIt] = (attr !== undefined && ownValue(UNUSED_TYPES, name)) || [];
    if (isIt?.(value) === false) {
      throw new Failure("invalid_input", `${expected} is expected.`, `${attr}__${name}`);
    }
    if (attr !== undefined && isUnused(name, value)) continue;
    throw unknownField(name, { known, kind, attr });
  }
}

/** The failure of a field that is not known, with what to write in its place; `attr` is the field around it. */
export function unknownField(
  name: string,
  {
    known,
    attr = "",
    kind = "field",
  }: { known: readonly string[]; attr?: string | undefined; kind?: string },
): Failure {
  const instead = insteadOf(attr === "" ? "parameter" : "field", name);
  const hint = known.length === 0 ? "" : `Known here: ${[...new Set(known)].join(", ")}.`;
  const detail = `${instead || `This ${kind} is not known. `}${hint}`.trimEnd();
  const field = name.slice(0, NAME_CHARS_MAX);
  return new Failure("invalid_input", detail, attr === "" ? field : `${attr}__${field}`);
}
