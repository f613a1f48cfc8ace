import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A column: its head, its cell, and how it is set. */
export type Column<T> = {
  key: string;
  /** Empty for a column of buttons. */
  title: string;
  cell: (row: T) => ComponentChildren;
  isNumber?: boolean;
  /** Left out on narrow screens. */
  isExtra?: boolean;
  /** In a second line of its row on narrow screens. */
  isBelow?: boolean;
  /** Its width, such as `160px`; the others share the rest. */
  width?: string;
  /** Sorted by a click on its head. */
  canSort?: boolean;
};

/** By which column a table is sorted; `-` before it for the greatest first. */
export type Sort = string;

/** The rows and columns of a table, and how it is opened and sorted. */
export type TableProps<T> = {
  /** The name for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** The detail that a row opens in place. The first cell becomes its button. */
  detail?: (row: T) => ComponentChildren;
  open?: string | undefined;
  onOpen?: (key: string | undefined) => void;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
};

const narrow = matchMedia("(max-width: 767px)");

/** Whether the window has no room for all columns. */
const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});

/** A table of rows, which can open in place and be sorted. `j`, `k` and Enter work in it. */
export function Table<T>(props: TableProps<T>) {
  const id = useId();
  const columns = props.columns.filter(
    ({ isExtra, isBelow }) => !isNarrow.value || !(isExtra || isBelow),
  );
  return (
    <div class="table-frame">
      <table class="table" aria-label={props.label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <Row
              key={props.keyOf(row)}
              row={row}
              table={props}
              columns={columns}
              id={`${id}-${props.keyOf(row)}`}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = ({ isNumber }: { isNumber?: boolean }) => (isNumber ? "number" : undefined);

function Head<T>(props: {
  column: Column<T>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const { column, sort, onSort } = props;
  const { key, title, canSort, width } = column;
  const isUp = sort === key;
  const isDown = sort === `-${key}`;
  // A column of buttons has no name, so that its first cell heads nothing.
  if (title === "") return <td style={{ width }} />;
  if (!canSort || !onSort) {
    return (
      <th scope="col" class={classOf(column)} style={{ width }}>
        {title || <span class="off-screen">Actions</span>}
      </th>
    );
  }
  const direction = isUp ? ("ascending" as const) : ("descending" as const);
  return (
    <th
      scope="col"
      class={classOf(column)}
      style={{ width }}
      aria-sort={isUp || isDown ? direction : undefined}
    >
      <button type="button" class="sort" onClick={() => onSort(isDown ? key : `-${key}`)}>
        {title}
        {(isUp || isDown) && <Icon name={isUp ? "up" : "fall"} />}
      </button>
    </th>
  );
}

function Row<T>(props: {
  row: T;
  table: TableProps<T>;
  /** The columns that have a cell of their own. */
  columns: readonly Column<T>[];
  id: string;
}) {
  const { row, table, columns, id } = props;
  const { keyOf, detail, open, onOpen } = table;
  const below = isNarrow.value ? table.columns.filter(({ isBelow }) => isBelow) : [];
  const isOpen = open === keyOf(row);
  const toggle = () => onOpen?.(isOpen ? undefined : keyOf(row));
  return (
    <Fragment>
      <tr class={isOpen ? "open" : undefined}>
        {columns.map((column, at) => (
          <td key={column.key} class={classOf(column)}>
            {detail && at === 0 ? (
              <button
                type="button"
                class="row-button"
                data-row
                aria-expanded={isOpen}
                aria-controls={isOpen ? id : undefined}
                onClick={toggle}
              >
                <Icon name={isOpen ? "down" : "right"} />
                <span>{column.cell(row)}</span>
              </button>
            ) : (
              column.cell(row)
            )}
          </td>
        ))}
      </tr>
      {below.length > 0 && (
        <tr class={isOpen ? "below open" : "below"}>
          <td colSpan={columns.length}>
            <div>
              {below.map((column) => (
                <span key={column.key}>{column.cell(row)}</span>
              ))}
            </div>
          </td>
        </tr>
      )}
      {detail && isOpen && (
        <tr class="detail">
          <td colSpan={columns.length} id={id}>
            {detail(row)}
          </td>
        </tr>
      )}
    </Fragment>
  );
}
