import type { Query } from "../queries/insight.ts";
import type { Breakdown } from "../queries/query-fields.ts";
import { seriesLabel } from "../queries/trend.ts";

/** The name of an insight that was saved without a name. */
export function insightName(query: Query): string {
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
