import type { CapturedEvent } from "../events/event.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";

/**
 * UTF-8 bytes of each list that is added to an exception, as JSON; the rest is cut. Of a large event, queries see
 * properties of that size (decision 95).
 */
export const EXCEPTION_LIST_BYTES_MAX = 1024;

/** The most texts that share the bytes of a list; more are added while they fit. */
const SHARES_MAX = 16;

/**
 * Adds to `$exception` the lists by which exceptions are counted, each of different texts in their order. They come
 * from `$exception_list`, sources and functions from its frames of the application itself. Without them, the
 * single properties of older SDKs count. A list that was sent stays.
 */
export function addExceptionLists(event: CapturedEvent): void {
  if (event.event !== "$exception") return;
  const { properties } = event;
  const exceptions = objectsIn(properties["$exception_list"]);
  const frames = exceptions.flatMap(({ stacktrace }) =>
    isObject(stacktrace) ? objectsIn(stacktrace["frames"]) : [],
  );
  const own = frames.filter((frame) => frame["in_app"] === true);
  const sources: [name: string, listed: (Json | undefined)[], single: string][] = [
    ["$exception_types", exceptions.map((one) => one["type"]), "$exception_type"],
    ["$exception_values", exceptions.map((one) => one["value"]), "$exception_message"],
    ["$exception_sources", own.map(sourceOf), "$exception_source"],
    [
      "$exception_functions",
      own.map((one) => one["resolved_name"] ?? one["function"]),
      "$exception_function",
    ],
  ];
  const added: JsonObject = {};
  for (const [name, listed, single] of sources) {
    if ((properties[name] ?? null) !== null) continue;
    const texts = listed.filter(isText);
    const all = texts.length > 0 ? texts : [properties[single]].filter(isText);
    if (all.length > 0) added[name] = bounded(all);
  }
  // They come first, because of a large event queries see the first properties.
  if (Object.keys(added).length > 0) event.properties = { ...added, ...properties, ...added };
}

const objectsIn = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const isText = (value: Json | undefined): value is string =>
  typeof value === "string" && value !== "";

/** The file of a frame; of an address on the web its path, without the line and column at its end. */
function sourceOf(frame: JsonObject): Json | undefined {
  const name = frame["source"] ?? frame["filename"];
  if (typeof name !== "string" || !/^https?:/i.test(name)) return name;
  return URL.parse(name.replace(/(?::\d+){1,2}$/, ""))?.pathname ?? name;
}

const jsonBytes = (value: Json) => Buffer.byteLength(JSON.stringify(value));

/** The different texts. If they do not fit, each is cut to its share, and ends with an ellipsis; the last ones are left out. */
function bounded(texts: readonly string[]): string[] {
  const all = [...new Set(texts)];
  const room = EXCEPTION_LIST_BYTES_MAX - "[]".length;
  if (jsonBytes(all) <= EXCEPTION_LIST_BYTES_MAX) return all;
  const share = Math.floor(room / Math.min(all.length, SHARES_MAX)) - ",".length;
  const kept: string[] = [];
  for (const text of all) {
    const short = jsonBytes(text) <= share ? text : cut(text, share);
    if (jsonBytes([...kept, short]) > EXCEPTION_LIST_BYTES_MAX) break;
    kept.push(short);
  }
  return [...new Set(kept)];
}

function cut(text: string, bytes: number): string {
  let units = Math.min(text.length, bytes);
  const short = () => `${text.slice(0, units).replace(/[\ud800-\udbff]$/, "")}…`;
  while (jsonBytes(short()) > bytes) units -= Math.ceil((jsonBytes(short()) - bytes) / 6);
  return short();
}
