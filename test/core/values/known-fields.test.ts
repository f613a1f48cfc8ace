import { describe, expect, test } from "bun:test";
import { sentCell } from "../../../src/core/insights/cells.ts";
import { logQuery } from "../../../src/core/logs/query.ts";
import { readQuery } from "../../../src/core/queries/insight.ts";
import { isTable, readTable } from "../../../src/core/queries/tables/table.ts";
import { Failure } from "../../../src/core/values/failure.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import { UNUSED } from "../../../src/core/values/known-fields.ts";

const MOMENT = { now: Date.UTC(2026, 10, 21, 12), timezone: "UTC" };

const EVENT = { kind: "EventsNode", event: "signup" };

const BASE =
  "dateRange filterTestAccounts properties aggregation_group_type_index samplingFactor dataColorTheme modifiers tags version response";

const NODE =
  "name custom_name math math_multiplier math_property math_property_type math_property_revenue_currency math_hogql math_group_type_index properties fixedProperties optionalInFunnel event limit orderBy version response";

const BREAKDOWN =
  "breakdown_type breakdown_limit breakdown breakdown_normalize_url breakdown_path_cleaning breakdowns breakdown_group_type_index breakdown_histogram_bin_count breakdown_hide_other_aggregation";

const DATA = "modifiers tags version response";

const LEGEND =
  "showLegend legendPosition showValuesOnSeries showMultipleYAxes hiddenLegendIndexes resultCustomizationBy resultCustomizations";

/** The fields of PostHog's queries, by the kind of the query and the object in it. */
const FIELDS: Record<string, Record<string, string>> = {
  TrendsQuery: {
    "": `${BASE} interval series trendsFilter calendarHeatmapFilter breakdownFilter compareFilter conversionGoal`,
    "series.0": NODE,
    breakdownFilter: BREAKDOWN,
    "breakdownFilter.breakdowns.0":
      "group_type_index histogram_bin_count normalize_url path_cleaning property type",
    compareFilter: "compare compare_to",
    dateRange: "date_from date_to explicitDate",
    trendsFilter: `${LEGEND} smoothingIntervals formula formulas formulaNodes display showAlertThresholdLines breakdown_histogram_bin_count aggregationAxisFormat aggregationAxisPrefix aggregationAxisPostfix decimalPlaces minDecimalPlaces xAxisLabel yAxisLabel showLabelsOnSeries showPercentStackView stackBreakdownValues yAxisScaleType goalLines showConfidenceIntervals confidenceLevel showTrendLines showMovingAverage movingAverageIntervals detailedResultsAggregationType excludeBoxPlotOutliers hideWeekends showAnnotations metricShowChange metricChangeIncreaseColor metricChangeDecreaseColor metricColorByDirection metricLineIncreaseColor metricLineDecreaseColor metricSummary`,
  },
  FunnelsQuery: {
    "": `${BASE} interval series funnelsFilter breakdownFilter compareFilter`,
    "series.0": NODE,
    breakdownFilter: BREAKDOWN,
    funnelsFilter:
      "exclusions layout binCount breakdownAttributionType breakdownAttributionValue funnelAggregateByHogQL customAggregationTarget funnelToStep funnelFromStep funnelOrderType funnelVizType funnelWindowInterval funnelWindowIntervalUnit hiddenLegendBreakdowns funnelStepReference useUdf resultCustomizations goalLines showTrendLines showLegend legendPosition showValuesOnSeries breakdownSorting showAnnotations hideIncompleteConversionWindowPeriods",
    "funnelsFilter.exclusions.0": `${NODE} funnelFromStep funnelToStep`,
  },
  RetentionQuery: {
    "": `${BASE} retentionFilter breakdownFilter`,
    breakdownFilter: BREAKDOWN,
    retentionFilter:
      "retentionType retentionReference totalIntervals minimumOccurrences returningEntity targetEntity period cumulative timeWindowMode retentionCustomBrackets aggregationType aggregationProperty aggregationPropertyType customAggregationTarget meanRetentionCalculation display dashboardDisplay showTrendLines selectedInterval goalLines cohortLabelStartIndex",
    "retentionFilter.targetEntity":
      "id type kind name custom_name order uuid properties aggregation_target_field table_name timestamp_field",
  },
  PathsQuery: {
    "": `${BASE} pathsFilter funnelPathsFilter`,
    pathsFilter:
      "edgeLimit pathsHogQLExpression includeEventTypes startPoint endPoint pathGroupings excludeEvents stepLimit pathReplacements localPathCleaningFilters minEdgeWeight maxEdgeWeight showFullUrls",
  },
  LifecycleQuery: {
    "": `${BASE} interval series lifecycleFilter customAggregationTarget`,
    "series.0": NODE,
    lifecycleFilter:
      "showValuesOnSeries showPercentagesOnSeries toggledLifecycles showLegend legendPosition stacked",
  },
  StickinessQuery: {
    "": `${BASE} interval intervalCount series stickinessFilter compareFilter`,
    "series.0": NODE,
    stickinessFilter: `${LEGEND} display stickinessCriteria computedAs`,
  },
  EventsQuery: {
    "": `${DATA} source select where properties fixedProperties filterTestAccounts event events limit offset actionId actionSteps personId before after orderBy`,
  },
  ActorsQuery: {
    "": `${DATA} select search properties fixedProperties orderBy limit offset`,
  },
  InsightActorsQuery: {
    "": `${DATA} includeRecordings source day status interval series breakdown compare`,
  },
  FunnelsActorsQuery: {
    "": `${DATA} includeRecordings source funnelStep funnelCustomSteps funnelStepBreakdown funnelTrendsDropOff funnelTrendsEntrancePeriodStart`,
  },
  StickinessActorsQuery: {
    "": `${DATA} includeRecordings source operator day series compare`,
  },
  LogsQuery: {
    "": `${DATA} limit offset after orderBy searchTerm severityLevels filterGroup serviceNames liveLogsCheckpoint sparklineBreakdownBy resourceFingerprint excludeAttributes customColumns`,
  },
};

