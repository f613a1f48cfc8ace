import { pointer } from "../lists/property-filter.ts";
import { isNumber, isText } from "./nodes.ts";
import {
  constant,
  constantText,
  lastName,
  NAME,
  type Node,
  named,
  namesOf,
  nodesIn,
  numberIn,
  refuse,
  TEXT,
  unnamed,
} from "./tree.ts";
import type { Typing } from "./typing.ts";

/** Returns the key of JSON that a constant means; places in a list are from 1 on, as in ClickHouse. */
export function keyIn(node: Node | undefined): string | undefined {
  const [, part] = /^[.](\d+)$/.exec(constantText(node) ?? "") ?? [];
  const place = part === undefined ? numberIn(node) : Number(part);
  if (!(Number.isInteger(place) && place > 0)) return constantText(node);
  return String(BigInt(place) - 1n);
}

/** Returns the constant text that finds nested keys in JSON. */
export const pointerOf = (path: readonly string[]): Node => constant(path.map(pointer).join(""));

/** Returns the arguments of arrayElement. DuckDB 1.5 ends the process on one alone. */
export function listAndPlace(node: Node): Node[] {
  const args = nodesIn(node.children);
  if (args.length === 2) return args;
  const name = String(node.function_name);
  return refuse(`${named(name)} takes a list and a place in it: arrayElement(list, 1).`, node);
}

/** Returns what finds the place of some keys, one after the other; keys that are written out are one. */
function stepsOf(typing: Typing, keys: readonly Node[]): Node[] {
  const steps: Node[] = [];
  let path: string[] = [];
  for (const key of keys) {
    const written = keyIn(key);
    if (written !== undefined) path.push(written);
    if (written !== undefined) continue;
    if (path.length > 0) steps.push(pointerOf(path));
    path = [];
    const place = numberIn(key);
    const isFromEnd = Number.isSafeInteger(place) && place < 0;
    const whole = () => typing.item("place", [typing.item("whole", [unnamed(key)], key)], key);
    steps.push(isFromEnd ? constant(place) : whole());
  }
  return path.length > 0 ? [...steps, pointerOf(path)] : steps;
}

const KEYS =
  "A key of JSON is written out in single quotes, as in properties['$browser'], and a place in a list is a number: properties['tags'][toInt(x)].";

/** Parts of the rewriting of one SELECT, which read a place. */
type Reading = {
  /** The name of a lambda, whose values are of any type. */
  own: string | undefined;
  isProperty(names: readonly string[]): boolean;
  isJson(column: Node): boolean;
  column(node: Node, names: readonly string[]): Node;
  walk(node: Node): Node;
  operator(node: Node): Node;
};

/** Returns the list of which an operator takes a part, the parts of it one after the other, and their operators. */
function partsOf(node: Node): { list: Node; keys: Node[]; outer: Node[] } {
  const [list, key] = /^(?:ARRAY|STRUCT)_EXTRACT$/.test(String(node.type))
    ? nodesIn(node.children)
    : [];
  if (list === undefined || key === undefined) return { list: node, keys: [], outer: [] };
  const parts = partsOf(list);
  return { list: parts.list, keys: [...parts.keys, key], outer: [...parts.outer, node] };
}

/** Reads `properties['$browser']` as `properties.$browser`, and finds places in the JSON of a property. */
export function placed(typing: Typing, node: Node, reading: Reading): Node | undefined {
  const { list, keys, outer } = partsOf(node);
  if (keys.length === 0) return undefined;
  const written = keys.map(keyIn);
  const unknown = written.indexOf(undefined);
  const known = unknown < 0 ? keys.length : unknown;
  const names = [...namesOf(list), ...written.slice(0, known)].map(String);
  const isProperty = list.class === "COLUMN_REF" && reading.isProperty(names);
  const { alias = "" } = node;
  if (isProperty && known === keys.length) {
    const made = reading.column({ ...list, alias }, names);
    const isNamed = keys.every((key) => keyIn(key) === constantText(key));
    return isNamed ? made : { ...made, [NAME]: undefined };
  }
  const text = isProperty ? reading.column(list, names) : reading.walk(list);
  if (!isProperty && reading.isJson(text)) refuse(KEYS, node);
  const rest = keys.slice(isProperty ? known : 0).map((key) => reading.walk(key));
  const isOwn = lastName(list) === reading.own && namesOf(list).length === 1;
  if (isText(text) && !isOwn) return reached(typing, text, rest, { ...list, alias });
  return rest.reduce<Node>(
    (all, key, index) => reading.operator({ ...outer[index], children: [all, key] }),
    text,
  );
}

/** Returns the text at a place in a property, of which the text is given. */
function reached(typing: Typing, text: Node, keys: readonly Node[], at: Node): Node {
  const isProperty = text.class === "FUNCTION" && text.function_name === "->>";
  const json = isProperty
    ? { ...unnamed(text), function_name: "json_extract", is_operator: false }
    : typing.item("parsed", [unnamed(text)], text);
  const steps = stepsOf(typing, keys);
  const made = steps.reduce(
    (found, step, index) =>
      typing.item(index < steps.length - 1 ? "json" : "property", [found, step], at),
    json as Node,
  );
  return { ...made, [TEXT]: "text" };
}

const HAS_KEYS = /^json(?:extract(?:\w+|\(\))|has|length)$/;
const TAKES_NONE = /^json(?:length|extractkeys)$/;

/** Makes the keys of a JSON function one, or none where DuckDB's takes no key. */
export function withKeys(typing: Typing, name: string, args: Node[]): Node[] {
  const [json, ...keys] = args;
  if (json === undefined || keys.length === 0 || !HAS_KEYS.test(name)) return args;
  const unknown = keys.find((key) => keyIn(key) === undefined && !isNumber(key));
  if (unknown !== undefined) refuse(KEYS, unknown);
  const isColumn = json.class === "COLUMN_REF" && json[TEXT] === undefined;
  const whole = isColumn ? json : typing.item("parsed", [unnamed(json)], json);
  const steps = stepsOf(typing, keys);
  const last = TAKES_NONE.test(name) ? [] : steps.splice(-1);
  return [steps.reduce((found, step) => typing.item("json", [found, step], json), whole), ...last];
}
