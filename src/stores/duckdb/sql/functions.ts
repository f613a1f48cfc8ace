/** Returns the pairs of a table `key: text`, one a line. */
export const linesOf = (table: string, separator = ": "): [key: string, text: string][] =>
  table
    .trim()
    .split("\n")
    .map((line) => {
      const end = line.indexOf(separator);
      return [line.slice(0, end), line.slice(end + separator.length)];
    });

/** Values that groupArray and groupUniqArray put in a list. */
export const LIST_VALUES_MAX = 10_000;

/** The text of the error of a list with more values. */
export const LIST_TOO_LONG = "too many values in a list";

/**
 * Parts of the macros below. A time has a zone; in a project on UTC all TIMESTAMPTZ are TIMESTAMP, which is read and
 * compared faster. WALL_ is it on the clock of the project, ZONED_ on that of the zone `$2`.
 */
const PARTS: Record<string, string> = {
  INT_: "TRY_CAST(trunc(TRY_CAST($1 AS DECIMAL(38, 6))) AS BIGINT)",
  FLOAT_: "TRY_CAST($1 AS DOUBLE)",
  TIME_: "CAST($1 AS TIMESTAMPTZ)",
  WALL_: "CAST(CAST($1 AS TIMESTAMPTZ) AS TIMESTAMP)",
  ZONED_: "timezone($2, CAST($1 AS TIMESTAMP WITH TIME ZONE))",
  ERROR_: `error('${LIST_TOO_LONG}')`,
  MOST_: String(LIST_VALUES_MAX),
};

/**
 * Functions of ClickHouse as DuckDB's SQL; `$1` is the first argument, and ` | ` parts the texts for different numbers
 * of arguments. They are macros that are written out before the check, so that it sees what they do.
 */