const SOURCE = { kind: "StickinessQuery", series: [EVENT] };

const SMALLEST: Record<string, JsonObject> = {
  TrendsQuery: { series: [EVENT] },
  FunnelsQuery: { series: [EVENT, EVENT] },
  LifecycleQuery: { series: [EVENT] },
  StickinessQuery: { series: [EVENT] },
  EventsQuery: { select: ["*"] },
  InsightActorsQuery: { source: SOURCE },
  FunnelsActorsQuery: { source: SOURCE },
  StickinessActorsQuery: { source: SOURCE },
};

function read(query: JsonObject): unknown {
  const kind = String(query["kind"]);
  if (kind === "LogsQuery") return logQuery(query, MOMENT);
  if (/(Insight|Funnels|Stickiness)ActorsQuery/.test(kind)) return sentCell(query, "query");
  return isTable(query) ? readTable(query, MOMENT) : readQuery(query, MOMENT);
}

/** Returns the smallest query of a kind with a field of the object at a path. */
function queryWith(kind: string, path: string, name: string, value: Json): JsonObject {
  const query: JsonObject = structuredClone({ kind, ...SMALLEST[kind] });
  let object: Json = query;
  for (const step of path.split(".").filter((one) => one !== "")) {
    const next = step === "exclusions" || step === "breakdowns" ? [{ property: "plan" }] : {};
    const inside = object as { [key: string]: Json };
    object = inside[step] ??= next as Json;
    if (step === "exclusions") object = query["funnelsFilter"] = { exclusions: [{}] };
    if (step === "exclusions") object = (object as { exclusions: Json }).exclusions;
  }
  (object as JsonObject)[name] = value;
  return query;
}

/** Returns the sentence of a refusal; null if the query is taken. */
function refusalOf(query: JsonObject): Failure | null {
  try {
    read(query);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    // The route has checked the types of a query of logs.
    if (query["kind"] === "LogsQuery") return null;
    throw error;
  }
}

/** Values of fields that none of them has by default. */
const OTHER_VALUES: Json[] = [
  ...[6, 2, true, "x", ["x"], { x: 1 }, [{ formula: "A" }]],
  ...["median", "asc", "person", "group", "last_touch", "step", "trends", "strict", "unordered"],
  ...["week", "hour", "-1w", "BoldNumber", "ActionsBar", "percentage", "Week", "custom_event"],
];

const ALL = Object.entries(FIELDS).flatMap(([kind, objects]) =>
  Object.entries(objects).flatMap(([path, names]) =>
    names.split(" ").map((name) => ({ kind, path, name })),
  ),
);

