/** Rules for arguments that must be written out as a text. */
export type LiteralRule = "text" | "like" | "ilike" | "regex" | "path" | "escape" | "top";

/** How the growth of a result depends on the arguments (see calls.ts). */
export type Growth =
  | "sum"
  | "separated"
  | "escaped"
  | "joined"
  | "replaced"
  | "replaced_by_pattern";

/** Rules for calls of a function. */
export type FunctionRule = {
  /** The most arguments. */
  args: number;
  /** Arguments, by index, that must be written out and obey a rule. */
  literals: (readonly [index: number, rule: LiteralRule])[];
  /** `values` and `test` take a lambda; the size of what `counts` makes is an argument. */
  is: string | undefined;
  /** Growth of the result against the longest argument. */
  grows: Growth | number | undefined;
};

/**
 * Functions that only read their arguments, by the most arguments they take. Some are missing because
 * neither the memory limit nor an interrupt stops them in time: the size of the result is an argument
 * (repeat, lpad, format, min of n, …), values of rows are joined (string_agg, …), or the
 * time grows by the product of two texts (levenshtein, json_merge_patch). Functions that read files,
 * settings or other catalogs are missing, too. The memory limit does bind what list() collects. A key has the most
 * arguments and the rest of a {@link FunctionRule}.
 */
const BY_RULE: Record<string, string> = {
  0: `now today current_date get_current_timestamp get_current_time current_localtime
    current_localtimestamp transaction_timestamp pi count_star random uuid gen_random_uuid
    row_number rank dense_rank rank_dense percent_rank cume_dist`,
  1: `abs @ ceil ceiling floor sqrt cbrt exp ln log10 log2 sign signbit sin cos tan cot asin acos atan
    sinh cosh tanh asinh acosh atanh degrees radians even round_even gamma lgamma factorial
    isnan isinf isfinite bit_count ~
    lower upper lcase ucase length len strlen char_length character_length length_grapheme bit_length
    reverse md5 sha1 sha256 hash ascii ord unicode chr strip_accents url_decode format_bytes
    typeof json json_valid json_keys unnest uuid_extract_timestamp
    array_length list_distinct array_distinct list_unique array_unique list_reverse array_reverse
    list list_bool_and list_bool_or list_sum list_avg list_min list_max list_median list_count list_product list_first list_last
    flatten hoglet_distinct hoglet_cum_sum hoglet_difference hoglet_enumerate
    year month day hour minute second millisecond microsecond nanosecond quarter week weekofyear weekday
    dayofweek dayofmonth dayofyear isodow isoyear yearweek dayname monthname last_day days_in_month era
    century decade millennium julian timezone_hour timezone_minute ago
    epoch epoch_ms epoch_us epoch_ns to_timestamp to_seconds to_minutes to_hours to_days to_weeks
    to_months to_quarters to_years to_decades to_centuries to_millennia to_milliseconds to_microseconds
    sum avg mean min max median mode any_value first last arbitrary bool_and bool_or
    bit_and bit_or bit_xor sem mad entropy geomean geometric_mean
    stddev stddev_pop stddev_samp variance var_pop var_samp skewness kurtosis kurtosis_pop product
    fsum kahan_sum sumkahan favg count_if countif approx_count_distinct ntile
    first_value last_value count`,
  2: `round trunc mod fmod fdiv pow power log atan2 nextafter gcd lcm greatest_common_divisor
    least_common_multiple nullif left right left_grapheme right_grapheme strpos instr position
    contains starts_with prefix ends_with suffix trim ltrim rtrim ^@ hamming mismatches jaccard
    + - * / // % ** ^ & | << >> xor date_trunc datetrunc date_part datepart date_add timezone age
    json_array_length json_type
    list_contains list_has array_contains array_has list_has_any array_has_any list_has_all
    array_has_all @> <@ && list_position list_indexof array_position array_indexof list_intersect
    array_intersect list_extract array_extract list_element
    quantile quantile_cont quantile_disc approx_quantile arg_max arg_min argmax argmin max_by min_by
    arg_max_null arg_min_null weighted_avg wavg
    corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count regr_avgx regr_avgy
    regr_sxx regr_sxy regr_syy nth_value`,
  3: `substring substr substring_grapheme split_part date_diff datediff date_sub datesub make_date
    make_time time_bucket lag lead list_sort array_sort list_reverse_sort array_reverse_sort`,
  4: `list_slice array_slice`,
  6: `make_timestamp`,
  100: `greatest least`,
  "2 values": "list_transform",
  "2 test": "list_filter",
  "3 counts": "range",
  "1 0=text": "error",
  "2 1=top grows=50": "approx_top_k",
  "2 1=like": "~~ !~~",
  "2 1=ilike": "~~* !~~*",
  "3 1=ilike 2=escape": "like_escape not_like_escape ilike_escape not_ilike_escape",
  "3 1=regex": "regexp_extract",
  "3 1=regex 2=text": "regexp_matches regexp_full_match",
  "4 1=regex 2=text 3=text grows=replaced_by_pattern": "regexp_replace",
  "3 1=text 2=text grows=replaced": "replace",
  "2 grows=sum": "|| list_append list_prepend",
  "100 grows=sum": "row list_zip concat list_value list_concat array_concat",
  "100 grows=separated": "concat_ws",
  "2 1=text grows=joined": "array_to_string",
  // Each part of a split text takes 16 bytes more than its own, and may be empty.
  "2 grows=17": "string_split str_split string_to_array split",
  "3 1=regex 2=text grows=17": "regexp_split_to_array",
  "3 1=regex grows=17": "regexp_extract_all",
  "3 grows=4": "translate",
  "1 grows=2": "hex",
  "1 grows=3": "url_encode nfc_normalize",
  "2 1=text": "strftime strptime try_strptime json_contains",
  "2 1=path": `->> json_extract json_extract_string json_exists json_value json_extract_path
    json_extract_path_text`,
  "100 grows=escaped": "json_array json_object",
  "1 grows=escaped": "to_json",
};

