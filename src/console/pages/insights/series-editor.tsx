import type { SeriesNode } from "../../api/query.ts";
import { useEventNames, usePropertyNames } from "../../api/suggestions.ts";
import { filtersText } from "../../state/filters.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { MATHS, needsProperty, withPresent } from "./query-state.ts";

/** Most series of a query that the builder makes. */
const SERIES_MAX = 10;

/** The events of a query: lines of a trend, or steps of a funnel, in their order. */
export function SeriesEditor(props: {
  series: readonly SeriesNode[];
  /** Whether events are counted in different ways; a funnel only has steps. */
  hasMath: boolean;
  /** Whether the order of the events counts, so that they are steps. */
  isOrdered: boolean;
  isSingle: boolean;
  onChange: (series: SeriesNode[]) => void;
}) {
  const { series, onChange } = props;
  const add = () => onChange([...series, { kind: "EventsNode", event: "$pageview" }]);
  return (
    <div class="stack">
      {series.map((node, at) => (
        <div class={props.isSingle ? undefined : "series"} key={at}>
          {!props.isSingle && (
            <span class="letter" aria-hidden="true">
              {props.isOrdered ? at + 1 : String.fromCharCode(65 + at)}
            </span>
          )}
          <EventField
            event={node.event}
            onChange={(event) => onChange(series.toSpliced(at, 1, { ...node, event }))}
          />
          {props.hasMath && (
            <Measure node={node} onChange={(next) => onChange(series.toSpliced(at, 1, next))} />
          )}
          <Only filters={node.properties} />
          {series.length > 1 && (
            <Button
              kind="quiet"
              icon="close"
              label={`Remove ${node.event ?? "all events"}`}
              onClick={() => onChange(series.toSpliced(at, 1))}
            />
          )}
        </div>
      ))}
      {!props.isSingle && series.length < SERIES_MAX && (
        <div>
          <Button kind="quiet" icon="plus" onClick={add}>
            {props.isOrdered ? "Step" : "Event"}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The filters of one event, which stay as they are. */
function Only({ filters }: { filters: unknown }) {
  const text = filtersText(filters);
  if (text === "") return null;
  return (
    <p class="caption series-only">
      only <bdi>{text}</bdi>
    </p>
  );
}

/** The name of an event; empty for all events. */
export function EventField(props: {
  event: string | null;
  label?: string;
  onChange: (event: string | null) => void;
}) {
  const event = props.event ?? "";
  const { names, isUnknown } = useEventNames(event);
  return (
    <Field
      label={props.label ?? "Event"}
      isBare={props.label === undefined}
      placeholder="All events"
      autocomplete="off"
      value={event}
      suggestions={names}
      hint={event !== "" && isUnknown ? "No event has this name yet." : undefined}
      onInput={(name) => props.onChange(name === "" ? null : name)}
    />
  );
}

function Measure({ node, onChange }: { node: SeriesNode; onChange: (node: SeriesNode) => void }) {
  const owner = node.math_property_type === "person_properties" ? "person" : "event";
  const names = usePropertyNames(owner, node.math_property ?? "");
  const choose = (math: string) => {
    const { math_property: _, math_property_type: __, math_hogql: ___, ...rest } = node;
    onChange(needsProperty(math) ? { ...node, math } : { ...rest, math });
  };
  const math = node.math ?? "total";
  return (
    <>
      <Select
        label="Count"
        isBare
        value={math}
        choices={withPresent(MATHS, math, node.math_hogql)}
        onChange={choose}
      />
      {needsProperty(node.math) && (
        <Field
          label="Property with the number"
          isBare
          placeholder="Property"
          autocomplete="off"
          value={node.math_property ?? ""}
          suggestions={names}
          onInput={(math_property) => onChange({ ...node, math_property })}
        />
      )}
    </>
  );
}
