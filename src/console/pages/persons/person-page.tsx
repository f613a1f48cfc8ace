import { useState } from "preact/hooks";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { counted, day } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { CopyButton } from "../../ui/button.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../index.ts";
import { PersonActivity } from "./person-activity.tsx";
import { PersonProperties } from "./person-properties.tsx";
import { Timeline } from "./timeline.tsx";

type Person = Schemas["Person"];

const TABS = [
  { value: "timeline", label: "Timeline" },
  { value: "properties", label: "Properties" },
  { value: "ids", label: "Ids" },
  { value: "activity", label: "Activity" },
] as const;

/** One person: timeline, properties, ids, activity. */
export function PersonPage({ params: { id = "" } }: PageProps) {
  const person = useLoad(`person ${id}`, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/persons/{id}/", {
        params: { path: { ...inProject(), id } },
        signal,
      }),
    ),
  );
  const above = { title: "Persons", href: href("persons") };
  const { data, problem } = person;
  return (
    <>
      <PageHead
        title={data?.name ?? (problem ? "Person" : "…")}
        above={above}
        lead={
          data &&
          `${counted(data.distinct_ids.length, "id")} · since ${day(data.created_at)}${planOf(data)}`
        }
      />
      <Load of={person} skeleton={<Skeleton rows={8} height={40} />}>
        {(one) => <PersonTabs person={one} onChange={person.replace} />}
      </Load>
    </>
  );
}

function planOf({ properties }: Person): string {
  const plan = properties["plan"];
  return typeof plan === "string" ? ` · ${plan}` : "";
}

function PersonTabs(props: { person: Person; onChange: (person: Person) => void }) {
  const { person } = props;
  const { query, set } = useAddress();
  const [tab, setTab] = useState(
    TABS.find(({ value }) => value === query["tab"])?.value ?? "timeline",
  );
  const choose = (value: typeof tab) => {
    setTab(value);
    set({ tab: value === "timeline" ? "" : value, open: "" });
  };
  return (
    <Tabs label="About this person" tabs={TABS} value={tab} onChange={choose}>
      {tab === "timeline" && <Timeline personId={person.uuid} />}
      {tab === "properties" && <PersonProperties person={person} onChange={props.onChange} />}
      {tab === "ids" && <DistinctIds ids={person.distinct_ids} />}
      {tab === "activity" && <PersonActivity id={String(person.id)} />}
    </Tabs>
  );
}

function DistinctIds({ ids }: { ids: readonly string[] }) {
  return (
    <Panel isFlush>
      <ul class="rows">
        {ids.map((id) => (
          <li key={id}>
            <code class="grow">{id}</code>
            <CopyButton text={id} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
