import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import type { Schemas } from "../../api/client.ts";
import { ofRow } from "../../api/conflict.ts";
import { useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment } from "../../state/format.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FIRST_PAGE, ListTable, PartSelect, SearchField, useList } from "../../ui/list.tsx";
import { NameDialog } from "../../ui/save-dialog.tsx";
import { Empty, NothingPasses, ProblemNote } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { changeDashboard, createDashboard, listDashboards } from "./changes.ts";

type Row = Schemas["DashboardListed"];

const SHOWN = [
  { value: "all", label: "All" },
  { value: "deleted", label: "Deleted" },
];

/** Dashboards, the newest first; the deleted ones can be restored. */
export function DashboardsPage() {
  const { query, set, search, asked: asPaged } = useList();
  const isDeleted = query["shown"] === "deleted";
  const asked = { ...asPaged, ...(isDeleted ? { deleted: true } : {}) };
  const dashboards = useLoad(JSON.stringify(asked), (signal) => listDashboards(asked, signal));
  const { run, problem } = useChange();
  const restore = (row: Row) =>
    run(async () => {
      await changeDashboard(row.id, ofRow(row, { deleted: false }));
      dashboards.reload();
    });
  return (
    <>
      <PageHead title="Dashboards">
        <NewDashboard />
      </PageHead>
      {problem && <ProblemNote problem={problem} />}
      <Panel isFlush>
        <div class="toolbar">
          <SearchField label="Search dashboards" />
          <PartSelect parts={SHOWN} />
        </div>
        <ListTable
          of={dashboards}
          label="Dashboards"
          columns={columnsOf(restore)}
          keyOf={({ id }) => String(id)}
          none={
            search !== "" || isDeleted ? (
              <NothingPasses onRemove={() => set({ search: "", shown: "", ...FIRST_PAGE })} />
            ) : (
              <Nothing />
            )
          }
        />
      </Panel>
    </>
  );
}

function Nothing() {
  return (
    <Empty icon="dashboards" title="No dashboards yet">
      <p>One is created with your first event. You can restore deleted dashboards.</p>
      <div class="cluster">
        <NewDashboard />
        <ButtonLink href={href("dashboards", { shown: "deleted" })}>Deleted dashboards</ButtonLink>
      </div>
    </Empty>
  );
}

/** A button that makes a dashboard, and opens it. */
function NewDashboard() {
  const { go } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const create = async (name: string, description: string) => {
    const { id } = await createDashboard({ name, description, filters: { date_from: "-29d" } });
    go(`dashboards/${id}`);
  };
  if (!may("dashboard:write")) return null;
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        New dashboard
      </Button>
      {isOpen && (
        <NameDialog title="New dashboard" onSave={create} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

const columnsOf = (restore: (row: Row) => void): Column<Row>[] => [
  {
    key: "name",
    title: "Dashboard",
    cell: ({ id, name, deleted }) =>
      deleted ? (
        name || "Dashboard"
      ) : (
        <a href={href(`dashboards/${id}`)} data-row>
          {name || "Dashboard"}
        </a>
      ),
  },
  {
    key: "description",
    title: "Description",
    isExtra: true,
    cell: ({ description }) => description,
  },
  {
    key: "changed",
    title: "Changed",
    width: "176px",
    isExtra: true,
    cell: ({ last_modified_at }) => moment(last_modified_at),
  },
  {
    key: "tools",
    title: "",
    width: "112px",
    isNumber: true,
    cell: (row) =>
      row.deleted &&
      may("dashboard:write") && <Button onClick={() => restore(row)}>Restore</Button>,
  },
];
