import { DECIMAL } from "../../../../core/values/filter-operators.ts";
import { linesOf } from "../../../../core/values/instead.ts";
import { numberOf } from "../../lists/property-filter.ts";

/** Values that groupArray and groupUniqArray put in a list. */
export const LIST_VALUES_MAX = 10_000;

/** The text of the error of a list with more values. */
export const LIST_TOO_LONG = "too many values in a list";

/** SQL of an expression as a number; a text is one where insights read it as one. */
const numberIn = (sql: string) => `CASE WHEN typeof(${sql}) = 'VARCHAR'
  THEN ${numberOf(`CAST(${sql} AS VARCHAR)`)} ELSE TRY_CAST(${sql} AS DOUBLE) END`;
const digitsIn = (sql: string) =>
  `CASE WHEN typeof(${sql}) <> 'VARCHAR' OR regexp_full_match(CAST(${sql} AS VARCHAR), '${DECIMAL}') THEN ${sql} END`;
const wholeIn = (sql: string) =>
  `TRY_CAST(trunc(TRY_CAST(${digitsIn(sql)} AS DECIMAL(38, 6))) AS BIGINT)`;
const IN_JSON = "json_extract_string($1, $2)";

/**
 * Parts of the macros below. A time has a zone; in a project on UTC all TIMESTAMPTZ are TIMESTAMP, which is read and
 * compared faster. WALL_ is it on the clock of the project, ZONED_ on that of the zone `$2`.
 */
