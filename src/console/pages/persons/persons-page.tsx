import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { readFilters, writeFilters } from "../../state/filters.ts";
import { day } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { FIRST_PAGE, ListTable, SearchField, useList } from "../../ui/list.tsx";
import { PersonCell } from "../../ui/person/person-cell.tsx";
import { NothingPasses, NothingYet } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";

type Person = Schemas["Person"];

/** Persons, the newest first, with search and filters. */
export function PersonsPage() {
  const { query, set, search, asked } = useList();
  const filters = readFilters(query["filters"]);
  const persons = useLoad(JSON.stringify([asked, filters]), (signal) =>
    read(
      api.GET("/api/environments/{project_id}/persons/", {
        params: {
          path: inProject(),
          query: {
            ...asked,
            ...(filters.length === 0 ? {} : { properties: [JSON.stringify(filters)] }),
          },
        },
        signal,
      }),
    ),
  );
  return (
    <>
      <PageHead title="Persons" />
      <Panel isFlush>
        <div class="toolbar">
          <SearchField label="Search persons" placeholder="E-mail address or distinct id" />
          <FilterEditor
            types={["person"]}
            filters={filters}
            onChange={(next) => set({ filters: writeFilters(next), ...FIRST_PAGE }, { push: true })}
          />
        </div>
        <ListTable
          of={persons}
          label="Persons"
          columns={COLUMNS}
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

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

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
    isExtra: true,
    cell: ({ properties }) => textOf(properties["$geoip_country_name"]),
  },
  {
    key: "browser",
    title: "Browser",
    width: "18%",
    isExtra: true,
    cell: ({ properties }) => textOf(properties["$browser"]),
  },
  {
    key: "ids",
    title: "Ids",
    isNumber: true,
    isExtra: true,
    width: "72px",
    cell: ({ distinct_ids }) => distinct_ids.length,
  },
  {
    key: "since",
    title: "Since",
    width: "128px",
    isExtra: true,
    cell: ({ created_at }) => day(created_at),
  },
];
