import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Loaded } from "../api/load.ts";
import { useAddress } from "../state/address.ts";
import { number } from "../state/format.ts";
import { Field, Select } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { Load, Skeleton } from "./states.tsx";
import { type Sort, Table, type TableProps } from "./table.tsx";

/** Rows of a page. */
export const ROWS = 50;

/** The place of a page in a list: how many rows come before, and the cursor that leads to it. */
export type Place = { offset: number; cursor: string };

/** The place of the next page, also from the address that the API has for it; undefined on the last page. */
function placeOf(next: string | Place | null | undefined): Place | undefined {
  if (typeof next !== "string") return next ?? undefined;
  const { searchParams } = new URL(next);
  const offset = Number(searchParams.get("offset") ?? 0);
  return { offset, cursor: searchParams.get("cursor") ?? "" };
}

/** A place as one parameter of the address, and back. */
const writePlace = ({ offset, cursor }: Place): string => `${offset}~${cursor}`;

/** The place that a parameter of the address has; undefined on the first page. */
export function readPlace(text: string | undefined): Place | undefined {
  const [offset, cursor] = text?.split("~") ?? [];
  return offset === undefined || cursor === undefined || !/^\d+$/.test(offset)
    ? undefined
    : { offset: Number(offset), cursor };
}

/** The first page of a list, with no row open. Each change of a filter leads to it. */
export const FIRST_PAGE = { page: "", open: "" };

/** The page and the search that the address has. `asked` are the parameters of the API for them. */
export function useList() {
  const { query, set } = useAddress();
  const place = readPlace(query["page"]);
  const search = query["search"] ?? "";
  const asked = { limit: ROWS, ...(search === "" ? {} : { search }), ...place };
  return { query, set, search, place, asked };
}

/** The field that searches a list. Its text is in the address. */
export function SearchField({
  label,
  placeholder = "Search",
}: {
  label: string;
  placeholder?: string;
}) {
  const { search, set } = useList();
  return (
    <Field
      label={label}
      isBare
      type="search"
      placeholder={placeholder}
      value={search}
      onInput={(text) => set({ search: text, ...FIRST_PAGE })}
    />
  );
}

/** The choice of a part of a list, such as the deleted ones. It is in the address; the first part is the usual one. */
export function PartSelect({ parts }: { parts: readonly { value: string; label: string }[] }) {
  const { query, set } = useList();
  const usual = parts[0]?.value;
  return (
    <Select
      label="Shown"
      isBare
      value={query["shown"] ?? usual ?? ""}
      choices={parts}
      onChange={(part) => set({ shown: part === usual ? "" : part, ...FIRST_PAGE })}
    />
  );
}

/** A page of a list, as the API answers it. */
type Page<T> = {
  results: readonly T[];
  /** How many rows all pages have; undefined while it is not known. */
  count?: number | undefined;
  next?: string | Place | null | undefined;
};

/**
 * The table of a list with the ways to its other pages. Page, order and open row are in the address. Without a row,
 * `none` says why.
 */
export function ListTable<T>(
  props: Omit<TableProps<T>, "rows" | "open" | "onOpen" | "sort" | "onSort"> & {
    of: Loaded<Page<T>>;
    /** How the whole list is sorted at first, if its heads sort it. */
    sortedBy?: Sort;
    none: ComponentChildren;
  },
) {
  const { query, set } = useAddress();
  const { of, none, sortedBy, ...table } = props;
  const sort = (chosen: Sort) => set({ sort: chosen === sortedBy ? "" : chosen, ...FIRST_PAGE });
  return (
    <Load of={of} skeleton={<Skeleton rows={10} height={40} />}>
      {({ results, count, next }) =>
        results.length === 0 ? (
          none
        ) : (
          <>
            <Table
              {...table}
              rows={results}
              sort={query["sort"] || sortedBy}
              onSort={sort}
              open={query["open"]}
              onOpen={(open) => set({ open })}
            />
            <Pager shown={results.length} count={count} next={next} />
          </>
        )
      }
    </Load>
  );
}

/** The line below a list: which of its rows are shown, and the ways to the others, which begin at the head of the list. */
export function Pager(props: {
  /** How many rows are shown. */
  shown: number;
  count: Page<unknown>["count"];
  next: Page<unknown>["next"];
}) {
  const { shown, count } = props;
  const next = placeOf(props.next);
  const { place, set } = useList();
  const offset = place?.offset ?? 0;
  const nav = useRef<HTMLElement>(null);
  const show = (page: typeof FIRST_PAGE) => {
    set(page, { push: true });
    nav.current?.closest(".panel")?.scrollIntoView();
  };
  return (
    <nav ref={nav} class="pager" aria-label="Pages of the list">
      <span class="caption">
        {number(offset + Math.min(1, shown))} – {number(offset + shown)}
        {count !== undefined && ` of ${number(count)}`}
      </span>
      {offset > 0 && (
        <button type="button" class="button plain" onClick={() => show(FIRST_PAGE)}>
          First page
        </button>
      )}
      {next && (
        <button
          type="button"
          class="button plain"
          onClick={() => show({ ...FIRST_PAGE, page: writePlace(next) })}
        >
          Next page
          <Icon name="right" />
        </button>
      )}
    </nav>
  );
}