export const PARTS: Readonly<Record<string, string>> = {
  NUMBER_: numberIn("$1"),
  DIGITS_: digitsIn("$1"),
  // An empty text is no number in a cast either.
  STRICT_: `CASE WHEN $1 IS NULL OR (${numberOf("$1")}) IS NOT NULL THEN $1 ELSE '' END`,
  INT_: wholeIn("$1"),
  JSON_NUMBER_: numberIn(IN_JSON),
  JSON_INT_: wholeIn(IN_JSON),
  FLOAT_: "TRY_CAST($1 AS DOUBLE)",
  TIME_: "CAST($1 AS TIMESTAMPTZ)",
  // Digits of a text are seconds since 1970, or milliseconds.
  READ_: `coalesce(TRY_CAST($1 AS TIMESTAMPTZ), CAST(to_timestamp(coalesce(
    TRY_CAST(regexp_extract(CAST($1 AS VARCHAR), '^[0-9]{9,10}$') AS DOUBLE),
    TRY_CAST(regexp_extract(CAST($1 AS VARCHAR), '^[0-9]{12,13}$') AS DOUBLE) / 1000)) AS TIMESTAMPTZ))`,
  OFFSET_: `regexp_matches(CAST($1 AS VARCHAR), ':[0-9.]+ *([A-Za-z]|[+-][0-9])')`,
  SCALED_: "(TRY_CAST($1 AS DOUBLE) * power(10, $2))",
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
uniq uniqExact uniqHLL12 uniqCombined uniqCombined64 countDistinct: count(DISTINCT $1)
quantile(): quantile_cont($2, $1)
topK(): approx_top_k($2, $1)
groupArray: CASE WHEN count($1) > MOST_ THEN ERROR_ ELSE coalesce(list($1) FILTER (WHERE $1 IS NOT NULL), list_value()) END
groupUniqArray: CASE WHEN count(DISTINCT $1) > MOST_ THEN ERROR_ ELSE coalesce(list(DISTINCT $1) FILTER (WHERE $1 IS NOT NULL), list_value()) END
groupArray(): list_slice(list($2) FILTER (WHERE $2 IS NOT NULL), 1, $1)
groupUniqArray(): list_slice(list(DISTINCT $2) FILTER (WHERE $2 IS NOT NULL), 1, $1)
countIf: count(*) FILTER (WHERE $1)
toString: CASE WHEN regexp_matches(typeof($1), '^(?:DOUBLE|FLOAT|DECIMAL)') THEN regexp_replace(CAST($1 AS VARCHAR), '[.]0+$', '') ELSE CAST($1 AS VARCHAR) END
toInt toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 toIntOrNull toInt8OrNull toInt16OrNull toInt32OrNull toInt64OrNull toUInt8OrNull toUInt16OrNull toUInt32OrNull toUInt64OrNull _toInt8 _toInt16 _toInt32 _toInt64 _toUInt64: INT_
toIntOrZero toInt8OrZero toInt16OrZero toInt32OrZero toInt64OrZero toUInt8OrZero toUInt16OrZero toUInt32OrZero toUInt64OrZero: coalesce(INT_, 0)
toFloat toFloat32 toFloat64 toFloatOrNull toFloat32OrNull toFloat64OrNull: NUMBER_
toFloatOrZero toFloat32OrZero toFloat64OrZero toFloatOrDefault: coalesce(NUMBER_, 0) | coalesce(NUMBER_, $2)
toBool toBoolean: CASE WHEN NOT regexp_full_match(CAST($1 AS VARCHAR), '[A-Za-z]{1,3}') THEN TRY_CAST($1 AS BOOLEAN) END
toUUID toUUIDOrNull: TRY_CAST($1 AS UUID)
toJSONString: CAST(to_json($1) AS VARCHAR)
toDate _toDate toDateOrNull: TRY_CAST(READ_ AS DATE) | CAST(ZONED_ AS DATE)
toDateTime parseDateTimeBestEffort parseDateTimeBestEffortOrNull toDateTimeOrNull: READ_ | CASE WHEN OFFSET_ THEN READ_ ELSE CAST(timezone($2, TRY_CAST($1 AS TIMESTAMP)) AS TIMESTAMPTZ) END
fromUnixTimestamp: CAST(to_timestamp(CAST($1 AS DOUBLE)) AS TIMESTAMPTZ)
toUnixTimestamp64Milli: epoch_us(TIME_) // 1000
toUnixTimestamp64Micro: epoch_us(TIME_)
fromUnixTimestamp64Milli: CAST(to_timestamp(CAST($1 AS DOUBLE) / 1000) AS TIMESTAMPTZ)
timeSlot: TIME_ - to_microseconds(epoch_us(WALL_) % 1800000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 1800000000)
toIntervalMillisecond: to_milliseconds(CAST($1 AS DOUBLE))
toUnixTimestamp: CAST(floor(epoch(TIME_)) AS BIGINT)
toTimeZone: ZONED_
toStartOfYear: CAST(date_trunc('year', WALL_) AS DATE) | CAST(date_trunc('year', ZONED_) AS DATE)
toStartOfQuarter: CAST(date_trunc('quarter', WALL_) AS DATE) | CAST(date_trunc('quarter', ZONED_) AS DATE)
toStartOfMonth: CAST(date_trunc('month', WALL_) AS DATE) | CAST(date_trunc('month', ZONED_) AS DATE)
toMonday: CAST(date_trunc('week', WALL_) AS DATE) | CAST(date_trunc('week', ZONED_) AS DATE)
toStartOfWeek: CAST(date_trunc('week', WALL_ + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE) | CASE WHEN $2 % 2 = 1 THEN CAST(date_trunc('week', WALL_) AS DATE) ELSE CAST(date_trunc('week', WALL_ + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE) END
dateName: CASE lower($1) WHEN 'weekday' THEN dayname($2) WHEN 'month' THEN monthname($2) ELSE CAST(date_part($1, $2) AS VARCHAR) END
toDateTime64: READ_ /* $2 */
toStartOfDay: CAST(date_trunc('day', WALL_) AS TIMESTAMPTZ) | CAST(timezone($2, date_trunc('day', ZONED_)) AS TIMESTAMPTZ)
toStartOfHour: TIME_ - to_microseconds(epoch_us(WALL_) % 3600000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 3600000000)
toStartOfMinute: TIME_ - to_microseconds(epoch_us(WALL_) % 60000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 60000000)
toStartOfSecond: TIME_ - to_microseconds(epoch_us(WALL_) % 1000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 1000000)
toStartOfFiveMinutes: TIME_ - to_microseconds(epoch_us(WALL_) % 300000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 300000000)
toStartOfTenMinutes: TIME_ - to_microseconds(epoch_us(WALL_) % 600000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 600000000)
toStartOfFifteenMinutes: TIME_ - to_microseconds(epoch_us(WALL_) % 900000000) | TIME_ - to_microseconds(epoch_us(ZONED_) % 900000000)
toStartOfInterval: CASE WHEN $2 <= INTERVAL 1 HOUR THEN TIME_ - to_microseconds(epoch_us(WALL_) % epoch_us($2)) ELSE CAST(time_bucket($2, WALL_, TIMESTAMP '1970-01-01') AS TIMESTAMPTZ) END
toStartOfInterval(): CAST(time_bucket($3, CAST(CAST($2 AS TIMESTAMPTZ) AS TIMESTAMP), CAST($1 AS TIMESTAMP)) AS DATE)
roundBankers: CASE WHEN abs(FLOAT_ - trunc(FLOAT_)) = 0.5 THEN 2 * round(FLOAT_ / 2) ELSE round(FLOAT_) END | CASE WHEN abs(SCALED_ - trunc(SCALED_)) = 0.5 THEN 2 * round(SCALED_ / 2) ELSE round(SCALED_) END / power(10, $2)
toLastDayOfMonth: last_day(WALL_)
toYear: year(WALL_) | year(ZONED_)
toQuarter: quarter(WALL_) | quarter(ZONED_)
toMonth: month(WALL_) | month(ZONED_)
toISOWeek: week(WALL_)
toISOYear: isoyear(WALL_)
toWeek: CAST(strftime(WALL_, '%U') AS BIGINT)
toDayOfYear: dayofyear(WALL_) | dayofyear(ZONED_)
toDayOfMonth: day(WALL_) | day(ZONED_)
toDayOfWeek: isodow(WALL_)
toHour: hour(WALL_) | hour(ZONED_)
toMinute: minute(WALL_) | minute(ZONED_)
toSecond: CAST(second(WALL_) AS BIGINT)
toRelativeYearNum: year(WALL_)
toRelativeQuarterNum: year(WALL_) * 4 + quarter(WALL_) - 1
toRelativeMonthNum: year(WALL_) * 12 + month(WALL_)
toRelativeWeekNum: (date_diff('day', DATE '1970-01-01', WALL_) + 8 - isodow(WALL_)) // 7
toRelativeDayNum: date_diff('day', DATE '1970-01-01', WALL_)
toRelativeHourNum: epoch_us(TIME_) // 3600000000
toRelativeMinuteNum: epoch_us(TIME_) // 60000000
toRelativeSecondNum: epoch_us(TIME_) // 1000000
toYYYYMM: CAST(strftime(WALL_, '%Y%m') AS INTEGER)
toYYYYMMDD: CAST(strftime(WALL_, '%Y%m%d') AS INTEGER)
toYYYYMMDDhhmmss: CAST(strftime(WALL_, '%Y%m%d%H%M%S') AS BIGINT)
yesterday: today() - 1
timestampDiff: date_diff($1, CAST($2 AS TIMESTAMPTZ), CAST($3 AS TIMESTAMPTZ))
age: date_sub($1, CAST($2 AS TIMESTAMPTZ), CAST($3 AS TIMESTAMPTZ))
length: CASE WHEN typeof($1) IN ('VARCHAR', 'JSON') THEN strlen(CAST($1 AS VARCHAR)) ELSE len($1) END
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
splitByWhitespace: list_filter(regexp_split_to_array($1, '[[:space:]]+'), hoglet_element -> hoglet_element <> '')
alphaTokens splitByAlpha: regexp_extract_all($1, '[a-zA-Z]+')
splitByRegexp: regexp_split_to_array($2, $1)
replaceRegexpAll: regexp_replace($1, $2, $3, 'g')
replaceRegexpOne: regexp_replace($1, $2, $3)
protocol: regexp_extract($1, '^([a-zA-Z][a-zA-Z0-9+.-]*)://', 1)
domain: regexp_extract($1, '^[a-zA-Z]+://([^/:?#]+)', 1)
domainWithoutWWW: regexp_extract($1, '^[a-zA-Z]+://(?:www[.])?([^/:?#]+)', 1)
path: regexp_extract($1, '^(?:[a-zA-Z]+://[^/?#]*)?([^?#]*)', 1)
pathFull: regexp_extract($1, '^(?:[a-zA-Z]+://[^/?#]*)?(.*)$', 1)
port: coalesce(TRY_CAST(regexp_extract($1, '^[a-zA-Z]+://[^/:?#]+:([0-9]+)', 1) AS INTEGER), 0)
topLevelDomain: regexp_extract($1, '^[a-zA-Z]+://[^/:?#]*[.]([a-zA-Z][^./:?#]*)', 1)
decodeURLFormComponent: url_decode(replace($1, '+', ' '))
encodeURLFormComponent: replace(url_encode($1), '%20', '+')
queryString: regexp_extract($1, '[?]([^#]*)', 1)
fragment: regexp_extract($1, '#(.*)$', 1)
cutQueryString: regexp_extract($1, '^[^?]*')
cutFragment: regexp_extract($1, '^[^#]*')
cutQueryStringAndFragment: regexp_extract($1, '^[^?#]*')
arrayPushFront: list_prepend($2, $1)
arrayStringConcat: array_to_string($1, '') | array_to_string($1, $2)
arraySum: list_sum($1) | list_sum(list_transform($2, $1))
arrayAvg: list_avg($1) | list_avg(list_transform($2, $1))
arrayMin: list_min($1) | list_min(list_transform($2, $1))
arrayMax: list_max($1) | list_max(list_transform($2, $1))
arrayProduct: list_product($1)
arraySort: list_sort($1) | list_transform(list_sort(list_zip(list_transform($2, $1), $2)), hoglet_pair -> hoglet_pair[2])
arrayReverseSort: list_reverse_sort($1) | list_transform(list_reverse_sort(list_zip(list_transform($2, $1), $2)), hoglet_pair -> hoglet_pair[2])
arrayFirstIndex: coalesce(list_position(list_transform($2, $1), true), 0)
arrayLast: list_extract(list_filter($2, $1), -1)
arrayPopBack: list_slice($1, 1, -2)
arrayPopFront: list_slice($1, 2, -1)
tupleElement: list_extract(list_value($1), 1)[$2]
arrayMap: list_transform($2, $1)
arrayFilter: list_filter($2, $1)
arrayExists: coalesce(list_bool_or(list_transform($1, hoglet_element -> CAST(hoglet_element AS BOOLEAN))), false) | coalesce(list_bool_or(list_transform($2, $1)), false)
arrayAll: coalesce(list_bool_and(list_transform($1, hoglet_element -> CAST(hoglet_element AS BOOLEAN))), true) | coalesce(list_bool_and(list_transform($2, $1)), true)
arrayCount: len(list_filter($1, hoglet_element -> CAST(hoglet_element AS BOOLEAN))) | len(list_filter($2, $1))
arrayFirst: list_extract(list_filter($2, $1), 1)
arraySlice: list_slice($1, $2, -1) | list_slice($1, $2, CASE WHEN $3 < 0 THEN $3 - 1 ELSE $2 + $3 - 1 END)
countEqual: len(list_filter($1, hoglet_element -> hoglet_element = $2))
indexOf: coalesce(list_position($1, $2), 0)
log ln: CASE WHEN FLOAT_ > 0 THEN ln(FLOAT_) END
log2: CASE WHEN FLOAT_ > 0 THEN log2(FLOAT_) END
log10: CASE WHEN FLOAT_ > 0 THEN log10(FLOAT_) END
sqrt: CASE WHEN FLOAT_ >= 0 THEN sqrt(FLOAT_) END
trunc truncate: trunc($1) | trunc(SCALED_) / power(10, $2)
floor: floor($1) | floor(SCALED_) / power(10, $2)
ceil ceiling: ceil($1) | ceil(SCALED_) / power(10, $2)
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
positiveModulo: ($1 % $2 + abs($2)) % abs($2)
intDivOrZero: CASE WHEN $2 = 0 THEN 0 ELSE trunc($1 // $2) END
e: exp(1)
moduloOrZero: CASE WHEN $2 = 0 THEN 0 ELSE $1 % $2 END
isZeroOrNull: coalesce($1 = 0, true)
ifNotFinite: CASE WHEN isfinite(FLOAT_) THEN FLOAT_ WHEN FLOAT_ IS NOT NULL THEN $2 END
exp2: power(2, $1)
exp10: power(10, $1)
hypot: sqrt($1 * $1 + $2 * $2)
log1p: CASE WHEN FLOAT_ > -1 THEN ln(1 + FLOAT_) END
bitAnd: CAST($1 AS BIGINT) & CAST($2 AS BIGINT)
bitOr: CAST($1 AS BIGINT) + CAST($2 AS BIGINT) - (CAST($1 AS BIGINT) & CAST($2 AS BIGINT))
bitXor: xor(CAST($1 AS BIGINT), CAST($2 AS BIGINT))
intDiv: trunc($1 // $2)
rand: CAST(floor(random() * 4294967296) AS BIGINT)
formatReadableSize: format_bytes(CAST($1 AS BIGINT))
JSONExtractString: coalesce(json_extract_string($1, $2), '')
JSONExtractInt JSONExtractUInt: coalesce(JSON_INT_, 0)
JSONExtractFloat: coalesce(JSON_NUMBER_, 0)
JSONExtractBool: coalesce(TRY_CAST(json_extract_string($1, $2) AS BOOLEAN), false)
JSONExtractRaw: CAST($1 AS VARCHAR) | coalesce(CAST(json_extract($1, $2) AS VARCHAR), '')
JSON_VALUE: json_extract_string(json_value($1, $2), '$')
JSONHas: json_extract($1, $2) IS NOT NULL
JSONExtractKeys: json_keys($1)
isValidJSON: json_valid($1)
JSONArrayLength: json_array_length($1)
JSONLength: CASE WHEN json_type($1) = 'OBJECT' THEN len(json_keys($1)) ELSE json_array_length($1) END
JSONExtractArrayRaw: CAST(json_extract(TRY_CAST($1 AS JSON), '$[*]') AS VARCHAR[]) | CAST(json_extract(json_extract($1, $2), '$[*]') AS VARCHAR[])
JSONExtract(): TRY_CAST(TRY_CAST($1 AS JSON) AS VARCHAR[]) | TRY_CAST(json_extract($1, $2) AS VARCHAR[])
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
        sql.replace(/\b[A-Z_]+_\b/g, (word) => PARTS[word] ?? word).split(" | "),
      ]),
  ),
  ...ofUnits,
]);

