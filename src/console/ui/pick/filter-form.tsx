import type { ComponentChildren, RefObject } from "preact";
import { useState } from "preact/hooks";
import { fixed, type Owner, valuesOf } from "../../api/suggestions.ts";
import { didOf } from "../../state/filter.ts";
import { type Filter, needsValue, operatorsOf, titleOf } from "../../state/filters.ts";
import { valueText } from "../../state/format.ts";
import { readTime, timeName, timeValues, writeTime } from "../../state/time-filter.ts";
import { Button } from "../button.tsx";
import { Field, Select } from "../field.tsx";
import { BehaviorForm, isWholeBehavior } from "./behavior-form.tsx";
import { Picker } from "./picker.tsx";
import { PropertyPicker } from "./property-picker.tsx";

/** Whose property a filter is about, as the picker names it. */
const ownerOf = ({ type, group_type_index }: Filter): Owner =>
  type === "group" ? `group:${group_type_index ?? 0}` : type;

/** A filter that begins with a choice of the picker. */
function begun(name: string, owner: Owner): Filter {
  if (owner === "behavioral") return didOf(name === "" ? null : name);
  if (owner === "hogql") {
    return { type: "hogql", key: writeTime({ expression: name, met: [] }) } as unknown as Filter;
  }
  const [type, index] = owner.split(":") as [Filter["type"], string | undefined];
  const group = index === undefined ? {} : { group_type_index: Number(index) };
  return { key: name, operator: "exact", value: [], type, ...group };
}

/** Operators that compare with each of several values. */
const isListed = (operator: string) => operator === "exact" || operator === "is_not";

/** Numbers are compared as numbers, everything else as text. */
const typed = (text: string, operator: string): string | number =>
  /^[gl]te?$/.test(operator) && text.trim() !== "" && !Number.isNaN(Number(text))
    ? Number(text)
    : text;

const valuesIn = ({ value }: Filter) => (value === undefined ? [] : [value].flat());

/** The filter as queries have it; undefined while it lacks something. */
function wholeOf(filter: Filter): Filter | undefined {
  if (filter.type === "behavioral") return isWholeBehavior(filter) ? filter : undefined;
  if (filter.type === "hogql") return readTime(String(filter.key))?.met.length ? filter : undefined;
  if (!needsValue(filter.operator)) {
    const { value: _, ...rest } = filter;
    return rest as Filter;
  }
  const [first, ...others] = valuesIn(filter);
  if (first === undefined) return undefined;
  return { ...filter, value: others.length === 0 ? first : [first, ...others] };
}

type Nested = (filters: unknown, onChange: (filters: Filter[]) => void) => ComponentChildren;

/** The fields of one filter: first its property, then its condition. */
export function FilterForm(props: {
  owners: readonly Owner[];
  filter: Filter | undefined;
  onKeep: (filter: Filter) => void;
  /** Gets a function that keeps a whole filter as it is now, for when the form is left. */
  leave: RefObject<(() => void) | undefined>;
  /** Edits the filters within a condition on what people did. */
  nested: Nested;
}) {
  const { owners, onKeep, leave, nested } = props;
  const [filter, setFilter] = useState(props.filter);
  const [isPicking, setPicking] = useState(filter === undefined);
  const whole = filter && wholeOf(filter);
  const keep = () => whole && onKeep(whole);
  leave.current = filter === props.filter ? undefined : () => keep();
  if (filter === undefined || isPicking) {
    return (
      <PropertyPicker
        owners={owners}
        {...(filter && { owner: ownerOf(filter), name: filter.key })}
        onChoose={(name, owner) => {
          const isSame = filter && ownerOf(filter) === owner && filter.key === name;
          setFilter(isSame ? filter : begun(name, owner));
          setPicking(false);
        }}
      />
    );
  }
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        keep();
      }}
    >
      <Condition
        filter={filter}
        onChange={setFilter}
        onDone={keep}
        onProperty={() => setPicking(true)}
        nested={nested}
      />
      <footer class="actions">
        <Button kind="primary" submit disabled={whole === undefined}>
          Apply
        </Button>
      </footer>
    </form>
  );
}

function Condition(props: FormProps & { onProperty: () => void; nested: Nested }) {
  const { filter, onChange, onDone, onProperty, nested } = props;
  if (filter.type === "hogql")
    return <TimeForm filter={filter} onChange={onChange} onDone={onDone} />;
  if (filter.type !== "behavioral")
    return <PropertyForm {...{ filter, onChange, onDone, onProperty }} />;
  const put = (event_filters: Filter[]) => onChange({ ...filter, event_filters });
  const where = nested(filter["event_filters"], put);
  return <BehaviorForm filter={filter} onChange={onChange} where={where} />;
}

type FormProps = { filter: Filter; onChange: (filter: Filter) => void; onDone: () => void };

function PropertyForm({
  filter,
  onChange,
  onProperty,
  onDone,
}: FormProps & { onProperty: () => void }) {
  const { key, operator } = filter;
  const values = valuesIn(filter);
  const operators = operatorsOf(filter);
  const isKnown = operators.some((one) => one.value === operator);
  const other = { value: operator, label: operator.replaceAll("_", " ") };
  const toggle = (value: string) => {
    const kept = values.filter((one) => valueText(one) !== value);
    const next = kept.length === values.length ? [...kept, value] : kept;
    onChange({ ...filter, value: next as string[] });
  };
  return (
    <>
      <div class="pair">
        <Button onClick={onProperty}>{titleOf(filter)}</Button>
        <Select
          isBare
          label="Comparison"
          value={operator}
          choices={isKnown ? operators : [...operators, other]}
          onChange={(next) => onChange({ ...filter, operator: next })}
        />
      </div>
      {needsValue(operator) &&
        (isListed(operator) ? (
          <Picker
            isMulti
            label="Value"
            source={valuesOf(ownerOf(filter), key ?? "")}
            chosen={values.map(valueText)}
            anyText="Use"
            onChoose={toggle}
            onDone={onDone}
          />
        ) : (
          <Field
            isBare
            label="Value"
            autocomplete="off"
            value={values.map(valueText).join(", ")}
            onInput={(text) => onChange({ ...filter, value: typed(text, operator) })}
          />
        ))}
    </>
  );
}

function TimeForm({ filter, onChange, onDone }: FormProps) {
  const time = readTime(String(filter.key));
  if (time === undefined) return <code>{filter.key}</code>;
  const { expression, met } = time;
  const items = timeValues(expression).map((value) => ({
    ...{ value: String(value), label: timeName(expression, value) },
  }));
  const toggle = (value: string) => {
    const one = Number(value);
    const next = met.includes(one) ? met.filter((other) => other !== one) : [...met, one];
    onChange({ ...filter, key: writeTime({ expression, met: next }) });
  };
  return (
    <Picker
      isMulti
      label="Value"
      source={fixed(expression, items)}
      chosen={met.map(String)}
      onChoose={toggle}
      onDone={onDone}
    />
  );
}
