import { useState } from "preact/hooks";
import { usePropertyNames, useValues } from "../api/suggestions.ts";
import { type Filter, filterText, needsValue, OPERATORS } from "../state/filters.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field, Select } from "./field.tsx";
import { Icon } from "./icon.tsx";

type EditorProps = {
  /** Undefined if they cannot be shown, see `plainFilters`. */
  filters: readonly Filter[] | undefined;
  onChange: (filters: Filter[]) => void;
  /** Whose properties can be filtered by; events and persons by default. */
  types?: readonly Filter["type"][];
};

/** The filters of a page as chips, with a dialog to add and to change one. Groups are left as they are. */
export function FilterEditor({ filters, ...props }: EditorProps) {
  if (filters) return <PlainFilters {...props} filters={filters} />;
  return (
    <span class="caption">Filtered by a group of filters, which only the API can change.</span>
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
          <button type="button" title="Change this filter" onClick={() => setEdited(at)}>
            {filterText(filter)}
          </button>
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
        <FilterDialog types={types} filter={filters[edited]} onKeep={keep} onClose={close} />
      )}
    </div>
  );
}

/** Numbers are compared as numbers, everything else as text. */
const typed = (text: string, operator: string): string | number =>
  (operator === "gt" || operator === "lt") && text.trim() !== "" && !Number.isNaN(Number(text))
    ? Number(text)
    : text;

const TYPE_NAMES = { event: "Event", person: "Person", group: "Group" };

function FilterDialog(props: {
  types: readonly Filter["type"][];
  filter: Filter | undefined;
  onKeep: (filter: Filter) => void;
  onClose: () => void;
}) {
  const first = props.types[0] ?? "event";
  const [filter, setFilter] = useState<Filter>(
    props.filter ?? { key: "", operator: "exact", value: "", type: first },
  );
  const value = Array.isArray(filter.value) ? filter.value.join(", ") : String(filter.value ?? "");
  const names = usePropertyNames(filter.type, filter.key);
  const values = useValues(filter.type, filter.key, value, filter.group_type_index);
  const hasValue = needsValue(filter.operator);
  const keep = (event: Event) => {
    event.preventDefault();
    const { value: _, ...rest } = filter;
    props.onKeep(hasValue ? { ...rest, value: typed(value, filter.operator) } : rest);
  };
  return (
    <Dialog title={props.filter ? "Change the filter" : "Add a filter"} onClose={props.onClose}>
      <form class="stack" onSubmit={keep}>
        {props.types.length > 1 && (
          <Select
            label="Property of"
            value={filter.type}
            choices={props.types.map((type) => ({ value: type, label: TYPE_NAMES[type] }))}
            onChange={(type) => setFilter({ ...filter, type: type as Filter["type"] })}
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
          choices={OPERATORS}
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
