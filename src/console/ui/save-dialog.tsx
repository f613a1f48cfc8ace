import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useChange } from "../api/change.ts";
import type { Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { ProblemNote } from "./states.tsx";

/** A dialog that takes a step, such as to save its fields. A refusal is shown in it. */
export function SaveDialog(props: {
  title: string;
  /** The step, such as "Revoke". */
  verb?: string;
  isDanger?: boolean;
  /** Whether the step cannot be taken yet. */
  isEarly?: boolean;
  /** Takes the step, and closes the dialog. Throws a problem if it is refused. */
  onSave: () => Promise<unknown>;
  onClose: () => void;
  /** Fields of the API whose problem `children` show. */
  fields?: readonly string[];
  /** A button before the others. */
  more?: ComponentChildren;
  children: ComponentChildren | ((problem: Problem | undefined) => ComponentChildren);
}) {
  const { title, verb = "Save", isDanger, isEarly = false, onClose, children } = props;
  const { isRunning, problem, run } = useChange();
  const isShown = problem?.attr != null && props.fields?.includes(problem.attr);
  const submit = (event: Event) => {
    event.preventDefault();
    run(props.onSave);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {typeof children === "function" ? children(problem) : children}
        {problem && !isShown && <ProblemNote problem={problem} />}
        <footer class="actions">
          {props.more}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={isDanger ? "danger" : "primary"} submit disabled={isRunning || isEarly}>
            {verb}
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
      onSave={() => props.onSave(name, description).then(props.onClose)}
      onClose={props.onClose}
    >
      <Field label="Name" autofocus required value={name} onInput={setName} />
      <Field label="Description" value={description} onInput={setDescription} />
      {props.children}
    </SaveDialog>
  );
}
