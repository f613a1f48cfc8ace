import { useState } from "preact/hooks";
import type { Answer } from "../../api/ask.ts";
import type { Loaded } from "../../api/load.ts";
import type { Query } from "../../api/query.ts";
import { roundPercent, withUnit } from "../../state/format.ts";
import { CsvButton } from "../../ui/csv.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { type Column, type Sort, Table } from "../../ui/table.tsx";
import { tableOf } from "../insights/answer-table.ts";
import { useAnswer, type View } from "./view.ts";

/** The most values of a breakdown that the server lists. */
const ROWS_MAX = 100;

type Row = { label: string; value: number | null; text: string };

/**
 * The question for the number of which the rows of a list are parts: people, sessions or events of one kind. Null for a
 * list whose numbers are no parts, such as averages.
 */
export function wholeOf(query: Query): Query | null {
  const { series = [], trendsFilter, breakdownFilter, compareFilter: _, ...rest } = query;
  const math = series[0]?.math ?? "total";
  const isOfParts =
    query.kind === "TrendsQuery" &&
    series.length === 1 &&
    /^(total|dau|unique_session)$/.test(math) &&
    breakdownFilter !== undefined &&
    trendsFilter?.["display"] === "ActionsBarValue" &&
    trendsFilter?.["formula"] === undefined;
  // People by the names of their events are parts of all people, whichever names are listed.
  const isOfAll = math === "dau" && breakdownFilter?.["breakdown_type"] === "event_metadata";
  const isKept = (one: { type?: unknown }) => !isOfAll || one.type !== "event_metadata";
  const nodes = series.map((node) => {
    const { properties: own } = node;
    return Array.isArray(own) ? { ...node, properties: own.filter(isKept) } : node;
  });
  return isOfParts ? { ...rest, series: nodes, trendsFilter: { display: "BoldNumber" } } : null;
}

const columnsOf = (title: string, whole: number | null | undefined): Column<Row>[] => [
  { key: "label", title: "Name", canSort: true, cell: ({ label }) => label },
  { key: "value", title, width: "112px", isNumber: true, canSort: true, cell: ({ text }) => text },
  ...(whole
    ? [
        {
          ...{ key: "share", title: "Share", width: "64px", isNumber: true },
          cell: ({ value }: Row) => (value === null ? "–" : roundPercent(value / whole)),
        },
      ]
    : []),
];

/** All rows of a list, to be searched, sorted and saved. */
export function ListSheet(props: {
  name: string;
  query: Query;
  view: View;
  whole: Loaded<Answer>;
  onClose: () => void;
}) {
  const { name, query, view, whole, onClose } = props;
  const breakdownFilter = { ...query.breakdownFilter, breakdown_limit: ROWS_MAX };
  const all = useAnswer({ ...query, breakdownFilter }, view);
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState<Sort>("-value");
  return (
    <Dialog title={name} isSide onClose={onClose}>
      <Field
        label="Search"
        type="search"
        isBare
        placeholder="Search"
        value={search}
        onInput={setSearch}
      />
      <Load of={all} skeleton={<Skeleton rows={12} height={36} />}>
        {(answer) => {
          const { head, rows: cells, unitAt } = tableOf(answer);
          const rows = cells.map(([label, value], at): Row => {
            const number = typeof value === "number" ? value : null;
            return { label: String(label), value: number, text: withUnit(number, unitAt?.(at, 1)) };
          });
          const found = sorted(rows, sort).filter(({ label }) =>
            label.toLowerCase().includes(search.trim().toLowerCase()),
          );
          return (
            <>
              <div class="cluster">
                <CsvButton name={name} rows={[head, ...cells]} />
                {rows.length >= ROWS_MAX && <span class="caption">The first {ROWS_MAX}</span>}
              </div>
              <Table
                label={name}
                columns={columnsOf(head[1] ?? "Number", whole.data?.results[0]?.aggregated_value)}
                rows={found}
                keyOf={({ label }) => label}
                sort={sort}
                onSort={setSort}
              />
            </>
          );
        }}
      </Load>
    </Dialog>
  );
}

function sorted(rows: readonly Row[], sort: Sort): Row[] {
  const way = sort.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) =>
    sort.endsWith("label")
      ? way * a.label.localeCompare(b.label)
      : way * ((a.value ?? 0) - (b.value ?? 0)),
  );
}
