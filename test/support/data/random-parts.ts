import { join } from "node:path";

/** The kind of a column or expression, by which a random statement is well-typed. */
export type Kind = "text" | "whole" | "real" | "truth" | "time" | "span" | "json" | "list";

/** All kinds. */
export const KINDS: readonly Kind[] = [
  ...(["text", "whole", "real", "truth", "time", "span", "json", "list"] as const),
];

/** Types of a cast, by the kind of the result. */
export const TYPES: Record<Kind, readonly string[]> = {
  text: ["VARCHAR", "UUID"],
  whole: [
    ...["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"],
    ...["UINTEGER", "UBIGINT", "UHUGEINT", "DECIMAL(38, 0)"],
  ],
  real: ["DOUBLE", "FLOAT", "DECIMAL(9, 2)", "DECIMAL(38, 38)", "DECIMAL(18, 1)"],
  truth: ["BOOLEAN"],
  time: ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE"],
  span: ["INTERVAL", "TIME"],
  json: ["JSON"],
  list: ["JSON"],
};

/** Numbers at the ends of the integer types, and other values that are rarely thought of. */
export const EDGES: readonly string[] = [
  ...["0", "1", "-1", "2", "3", "64", "127", "-128", "255", "2048", "32767", "-32768", "65536"],
  ...["2147483647", "-2147483648", "4294967295", "9223372036854775807", "-9223372036854775808"],
  ...["9223372036854775808", "18446744073709551615", "(-9223372036854775807 - 1)", "NULL"],
  ...["170141183460469231731687303715884105727", "(~9223372036854775807)", "(0 - 2147483648)"],
];

/** Written-out values of each kind. */
export const LITERALS: Record<Kind, readonly string[]> = {
  text: ["''", "'view'", "'é%_'", "'7'", "NULL", "'a b c'", "'🙂'", "NULL::VARCHAR"],
  whole: EDGES,
  real: ["0.0", "-2.5", "1e308", "'nan'::DOUBLE", "'-inf'::FLOAT", "1e-320", ".5", "NULL::DOUBLE"],
  truth: ["true", "false", "NULL", "(1 = 1)"],
  time: [
    ...["'2026-11-21'::TIMESTAMP", "'infinity'::TIMESTAMP", "'-infinity'::TIMESTAMP", "NULL"],
    ...["'290309-12-22 (BC) 00:00:00'::TIMESTAMP", "'294247-01-10'::TIMESTAMP", "'1970-01-01'"],
  ],
  span: [
    ...["INTERVAL 0 DAY", "INTERVAL (-1) MONTH", "INTERVAL '178956970 years'", "NULL::INTERVAL"],
    ...["INTERVAL 2147483647 DAY", "INTERVAL 9223372036854775807 MICROSECOND", "to_days(1)"],
  ],
  json: ["'{}'::JSON", "'[1, null]'::JSON", "'null'::JSON", "NULL::JSON", `'{"a": [1]}'::JSON`],
  list: ["['a']", "[NULL::VARCHAR]", "['', 'b', NULL]", "string_split(NULL, 'a')", "['a', 'a']"],
};

