import { SQL_ATTR, SQL_VIEWS } from "../../../core/sql/tables.ts";
import { Failure } from "../../../core/values/failure.ts";
import { linesOf } from "../../../core/values/instead.ts";
import { isOutOfMemory } from "../engine/faults.ts";
import { SQL_DEPTH_DETAIL } from "./expression.ts";
import { LIST_TOO_LONG, LIST_VALUES_MAX } from "./hogql/functions.ts";
import { inHogql } from "./hogql/own-names.ts";
import { refuseOthers } from "./hogql/statements.ts";
import { signAdvice, tokensOf } from "./hogql/tokens.ts";
import type { Written } from "./hogql/written.ts";
import { folded, type Node } from "./tree.ts";

/** Returns the failure `invalid_input` of a statement. */
export function refused(detail: string): Failure {
  return new Failure("invalid_input", detail, SQL_ATTR);
}

/** Characters of a name or a type that a failure repeats. */
const REPEATED_CHARS_MAX = 80;

/** Sentences by patterns of messages; `$1` is what the first group of the pattern found. */
type Sentences = readonly [message: RegExp, sentence: string][];

const sentences = (table: string): Sentences =>
  linesOf(table, " => ").map(([message, sentence]) => [new RegExp(message), sentence]);

/** Returns a text, or the names of a list of them that are whole. */
const shortened = (text: string): string =>
  text.length <= REPEATED_CHARS_MAX
    ? text
    : text.slice(0, REPEATED_CHARS_MAX).replace(/(?<=.), [^,]*$/, "");

function sentenceOf(known: Sentences, said: string, message = said, text = ""): string | undefined {
  const [pattern, sentence] = known.find(([one]) => one.test(said)) ?? [];
  const found = pattern?.exec(said);
  const part = inHogql(pointedAt(message) ?? "");
  const isWritten = part !== "" && folded(text).includes(folded(part.replaceAll('"', "")));
  const where = isWritten ? `, at ${shortened(part)}` : "";
  return sentence?.replace(/\$(\d)|\{at\}/g, (_, at) =>
    at === undefined ? where : shortened(inHogql(found?.[at] ?? "")),
  );
}

