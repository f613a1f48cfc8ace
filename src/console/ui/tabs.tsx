import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

type TabsProps<T extends string> = {
  label: string;
  tabs: readonly { value: T; label: ComponentChildren }[];
  value: T;
  onChange: (value: T) => void;
};

/** Tabs, of which one is shown. Arrow keys move between them. */
export function Tabs<T extends string>(props: TabsProps<T> & { children: ComponentChildren }) {
  const id = useId();
  return (
    <>
      <TabList {...props} id={id} />
      <div {...panelOf(id, props.value)}>{props.children}</div>
    </>
  );
}

/** The element that shows the chosen tab of the list with an id. */
export const panelOf = (id: string, value: string) => ({
  role: "tabpanel" as const,
  id: `${id}-panel`,
  "aria-labelledby": `${id}-${value}`,
});

/** The tabs alone, for a panel elsewhere. */
export function TabList<T extends string>(props: TabsProps<T> & { id: string; class?: string }) {
  const { id } = props;
  const list = useRef<HTMLDivElement>(null);
  // Where the tabs do not fit, the strip shows the chosen one. `scrollIntoView` would have the first Tab go on from there.
  useLayoutEffect(() => {
    const strip = list.current;
    const chosen = strip?.querySelector<HTMLElement>("[aria-selected=true]");
    if (strip && chosen) strip.scrollLeft = chosen.offsetLeft - strip.offsetLeft - 48;
  }, [props.value]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const at = props.tabs.findIndex(({ value }) => value === props.value);
    const next = props.tabs.at((at + by) % props.tabs.length);
    if (next === undefined) return;
    props.onChange(next.value);
    const index = props.tabs.indexOf(next);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
    event.preventDefault();
  };
  return (
    <div
      class={props.class ?? "tabs"}
      role="tablist"
      aria-label={props.label}
      ref={list}
      onKeyDown={move}
    >
      {props.tabs.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          role="tab"
          id={`${id}-${value}`}
          aria-selected={value === props.value}
          aria-controls={`${id}-panel`}
          tabIndex={value === props.value ? 0 : -1}
          onClick={() => props.onChange(value)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
