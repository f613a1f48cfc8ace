import type { Kind, Query } from "../../api/query.ts";
import { usePropertyNames } from "../../api/suggestions.ts";
import { plainFilters, writeFilters } from "../../state/filters.ts";
import { Field, Select } from "../../ui/field.tsx";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { Icon } from "../../ui/icon.tsx";
import { funnelViz, isList, isOfTotals } from "./answer-table.ts";
import { breakdownText, isPlainBreakdown, otherFacts } from "./query-facts.ts";
import {
  DISPLAYS,
  FUNNEL_VIEWS,
  KINDS,
  kindName,
  OTHER_DISPLAYS,
  overPeriod,
  periodOf,
  withKind,
  withoutIdle,
  withPresent,
} from "./query-state.ts";
import { EventField, SeriesEditor } from "./series-editor.tsx";

type BuilderProps = { query: Query; onChange: (query: Query) => void };

/**
 * The fields of a query: events with their measures, breakdown, filters and display. Fields without controls are shown
 * in words, and stay.
 */
export function Builder({ query, onChange: change }: BuilderProps) {
  const { kind } = query;
  const onChange = (next: Query) => change(withoutIdle(next));
  const isTrend = kind === "TrendsQuery";
  const display = String(query.trendsFilter?.["display"] ?? "ActionsLineGraph");
  const hasSeries = isTrend || /^(Funnels|Lifecycle|Stickiness)Query$/.test(kind);
  return (
    <div class="builder">
      <Select
        label="Kind"
        value={kind}
        choices={withPresent(KINDS, kind, kindName(query))}
        onChange={(next) => onChange(withKind(query, next as Kind))}
      />
      {hasSeries && (
        <fieldset>
          <legend>{kind === "FunnelsQuery" ? "Steps" : "Count"}</legend>
          <SeriesEditor
            series={query.series ?? []}
            hasMath={isTrend}
            isOrdered={kind === "FunnelsQuery"}
            isSingle={kind === "LifecycleQuery"}
            onChange={(series) => onChange({ ...query, series })}
          />
        </fieldset>
      )}
      {kind === "RetentionQuery" && <RetentionFields query={query} onChange={onChange} />}
      {(isTrend || kind === "FunnelsQuery" || kind === "RetentionQuery") && (
        <Breakdown query={query} onChange={onChange} />
      )}
      {isTrend && (
        <Select
          label="Shown as"
          value={display}
          choices={withPresent(DISPLAYS, display, OTHER_DISPLAYS[display])}
          onChange={(next) =>
            onChange({ ...query, trendsFilter: { ...query.trendsFilter, display: next } })
          }
        />
      )}
      {hasIntervals(query) && (
        <Select
          label="Interval"
          value={query.interval ?? "day"}
          choices={INTERVALS}
          onChange={(interval) =>
            onChange({ ...query, ...overPeriod(query, periodOf(query), interval), interval })
          }
        />
      )}
      {kind === "FunnelsQuery" && <FunnelView query={query} onChange={onChange} />}
      <fieldset>
        <legend>Only</legend>
        <FilterEditor
          filters={plainFilters(query.properties)}
          saved={query.properties}
          {...(kind === "ActorsQuery" && { types: ["person"] as const })}
          onChange={(filters) => {
            const { properties: _, ...rest } = query;
            onChange(writeFilters(filters) ? { ...rest, properties: filters } : rest);
          }}
        />
      </fieldset>
      <OtherFields query={query} />
    </div>
  );
}

const INTERVALS = ["hour", "day", "week", "month"].map((value) => ({
  value,
  label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
}));

/** Whether an answer has a number for each interval. */
const hasIntervals = (query: Query): boolean =>
  query.kind === "TrendsQuery"
    ? !isOfTotals(query)
    : /^(Lifecycle|Stickiness)Query$/.test(query.kind) || funnelViz(query) === "trends";

function FunnelView({ query, onChange }: BuilderProps) {
  const viz = funnelViz(query) ?? "steps";
  const change = (funnelVizType: string) => {
    const interval = query.interval ?? "day";
    const funnelsFilter = { ...query.funnelsFilter, funnelVizType };
    onChange({ ...query, funnelsFilter, ...(funnelVizType === "trends" ? { interval } : {}) });
  };
  return (
    <Select
      label="Shown as"
      value={viz}
      choices={withPresent(FUNNEL_VIEWS, viz)}
      onChange={change}
    />
  );
}

/** The fields that have no controls here. */
function OtherFields({ query }: { query: Query }) {
  const facts = otherFacts(query);
  if (facts.length === 0) return null;
  return (
    <fieldset>
      <legend>{isList(query) ? "List" : "Also set"}</legend>
      <dl class="query-facts">
        {facts.map(({ name, text }) => (
          <div key={name}>
            <dt class="caption">{name}</dt>
            <dd>
              <bdi>{text}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </fieldset>
  );
}

/** A breakdown by a property, whose name is typed; any other one can only be removed. */
function Breakdown(props: BuilderProps) {
  const { breakdownFilter, ...rest } = props.query;
  if (isPlainBreakdown(breakdownFilter)) return <BreakdownField {...props} />;
  const text = breakdownText(breakdownFilter ?? {});
  return (
    <fieldset>
      <legend>Broken down by</legend>
      <span class="chip">
        <span>{text}</span>
        <button
          type="button"
          aria-label={`Remove the breakdown by ${text}`}
          onClick={() => props.onChange(rest)}
        >
          <Icon name="close" />
        </button>
      </span>
    </fieldset>
  );
}

function BreakdownField({ query, onChange }: BuilderProps) {
  const breakdown = String(query.breakdownFilter?.["breakdown"] ?? "");
  const isOfPerson = query.breakdownFilter?.["breakdown_type"] === "person";
  const names = usePropertyNames(isOfPerson ? "person" : "event", breakdown);
  const change = (name: string) => {
    const { breakdownFilter, ...rest } = query;
    const next = {
      breakdown_type: "event",
      breakdown_limit: 5,
      ...breakdownFilter,
      breakdown: name,
    };
    onChange(name === "" ? rest : { ...rest, breakdownFilter: next });
  };
  return (
    <Field
      label={isOfPerson ? "Broken down by property of the person" : "Broken down by"}
      placeholder="Nothing"
      autocomplete="off"
      value={breakdown}
      suggestions={names}
      onInput={change}
    />
  );
}

const RETENTION_PERIODS = ["Hour", "Day", "Week", "Month"].map((value) => ({
  value,
  label: `by the ${value.toLowerCase()}`,
}));

function RetentionFields({ query, onChange }: BuilderProps) {
  const filter = query.retentionFilter ?? {};
  const change = (changes: Record<string, unknown>) =>
    onChange({ ...query, retentionFilter: { ...filter, ...changes } });
  const eventOf = (name: string) => (filter[name] as { id?: string } | undefined)?.id ?? null;
  const entity = (id: string | null) => ({ id: id ?? "$pageview", type: "events" });
  return (
    <>
      <EventField
        label="First event"
        event={eventOf("targetEntity")}
        onChange={(event) => change({ targetEntity: entity(event) })}
      />
      <EventField
        label="Return event"
        event={eventOf("returningEntity")}
        onChange={(event) => change({ returningEntity: entity(event) })}
      />
      <Select
        label="Intervals"
        value={String(filter["period"] ?? "Day")}
        choices={RETENTION_PERIODS}
        onChange={(period) => change({ period })}
      />
    </>
  );
}