const MACROS = `
uniq uniqExact uniqHLL12 uniqCombined countDistinct: count(DISTINCT $1)
quantile(): quantile_cont($2, $1)
topK(): approx_top_k($2, $1)
groupArray: CASE WHEN count($1) > MOST_ THEN ERROR_ ELSE coalesce(list($1) FILTER (WHERE $1 IS NOT NULL), list_value()) END
groupUniqArray: CASE WHEN count(DISTINCT $1) > MOST_ THEN ERROR_ ELSE coalesce(list(DISTINCT $1) FILTER (WHERE $1 IS NOT NULL), list_value()) END
groupArray(): list_slice(list($2) FILTER (WHERE $2 IS NOT NULL), 1, $1)
groupUniqArray(): list_slice(list(DISTINCT $2) FILTER (WHERE $2 IS NOT NULL), 1, $1)
countIf: count(*) FILTER (WHERE $1)
toString: CAST($1 AS VARCHAR)
toInt toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 _toInt8 _toInt16 _toInt32 _toInt64 _toUInt64: INT_
toIntOrZero: coalesce(INT_, 0)
toFloat toFloat32 toFloat64: FLOAT_
toFloatOrZero toFloatOrDefault: coalesce(FLOAT_, 0) | coalesce(FLOAT_, $2)
toBool toBoolean: TRY_CAST($1 AS BOOLEAN)
toUUID: TRY_CAST($1 AS UUID)
toJSONString: CAST(to_json($1) AS VARCHAR)
toDate _toDate toDateOrNull: TRY_CAST(TRY_CAST($1 AS TIMESTAMPTZ) AS DATE) | CAST(ZONED_ AS DATE)
toDateTime parseDateTimeBestEffort parseDateTimeBestEffortOrNull toDateTimeOrNull: TRY_CAST($1 AS TIMESTAMPTZ) | CAST(timezone($2, TRY_CAST($1 AS TIMESTAMP)) AS TIMESTAMPTZ)
fromUnixTimestamp: CAST(to_timestamp(CAST($1 AS DOUBLE)) AS TIMESTAMPTZ)
toUnixTimestamp: CAST(floor(epoch(TIME_)) AS BIGINT)
toTimeZone: ZONED_
toStartOfYear: CAST(date_trunc('year', WALL_) AS DATE) | CAST(date_trunc('year', ZONED_) AS DATE)
toStartOfQuarter: CAST(date_trunc('quarter', WALL_) AS DATE) | CAST(date_trunc('quarter', ZONED_) AS DATE)
toStartOfMonth: CAST(date_trunc('month', WALL_) AS DATE) | CAST(date_trunc('month', ZONED_) AS DATE)
toMonday: CAST(date_trunc('week', WALL_) AS DATE) | CAST(date_trunc('week', ZONED_) AS DATE)
toStartOfWeek: CAST(date_trunc('week', WALL_ + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE) | CASE WHEN $2 % 2 = 1 THEN CAST(date_trunc('week', WALL_) AS DATE) ELSE CAST(date_trunc('week', WALL_ + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE) END
dateName: CASE lower($1) WHEN 'weekday' THEN dayname($2) WHEN 'month' THEN monthname($2) ELSE CAST(date_part($1, $2) AS VARCHAR) END
toDecimal toDecimal32 toDecimal64: FLOAT_ /* $2 */
toDateTime64: TRY_CAST($1 AS TIMESTAMPTZ) /* $2 */
toStartOfDay: CAST(date_trunc('day', WALL_) AS TIMESTAMPTZ) | date_trunc('day', ZONED_)
toStartOfHour: TIME_ - to_microseconds(epoch_us(WALL_) % 3600000000) | date_trunc('hour', ZONED_)
toStartOfMinute: TIME_ - to_microseconds(epoch_us(WALL_) % 60000000) | date_trunc('minute', ZONED_)
toStartOfSecond: TIME_ - to_microseconds(epoch_us(WALL_) % 1000000) | date_trunc('second', ZONED_)
toStartOfFiveMinutes: TIME_ - to_microseconds(epoch_us(WALL_) % 300000000)
toStartOfTenMinutes: TIME_ - to_microseconds(epoch_us(WALL_) % 600000000)
toStartOfFifteenMinutes: TIME_ - to_microseconds(epoch_us(WALL_) % 900000000)
toStartOfInterval: CAST(time_bucket($2, WALL_) AS TIMESTAMPTZ)
toLastDayOfMonth: last_day(WALL_)
toYear: year(WALL_) | year(ZONED_)
toQuarter: quarter(WALL_) | quarter(ZONED_)
toMonth: month(WALL_) | month(ZONED_)
toISOWeek toWeek: week(WALL_)
toDayOfYear: dayofyear(WALL_) | dayofyear(ZONED_)
toDayOfMonth: day(WALL_) | day(ZONED_)
toDayOfWeek: isodow(WALL_)
toHour: hour(WALL_) | hour(ZONED_)
toMinute: minute(WALL_) | minute(ZONED_)
toSecond: CAST(second(WALL_) AS BIGINT)
toYYYYMM: CAST(strftime(WALL_, '%Y%m') AS INTEGER)
toYYYYMMDD: CAST(strftime(WALL_, '%Y%m%d') AS INTEGER)
toYYYYMMDDhhmmss: CAST(strftime(WALL_, '%Y%m%d%H%M%S') AS BIGINT)
yesterday: today() - 1
timestampDiff: date_diff($1, CAST($2 AS TIMESTAMPTZ), CAST($3 AS TIMESTAMPTZ))
age: date_sub($1, CAST($2 AS TIMESTAMPTZ), CAST($3 AS TIMESTAMPTZ))
empty: coalesce(len($1), 0) = 0
notEmpty: coalesce(len($1), 0) > 0
isNull: $1 IS NULL
isNotNull: $1 IS NOT NULL
|||: coalesce($1, $2)
assumeNotNull toNullable: $1
like: $1 LIKE $2
ilike: $1 ILIKE $2
notLike: $1 NOT LIKE $2
notILike: $1 NOT ILIKE $2
match |~: regexp_matches($1, $2)
|!~: NOT regexp_matches($1, $2)
|~*: regexp_matches($1, $2, 'i')
|!~*: NOT regexp_matches($1, $2, 'i')
positionCaseInsensitive: strpos(lower($1), lower($2))
splitByChar splitByString: string_split($2, $1)
splitByRegexp: regexp_split_to_array($2, $1)
replaceRegexpAll: regexp_replace($1, $2, $3, 'g')
replaceRegexpOne: regexp_replace($1, $2, $3)
protocol: regexp_extract($1, '^([a-zA-Z][a-zA-Z0-9+.-]*)://', 1)
domain: regexp_extract($1, '^[a-zA-Z]+://([^/:?#]+)', 1)
domainWithoutWWW: regexp_extract($1, '^[a-zA-Z]+://(?:www[.])?([^/:?#]+)', 1)
path: regexp_extract($1, '^(?:[a-zA-Z]+://[^/?#]*)?([^?#]*)', 1)
queryString: regexp_extract($1, '[?]([^#]*)', 1)
fragment: regexp_extract($1, '#(.*)$', 1)
cutQueryString: regexp_extract($1, '^[^?]*')
cutFragment: regexp_extract($1, '^[^#]*')
cutQueryStringAndFragment: regexp_extract($1, '^[^?#]*')
arrayPushFront: list_prepend($2, $1)
arrayStringConcat: array_to_string($1, '') | array_to_string($1, $2)
arraySum: list_sum($1) | list_sum(list_transform($2, $1))
arrayMap: list_transform($2, $1)
arrayFilter: list_filter($2, $1)
arrayExists: coalesce(list_bool_or(list_transform($2, $1)), false)
arrayAll: coalesce(list_bool_and(list_transform($2, $1)), true)
arrayCount: len(list_filter($2, $1))
arrayFirst: list_extract(list_filter($2, $1), 1)
arraySlice: list_slice($1, $2, -1) | list_slice($1, $2, $2 + $3 - 1)
countEqual: len(list_filter($1, hoglet_element -> hoglet_element = $2))
indexOf: coalesce(list_position($1, $2), 0)
equals: $1 = $2
notEquals: $1 <> $2
less: $1 < $2
greater: $1 > $2
lessOrEquals: $1 <= $2
greaterOrEquals: $1 >= $2
plus: $1 + $2
minus: $1 - $2
multiply: $1 * $2
divide: $1 / $2
modulo: $1 % $2
negate: -($1)
intDiv: $1 // $2
rand: CAST(floor(random() * 4294967296) AS BIGINT)
formatReadableSize: format_bytes(CAST($1 AS BIGINT))
JSONExtractString: coalesce(json_extract_string($1, $2), '')
JSONExtractInt JSONExtractUInt: coalesce(TRY_CAST(json_extract_string($1, $2) AS BIGINT), 0)
JSONExtractFloat: coalesce(TRY_CAST(json_extract_string($1, $2) AS DOUBLE), 0)
JSONExtractBool: coalesce(TRY_CAST(json_extract_string($1, $2) AS BOOLEAN), false)
JSONExtractRaw: CAST($1 AS VARCHAR) | coalesce(CAST(json_extract($1, $2) AS VARCHAR), '')
JSONExtractArrayRaw: TRY_CAST(TRY_CAST($1 AS JSON) AS VARCHAR[]) | TRY_CAST(json_extract($1, $2) AS VARCHAR[])
`;

