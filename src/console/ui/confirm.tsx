import type { ComponentChildren } from "preact";
import { useChange } from "../api/change.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNote } from "./states.tsx";

/** Asks before a step that cannot be undone, takes it, and shows why it failed. */
export function Confirm(props: {
  title: string;
  /** The step as a verb, such as "Revoke". */
  verb: string;
  /** Takes the step, and closes the dialog. */
  act: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { isRunning, problem, run } = useChange();
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="danger" disabled={isRunning} onClick={() => run(props.act)}>
            {props.verb}
          </Button>
        </>
      }
    >
      {props.children}
      {problem && <ProblemNote problem={problem} />}
    </Dialog>
  );
}
