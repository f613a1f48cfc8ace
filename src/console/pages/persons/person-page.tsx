import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { counted, day } from "../../state/format.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../index.ts";
import { DeleteDialog, type Removed } from "./delete-person.tsx";
import { receiptOf, useDeletions } from "./deletions.tsx";
import { Merges, readPerson } from "./merges.tsx";
import { NoPerson, UnknownPerson } from "./no-person.tsx";
import { PersonActivity } from "./person-activity.tsx";
import { PersonGroups } from "./person-groups.tsx";
import { PersonProperties } from "./person-properties.tsx";
import { Timeline } from "./timeline.tsx";

type Person = Schemas["Person"];

const TABS = [
  { value: "timeline", label: "Timeline" },
  { value: "properties", label: "Properties" },
  { value: "ids", label: "Ids" },
  { value: "groups", label: "Groups" },
  { value: "merges", label: "Merges" },
  { value: "activity", label: "Activity" },
] as const;

/** Uuids of persons whose page comes next, after their deletion. */
const JUST_DELETED = new Set<string>();

/** One person: timeline, properties, ids, groups, merges, activity. One who is deleted has a receipt instead. */
export function PersonPage({ params: { id = "" } }: PageProps) {
  const [isDeleted, setDeleted] = useState(() => JUST_DELETED.delete(id));
  const person = useLoad(isDeleted ? null : `person ${id}`, (signal) => readPerson(id, signal));
  const [isDeleting, setDeleting] = useState(false);
  const { go } = useAddress();
  const { data, problem } = person;
  const uuid = data?.uuid ?? (UUID.test(id) ? id : undefined);
  const isGone = uuid !== undefined && (isDeleted || problem?.status === 404);
  const deletions = useDeletions(isGone || data ? uuid : undefined);
  const close = () => setDeleting(false);
  const showReceipt = (what: Removed) => {
    close();
    deletions.reload();
    if (what === "events") return;
    // By its uuid a person is found in receipts after it is gone.
    if (id === uuid) return setDeleted(true);
    JUST_DELETED.add(uuid ?? "");
    go(`persons/${uuid}`);
  };
  const receipts = (deletions.data?.results ?? []).filter(({ status }) => status !== "cancelled");
  if (isGone) return <NoPerson uuid={uuid} deletions={deletions} />;
  return (
    <>
      <PageHead
        title={data?.name ?? "Person"}
        above={{ title: "Persons", href: href("persons") }}
        lead={
          data && (
            <>
              {counted(data.distinct_ids.length, "id")} · since {day(data.created_at)}
              <bdi>{planOf(data)}</bdi>
            </>
          )
        }
      >
        {data && may("person:write") && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )}
      </PageHead>
      {receipts.filter(({ status }) => status !== "completed").map(receiptOf)}
      {problem?.status === 404 ? (
        <UnknownPerson />
      ) : (
        <Load of={person} skeleton={<Skeleton rows={8} height={40} />}>
          {(one) => <PersonTabs person={one} onChange={person.replace} />}
        </Load>
      )}
      {receipts.filter(({ status }) => status === "completed").map(receiptOf)}
      {isDeleting && data && <DeleteDialog person={data} onDone={showReceipt} onClose={close} />}
    </>
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
      {tab === "groups" && <PersonGroups personId={person.uuid} />}
      {tab === "merges" && <Merges person={person} onChange={props.onChange} />}
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