const UNITS = ["Second", "Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year"];
const ofUnits = UNITS.flatMap((unit, at) => {
  const [type, time] = at < 3 ? ["BIGINT", PARTS["TIME_"]] : ["INTEGER", "$1"];
  const interval = (arg: string) => `to_${unit.toLowerCase()}s(CAST(${arg} AS ${type}))`;
  return [
    [`toInterval${unit}`, [interval("$1")]],
    [`add${unit}s`, [`${time} + ${interval("$2")}`]],
    [`subtract${unit}s`, [`${time} - ${interval("$2")}`]],
  ];
});

/** The macros by name, with a text for each number of arguments. */
export const HOGQL_FUNCTIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ...linesOf(MACROS).flatMap(([names, sql]) =>
    names
      .split(" ")
      .map((name) => [
        name,
        sql.replace(/\b[A-Z]+_\b/g, (word) => PARTS[word] ?? word).split(" | "),
      ]),
  ),
  ...ofUnits,
]);

/** DuckDB's names of functions with the same arguments, by those of ClickHouse in lower case. */
export const HOGQL_RENAMED: ReadonlyMap<string, string> = new Map(
  `any any_value, stddevPop stddev_pop, stddevSamp stddev_samp, varPop var_pop, varSamp var_samp,
  toTypeName typeof, now64 now, dateTrunc date_trunc, startsWith starts_with, endsWith ends_with,
  replaceAll replace, lengthUTF8 length, lowerUTF8 lower, upperUTF8 upper, substringUTF8 substring,
  trimLeft ltrim, trimRight rtrim, decodeURLComponent url_decode, encodeURLComponent url_encode,
  arrayJoin unnest, arrayElement list_extract, arrayUniq list_unique, arrayDistinct list_distinct,
  arraySort list_sort, arrayReverseSort list_reverse_sort, arrayReverse list_reverse,
  arrayIntersect list_intersect, arrayConcat list_concat, arrayPushBack list_append,
  arrayAvg list_avg, arrayMin list_min, arrayMax list_max, has list_contains, hasAny list_has_any,
  hasAll list_has_all, max2 greatest, min2 least, generateUUIDv4 uuid, JSONHas json_exists,
  JSONExtractKeys json_keys, JSONLength json_array_length, tuple row, array list_value`
    .split(",")
    .map((pair): [string, string] => {
      const [from = "", to = ""] = pair.trim().split(" ");
      return [from.toLowerCase(), to];
    }),
);

