import { adviceOf, linesOf } from "../../../../core/values/instead.ts";
import { ownValue } from "../../../../core/values/json.ts";
import { SQL_FUNCTIONS } from "../allowed.ts";
import { folded, type Node, named, refuse } from "../tree.ts";

/** Functions of ClickHouse and PostHog that are not taken, in lower case, and what to write instead. */
export const HOGQL_REFUSED = adviceOf(`
windowfunnel: ask a funnel insight, or compare minIf(timestamp, …) of each step
sequencematch sequencecount retention: ask a funnel or retention insight
anylast: write argMax(value, timestamp)
grouparraysample grouparraymovingavg grouparraymovingsum: write groupArray(10)(x)
arrayenumerateuniq arrayenumeratedense arrayreduceinranges arrayauc arrayreversefill arrayreversesplit arraycumsumnonnegative arrayrotateright arrayrotateleft arraywithconstant emptyarraytosingle arraypartialsort mapfromarrays grouparrayinsertat arrayfold arraycompact arraylastindex arrayresize arrayfill arraysplit summap maxmap minmap map mapkeys mapvalues mapcontains: write arrayJoin(list) in a subquery, which makes rows, and window functions over them
jsonextractkeysandvalues jsonextractkeysandvaluesraw: write JSONExtractKeys(properties), and properties['plan'] for the value of one
jsontype: write JSONExtractRaw(properties, 'plan'), which begins with [ for a list and with { for an object
visitparamextractstring visitparamextractint visitparamextractfloat visitparamextractraw visitparamhas simplejsonextractstring simplejsonextractint simplejsonextractfloat simplejsonextractraw simplejsonhas: write JSONExtractString(properties, 'plan')
transform: write CASE value WHEN 'a' THEN 'b' ELSE value END
multisearchany multimatchany: write match(text, 'one|other')
countsubstrings countsubstringscaseinsensitive countmatches: write length(splitByString('part', text)) - 1
replaceone: write replaceRegexpOne(text, 'a[.]b', 'c')
initcap: write concat(upper(left(text, 1)), substring(text, 2))
formatreadablequantity formatreadabletimedelta: select the number itself
parsedatetime: write parseDateTimeBestEffort(text)
base64encode base64decode: texts are not decoded here: md5(text) and hex(text) are
dictget dictgetordefault: there are no dictionaries: write CASE value WHEN 'a' THEN 'b' END
neighbor: write lag(value) OVER (ORDER BY timestamp)
runningdifference: write value - lag(value) OVER (ORDER BY timestamp)
runningaccumulate: write sum(value) OVER (ORDER BY timestamp)
cityhash64 siphash64 xxhash64 halfmd5 farmhash64: hashes of ClickHouse are not the same here: write hash(value) or md5(text)
sparkline bar recording_button recordingbutton explain_insight: charts are not drawn in cells: select the numbers
repeat lpad rpad leftpad rightpad space: texts are not made longer here: write concat(a, b)
string_agg group_concat groupconcat listagg: write arrayStringConcat(groupArray(x), ', ')
array_agg grouparrayarray: write groupArray(x)
hassubstr: write hasAll(list, [a, b])
accuratecast accuratecastornull: write CAST(x AS Int64), or toIntOrNull(x)
tofixedstring: write toString(x)
totime: write formatDateTime(timestamp, '%T')
toyearweek: write formatDateTime(timestamp, '%G-%V')
tolastdayofweek: write toStartOfWeek(timestamp) + 6
tostartofisoyear: write toMonday(makeDate(toISOYear(timestamp), 1, 4))
date_bin timeslots: write toStartOfInterval(timestamp, INTERVAL 15 MINUTE)
date_subtract make_interval: write timestamp - INTERVAL 7 DAY
clock_timestamp: write now()
timezoneof timezoneoffset: times are on the clock of the project: write toTimeZone(timestamp, 'Europe/Berlin') for another
splitbynonalpha tokens ngrams: write splitByRegexp('[^a-zA-Z0-9]+', text)
regexpextract: write extract(text, 'id=([0-9]+)')
extractallgroupshorizontal extractgroups: write extractAll(text, '[0-9]+') of each group
multisearchallpositions multisearchfirstindex: write position(text, 'part') of each part
levenshteindistance dameraulevenshteindistance jarosimilarity ngramdistance soundex fuzzymatch: texts are not compared by likeness here: write lower(a) = lower(b), or a ILIKE '%part%'
initcaputf8: write concat(upper(left(text, 1)), substring(text, 2))
format: write concat(a, ' and ', b)
unhex base58encode trybase64decode reinterpretasuint8 convertcharset: texts are not decoded here: md5(text) and hex(text) are
firstsignificantsubdomain cuttofirstsignificantsubdomain netloc cutwww: write domainWithoutWWW(url)
querystringandfragment: write concat(queryString(url), '#', fragment(url))
extracturlparameters extracturlparameternames cuturlparameter: write extractURLParameter(url, 'q') for the value of one
urlhierarchy urlpathhierarchy: write splitByChar('/', path(url))
isipv4string isipv6string ipv4numtostring ipv4stringtonum ipv6numtostring ipv4cidrtorange isipaddressinrange: write match(text, '^10[.]'), for addresses are texts here
quantileexact quantileexactlow quantiletdigest quantiledeterministic quantiletiming quantileexactweighted quantilesexact: write quantile(0.9)(x)
medianexact: write median(x)
sumwithoverflow: write sum(x)
anyheavy: write topK(1)(x)
topkweighted: write topK(10)(x)
uniqtheta uniqupto: write uniq(x)
deltasum deltasumtimestamp exponentialmovingaverage: write value - lag(value) OVER (ORDER BY timestamp) in a subquery
throwif indexhint: it says nothing about events: leave it out
bittest bitnot bitshiftleft bitshiftright: write bitAnd(x, 4) > 0, or x * 4 and intDiv(x, 4)
geodistance greatcircledistance pointinpolygon geohashencode: there are no places here: compare the coordinates
rounddown roundduration roundage roundtoexp2: write floor(x / 10) * 10
histogram: write floor(x / 10) * 10 AS part, count() and GROUP BY part
sumstate uniqstate countstate avgstate summerge uniqmerge avgmerge countmerge: there are no states: write the aggregate itself, such as uniq(x) or avg(x)
sleep version hostname currentdatabase: it says nothing about events: leave it out
incohort notincohort: there are no cohorts here: write the condition, such as person.properties.plan = 'pro'
simplelinearregression stochasticlinearregression: write regr_slope(y, x) and regr_intercept(y, x)
matchesaction: there are no actions here: write the condition, such as event = '$autocapture'
gettraffictype gettrafficcategory islikelybot getbottype getbotname: there is no list of bots: write a condition, such as properties.$user_agent ILIKE '%bot%'
lookupdomaintype lookuppaidsourcetype lookuppaidmediumtype: write multiIf(properties.utm_medium = 'cpc', 'Paid', …)
convertcurrency: amounts of other currencies are not converted: GROUP BY the currency
survey_response getsurveyresponse uniquesurveysubmissionsfilter: write properties.$survey_response
`);

