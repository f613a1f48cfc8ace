import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { useLoad, usePolled } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment, number } from "../../state/format.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { FIRST_PAGE, ListTable, useList } from "../../ui/list.tsx";
import { Empty, NothingPasses } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { DeletionReceipt, RunNow } from "../persons/deletions.tsx";

type Deletion = Schemas["Deletion"];

/** How often the list is read again, in milliseconds. */
const EVERY_MS = 5000;

const STATES = [
  { value: "", label: "All deletions" },
  { value: "pending", label: "Pending" },
  { value: "completed", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
] as const;

type State = Exclude<(typeof STATES)[number]["value"], "">;

/** Deletions by their state, with the next runs; a row opens to its receipt. */
export function DeletionsTab() {
  const { query, set } = useAddress();
  const [runs, setRuns] = useState(0);
  const state = STATES.find(({ value }) => value === query["state"])?.value ?? "";
  return (
    <Panel isFlush>
      <div class="toolbar">
        <Select
          label="State"
          isBare
          value={state}
          choices={STATES}
          onChange={(value) => set({ state: value, ...FIRST_PAGE })}
        />
        <NextRuns />
        {may("person:write") && <RunNow onRun={() => setRuns(runs + 1)} />}
      </div>
      <Deletions key={runs} state={state === "" ? undefined : state} />
    </Panel>
  );
}

/** When deletions run next. Until that is known, it has the room of its longest text. */
function NextRuns() {
  const mayRead = may("project:read");
  const { data, problem } = useLoad(mayRead ? "next runs" : null, (signal) =>
    api.get("/api/projects/{project_id}/status/", { signal }),
  );
  const next_run_at = new Date().toISOString();
  const unknown = ["weekly", "nightly"].map((kind) => ({ kind, next_run_at }));
  const runs = data?.server.schedules ?? unknown;
  const said = runs.map(({ kind, next_run_at }) => {
    const when = next_run_at ? moment(next_run_at) : "never";
    return kind === "weekly" ? `people ${when}` : `events ${when}`;
  });
  if (!mayRead || problem) return <p class="caption">Deletions of people and events</p>;
  return <p class={data ? "caption" : "caption invisible"}>{`Next run: ${said.join(", ")}`}</p>;
}

function Deletions({ state }: { state: State | undefined }) {
  const { set, asked } = useList();
  const deletions = usePolled(JSON.stringify([state, asked]), EVERY_MS, (signal) =>
    api.get("persons/deletion_status/", {
      query: { ...asked, ...(state && { status: state }) },
      signal,
    }),
  );
  return (
    <ListTable
      of={deletions}
      label="Deletions"
      columns={COLUMNS}
      keyOf={({ id }) => String(id)}
      detail={({ id }) => <PrintableReceipt id={id} />}
      none={
        state === undefined ? (
          <NoDeletions />
        ) : (
          <NothingPasses onRemove={() => set({ state: "", ...FIRST_PAGE })} />
        )
      }
    />
  );
}

function NoDeletions() {
  return (
    <Empty icon="tasks" title="No deletions yet">
      <p>Deletions you start on a person's page are tracked here.</p>
      <ButtonLink href={href("persons")}>People</ButtonLink>
    </Empty>
  );
}

/** The receipt of a deletion. On paper the page has nothing else. */
function PrintableReceipt({ id }: { id: number }) {
  return (
    <div class="receipt">
      <DeletionReceipt id={id} />
      <div class="cluster receipt-tools">
        <Button onClick={() => print()}>Print the receipt</Button>
      </div>
    </div>
  );
}

const LABELS: Record<Deletion["status"], { label: string; tone?: string }> = {
  pending: { label: "Pending" },
  completed: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled" },
};

const COLUMNS: readonly Column<Deletion>[] = [
  {
    key: "asked",
    title: "Requested",
    cell: ({ created_at }) => moment(created_at),
  },
  {
    key: "kind",
    title: "Scope",
    isExtra: true,
    cell: ({ kind }) => (kind === "weekly" ? "Person and all events" : "Events only"),
  },
  {
    key: "person",
    title: "Person",
    isExtra: true,
    cell: ({ person_uuid }) => <code>{person_uuid}</code>,
  },
  {
    key: "events",
    title: "Events",
    isNumber: true,
    isExtra: true,
    width: "88px",
    cell: ({ counts }) => number(counts?.["events"] as number | undefined),
  },
  {
    key: "state",
    title: "State",
    width: "136px",
    cell: ({ status }) => <span class={LABELS[status].tone}>{LABELS[status].label}</span>,
  },
];
