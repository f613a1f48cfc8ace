import type { Schemas } from "../../api/client.ts";
import { api } from "../../api/client.ts";
import { type Loaded, usePolled } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { bytes, moment, number } from "../../state/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Diagnosis } from "../start/diagnosis.tsx";
import { explained } from "./reasons.ts";

type Status = Schemas["ProjectStatus"];
type Schedule = Status["server"]["schedules"][number];

/** How often the page asks for the status, in milliseconds. */
const EVERY_MS = 5000;

/** The status of the project and the server, asked for again and again. */
export function useStatus(everyMs: number): Loaded<Status> {
  return usePolled("status", everyMs, (signal) =>
    api.get("/api/projects/{project_id}/status/", { signal }),
  );
}

/** Whether the server does its work, and how events arrive. */
export function HealthPage() {
  const status = useStatus(EVERY_MS);
  const version = status.data?.server.version;
  return (
    <>
      <PageHead title="Health" lead={version ? `Hoglet ${version}` : "Hoglet"} />
      <Load of={status} skeleton={<Skeleton rows={6} height={96} />}>
        {(one) => (
          <div class="parts">
            <Readiness server={one.server} />
            <Panel title="Now">
              <Numbers status={one} />
            </Panel>
            <Diagnosis status={one} />
            <Panel isFlush title="Scheduled jobs">
              <Table
                label="Scheduled jobs"
                columns={COLUMNS}
                rows={one.server.schedules}
                keyOf={({ kind }) => kind}
              />
            </Panel>
          </div>
        )}
      </Load>
    </>
  );
}

function Readiness({ server: { ready, reasons } }: Pick<Status, "server">) {
  if (ready) {
    return (
      <div class="note good">
        <Icon name="done" />
        <p class="note-text">All good: Hoglet accepts events and answers queries.</p>
      </div>
    );
  }
  return (
    <div class="stack tight" role="alert">
      {reasons.map((reason) => {
        const { sentence, remedy } = explained(reason);
        return (
          <div class="note bad" key={reason}>
            <Icon name="warning" />
            <div class="note-text">
              <p>{sentence}</p>
              <p>{remedy}</p>
              <p class="caption">
                <code>/_readiness</code> says: {reason}
              </p>
            </div>
          </div>
        );
      })}
    </div>
  );
}

function Numbers({ status }: { status: Status }) {
  const { server, lag_ms, waiting, events_last_minute, last_event_at } = status;
  const { events, loads, sqlite, journal } = server.stores;
  return (
    <dl class="facts numbers">
      <Fact name="Events in the last minute" value={number(events_last_minute)} />
      <Fact name="Lag" value={`${(lag_ms / 1000).toFixed(1)} s`} />
      <Fact name="Events in the queue" value={number(waiting)} />
      <Fact name="Last event" value={last_event_at ? moment(last_event_at) : "none yet"} />
      <Fact
        name="Free disk space"
        value={server.disk_free === null ? "unknown" : bytes(server.disk_free)}
      />
      <Fact name="Event store" value={bytes(events)} />
      <Fact name="Person store" value={bytes(sqlite)} />
      <Fact name="Journal" value={bytes(journal)} />
      <Fact name="Pending load files" value={bytes(loads)} />
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt class="caption">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The kinds of regular runs in words. */
export const RUNS: Record<string, string> = {
  weekly: "Deletes people with their events",
  nightly: "Deletes events, and removed insights and dashboards",
};

const COLUMNS: readonly Column<Schedule>[] = [
  { key: "kind", title: "Job", cell: ({ kind }) => RUNS[kind] ?? kind },
  {
    key: "next",
    title: "Next",
    width: "168px",
    cell: ({ next_run_at }) => (next_run_at ? moment(next_run_at) : "never"),
  },
  {
    key: "last",
    title: "Last",
    isExtra: true,
    width: "168px",
    cell: ({ last_run_at }) => (last_run_at ? moment(last_run_at) : "not yet"),
  },
  {
    key: "cron",
    title: "Schedule (cron, UTC)",
    isExtra: true,
    width: "168px",
    cell: ({ cron }) => <code>{cron}</code>,
  },
];
