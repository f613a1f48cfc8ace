/** Returns the pairs of a table `key: text`, one a line. */
export const linesOf = (table: string, separator = ": "): [key: string, text: string][] =>
  table
    .trim()
    .split("\n")
    .map((line) => {
      const end = line.indexOf(separator);
      return [line.slice(0, end), line.slice(end + separator.length)];
    });

/** Returns the advice of a table by each name of its lines `name name: advice`. */
export const adviceOf = (table: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(table).flatMap(([names, advice]) => names.split(" ").map((name) => [name, advice])),
  );

/**
 * Names that PostHog takes and Hoglet does not, with what to write instead: values by the field that has them, then names of
 * fields, of parameters of requests, and paths after `…/`. The page of the API shows it. Functions of SQL have a table of the same form.
 */
export const INSTEAD = {
  kind: adviceOf(`
WebOverviewQuery WebTrendsQuery: ask in words, such as "visitors last 7 days" or "bounce rate last 7 days", or write a TrendsQuery
WebStatsTableQuery WebPageURLSearchQuery: ask in words, such as "top pages last 7 days" or "visitors by browser last 7 days", or write a TrendsQuery with a breakdownFilter
WebExternalClicksTableQuery: write a TrendsQuery of $autocapture with a breakdown by $external_click_url
WebGoalsQuery WebAnalyticsExternalSummaryQuery WebNotableChangesQuery: write a FunnelsQuery with the goal as its last step
WebVitalsQuery WebVitalsPathBreakdownQuery: write a TrendsQuery of $web_vitals with math p75 and math_property $web_vitals_LCP_value
SessionsQuery SessionsTimelineQuery SessionAttributionExplorerQuery SessionBatchEventsQuery: write a HogQLQuery such as SELECT * FROM sessions
RecordingsQuery: recordings are not kept: write an EventsQuery with a filter of $session_id
PersonsNode: write an ActorsQuery, or GET …/persons/
GroupsQuery AccountsQuery UsageMetricsQuery: GET …/groups/?group_type_index=0, or write a HogQLQuery
HogQuery: programs in Hog do not run: write SQL as a HogQLQuery
HogQLMetadata HogQLAutocomplete: send the HogQLQuery itself, whose error names the mistake, or GET …/query/schema/
DatabaseSchemaQuery: GET …/query/schema/
InsightActorsQuery FunnelsActorsQuery StickinessActorsQuery: write it as source of an ActorsQuery
InsightActorsQueryOptions: write an ActorsQuery with a day of the answer
FunnelCorrelationQuery FunnelCorrelationActorsQuery: write a FunnelsQuery with a breakdownFilter
ErrorTrackingQuery ErrorTrackingSimilarIssuesQuery ErrorTrackingBreakdownsQuery ErrorTrackingIssueCorrelationQuery: write a TrendsQuery of $exception with a breakdownFilter, or an EventsQuery of $exception
LogsQuery LogAttributesQuery LogValuesQuery: POST …/logs/query/
TracesQuery TraceQuery TraceNeighborsQuery: write an EventsQuery of $ai_generation with a filter of $ai_trace_id
TraceSpansQuery TraceSpansAggregationQuery TraceSpansTreeQuery TraceSpansAttributeBreakdownQuery TraceSpansSymbolStatsQuery: spans are not kept, but those of AI are events: write an EventsQuery of $ai_generation
ExperimentQuery ExperimentExposureQuery ExperimentActorsQuery ExperimentTrendsQuery ExperimentFunnelsQuery ExperimentMetric ExperimentEventExposureConfig: write a FunnelsQuery or a TrendsQuery with a breakdown by $feature/NAME
RevenueAnalyticsGrossRevenueQuery RevenueAnalyticsMetricsQuery RevenueAnalyticsMRRQuery RevenueAnalyticsOverviewQuery RevenueAnalyticsTopCustomersQuery RevenueExampleEventsQuery RevenueExampleDataWarehouseTablesQuery: write a TrendsQuery with math sum of the property with the amount
MarketingAnalyticsTableQuery MarketingAnalyticsAggregatedQuery NonIntegratedConversionsTableQuery: write a TrendsQuery with a breakdown by utm_campaign
CalendarHeatmapQuery: write a TrendsQuery with a breakdown of the type hogql by toHour(timestamp)
SavedInsightNode: send the query of that insight: GET …/insights/ with its short_id has it
TeamTaxonomyQuery EventTaxonomyQuery: GET …/event_definitions/ and …/property_definitions/
PropertyValuesQuery ActorsPropertyTaxonomyQuery: GET …/events/values/ or …/persons/values/ with the key
SuggestedQuestionsQuery: GET …/query/draft_sql/, or ask in words
VectorSearchQuery DocumentSimilarityQuery: write a HogQLQuery with ILIKE
EndpointsUsageOverviewQuery EndpointsUsageTableQuery EndpointsUsageTrendsQuery: GET /metrics
MCPHarnessBreakdownQuery MCPToolTopUsersQuery MCPToolFailuresQuery MCPToolStatsQuery MCPToolDailyStatsQuery MCPToolDescriptionsQuery MCPToolSampleIntentsQuery MCPToolNeighborsQuery: write a TrendsQuery of $mcp_tool_call with a breakdown by $mcp_tool_name
ActionsNode: there are no actions: write an EventsNode with the event of the action, and its conditions as properties
DataWarehouseNode FunnelsDataWarehouseNode LifecycleDataWarehouseNode ExperimentDataWarehouseNode: there are no tables of other sources: send their rows as events, and write an EventsNode
GroupNode: write an EventsNode with the event null, and the names of its nodes as value of a filter of the type event_metadata by event
`),
  type: adviceOf(`
element: write a filter of the type event by $el_text, or by $elements_chain with icontains or regex
cohort static-cohort dynamic-cohort precalculated-cohort: there are no cohorts: write the conditions themselves, of the type person, or behavioral for what persons did
feature flag: write a filter of the type event by $feature/NAME
recording log_entry: recordings are not kept: write a filter of the type session, such as by $session_duration
meta internal_event: write a filter of the type event or event_metadata, or dateRange for times
event_metadata: write it into properties of a query, for conditions on its events
person_metadata: write a HogQLQuery with a condition on person.created_at
data_warehouse data_warehouse_person_property: there are no tables of other sources: set properties of persons, and write a filter of the type person
error_tracking_issue error_tracking_issue_property: write a filter of the type event of the event $exception
revenue_analytics account_property: write a filter of the type event or person
log log_attribute log_resource_attribute span span_attribute span_resource_attribute: logs have their own filters: POST …/logs/query/
workflow_variable empty: write a filter of the type event or person, or leave it out
hogql: write the condition as a filter with key, operator and value, or into a HogQLQuery
behavioral: write conditions of what persons did into properties of a query
actions data_warehouse_table: write the type events, with the event as id
`),
  operator: adviceOf(`
flag_evaluates_to: write exact with true, false or the variant, of the event property $feature/NAME
equals equal eq is = ==: write exact
not_equals not_equal neq not_exact isnot != <>: write is_not
contains like ilike: write icontains
not_contains not_like not_ilike: write not_icontains
not_starts_with not_ends_with: write not_regex, such as ^text or text$
greater_than >: write gt
greater_than_or_equal >=: write gte
less_than <: write lt
less_than_or_equal <=: write lte
exists set is_not_null: write is_set
not_set not_exists is_null: write is_not_set
is_date_between: write two filters, is_date_after and is_date_before
is_relative_date_before: write is_date_before with an age such as -7d
is_relative_date_after: write is_date_after with an age such as -7d
in_cohort not_in_cohort: there are no cohorts: write the conditions themselves
`),
  math: adviceOf(`
unique_users uniq unique: write dau
count: write total
average mean: write avg
first_matching_event_for_user first_time_for_user_with_filters: write a HogQLQuery with min(timestamp) of each person
avg_count_per_actor: write the formula A / B of two series with the maths total and dau
min_count_per_actor max_count_per_actor median_count_per_actor p75_count_per_actor p90_count_per_actor p95_count_per_actor p99_count_per_actor: write a HogQLQuery over count() of each person_id
p25 p10 p99.9: write a HogQLQuery with quantile
`),
  breakdown_type: adviceOf(`
cohort: there are no cohorts: write one series for each, with its conditions as properties
element: write a breakdown of the type event by $el_text
meta: write the type event_metadata
data_warehouse data_warehouse_person_property: there are no tables of other sources: set properties of persons, and write the type person
revenue_analytics: write a breakdown of the type event or person
`),
  interval: adviceOf(`
second minute: write hour, or a HogQLQuery with toStartOfMinute(timestamp)
quarter year: write month, or a HogQLQuery with toStartOfQuarter(timestamp) or toStartOfYear(timestamp)
`),
  display: adviceOf(`
CalendarHeatmap TwoDimensionalHeatmap: write a breakdown of the type hogql by toHour(timestamp) or toDayOfWeek(timestamp)
BoxPlot: write one series each with the maths min, median, p75 and max
`),
  retentionType: adviceOf(`
retention_first_ever_occurrence: write retention_first_time, or a HogQLQuery
`),
  computedAs: adviceOf(`
cumulative: write a HogQLQuery: a person counts here for the number of its intervals
`),
  timeWindowMode: adviceOf(`
24_hour_windows: leave it out: intervals are those of the calendar
`),
  includeEventTypes: adviceOf(`
hogql: write a HogQLQuery, or custom_event for events by their name
`),
  field: adviceOf(`
aggregation_group_type_index: write the math unique_group with math_group_type_index, in a TrendsQuery, or a HogQLQuery for a funnel of groups
samplingFactor sampling: leave it out: every event is counted
funnelAggregateByHogQL: leave it out: a funnel counts persons, or write a HogQLQuery
table_name timestamp_field id_field distinct_id_field created_at_field dw_source_type: there are no tables of other sources: send their rows as events
customAggregationTarget aggregation_target_field: leave it out: persons are counted
conversionGoal: write a FunnelsQuery with the goal as its last step
breakdown_histogram_bin_count histogram_bin_count: write a HogQLQuery with floor(toFloat(properties.price) / 10) * 10
math_multiplier: write a formula such as A * 100
math_property_revenue_currency: amounts are not converted: write a breakdown or a filter by the currency
optionalInFunnel: leave out the step, or write a second funnel without it
hideIncompleteConversionWindowPeriods: leave it out, or write a date_to that is as long ago as the window
stickinessCriteria: write a filter of the type behavioral with performed_event_multiple
intervalCount: leave it out: an interval is one hour, day, week or month
compareFilter: leave it out, or ask twice with another dateRange
select: leave it out with a source: the persons of a number have the columns person, count and last_at
orderBy: leave it out: the rows of a number and its series have one order, or write an EventsQuery, an ActorsQuery without a source or SQL
compare: leave it out, or ask with another dateRange
limit: write LIMIT into the SQL of a HogQLQuery, or an EventsQuery with limit: in a series every event is counted
math_property math_property_type math_hogql math_group_type_index: leave it out: persons are counted, or write a TrendsQuery
operator: leave it out: the persons with exactly so many intervals are listed
fixedProperties: write properties
cumulative: leave it out: a column counts the persons of its own interval
minimumOccurrences: leave it out, or write a HogQLQuery with count() of each person_id
retentionCustomBrackets: leave it out, and write totalIntervals
aggregationType aggregationProperty: leave it out: retention counts persons, or write a TrendsQuery with math sum
pathsHogQLExpression: write custom_event into includeEventTypes, or a HogQLQuery
pathGroupings localPathCleaningFilters: write excludeEvents, or a HogQLQuery with replaceRegexpOne(properties.$pathname, '[0-9]+', 'id')
minEdgeWeight maxEdgeWeight: write edgeLimit: the most frequent ways come first
funnelPathsFilter: write startPoint and endPoint
pathDropoffKey: write pathStartKey and pathEndKey
actionId actionSteps: there are no actions: write event and properties
source: write the persons of a number as an ActorsQuery
cohort: there are no cohorts: write the conditions as properties
distinctId: write it as search of an ActorsQuery
connectionId sendRawQuery: SQL reads the tables of GET …/query/schema/ alone: leave it out
excludeAttributes customColumns sparklineBreakdownBy: leave it out: records have all fields
liveLogsCheckpoint: write the nextCursor of the page before as after
resourceFingerprint: write serviceNames, or a filter of the type log_resource_attribute
operator_value: write 1, or the value performed_event_multiple with operator_value
time_value: leave it out: min_periods counts the intervals
total_periods: leave it out, and write min_periods: the intervals are those of the period of the query
operand: write properties as a group with the type AND or OR
funnelCustomSteps: write one ActorsQuery for each funnelStep
`),
  parameter: adviceOf(`
order_by ordering orderBy: leave it out: lists have one order, or write an EventsQuery, an ActorsQuery or SQL
`),
  path: adviceOf(`
session_recording_playlists/recordings/bulk_add session_recording_playlists/recordings/bulk_delete: POST or DELETE …/session_recording_playlists/<short_id>/recordings/<id>/ for each recording
session_recording_playlists/playlist_viewed: leave it out: views of playlists are not counted
query/upgrade query/check_auth_for_async query/log: POST …/query/ with the query, which is answered at once
query_log: GET /metrics has the numbers of queries
event capture: events are sent to POST /i/v0/e/ or POST /batch/
mcp_tools/execute_sql: POST …/query/ with a HogQLQuery
mcp_tools/read_taxonomy mcp_tools/read_data_schema taxonomy: GET …/event_definitions/, …/property_definitions/ or …/query/schema/
mcp oauth mcp_tools: programs ask this API itself: send each a key of its own, of /api/personal_api_keys/
feature_flags early_access_feature scheduled_changes flag_value default_evaluation_tags: there are no feature flags, and SDKs get an empty list: write the value into the app
experiments experiment_holdouts experiment_saved_metrics web_experiments: there are no experiments: write a FunnelsQuery with a breakdown by $feature/NAME
surveys: there are no surveys: send answers as events, such as survey sent
error_tracking symbol_sets: exceptions are events: write an EventsQuery or a TrendsQuery of $exception
cohorts persons/cohorts: there are no cohorts: write the conditions as properties of a query
actions: there are no actions: write an EventsNode with the event of the action, and its conditions as properties
session_recordings heatmaps heatmap_screenshots saved desktop_recordings single_session_summaries session_group_summaries session_recording_external_references vision: recordings and heatmaps are not kept: write a PathsQuery, or a TrendsQuery of $autocapture
elements: clicks are events: write a TrendsQuery of $autocapture with a breakdown by $el_text
notebooks notebook_widgets: there are no notebooks: write texts into annotations and descriptions
logs: POST …/logs/query/
web_analytics web_analytics_bot_rules web_analytics_path_cleaning_suggestions: ask in words, such as "visitors last 7 days"
web_vitals: write a TrendsQuery of $web_vitals with math p75 and math_property $web_vitals_LCP_value
marketing_analytics: write a TrendsQuery with a breakdown by utm_campaign
revenue_analytics: write a TrendsQuery with math sum of the property with the amount
warehouse_tables warehouse_saved_queries warehouse_column_annotations saved_query_column_annotations external_data_sources external_data_schemas external_data_destinations data_catalog data_warehouse lineage managed_viewsets data_modeling_jobs: there are no tables of other sources: send their rows as events
alerts subscriptions hooks hog_functions hog_function_templates public_hog_function_templates: nothing is sent out: ask GET …/insights/ or /metrics on a schedule of your own
batch_exports file_download_batch_exports: GET …/events/, or write a HogQLQuery, page by page
batch_imports managed_migrations: POST /batch/ with historical_migration true
exports: GET …/events/ or POST …/query/ with format=csv
hog_flows workflows plugins plugin_configs integrations event_streams messaging_categories messaging_preferences messaging_templates hog app_metrics: nothing is sent out: GET …/events/live/ streams events to a program of your own
endpoints insight_variables query_tab_state: POST …/query/ with the query, and values for its placeholders
insights/trend insights/funnel insights/path insights/retention insights/trends insights/lifecycle insights/stickiness: POST …/query/ with a TrendsQuery, FunnelsQuery, PathsQuery, RetentionQuery, LifecycleQuery or StickinessQuery
insights/activity insights/trending insights/my_last_viewed insights/viewed insights/timing insights/all_activity: GET …/insights/
insights/cancel: DELETE …/query/<client_query_id>/
insights/sharing dashboards/sharing dashboards/collaborators insights/thresholds: nothing is shared: send each program a key of its own, of /api/personal_api_keys/
insights/generate_metadata insights/analyze insights/suggestions: ask in words: POST …/query/read/
persons/funnel persons/trends persons/path persons/paths persons/retention persons/lifecycle persons/stickiness: POST …/query/ with an ActorsQuery, with the query as its source
persons/properties_timeline: GET …/persons/<id>/activity/
persons/batch_by_distinct_ids persons/batch_by_uuids: GET …/persons/?distinct_id=, or write an ActorsQuery
persons/reset_person_distinct_id: leave it out: the next event of a deleted distinct id makes a new person
groups/related: write a HogQLQuery over events with GROUP BY of $group_0 or person_id
groups/property_definitions: GET …/property_definitions/?type=group
groups/property_values: GET …/groups/values/
groups/update_property groups/delete_property groups/activity: send $groupidentify events
groups_types/metrics accounts account_relationship_definitions custom_property_definitions custom_property_sources customer_journeys customer_profile_configs customer_tasks: GET …/groups/?group_type_index=0
sessions: write a HogQLQuery such as SELECT * FROM sessions
property_definitions/seen_together: GET …/property_definitions/ with event_names
event_schemas schema_property_groups core_events event_filter: PATCH …/event_definitions/<name>/ with a description
dashboards/create_text_tile dashboards/update_text_tile dashboards/delete_tile dashboards/reorder_tiles dashboards/move_tile dashboards/copy_tile: send the tiles by PATCH …/dashboards/<id>/
dashboards/run_insights dashboards/stream_tiles: POST …/query/ with the query of each insight
dashboard_templates dashboards/create_from_template_json: send use_template with POST …/dashboards/
data_color_themes column_configurations quick_filters file_system file_system_shortcut user_product_list: leave it out: GET …/insights/ and …/dashboards/ have a search
search: GET …/insights/ or …/dashboards/ with search
tags: leave it out: insights and dashboards have their tags
health_issues sdk_health dead_letter_queue event_ingestion_restrictions: GET …/ingestion_warnings/ or /api/projects/<id>/status/
instance_status instance_settings quota_limits: GET /metrics or /api/projects/<id>/status/
activity_log advanced_activity_logs: GET …/persons/activity/
comments: leave it out: write words into names and descriptions
llm_analytics llm_prompts llm_skills evaluations evaluation_runs evaluation_directories evaluation_reports datasets dataset_items taggers tracing: calls of models are events: write a TrendsQuery or an EventsQuery of $ai_generation
mcp_analytics: write a TrendsQuery of $mcp_tool_call with a breakdown by $mcp_tool_name
conversations max_tools core_memory signals tasks task_runs task_channels canvases loops: there is no assistant: POST …/query/read/ reads a question in words
metrics metalytics: send values as properties of events, or GET /metrics for those of the server
members invites roles explicit_members access_controls resource_access_controls approval_policies change_requests role_external_references domains project_secret_api_keys rotate_secret_token delete_secret_token_backup: there is one user: send each program a key of its own, of /api/personal_api_keys/
users: GET /api/users/@me/
environments: GET /api/projects/
schema: GET /openapi.json
`),
} as const satisfies Record<string, Readonly<Record<string, string>>>;

