import { ownValue } from "../../../core/values/json.ts";
import { SQL_FUNCTIONS } from "./allowed.ts";
import { HOGQL_AGGREGATES, HOGQL_RENAMED } from "./hogql/functions.ts";
import { isCondition, SPECIAL_CALLS } from "./hogql/special-calls.ts";
import type { From } from "./names.ts";
import {
  both,
  intervalOf,
  isDate,
  isNumber,
  isPlainTime,
  isTime,
  isTimeColumn,
  likeOf,
  negated,
  withKeys,
} from "./nodes.ts";
import { filled, type Templates } from "./templates.ts";
import {
  caseOf,
  constant,
  constantText,
  folded,
  isNode,
  lastName,
  MOMENT,
  type Node,
  named,
  nodesIn,
  operator,
  refuse,
  TEXT,
  unnamed,
} from "./tree.ts";

/** Functions that take a property as a number, and as a time; and others that order values. */
const OF_NUMBERS =
  /^(?:sum|avg|median|(?:stddev|var)_(?:pop|samp)|quantile|quantile_cont|round|floor|ceil|abs|[-+*/%]|\/\/|list_sum|list_avg)$/;
const OF_TIMES = /^date_?(?:diff|trunc)$/;
const ORDERED_BY = /^(?:arg_?(?:min|max)|(?:min|max)_by)$/;

/** Whether a node is the text of a property. */
const isText = (node: Node | undefined): node is Node => node?.[TEXT] !== undefined;

/** Gives texts of properties the type that is meant, and conditions the truth of a missing value. */
export class Typing {
  readonly #templates: Templates;

  constructor(templates: Templates) {
    this.#templates = templates;
  }

  item(name: string, args: readonly Node[], at: Node): Node {
    return filled(this.#templates.items[name], args, at);
  }

  /** Makes a property a number or a time. */
  #as(type: "double" | "time", node: Node): Node {
    const isBounce = lastName(node).endsWith("$is_bounce");
    return isText(node) || (type === "double" && isBounce) ? this.item(type, [node], node) : node;
  }

  /** Returns a call of HogQL as one of DuckDB. */
  call(written: Node, from: From): Node {
    const node = renamed(written);
    const name = String(node.function_name);
    const args = nodesIn(node.children);
    const special = ownValue(SPECIAL_CALLS, name)?.(args, node);
    if (special === undefined) {
      return this.#ofTime(node, name, args) ?? this.#macro(node, name, args, from);
    }
    const { alias = "", query_location = 0 } = node;
    const filter = bothMet(special["filter"], node["filter"]);
    if (special.class !== "FUNCTION") {
      return this.operator({ ...special, alias, query_location }, from);
    }
    const children = nodesIn(special.children).map((arg) =>
      arg.class === "FUNCTION" && arg.query_location === 0 ? this.call(arg, from) : arg,
    );
    return this.call({ ...special, children, filter, alias, query_location }, from);
  }