/** Values of a list up to which some functions look at each value with those before it. */
const LIST_SEEN_MAX = 1000;

/** Functions over a list `l` that a connection gets as macros, by name; a check of calls sees their names. */
export const LIST_MACROS: Readonly<Record<string, string>> = {
  hoglet_cum_sum: `CASE WHEN len(l) > ${LIST_SEEN_MAX} THEN error('arrayCumSum takes at most ${LIST_SEEN_MAX} values')
    ELSE list_transform(l, (x, i) -> list_sum(l[1:i])) END`,
  hoglet_difference:
    "list_transform(l, (x, i) -> CASE WHEN i = 1 THEN x - x ELSE x - l[i - 1] END)",
  hoglet_enumerate: "list_transform(l, (x, i) -> i)",
  hoglet_distinct: `CASE WHEN len(l) > ${LIST_SEEN_MAX} THEN list_distinct(l)
    ELSE list_filter(l, (x, i) -> list_position(l, x) = i) END`,
};

/** DuckDB's names of functions with the same arguments, by those of ClickHouse. */
export const RENAMED: readonly (readonly [name: string, to: string])[] =
  `any any_value, isInfinite isinf, covarPop covar_pop, covarSamp covar_samp, makeDate make_date, stddevPop stddev_pop, stddevSamp stddev_samp, varPop var_pop, varSamp var_samp,
  toTypeName typeof, now64 now, dateTrunc date_trunc, startsWith starts_with, endsWith ends_with,
  replaceAll replace, lengthUTF8 char_length, lowerUTF8 lower, upperUTF8 upper, substringUTF8 substring, positionUTF8 position,
  reverseUTF8 reverse, leftUTF8 left, rightUTF8 right, positionCaseInsensitiveUTF8 positioncaseinsensitive,
  trimLeft ltrim, trimRight rtrim, decodeURLComponent url_decode, encodeURLComponent url_encode,
  arrayJoin unnest, arrayElement list_extract, arrayUniq list_unique, arrayDistinct hoglet_distinct,
  arrayCumSum hoglet_cum_sum, arrayDifference hoglet_difference, arrayEnumerate hoglet_enumerate,
  arrayZip list_zip, arrayFlatten flatten, arrayReverse list_reverse,
  arrayIntersect list_intersect, arrayConcat list_concat, arrayPushBack list_append,
  has list_contains, hasAny list_has_any,
  hasAll list_has_all, nowInBlock now, char chr, concatWithSeparator concat_ws, translateUTF8 translate, tgamma gamma, bitCount bit_count,
  groupBitAnd bit_and, groupBitOr bit_or, groupBitXor bit_xor, avgWeighted weighted_avg, max2 greatest, min2 least, generateUUIDv4 uuid, tuple row, array list_value`
    .split(",")
    .map((pair) => {
      const [from = "", to = ""] = pair.trim().split(" ");
      return [from, to] as const;
    });

/** DuckDB's names of functions with the same arguments, by those of ClickHouse in lower case. */
export const HOGQL_RENAMED: ReadonlyMap<string, string> = new Map(
  RENAMED.map(([name, to]) => [name.toLowerCase(), to]),
);

/** Names to which `If` may be added for a condition as the last argument, in lower case. */
export const HOGQL_AGGREGATES: ReadonlySet<string> = new Set(
  `uniq uniqexact uniqhll12 uniqcombined countdistinct quantile() topk() sum avg min max median argmin
  argmax any stddevpop stddevsamp varpop varsamp`.split(/\s+/),
);
