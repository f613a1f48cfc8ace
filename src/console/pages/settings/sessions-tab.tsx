import { useState } from "preact/hooks";
import { useLoad } from "../../api/load.ts";
import {
  endSession,
  type ListedSession,
  leave,
  listSessions,
  may,
  session,
  signOut,
} from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { moment } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { announce } from "../../ui/live-region.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const WAYS = { link: "a link", key: "a personal key" };

/** The sessions of the user, each with how and when it began; one can be ended. */
export function SessionsTab() {
  const [ended, setEnded] = useState<ListedSession>();
  const sessions = useLoad("sessions", listSessions);
  const end = async ({ id, current }: ListedSession) => {
    await endSession(id);
    if (current) return leave();
    announce("Session ended");
    sessions.reload();
    setEnded(undefined);
  };
  const columns: readonly Column<ListedSession>[] = [
    ...COLUMNS,
    {
      key: "end",
      title: "End",
      width: "88px",
      isNumber: true,
      cell: (one) =>
        may("personal_api_key:write") && (
          <Button label={`End the session of ${one.browser}`} onClick={() => setEnded(one)}>
            End
          </Button>
        ),
    },
  ];
  return (
    <Panel
      isFlush
      title={`Signed in as ${session.value?.user.email}`}
      tools={<Button onClick={() => void signOut().catch(leave)}>Sign out</Button>}
    >
      <Load of={sessions} skeleton={<Skeleton rows={3} height={48} />}>
        {(list) => (
          <Table label="Sessions" columns={columns} rows={list} keyOf={({ id }) => String(id)} />
        )}
      </Load>
      {ended && (
        <SaveDialog
          isDanger
          title={ended.current ? "End this session?" : `End the session of ${ended.browser}?`}
          verb="End session"
          onSave={() => end(ended)}
          onClose={() => setEnded(undefined)}
        >
          <p>
            {ended.current
              ? "You'll be signed out here."
              : "That browser is signed out with its next request."}
          </p>
        </SaveDialog>
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<ListedSession>[] = [
  {
    key: "browser",
    title: "Browser",
    cell: ({ browser, current }) => (
      <span class="cluster">
        {browser}
        {current && <span class="badge">This session</span>}
      </span>
    ),
  },
  {
    key: "began",
    title: "Signed in",
    cell: ({ method, created_at }) => `${moment(created_at)}, by ${WAYS[method]}`,
  },
  {
    key: "seen",
    title: "Last seen",
    isExtra: true,
    cell: ({ last_seen_at }) => moment(last_seen_at),
  },
];
