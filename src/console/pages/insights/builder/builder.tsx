import type { Kind, Query } from "../../../api/query.ts";
import { plainFilters } from "../../../state/filters.ts";
import { FilterEditor, QUERY_OWNERS } from "../../../ui/filter-editor.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { isList } from "../answer-table.ts";
import { otherFacts } from "../query-facts.ts";
import {
  comparisonOf,
  KINDS,
  kindName,
  withComparison,
  withKind,
  withOwnUnit,
  withPresent,
} from "../query-state.ts";
import { Breakdown } from "./breakdown.tsx";
import { ListFields, PathFields, RetentionEvents } from "./journeys.tsx";
import { Chosen, Options } from "./option-fields.tsx";
import { withoutIdle } from "./options.ts";
import { Series } from "./series.tsx";

type BuilderProps = { query: Query; onChange: (query: Query) => void };

/** All fields of a query as a row of chips. Those without a control are said in words, and stay. */
export function Builder({ query, onChange: change }: BuilderProps) {
  const { kind } = query;
  const onChange = (next: Query) =>
    change(withoutIdle(withOwnUnit(withInterval(next, query), query)));
  const props = { query, onChange };
  return (
    <div class="builder">
      <Chosen
        isBare
        label="Kind"
        value={kind}
        choices={withPresent(KINDS, kind, kindName(query))}
        onChange={(next) => onChange(withKind(query, next as Kind))}
      />
      {/^(Trends|Funnels|Lifecycle|Stickiness)Query$/.test(kind) && <Series {...props} />}
      {kind === "RetentionQuery" && <RetentionEvents {...props} />}
      {kind === "PathsQuery" && <PathFields {...props} />}
      {isList(query) && <ListFields {...props} />}
      {/^(Trends|Funnels|Retention)Query$/.test(kind) && <Breakdown {...props} />}
      <FilterEditor
        of="all"
        filters={plainFilters(query.properties)}
        saved={query.properties}
        types={kind === "ActorsQuery" ? ["person", "behavioral"] : QUERY_OWNERS}
        onChange={(filters) => {
          const { properties: _, ...rest } = query;
          onChange(filters.length === 0 ? rest : { ...rest, properties: filters });
        }}
      />
      <Options {...props} />
      {otherFacts(query).map(({ name, text }) => (
        <span class="chip locked" key={name} title="From your question. No control changes it.">
          <Icon name="lock" />
          <span>
            {name}: <bdi>{text}</bdi>
          </span>
        </span>
      ))}
    </div>
  );
}

/** The query with a comparison that fits its interval, if that was changed, and with one where it is over time. */
function withInterval(next: Query, before: Query): Query {
  if (next.kind !== before.kind) return next;
  const isOverTime = next.funnelsFilter?.["funnelVizType"] === "trends";
  if (next.interval === before.interval) {
    return isOverTime && next.interval === undefined ? { ...next, interval: "day" } : next;
  }
  const over = { ...next, interval: next.interval ?? "day" };
  return next.compareFilter === undefined ? over : withComparison(over, comparisonOf(before));
}
