import { valueText } from "./format.ts";

/** A condition on a property, as the API has it. */
export type Filter = {
  key: string;
  operator: string;
  /** Absent for `is_set` and `is_not_set`. */
  value?: string | number | boolean | (string | number)[];
  type: "event" | "person" | "group";
  group_type_index?: number;
};

/** The operators of a filter, in the order in which they are offered. */
export const OPERATORS: readonly { value: string; label: string }[] = [
  { value: "exact", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "icontains", label: "contains" },
  { value: "not_icontains", label: "does not contain" },
  { value: "regex", label: "matches the pattern" },
  { value: "gt", label: "is greater than" },
  { value: "lt", label: "is less than" },
  { value: "is_set", label: "is set" },
  { value: "is_not_set", label: "is not set" },
];

/** Whether an operator compares with a value. */
export const needsValue = (operator: string): boolean =>
  operator !== "is_set" && operator !== "is_not_set";

/** The filters that a parameter of the address has; none if it cannot be read. */
export function readFilters(text: string | undefined): Filter[] {
  try {
    const filters: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(filters) ? filters.filter(isFilter) : [];
  } catch {
    return [];
  }
}

const isFilter = (value: unknown): value is Filter =>
  typeof value === "object" && value !== null && typeof (value as Filter).key === "string";

/**
 * The filters that a query or a dashboard has, all of which an event must pass; undefined if they are groups of which
 * one suffices, which the console cannot show.
 */
export function plainFilters(saved: unknown): Filter[] | undefined {
  if (saved === undefined || saved === null) return [];
  // Callers of the API may leave out the usual operator.
  if (isFilter(saved)) return [{ ...saved, operator: saved.operator ?? "exact" }];
  const { type, values } = saved as { type?: unknown; values?: unknown };
  const parts = Array.isArray(saved) ? saved : values;
  if (!Array.isArray(parts)) return undefined;
  if (type === "OR" && parts.length > 1) return undefined;
  const plain = parts.map(plainFilters);
  return plain.every((one) => one !== undefined) ? plain.flat() : undefined;
}

/** Filters as a parameter of the address; undefined without any. */
export const writeFilters = (filters: readonly Filter[]): string | undefined =>
  filters.length === 0 ? undefined : JSON.stringify(filters);

/** A filter in words, such as `plan is pro`. */
export function filterText({ key, operator, value, type }: Filter): string {
  const verb = OPERATORS.find((one) => one.value === operator)?.label ?? operator;
  const shown = Array.isArray(value) ? value.map(valueText).join(" or ") : valueText(value);
  const name = type === "person" ? `person ${key}` : key;
  return needsValue(operator) ? `${name} ${verb} ${shown}` : `${name} ${verb}`;
}
