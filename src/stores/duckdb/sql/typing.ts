import { isObject, type Json, type JsonObject } from "../../../core/values/json.ts";
import { SQL_FUNCTIONS } from "./allowed.ts";
import { folded, named, nodesIn, refuse } from "./extent.ts";
import { HOGQL_AGGREGATES, HOGQL_RENAMED } from "./functions.ts";
import type { From } from "./names.ts";
import {
  both,
  isBounce,
  isNull,
  isNumber,
  isPlainTime,
  isTime,
  likeOf,
  negated,
  withKeys,
} from "./nodes.ts";
import { called, constant, constantText, isCondition, SPECIAL_CALLS } from "./special-calls.ts";
import { filler, type Templates } from "./templates.ts";

/** Functions that take a property as a number, and as a time; and others that order values. */
const OF_NUMBERS = new Set(
  `sum avg median stddev_pop stddev_samp var_pop var_samp quantile_cont quantile round floor ceil abs
  + - * / % // list_sum list_avg`.split(/\s+/),
);
const OF_TIMES = new Set(["date_diff", "datediff", "date_trunc", "datetrunc"]);
const EXTREMES = new Map([
  ["min", "arg_min"],
  ["max", "arg_max"],
]);
const ORDERED_BY = new Set(["arg_min", "arg_max", "argmin", "argmax", "min_by", "max_by"]);

/** Gives texts of properties the type that is meant, and conditions the truth of a missing value. */
export class Typing {
  /** Texts of a property, and texts that an answer shows as a number if they are one. */
  readonly properties = new WeakSet<object>();
  readonly extremes = new WeakSet<object>();
  readonly fill: ReturnType<typeof filler>;
  readonly #templates: Templates;
  readonly #text: string;

  constructor(templates: Templates, text: string) {
    this.#templates = templates;
    this.#text = text;
    this.fill = filler(text);
  }

  item(name: string, args: readonly JsonObject[], at: JsonObject): JsonObject {
    return this.fill(this.#templates.items[name] as JsonObject, args, at);
  }

  /** Marks the text of a property. */
  marked(node: JsonObject): JsonObject {
    this.properties.add(node);
    return node;
  }

  /** Makes a property a number or a time. */
  as(type: "double" | "time", node: Json): Json {
    if (!isObject(node)) return node;
    const isAs = this.properties.has(node) || (type === "double" && isBounce(node));
    return isAs ? this.item(type, [node], node) : node;
  }

  /** Returns a call of HogQL as one of DuckDB. */
  call(written: JsonObject, from: From): JsonObject {
    const node = renamed(written);
    const name = String(node["function_name"]);
    const args = nodesIn(node["children"]);
    const special = Object.hasOwn(SPECIAL_CALLS, name)
      ? SPECIAL_CALLS[name]?.({ name, args, node })
      : undefined;
    const { alias = "", query_location = 0, filter = null } = node;
    if (special === undefined)
      return this.#ofTime(node, name, args) ?? this.#made(node, name, args, from);
    if ("refused" in special) return refuse(special.refused, node, this.#text);
    if ("node" in special) {
      return this.operator({ ...special.node, alias, query_location }, from.isJoin);
    }
    const children = special.args.map((arg) =>
      arg["class"] === "FUNCTION" && arg["query_location"] === 0 ? this.call(arg, from) : arg,
    );
    return this.call({ ...called(special.call, children), filter, alias, query_location }, from);
  }

  /** A time of a table in UTC, or in another zone; what it is depends on the column. */
  #ofTime(node: JsonObject, name: string, [first, second]: JsonObject[]): JsonObject | undefined {
    const isColumn = second?.["class"] === "COLUMN_REF" && isTime(second);
    if (name === "timezone" && constantText(first) === "UTC" && isColumn) {
      return this.item("instant", [second], node);
    }
    if (name !== "todatetime" || first === undefined || second === undefined || !isTime(first))
      return;
    return this.#function("totimezone", [first, second], node);
  }

  #function(name: string, args: readonly JsonObject[], at: JsonObject): JsonObject | undefined {
    const template = this.#templates.functions.get(name)?.get(args.length);
    return template === undefined ? undefined : this.fill(template, args, at);
  }

