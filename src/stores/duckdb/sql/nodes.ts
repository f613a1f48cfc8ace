import {
  comparison,
  constant,
  constantText,
  folded,
  isNode,
  lastName,
  MOMENT,
  type Node,
  nodesIn,
  numberIn,
  operator,
  rebuilt,
  TEXT,
  ZONE,
} from "./tree.ts";

/** Whether a node is the text of a property, or one of several of which none is of another type. */
export function isText(node: Node | undefined): node is Node {
  if (node === undefined) return false;
  if (node[TEXT] !== undefined) return node[TEXT] === "text" || node[TEXT] === "number";
  const choices = choicesOf(node);
  const isPlain = (one: Node) => constantText(one) !== undefined || one.value?.is_null === true;
  return choices.some(isText) && choices.every((one) => isText(one) || isPlain(one));
}

/** Functions that return some of the values of their first argument, which is a list. */
const KEEPING =
  /^(?:(?:list|array)_(?:slice|filter|distinct|reverse|sort|reverse_sort|concat|append)|hoglet_distinct)$/;

/** Functions that return a value of their first argument. */
const CHOOSING =
  /^(?:min|max|any_value|first|last|arg_?(?:min|max)|(?:min|max)_by|greatest|least|nullif|first_value|last_value|nth_value|lag|lead)$/;

/** Returns the expressions of which an expression returns one. */
function choicesOf(node: Node): Node[] {
  const { class: kind, type, children, case_checks: checks, else_expr: otherwise } = node;
  if (kind === "CASE")
    return [...nodesIn(checks).map((one) => one["then_expr"]), otherwise].filter(isNode);
  if (type === "OPERATOR_COALESCE") return nodesIn(children);
  return CHOOSING.test(nameOf(node)) ? nodesIn(children).slice(0, 1) : [];
}

/** Returns whether an expression is a list of texts that come of properties. */
export const isTextList = (node: Node): boolean => {
  if (node[TEXT] !== undefined) return node[TEXT] === "list";
  if (node.class === "CAST") return node.cast_type?.id === "LIST";
  const [first] = nodesIn(node.children);
  const name = nameOf(node);
  if (name === "list") return isText(first);
  const isKept = node.type === "ARRAY_SLICE" || KEEPING.test(name);
  return (isKept ? nodesIn([first]) : choicesOf(node)).some(isTextList);
};

const nameOf = ({ class: kind, function_name: name }: Node): string =>
  kind === "FUNCTION" || kind === "WINDOW" ? folded(name) : "";

/** Returns a look at an expression by its own words, and at those of which it returns one. */
const withChoices = (is: (node: Node) => boolean) => {
  const look = (node: Node): boolean => is(node) || choicesOf(node).some(look);
  return look;
};

/** Returns whether an expression is a list by its own words. */
export const isList = withChoices(
  (node) =>
    isTextList(node) ||
    /^(?:list(?:_(?:value|transform|filter|sort|distinct|zip|concat|slice))?|string_split\w*|regexp_(?:extract_all|split_to_array)|range)$/.test(
      nameOf(node),
    ),
);

const NUMBERS = /^(?:INTEGER|BIGINT|DECIMAL|DOUBLE|HUGEINT)$/;

const NUMBER_FUNCTIONS =
  /^(?:count|count_star|sum|avg|median|quantile_cont|len|length|strlen|round|floor|ceil|abs|date_?diff|[-+*/%]|\/\/)$/;

/** Functions that take a property as a number. */
export const OF_NUMBERS =
  /^(?:sum|avg|mean|median|(?:stddev|var)(?:_pop|_samp)?|variance|(?:approx_)?quantile(?:_cont|_disc)?|corr|covar_(?:pop|samp)|regr_\w+|skewness|kurtosis(?:_pop)?|sem|product|geomean|geometric_mean|w(?:eighted_)?avg|round(?:bankers)?|floor|ceil(?:ing)?|trunc|abs|sign|sqrt|cbrt|exp(?:2|10)?|hypot|ln|log(?:2|10|1p)?|positivemodulo|intdiv(?:orzero)?|moduloorzero|iszeroornull|bit(?:and|or|xor)|pow(?:er)?|[-+*/%]|\/\/|list_sum|list_avg)$/;

/** Functions that take a property as a time. */
export const OF_TIMES = /^date_?(?:diff|trunc)$/;

/** Aggregates that return what belongs to the least or the most of a value. */
export const ORDERED_BY = /^(?:arg_?(?:min|max)(?:_null)?|(?:min|max)_by)$/;

/** Returns whether an expression is a number by its own words. */
export const isNumber = withChoices((node) => {
  if (node.class === "CONSTANT") return NUMBERS.test(String(node.value?.type?.id));
  if (node.class === "CAST") return NUMBERS.test(String(node.cast_type?.id));
  return NUMBER_FUNCTIONS.test(nameOf(node)) && !isTime(node);
});