/** Columns that PostHog has and that are not kept here, and what to write instead. */
export const HOGQL_COLUMNS_REFUSED = adviceOf(`
is_identified: write id IN (SELECT person_id FROM events WHERE event = '$identify')
$channel channel_type: write $channel_type of sessions, or session.$channel_type of events
elements_chain_href elements_chain_texts elements_chain_ids elements_chain_elements: write extract(elements_chain, 'href="(.*?)"')
`);

/** Syntax of ClickHouse and PostHog that is refused, with the SQL to write instead; `''` stands for any text. */
export const HOGQL_SYNTAX_REFUSED: readonly [syntax: RegExp, advice: string][] = linesOf(String.raw`
\bin\s+cohort\b: IN COHORT is not taken, for there are no cohorts: write the condition, such as person.properties.plan = 'pro'.
\bsample\s+[\d.]: SAMPLE is not taken: leave it out, or write a condition such as hash(uuid) % 10 = 0.
\bsettings\s+\w+\s*=|\bformat\s+\w+\s*;?\s*$: SETTINGS and FORMAT are not taken: leave them out; ?format=csv of the address makes CSV.
\bwith\s+recursive\b: WITH RECURSIVE is not taken: numbers(10) and range(1, 11) make rows, and window functions such as lag() read those before.
\bwith\s+(?:totals|rollup|cube|fill|ties)\b: WITH TOTALS, ROLLUP, CUBE, FILL and TIES are not taken: write GROUP BY ROLLUP (a, b) for sums, and join range() for days without events.
\bwith\s+(?:['\d[]|\(\s*select): WITH takes queries: write WITH name AS (SELECT 1), or put the value in its place, or send it in values as {name}.
\b(?:asof|paste|any)\s+(?:left|inner|join)\b: ASOF, ANY and PASTE JOIN are not taken: write JOIN, and QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1.
(?<![\w$])f'': A text f'a{b}' is not taken: write concat('a', b).
\[[^\]]*\sfor\s+\w+\s+in\b: A list [f(x) for x in list] is not taken: write arrayMap(x -> f(x), list).
(?<=[\w)'] )(?<!\b(?:select|distinct|as|by|and|or|not|when|where|then|else|in) )xor\s*[\w('"]: a XOR b is not taken: write a != b of two conditions, bitXor(a, b) of two numbers.
(?<=[\w)'] )(?<!\b(?:select|distinct|as|by|and|or|not|when|where|then|else|in) )(?:div|mod)\s+[\w('"]: a DIV b and a MOD b are not taken: write intDiv(a, b) and a % b.
<=>: a <=> b is not taken: write a IS NOT DISTINCT FROM b.
!(?![=~]): ! is not taken before a condition: write NOT.
(?<!\?)\?(?!\?): a ? b : c is not taken: write if(a, b, c).
`).map(([syntax, advice]) => [new RegExp(syntax), advice]);

/** Returns a call; fails for a function of ClickHouse that is not taken. */
export function known(node: Node): Node {
  const written = String(node.function_name).replace(/\(\)$/, "");
  const name = folded(written);
  const advice = [name, name.replace(/if$/, "")]
    .map((one) => ownValue(HOGQL_REFUSED, one))
    .find((one) => one !== undefined);
  if (advice === undefined || SQL_FUNCTIONS.has(name)) return node;
  return refuse(`The function ${named(written)} is not taken: ${advice}.`, node);
}

/** The refusal of a list of ARRAY JOIN without a name. */
export const UNNAMED = "A list of ARRAY JOIN has a name: splitByChar(',', properties.tags) AS tag.";

/** The refusal of braces without a name. */
export const BRACES = "In braces stands a name: {filters}, {variables.name} or {name} of `values`.";
