/**
 * Fields of queries that PostHog's clients send and that change no number: how an answer is drawn,
 * and what the client keeps with it (decision 72).
 */
export const SHOWN_ALONE: string[] = `version tags dataColorTheme
  aggregationAxisFormat aggregationAxisPostfix aggregationAxisPrefix confidenceLevel decimalPlaces
  minDecimalPlaces detailedResultsAggregationType excludeBoxPlotOutliers goalLines hiddenLegendBreakdowns
  hiddenLegendIndexes resultCustomizationBy resultCustomizations showAlertThresholdLines
  showConfidenceIntervals showFullUrls showLabelsOnSeries showLegend showMean showMovingAverage
  showMultipleYAxes showPercentStackView showTrendLines showValuesOnSeries stacked toggledLifecycles
  yAxisScaleType movingAverageIntervals
  layout funnelStepReference
  dashboardDisplay meanRetentionCalculation retentionReference selectedInterval`.split(/\s+/);
