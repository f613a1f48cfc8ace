import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { may } from "../../api/session.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { NameDialog } from "../../ui/save-dialog.tsx";
import { Load, NothingPasses, NothingYet, ProblemNote, Skeleton } from "../../ui/states.tsx";
import { type Column, Pager, placeOf, readPlace, Table, writePlace } from "../../ui/table.tsx";
import { changeDashboard, createDashboard, listDashboards } from "./changes.ts";

type Row = Schemas["DashboardListed"];

const ROWS = 50;

const SHOWN = [
  { value: "all", label: "All" },
  { value: "deleted", label: "Deleted" },
];

/** Dashboards, the newest first; the deleted ones can be restored. */
export function DashboardsPage() {
  const { query, set } = useAddress();
  const [problem, setProblem] = useState<Problem>();
  const place = readPlace(query["page"]);
  const search = query["search"] ?? "";
  const isDeleted = query["shown"] === "deleted";
  const asked = {
    limit: ROWS,
    ...(search === "" ? {} : { search }),
    ...(isDeleted ? { deleted: true } : {}),
    ...place,
  };
  const dashboards = useLoad(JSON.stringify(asked), (signal) => listDashboards(asked, signal));
  const restore = async ({ id }: Row) => {
    try {
      await changeDashboard(id, { deleted: false });
      dashboards.reload();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const isNarrowed = search !== "" || isDeleted;
  return (
    <>
      <PageHead title="Dashboards">{may("dashboard:write") && <NewDashboard />}</PageHead>
      {problem && <ProblemNote problem={problem} />}
      <Panel isFlush>
        <div class="toolbar">
          <Field
            label="Search dashboards"
            isBare
            type="search"
            placeholder="Search"
            value={search}
            onInput={(text) => set({ search: text, page: "" })}
          />
          <Select
            label="Shown"
            isBare
            value={isDeleted ? "deleted" : "all"}
            choices={SHOWN}
            onChange={(value) => set({ shown: value === "all" ? "" : value, page: "" })}
          />
        </div>
        <Load of={dashboards} skeleton={<Skeleton rows={4} height={40} />}>
          {({ results, count, next }) => {
            if (results.length === 0 && isNarrowed) {
              return <NothingPasses onRemove={() => set({ search: "", shown: "", page: "" })} />;
            }
            if (results.length === 0) return <NothingYet what="There is no dashboard yet" />;
            const following = placeOf(next);
            return (
              <>
                <Table
                  label="Dashboards"
                  columns={columnsOf(restore)}
                  rows={results}
                  keyOf={({ id }) => String(id)}
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

function NewDashboard() {
  const { go } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const create = async (name: string, description: string) => {
    const { id } = await createDashboard({ name, description, filters: { date_from: "-30d" } });
    go(`dashboards/${id}`);
  };
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
    cell: (row) => row.deleted && <Button onClick={() => restore(row)}>Restore</Button>,
  },
];
