import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { readFilters, writeFilters } from "../../state/filters.ts";
import { day } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { Field } from "../../ui/field.tsx";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { Load, NothingPasses, NothingYet, Skeleton } from "../../ui/states.tsx";
import { type Column, Pager, placeOf, readPlace, Table, writePlace } from "../../ui/table.tsx";

type Person = Schemas["Person"];

const ROWS = 50;

/** Persons, the newest first, with search and filters. */
export function PersonsPage() {
  const { query, set } = useAddress();
  const search = query["search"] ?? "";
  const filters = readFilters(query["filters"]);
  const place = readPlace(query["page"]);
  const persons = useLoad(JSON.stringify([search, query["filters"], query["page"]]), (signal) =>
    read(
      api.GET("/api/environments/{project_id}/persons/", {
        params: {
          path: inProject(),
          query: {
            limit: ROWS,
            ...(search === "" ? {} : { search }),
            ...(filters.length === 0 ? {} : { properties: [JSON.stringify(filters)] }),
            ...(place ?? {}),
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
          <Field
            label="Search persons"
            isBare
            type="search"
            placeholder="E-mail address or distinct id"
            value={search}
            onInput={(text) => set({ search: text, page: "" })}
          />
          <FilterEditor
            types={["person"]}
            filters={filters}
            onChange={(next) => set({ filters: writeFilters(next), page: "" })}
          />
        </div>
        <Load of={persons} skeleton={<Skeleton rows={12} height={40} />}>
          {({ results, count, next }) => {
            if (results.length === 0) {
              const isNarrowed = search !== "" || filters.length > 0;
              const remove = () => set({ search: "", filters: "", page: "" });
              return isNarrowed ? <NothingPasses onRemove={remove} /> : <NothingYet />;
            }
            const following = placeOf(next);
            return (
              <>
                <Table
                  label="Persons"
                  columns={COLUMNS}
                  rows={results}
                  keyOf={({ uuid }) => uuid}
                />
                <Pager
                  offset={place?.offset ?? 0}
                  shown={results.length}
                  count={count}
                  onFirst={() => set({ page: "" }, { push: true })}
                  onNext={following && (() => set({ page: writePlace(following) }, { push: true }))}
                />
              </>
            );
          }}
        </Load>
      </Panel>
    </>
  );
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

const COLUMNS: readonly Column<Person>[] = [
  {
    key: "name",
    title: "Person",
    cell: ({ uuid, name }) => (
      <a href={href(`persons/${uuid}`)} data-row>
        {name}
      </a>
    ),
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
    cell: ({ created_at }) => day(created_at),
  },
];