/**
 * Says what to write instead of a value of a field, or of a name in one of the last parts of {@link INSTEAD}, as a
 * sentence with a space after it; empty of other names.
 */
export function insteadOf(place: string, name: unknown): string {
  if (typeof name !== "string" || !Object.hasOwn(INSTEAD, place)) return "";
  const table: Readonly<Record<string, string>> = INSTEAD[place as keyof typeof INSTEAD];
  return Object.hasOwn(table, name) ? `${name} is not taken here: ${reason(table[name])}. ` : "";
}

/**
 * Says what serves the address of PostHog's API that has no route, as a sentence; empty of other addresses. `pathname` is
 * of a request. With `below`, only names count that PostHog has in the place of an id.
 */
export function insteadOfPath(pathname: string, part: "all" | "below" = "all"): string {
  const below =
    /^\/(?:api\/(?:(?:environments|projects|organizations)\/[^/]+\/)?|(?=(?:mcp|oauth)(?:\/|$)))(.*)$/.exec(
      pathname,
    );
  const [first = "", second, ...rest] = (below?.[1] ?? "").split("/");
  // The oldest clients ask in the singular; an id may stand in the middle.
  const paths = [first, `${first}s`].flatMap((noun) => [
    [noun, second, ...rest].join("/"),
    [noun, ...rest].join("/"),
  ]);
  const found = Object.entries(INSTEAD.path).find(
    ([name]) =>
      (part === "all" || name.includes("/")) &&
      paths.some((path) => `${path}/`.startsWith(`${name}/`)),
  );
  return found === undefined ? "" : `…/${found[0]}/ is not served here: ${reason(found[1])}.`;
}

/** An advice as a part of a sentence that has a colon already. */
const reason = (advice = "") => advice.replace(": ", "; ");
