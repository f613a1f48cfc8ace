import type { Schemas } from "../../api/client.ts";
import { Panel } from "../../layout/page-head.tsx";
import { clock, counted, number } from "../../state/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type Status = Schemas["ProjectStatus"];
type Refused = Status["arrivals"]["refused"][number];

/** Requests of the last minutes, the refused ones among them, and causes with their remedies. */
export function Diagnosis({ status }: { status: Status }) {
  const { accepted, dropped, refused, minutes } = status.arrivals;
  return (
    <Panel title={`The last ${minutes} minutes`}>
      <dl class="facts numbers">
        <Count name="Accepted" value={accepted} />
        <Count name="Dropped" value={dropped} />
        <Count name="Refused requests" value={refused.reduce((sum, { count }) => sum + count, 0)} />
        <Count name="Waiting to be stored" value={status.waiting} />
      </dl>
      <div class="stack advice" aria-live="polite">
        {status.advice.map(({ code, text }) => (
          <div class={`note ${code === "nothing_arrived" ? "" : "warn"}`} key={code}>
            <Icon name={code === "nothing_arrived" ? "help" : "warning"} />
            <p class="note-text">{text}</p>
          </div>
        ))}
        {status.warnings.map(({ type, meaning, count }) => (
          <div class="note warn" key={type}>
            <Icon name="warning" />
            <p class="note-text">
              {counted(count, "event")}: {meaning} <code>{type}</code>
            </p>
          </div>
        ))}
      </div>
      {refused.length > 0 && (
        <Table
          label="Refused requests"
          columns={COLUMNS}
          rows={refused}
          keyOf={({ at, code, path, key_mask }) => `${at} ${code} ${path} ${key_mask}`}
        />
      )}
    </Panel>
  );
}

function Count({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt class="caption">{name}</dt>
      <dd>{number(value)}</dd>
    </div>
  );
}

const COLUMNS: readonly Column<Refused>[] = [
  { key: "at", title: "Last at", width: "96px", cell: ({ at }) => clock(at) },
  { key: "why", title: "Answer", cell: ({ status, code }) => `${status} ${code}` },
  {
    key: "path",
    title: "Request",
    isExtra: true,
    cell: ({ method, path }) => (
      <code>
        {method} {path}
      </code>
    ),
  },
  { key: "key", title: "Key", isExtra: true, cell: ({ key_mask }) => key_mask ?? "none" },
  { key: "sdk", title: "SDK", isExtra: true, cell: ({ sdk }) => sdk ?? "" },
  { key: "count", title: "Times", isNumber: true, width: "72px", cell: ({ count }) => count },
];