/** Returns whether an expression is a decimal number, which is rounded away from zero. */
export const isDecimal = withChoices(
  (node) =>
    node.cast_type?.id === "DECIMAL" ||
    (/^(?:sum|[-+*])$/.test(nameOf(node)) && nodesIn(node.children).some(isDecimal)),
);

/** Returns `true` or `false` by a property as the text that it is in typed filters, too; any other node as it is. */
export function besideText(node: Node): Node {
  const isCast = node.class === "CAST" && node.cast_type?.id === "BOOLEAN";
  const child = isCast && isNode(node["child"]) ? constantText(node["child"]) : undefined;
  const written: unknown = isCast ? child : node.value?.value;
  const isTruth = isCast ? /^(?:t|f|true|false)$/i.test(child ?? "") : typeof written === "boolean";
  if (!isTruth) return node;
  const text = /^t/i.test(String(written)) ? "true" : "false";
  return { ...constant(text), query_location: node.query_location ?? 0 };
}

/** Returns whether an expression is a date without a time by its own words. */
export const isDate = withChoices(
  (node) =>
    node[MOMENT] === "date" ||
    node.cast_type?.id === "DATE" ||
    /^(?:today|current_date|last_day|make_date)$/.test(nameOf(node)),
);

/** Returns the zone whose clock an expression is on, if it is another one than that of the project. */
export const zoneOf = (node: Node): string | undefined =>
  node[ZONE] ?? choicesOf(node).map(zoneOf).find(Boolean);

const OF_DAYS = /^to_(?:day|week|month|quarter|year)s$/;

/** Returns the unit of an interval: `day` of whole days, `time` of others; undefined of all else. */
export function intervalOf(node: Node): "day" | "time" | undefined {
  const name = nameOf(node);
  if (node.cast_type?.id === "INTERVAL") {
    return /hour|min|sec|:/i.test(constantText(node["child"] as Node) ?? ":") ? "time" : "day";
  }
  if (name === "*") return nodesIn(node.children).map(intervalOf).find(Boolean);
  if (OF_DAYS.test(name)) return "day";
  return /^to_\w+s$/.test(name) ? "time" : undefined;
}

const TIME_COLUMNS = /^(?:timestamp|ingested_at|.*created_at|\$(?:start|end)_timestamp)$/;

const TIME_FUNCTIONS =
  /^(?:now|today|current_date|get_current_timestamp|date_?trunc|time_bucket|timezone|to_(?:second|minute|hour|day|week|month|quarter|year)s)$/;

/** Returns whether an expression is a column of times. */
export const isTimeColumn = (node: Node | undefined): boolean => TIME_COLUMNS.test(lastName(node));

/** Returns whether an expression is a time or an interval by its own words. */
export const isTime = withChoices((node) => {
  if (node.class === "COLUMN_REF") return node[MOMENT] !== undefined || isTimeColumn(node);
  if (node.class === "CAST")
    return /^(?:TIMESTAMP|DATE$|INTERVAL)/.test(String(node.cast_type?.id));
  const name = nameOf(node);
  return TIME_FUNCTIONS.test(name) || (/^[-+]$/.test(name) && nodesIn(node.children).some(isTime));
});

/** Returns whether an expression is `TIMESTAMP '…'`, with or without an interval. */
export function isPlainTime(node: Node): boolean {
  const { class: kind, function_name: name, children, child } = node;
  if (kind !== "CAST") return /^[+-]$/.test(String(name)) && nodesIn(children).some(isPlainTime);
  return node.cast_type?.id === "TIMESTAMP" && isNode(child) && child.class === "CONSTANT";
}

/** Returns the first of two expressions that is known, with the name and place of the second. */
export const both = (first: Node, second: Node): Node =>
  operator("OPERATOR_COALESCE", [first, second], second);

/** Returns a condition that is met where both are, of which none may be there. */
export const bothMet = (one: unknown, other: unknown): Node | null => {
  const [first, ...more] = [one, other].filter(isNode);
  return more.length === 0 ? (first ?? null) : operator("CONJUNCTION_AND", nodesIn([one, other]));
};

/** Returns NOT of a condition; it is true where the condition is not known. */
export const negated = (condition: Node, at: Node): Node =>
  comparison("COMPARE_DISTINCT_FROM", condition, constant(true), at);

/** Returns IN. Of a list of numbers and others a property is a number for the numbers, and a text for the others. */
export function foundAmong(
  at: Node,
  value: Node,
  list: readonly Node[],
  asNumber: (value: Node) => Node,
): Node {
  const within = (one: Node, some: readonly Node[]) => operator("COMPARE_IN", [one, ...some], at);
  const numbers = list.filter(isNumber);
  const texts = isText(value) ? list.map(besideText) : list;
  const others = texts.filter((one) => !isNumber(one));
  if (others.length === 0) return within(asNumber(value), list);
  if (!isText(value) || numbers.length === 0) return within(value, texts);
  const both = [within(asNumber(value), numbers), within(value, others)];
  return operator("CONJUNCTION_OR", both, at);
}

