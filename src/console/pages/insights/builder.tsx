import type { Kind, Query } from "../../api/ask.ts";
import { usePropertyNames } from "../../api/suggestions.ts";
import { plainFilters, writeFilters } from "../../state/filters.ts";
import { Field, Select } from "../../ui/field.tsx";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { DISPLAYS, KINDS, withKind } from "./query-state.ts";
import { EventField, SeriesEditor } from "./series-editor.tsx";

type BuilderProps = { query: Query; onChange: (query: Query) => void };

/** The fields of a query: events with their measures, breakdown, filters and display. */
export function Builder({ query, onChange }: BuilderProps) {
  const { kind } = query;
  const isTrend = kind === "TrendsQuery";
  const hasSeries = isTrend || /^(Funnels|Lifecycle|Stickiness)Query$/.test(kind);
  return (
    <div class="builder">
      <Select
        label="Kind"
        value={kind}
        choices={KINDS}
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
          value={String(query.trendsFilter?.["display"] ?? "ActionsLineGraph")}
          choices={DISPLAYS}
          onChange={(display) =>
            onChange({ ...query, trendsFilter: { ...query.trendsFilter, display } })
          }
        />
      )}
      <fieldset>
        <legend>Only</legend>
        <FilterEditor
          filters={plainFilters(query.properties)}
          onChange={(filters) => {
            const { properties: _, ...rest } = query;
            onChange(writeFilters(filters) ? { ...rest, properties: filters } : rest);
          }}
        />
      </fieldset>
    </div>
  );
}

function Breakdown({ query, onChange }: BuilderProps) {
  const breakdown = String(query.breakdownFilter?.["breakdown"] ?? "");
  const names = usePropertyNames("event", breakdown);
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
      label="Broken down by"
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
        label="Persons begin with"
        event={eventOf("targetEntity")}
        onChange={(event) => change({ targetEntity: entity(event) })}
      />
      <EventField
        label="They come back with"
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
