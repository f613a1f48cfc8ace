const TO_INT = "TRY_CAST(trunc(TRY_CAST($1 AS DECIMAL(38, 6))) AS BIGINT)";
const TO_TIME = "TRY_CAST($1 AS TIMESTAMP)";
const TIME = "CAST($1 AS TIMESTAMP)";
/** A time on the clock of the zone `$2`. */
const ZONED = `timezone($2, timezone('UTC', ${TIME}))`;

/** Functions of ClickHouse with the same SQL, as names and SQL. */
function sameAs<Sql>(names: string, sql: Sql): Record<string, Sql> {
  return Object.fromEntries(names.split(" ").map((name) => [name, sql]));
}

/** Starts of a part of time, in UTC or in a zone. */
const startOf = (part: string, type: "DATE" | "TIMESTAMP") =>
  [TIME, ZONED].map((time) => {
    const start = `date_trunc('${part}', ${time})`;
    return type === "DATE" ? `CAST(${start} AS DATE)` : start;
  });

/** A number of a time, in UTC or in a zone. */
const partOf = (name: string) => [`${name}(${TIME})`, `${name}(${ZONED})`];

const added = (sign: "+" | "-") => {
  const name = sign === "+" ? "add" : "subtract";
  const units = { Seconds: "BIGINT", Minutes: "BIGINT", Hours: "BIGINT", Days: "INTEGER" };
  const longer = { Weeks: "INTEGER", Months: "INTEGER", Quarters: "INTEGER", Years: "INTEGER" };
  return Object.fromEntries(
    Object.entries({ ...units, ...longer }).map(([unit, type]) => {
      const time = type === "BIGINT" ? TIME : "$1";
      return [`${name}${unit}`, `${time} ${sign} to_${unit.toLowerCase()}(CAST($2 AS ${type}))`];
    }),
  );
};

const intervals = Object.fromEntries(
  ["Second", "Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year"].map((unit) => [
    `toInterval${unit}`,
    `to_${unit.toLowerCase()}s(CAST($1 AS ${/Second|Minute|Hour/.test(unit) ? "BIGINT" : "INTEGER"}))`,
  ]),
);

const AGGREGATES = {
  ...sameAs("uniq uniqExact uniqHLL12 countDistinct", "count(DISTINCT $1)"),
  any: "any_value($1)",
  "quantile()": "quantile_cont($2, $1)",
  stddevPop: "stddev_pop($1)",
  stddevSamp: "stddev_samp($1)",
  varPop: "var_pop($1)",
  varSamp: "var_samp($1)",
};

/** Names to which `If` may be added for a condition as the last argument, in lower case. */
export const HOGQL_AGGREGATES: ReadonlySet<string> = new Set([
  ...Object.keys(AGGREGATES).map((name) => name.toLowerCase()),
  ...["sum", "avg", "min", "max", "median", "argmin", "argmax"],
]);

/**
 * Functions of ClickHouse as DuckDB's SQL, by name; `$1` is the first argument. A list has one text for each
 * number of arguments. All of it passes the allow-list like what callers write.
 */
