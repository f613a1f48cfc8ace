import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { LiveRegion } from "./live-region.tsx";

type DialogProps = {
  title: string;
  /** Shown at the top instead of the title, which screen readers still read. */
  head?: ComponentChildren;
  /** Called on Escape, on the close button, and on a click beyond the edge. Without it only the page closes it. */
  onClose?: () => void;
  /** The buttons at the bottom, the one to be chosen last. */
  actions?: ComponentChildren;
  isWide?: boolean;
  /** Fills the right side of the window. */
  isSide?: boolean;
  children: ComponentChildren;
};

/** A modal dialog, open as long as it is rendered. The focus returns to where it was before. */
export function Dialog({ title, head, onClose, actions, isWide, isSide, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once, not after the next paint: the next key that is typed already belongs to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      before?.focus();
    };
  }, []);
  const closeBeyond = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose?.();
  };
  return (
    <dialog
      ref={dialog}
      class={`dialog${isWide ? " wide" : ""}${isSide ? " side" : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onMouseDown={closeBeyond}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id} tabIndex={-1} class={head ? "off-screen" : undefined}>
            {title}
          </h2>
          {head}
          {onClose && <Button kind="quiet" icon="close" label="Close" onClick={onClose} />}
        </header>
        {children}
        {actions && <footer class="actions">{actions}</footer>}
        <LiveRegion />
      </div>
    </dialog>
  );
}