describe("a field of PostHog's queries", () => {
  test("is served, changes nothing, or is refused with what to write", () => {
    const unknown = ALL.filter(({ kind, path, name }) =>
      [7, "x", true, ["x"]].some((value) =>
        refusalOf(queryWith(kind, path, name, value))?.message.includes("not known"),
      ),
    );
    expect(unknown).toEqual([]);
  });

  test("has an effect, is a documented one without, or is refused", () => {
    const served = ALL.filter(({ kind, name }) => kind !== "LogsQuery" && !UNUSED.has(name));
    const idle = served.filter(({ kind, path, name }) => {
      const readWith = (value: Json) => {
        const query = queryWith(kind, path, name, value);
        return refusalOf(query) === null ? JSON.stringify(read(query)) : undefined;
      };
      const none = readWith(null) ?? "refused";
      return OTHER_VALUES.some((value) => readWith(value) === none);
    });
    expect(idle.map(({ kind, path, name }) => `${kind} ${path} ${name}`)).toEqual([
      "TrendsQuery trendsFilter display",
      "FunnelsQuery  interval",
      "RetentionQuery retentionFilter display",
      "RetentionQuery retentionFilter.targetEntity order",
      "RetentionQuery retentionFilter.targetEntity uuid",
      "StickinessQuery stickinessFilter display",
    ]);
  });

  test("is absent if it is null", () => {
    const required = ["series", "select", "source", "property"];
    const refused = ALL.filter(({ name }) => !required.includes(name)).filter(
      ({ kind, path, name }) => refusalOf(queryWith(kind, path, name, null)) !== null,
    );
    expect(refused).toEqual([]);
  });

  test.each([
    ["TrendsQuery", "", { samplingFactor: 1, compareFilter: { compare: false, compare_to: null } }],
    ["TrendsQuery", "series.0", { math_multiplier: 1, limit: null, orderBy: [] }],
    ["TrendsQuery", "trendsFilter", { display: "Metric", metricSummary: "latest" }],
    ["RetentionQuery", "retentionFilter", { aggregationType: "count", cumulative: false }],
    ["PathsQuery", "pathsFilter", { pathReplacements: true, minEdgeWeight: 1 }],
    ["LifecycleQuery", "", { breakdownFilter: { breakdown_type: "event" } }],
    ["StickinessQuery", "stickinessFilter", { stickinessCriteria: { operator: "gte", value: 1 } }],
    ["StickinessQuery", "series.0", { math: "dau" }],
    ["FunnelsQuery", "series.1", { math: "total" }],
  ])("of %s, in %s, has values that change nothing: %j", (kind, path, given) => {
    for (const [name, value] of Object.entries(given)) {
      expect(refusalOf(queryWith(kind, path, name, value as Json))).toBeNull();
    }
  });

  test.each([
    ["TrendsQuery", "", "samplingFactor", 0.1, "every event is counted"],
    ["TrendsQuery", "", "conversionGoal", { customEventName: "buy" }, "write a FunnelsQuery"],
    ["TrendsQuery", "series.0", "math_multiplier", 100, "A * 100"],
    ["TrendsQuery", "series.0", "limit", 100, "every event is counted"],
    ["FunnelsQuery", "series.0", "orderBy", ["timestamp"], "write an EventsQuery"],
    ["TrendsQuery", "series.0", "math_property", "price", "Leave it out, or write math: sum, avg"],
    ["TrendsQuery", "series.0", "math_property_type", "person_properties", "Leave it out"],
    ["TrendsQuery", "series.0", "math_hogql", "count()", "write math: hogql"],
    ["TrendsQuery", "series.0", "math_group_type_index", 0, "write math: unique_group"],
    ["FunnelsQuery", "series.1", "math_property", "price", "write a TrendsQuery"],
    [
      "RetentionQuery",
      "retentionFilter.targetEntity",
      "math_hogql",
      "count()",
      "persons are counted",
    ],
    ["TrendsQuery", "compareFilter", "compare_to", "-7d", "compare: true"],
    [
      "TrendsQuery",
      "series.0",
      "kind",
      "ActionsNode",
      "here: there are no actions; write an EventsNode",
    ],
    ["TrendsQuery", "series.0", "kind", "GroupNode", "event_metadata"],
    ["TrendsQuery", "series.0", "math", "avg_count_per_actor", "A / B"],
    ["TrendsQuery", "", "interval", "quarter", "write month"],
    ["TrendsQuery", "trendsFilter", "display", "BoxPlot", "median"],
    ["TrendsQuery", "breakdownFilter", "breakdown_type", "cohort", "one series for each"],
    ["TrendsQuery", "breakdownFilter.breakdowns.0", "type", "element", "$el_text"],
    ["FunnelsQuery", "funnelsFilter", "funnelAggregateByHogQL", "properties.x", "HogQLQuery"],
    ["FunnelsQuery", "", "compareFilter", { compare: true }, "another dateRange"],
    ["FunnelsQuery", "funnelsFilter", "binCount", 12, "funnelVizType: time_to_convert"],
    ["FunnelsQuery", "funnelsFilter", "timeToConvertAggregation", "median", "time_to_convert"],
    ["FunnelsQuery", "funnelsFilter", "funnelToStep", 1, "trends and time_to_convert"],
    ["FunnelsQuery", "funnelsFilter", "breakdownAttributionType", "last_touch", "breakdownFilter"],
    ["FunnelsQuery", "funnelsFilter", "breakdownAttributionValue", 1, "breakdownAttributionType"],
    ["RetentionQuery", "breakdownFilter", "breakdown_limit", 3, "breakdown or breakdowns"],
    ["TrendsQuery", "breakdownFilter", "breakdown_order", "asc", "breakdown or breakdowns"],
    ["TrendsQuery", "breakdownFilter", "breakdown_type", "person", "breakdown or breakdowns"],
    ["TrendsQuery", "breakdownFilter.breakdowns.0", "group_type_index", 0, "write group"],
    ["LifecycleQuery", "", "breakdownFilter", { breakdown_limit: 3 }, "Known here"],
    ["StickinessQuery", "", "compareFilter", { compare_to: "-1w" }, "another dateRange"],
    ["RetentionQuery", "retentionFilter", "display", "BoxPlot", "median"],
    ["RetentionQuery", "retentionFilter.targetEntity", "order", "first", "a whole number"],
    ["RetentionQuery", "retentionFilter", "cumulative", true, "leave it out"],
    ["RetentionQuery", "retentionFilter", "timeWindowMode", "24_hour_windows", "the calendar"],
    ["RetentionQuery", "retentionFilter.targetEntity", "type", "actions", "write the type events"],
    ["PathsQuery", "pathsFilter", "includeEventTypes", ["hogql"], "custom_event"],
    ["InsightActorsQuery", "", "kind", "ExperimentActorsQuery", "$feature/NAME"],
  ])("of %s, in %s, is refused where it changes numbers: %s %j", (kind, path, name, value, way) => {
    const query = queryWith(kind, path, name, value as Json);
    const refusal = name === "kind" && path === "" ? sentRefusal(query) : refusalOf(query);
    expect(refusal?.message).toContain(way);
    expect(refusal?.attr).toContain(name === "type" ? "type" : name);
  });
});

