import type { Breakdown } from "../queries/breakdown.ts";
import { INSIGHT_NAME_CHARS_MAX, type Query, sourceOf } from "../queries/insight.ts";
import { isTable } from "../queries/tables/table.ts";
import { seriesLabel } from "../queries/trend.ts";
import { Failure } from "../values/failure.ts";
import { type JsonObject, storableText } from "../values/json.ts";

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

/** Returns the name of a list of persons or events; empty for other queries. */
export function tableName(sent: JsonObject): string {
  if (!isTable(sent)) return "";
  const { kind, event = null, events = null } = sourceOf(sent);
  if (kind === "ActorsQuery") return "Persons";
  const names = [event ?? events ?? []].flat().filter((one) => typeof one === "string");
  const name = names.length === 0 ? "Events" : `Events ${names.join(", ")}`;
  return storableText(name.slice(0, INSIGHT_NAME_CHARS_MAX));
}

/** The name of an insight that was saved without a name. */
function insightName(query: Query): string {
  switch (query.kind) {
    case "TrendsQuery":
      return by(
        query,
        query.formula?.name ?? query.formula?.text ?? query.series.map(seriesLabel).join(", "),
      );
    case "FunnelsQuery":
      return by(query, `${FUNNELS[query.viz]} ${query.steps.map(({ name }) => name).join(", ")}`);
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

const FUNNELS = {
  steps: "Funnel of",
  trends: "Conversion over time of",
  time_to_convert: "Time to convert of",
};

function by({ breakdown }: { breakdown: Breakdown | null }, what: string): string {
  return breakdown === null
    ? what
    : `${what} by ${breakdown.by.map(({ property }) => property).join(", ")}`;
}

const said = (word: string, place: string | null) => (place === null ? [] : [`${word} ${place}`]);