/** Arguments of types that no kind has, and lists of numbers. */
export const ARGUMENTS: readonly string[] = [
  ...["INTERVAL '178956970 years'", "INTERVAL (-1) MONTH", "INTERVAL 0 DAY", "'24:00:00'::TIME"],
  ...["'00:00'::TIME", "'5877641-06-25 (BC)'::DATE", "'infinity'::DATE", "now()", "NULL::INTERVAL"],
  ...[
    "[0.1, 0.9]",
    "[1, NULL]",
    "[NULL]",
    "[[1], [2, NULL]]",
    "['2026-11-21'::TIMESTAMP]",
    "[true]",
  ],
  ...["1.5::DECIMAL(38, 37)", "-0.0", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID", "NULL::UUID"],
  ...["340282366920938463463374607431768211455::UHUGEINT", "255::UTINYINT", "'-0'::FLOAT", "-1.5"],
  ...["'day'", "'DESC'", "'$.a'", "'%Y'", "'Europe/Berlin'", "'[a-z]'", "1.5"],
];

/** Calls by their result; a letter stands for an argument: text, whole, real, bool, Moment, Span, json, list. */
export const CALLS: Record<Kind, string> = {
  text: `lower(t) upper(t) md5(t) reverse(t) trim(t) trim(t,t) left(t,w) right(t,w) substring(t,w,w)
    split_part(t,t,w) concat(t,w,b,m) concat_ws(t,t,t) replace(t,'a','b') translate(t,t,t) chr(w)
    hex(t) url_encode(t) url_decode(t) strip_accents(t) nfc_normalize(t) format_bytes(w) typeof(j)
    strftime(m,'%Y-%j') dayname(m) monthname(m) json_type(j) json_extract_string(j,'a') list_extract(l,w)
    array_to_string(l,'-') regexp_extract(t,'(a|b)+',1) regexp_replace(t,'[a-z]','x','g')
    coalesce(t,t) nullif(t,t) greatest(t,t) least(t,t) left_grapheme(t,w) substring_grapheme(t,w,w)
    list_min(l) list_max(l) list_first(l) list_last(l) sha256(t) json_value(j,'$.a') unnest(l)`,
  whole: `length(t) strlen(t) ascii(t) strpos(t,t) bit_length(t) hash(t) abs(w) sign(w) bit_count(w)
    gcd(w,w) lcm(w,w) mod(w,w) xor(w,w) factorial(w) epoch_ms(m) epoch_us(m) epoch_ns(m) year(m) week(m)
    date_diff('day',m,m) date_sub('month',m,m) datepart('dow',m) yearweek(m)
    array_length(l) list_position(l,t) json_array_length(j) hamming(t,t) coalesce(w,w) nullif(w,w)
    greatest(w,w) least(w,w,w) length_grapheme(t) array_length(l,w) ord(t) round(w,w) timezone_hour(m) unnest([w,w])`,
  real: `sqrt(r) exp(r) ln(r) log2(r) round(r,w) trunc(r,w) pow(r,r) atan2(r,r) gamma(r) lgamma(r) fmod(r,r)
    nextafter(r,r) degrees(r) sin(r) acos(r) sinh(r) cbrt(r) even(r) fdiv(r,r) log(r,r) epoch(m) julian(m)
    jaccard(t,t) coalesce(r,w) greatest(r,r) random() ceil(r) floor(r) round_even(r,w) list_avg([w,w])
    list_sum([w,w]) list_median([r,r])`,
  truth: `contains(t,t) starts_with(t,t) suffix(t,t) isnan(r) isinf(r) signbit(r) list_contains(l,t)
    list_has_any(l,l) list_has_all(l,l) json_valid(t) json_exists(j,'a') json_contains(j,'1')
    regexp_matches(t,'^v|é') regexp_full_match(t,'[a-z]{2}') coalesce(b,b)`,
  time: `date_trunc('week',m) time_bucket(to_days(w),m) to_timestamp(r) last_day(m) make_timestamp(w)
    make_date(w,w,w) make_timestamp(w,w,w,w,w,r) date_add(m,to_months(w)) greatest(m,m) coalesce(m,m)
    timezone('Europe/Berlin',m) try_strptime(t,'%Y') time_bucket(to_months(w),m,m) epoch_ms(w)
    time_bucket(to_microseconds(w),m) date_trunc('millennium',m) date_add(m,s) time_bucket(s,m,m) time_bucket(s,m)`,
  span: `to_days(w) to_months(w) to_years(w) to_microseconds(w) to_millennia(w) to_seconds(r) age(m,m) age(m)
    date_trunc('week',s) coalesce(s,s) greatest(s,s) to_hours(w) to_quarters(w)`,
  json: `json_extract(j,'a') json_object('a',t) json_array(t,w) to_json(l) to_json(m) json(j) coalesce(j,j)
    json_extract(j,w) to_json(r)`,
  list: `string_split(t,'') list_concat(l,l) list_append(l,t) list_prepend(t,l) list_distinct(l)
    list_reverse(l) list_sort(l) list_slice(l,w,w) list_slice(l,w,w,w) list_intersect(l,l) json_keys(j)
    regexp_split_to_array(t,'i') regexp_extract_all(t,'[a-z]') list_value(t,t) coalesce(l,l)
    list_sort(l,'DESC','NULLS FIRST')`,
};

/** Aggregates by their result. Each may stand before OVER if it is in `WINDOWS`, too. */
export const AGGREGATES: Record<Kind, string> = {
  text: "min(t) max(t) any_value(t) first(t) mode(t) arg_max(t,m) arg_min(t,w) quantile_disc(t,0.5) max(DISTINCT t)",
  whole: `count(*) count(t) count(DISTINCT t) sum(w) min(w) max(w) bit_and(w) bit_or(w) bit_xor(w)
    count_if(b) approx_count_distinct(t) mode(w) arg_max_null(w,r) any_value(w)
    quantile_disc(w,0.5) sum(DISTINCT w) count(DISTINCT w) bit_xor(DISTINCT w)`,
  real: `avg(r) sum(r) stddev(r) var_pop(r) median(r) quantile_cont(r,0.25) approx_quantile(r,0.5) corr(r,r)
    regr_slope(r,r) skewness(r) kurtosis(r) entropy(t) fsum(r) favg(r) mad(r) geomean(r) weighted_avg(r,w)
    covar_pop(r,r) sem(r) avg(DISTINCT r) quantile_cont(r,-0.75) stddev(DISTINCT w)`,
  truth: "bool_and(b) bool_or(b) any_value(b) min(b) max(b)",
  time: "min(m) max(m) arg_min(m,t) mode(m) quantile_disc(m,0.9) median(m) any_value(m)",
  span: "min(s) max(s) sum(s) avg(s) any_value(s) mode(s) arg_max(s,w) quantile_disc(s,0.5) max(DISTINCT s)",
  json: "any_value(j) first(j) min(j) max(j) arg_max(j,m)",
  list: "any_value(l) min(l) max(l) arg_min(l,w)",
};

/** Window functions by their result. */
export const WINDOWS: Record<Kind, string> = {
  text: `lag(t,1,t) lead(t,2) first_value(t) last_value(t) nth_value(t,w) min(t) max(t) lead(t,-1000000)
`,
  whole: `row_number() rank() dense_rank() ntile(w) count(*) sum(w) lag(w,1,w) lead(w) bit_xor(w) max(w)
    nth_value(w,w) first_value(w) lag(w,1000000,w)`,
  real: `percent_rank() cume_dist() avg(r) sum(r) stddev(r) var_samp(r) product(r) lag(r) last_value(r)`,
  truth: "bool_and(b) bool_or(b) lag(b) first_value(b) nth_value(b,w)",
  time: "min(m) max(m) lag(m) lead(m,1,m) last_value(m) any_value(m)",
  span: "lag(s) lead(s,2,s) min(s) max(s) sum(s) avg(s) first_value(s) nth_value(s,w)",
  json: "lag(j) lead(j,3) first_value(j) max(j) nth_value(j,w)",
  list: "lag(l) first_value(l) last_value(l) min(l) nth_value(l,2)",
};

/** The kind of the argument that a letter stands for. */
export const LETTERS: Record<string, Kind> = {
  ...{ t: "text", w: "whole", r: "real", b: "truth", m: "time", s: "span", j: "json", l: "list" },
};

/** Calls of a list above. */
export const callsIn = (list: string) => list.trim().split(/\s+(?![^(]*\))/);

/** Parts of a statement that the allow-list must refuse, wherever an expression may stand. */
export const badExpressions = (files: string) => [
  ...[
    "getenv('HOME')",
    "repeat('a', 9)",
    "range(seq)",
    "current_setting('threads')",
    "string_agg('a', ',')",
  ],
  ...[
    `read_text('${join(files, "planted.txt")}')`,
    "main.read_csv('a')",
    "error('x')",
    "concat((1, 2))",
  ],
  ...["string_agg('a')", "{'a': 1}", "lpad('a', 9, 'b')", "nextval('a')", "query('SELECT 1')"],
  ...["$1", "#1", "abs(COLUMNS(*))", "lambda x: x", "'a' COLLATE nocase", "printf('%d', 1)"],
  ...["1::BLOB", "1::INTEGER[5]", "'1'::BIT", "CAST(1 AS STRUCT(a INTEGER))"],
  ...["NULL::MAP(INTEGER, INTEGER)", "lag(1, -9223372036854775808) OVER ()"],
  ...[
    "lead(1, 1 + 1) OVER ()",
    "sum(1) OVER (ORDER BY (SELECT 1))",
    "TRY(1)",
    "rank(ORDER BY 1) OVER ()",
  ],
];

/** Conditions of a text. */
export const MATCHES: readonly string[] = [
  ...["LIKE 'v%'", "NOT LIKE '_%'", "ILIKE '%É'", "NOT ILIKE '%e_'", "SIMILAR TO '(v|p)+'"],
  ...[
    "LIKE '%' ESCAPE '%'",
    "LIKE 'a!%' ESCAPE '!'",
    "ILIKE '_' ESCAPE '_'",
    "LIKE 'é' ESCAPE 'é'",
  ],
  ...[
    "LIKE '' ESCAPE ''",
    "GLOB 'a*[b'",
    "~ '(a*)*b'",
    "!~ '\\p{Greek}'",
    "~~~ '[a-z]?'",
    "^@ 'v'",
  ],
];

/** Columns of the views by kind; `@` stands for the alias of the table. */
export const VIEWS: Record<string, Partial<Record<Kind, readonly string[]>>> = {
  events: {
    text: [
      "@.event",
      "@.distinct_id",
      '@."$browser"',
      "(@.uuid::VARCHAR)",
      "(@.properties->>'plan')",
    ],
    whole: ["@.seq", "length(@.event)", "TRY_CAST(@.properties->>'n' AS BIGINT)"],
    real: ["TRY_CAST(@.properties->>'n' AS DOUBLE)", "(@.seq / 7)"],
    truth: ["(@.event = 'view')", "(@.person_id IS NULL)"],
    time: ["@.timestamp", "@.ingested_at"],
    json: ["@.properties", "@.whole_properties"],
    span: ["(@.timestamp - @.ingested_at)", "@.timestamp::TIME"],
    list: ["string_split(@.event, 'e')", "json_keys(@.properties)"],
  },
  persons: {
    text: ["(@.uuid::VARCHAR)", "(@.properties->>'email')"],
    whole: ["@.id"],
    time: ["@.created_at"],
    json: ["@.properties"],
  },
  groups: {
    text: ["@.key"],
    whole: ["@.type_index"],
    time: ["@.created_at"],
    json: ["@.properties"],
  },
  logs: {
    text: ["@.body", "@.level", "@.service_name"],
    whole: ["@.severity_number"],
    time: ["@.timestamp", "@.observed_timestamp"],
    json: ["@.attributes", "@.instrumentation_scope"],
  },
};

/** Tables that the allow-list must refuse. */
export const badTables = (files: string) => [
  ...["events_1.main.events", "main.events", "memory.main.events", "system.main.duckdb_settings"],
  ...["person_overrides", "meta", "migration", "sqlite_master", "duckdb_tables", "pg_class"],
  ...["information_schema.tables", "pragma_database_list", "range(90000)", "duckdb_settings()"],
  ...["unnest([1])", "query('SELECT 1')", "(SHOW TABLES)", "(DESCRIBE events)"],
  ...[
    "events TABLESAMPLE 50%",
    "events POSITIONAL JOIN logs",
    "events ASOF JOIN logs USING (timestamp)",
  ],
  ...["(PIVOT events ON event USING count(*))", `glob('${files}/*')`],
  ...[`'${join(files, "planted.csv")}'`, `read_csv('${join(files, "planted.csv")}')`],
  `"${join(files, "planted.json")}"`,
];

/** Statements that the allow-list must refuse. */
export const badStatements = (files: string) =>
  [...["COPY events TO", "ATTACH", "EXPORT DATABASE", "CREATE TABLE t AS SELECT 1 AS", "LOAD"]].map(
    (words) => `${words} '${join(files, "made")}'`,
  );