export const HOGQL_FUNCTIONS: Readonly<Record<string, string | readonly string[]>> = {
  ...AGGREGATES,
  // DuckDB's own is NULL where no condition is known.
  countIf: "count(*) FILTER (WHERE $1)",
  toString: "CAST($1 AS VARCHAR)",
  ...sameAs("toInt toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64", TO_INT),
  ...sameAs("_toInt8 _toInt16 _toInt32 _toInt64 _toUInt64", TO_INT),
  toIntOrZero: `coalesce(${TO_INT}, 0)`,
  ...sameAs("toFloat toFloat32 toFloat64", "TRY_CAST($1 AS DOUBLE)"),
  toFloatOrZero: "coalesce(TRY_CAST($1 AS DOUBLE), 0)",
  toFloatOrDefault: ["coalesce(TRY_CAST($1 AS DOUBLE), 0)", "coalesce(TRY_CAST($1 AS DOUBLE), $2)"],
  ...sameAs("toBool toBoolean", "TRY_CAST($1 AS BOOLEAN)"),
  toUUID: "TRY_CAST($1 AS UUID)",
  toTypeName: "typeof($1)",
  toJSONString: "CAST(to_json($1) AS VARCHAR)",
  ...sameAs("toDate _toDate", [`TRY_CAST(${TO_TIME} AS DATE)`, `CAST(${ZONED} AS DATE)`]),
  ...sameAs("toDateTime parseDateTimeBestEffort", [
    TO_TIME,
    "timezone('UTC', timezone($2, TRY_CAST($1 AS TIMESTAMP)))",
  ]),
  fromUnixTimestamp: "timezone('UTC', to_timestamp(CAST($1 AS DOUBLE)))",
  toTimeZone: ZONED,
  toStartOfYear: startOf("year", "DATE"),
  toStartOfQuarter: startOf("quarter", "DATE"),
  toStartOfMonth: startOf("month", "DATE"),
  toMonday: startOf("week", "DATE"),
  toStartOfWeek: `CAST(date_trunc('week', ${TIME} + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE)`,
  toStartOfDay: startOf("day", "TIMESTAMP"),
  toStartOfHour: startOf("hour", "TIMESTAMP"),
  toStartOfMinute: startOf("minute", "TIMESTAMP"),
  toStartOfSecond: startOf("second", "TIMESTAMP"),
  toStartOfFiveMinutes: `time_bucket(INTERVAL 5 MINUTE, ${TIME})`,
  toStartOfTenMinutes: `time_bucket(INTERVAL 10 MINUTE, ${TIME})`,
  toStartOfFifteenMinutes: `time_bucket(INTERVAL 15 MINUTE, ${TIME})`,
  toStartOfInterval: `time_bucket($2, ${TIME})`,
  dateTrunc: "date_trunc($1, $2)",
  toLastDayOfMonth: `last_day(${TIME})`,
  toYear: partOf("year"),
  toQuarter: partOf("quarter"),
  toMonth: partOf("month"),
  ...sameAs("toISOWeek toWeek", `week(${TIME})`),
  toDayOfYear: partOf("dayofyear"),
  toDayOfMonth: partOf("day"),
  toDayOfWeek: `isodow(${TIME})`,
  toHour: partOf("hour"),
  toMinute: partOf("minute"),
  toSecond: `CAST(second(${TIME}) AS BIGINT)`,
  toYYYYMM: `CAST(strftime(${TIME}, '%Y%m') AS INTEGER)`,
  toYYYYMMDD: `CAST(strftime(${TIME}, '%Y%m%d') AS INTEGER)`,
  toYYYYMMDDhhmmss: `CAST(strftime(${TIME}, '%Y%m%d%H%M%S') AS BIGINT)`,
  toUnixTimestamp: `CAST(floor(epoch(${TIME})) AS BIGINT)`,
  yesterday: "today() - 1",
  now64: "now()",
  timestampDiff: "date_diff($1, CAST($2 AS TIMESTAMP), CAST($3 AS TIMESTAMP))",
  age: "date_sub($1, CAST($2 AS TIMESTAMP), CAST($3 AS TIMESTAMP))",
  ...added("+"),
  ...added("-"),
  ...intervals,
  empty: "len($1) = 0",
  notEmpty: "len($1) > 0",
  isNull: "$1 IS NULL",
  isNotNull: "$1 IS NOT NULL",
  "|||": "coalesce($1, $2)",
  assumeNotNull: "$1",
  toNullable: "$1",
  startsWith: "starts_with($1, $2)",
  endsWith: "ends_with($1, $2)",
  like: "$1 LIKE $2",
  ilike: "$1 ILIKE $2",
  notLike: "$1 NOT LIKE $2",
  notILike: "$1 NOT ILIKE $2",
  match: "regexp_matches($1, $2)",
  positionCaseInsensitive: "strpos(lower($1), lower($2))",
  splitByChar: "string_split($2, $1)",
  splitByString: "string_split($2, $1)",
  splitByRegexp: "regexp_split_to_array($2, $1)",
  replaceAll: "replace($1, $2, $3)",
  replaceRegexpAll: "regexp_replace($1, $2, $3, 'g')",
  replaceRegexpOne: "regexp_replace($1, $2, $3)",
  lengthUTF8: "length($1)",
  lowerUTF8: "lower($1)",
  upperUTF8: "upper($1)",
  substringUTF8: ["substring($1, $2)", "substring($1, $2, $3)"],
  trimLeft: "ltrim($1)",
  trimRight: "rtrim($1)",
  protocol: "regexp_extract($1, '^([a-zA-Z][a-zA-Z0-9+.-]*)://', 1)",
  domain: "regexp_extract($1, '^[a-zA-Z]+://([^/:?#]+)', 1)",
  domainWithoutWWW: "regexp_extract($1, '^[a-zA-Z]+://(?:www[.])?([^/:?#]+)', 1)",
  path: "regexp_extract($1, '^(?:[a-zA-Z]+://[^/?#]*)?([^?#]*)', 1)",
  queryString: "regexp_extract($1, '[?]([^#]*)', 1)",
  fragment: "regexp_extract($1, '#(.*)$', 1)",
  cutQueryString: "regexp_extract($1, '^[^?]*')",
  cutFragment: "regexp_extract($1, '^[^#]*')",
  cutQueryStringAndFragment: "regexp_extract($1, '^[^?#]*')",
  decodeURLComponent: "url_decode($1)",
  encodeURLComponent: "url_encode($1)",
  arrayJoin: "unnest($1)",
  arrayElement: "list_extract($1, $2)",
  arrayUniq: "list_unique($1)",
  arrayDistinct: "list_distinct($1)",
  arraySort: "list_sort($1)",
  arrayReverseSort: "list_reverse_sort($1)",
  arrayReverse: "list_reverse($1)",
  arrayIntersect: "list_intersect($1, $2)",
  arrayConcat: "list_concat($1, $2)",
  arrayPushBack: "list_append($1, $2)",
  arrayPushFront: "list_prepend($2, $1)",
  arrayStringConcat: ["array_to_string($1, '')", "array_to_string($1, $2)"],
  arraySum: "list_sum($1)",
  arrayAvg: "list_avg($1)",
  arrayMin: "list_min($1)",
  arrayMax: "list_max($1)",
  has: "list_contains($1, $2)",
  hasAny: "list_has_any($1, $2)",
  hasAll: "list_has_all($1, $2)",
  indexOf: "coalesce(list_position($1, $2), 0)",
  equals: "$1 = $2",
  notEquals: "$1 <> $2",
  less: "$1 < $2",
  greater: "$1 > $2",
  lessOrEquals: "$1 <= $2",
  greaterOrEquals: "$1 >= $2",
  plus: "$1 + $2",
  minus: "$1 - $2",
  multiply: "$1 * $2",
  divide: "$1 / $2",
  modulo: "$1 % $2",
  negate: "-($1)",
  intDiv: "$1 // $2",
  max2: "greatest($1, $2)",
  min2: "least($1, $2)",
  rand: "CAST(floor(random() * 4294967296) AS BIGINT)",
  generateUUIDv4: "uuid()",
  formatReadableSize: "format_bytes(CAST($1 AS BIGINT))",
  JSONExtractString: "coalesce(json_extract_string($1, $2), '')",
  ...sameAs(
    "JSONExtractInt JSONExtractUInt",
    "coalesce(TRY_CAST(json_extract_string($1, $2) AS BIGINT), 0)",
  ),
  JSONExtractFloat: "coalesce(TRY_CAST(json_extract_string($1, $2) AS DOUBLE), 0)",
  JSONExtractBool: "coalesce(TRY_CAST(json_extract_string($1, $2) AS BOOLEAN), false)",
  JSONExtractRaw: ["CAST($1 AS VARCHAR)", "coalesce(CAST(json_extract($1, $2) AS VARCHAR), '')"],
  JSONExtractArrayRaw: [
    "TRY_CAST(TRY_CAST($1 AS JSON) AS VARCHAR[])",
    "TRY_CAST(json_extract($1, $2) AS VARCHAR[])",
  ],
  JSONHas: "json_exists($1, $2)",
  JSONExtractKeys: "json_keys($1)",
  JSONLength: "json_array_length($1)",
};

