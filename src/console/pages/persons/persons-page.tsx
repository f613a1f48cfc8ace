import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { askPage } from "../../api/page.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { readFilters, writeFilters } from "../../state/filters.ts";
import { day } from "../../state/format.ts";
import { Emblem } from "../../ui/emblem/emblem.tsx";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { FIRST_PAGE, ListTable, SearchField, useList } from "../../ui/list.tsx";
import { PersonCell } from "../../ui/person/person-cell.tsx";
import { NothingPasses, NothingYet } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";

type Person = Schemas["Person"];

/** People, the newest or the oldest first, with search and filters. */
export function PersonsPage() {
  const { query, set, search, asked } = useList();
  const filters = readFilters(query["filters"]);
  const isReversed = query["sort"] === "since";
  const persons = useLoad(JSON.stringify([asked, filters, isReversed]), async (signal) => {
    if (isReversed) {
      const people = { kind: "ActorsQuery", select: ["person"], orderBy: ["created_at ASC"] };
      const conditions = { ...(search && { search }), properties: filters };
      return askPage<Person>({ ...people, ...conditions }, asked, signal);
    }
    const properties = filters.length === 0 ? {} : { properties: [JSON.stringify(filters)] };
    return api.get("persons/", { query: { ...asked, ...properties }, signal });
  });
  return (
    <>
      <PageHead title="People" />
      <Panel isFlush>
        <div class="toolbar">
          <SearchField label="Search people" placeholder="E-mail address or distinct ID" />
          <FilterEditor
            types={["person"]}
            filters={filters}
            onChange={(next) => set({ filters: writeFilters(next), ...FIRST_PAGE }, { push: true })}
          />
        </div>
        <ListTable
          of={persons}
          label="People"
          columns={COLUMNS}
          sortedBy="-since"
          keyOf={({ uuid }) => uuid}
          none={
            search !== "" || filters.length > 0 ? (
              <NothingPasses onRemove={() => set({ search: "", filters: "", ...FIRST_PAGE })} />
            ) : (
              <NothingYet />
            )
          }
        />
      </Panel>
    </>
  );
}

/** The value of a property with its flag or sign. */
function Value({ of, property }: { of: Person; property: string }) {
  const value = of.properties[property];
  if (typeof value !== "string" || value === "") return null;
  return (
    <>
      <Emblem property={property} value={value} />
      <bdi>{value}</bdi>
    </>
  );
}

const COLUMNS: readonly Column<Person>[] = [
  {
    key: "name",
    title: "Person",
    cell: ({ uuid, name }) => <PersonCell id={uuid} name={name} isRow />,
  },
  {
    key: "country",
    title: "Country",
    width: "20%",
    isBelow: true,
    cell: (person) => <Value of={person} property="$geoip_country_name" />,
  },
  {
    key: "browser",
    title: "Browser",
    width: "18%",
    isBelow: true,
    cell: (person) => <Value of={person} property="$browser" />,
  },
  {
    key: "since",
    title: "First seen",
    width: "152px",
    isBelow: true,
    canSort: true,
    cell: ({ created_at }) => <time dateTime={created_at}>{day(created_at)}</time>,
  },
];