/** Returns the part of the statement that DuckDB points at, or names; of a property its key. */
function pointedAt(message: string): string | undefined {
  const [, line = "", space = ""] = /\nLINE \d+: (.*)\n(\s*)\^/.exec(message) ?? [];
  const at = line.slice(space.length - "LINE 1: ".length);
  const [, key] = /^->> '\/?([^'/]+)'/.exec(at) ?? [];
  if (key !== undefined) return `"${key}"`;
  const [pointed] = /^["\w$.]+(?:\([^()]*\))?|^'[^']*'|^\S+/.exec(at) ?? [];
  return pointed ?? /^Binder Error: [\s\S]*?["'](.+?)["']/.exec(message)?.[1];
}

const OF_PARSER = sentences(String.raw`
syntax error at or near "([\s\S]*)"$ => The SQL is not understood at "$1"
syntax error at end of input => The SQL ends where more is expected
unterminated quoted => A quote is opened and not closed
unterminated .*comment => A comment is opened and not closed
SELECT clause without selection list => SELECT has no columns
`);

/** Returns a sentence on a message of DuckDB's parser, in words for people who do not know parsers, without its end. */
export const syntaxSentence = (message: string): string =>
  sentenceOf(OF_PARSER, message) ?? NOT_UNDERSTOOD;

const NOT_UNDERSTOOD = "The SQL is not understood";

const GROUP_ADVICE = ": a group has the number of its type, as in group_0.properties.sector";

/** Fails `invalid_input` for SQL that DuckDB's parser does not read. */
export function refuseUnread({ error_message, position }: Node, written?: Written): never {
  const text = written?.text ?? "";
  const message = String(error_message);
  if (message.startsWith("Only SELECT statements")) refuseOthers(tokensOf(text), true);
  if (/^Max expression depth|^memory exhausted/.test(message)) throw refused(SQL_DEPTH_DETAIL);
  const place =
    typeof position === "string" ? written?.placeOfMistake(Number(position)) : undefined;
  const at = place === undefined ? "" : ` ${place}`;
  const [, near = ""] = /near "([\s\S]*)"$/.exec(message) ?? [];
  // The caller did not send the words that others were rewritten to.
  const said = folded(text).includes(folded(near)) ? syntaxSentence(message) : NOT_UNDERSTOOD;
  const advice = /\bgroup\.properties\b/i.test(text) ? GROUP_ADVICE : signAdvice(text);
  throw refused(`${said}${at}${advice}.`);
}

const NO_PLAN =
  "This statement cannot be planned. Write it in another way: a query within a query as a JOIN, for example.";
/**
 * Returns the failure for an error of DuckDB before a statement runs. Returns undefined if the error is not about the
 * statement.
 */
export function bindFailure({ message }: Error, text = ""): Failure | undefined {
  // Unlike an internal error while a statement runs, it leaves the database as it is.
  if (/^(INTERNAL|Invalid|Serialization) Error: /.test(message)) return refused(NO_PLAN);
  const [found, kind] = /^(Binder|Catalog|Not implemented|Parser) Error: /.exec(message) ?? [];
  if (found === undefined) return undefined;
  const [said = ""] = message
    .slice(found.length)
    .split(/\n\nLINE |\n?\s*Candidate (?:functions|macros):/);
  const detail = said.replace(/\s+/g, " ").trim();
  if (kind === "Parser") return refused(`${syntaxSentence(detail)}.`);
  const [, table = "", column = ""] = NO_COLUMN.exec(detail) ?? [];
  const columns = Object.keys(SQL_VIEWS[table] ?? {}).join(", ");
  if (columns !== "")
    return refused(`There is no column "${column}" in ${table}: there are ${columns}.`);
  return refused(sentenceOf(OF_BINDER, detail, message, text) ?? NO_PLAN);
}

const NO_COLUMN = /^(?:Values list|Table) "(\w+)" does not have a column named "(.*?)"/;

const OF_BINDER = sentences(String.raw`
^(?:Values list|Table) "(\w+)" does not have a column named "(.*?)" => There is no column "$2" in $1. A property is written $1.properties.$2.
^Referenced column "arrayJoin \d+" => arrayJoin takes a list: write [1, 2], groupArray(x) or splitByChar(',', text).
^Referenced column "(.*?)" .*?not found.*?: (.*)$ => There is no column "$1" in these tables. Similar names: $2. A property is written properties.$1, a text in single quotes: '$1'.
^Referenced column "(.*?)" .*?not found => There is no column "$1" in these tables. A property is written properties.$1, a text in single quotes: '$1'.
^Referenced table "(.*?)" not found => There is no table "$1" in FROM here: before a dot stands the name that FROM gives.
GROUP BY ALL will only group => With GROUP BY ALL, ORDER BY takes selected columns alone, and no property: write GROUP BY 1, 2.
^column "(.*?)" must appear in the GROUP BY clause => Add "$1" to GROUP BY, or write any($1).
^column (\w+) must appear in the GROUP BY clause => HAVING knows no "$1": it takes selected names, those of GROUP BY, and aggregates such as count().
QUANTILE (?:can only take|requires|argument|parameter) => A level of a quantile is from 0 to 1: quantile(0.9)(x).
^Ambiguous reference to table => A table stands twice in FROM under one name: give one another with AS, as in events AS e.
^Key index (\d+) for struct_extract => A tuple has no part $1.
^Ambiguous reference to column name "(.*?)" => "$1" is a column of two tables: write the name of its table before it, as in e.$1.
^Cannot compare values of type TIMESTAMP.* and type INTEGER => A time is not compared with a number. A time is written in quotes: '2026-11-30'.
^Cannot (?:combine|compare|mix|concatenate) (?:(?:values|lists) of )?types? (?:of )?(.*?) (?:and|with|in|to)(?: type)? ([A-Z_]*[[\]]*) => A value of the type $1 does not go with one of $2: write toFloat(x), toString(x) or toDateTime(x) around one of them.
(?:LIST argument|lambda function binding|^Invalid lambda) => arrayMap and the like take a lambda and a list: split a text with splitByChar, or write JSONExtract(properties.tags, 'Array(String)').
'list_aggr\(|^ARRAY_SLICE can only|^Parameter type needs to be List => A function of arrays takes another list{at}: write [1, 2], groupArray(x) or splitByChar(',', text).
^Function '(\w+)' has a template parameter => "$1" takes a list: write [1, 2], groupArray(x) or splitByChar(',', text).
^Cannot deduce template type .*? in function: '(\w+)\( => "$1" takes a list and a value of the type that it has: write toFloat(x) or toString(x) around one of them.
^Macro "?(\w+)\(\)"? does not support => "$1" takes other arguments{at}, or as many as the docs say: write toFloat(x), toString(x) or toDateTime(x) around them.
^Slice with steps => arrayReverse takes a list: write reverse(x) for a text.
^The upper and lower bounds of the slice => arraySlice takes a list and two whole numbers: arraySlice(list, 1, 3).
^Scalar Function with name (\w+) does not exist => "$1" takes OVER: write $1(x) OVER (PARTITION BY distinct_id ORDER BY timestamp).
^json_object\(\) requires => json_object takes pairs of a key and a value: json_object('a', 1).
^Cannot extract field '(.*?)' from expression "(.*?)" => "$2" has no part "$1".
'(?:sum|avg)\(BOOLEAN\)' => A sum or average is of numbers: of a condition write countIf(condition) / count().
(?:argument types|function call) ['"](\W*\w*)\(\)['"] => "$1" takes at least one argument.
(?:argument types|function call) ['"](\W*\w*)\((.*?)\)['"] => "$1" does not take the types $2: write toFloat(x), toString(x) or toDateTime(x) around its arguments.
aggregate function calls cannot be nested => One aggregate is not within another: make the inner one in a subquery.
(WHERE|GROUP BY|FILTER|JOIN).* cannot contain (?:aggregates|window) => $1 has no aggregates and no OVER: conditions on them stand in HAVING or QUALIFY.
cannot contain (?:aggregates|window)|window functions? (?:are|is) not allowed => An aggregate or OVER is not allowed here: make it in a subquery.
same number of result columns => The SELECTs of UNION, EXCEPT and INTERSECT have the same number of columns.
^Subquery returns \d+ columns => A query that is a value, or in IN, selects one column.
^ORDER (?:BY )?(?:term )?out of range => ORDER BY has the number of a column that is not there.
^Duplicate alias "(.*?)" => Two tables are called "$1": give one another name with AS.
^Column "(.*?)" referenced that exists in the SELECT clause => "$1" is used before it is selected: write its expression, or select it in a subquery.
^Could not ORDER BY column => After UNION, ORDER BY takes names of columns: put the UNION in a subquery of FROM.
(?:UNNEST|unnest) => arrayJoin takes a list: split a text with splitByChar, or write JSONExtract(properties.tags, 'Array(String)').
aggregate => An aggregate stands where a value of a row is expected: make it in a subquery.
 => The SQL does not fit the tables, or the types of their columns{at}: toFloat(x), toString(x) and toDateTime(x) make one type of another.
`);

// DuckDB's messages while a statement runs may have stored values, so callers get only these sentences.
const FAULTS = sentences(String.raw`
${LIST_TOO_LONG} => groupArray and groupUniqArray collect at most ${LIST_VALUES_MAX} values: write groupArray(100)(x), or GROUP BY more.
(arrayCumSum takes at most \d+ values) => $1: write sum(x) OVER (ORDER BY timestamp) in a subquery.
^Invalid type Error: .*Invalid type for BETWEEN => One (a, b) is not compared with two bounds at once: compare a as well, or write one bound with OR.
^Invalid Input Error: More than one row returned by a subquery => A query that is a value has more than one row. Add LIMIT 1.
^Conversion Error: extract specifier  => A part of a date is not known: year, quarter, month, week, day, hour, minute, second and the like.
^Not implemented Error: Unknown TimeZone => A time zone is not known. They are named like Europe/Berlin.
^Invalid Input Error: Could not parse string  => A text is not in the format: parseDateTimeBestEffortOrNull(x) makes it NULL.
^Invalid Input Error: Failed to parse format => The format of a time is not understood.
^Invalid Input Error: (?:missing|invalid|unexpected|no argument|bad|trailing)  => The regular expression is not understood.
^Syntax Error:  => LIKE is not understood: its pattern ends with the character of ESCAPE, or that is no ASCII character.
^Out of Range Error: cannot take (.*?)(?: of a| of |$) => No $1 can be taken of some of the values: leave them out with WHERE.
^Out of Range Error|^Conversion Error: (?:Type|Casting) [\s\S]* out of range => A number is too large for its type: toFloat(x) makes room.
^Conversion Error: (?:invalid )?(?:timestamp|date) field => A text is no time{at}: write one such as '2026-11-30' or '2026-11-30 09:00:00', or now() - INTERVAL 7 DAY.
^Invalid Input Error: (\w+) is undefined (.*) => $1 takes no number $2: leave such values out with WHERE.
^Conversion Error: (?:Failed to cast value|Unable to cast) => All properties, or a part of JSON, stand where one value is expected{at}: write one, such as properties.plan.
^Conversion Error: Could not convert string [\s\S]* to '?BOOL => A text stands where a condition is expected{at}: compare it, as in properties.plan = 'pro', or write toBool(x), which is NULL where it is neither true nor false.
^Conversion Error: Could not convert string [\s\S]* to '?(?:U?\w*INT|DOUBLE|FLOAT|DECIMAL) => A text is no number{at}: toFloat(x) and toInt(x) make it NULL, and a number among texts has quotes, as in event = '100'.
^Conversion Error: Could not convert string [\s\S]* to '?INTERVAL => A text is no interval{at}: write INTERVAL 7 DAY.
^Conversion Error: Could not convert string [\s\S]* to '?UUID => A text is no UUID{at}: toUUID(x) makes it NULL.
^Conversion Error: Type VARCHAR with value [\s\S]* destination type => A text is no list{at}: split it with splitByChar(',', text), or write JSONExtract(properties.tags, 'Array(String)').
^Conversion Error: Unimplemented type for cast \((.*?) -> (?:TIMESTAMP|DATE) => A value of the type $1 is no time{at}: fromUnixTimestamp(x) makes one of seconds, toDateTime(x) of a text.
^Conversion Error: Unimplemented type for cast \((.*?) -> (.*?)\) => A value of the type $1 stands where $2 is expected{at}: toString(x), toFloat(x) and toDateTime(x) make another type of it.
^Invalid Input Error: Malformed JSON => A text is no JSON{at}: write properties, or a text such as '{"a": 1}'.
^Invalid Input Error: First argument of list aggregate|^Not implemented Error: Slice with steps => A function of arrays takes a list{at}: write [1, 2] or splitByChar(',', text), and reverse(x) for a text.
^Invalid Input Error: Sorting order => The order of a list is written out: array_sort(list, 'DESC').
^Invalid Input Error: Unrecognized Regex option => The options of a regular expression are letters, such as 'i'.
^Invalid Input Error: (?:Mismatch|Hamming) Function => hamming and mismatches take texts of the same length.
^Invalid Input Error: Jaccard Function => jaccard takes texts that are not empty.
^Invalid Input Error: JSON key cannot be NULL => A key of json_object is not null.
^(?:Conversion|Invalid Input|Not implemented|Out of Range) Error => A value cannot be converted or calculated with{at}: toFloat(x), toInt(x) and toDateTime(x) make it NULL.
`);

/** Returns the failure of a statement without memory. `long` is a property with long values that it reads. */
function withoutMemory(long: string | undefined): Failure {
  const more = "or start the server with more --memory or fewer --threads";
  if (long === undefined) {
    return refused(`The query takes too much memory. Select less, group by less, ${more}.`);
  }
  const name = JSON.stringify(long);
  const [what, part] =
    long === "*" ? ["all properties", "plan"] : [`the long values of ${name}`, name];
  return refused(
    `Reading ${what} takes too much memory. Select fewer events, or a part, such as substring(properties.${part}, 1, 100), ${more}.`,
  );
}

/**
 * Returns the failure for an error while a statement of a text ran; other errors unchanged. `long` is a property with
 * long values that it reads, `*` for any.
 */
export function failureOf(error: unknown, text = "", long?: string): unknown {
  if (isOutOfMemory(error)) return withoutMemory(long);
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const detail = sentenceOf(FAULTS, error.message, error.message, text);
  return detail === undefined ? error : refused(detail);
}
