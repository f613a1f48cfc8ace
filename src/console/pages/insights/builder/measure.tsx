import { useState } from "preact/hooks";
import type { SeriesNode } from "../../../api/query.ts";
import { fixed, type Owner, useGroupTypes } from "../../../api/suggestions.ts";
import { propertyTitle } from "../../../state/format.ts";
import { Picker } from "../../../ui/pick/picker.tsx";
import { Chip } from "../../../ui/pick/popover.tsx";
import { PropertyPicker } from "../../../ui/pick/property-picker.tsx";
import { needsProperty } from "../query-state.ts";

/** The measures of an event. */
const MATHS: Record<string, string> = {
  ...{ total: "events", dau: "people", unique_session: "sessions" },
  ...{ first_time_for_user: "people for the first time" },
  ...{ weekly_active: "weekly active people", monthly_active: "monthly active people" },
  ...{ sum: "sum of", avg: "average of", min: "minimum of", max: "maximum of" },
  ...{ median: "median of", p50: "50th percentile of", p75: "75th percentile of" },
  ...{ p90: "90th percentile of", p95: "95th percentile of", p99: "99th percentile of" },
  hogql: "different values of",
};

/** Other words for a measure. People search for these too. */
const ALSO: Record<string, string> = {
  ...{ total: "count number of times", dau: "unique users visitors persons" },
  ...{ unique_session: "visits", hogql: "unique distinct values" },
};

const GROUPS = "unique_group:";

const DIFFERENT =
  /^\s*count\(\s*distinct\s+(person\.)?properties\.(?:([$\w]+)|`([^`]+)`|"([^"]+)")\s*\)\s*$/i;

/** The property of a measure, and whose it is; undefined without one. */
function propertyOf(node: SeriesNode): { name: string; owner: Owner } | undefined {
  const { math, math_property: name, math_property_type: type = "", math_hogql = "" } = node;
  if (math === "hogql") {
    const [, person, ...names] = DIFFERENT.exec(math_hogql) ?? [];
    const name = names.find((one) => one !== undefined);
    return name === undefined ? undefined : { name, owner: person ? "person" : "event" };
  }
  if (!name) return undefined;
  const [, owner = "event"] = /^(person|session)_properties$/.exec(type) ?? [];
  return { name, owner: name === "$session_duration" ? "session" : owner };
}

/** The event with another measure. */
function withMath(
  node: SeriesNode,
  math: string,
  name?: string,
  owner: Owner = "event",
): SeriesNode {
  const { math_property: _, math_property_type: __, math_hogql: ___, ...others } = node;
  const { math_group_type_index: ____, ...rest } = others;
  if (math.startsWith(GROUPS)) {
    return {
      ...rest,
      math: "unique_group",
      math_group_type_index: Number(math.slice(GROUPS.length)),
    };
  }
  if (name === undefined) return { ...rest, math };
  if (math === "hogql") {
    const path = `${owner === "person" ? "person." : ""}properties.`;
    const mark = name.includes("`") ? '"' : "`";
    const quoted = /^[$\w]+$/.test(name) ? name : `${mark}${name}${mark}`;
    return { ...rest, math, math_hogql: `count(DISTINCT ${path}${quoted})` };
  }
  const type = owner === "event" ? {} : { math_property_type: `${owner}_properties` };
  return { ...rest, math, math_property: name, ...type };
}

/** The measure of an event: first how it is counted, then the property where it needs one. */
export function Measure(props: {
  node: SeriesNode;
  of: string;
  onChange: (node: SeriesNode) => void;
}) {
  const { node, of, onChange } = props;
  const types = useGroupTypes();
  const { math: sent = "total", math_group_type_index: index = 0 } = node;
  const math = sent === "unique_group" ? `${GROUPS}${index}` : sent;
  const groups = types.map(({ group_type, group_type_index }) => {
    return { value: `${GROUPS}${group_type_index}`, label: `groups of ${group_type}` };
  });
  const all = [
    ...Object.entries(MATHS).map(([value, label]) => ({ value, label, also: ALSO[value] ?? "" })),
    ...groups,
  ];
  const property = propertyOf(node);
  const words = all.find(({ value }) => value === math)?.label ?? sent.replaceAll("_", " ");
  const text =
    property === undefined
      ? (node.math_hogql ?? words)
      : `${words} ${propertyTitle(property.name)}`;
  return (
    <Chip label="Measure" name={`Measure ${of}: ${text}`} text={text}>
      {(close) => (
        <MeasurePicker
          measures={all}
          math={math}
          property={property}
          onChoose={(next, name, owner) => {
            close();
            onChange(withMath(node, next, name, owner));
          }}
        />
      )}
    </Chip>
  );
}

function MeasurePicker(props: {
  measures: readonly { value: string; label: string }[];
  math: string;
  property: { name: string; owner: Owner } | undefined;
  onChoose: (math: string, name?: string, owner?: Owner) => void;
}) {
  const { measures, math, property, onChoose } = props;
  const [chosen, setChosen] = useState<string>();
  if (chosen === undefined) {
    return (
      <Picker
        label="Measure"
        source={fixed("measures", measures)}
        chosen={[math]}
        onChoose={(next) =>
          needsProperty(next) || next === "hogql" ? setChosen(next) : onChoose(next)
        }
      />
    );
  }
  const isNumber = chosen !== "hogql";
  return (
    <PropertyPicker
      key={chosen}
      owners={isNumber ? ["event", "person", "session"] : ["event", "person"]}
      {...property}
      isNumber={isNumber}
      onChoose={(name, owner) => onChoose(chosen, name, owner)}
    />
  );
}
