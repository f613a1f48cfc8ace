import { useEffect, useRef, useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad, usePolled } from "../../api/load.ts";
import { may, runDeletions, session } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { counted, moment, number } from "../../state/format.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { announce } from "../../ui/live-region.tsx";
import { Fact } from "../../ui/properties.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { Load, ProblemNote, Skeleton } from "../../ui/states.tsx";

type Receipt = Schemas["DeletionReceipt"];

/** Receipts that are shown; older ones of one person are rare. */
const RECEIPTS_SHOWN = 5;

/** How often a receipt is read again until its deletion has ended, in milliseconds. */
const EVERY_MS = 5000;

/** Requested deletions of a person's events, the newest first. */
export function useDeletions(uuid: string | undefined): Loaded<Schemas["DeletionPage"]> {
  return useLoad(uuid === undefined ? null : `deletions ${uuid}`, (signal) =>
    api.get("persons/deletion_status/", {
      query: { ...(uuid && { person_uuid: uuid }), limit: RECEIPTS_SHOWN },
      signal,
    }),
  );
}

const STATES: Record<Receipt["state"], { label: string; tone?: string }> = {
  queued: { label: "Scheduled" },
  running: { label: "Running" },
  done: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled" },
};

const COUNTED: Record<string, string> = {
  events: "Events",
  logs: "Log records",
  warnings: "Warning samples",
  dead_letters: "Unreadable records",
};

/** The receipt of a deletion; one that has deleted nothing yet can be cancelled. `onDone` is called once it is done, unless it was so before. */
export function DeletionReceipt({ id, onDone }: { id: number; onDone?: () => void }) {
  const path = { deletion_id: id };
  const receipt = usePolled(
    `receipt ${id}`,
    EVERY_MS,
    (signal) => api.get("persons/deletions/{deletion_id}/", { path, signal }),
    ({ state }) => state === "done" || state === "cancelled",
  );
  const state = receipt.data?.state;
  const last = useRef(state);
  useEffect(() => {
    if (state === "done" && last.current !== undefined && last.current !== state) onDone?.();
    last.current = state;
  }, [state]);
  const cancel = async () => {
    try {
      const cancelled = await api.post("persons/deletions/{deletion_id}/cancel/", { path });
      announce("Deletion cancelled");
      receipt.replace(cancelled);
    } catch (error) {
      receipt.reload();
      throw error;
    }
  };
  return (
    <Load of={receipt} skeleton={<Skeleton rows={5} height={40} />}>
      {(one) => <ReceiptPanel receipt={one} onCancel={cancel} onRun={receipt.reload} />}
    </Load>
  );
}

/** Draws the receipt of a deletion, as one of a list. */
export const receiptOf =
  (onDone: () => void) =>
  ({ id }: Schemas["Deletion"]) => <DeletionReceipt key={id} id={id} onDone={onDone} />;

function ReceiptPanel(props: {
  receipt: Receipt;
  onCancel: () => Promise<void>;
  onRun: () => void;
}) {
  const { receipt } = props;
  const { id, state, kind, attempts, error, counts, places } = receipt;
  const [isCancelling, setIsCancelling] = useState(false);
  const { label, tone } = STATES[state];
  const isOpen = state === "queued" || state === "failed";
  const nextRun = useNextRun(state === "queued" ? kind : undefined);
  return (
    <Panel
      title={`Deletion ${id}`}
      tools={
        isOpen &&
        may("person:write") && (
          <Button onClick={() => setIsCancelling(true)}>Cancel deletion</Button>
        )
      }
    >
      {isCancelling && (
        <CancelDialog onCancel={props.onCancel} onClose={() => setIsCancelling(false)} />
      )}
      <div class="properties">
        <dl>
          <Fact name="State">
            <span class={tone}>
              {label}
              {nextRun && `, ${moment(nextRun)}`}
            </span>
          </Fact>
          <Fact name="Requested">
            {moment(receipt.requested_at)}
            {receipt.requested_by_email && ` by ${receipt.requested_by_email}`}
          </Fact>
          <Fact name="Person">
            <code>{receipt.person_uuid}</code>
          </Fact>
          {receipt.started_at && <Fact name="Started">{moment(receipt.started_at)}</Fact>}
          {receipt.finished_at && <Fact name="Finished">{moment(receipt.finished_at)}</Fact>}
          {attempts > 1 && <Fact name="Attempts">{number(attempts)}</Fact>}
          {error && <Fact name="Reason">{error}</Fact>}
          {Object.entries(counts ?? {}).map(([what, count]) => (
            <Fact key={what} name={`${COUNTED[what] ?? what} deleted`}>
              {number(Number(count))}
            </Fact>
          ))}
          {places && (
            <Fact name="Saved items that mention this person">
              <Places places={places} />
            </Fact>
          )}
        </dl>
      </div>
      {isOpen && <RunNow isRetry={state === "failed"} nextRun={nextRun} onRun={props.onRun} />}
    </Panel>
  );
}

