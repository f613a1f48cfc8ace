import { conflict } from "../api/conflict.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Asks what to do about a save that came after one of another page. */
export function ConflictDialog() {
  const open = conflict.value;
  if (open === undefined) return null;
  const { detail, choose } = open;
  return (
    <Dialog
      title="Someone else saved changes"
      onClose={() => choose(undefined)}
      actions={
        <>
          <Button onClick={() => choose("mine")}>Save mine</Button>
          <Button kind="primary" onClick={() => choose("newer")}>
            Load the newer version
          </Button>
        </>
      }
    >
      <p>{detail.replace(/ Read it again.*$/, "")}</p>
      <p>The newer version replaces what you see here. "Save mine" replaces the newer version.</p>
    </Dialog>
  );
}
