import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type FieldProps = {
  label: string;
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "password" | "search" | "number" | "date" | "email";
  /** A sentence below the field. */
  hint?: ComponentChildren;
  /** Why the value is refused. */
  problem?: string | undefined;
  /** Hides the label from the eye; screen readers still say it. */
  isBare?: boolean;
  onKeyDown?: (event: KeyboardEvent) => void;
  placeholder?: string;
  autocomplete?: "off" | "current-password";
  required?: boolean;
  autofocus?: boolean;
  name?: string;
  min?: string;
  max?: string;
};

/** A field for one line of text, with its label, its hint and its problem. */
export function Field(props: FieldProps) {
  const { label, value, onInput, type = "text", hint, problem, isBare, ...rest } = props;
  const id = useId();
  const hasNote = hint !== undefined || problem !== undefined;
  return (
    <div class="field">
      <label for={id} class={isBare ? "off-screen" : undefined}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        // The types of elements ask for one type; all of these take the same attributes.
        type={type as "text"}
        value={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={hasNote ? `${id}-note` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hasNote && (
        <p id={`${id}-note`} class={problem === undefined ? "caption" : "caption bad"}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

type Choice = { value: string; label: string };

/** A choice of one of several values. */
export function Select(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
  isBare?: boolean;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={props.isBare ? "off-screen" : undefined}>
        {props.label}
      </label>
      <select id={id} value={props.value} onChange={(e) => props.onChange(e.currentTarget.value)}>
        {props.choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A box that is ticked or not. */
export function Check(props: {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}

/** A choice of one of a few values, each with a sentence on what it means. */
export function Choices<T extends string>(props: {
  label: string;
  value: T;
  choices: readonly { value: T; label: string; hint: string }[];
  onChange: (value: T) => void;
}) {
  const id = useId();
  return (
    <fieldset class="choices">
      <legend>{props.label}</legend>
      {props.choices.map(({ value, label, hint }) => (
        <label key={value} class="check">
          <input
            type="radio"
            name={id}
            value={value}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span>
            {label}
            <span class="caption">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
