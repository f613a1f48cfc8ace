/** What an argument of a function must be, beside a text that is written out. */
export type LiteralRule = "text" | "like" | "ilike" | "regex" | "path" | "escape";

/** How a function may be called. */
export type FunctionRule = {
  /** The most arguments that it takes. */
  args: number;
  /** Arguments that must be written out, by place: what they may say depends on the rule. */
  literals?: Readonly<Record<number, LiteralRule>>;
  /** How much longer than its longest argument a text comes out (see sql-expression.ts). */
  grows?: "sum" | "separated" | "replaced" | "replaced_by_pattern";
};

/**
 * Functions that only look at their arguments, by the most arguments they take. Left out is all
 * whose output has a size that is an argument (range, repeat, lpad, format, min of n, …) or that
 * collects values into one (list, string_agg, histogram, …): neither the memory limit nor the
 * interrupt binds them in time. So is what reads files, settings or other catalogs.
 */
const BY_ARGUMENTS: Record<number, string> = {
  0: `now today current_date get_current_timestamp pi count_star
    row_number rank dense_rank rank_dense percent_rank cume_dist`,
  1: `abs ceil ceiling floor sqrt cbrt exp ln log10 log2 sign sin cos tan asin acos atan degrees radians even
    isnan isinf isfinite lower upper lcase ucase length len strlen char_length character_length
    reverse md5 sha256 ascii unicode typeof json_valid json_keys unnest
    year month day hour minute second millisecond microsecond quarter week weekofyear weekday dayofweek
    dayofmonth dayofyear isodow isoyear yearweek dayname monthname last_day era
    epoch epoch_ms epoch_us epoch_ns to_timestamp to_seconds to_minutes to_hours to_days to_weeks
    to_months to_years to_milliseconds to_microseconds
    count sum avg mean min max median mode any_value first last arbitrary bool_and bool_or
    stddev stddev_pop stddev_samp variance var_pop var_samp skewness kurtosis product fsum kahan_sum
    favg count_if approx_count_distinct ntile first_value last_value`,
  2: `round trunc mod fmod pow power log atan2 nullif left right strpos instr position
    contains starts_with prefix ends_with suffix trim ltrim rtrim ^@
    + - * / // % ** ^ & | date_trunc datetrunc date_part datepart date_add timezone age
    json_array_length json_type
    quantile_cont quantile_disc approx_quantile arg_max arg_min argmax argmin max_by min_by
    corr covar_pop covar_samp regr_slope regr_intercept regr_r2 nth_value`,
  3: `substring substr split_part date_diff datediff date_sub datesub make_date time_bucket lag lead`,
  6: `make_timestamp`,
  100: `greatest least`,
};

const like = { args: 2, literals: { 1: "like" } } as const;
const ilike = { args: 2, literals: { 1: "ilike" } } as const;
const likeEscape = { args: 3, literals: { 1: "ilike", 2: "escape" } } as const;
const path = { args: 2, literals: { 1: "path" } } as const;
const format = { args: 2, literals: { 1: "text" } } as const;

const WITH_RULES: Record<string, FunctionRule> = {
  "~~": like,
  "!~~": like,
  "~~*": ilike,
  "!~~*": ilike,
  like_escape: likeEscape,
  not_like_escape: likeEscape,
  ilike_escape: likeEscape,
  not_ilike_escape: likeEscape,
  regexp_matches: { args: 3, literals: { 1: "regex", 2: "text" } },
  regexp_full_match: { args: 3, literals: { 1: "regex", 2: "text" } },
  regexp_extract: { args: 3, literals: { 1: "regex" } },
  regexp_replace: {
    args: 4,
    literals: { 1: "regex", 2: "text", 3: "text" },
    grows: "replaced_by_pattern",
  },
  replace: { args: 3, literals: { 1: "text", 2: "text" }, grows: "replaced" },
  "||": { args: 2, grows: "sum" },
  concat: { args: 100, grows: "sum" },
  concat_ws: { args: 100, grows: "separated" },
  strftime: format,
  strptime: format,
  try_strptime: format,
  "->>": path,
  json_extract: path,
  json_extract_string: path,
  json_exists: path,
};

/** Every function and operator that SQL may call, in lower case (decision 81). */
export const SQL_FUNCTIONS: ReadonlyMap<string, FunctionRule> = new Map([
  ...Object.entries(BY_ARGUMENTS).flatMap(([args, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name): [string, FunctionRule] => [name, { args: Number(args) }]),
  ),
  ...Object.entries(WITH_RULES),
]);

/** Those that may stand before OVER: others take unboundedly long over a frame. */
export const SQL_WINDOW_FUNCTIONS: ReadonlySet<string> = new Set(
  `row_number rank dense_rank rank_dense percent_rank cume_dist ntile lag lead first_value last_value
  nth_value first last any_value count count_star sum avg min max`.split(/\s+/),
);

/** Types that values may be cast to; DECIMAL with its width, and JSON, which has a name alone. */
export const SQL_TYPES: ReadonlySet<string> = new Set([
  ..."BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT FLOAT DOUBLE DECIMAL VARCHAR".split(" "),
  ..."UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT DATE TIME TIMESTAMP INTERVAL UUID".split(" "),
  ...["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"],
]);

/** Characters of a regular expression, and how often a part of it may be counted in all. */
const REGEX_CHARS_MAX = 256;
const REGEX_COUNTED_MAX = 64;

/** Characters of a text that is written out as an argument of a rule. */
export const SQL_LITERAL_CHARS = 1024;

/** What is wrong with a text where a rule asks for another; undefined if nothing is. */
export function literalProblem(rule: LiteralRule, text: string): string | undefined {
  if (rule === "path") return pathProblem(text);
  if (rule === "escape") return text.length > 1 ? "ESCAPE is one character." : undefined;
  if (text.length > SQL_LITERAL_CHARS)
    return `Here a text has at most ${SQL_LITERAL_CHARS} characters.`;
  if ((rule === "ilike" || (rule === "like" && text.includes("_"))) && !isLinear(text)) {
    return "A pattern with _, with ESCAPE or of ILIKE has at most one % before its end: use contains() or regexp_matches().";
  }
  if (rule === "regex" && !isCheap(text)) {
    return `A regular expression has at most ${REGEX_CHARS_MAX} characters, counts at most ${REGEX_COUNTED_MAX} in all, and no group.`;
  }
  return undefined;
}

/** Characters of a key that a failure writes out. */
const OFFERED_CHARS_MAX = 200;

/** A key of any length is one, and finds itself alone; what begins with `$` is a path of several. */
function pathProblem(text: string): string | undefined {
  if (/^\$[^.[]/.test(text)) {
    const key = text.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("'", "''");
    const offered = key.length > OFFERED_CHARS_MAX ? "" : `: '/${key}'`;
    return `A key that begins with $ is written with a slash before it${offered}.`;
  }
  return text.startsWith("$") && /\*|\.\./.test(text) ? "A path has no wildcard." : undefined;
}

/** These go back for every % that is not the last character, and cannot be interrupted. */
function isLinear(pattern: string): boolean {
  return (pattern.replace(/%+$/, "").match(/%+/g) ?? []).length <= 1;
}

/** RE2 takes time in proportion to the pattern with its counted parts written out. */
function isCheap(pattern: string): boolean {
  if (pattern.length > REGEX_CHARS_MAX || pattern.includes("){")) return false;
  const counted = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  const sum = counted.reduce((all, [, from, to]) => all + Number(to || from), 0);
  return sum <= REGEX_COUNTED_MAX;
}