/** Names to which `If` may be added for a condition as the last argument, in lower case. */
export const HOGQL_AGGREGATES: ReadonlySet<string> = new Set(
  `uniq uniqexact uniqhll12 uniqcombined countdistinct quantile() topk() sum avg min max median argmin
  argmax any stddevpop stddevsamp varpop varsamp`.split(/\s+/),
);

const adviceOf = (table: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(table).flatMap(([names, advice]) => names.split(" ").map((name) => [name, advice])),
  );

/** Functions of ClickHouse and PostHog that are not taken, in lower case, and what to write instead. */
export const HOGQL_REFUSED = adviceOf(`
windowfunnel: ask a funnel insight, or compare minIf(timestamp, …) of each step
sequencematch sequencecount retention: ask a funnel or retention insight
anylast: write argMax(value, timestamp)
grouparraysample grouparraymovingavg grouparraymovingsum: write groupArray(10)(x)
arraycumsum arrayenumerate arrayzip arraydifference arrayreduce arrayfold arrayflatten arraycompact arrayresize arrayfill arraysplit summap maxmap minmap map mapkeys mapvalues mapcontains: write unnest(list) in a subquery, which makes rows, and window functions over them
transform: write CASE value WHEN 'a' THEN 'b' ELSE value END
multisearchany multimatchany: write match(text, 'one|other')
countsubstrings countmatches: write length(splitByString('part', text)) - 1
replaceone: write replaceRegexpOne(text, 'a[.]b', 'c')
initcap: write concat(upper(left(text, 1)), substring(text, 2))
formatreadablequantity formatreadabletimedelta: select the number itself
parsedatetime: write strptime(text, '%Y-%m-%d %H:%M:%S')
base64encode base64decode: texts are not decoded here: md5(text) and hex(text) are
dictget dictgetordefault: there are no dictionaries: write CASE value WHEN 'a' THEN 'b' END
neighbor: write lag(value) OVER (ORDER BY timestamp)
runningdifference: write value - lag(value) OVER (ORDER BY timestamp)
runningaccumulate: write sum(value) OVER (ORDER BY timestamp)
cityhash64 siphash64 xxhash64 halfmd5 farmhash64: hashes of ClickHouse are not the same here: write hash(value) or md5(text)
sparkline bar recording_button recordingbutton explain_insight: charts are not drawn in cells: select the numbers
repeat lpad rpad leftpad rightpad space: texts are not made longer here: write concat(a, b)
string_agg group_concat listagg: write arrayStringConcat(groupArray(x), ', ')
array_agg grouparrayarray: write groupArray(x)
histogram: write floor(x / 10) * 10 AS part, count() and GROUP BY part
sumstate uniqstate countstate avgstate summerge uniqmerge avgmerge countmerge: there are no states: write the aggregate itself, such as uniq(x) or avg(x)
sleep version hostname currentdatabase: it says nothing about events: leave it out
matchesaction: there are no actions here: write the condition, such as event = '$autocapture'
gettraffictype gettrafficcategory islikelybot getbottype getbotname: there is no list of bots: write a condition, such as properties.$user_agent ILIKE '%bot%'
lookupdomaintype lookuppaidsourcetype lookuppaidmediumtype: write multiIf(properties.utm_medium = 'cpc', 'Paid', …)
convertcurrency: amounts of other currencies are not converted: GROUP BY the currency
survey_response getsurveyresponse uniquesurveysubmissionsfilter: write properties.$survey_response
`);

