import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { firstField } from "../focus.ts";
import { Icon } from "../icon.tsx";
import { useFloating } from "./floating.ts";

type PopoverProps = {
  /** The name of the part, and of the button unless `name` is another one. */
  label: string;
  name?: string;
  class?: string;
  button: ComponentChildren;
  /** Called when it closes by a press or a focus elsewhere. */
  onLeave?: (() => void) | undefined;
  children: (close: () => void) => ComponentChildren;
};

/**
 * A button that opens a part of the page next to itself. Escape closes it, and so does a press elsewhere. The focus goes
 * to its first field, and back to the button.
 */
export function Popover({ label, name, button, onLeave, children, ...props }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const part = useRef<HTMLDivElement>(null);
  useFloating(isOpen, root, part, () => {
    setOpen(false);
    onLeave?.();
  });
  useLayoutEffect(() => {
    if (isOpen) firstField(part.current)?.focus();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  const steer = (event: KeyboardEvent) => {
    // Keys of the page are for the page; those with Ctrl are for all of it.
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  return (
    <div class="popover-root" ref={root}>
      <button
        type="button"
        class={props.class}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={name}
        title={name}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div class="popover" role="dialog" aria-label={label} ref={part} onKeyDown={steer}>
          <div class="stack tight">{children(close)}</div>
        </div>
      )}
    </div>
  );
}

/** A chip that opens a part to change it, and that may be removed. */
export function Chip(
  props: Omit<PopoverProps, "button"> & { text: string; onRemove?: (() => void) | undefined },
) {
  const { text, onRemove, ...rest } = props;
  return (
    <span class="chip">
      <Popover {...rest} button={<bdi>{text}</bdi>} />
      {onRemove && (
        <button type="button" aria-label={`Remove ${text}`} onClick={onRemove}>
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}

/** A button that opens a part to add something. */
export const Add = ({ text, ...props }: Omit<PopoverProps, "button"> & { text: string }) => (
  <Popover
    {...props}
    class="button quiet"
    button={
      <>
        <Icon name="plus" />
        {text}
      </>
    }
  />
);
