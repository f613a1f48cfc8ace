import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { shownName } from "../../ui/person/name.ts";
import { Load, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../index.ts";
import { DeleteDialog, type Removed } from "./delete-person.tsx";
import { receiptOf, useDeletions } from "./deletions.tsx";
import { Merges, readMerges, readPerson } from "./merges.tsx";
import { NoPerson, UnknownPerson } from "./no-person.tsx";
import { PersonActivity, readActivity } from "./person-activity.tsx";
import { groupsOf, PersonGroups } from "./person-groups.tsx";
import { PersonProperties } from "./person-properties.tsx";
import { PersonSummary } from "./person-summary.tsx";
import { Timeline } from "./timeline.tsx";

type Person = Schemas["Person"];

const TABS = [
  { value: "timeline", label: "Timeline" },
  { value: "properties", label: "Properties" },
  { value: "ids", label: "IDs" },
  { value: "groups", label: "Groups" },
  { value: "merges", label: "Merges" },
  { value: "activity", label: "Activity" },
] as const;

/** Uuids of persons whose page comes next, after their deletion. */
const JUST_DELETED = new Set<string>();

/** One person: a summary, timeline, properties, IDs, groups, merges, activity. A deleted one has a receipt instead. */
export function PersonPage({ params: { id = "" } }: PageProps) {
  const [isDeleted, setDeleted] = useState(() => JUST_DELETED.delete(id));
  const person = useLoad(isDeleted ? null : `person ${id}`, (signal) => readPerson(id, signal));
  const [isDeleting, setDeleting] = useState(false);
  const { go } = useAddress();
  const { data, problem } = person;
  const uuid = data?.uuid ?? (UUID.test(id) ? id : undefined);
  const isGone = uuid !== undefined && (isDeleted || problem?.status === 404);
  const deletions = useDeletions(isGone || data ? uuid : undefined);
  // Each deletion that ends has its turn: the person's events are read again.
  const [turn, setTurn] = useState(0);
  const receipt = receiptOf(() => setTurn((last) => last + 1));
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
        title={data ? shownName(data.name) : "Person"}
        above={{ title: "People", href: href("persons") }}
      >
        {data && may("person:write") && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )}
      </PageHead>
      {receipts.filter(({ status }) => status !== "completed").map(receipt)}
      {problem?.status === 404 ? (
        <UnknownPerson />
      ) : (
        <Load of={person} skeleton={<Skeleton rows={8} height={40} />}>
          {(one) => (
            <div class="person-page" key={turn}>
              <PersonSummary person={one} />
              <div>
                <PersonTabs person={one} onChange={person.replace} />
              </div>
            </div>
          )}
        </Load>
      )}
      {receipts.filter(({ status }) => status === "completed").map(receipt)}
      {isDeleting && data && <DeleteDialog person={data} onDone={showReceipt} onClose={close} />}
    </>
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The tabs that say something of a person: those whose lists are empty are left out. */
function useTabs({ uuid, id }: Person, chosen: string) {
  const groups = useLoad(`groups of ${uuid}`, (signal) => groupsOf(uuid, signal));
  const merges = useLoad(`has merges ${uuid}`, (signal) => readMerges(uuid, signal));
  const activity = useLoad(`activity ${id}`, (signal) => readActivity(String(id), signal));
  const lists: Partial<Record<string, Loaded<readonly unknown[]>>> = { groups, merges, activity };
  const tabs = TABS.filter(({ value }) => {
    const list = lists[value];
    // A problem is said in its tab.
    return (
      list === undefined ||
      value === chosen ||
      (list.data?.length !== 0 && (list.data ?? list.problem))
    );
  });
  return { tabs, groups, activity };
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
  const { tabs, groups, activity } = useTabs(person, tab);
  return (
    <Tabs label="About this person" tabs={tabs} value={tab} onChange={choose}>
      {tab === "timeline" && <Timeline personId={person.uuid} />}
      {tab === "properties" && <PersonProperties person={person} onChange={props.onChange} />}
      {tab === "ids" && <DistinctIds ids={person.distinct_ids} />}
      {tab === "groups" && <PersonGroups groups={groups} />}
      {tab === "merges" && <Merges person={person} onChange={props.onChange} />}
      {tab === "activity" && <PersonActivity activity={activity} />}
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
