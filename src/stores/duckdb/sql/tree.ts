import { SQL_ATTR } from "../../../core/sql/tables.ts";
import { Failure } from "../../../core/values/failure.ts";
import { isExactNumber, isNothing, isObject } from "../../../core/values/json.ts";

/** The value of a constant of the tree. */
type Constant = {
  type?: { id?: string; type_info?: { scale?: unknown } | null };
  is_null?: boolean;
  value?: unknown;
};

/**
 * Marks the text of a property, a list of them, or JSON that has properties. An answer shows a text as a number if its
 * mark is `number`, and it is one.
 */
export const TEXT = Symbol("text");

/** Marks a date without a time, or a time, whose own words do not say that it is one. */
export const MOMENT = Symbol("moment");

/** Marks a moment that is shown on the clock of another zone with the name of the zone. */
export const ZONE = Symbol("zone");

/** Marks a SELECT that has all columns of its tables with the zones of these, by name in lower case. */
export const ZONES = Symbol("zones");

/** Marks an expression with the name that it gives to a column. */
export const NAME = Symbol("name");

/** A node of DuckDB's parse tree, with the fields that are read here, and marks that stay here. */
export type Node = {
  [field: string]: unknown;
  [TEXT]?: "text" | "number" | "list" | "json";
  [NAME]?: string | undefined;
  [MOMENT]?: "date" | "time";
  [ZONE]?: string | undefined;
  [ZONES]?: ReadonlyMap<string, string>;
  class?: string;
  type?: string;
  alias?: string;
  query_location?: number;
  function_name?: string;
  children?: Node[];
  column_names?: string[];
  table_name?: string;
  value?: Constant;
  cast_type?: { id?: string; type_info?: Record<string, unknown> | null };
  left?: Node;
  right?: Node;
};

/** Returns whether a part of the tree is a node. */
export const isNode = (part: unknown): part is Node =>
  isObject(part) && !isExactNumber(part as never);

/** Returns the nodes in a list of the tree. */
export const nodesIn = (list: unknown): Node[] => (Array.isArray(list) ? list.filter(isNode) : []);

/** Returns a copy of a part of the tree, in which `change` makes each node after those within it. */
export function rebuilt<T>(part: T, change: (node: Node) => unknown): T {
  if (Array.isArray(part)) return part.map((one) => rebuilt(one, change)) as T;
  if (!isNode(part)) return part;
  const fields = Object.entries(part).map(([field, one]) => [field, rebuilt(one, change)]);
  return change(Object.fromEntries(fields)) as T;
}

/** A failure of a part of the statement, with its place in bytes. */
class Refusal extends Failure {
  readonly at: number | undefined;

  constructor(what: string, at: number | undefined) {
    super("invalid_input", what, SQL_ATTR);
    this.at = at;
  }
}

/** Fails `invalid_input` for a part of the statement. */
export function refuse(what: string, node?: Node): never {
  throw new Refusal(what, node?.query_location);
}

/** Does work on the tree of a text; its failures say line and column of the part, which `placeOf` returns. */
export function inText<T>(
  written: { placeOf(at: number): string | undefined } | undefined,
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    // The first word of a statement is at 0, and no part of its tree: parts that were made here have no place.
    if (!(error instanceof Refusal && typeof error.at === "number" && error.at > 0)) throw error;
    const place = written?.placeOf(error.at);
    throw new Refusal([error.message, place ?? []].flat().join(" "), undefined);
  }
}

/** Returns what the parser calls a part, in words of SQL. */
export const worded = (kind: unknown): string =>
  String(kind)
    .toUpperCase()
    .replace(/^OPERATOR_|_(?:NODE|REF|MODIFIER|CLAUSE|MAP)$/g, "")
    .replaceAll("_", " ");

const REPEATED_CHARS_MAX = 80;

/** Returns a name as failures repeat it. */
export const named = (name: unknown): string =>
  JSON.stringify(String(name).slice(0, REPEATED_CHARS_MAX));

