import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { ProblemNote } from "./states.tsx";

/** A dialog with fields that saves, and closes when that has succeeded. A refusal is shown in it. */
export function SaveDialog(props: {
  title: string;
  /** Throws a problem if it is refused. */
  onSave: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { title, onSave, onClose, children } = props;
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await onSave();
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {children}
        {problem && <ProblemNote problem={problem} />}
        <footer class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" submit>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Asks for a name and a description, and saves them. */
export function NameDialog(props: {
  title: string;
  name?: string;
  description?: string;
  onSave: (name: string, description: string) => Promise<unknown>;
  onClose: () => void;
  /** More fields. */
  children?: ComponentChildren;
}) {
  const [name, setName] = useState(props.name ?? "");
  const [description, setDescription] = useState(props.description ?? "");
  return (
    <SaveDialog
      title={props.title}
      onSave={() => props.onSave(name, description)}
      onClose={props.onClose}
    >
      <Field label="Name" autofocus required value={name} onInput={setName} />
      <Field label="Description" value={description} onInput={setDescription} />
      {props.children}
    </SaveDialog>
  );
}
