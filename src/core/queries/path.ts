import { foundIn, type Json, type JsonObject, storableText } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import type { DateRange } from "./period.ts";
import {
  choice,
  type EventFilters,
  fields,
  filtersOf,
  malformed,
  rangeOf,
} from "./query-fields.ts";

/** Events that paths consist of: page views, screen views, events without a `$`. */
export const PATH_TYPES = ["$pageview", "$screen", "custom_event"] as const;

/** Steps of one path. */
export const PATH_STEPS_MAX = 20;

const STEPS_DEFAULT = 5;

/** Edges in the answer of one paths query; the most frequent ones. */
export const PATH_EDGES_MAX = 1000;

const EDGES_DEFAULT = 50;

/** Places that one query may exclude. */
const EXCLUDED_MAX = 50;

/** Minutes without a step after which a new path begins. */
export const PATH_GAP_MINUTES = 30;

/** A parsed paths query (decision 80). Places are as {@link placeOf} returns them. */
export type Paths = {
  kind: "PathsQuery";
  types: (typeof PATH_TYPES)[number][];
  /** The place where paths begin; null for any. */
  start: string | null;
  /** The place where paths end; null for any. */
  end: string | null;
  /** Places that are no step. */
  excluded: string[];
  steps: number;
  edges: number;
  filters: EventFilters;
  dateRange: DateRange;
};

/** Reads a `PathsQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readPaths(sent: JsonObject, moment: Moment): Paths {
  const known = ["kind", "dateRange", "properties", "pathsFilter"];
  const query = fields(sent, "query", known);
  const filter = query.object("pathsFilter", [
    ...["includeEventTypes", "startPoint", "endPoint", "excludeEvents", "stepLimit", "edgeLimit"],
  ]);
  const place = (name: string) => {
    const text = filter.text(name);
    return text === null || text === "" ? null : placeOf(text);
  };
  return {
    kind: "PathsQuery",
    types: typesOf(filter.sent["includeEventTypes"], filter.attr("includeEventTypes")),
    start: place("startPoint"),
    end: place("endPoint"),
    excluded: excludedOf(filter.sent["excludeEvents"], filter.attr("excludeEvents")),
    steps: filter.whole("stepLimit", { min: 2, max: PATH_STEPS_MAX }, STEPS_DEFAULT),
    edges: filter.whole("edgeLimit", { min: 1, max: PATH_EDGES_MAX }, EDGES_DEFAULT),
    filters: filtersOf(query, moment),
    dateRange: rangeOf(query),
  };
}

/** Returns the place of a text: the path of an address without slashes at its end, any other text unchanged. */
export function placeOf(text: string): string {
  if (!/^(?:[a-z][a-z\d+.-]*:\/)?\//i.test(text)) return text;
  const path = text.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").replace(/[?#][\s\S]*$/, "");
  return path.replace(/\/+$/, "") || "/";
}

function typesOf(sent: Json | undefined, attr: string): Paths["types"] {
  const list = sent ?? [];
  if (!Array.isArray(list)) throw malformed("A list is expected.", attr);
  const types = list.map((one) => choice(one, PATH_TYPES, attr));
  return types.length === 0 ? [...PATH_TYPES] : [...new Set(types)];
}

function excludedOf(sent: Json | undefined, attr: string): string[] {
  const list = sent ?? [];
  if (!Array.isArray(list) || list.length > EXCLUDED_MAX) {
    throw malformed(`A list of at most ${EXCLUDED_MAX} texts is expected.`, attr);
  }
  return list.map((one) => {
    if (typeof one === "string") return placeOf(storableText(one));
    throw malformed(`A list of texts is expected, not of ${foundIn(one)}.`, attr);
  });
}
