import { DECIMAL } from "../../../core/values/filter-operators.ts";
import { ownValue } from "../../../core/values/json.ts";
import { SQL_FUNCTIONS } from "./allowed.ts";
import { HOGQL_AGGREGATES } from "./hogql/functions.ts";
import { isCondition, renamed, SPECIAL_CALLS } from "./hogql/special-calls.ts";
import { bounded, castTime, checkTimes, counted, inZone, moved, withOffset } from "./moments.ts";
import type { From } from "./names.ts";
import {
  besideText,
  both,
  bothMet,
  foundAmong,
  isNumber,
  isPlainTime,
  isText,
  isTextList,
  isTime,
  isTimeColumn,
  likeOf,
  negated,
  OF_NUMBERS,
  OF_TIMES,
  ORDERED_BY,
} from "./nodes.ts";
import { withKeys } from "./places.ts";
import { filled, type Templates } from "./templates.ts";
import {
  caseOf,
  constant,
  constantText,
  folded,
  isNode,
  lastName,
  type Node,
  named,
  nodesIn,
  operator,
  refuse,
  TEXT,
  unnamed,
} from "./tree.ts";

const OF_LISTS = /^(?:list|array)_(min|max|sort|reverse_sort)$/;
const OF_DIGITS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL)$/;
const NUMBER = new RegExp(`^${DECIMAL}$`);

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
    const isBounce = type === "double" && lastName(node).endsWith("$is_bounce");
    if (isText(node) || isBounce) return this.item(type, [node], node);
    return type === "time" ? withOffset(this, node) : node;
  }

  /** Returns a call of HogQL as one of DuckDB. */
  call(written: Node, from: From): Node {
    const node = renamed(written);
    const name = String(node.function_name);
    const args = nodesIn(node.children);
    const special = ownValue(SPECIAL_CALLS, name)?.(args, node);
    if (special === undefined) {
      return inZone(this, node, name, args) ?? this.#macro(node, name, args, from);
    }
    const { alias = "", query_location = 0 } = node;
    const filter = bothMet(special["filter"], node["filter"]);
    if (special.class !== "FUNCTION") {
      const made = { ...special, alias, query_location };
      if (special.class === "CAST") return this.cast(made);
      // A list that a function looks in has no missing value, as in ClickHouse.
      return this.operator(made, { isJoin: from.isJoin || name === "notin" });
    }
    const children = nodesIn(special.children).map((arg) =>
      arg.class === "FUNCTION" && arg.query_location === 0 ? this.call(arg, from) : arg,
    );
    return this.call({ ...special, children, filter, alias, query_location }, from);
  }

  /** Returns what a function of HogQL becomes; undefined of all else. */
  template(name: string, args: readonly Node[], at: Node): Node | undefined {
    const template = this.#templates.functions[`${name}/${args.length}`];
    return template === undefined ? undefined : filled(template, args, at);
  }

  #macro(node: Node, name: string, args: Node[], from: From): Node {
    if (isNode(node["filter"]) || node["distinct"] === true) return this.called(node);
    const isOfNumbers = OF_NUMBERS.test(name);
    const given = isOfNumbers ? args.map((arg) => this.#as("double", arg)) : args;
    const made = this.template(name, withKeys(this, name, given), node);
    if (made !== undefined) return this.#finished(made, from);
    if (SQL_FUNCTIONS.has(name)) return this.called(node);
    const filtered = this.#filtered(node, name, args, from);
    if (filtered !== undefined) return filtered;
    const known = Object.keys(this.#templates.functions).map((key) => key.split("/"));
    const counts = known.filter(([one]) => one === name).map(([, count]) => count);
    if (counts.length === 0) return this.called(node);
    return refuse(`The function ${named(name)} takes ${counts.join(" or ")} arguments here.`, node);
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
    const isSum = /^[+-]$/.test(name);
    const made = isSum ? moved(this, node, args) : this.#inOrder(node, name, args);
    if (made !== undefined) return made;
    const isOfTime = OF_TIMES.test(name) || (isSum && args.some(isTime));
    if (!isOfTime && !OF_NUMBERS.test(name)) return node;
    const children = args.map((arg) =>
      isSum && isOfTime && constantText(arg) !== undefined
        ? this.item("time", [arg], arg)
        : this.#as(isOfTime ? "time" : "double", arg),
    );
    return counted(this, node, children) ?? { ...node, children };
  }

  /** A function that orders values. */
  #inOrder(node: Node, name: string, args: Node[]): Node | undefined {
    if (name === "greatest" || name === "least") return this.#compared(node, args);
    if (/^m(?:in|ax)$/.test(name) || ORDERED_BY.test(name)) return this.#ordered(node, name, args);
    const [, by] = OF_LISTS.exec(name) ?? [];
    const [list] = args;
    if (by === undefined || list === undefined || !isTextList(list)) return undefined;
    const mark = /^m/.test(by) ? { [TEXT]: "number" as const } : {};
    return { ...this.item(by, [list], node), ...mark };
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
    if (!args.every(isText)) return this.sameTyped(node, [], true);
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

  /** CASE whose properties are numbers or times, if another of its values is one. */
  chosen(node: Node): Node {
    const checks = nodesIn(node["case_checks"]);
    const values = [...checks.map((one) => one["then_expr"]), node["else_expr"]].filter(isNode);
    const typed = nodesIn(this.sameTyped({ children: values }).children);
    const case_checks = checks.map((one, index) => ({ ...one, then_expr: typed[index] }));
    return { ...node, case_checks, else_expr: typed[checks.length] ?? null };
  }

  /** A cast to a time, or to a number, of which the text of a property is read as elsewhere. */
  cast(node: Node): Node {
    const { child, cast_type } = node;
    const isDigits = OF_DIGITS.test(String(cast_type?.id));
    if (!(isDigits && isNode(child) && isText(child))) return castTime(this, node);
    return { ...node, child: this.item("strict", [child], child) };
  }

  /** As `sameTyped`, of BETWEEN. */
  between = (node: Node): Node =>
    this.sameTyped(bounded(node, this.#templates.timezone), ["input", "lower", "upper"], true);

  /**
   * Makes properties that stand together in some fields, or as children, numbers or times, if another part is one. In an
   * order a text of digits that is written out is a number, too.
   */
  sameTyped(node: Node, fields: readonly string[] = [], isOrder = false): Node {
    if (fields.length === 0) {
      return { ...node, children: this.#typed(nodesIn(node.children), isOrder) };
    }
    const typed = this.#typed(fields.map((field) => node[field]).filter(isNode), isOrder);
    return { ...node, ...Object.fromEntries(fields.map((field, index) => [field, typed[index]])) };
  }

  #typed(given: readonly Node[], isOrder: boolean): Node[] {
    const parts = given.some(isText) ? given.map(besideText) : given;
    const isDigits = (part: Node) => NUMBER.test(constantText(part) ?? "");
    const isNumbers = isOrder && parts.some(isText);
    const nodes =
      isNumbers && parts.every((part) => isText(part) || isDigits(part))
        ? parts.map((part) => (isText(part) ? part : constant(Number(constantText(part)))))
        : [...parts];
    const isOfTime = !nodes.some(isNumber);
    if (isOfTime && !nodes.some(isTime)) return nodes;
    if (isOfTime) checkTimes(nodes);
    const isLocal = nodes.some(isTimeColumn) && this.#templates.timezone !== "UTC";
    return nodes.map((part) =>
      isLocal && isPlainTime(part)
        ? this.item("utc", [part], part)
        : this.#as(isOfTime ? "time" : "double", part),
    );
  }

  /** A comparison. A missing value is not equal to any; two properties are compared as numbers if they are. */
  comparison(node: Node, { isJoin }: From): Node {
    const { type = "", left, right } = node;
    const isOfNull = [left, right].some((side) => side?.value?.is_null === true);
    const types: Record<string, string> = {
      ...(isJoin ? {} : { COMPARE_NOTEQUAL: "COMPARE_DISTINCT_FROM" }),
      ...(isOfNull ? { COMPARE_EQUAL: "COMPARE_NOT_DISTINCT_FROM" } : {}),
    };
    const made = bounded({ ...node, type: types[type] ?? type }, this.#templates.timezone);
    const isOrder = /GREATER|LESS/.test(type);
    if (!(isText(left) && isText(right) && isOrder)) {
      return this.sameTyped(made, ["left", "right"], isOrder);
    }
    const numbers = { left: this.#as("double", left), right: this.#as("double", right) };
    return both({ ...made, ...numbers }, made);
  }

  /** A part of a tuple or of a list, or the first value that is known. */
  #part(node: Node, child: Node, others: Node[]): Node | undefined {
    if (node.type === "OPERATOR_COALESCE") return this.sameTyped(node);
    const [, place] = /^[.](\d+)$/.exec(constantText(others[0]) ?? "") ?? [];
    if (place !== undefined)
      return this.item("part", [unnamed(child), constant(Number(place))], node);
    if (node.type !== "ARRAY_SLICE" || !isText(child)) return undefined;
    const list = this.template("jsonextract()", [unnamed(child)], child);
    return { ...node, children: [list, ...others].filter(isNode) };
  }

  /** IN, NOT IN and NOT, which is true of a condition that is not known. */
  operator(node: Node, { isJoin }: Pick<From, "isJoin">): Node {
    const [child, ...others] = nodesIn(node.children);
    const part = child === undefined ? node : this.#part(node, child, others);
    if (part !== undefined || child === undefined) return part ?? node;
    const isNot = node.type === "OPERATOR_NOT" && !isJoin;
    if (isNot)
      return negated(isCondition(child) ? child : this.item("truth", [child], child), node);
    if (node.type !== "COMPARE_NOT_IN" && node.type !== "COMPARE_IN") return node;
    // Nothing is in an empty list; DuckDB's own text of it cannot be read.
    if (others.length === 0)
      return this.item("truth", [constant(node.type !== "COMPARE_IN")], node);
    const all = [child, ...others];
    const [value = child, ...list] = all.some(isTime) ? this.#typed(all, false) : all;
    const found = foundAmong(node, value, list, (one) => this.#as("double", one));
    if (node.type === "COMPARE_IN") return found;
    return isJoin ? operator("OPERATOR_NOT", [found], node) : negated(found, node);
  }
}
