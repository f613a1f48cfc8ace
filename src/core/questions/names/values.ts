import type { ProjectVocabulary } from "../../ports/vocabulary.ts";
import { DECIMAL } from "../../values/filter-operators.ts";
import { folded } from "../text/stems.ts";
import { VALUE_WORDS } from "./defined.ts";
import { add, type NameIndex, type PropertyInfo, type ValueInfo } from "./index.ts";

/** Returns the stored values of a project by the texts for them, the most frequent first. */
export function valuesOf(
  { values }: ProjectVocabulary,
  properties: readonly PropertyInfo[],
): Map<string, ValueInfo[]> {
  const found = new Map<string, ValueInfo[]>();
  for (const one of merged(values, properties).toSorted((a, b) => b.count - a.count)) {
    for (const text of textsOf(one)) add(found, text, one);
  }
  for (const [word, others] of VALUE_WORDS) {
    for (const other of others) for (const one of found.get(other) ?? []) add(found, word, one);
  }
  return found;
}

/** Returns the parts of a site by the words for them: "blog" for `/blog/` if it has several pages. */
export function sectionsOf(
  values: ReadonlyMap<string, readonly ValueInfo[]>,
): NameIndex["sections"] {
  const ofPages = ({ property, value }: ValueInfo) => (property.name === "$pathname" ? value : []);
  const paths = [...new Set([...values.values()].flat().flatMap(ofPages))];
  const sections = new Map<string, { pages: string; all: string }>();
  for (const path of paths) {
    const [, section = ""] = /^\/([\w-]+)\/[^/]/.exec(path) ?? [];
    const [whole, pages] = [`/${section}`, `/${section}/`];
    const name = folded(section).replace(/[-_]+/g, " ");
    const isOf = (one: string) => one.startsWith(pages);
    if (section === "" || sections.has(name) || paths.filter(isOf).length < 2) continue;
    const isOther = (one: string) => one.startsWith(whole) && one !== whole && !isOf(one);
    const all = paths.some(isOther) ? pages : whole;
    sections.set(name, { pages, all });
  }
  return sections;
}

/** The values of each property. Counts of equal values are added up. */
function merged(
  values: ProjectVocabulary["values"],
  properties: readonly PropertyInfo[],
): ValueInfo[] {
  const byKey = new Map(properties.map((one) => [keyOfProperty(one), one]));
  const found = new Map<string, ValueInfo>();
  for (const { of, property: name, value, count } of values) {
    const group = of.type === "group" ? of.group_type_index : 0;
    const property = byKey.get(keyOfProperty({ of: of.type, name, group }));
    if (property === undefined || NO_VALUES.has(name)) continue;
    const key = `${keyOfProperty(property)} ${value}`;
    found.set(key, { property, value, count: count + (found.get(key)?.count ?? 0) });
  }
  return [...found.values()];
}

const keyOfProperty = ({ of, name, group = 0 }: Pick<PropertyInfo, "of" | "name" | "group">) =>
  `${of}${of === "group" ? group : ""}:${name}`;

/** Properties whose values are ids or technical data. They are never matched by text. */
const NO_VALUES: ReadonlySet<string> = new Set([
  ...["$lib", "$group_type", "$group_key", "distinct_id", "token", "$timezone", "$session_id"],
  ...["$window_id", "$device_id", "$lib_version", "$user_id", "$insert_id"],
]);

const COUNTRIES = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** The name of a country that a value has the code of. */
function countryOf(property: string, value: string): string[] {
  const isCode = /^[^$].*country|^country/i.test(property) && /^[A-Z]{2}$/.test(value);
  return isCode ? [folded(COUNTRIES.of(value) ?? "")].filter((text) => text !== "") : [];
}

const NUMBER = new RegExp(`^${DECIMAL}$`);

/** The texts for a value: as stored, with spaces for `_` and `-`, a page without its slash, a site without its domain. */
function textsOf({ property: { name, type }, value }: ValueInfo): string[] {
  const text = folded(value);
  const numbers = NUMBER.test(text) ? [`#${Number(text)}`] : [];
  if (type === "number" && numbers.length > 0) return numbers;
  if (type === "boolean" || text === "" || text.length > 100) return [];
  const spaced = text.replace(/[_-]+/g, " ");
  const undotted = text.replace(/\.(?=\s|$)/g, "");
  const [, page] = /^\/([\w-]+)$/.exec(text) ?? [];
  const [, site] = /^(?:(?:www|m|l|lm|out)\.)?([a-z\d-]+)\.[a-z.]{2,6}$/.exec(text) ?? [];
  const pages =
    page !== undefined && /path|url|page/.test(name)
      ? [page, page.replace(/[-_]/g, " "), page.replace(/^sign-?up$/, "sign up")]
      : [];
  const sites = site === undefined || /mail/.test(name) ? [] : [site];
  // "Did hosts decline" means the value "declined".
  const verb = /^([a-z]{3,}?)(?:([a-z])\2)?ed$/.exec(text);
  const verbs =
    verb === null ? [] : [text.slice(0, -1), text.slice(0, -2), `${verb[1]}${verb[2] ?? ""}`];
  return [
    ...numbers,
    text,
    spaced,
    undotted,
    ...countryOf(name, value),
    ...verbs,
    ...pages.map((one) => `${one} page`),
    ...sites,
  ];
}
