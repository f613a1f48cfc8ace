import { useRef } from "preact/hooks";
import type { Owner } from "../api/suggestions.ts";
import {
  type Filter,
  filtersText,
  filterText,
  isEditable,
  plainFilters,
} from "../state/filters.ts";
import { FilterForm } from "./pick/filter-form.tsx";
import { Add, Chip } from "./pick/popover.tsx";

/** All filters of queries; lists of events have no sessions, and no conditions on people. */
export const QUERY_OWNERS: readonly Owner[] = [
  ...["event", "person", "session", "group", "behavioral", "hogql", "event_metadata"],
];

type EditorProps = {
  /** Undefined if they cannot be changed here, see `plainFilters`. */
  filters: readonly Filter[] | undefined;
  /** The same as they are saved, to be shown in words where they cannot be changed. */
  saved?: unknown;
  onChange: (filters: Filter[]) => void;
  /** Whose properties can be filtered by; events, people and groups by default. */
  types?: readonly Owner[];
  /** The part of the page that is filtered, where there are several. */
  of?: string;
};

/** The filters of a page as chips, each with a part to change it, and a button to add one. Groups are left as they are. */
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
  const { filters, onChange, of, types = ["event", "person", "group"] } = props;
  const leave = useRef<(() => void) | undefined>(undefined);
  const form = (at: number) => (close: () => void) => (
    <FilterForm
      owners={types}
      filter={filters[at]}
      leave={leave}
      onKeep={(filter) => {
        leave.current = undefined;
        close();
        onChange(filters.toSpliced(at, 1, filter));
      }}
      nested={(inner, onInner) => (
        <FilterEditor filters={plainFilters(inner)} saved={inner} onChange={onInner} of="Events" />
      )}
    />
  );
  const part = { onLeave: () => leave.current?.() };
  return (
    <div class="cluster tight">
      {filters.map((filter, at) => {
        const text = filterText(filter);
        const remove = () => onChange(filters.toSpliced(at, 1));
        return (
          <Chip key={at} {...part} label="Change the filter" text={text} onRemove={remove}>
            {isEditable(filter) ? form(at) : () => <p>Only the API can change this condition.</p>}
          </Chip>
        );
      })}
      <Add
        {...part}
        label="Add a filter"
        text="Filter"
        {...(of && { name: of === "all" ? "Filter" : `Filter ${of}` })}
      >
        {form(filters.length)}
      </Add>
    </div>
  );
}
