import { api, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { day, valueText } from "../../state/format.ts";
import { FIRST_PAGE, ListTable, SearchField, useList } from "../../ui/list.tsx";
import { Load, NothingPasses, Skeleton } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { DescribeGroup } from "./group-code.tsx";
import { NoSuchGroup, typeNamed } from "./no-such-group.tsx";

type Group = Schemas["Group"];

/** The types of groups of the project, such as company. */
export function useGroupTypes(): Loaded<Schemas["GroupType"][]> {
  return useLoad("group types", (signal) => api.get("groups_types/", { signal }));
}

/** The groups of each type, in the order of their keys, with search. */
export function GroupsPage() {
  const types = useGroupTypes();
  const { query, set } = useAddress();
  return (
    <>
      <PageHead title="Groups" lead="Companies, teams or similar that events belong to" />
      <Load of={types} skeleton={<Skeleton rows={12} height={40} />}>
        {(found) => {
          const named = query["type"] ?? String(found[0]?.group_type_index);
          const chosen = typeNamed(found, named);
          if (chosen === undefined) return <NoSuchGroup types={found} named={named} />;
          const tabs = found.map((one) => ({
            value: String(one.group_type_index),
            label: one.group_type,
          }));
          const value = String(chosen.group_type_index);
          return (
            <Tabs
              label="Types of groups"
              tabs={tabs}
              value={value}
              onChange={(type) => set({ type, search: "", page: "" })}
            >
              <GroupList key={value} index={Number(value)} type={chosen.group_type} />
            </Tabs>
          );
        }}
      </Load>
    </>
  );
}

function GroupList({ index, type }: { index: number; type: string }) {
  const { set, search, asked } = useList();
  const groups = useLoad(JSON.stringify([index, asked]), (signal) =>
    api.get("groups/", { query: { group_type_index: index, ...asked }, signal }),
  );
  return (
    <Panel isFlush>
      <div class="toolbar">
        <SearchField label="Search groups" placeholder="A part of the key" />
      </div>
      <ListTable
        of={groups}
        label={`Groups of the type ${type}`}
        columns={COLUMNS}
        keyOf={({ group_key }) => group_key}
        none={
          search === "" ? (
            <DescribeGroup title={`No ${type} is described yet`} type={type} />
          ) : (
            <NothingPasses onRemove={() => set({ search: "", ...FIRST_PAGE })} />
          )
        }
      />
    </Panel>
  );
}

/** Properties but the name, in few characters. */
function summaryOf({ group_properties }: Group): string {
  const { name: _, ...rest } = group_properties;
  return Object.entries(rest)
    .slice(0, 4)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(", ");
}

const COLUMNS: readonly Column<Group>[] = [
  {
    key: "key",
    title: "Group",
    cell: ({ group_type_index, group_key }) => (
      <a href={href(`groups/${group_type_index}`, { key: group_key })} data-row>
        {group_key}
      </a>
    ),
  },
  {
    key: "name",
    title: "Name",
    cell: ({ group_properties }) => valueText(group_properties["name"]),
  },
  { key: "properties", title: "Properties", isExtra: true, cell: summaryOf },
  {
    key: "since",
    title: "Since",
    width: "128px",
    isExtra: true,
    cell: ({ created_at }) => day(created_at),
  },
];
