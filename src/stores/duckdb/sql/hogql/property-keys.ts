import { constantText, folded, isNode, lastName, type Node, nodesIn } from "../tree.ts";

/** Functions that read the path of their second argument in the JSON of their first. */
const READS_PATH = /^(?:->>?|json_extract(?:_string)?|json_exists)$/;

/** Matches joins and names of columns that may take properties without their name. */
const BY_PLACE = /\b(?:natural|using|columns)\b|\bas (?:\w+|"[^"]*") ?\(/i;

/** Returns the names of the properties that a statement reads; undefined if it may read any. */
export function propertyKeys(sql: string, tree: unknown): ReadonlySet<string> | undefined {
  if (BY_PLACE.test(sql)) return undefined;
  const keys = new Set<string>();
  return isKnown(tree, keys) ? keys : undefined;
}

/** Adds the names in a part of a statement; false if it may read others. */
function isKnown(part: unknown, keys: Set<string>): boolean {
  if (Array.isArray(part)) return part.every((one) => isKnown(one, keys));
  if (!isNode(part)) return true;
  if (part.class === "STAR") return false;
  if (part.class === "COLUMN_REF") return !part.column_names?.map(folded).includes("properties");
  const [from, path] = nodesIn(part.children);
  if (READS_PATH.test(folded(part.function_name)) && from?.class === "COLUMN_REF") {
    const key = firstKey(path);
    if (key !== undefined && folded(lastName(from)) === "properties") {
      keys.add(key);
      return true;
    }
  }
  const list = nodesIn(part["select_list"]);
  if (!isRelation(list)) return Object.values(part).every((one) => isKnown(one, keys));
  return isKnown({ ...part, select_list: [] }, keys);
}

/** Returns whether a list selects events with the columns of a relation, which are read by their names. */
const isRelation = ([star, ...others]: readonly Node[]) =>
  star?.class === "STAR" &&
  others.length > 0 &&
  others.every(({ alias = "" }) => /^(?:person|session|group_\d)\./.test(alias));

/** Returns the first key of a path or a JSON pointer; undefined if it may be several. */
function firstKey(path: Node | undefined): string | undefined {
  const text = path && constantText(path);
  if (text === undefined || text.includes("*")) return undefined;
  if (text.startsWith("/")) {
    return text.slice(1).split("/")[0]?.replaceAll("~1", "/").replaceAll("~0", "~");
  }
  if (!text.startsWith("$")) return text;
  const [, quoted, plain] = /^\$\.(?:"([^"\\]*)"|([\w$-]+))/.exec(text) ?? [];
  return quoted ?? plain;
}
