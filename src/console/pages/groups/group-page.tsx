import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Problem } from "../../api/problem.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { day } from "../../state/format.ts";
import { Properties } from "../../ui/properties.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../index.ts";
import { DescribeGroup } from "./group-code.tsx";
import { GroupEvents } from "./group-events.tsx";
import { GroupPersons } from "./group-persons.tsx";
import { useGroupTypes } from "./groups-page.tsx";
import { NoSuchGroup, typeNamed } from "./no-such-group.tsx";

type ShownProps = { type: Schemas["GroupType"]; groupKey: string };

const TABS = [
  { value: "properties", label: "Properties" },
  { value: "events", label: "Events" },
  { value: "persons", label: "People" },
] as const;

/** A group; undefined if events belong to it and none describes it. Throws a problem if it cannot be read. */
async function findGroup(
  group_type_index: number,
  group_key: string,
  signal: AbortSignal,
): Promise<{ group: Schemas["Group"] | undefined }> {
  try {
    const group = await api.get("groups/find/", { query: { group_type_index, group_key }, signal });
    return { group };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { group: undefined };
    throw error;
  }
}

/** One group. The key is a parameter of the address, since it may be any text. */
export function GroupPage({ params }: PageProps) {
  const { query } = useAddress();
  const named = params["type"] ?? "";
  const groupKey = query["key"] ?? "";
  const types = useGroupTypes();
  const type = typeNamed(types.data ?? [], named);
  if (type && groupKey !== "") return <Shown type={type} groupKey={groupKey} />;
  return (
    <>
      <PageHead title={groupKey || "Group"} above={{ title: "Groups", href: href("groups") }} />
      <Load of={types} skeleton={<Skeleton rows={6} height={40} />}>
        {(known) => <NoSuchGroup types={known} type={type} named={named} />}
      </Load>
    </>
  );
}

/** A group of a type that the project has: its properties, events and persons. */
function Shown({ type: { group_type_index: index, group_type: type }, groupKey }: ShownProps) {
  const { query, set } = useAddress();
  const found = useLoad(`group ${index} ${groupKey}`, (signal) =>
    findGroup(index, groupKey, signal),
  );
  const group = found.data?.group;
  const tab = TABS.find(({ value }) => value === query["tab"])?.value ?? "properties";
  const name = group?.group_properties["name"];
  return (
    <>
      <PageHead
        title={typeof name === "string" && name !== "" ? name : groupKey}
        above={{ title: "Groups", href: href("groups", { type: String(index) }) }}
        lead={
          <>
            <bdi>{type}</bdi> · <bdi>{groupKey}</bdi>
            {group && ` · since ${day(group.created_at)}`}
          </>
        }
      />
      <Tabs
        label="About this group"
        tabs={TABS}
        value={tab}
        onChange={(value) => set({ tab: value === "properties" ? "" : value, open: "", page: "" })}
      >
        {tab === "properties" && (
          <Load of={found} skeleton={<Skeleton rows={6} height={40} />}>
            {() => (
              <Panel>
                {group ? (
                  <Properties properties={group.group_properties} />
                ) : (
                  <DescribeGroup
                    title="This group has no properties yet"
                    type={type}
                    groupKey={groupKey}
                  />
                )}
              </Panel>
            )}
          </Load>
        )}
        {tab === "events" && <GroupEvents index={index} groupKey={groupKey} />}
        {tab === "persons" && <GroupPersons index={index} groupKey={groupKey} />}
      </Tabs>
    </>
  );
}
