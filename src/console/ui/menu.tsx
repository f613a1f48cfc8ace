import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { useFloating } from "./pick/floating.ts";

/** An entry of a menu: does something, or leads to an address. */
export type MenuItem = {
  label: string;
  icon?: IconName;
  isChosen?: boolean;
  isDanger?: boolean;
} & ({ onChoose: () => void } | { href: string });

/** A button that opens a list. Arrow keys move in it, Escape closes it, a letter jumps to an entry. */
export function Menu(props: {
  label: string;
  items: readonly MenuItem[];
  icon?: IconName;
  isQuiet?: boolean;
  children?: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [
    ...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []),
  ];
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  useFloating(isOpen, root, list, () => setOpen(false));
  useEffect(() => {
    if (isOpen) (entries().find((one) => one.ariaChecked === "true") ?? entries()[0])?.focus();
  }, [isOpen]);
  const move = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === "Escape") close();
    else if (!moveIn(entries(), event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that its button and its entries get come up to it.
    <div class="menu" ref={root} onKeyDown={move}>
      <button
        type="button"
        class={`button ${props.isQuiet ? "quiet" : "plain"}${props.children ? "" : " square"}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={props.children ? undefined : props.label}
        title={props.children ? undefined : props.label}
        onClick={() => setOpen(!isOpen)}
      >
        {props.icon && <Icon name={props.icon} />}
        {props.children}
        {props.children && <Icon name="down" />}
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" ref={list} aria-label={props.label}>
          {props.items.map((item) => (
            <Entry key={item.label} item={item} onDone={close} />
          ))}
        </div>
      )}
    </div>
  );
}

/** Moves the focus among the entries of a menu; false if the key moves nothing. */
function moveIn(all: HTMLElement[], key: string): boolean {
  const next = targetOf(key, all.indexOf(document.activeElement as HTMLElement), all);
  next?.focus();
  return next !== undefined;
}

/** The entries of a menu that stays open, of which Tab reaches the chosen one. */
export function MenuRows({ label, items, onDone }: MenuRowsProps) {
  const chosen = items.findIndex(({ isChosen }) => isChosen);
  const steer = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem]")];
    if (moveIn(entries, event.key)) event.preventDefault();
  };
  return (
    <div class="menu-rows" role="menu" aria-label={label} onKeyDown={steer}>
      {items.map((item, at) => (
        <Entry key={item.label} item={item} onDone={onDone} isStop={at === Math.max(0, chosen)} />
      ))}
    </div>
  );
}

type MenuRowsProps = { label: string; items: readonly MenuItem[]; onDone: () => void };

function targetOf(key: string, at: number, all: HTMLElement[]): HTMLElement | undefined {
  if (key === "ArrowDown") return all[(at + 1) % all.length];
  if (key === "ArrowUp") return all.at(at - 1);
  if (key === "Home") return all[0];
  if (key === "End") return all.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const following = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  return following.find((one) => one.textContent?.toLowerCase().startsWith(key.toLowerCase()));
}

function Entry(props: { item: MenuItem; onDone: () => void; isStop?: boolean }) {
  const { item, onDone, isStop = false } = props;
  const common = {
    role: item.isChosen === undefined ? ("menuitem" as const) : ("menuitemradio" as const),
    "aria-checked": item.isChosen,
    tabIndex: isStop ? 0 : -1,
    class: item.isDanger ? "menu-item bad" : "menu-item",
  };
  const content = (
    <>
      {item.icon ? <Icon name={item.icon} /> : item.isChosen && <Icon name="done" />}
      <span>{item.label}</span>
    </>
  );
  if ("href" in item) {
    return (
      <a {...common} href={item.href} onClick={onDone}>
        {content}
      </a>
    );
  }
  const choose = () => {
    onDone();
    item.onChoose();
  };
  return (
    <button type="button" {...common} onClick={choose}>
      {content}
    </button>
  );
}