/** All functions and operators that SQL may call, in lower case (decision 81). */
export const SQL_FUNCTIONS: ReadonlyMap<string, FunctionRule> = new Map(
  Object.entries(BY_RULE).flatMap(([rule, names]) =>
    names.split(/\s+/).map((name) => [name, ruleOf(rule)] as const),
  ),
);

function ruleOf(text: string): FunctionRule {
  const [args, ...words] = text.split(" ");
  const pairs = words.map((word) => word.split("=") as [string, string | undefined]);
  const grows = pairs.find(([key]) => key === "grows")?.[1];
  return {
    args: Number(args),
    literals: pairs.flatMap(([key, rule]) =>
      key === "grows" || rule === undefined ? [] : [[Number(key), rule as LiteralRule] as const],
    ),
    is: pairs.find(([, value]) => value === undefined)?.[0],
    grows: Number(grows) || (grows as Growth | undefined),
  };
}

/** Names of functions for docs and failures, without operators. */
export const SQL_FUNCTION_NAMES: readonly string[] = [...SQL_FUNCTIONS.keys()]
  .filter((name) => /^(?!row$|hoglet_)[a-z]/.test(name))
  .toSorted();

/** Functions that may stand before OVER; others take unbounded time over a frame. */
export const SQL_WINDOW_FUNCTIONS: ReadonlySet<string> = new Set(
  `row_number rank dense_rank rank_dense percent_rank cume_dist ntile lag lead first_value last_value
  nth_value first last any_value count count_star sum avg min max count_if countif bool_and bool_or
  bit_and bit_or bit_xor product stddev stddev_pop stddev_samp variance var_pop var_samp`.split(
    /\s+/,
  ),
);

/** Types of casts. DECIMAL may have a width; JSON is checked by name, as DuckDB has no id for it. */
export const SQL_TYPES: ReadonlySet<string> = new Set([
  ..."BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT FLOAT DOUBLE DECIMAL VARCHAR".split(" "),
  ..."UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT DATE TIME TIMESTAMP INTERVAL UUID".split(" "),
  ...["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"],
]);

/** Names of types that failures offer. */
export const HOGQL_TYPE_NAMES =
  "String, Bool, UUID, Date, DateTime, Int32, Int64, UInt64, Float32, Float64, Decimal(9, 2)";

/** Names of the types for docs. */
export const SQL_TYPE_NAMES = [...SQL_TYPES, "JSON"].join(", ");

/** Characters of a regular expression, and the sum of its counts such as `{3}`. */
const REGEX_CHARS_MAX = 256;
const REGEX_COUNTED_MAX = 64;

/** Characters of a text that is an argument with a rule. */
export const SQL_LITERAL_CHARS = 1024;

/** Returns why a text breaks a rule; undefined if it does not. */
export function literalProblem(rule: LiteralRule, text: string): string | undefined {
  if (rule === "path") return pathProblem(text);
  if (rule === "escape") return text.length > 1 ? "ESCAPE is one character." : undefined;
  if (text.length > SQL_LITERAL_CHARS)
    return `Here a text has at most ${SQL_LITERAL_CHARS} characters.`;
  if ((rule === "ilike" || (rule === "like" && text.includes("_"))) && !isLinear(text)) {
    return "A pattern with _, with ESCAPE or of ILIKE has at most one % before its end: use match(text, pattern).";
  }
  if (rule === "regex" && !isCheap(text)) {
    return `A regular expression has at most ${REGEX_CHARS_MAX} characters, counts at most ${REGEX_COUNTED_MAX} in all, and no group.`;
  }
  return undefined;
}

/** The path of all values of a list. */
export const EACH = "$[*]";

/** Characters of a key that a failure repeats. */
const OFFERED_CHARS_MAX = 200;

// A key finds only itself, at any length. A text that begins with `$` is a path of several keys.
function pathProblem(text: string): string | undefined {
  if (/^\$[^.[]/.test(text)) {
    const key = text.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("'", "''");
    const offered = key.length > OFFERED_CHARS_MAX ? "" : `: '/${key}'`;
    return `A key that begins with $ is written with a slash before it${offered}.`;
  }
  return text !== EACH && text.startsWith("$") && /\*|\.\./.test(text)
    ? "A path has no wildcard."
    : undefined;
}

// These patterns backtrack for every % that is not the last character, and cannot be interrupted.
function isLinear(pattern: string): boolean {
  return (pattern.replace(/%+$/, "").match(/%+/g) ?? []).length <= 1;
}

// The time of RE2 grows with the pattern whose counted parts are written out.
function isCheap(pattern: string): boolean {
  if (pattern.length > REGEX_CHARS_MAX || pattern.includes("){")) return false;
  const counted = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  const sum = counted.reduce((all, [, from, to]) => all + Number(to || from), 0);
  return sum <= REGEX_COUNTED_MAX;
}
