import type { Breakdown } from "../queries/breakdown.ts";
import { INSIGHT_NAME_CHARS_MAX, type Query } from "../queries/insight.ts";
import { seriesLabel } from "../queries/trend.ts";
import { Failure } from "../values/failure.ts";
import { storableText } from "../values/json.ts";

/** Fails `too_long`. */
export function checkName(name: string): void {
  if (name.length <= INSIGHT_NAME_CHARS_MAX) return;
  throw new Failure("too_long", `At most ${INSIGHT_NAME_CHARS_MAX} characters.`, "name");
}

/** Returns the name of an insight: `name`, else a description of the query. Fails `too_long`. */
export function nameOf(name: string, query: Query | undefined): string {
  checkName(name);
  const said = query === undefined ? "" : insightName(query);
  return storableText(name || said.slice(0, INSIGHT_NAME_CHARS_MAX));
}

/** The name of an insight that was saved without a name. */
function insightName(query: Query): string {
  switch (query.kind) {
    case "TrendsQuery":
      return by(query, query.formula?.text ?? query.series.map(seriesLabel).join(", "));
    case "FunnelsQuery":
      return by(query, `Funnel of ${query.steps.map(({ name }) => name).join(", ")}`);
    case "RetentionQuery":
      return by(query, `Retention of ${query.target.name}`);
    case "PathsQuery":
      return ["Paths", ...said("from", query.start), ...said("to", query.end)].join(" ");
    case "LifecycleQuery":
      return `Lifecycle of ${query.series.name}`;
    case "StickinessQuery":
      return `Stickiness of ${query.series.map(({ name }) => name).join(", ")}`;
  }
}

function by({ breakdown }: { breakdown: Breakdown | null }, what: string): string {
  return breakdown === null
    ? what
    : `${what} by ${breakdown.by.map(({ property }) => property).join(", ")}`;
}

const said = (word: string, place: string | null) => (place === null ? [] : [`${word} ${place}`]);
