import { useState } from "preact/hooks";
import { offerUndo } from "../../layout/toast.tsx";
import { useAddress } from "../../state/address.ts";
import { Button } from "../../ui/button.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Menu } from "../../ui/menu.tsx";
import { NameDialog } from "../../ui/save-dialog.tsx";
import { changeDashboard, type Dashboard, type Edits } from "./changes.ts";
import { InsightDialog, TextDialog } from "./tile-dialogs.tsx";
import type { View } from "./view.ts";

type ToolsProps = {
  dashboard: Dashboard;
  view: View;
  isEdited: boolean;
  onEdit: (isEdited: boolean) => void;
  edits: Edits;
};

/** The tools of a dashboard: save period and filters, edit, rename, delete. */
export function DashboardTools({ dashboard, view, isEdited, onEdit, edits }: ToolsProps) {
  const { go } = useAddress();
  const [open, setOpen] = useState<"insight" | "text" | "name">();
  const close = () => setOpen(undefined);
  const save = async () => {
    if (view.isChanged && (await edits.attempt({ filters: view.toSave }))) view.reset();
  };
  useKeys({ "Ctrl+s": save });
  const remove = async () => {
    if (!(await edits.attempt({ deleted: true }))) return;
    go("dashboards");
    offerUndo(`Deleted ${dashboard.name}`, async () => {
      await changeDashboard(dashboard.id, { deleted: false });
      go(`dashboards/${dashboard.id}`);
    });
  };
  return (
    <>
      {(view.isChanged || view.comparison !== "") && <Button onClick={view.reset}>Reset</Button>}
      {view.isChanged && <Button onClick={save}>Save</Button>}
      {isEdited && (
        <>
          <Button icon="plus" onClick={() => setOpen("insight")}>
            Insight
          </Button>
          <Button icon="plus" onClick={() => setOpen("text")}>
            Text
          </Button>
        </>
      )}
      <Button kind={isEdited ? "primary" : "plain"} onClick={() => onEdit(!isEdited)}>
        {isEdited ? "Done" : "Edit"}
      </Button>
      <Menu
        label="More"
        icon="more"
        isQuiet
        items={[
          { label: "Rename…", onChoose: () => setOpen("name") },
          {
            label: dashboard.pinned ? "Remove from home" : "Show on home",
            onChoose: () => edits.attempt({ pinned: !dashboard.pinned }),
          },
          { label: "Delete", isDanger: true, onChoose: remove },
        ]}
      />
      {open === "insight" && (
        <InsightDialog
          onAdd={(insight, name) => edits.attempt({ tiles: [{ insight }] }, `Added ${name}`)}
          onClose={close}
        />
      )}
      {open === "text" && (
        <TextDialog
          first=""
          onSave={(body) => edits.send({ tiles: [{ text: { body } }] })}
          onClose={close}
        />
      )}
      {open === "name" && (
        <NameDialog
          title="Rename the dashboard"
          name={dashboard.name}
          description={dashboard.description}
          onSave={(name, description) => edits.send({ name, description })}
          onClose={close}
        />
      )}
    </>
  );
}