function CancelDialog(props: { onCancel: () => Promise<void>; onClose: () => void }) {
  return (
    <SaveDialog
      isDanger
      title="Cancel this deletion?"
      verb="Keep the events"
      onSave={() => props.onCancel().then(props.onClose)}
      onClose={props.onClose}
    >
      <p>
        The person is already gone. Cancelling keeps their events until you request their deletion
        again.
      </p>
    </SaveDialog>
  );
}

/**
 * Carries out all deletions at once. A session with access to the server has a button for it, any other the command to
 * run there.
 */
export function RunNow(props: {
  isRetry?: boolean;
  nextRun?: string | undefined;
  /** Called once the run has begun. */
  onRun: () => void;
}) {
  const server = useServer();
  const command = commandFor(server?.data_directory);
  const change = useChange();
  // A run takes every deletion that waits or has failed, not this one alone.
  const verb = "Run all pending deletions now";
  const said = props.isRetry
    ? "This won't be retried automatically."
    : props.nextRun && `Runs at ${moment(props.nextRun)}.`;
  const run = () =>
    change.run(async () => {
      await runDeletions();
      announce("Deletions started");
      props.onRun();
    });
  if (session.value?.runs_deletions) {
    return (
      <div class="cluster run-now">
        <p class="caption">{said}</p>
        <Button disabled={change.isRunning} onClick={run}>
          {verb}
        </Button>
        {change.problem && <ProblemNote problem={change.problem} />}
      </div>
    );
  }
  return (
    <div class={server || !may("project:read") ? "cluster run-now" : "cluster run-now invisible"}>
      <p class="caption">
        {said} {verb}, on the server:
      </p>
      <code>{command}</code>
      <CopyButton text={command} />
    </div>
  );
}

function commandFor(directory: string | null | undefined): string {
  const isPlain = /^[\w./-]*$/.test(directory ?? "");
  const quoted = isPlain ? directory : `'${directory?.replaceAll("'", "'\\''")}'`;
  return `hoglet deletions run --now${directory ? ` --data ${quoted}` : ""}`;
}

/** The server's part of the status; undefined until it is read, and if the key may not see it. */
function useServer(): Schemas["ProjectStatus"]["server"] | undefined {
  const { data } = useLoad(may("project:read") ? "server" : null, (signal) =>
    api.get("/api/projects/{project_id}/status/", { signal }),
  );
  return data?.server;
}

/** When deletions of a kind run next; undefined if the key may not see it. */
const useNextRun = (kind: Receipt["kind"] | undefined): string | undefined =>
  useServer()?.schedules.find((one) => one.kind === kind)?.next_run_at ?? undefined;

/** Insights and the like that contain an id or the e-mail address of a person, with links to them. */
export function Places({ places }: { places: NonNullable<Receipt["places"]> }) {
  const { count, results } = places;
  if (count === 0) return <>None</>;
  const more = count - results.length;
  return (
    <ul>
      {results.map(({ kind, id, short_id }) => (
        <li key={`${kind}${id}`}>
          {kind === "annotation" ? (
            `annotation ${id}`
          ) : (
            <a href={href(`${kind}s/${short_id ?? id}`)}>
              {kind} {short_id ?? id}
            </a>
          )}
        </li>
      ))}
      {more > 0 && <li>{counted(more, "more", "more")}</li>}
    </ul>
  );
}