const NO_LISTS = "values of rows are not collected to a list: GROUP BY the value";
const NO_LAMBDAS = "there are no lambdas: unnest(list) in a subquery makes rows";
const NO_HASHES = "hashes of ClickHouse are not the same here: write hash(value) or md5(text)";
const NO_CHARTS = "charts are not drawn in cells: select the numbers";
const NO_BOTS =
  "there is no list of bots: write a condition, such as properties.$user_agent ILIKE '%bot%'";

/** Functions of ClickHouse and PostHog that are not taken, in lower case, and what to write instead. */
export const HOGQL_REFUSED: Readonly<Record<string, string>> = {
  ...sameAs("grouparray groupuniqarray grouparraysample", NO_LISTS),
  topk: "GROUP BY the value, ORDER BY count() DESC LIMIT 5",
  quantiles: "write quantile(0.5)(x), quantile(0.9)(x)",
  windowfunnel: "ask a funnel insight, or compare minIf(timestamp, …) of each step",
  anylast: "write argMax(value, timestamp)",
  ...sameAs("arraymap arrayfilter arrayexists arrayall arraycount arrayfirst", NO_LAMBDAS),
  ...sameAs("countequal arraycumsum arrayenumerate arrayzip", NO_LAMBDAS),
  transform: "write CASE value WHEN 'a' THEN 'b' ELSE value END",
  multisearchany: "write match(text, 'one|other')",
  countsubstrings: "write length(splitByString('part', text)) - 1",
  initcap: "write concat(upper(left(text, 1)), substring(text, 2))",
  formatreadablequantity: "select the number itself",
  parsedatetime: "write strptime(text, '%Y-%m-%d %H:%M:%S')",
  ...sameAs("base64encode base64decode", "texts are not decoded here: md5(text) and hex(text) are"),
  dictget: "there are no dictionaries: write CASE value WHEN 'a' THEN 'b' END",
  neighbor: "write lag(value) OVER (ORDER BY timestamp)",
  runningdifference: "write value - lag(value) OVER (ORDER BY timestamp)",
  ...sameAs("cityhash64 siphash64", NO_HASHES),
  ...sameAs("sparkline bar recording_button", NO_CHARTS),
  range: "lists without a bound are not made: write the values, [1, 2, 3]",
  matchesaction: "there are no actions here: write the condition, such as event = '$autocapture'",
  ...sameAs("gettraffictype gettrafficcategory islikelybot getbottype getbotname", NO_BOTS),
};
