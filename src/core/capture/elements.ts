import type { CapturedEvent } from "../events/event.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";

/** UTF-16 units of an element's text and address, as in PostHog; the rest is cut. */
const TEXT_UNITS_MAX = 400;
const HREF_UNITS_MAX = 2048;

/**
 * Replaces the list `$elements` of older SDKs by the text `$elements_chain` of newer ones, so that the same queries
 * find both. A chain that was sent stays, and the list stays where it has more than the chain.
 */
export function addElementsChain({ properties }: CapturedEvent): void {
  const list = properties["$elements"];
  const elements = Array.isArray(list) ? list.filter(isObject) : [];
  if (!Array.isArray(list) || elements.length === 0) return;
  const made = elements.map(chainOf).join(";");
  const sent = properties["$elements_chain"];
  if (!isFull(sent)) properties["$elements_chain"] = made;
  const isSaid = !isFull(sent) || sent === made;
  if (isSaid && elements.length === list.length && elements.every(isWhole)) {
    delete properties["$elements"];
  }
}

/** Whether the chain has all of an element. `classes` repeats `attr__class`, and `order` is the place in the list. */
function isWhole(element: JsonObject): boolean {
  return Object.entries(element).every(([name, value]) => {
    if (name === "$el_text") return cut(value, TEXT_UNITS_MAX) === value;
    if (name === "attr__href") return cut(value, HREF_UNITS_MAX) === value;
    if (name === "classes" && isFull(element["attr__class"])) return true;
    return name.startsWith("attr__") || SAID.has(name) || !isFull(value);
  });
}

const SAID: ReadonlySet<string> = new Set(["tag_name", "nth_child", "nth_of_type", "order"]);

const isFull = (value: Json | undefined): value is NonNullable<Json> =>
  value !== undefined && value !== null && value !== "";

const order = new Intl.Collator("en");

/** An element as PostHog writes it: `tag.class:` and its attributes in the order of their names, each as `name="value"`. */
function chainOf(element: JsonObject): string {
  const attributes: Record<string, Json | undefined> = {
    text: cut(element["$el_text"], TEXT_UNITS_MAX),
    "nth-child": element["nth_child"] ?? 0,
    "nth-of-type": element["nth_of_type"] ?? 0,
    href: cut(element["attr__href"], HREF_UNITS_MAX),
    attr_id: element["attr__id"],
  };
  const sent = Object.entries(element).filter(([name]) => name.startsWith("attr__"));
  const known = Object.entries(attributes).filter(([, value]) => isFull(value ?? null));
  const written = [...known, ...sent]
    .filter(([, value]) => value !== undefined && value !== null)
    .sort(([a], [b]) => order.compare(a, b))
    .map(([name, value]) => `${quotable(name)}="${quotable(textOf(value ?? null))}"`);
  const tag = isFull(element["tag_name"]) ? textOf(element["tag_name"]) : "";
  const classes = classesOf(element["attr__class"])
    .sort()
    .map((name) => `.${name.replaceAll('"', "")}`);
  return `${tag}${classes.join("")}:${written.join("")}`;
}

function classesOf(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.map(textOf);
  return isFull(value) ? textOf(value).split(" ") : [];
}

const cut = (value: Json | undefined, units: number) =>
  typeof value === "string" ? value.slice(0, units) : value;

function textOf(value: Json): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}

const quotable = (text: string) => text.replaceAll('"', '\\"');