/** Columns that PostHog has and that are not kept here, and what to write instead. */
export const HOGQL_COLUMNS_REFUSED = adviceOf(`
is_identified: write id IN (SELECT person_id FROM events WHERE event = '$identify')
$channel_type $channel channel_type: write multiIf($entry_utm_medium = 'cpc', 'Paid Search', $entry_referring_domain ILIKE '%google.%', 'Organic Search', …)
elements_chain_href elements_chain_texts elements_chain_ids elements_chain_elements: write extract(elements_chain, 'href="(.*?)"')
`);

/** Syntax of ClickHouse and PostHog that is refused, with the SQL to write instead; `''` stands for any text. */
export const HOGQL_SYNTAX_REFUSED: readonly [syntax: RegExp, advice: string][] = linesOf(String.raw`
\bin\s+cohort\b: IN COHORT is not taken, for there are no cohorts: write the condition, such as person.properties.plan = 'pro'.
\bsample\s+[\d.]: SAMPLE is not taken: leave it out, or write a condition such as hash(uuid) % 10 = 0.
\bsettings\s+\w+\s*=|\bformat\s+\w+\s*;?\s*$: SETTINGS and FORMAT are not taken: leave them out; ?format=csv of the address makes CSV.
\bwith\s+(?:totals|rollup|cube|fill|ties)\b: WITH TOTALS, ROLLUP, CUBE, FILL and TIES are not taken: write GROUP BY ROLLUP (a, b) for sums, and join range() for days without events.
\bwith\s+(?:['\d[]|\(\s*select): WITH takes queries: write WITH name AS (SELECT 1), or put the value in its place, or send it in values as {name}.
\b(?:asof|paste|any)\s+(?:left|inner|join)\b: ASOF, ANY and PASTE JOIN are not taken: write JOIN, and QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1.
[a-z_)\]]\.\d: A part of a tuple is not taken by its place: select each value by its own name.
(?<![\w$])f'': A text f'a{b}' is not taken: write concat('a', b).
(?<!\?)\?(?!\?): a ? b : c is not taken: write if(a, b, c).
`).map(([syntax, advice]) => [new RegExp(syntax), advice]);