  #made(node: JsonObject, name: string, args: JsonObject[], from: From): JsonObject {
    if (isObject(node["filter"]) || node["distinct"] === true) return this.called(node);
    const keyed = name.startsWith("json") ? withKeys(args) : args;
    const made = this.#function(name, keyed, node);
    if (made !== undefined) return this.#finished(made, from);
    if (SQL_FUNCTIONS.has(name)) return this.called(node);
    const filtered = this.#filtered(node, name, args, from);
    const known = this.#templates.functions.get(name);
    if (filtered !== undefined || known === undefined) return filtered ?? this.called(node);
    const counts = [...known.keys()].join(" or ");
    return refuse(`The function ${named(name)} takes ${counts} arguments here.`, node, this.#text);
  }

  /** An aggregate with `If` and a condition. */
  #filtered(
    node: JsonObject,
    name: string,
    args: JsonObject[],
    from: From,
  ): JsonObject | undefined {
    const base = name.replace(/if(\(\))?$/, "$1");
    const filter = args.at(-1);
    if (base === name || filter === undefined || args.length < 2) return undefined;
    const rest = args.slice(0, -1);
    if (/^group(?:uniq)?array/.test(base)) {
      const checks = [{ when_expr: filter, then_expr: rest.at(-1) ?? null }];
      const only = {
        class: "CASE",
        type: "CASE_EXPR",
        alias: "",
        case_checks: checks,
        else_expr: constant(null),
      };
      return this.call(
        { ...node, function_name: base, children: [...rest.slice(0, -1), only] },
        from,
      );
    }
    if (!HOGQL_AGGREGATES.has(base)) return undefined;
    const call = { ...node, function_name: base, children: rest };
    const whole = this.call(call, from);
    const isCall = whole["class"] === "FUNCTION";
    const made = isCall ? { ...whole, filter } : this.call({ ...call, filter }, from);
    // A sum of nothing is 0 in ClickHouse.
    return base === "sum" ? this.item("sum", [made], node) : made;
  }

  /** A macro whose comparison or function takes what its arguments are. */
  #finished(node: JsonObject, { isJoin }: From): JsonObject {
    if (node["class"] === "COMPARISON") return this.comparison(node, isJoin);
    if (node["class"] === "OPERATOR") return this.operator(node, isJoin);
    return node["class"] === "FUNCTION" ? this.called(node) : node;
  }

  /** Makes the properties among the arguments of a function numbers or times. */
  called(node: JsonObject): JsonObject {
    const { like, isNegative } = likeOf(node);
    if (like !== node) return isNegative ? negated(like, node) : like;
    const name = folded(node["function_name"]);
    const args = nodesIn(node["children"]);
    if (name === "greatest" || name === "least") return this.#compared(node, args);
    if (EXTREMES.has(name) || ORDERED_BY.has(name)) return this.#ordered(node, name, args);
    const isOfTime = OF_TIMES.has(name) || (/^[+-]$/.test(name) && args.some(isTime));
    if (!isOfTime && !OF_NUMBERS.has(name)) return node;
    return { ...node, children: args.map((arg) => this.as(isOfTime ? "time" : "double", arg)) };
  }

  /** As `called`, for a function with OVER. */
  windowed(written: JsonObject): JsonObject {
    const node = renamed(written);
    const name = folded(node["function_name"]);
    if (EXTREMES.has(name) && nodesIn(node["children"]).some((arg) => this.properties.has(arg))) {
      const detail = `${name} of a property with OVER: write ${name}(toFloat(…)) for numbers, ${name}(toString(…)) for texts.`;
      refuse(detail, node, this.#text);
    }
    const { children = [] } = this.called({ ...node, class: "FUNCTION" });
    return { ...node, children };
  }

  #compared(node: JsonObject, args: JsonObject[]): JsonObject {
    if (!args.every((arg) => this.properties.has(arg))) return this.sameTyped(node);
    const children = args.map((arg) => this.as("double", arg));
    const numbers = this.item("text", [{ ...node, children }], node);
    return this.#extreme(both(numbers, node));
  }

  /** The smallest, the largest, or what belongs to it, by number, or by text where there are no numbers. */
  #ordered(node: JsonObject, name: string, [first, second]: JsonObject[]): JsonObject {
    const by = EXTREMES.has(name) ? first : second;
    if (first === undefined || by === undefined || !this.properties.has(by)) return node;
    const number = this.as("double", by);
    const function_name = EXTREMES.get(name) ?? name;
    const made = both({ ...node, function_name, children: [first, number] }, node);
    return this.properties.has(first) ? this.#extreme(made) : made;
  }

  #extreme(node: JsonObject): JsonObject {
    this.extremes.add(node);
    return this.marked(node);
  }

  /** Makes properties that stand together numbers or times, if another part is one. */
  sameTyped(node: JsonObject, fields: readonly string[] = []): JsonObject {
    const children = nodesIn(node["children"]);
    const parts =
      fields.length > 0 ? fields.map((field) => node[field]).filter(isObject) : children;
    const isOfTime = !parts.some(isNumber);
    if (isOfTime && !parts.some(isTime)) return node;
    const isColumn = parts.some((part) => part["class"] === "COLUMN_REF" && isTime(part));
    const typed = parts.map((part) =>
      isColumn && isPlainTime(part) && !this.#templates.isUtc
        ? this.item("utc", [part], part)
        : this.as(isOfTime ? "time" : "double", part),
    );
    if (fields.length === 0) return { ...node, children: typed };
    return {
      ...node,
      ...Object.fromEntries(fields.map((field, at) => [field, typed[at] ?? null])),
    };
  }

  /** A comparison. A missing value is not equal to any; two properties are compared as numbers if they are. */
  comparison(node: JsonObject, isJoin: boolean): JsonObject {
    const kind = String(node["type"]);
    const [left, right] = [node["left"], node["right"]].filter(isObject) as [
      JsonObject,
      JsonObject,
    ];
    const isOfNull = isNull(left) || isNull(right);
    const type = kind.replace(/^COMPARE_NOTEQUAL$/, isJoin ? kind : "COMPARE_DISTINCT_FROM");
    const isEqual = kind === "COMPARE_EQUAL" && isOfNull;
    const made = { ...node, type: isEqual ? "COMPARE_NOT_DISTINCT_FROM" : type };
    const areBoth = this.properties.has(left) && this.properties.has(right);
    if (!areBoth || !/GREATER|LESS/.test(kind)) return this.sameTyped(made, ["left", "right"]);
    return both({ ...made, left: this.as("double", left), right: this.as("double", right) }, made);
  }

  /** IN, NOT IN and NOT, which is true of a condition that is not known. */
  operator(node: JsonObject, isJoin: boolean): JsonObject {
    const [child, ...others] = nodesIn(node["children"]);
    const type = String(node["type"]);
    if (child === undefined || isJoin) return node;
    if (type === "OPERATOR_NOT") return isCondition(child) ? negated(child, node) : node;
    if (type !== "COMPARE_NOT_IN" && type !== "COMPARE_IN") return node;
    const value = others.every(isNumber) ? this.as("double", child) : child;
    const found: JsonObject = { ...node, type: "COMPARE_IN", children: [value, ...others] };
    return type === "COMPARE_IN" ? found : negated(found, node);
  }
}

const renamed = (node: JsonObject): JsonObject => {
  const name = folded(node["function_name"]);
  return { ...node, function_name: HOGQL_RENAMED.get(name) ?? name };
};
