import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { announce } from "./live-region.tsx";

type Kind = "primary" | "plain" | "quiet" | "danger";

type ButtonProps = {
  kind?: Kind;
  icon?: IconName;
  /** The name for screen readers and the pointer; needed where the button has only an icon. */
  label?: string;
  onClick?: (event: MouseEvent) => void;
  submit?: boolean;
  /** A disabled button does nothing, but keeps the focus: it may be disabled by its own work. */
  disabled?: boolean;
  /** Whether it is pressed, for a button that switches something on and off. */
  pressed?: boolean;
  children?: ComponentChildren;
};

/** A button. A form has one that is `primary`; icons alone are `quiet`. */
export function Button(props: ButtonProps) {
  const { kind = "plain", icon, label, submit, children } = props;
  const isIcon = children === undefined;
  return (
    <button
      type={submit ? "submit" : "button"}
      class={`button ${kind}${isIcon ? " square" : ""}`}
      aria-label={label}
      title={isIcon ? label : undefined}
      aria-pressed={props.pressed}
      aria-disabled={props.disabled || undefined}
      onClick={(event) => {
        if (props.disabled) event.preventDefault();
        else props.onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink(props: {
  href: string;
  kind?: Kind;
  icon?: IconName;
  children: ComponentChildren;
}) {
  return (
    <a class={`button ${props.kind ?? "plain"}`} href={props.href}>
      {props.icon && <Icon name={props.icon} />}
      {props.children}
    </a>
  );
}

/** Puts a text into the clipboard. Without a clipboard, which http to another machine lacks, by a field. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByField(text);
  }
}

function copyByField(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "off-screen";
  // A modal dialog makes everything outside of it unreachable, so the field goes into it.
  (focused?.closest("dialog") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return isCopied;
}

/** Copies a text, and says so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const done = await copyText(text);
    announce(done ? "Copied" : "Can't copy here. Select the text.");
    setCopied(done);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Button icon={isCopied ? "done" : "copy"} onClick={copy}>
      {isCopied ? "Copied" : label}
    </Button>
  );
}