const REFUSED_TOGETHER: [kind: string, more: JsonObject, attr: string][] = [
  ["FunnelsQuery", { funnelsFilter: { funnelVizType: "trends", binCount: 9 } }, "binCount"],
  [
    "TrendsQuery",
    { trendsFilter: { display: "BoldNumber", smoothingIntervals: 7 } },
    "smoothingIntervals",
  ],
  [
    "RetentionQuery",
    { breakdownFilter: { breakdowns: [{ property: "plan" }], breakdown_type: "person" } },
    "breakdown_type",
  ],
  ["TrendsQuery", { breakdownFilter: { breakdowns: [{ type: "person" }] } }, "property"],
  [
    "FunnelsQuery",
    { breakdownFilter: { breakdown: "plan", breakdown_group_type_index: 1 } },
    "breakdown_group_type_index",
  ],
  ["PathsQuery", { pathsFilter: { excludeEvents: [null] } }, "excludeEvents"],
];

test.each(REFUSED_TOGETHER)(
  "%s with %j is refused, as a field has no effect",
  (kind, more, attr) => {
    expect(refusalOf({ kind, ...SMALLEST[kind], ...more })?.attr).toEndWith(`__${attr}`);
  },
);

function sentRefusal(query: JsonObject): Failure | null {
  try {
    sentCell(query, "query");
    return null;
  } catch (error) {
    return error as Failure;
  }
}
