import { useState } from "preact/hooks";
import { usePropertyNames, useValues } from "../api/suggestions.ts";
import {
  type EditableFilter,
  type Filter,
  filtersText,
  filterText,
  isEditable,
  needsValue,
  OPERATORS,
} from "../state/filters.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field, Select } from "./field.tsx";
import { Icon } from "./icon.tsx";

type EditorProps = {
  /** Undefined if they cannot be changed here, see `plainFilters`. */
  filters: readonly Filter[] | undefined;
  /** The same as they are saved, to be shown in words where they cannot be changed. */
  saved?: unknown;
  onChange: (filters: Filter[]) => void;
  /** Whose properties can be filtered by; events and persons by default. */
  types?: readonly Filter["type"][];
};

/** The filters of a page as chips, with a dialog to add and to change one. Groups are left as they are. */
export function FilterEditor({ filters, saved, ...props }: EditorProps) {
  if (filters) return <PlainFilters {...props} filters={filters} />;
  const text = filtersText(saved);
  return (
    <span class="caption">
      Filtered by a group of filters, which only the API can change{text === "" ? "." : ": "}
      <bdi>{text}</bdi>
    </span>
  );
}

function PlainFilters(props: EditorProps & { filters: readonly Filter[] }) {
  const { filters, onChange, types = ["event", "person"] } = props;
  const [edited, setEdited] = useState<number | undefined>();
  const close = () => setEdited(undefined);
  const keep = (filter: Filter) => {
    onChange(filters.toSpliced(edited ?? filters.length, 1, filter));
    close();
  };
  return (
    <div class="cluster tight">
      {filters.map((filter, at) => (
        <span class="chip" key={`${at}${filterText(filter)}`}>
          {isEditable(filter) ? (
            <button type="button" title="Change this filter" onClick={() => setEdited(at)}>
              {filterText(filter)}
            </button>
          ) : (
            <span>{filterText(filter)}</span>
          )}
          <button
            type="button"
            aria-label={`Remove the filter ${filterText(filter)}`}
            onClick={() => onChange(filters.toSpliced(at, 1))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <Button kind="quiet" icon="plus" onClick={() => setEdited(filters.length)}>
        Filter
      </Button>
      {edited !== undefined && (
        <FilterDialog
          types={types}
          filter={filters[edited] as EditableFilter | undefined}
          onKeep={keep}
          onClose={close}
        />
      )}
    </div>
  );
}

/** Numbers are compared as numbers, everything else as text. */
const typed = (text: string, operator: string): string | number =>
  /^[gl]te?$/.test(operator) && text.trim() !== "" && !Number.isNaN(Number(text))
    ? Number(text)
    : text;

const TYPE_NAMES = { event: "Event", person: "Person", group: "Group" };

function FilterDialog(props: {
  types: readonly Filter["type"][];
  filter: EditableFilter | undefined;
  onKeep: (filter: Filter) => void;
  onClose: () => void;
}) {
  const first = (props.types[0] ?? "event") as EditableFilter["type"];
  const [filter, setFilter] = useState<EditableFilter>(
    props.filter ?? { key: "", operator: "exact", value: "", type: first },
  );
  const types = [...new Set([...props.types, filter.type])] as EditableFilter["type"][];
  const isKnown = OPERATORS.some((one) => one.value === filter.operator);
  const other = { value: filter.operator, label: filter.operator.replaceAll("_", " ") };
  const value = Array.isArray(filter.value) ? filter.value.join(", ") : String(filter.value ?? "");
  const names = usePropertyNames(filter.type, filter.key);
  const values = useValues(filter.type, filter.key, value, filter.group_type_index);
  const hasValue = needsValue(filter.operator);
  const keep = (event: Event) => {
    event.preventDefault();
    const { value: kept, ...rest } = filter;
    // A list of values stays one unless another text is typed.
    const next = Array.isArray(kept) ? kept : typed(value, filter.operator);
    props.onKeep((hasValue ? { ...rest, value: next } : rest) as Filter);
  };
  return (
    <Dialog title={props.filter ? "Change the filter" : "Add a filter"} onClose={props.onClose}>
      <form class="stack" onSubmit={keep}>
        {types.length > 1 && (
          <Select
            label="Property of"
            value={filter.type}
            choices={types.map((type) => ({ value: type, label: TYPE_NAMES[type] }))}
            onChange={(type) => setFilter({ ...filter, type: type as EditableFilter["type"] })}
          />
        )}
        <Field
          label="Property"
          autofocus
          required
          autocomplete="off"
          value={filter.key}
          suggestions={names}
          onInput={(key) => setFilter({ ...filter, key })}
        />
        <Select
          label="Comparison"
          value={filter.operator}
          choices={isKnown ? OPERATORS : [...OPERATORS, other]}
          onChange={(operator) => setFilter({ ...filter, operator })}
        />
        {hasValue && (
          <Field
            label="Value"
            autocomplete="off"
            value={value}
            suggestions={values}
            onInput={(text) => setFilter({ ...filter, value: text })}
          />
        )}
        <footer class="actions">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" submit>
            {props.filter ? "Change" : "Add"}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
