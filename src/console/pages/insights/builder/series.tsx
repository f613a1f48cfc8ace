import type { ComponentChildren } from "preact";
import type { Query, SeriesNode } from "../../../api/query.ts";
import { plainFilters } from "../../../state/filters.ts";
import { eventTitle } from "../../../state/format.ts";
import { Button } from "../../../ui/button.tsx";
import { FilterEditor, QUERY_OWNERS } from "../../../ui/filter-editor.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { PickChip } from "../../../ui/pick/picker.tsx";
import { Popover } from "../../../ui/pick/popover.tsx";
import { ANY_EVENT } from "../../../ui/pick/property-picker.tsx";
import { Measure } from "./measure.tsx";
import { Chosen, Typed } from "./option-fields.tsx";
import { withField } from "./options.ts";

/** Most series of a query, and most exclusions of a funnel. */
const SERIES_MAX = 10;
const EXCLUSIONS_MAX = 5;

/** One of the fields of a node, or without it where it is empty. */
function withText<T extends object>(node: T, name: string, value: unknown): T {
  const rest = Object.entries(node).filter(([one]) => one !== name);
  const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(isEmpty ? rest : [...rest, [name, value]]) as T;
}

/** One event with its measure, its filters and its name. */
export function Node(props: {
  node: SeriesNode;
  /** Its letter, its step or its part in the query. */
  of: string;
  hasMath?: boolean;
  onChange: (node: SeriesNode) => void;
  onRemove?: (() => void) | undefined;
  children?: ComponentChildren;
}) {
  const { node, of, hasMath, onChange, onRemove } = props;
  const { event, properties, custom_name = "" } = node;
  const title = event === null ? "All events" : eventTitle(event);
  return (
    <fieldset class="node" aria-label={`${of}: ${custom_name || title}`}>
      <span class="letter" aria-hidden="true">
        {of}
      </span>
      <PickChip
        label={`Event ${of}`}
        text={title}
        source={ANY_EVENT}
        chosen={[event ?? ""]}
        anyText="Use"
        onChoose={(name) => onChange({ ...node, event: name === "" ? null : name })}
      />
      {hasMath && <Measure node={node} of={of} onChange={onChange} />}
      {props.children}
      <FilterEditor
        of={of}
        types={QUERY_OWNERS}
        filters={plainFilters(properties)}
        saved={properties}
        onChange={(filters) => onChange(withText(node, "properties", filters))}
      />
      <Popover
        label="Name"
        name={`Rename ${of}`}
        class="button quiet"
        button={custom_name === "" ? <Icon name="edit" /> : <bdi>“{custom_name}”</bdi>}
      >
        {() => (
          <Typed
            label="Name"
            value={custom_name}
            onChange={(name) => onChange(withText(node, "custom_name", name.trim()))}
          />
        )}
      </Popover>
      {onRemove && (
        <Button kind="quiet" icon="close" label={`Remove ${of}: ${title}`} onClick={onRemove} />
      )}
    </fieldset>
  );
}

type SeriesProps = { query: Query; onChange: (query: Query) => void };

/** The events of a query: lines of a trend, or steps of a funnel, in their order. */
export function Series({ query, onChange }: SeriesProps) {
  const { series = [], kind } = query;
  const isOrdered = kind === "FunnelsQuery";
  const put = (next: SeriesNode[]) => onChange({ ...query, series: next });
  const added: SeriesNode = { kind: "EventsNode", event: "$pageview" };
  return (
    <>
      {series.map((node, at) => (
        <Node
          key={at}
          node={node}
          of={isOrdered ? String(at + 1) : String.fromCharCode(65 + at)}
          hasMath={kind === "TrendsQuery"}
          onChange={(next) => put(series.toSpliced(at, 1, next))}
          onRemove={series.length > 1 ? () => put(series.toSpliced(at, 1)) : undefined}
        />
      ))}
      {kind !== "LifecycleQuery" && series.length < SERIES_MAX && (
        <Button kind="quiet" icon="plus" onClick={() => put([...series, added])}>
          {isOrdered ? "Step" : "Event"}
        </Button>
      )}
      {isOrdered && series.length > 1 && <Exclusions query={query} onChange={onChange} />}
    </>
  );
}

type Exclusion = SeriesNode & { funnelFromStep?: number; funnelToStep?: number };

/** The events that end an attempt, each with the steps between which it does. */
function Exclusions({ query, onChange }: SeriesProps) {
  const { funnelsFilter = {}, series = [] } = query;
  const all = (funnelsFilter["exclusions"] ?? []) as Exclusion[];
  const put = (next: Exclusion[]) =>
    onChange(withField(query, "funnelsFilter.exclusions", next.length === 0 ? undefined : next));
  const steps = series.map((_, at) => ({ value: String(at), label: String(at + 1) }));
  return (
    <>
      {all.map((node, at) => {
        const keep = (next: Exclusion) => put(all.toSpliced(at, 1, next));
        const { funnelFromStep: from = 0, funnelToStep: to = series.length - 1 } = node;
        return (
          <Node
            key={at}
            node={node}
            of={`Without ${at + 1}`}
            onChange={keep}
            onRemove={() => put(all.toSpliced(at, 1))}
          >
            <Chosen
              label="after step"
              value={String(from)}
              choices={steps.slice(0, -1)}
              onChange={(step) => keep({ ...node, funnelFromStep: Number(step) })}
            />
            <Chosen
              label="before step"
              value={String(to)}
              choices={steps.slice(from + 1)}
              onChange={(step) => keep({ ...node, funnelToStep: Number(step) })}
            />
          </Node>
        );
      })}
      {all.length < EXCLUSIONS_MAX && (
        <Button
          kind="quiet"
          icon="plus"
          onClick={() => put([...all, { kind: "EventsNode", event: "$pageview" }])}
        >
          Exclusion
        </Button>
      )}
    </>
  );
}