/** Folds a name as DuckDB does: only ASCII letters ignore case. */
export const folded = (name: unknown): string =>
  String(name).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const ALWAYS_KNOWN = ["type", "class", "alias", "query_location"];

/** Fails on every field that is not empty and not in `known`, so that no field escapes the check. */
export function onlyWith(node: Node, known: string): void {
  const fields = [...ALWAYS_KNOWN, ...known.split(" ")];
  for (const [field, value] of Object.entries(node)) {
    if (fields.includes(field) || isNothing(value as never)) continue;
    refuse(`${worded(field)} is not allowed here.`, node);
  }
}

/** Returns the parts of the name of a column. */
export const namesOf = (node: Node | undefined): readonly string[] =>
  node?.class === "COLUMN_REF" ? (node.column_names ?? []) : [];

/** Returns the last part of the name of a column, in lower case. */
export const lastName = (node: Node | undefined): string => folded(namesOf(node).at(-1) ?? "");

/** Returns the text of a constant; undefined of all else. */
export function constantText(node: Node | undefined): string | undefined {
  const value = node?.class === "CONSTANT" ? node.value?.value : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Returns the number that a constant is, rounded where it has too many digits; NaN of all else. */
export function numberIn(node: Node | undefined): number {
  const { type, value } = (node?.class === "CONSTANT" ? node.value : undefined) ?? {};
  const scale = Number(type?.type_info?.scale ?? 0);
  return Number(JSON.stringify(value) ?? Number.NaN) / 10 ** scale;
}

const IDS: Record<string, string> = { string: "VARCHAR", boolean: "BOOLEAN", number: "DOUBLE" };

/** Returns a constant of the tree. */
export function constant(value: string | number | boolean | null): Node {
  const id = Number.isSafeInteger(value) ? "BIGINT" : IDS[typeof value];
  const type = { id: value === null ? "NULL" : (id ?? ""), type_info: null };
  const rest = value === null ? { is_null: true } : { is_null: false, value };
  return {
    ...{ class: "CONSTANT", type: "VALUE_CONSTANT", alias: "", query_location: 0 },
    value: { type, ...rest },
  };
}

/** Returns an operator between expressions, with the name and the place of `at`. */
export function operator(type: string, children: readonly Node[], at: Node = {}): Node {
  const { alias = "", query_location = 0 } = at;
  const kind = type.startsWith("CONJUNCTION") ? "CONJUNCTION" : "OPERATOR";
  return { class: kind, type, alias, query_location, children: children.map(unnamed) };
}

/** Returns a comparison, with the name and the place of `at`. */
export function comparison(type: string, left: Node, right: Node, at: Node = {}): Node {
  const { alias = "", query_location = 0 } = at;
  return { class: "COMPARISON", type, alias, query_location, left: unnamed(left), right };
}

/** Returns a column by its name, with the name and the place of `at`. */
export const columnOf = (name: string, { alias = "", query_location = 0 }: Node = {}): Node => ({
  ...{ class: "COLUMN_REF", type: "COLUMN_REF", alias, query_location, column_names: [name] },
});

/** Returns an expression without its name. */
export const unnamed = (node: Node): Node => ({ ...node, alias: "" });

/** Returns CASE with pairs of a condition and a value. */
export const caseOf = (pairs: readonly [when: Node, then: Node][], otherwise: Node): Node => ({
  ...{ class: "CASE", type: "CASE_EXPR", alias: "", else_expr: otherwise },
  case_checks: pairs.map(([when_expr, then_expr]) => ({ when_expr, then_expr })),
});

/** Returns a call of the tree. */
export const called = (name: string, children: readonly Node[]): Node => ({
  ...{ class: "FUNCTION", type: "FUNCTION", alias: "", function_name: name, schema: "" },
  ...{ children: [...children], filter: null, distinct: false, is_operator: /^\W/.test(name) },
  order_bys: { type: "ORDER_MODIFIER", orders: [] },
  ...{ export_state: false, catalog: "", query_location: 0 },
});
