import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { may, session, soonAfterSignIn } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { day, moment } from "../../state/format.ts";
import { projects } from "../../state/project.ts";
import { scopesText } from "../../state/scopes.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { announce } from "../../ui/live-region.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { NewKey, type PersonalKey } from "./key-form.tsx";

/** The open dialog and its key. */
type Open =
  | { what: "new" }
  | { what: "value"; key: PersonalKey }
  | { what: "roll" | "revoke"; key: PersonalKey };

/** The personal keys of the user: made, rolled and revoked here. */
export function KeysTab() {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const keys = useLoad("keys", (signal) => api.get("/api/personal_api_keys/", { signal }));
  const showValue = (key: PersonalKey) => {
    setOpen({ what: "value", key });
    keys.reload();
  };
  const canWrite = may("personal_api_key:write");
  const columns: readonly Column<PersonalKey>[] = [
    ...COLUMNS,
    {
      key: "change",
      title: "Actions",
      width: "104px",
      isNumber: true,
      cell: (key) =>
        canWrite && (
          <>
            <Button
              kind="quiet"
              icon="refresh"
              label={`Roll ${key.label}`}
              onClick={() => setOpen({ what: "roll", key })}
            />
            <Button
              kind="quiet"
              icon="trash"
              label={`Revoke ${key.label}`}
              onClick={() => setOpen({ what: "revoke", key })}
            />
          </>
        ),
    },
  ];
  return (
    <Panel
      isFlush
      title="Personal API keys"
      tools={
        canWrite && (
          <Button icon="plus" onClick={() => setOpen({ what: "new" })}>
            Key
          </Button>
        )
      }
    >
      <Load of={keys} skeleton={<Skeleton rows={4} height={48} />}>
        {(list) => (
          <Table
            label="Personal API keys"
            columns={columns}
            rows={list}
            keyOf={({ id }) => String(id)}
          />
        )}
      </Load>
      {open?.what === "new" && <NewKey onMade={showValue} onClose={close} />}
      {open?.what === "value" && <KeyValue of={open.key} onClose={close} />}
      {open?.what === "roll" && <Roll of={open.key} onRolled={showValue} onClose={close} />}
      {open?.what === "revoke" && <Revoke of={open.key} onRevoked={keys.reload} onClose={close} />}
    </Panel>
  );
}

const isOwn = ({ id }: PersonalKey) => id === session.value?.key.id;

/** The only time that the value of a key is shown. */
function KeyValue({ of, onClose }: { of: PersonalKey; onClose: () => void }) {
  const value = of.value ?? "";
  return (
    <Dialog
      title={`Your new key: ${of.label}`}
      actions={
        <Button kind="primary" onClick={onClose}>
          Done, I've saved it
        </Button>
      }
    >
      <p>Copy it now. You won't see it again.</p>
      <div class="cluster">
        <code class="key grow">{value}</code>
        <CopyButton text={value} />
      </div>
    </Dialog>
  );
}

function Roll(props: {
  of: PersonalKey;
  onRolled: (rolled: PersonalKey) => void;
  onClose: () => void;
}) {
  const { of, onRolled, onClose } = props;
  const roll = async () => {
    const path = { id: of.id };
    const rolled = await soonAfterSignIn(() =>
      api.post("/api/personal_api_keys/{id}/roll/", { path }),
    );
    onRolled(rolled);
  };
  return (
    <SaveDialog
      isDanger
      title={`Roll ${of.label}?`}
      verb="Roll key"
      onSave={roll}
      onClose={onClose}
    >
      <p>The key gets a new value. The old one, {of.mask_value}, stops working immediately.</p>
      {isOwn(of) && <p>You're signed in with this key: rolling it signs you out.</p>}
    </SaveDialog>
  );
}

function Revoke(props: { of: PersonalKey; onRevoked: () => void; onClose: () => void }) {
  const { of, onRevoked, onClose } = props;
  const revoke = async () => {
    const path = { id: of.id };
    await soonAfterSignIn(() => api.delete("/api/personal_api_keys/{id}/", { path }));
    announce(`Revoked ${of.label}`);
    onRevoked();
    onClose();
  };
  return (
    <SaveDialog
      isDanger
      title={`Revoke ${of.label}?`}
      verb="Revoke key"
      onSave={revoke}
      onClose={onClose}
    >
      <p>Requests with this key stop working immediately. You can't undo this.</p>
      {isOwn(of) && <p>You're signed in with this key: revoking it signs you out.</p>}
    </SaveDialog>
  );
}

const nameOf = (id: number) => projects.value?.find((one) => one.id === id)?.name ?? `${id}`;

const COLUMNS: readonly Column<PersonalKey>[] = [
  {
    key: "label",
    title: "Key",
    cell: (key) => (
      <>
        <span class="cluster">
          {key.label}
          {isOwn(key) && <span class="badge">This session</span>}
        </span>
        <p class="caption">
          <code>{key.mask_value}</code>, <EndOf at={key.expires_at} />
        </p>
      </>
    ),
  },
  {
    key: "rights",
    title: "Scopes",
    isExtra: true,
    cell: ({ scopes, scoped_teams }) => (
      <>
        {scopesText(scopes)}
        {scoped_teams.length > 0 && (
          <span class="caption"> in {scoped_teams.map(nameOf).join(", ")}</span>
        )}
      </>
    ),
  },
  {
    key: "used",
    title: "Last used",
    isExtra: true,
    width: "176px",
    cell: ({ last_used_at }) => (last_used_at ? moment(last_used_at) : "never"),
  },
];

function EndOf({ at }: { at: string | null }) {
  if (at === null) return <>never expires</>;
  if (Date.parse(at) > Date.now()) return <>expires {day(at)}</>;
  return <span class="bad">expired {day(at)}</span>;
}