const OPPOSITES = [
  "EQUAL NOTEQUAL",
  "LESSTHAN GREATERTHANOREQUALTO",
  "GREATERTHAN LESSTHANOREQUALTO",
]
  .map((pair) => pair.split(" ").map((one) => `COMPARE_${one}`))
  .flatMap(([one = "", other = ""]): [string, string][] => [
    [one, other],
    [other, one],
  ]);
const OPPOSITE_OF: ReadonlyMap<unknown, string> = new Map(OPPOSITES);

/**
 * Returns the NOT of which the parser made another comparison, which is no more met where a value is missing;
 * undefined of others. The place of a comparison is its sign, that of such a NOT is before its sides.
 */
export function turned(node: Node): Node | undefined {
  const { query_location: at, left } = node;
  const type = OPPOSITE_OF.get(node.type);
  // A comparison that the parser made itself has no place: the largest number, which is no number here.
  if (type === undefined || typeof at !== "number") return undefined;
  const places: number[] = [];
  rebuilt(left, ({ query_location: place }) => typeof place === "number" && places.push(place));
  const first = Math.min(...places);
  if (!(at < first) || places.length === 0) return undefined;
  return operator("OPERATOR_NOT", [{ ...node, type, query_location: first }], node);
}

/** Returns a LIKE or NOT LIKE, whose pattern may have the escapes of ClickHouse; undefined of all else. */
export function likeOf(node: Node): Node | undefined {
  const [, not, name] = /^(!|not_)?(~~\*?|i?like_escape)$/.exec(folded(node.function_name)) ?? [];
  if (name === undefined) return undefined;
  const args = nodesIn(node.children);
  const isEscaped = name.startsWith("~") && /\\[%_\\]/.test(constantText(args[1]) ?? "");
  if (not === undefined && !isEscaped) return node;
  const escaping = name === "~~" ? "like_escape" : "ilike_escape";
  const like: Node = {
    ...{ ...node, function_name: isEscaped ? escaping : name, is_operator: false },
    children: isEscaped ? [...args, constant("\\")] : args,
  };
  return not === undefined ? like : negated(like, node);
}

/** Returns `numbers(3)` of FROM as a range with a column of that name. */
export function numbersTable(table: Node): Node {
  const { function: call, column_name_alias: names } = table;
  if (!isNode(call) || folded(call.function_name) !== "numbers") return table;
  const [from, count] = nodesIn(call.children);
  const to = constant(numberIn(from) + numberIn(count));
  const children = from === undefined || count === undefined ? call.children : [from, to];
  return {
    ...{ ...table, alias: table.alias || "numbers" },
    function: { ...call, function_name: "range", children },
    column_name_alias: Array.isArray(names) && names.length > 0 ? names : ["number"],
  };
}

const ROW_NUMBER = {
  ...{ class: "WINDOW", type: "WINDOW_ROW_NUMBER", alias: "", query_location: 0 },
  ...{ function_name: "row_number", schema: "", catalog: "", children: [], arg_orders: [] },
  ...{ start: "UNBOUNDED_PRECEDING", end: "CURRENT_ROW_RANGE", start_expr: null, end_expr: null },
  ...{ offset_expr: null, default_expr: null, filter_expr: null, ignore_nulls: false },
  ...{ distinct: false, exclude_clause: "NO_OTHER" },
};

const isLimitBy = ({ expression: by }: Node) => isNode(by) && by.function_name === "limit by";

/** Returns a SELECT whose LIMIT … BY, which its ORDER BY has as a call, is a condition on numbers of rows. */
export function limitedBy(node: Node): Node {
  const modifiers = nodesIn(node["modifiers"]);
  const sorted = modifiers.flatMap((one) => nodesIn(one["orders"]));
  const limit = sorted.find(isLimitBy)?.["expression"];
  if (!isNode(limit)) return node;
  const [most, skipped, ...partitions] = nodesIn(limit.children);
  const orders = sorted.filter((order) => !isLimitBy(order));
  const window = { ...ROW_NUMBER, partitions, orders };
  const from = numberIn(skipped);
  const { qualify } = node;
  const conditions = [
    ...(isNode(qualify) ? [qualify] : []),
    ...(from > 0 ? [comparison("COMPARE_GREATERTHAN", window, constant(from))] : []),
    comparison("COMPARE_LESSTHANOREQUALTO", window, constant(from + numberIn(most))),
  ];
  const rest = modifiers
    .map((one) => (one.type === "ORDER_MODIFIER" ? { ...one, orders } : one))
    .filter((one) => one.type !== "ORDER_MODIFIER" || orders.length > 0);
  return {
    ...{ ...node, modifiers: rest },
    qualify: conditions.length === 1 ? conditions[0] : operator("CONJUNCTION_AND", conditions),
  };
}