  /** A time of a table in UTC, or in another zone; what it is depends on the column. */
  #ofTime(node: Node, name: string, [first, second]: Node[]): Node | undefined {
    if (first === undefined || second === undefined) return undefined;
    const isUtc = name === "timezone" && constantText(first) === "UTC";
    if (isUtc && isTimeColumn(second)) return this.item("instant", [second], node);
    const isZoned = name === "todatetime" && isTime(first);
    return isZoned ? this.#function("totimezone", [first, second], node) : undefined;
  }

  #function(name: string, args: readonly Node[], at: Node): Node | undefined {
    const template = this.#templates.functions[`${name}/${args.length}`];
    return template === undefined ? undefined : filled(template, args, at);
  }

  #macro(node: Node, name: string, args: Node[], from: From): Node {
    if (isNode(node["filter"]) || node["distinct"] === true) return this.called(node);
    const made = this.#function(name, name.startsWith("json") ? withKeys(args) : args, node);
    if (made !== undefined) return this.#finished(made, from);
    if (SQL_FUNCTIONS.has(name)) return this.called(node);
    const filtered = this.#filtered(node, name, args, from);
    if (filtered !== undefined) return filtered;
    const known = Object.keys(this.#templates.functions).map((key) => key.split("/"));
    const counts = known.filter(([one]) => one === name).map(([, count]) => count);
    if (counts.length === 0) return this.called(node);
    const detail = `The function ${named(name)} takes ${counts.join(" or ")} arguments here.`;
    return refuse(detail, node);
  }

  /** An aggregate with `If` and a condition. */
  #filtered(node: Node, name: string, args: Node[], from: From): Node | undefined {
    const base = name.replace(/if(\(\))?$/, "$1");
    const filter = args.at(-1);
    const rest = args.slice(0, -1);
    const value = rest.at(-1);
    if (base === name || filter === undefined || value === undefined) return undefined;
    if (/^group(?:uniq)?array/.test(base)) {
      const only = caseOf([[filter, value]], constant(null));
      return this.call(
        { ...node, function_name: base, children: [...rest.slice(0, -1), only] },
        from,
      );
    }
    if (!HOGQL_AGGREGATES.has(base)) return undefined;
    const call = { ...node, function_name: base, children: rest };
    const whole = this.call(call, from);
    const made =
      whole.class === "FUNCTION"
        ? { ...whole, filter: bothMet(whole["filter"], filter) }
        : this.call({ ...call, filter }, from);
    // A sum of nothing is 0 in ClickHouse.
    return base === "sum" ? this.item("sum", [made], node) : made;
  }

  /** A macro whose comparison or function takes what its arguments are. */
  #finished(node: Node, from: From): Node {
    if (node.class === "COMPARISON") return this.comparison(node, from);
    if (node.class === "OPERATOR") return this.operator(node, from);
    return node.class === "FUNCTION" ? this.called(node) : node;
  }

  /** Makes the properties among the arguments of a function numbers or times. */
  called(node: Node): Node {
    const like = likeOf(node);
    if (like !== undefined) return like;
    const name = folded(node.function_name);
    const args = nodesIn(node.children);
    if (name === "greatest" || name === "least") return this.#compared(node, args);
    if (/^m(?:in|ax)$/.test(name) || ORDERED_BY.test(name)) return this.#ordered(node, name, args);
    const isSum = /^[+-]$/.test(name);
    const moved = isSum ? this.#moved(node, args) : undefined;
    if (moved !== undefined) return moved;
    const isOfTime = OF_TIMES.test(name) || (isSum && args.some(isTime));
    if (!isOfTime && !OF_NUMBERS.test(name)) return node;
    const children = args.map((arg) =>
      isSum && isOfTime && constantText(arg) !== undefined
        ? this.item("time", [arg], arg)
        : this.#as(isOfTime ? "time" : "double", arg),
    );
    return this.#inWeeks(node, children) ?? { ...node, children };
  }

  /** A sum or difference with a date or a time: a number is of days of a date, and of seconds of a time. */
  #moved(node: Node, [first, second]: Node[]): Node | undefined {
    if (first === undefined || second === undefined) return undefined;
    const [point, by] = isPoint(first) ? [first, second] : [second, first];
    if (!isPoint(point)) return undefined;
    if (isPoint(by)) return this.#between(node, first, second);
    const made = (time: Node, other: Node) => {
      return { ...node, children: point === first ? [time, other] : [other, time] };
    };
    const interval = intervalOf(by);
    if (!isDate(point)) {
      const isOfSeconds = interval === undefined && isNumber(by);
      return isOfSeconds ? made(point, this.item("seconds", [by], by)) : undefined;
    }
    if (interval === "day") return this.item("date", [unnamed(node)], node);
    if (interval === "time") return made(this.item("time", [point], point), by);
    return { ...made(point, this.item("days", [by], by)), [MOMENT]: "date" };
  }

  /** Days between dates, or seconds between times. */
  #between(node: Node, first: Node, second: Node): Node | undefined {
    if (isDate(first) && isDate(second)) return this.item("days", [unnamed(node)], node);
    return node.function_name === "-" ? this.item("apart", [first, second], node) : undefined;
  }

  /** dateDiff of weeks counts Mondays, and may name a zone. */
  #inWeeks(node: Node, [unit, from, to, zone]: Node[]): Node | undefined {
    if (unit === undefined || from === undefined || to === undefined) return undefined;
    const [first, last] = [from, to].map((time) =>
      zone === undefined ? time : (this.#function("totimezone", [time, zone], time) ?? time),
    ) as [Node, Node];
    if (/^weeks?$/.test(folded(constantText(unit)))) return this.item("weeks", [first, last], node);
    return zone === undefined ? undefined : { ...node, children: [unit, first, last] };
  }

  /** As `called`, for a function with OVER. */
  windowed(written: Node): Node {
    const node = renamed(written);
    const { function_name: name, children } = node;
    if (/^m(?:in|ax)$/.test(String(name)) && nodesIn(children).some(isText)) {
      const detail = `${name} of a property with OVER: write ${name}(toFloat(…)) for numbers, ${name}(toString(…)) for texts.`;
      refuse(detail, node);
    }
    return { ...node, children: nodesIn(this.called({ ...node, class: "FUNCTION" }).children) };
  }

  #compared(node: Node, args: Node[]): Node {
    if (!args.every(isText)) return this.sameTyped(node);
    const children = args.map((arg) => this.#as("double", arg));
    const numbers = this.item("text", [{ ...node, children }], node);
    return { ...both(numbers, node), [TEXT]: "number" };
  }

  /** The smallest, the largest, or what belongs to it, by number, or by text where there are no numbers. */
  #ordered(node: Node, name: string, [first, second]: Node[]): Node {
    const isExtreme = !ORDERED_BY.test(name);
    const by = isExtreme ? first : second;
    if (first === undefined || !isText(by)) return node;
    const children = [first, this.#as("double", by)];
    const function_name = isExtreme ? `arg_${name}` : name;
    const made = both({ ...node, function_name, children }, node);
    return isText(first) ? { ...made, [TEXT]: "number" } : made;
  }

  /** Makes properties that stand together in some fields, or as children, numbers or times, if another part is one. */
  sameTyped(node: Node, fields: readonly string[] = []): Node {
    const parts = fields.length > 0 ? fields.map((field) => node[field]) : nodesIn(node.children);
    const nodes = parts.filter(isNode);
    const isOfTime = !nodes.some(isNumber);
    if (isOfTime && !nodes.some(isTime)) return node;
    const isLocal = nodes.some(isTimeColumn) && !this.#templates.isUtc;
    const typed = nodes.map((part) =>
      isLocal && isPlainTime(part)
        ? this.item("utc", [part], part)
        : this.#as(isOfTime ? "time" : "double", part),
    );
    if (fields.length === 0) return { ...node, children: typed };
    return { ...node, ...Object.fromEntries(fields.map((field, index) => [field, typed[index]])) };
  }

  /** A comparison. A missing value is not equal to any; two properties are compared as numbers if they are. */
  comparison(node: Node, { isJoin }: From): Node {
    const { type = "", left, right } = node;
    const isOfNull = [left, right].some((side) => side?.value?.is_null === true);
    const types: Record<string, string> = {
      ...(isJoin ? {} : { COMPARE_NOTEQUAL: "COMPARE_DISTINCT_FROM" }),
      ...(isOfNull ? { COMPARE_EQUAL: "COMPARE_NOT_DISTINCT_FROM" } : {}),
    };
    const made = { ...node, type: types[type] ?? type };
    if (!(isText(left) && isText(right) && /GREATER|LESS/.test(type))) {
      return this.sameTyped(made, ["left", "right"]);
    }
    const numbers = { left: this.#as("double", left), right: this.#as("double", right) };
    return both({ ...made, ...numbers }, made);
  }

  /** IN, NOT IN and NOT, which is true of a condition that is not known. */
  operator(node: Node, { isJoin }: From): Node {
    const [child, ...others] = nodesIn(node.children);
    const [, place] = /^[.](\d+)$/.exec(constantText(others[0]) ?? "") ?? [];
    if (child !== undefined && place !== undefined) {
      return this.item("part", [unnamed(child), constant(Number(place))], node);
    }
    if (child === undefined || isJoin) return node;
    if (node.type === "OPERATOR_NOT") return isCondition(child) ? negated(child, node) : node;
    if (node.type !== "COMPARE_NOT_IN" && node.type !== "COMPARE_IN") return node;
    const value = others.every(isNumber) ? this.#as("double", child) : child;
    const found = { ...node, type: "COMPARE_IN", children: [value, ...others] };
    return node.type === "COMPARE_IN" ? found : negated(found, node);
  }
}

/** Returns a condition that is met where both are, of which none may be there. */
const bothMet = (one: unknown, other: unknown): Node | null => {
  const [first, ...more] = [one, other].filter(isNode);
  return more.length === 0 ? (first ?? null) : operator("CONJUNCTION_AND", nodesIn([one, other]));
};

const isPoint = (node: Node) => isTime(node) && intervalOf(node) === undefined;

function renamed(node: Node): Node {
  const name = folded(node.function_name);
  return { ...node, function_name: HOGQL_RENAMED.get(name) ?? name };
}
