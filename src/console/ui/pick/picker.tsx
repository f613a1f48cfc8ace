import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item, Source } from "../../api/suggestions.ts";
import { compact } from "../../state/format.ts";
import { Icon } from "../icon.tsx";
import { Chip } from "./popover.tsx";

/** How long the reader may pause while typing before the server is asked, in milliseconds. */
const TYPING_MS = 150;

/** Most rows that are drawn; a text leads to the others. */
const ROWS_MAX = 100;

type Found = { key: string; items: readonly Item[]; isWhole: boolean };

/** Items for a text. Without answers typing goes on, as a name may be typed that nothing has yet. */
function useFound(source: Source, search: string, isNeeded: boolean): Found | undefined {
  const [found, setFound] = useState<Found>();
  const key = `${source.key} ${search}`;
  useEffect(() => {
    if (!isNeeded) return;
    const leave = new AbortController();
    const keep = (items: readonly Item[], isWhole: boolean) =>
      leave.signal.aborted || setFound({ key, items, isWhole });
    const load = () =>
      source.load(search, leave.signal).then(
        ({ items, isWhole }) => keep(items, isWhole),
        () => keep([], true),
      );
    const timer = setTimeout(load, search === "" ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [key, isNeeded]);
  return found?.key === key ? found : undefined;
}

/** The items that have a text in their name, the one of exactly that name first. */
function useItems(source: Source, text: string) {
  const search = text.trim();
  const first = useFound(source, "", true);
  const isPart = first !== undefined && !first.isWhole && search !== "";
  const more = useFound(source, search, isPart);
  const all = [...(more?.items ?? []), ...(first?.items ?? [])];
  const low = search.toLowerCase();
  const isIt = ({ value, label }: Item) => value === search || label.toLowerCase() === low;
  const has = ({ value, label, also = "" }: Item) =>
    `${value} ${label} ${also}`.toLowerCase().includes(low);
  const known = new Map(all.filter(has).map((item) => [item.value, item]));
  const items = [...known.values()].sort((a, b) => Number(isIt(b)) - Number(isIt(a)));
  return {
    items: items.slice(0, ROWS_MAX),
    isWaiting: first === undefined || (isPart && more === undefined),
    isExact: items.some(isIt),
  };
}

type PickerProps = {
  label: string;
  source: Source;
  chosen: readonly string[];
  onChoose: (value: string) => void;
  /** Whether several may be chosen; a second choice takes one back. */
  isMulti?: boolean;
  /** Words before a text that may be chosen although nothing has it yet; without them only items are. */
  anyText?: string;
  /** Enter in the empty field of a choice of several. */
  onDone?: () => void;
};

/** The rows of a picker for the text in its field, and how keys move among them. */
function useRows({ source, chosen, isMulti = false, anyText, onDone, ...props }: PickerProps) {
  const [text, setText] = useState("");
  const [place, setPlace] = useState<number>();
  const [isEager, setEager] = useState(false);
  const { items, isWaiting, isExact } = useItems(source, text);
  const typed = text.trim();
  const isNew = anyText !== undefined && typed !== "" && !isExact;
  const rows: Item[] = [
    // A choice stays in sight, even if the server does not list it.
    ...(isMulti && typed === "" ? missingFrom(items, chosen) : []),
    ...items,
    ...(isNew ? [{ value: typed, label: `${anyText} “${typed}”` }] : []),
  ];
  // The first row is the present one, but a choice of several begins with none: Enter then ends it.
  const start = isMulti && typed === "" ? -1 : 0;
  const at = place === undefined ? start : Math.min(place, rows.length - 1);
  const current = rows[at];
  const choose = (item: Item) => {
    props.onChoose(item.value);
    setText("");
    if (typed !== "") setPlace(undefined);
  };
  const enter = () => (current ? choose(current) : typed === "" && onDone?.());
  // Enter may come before the row that it means.
  useEffect(() => {
    if (!isEager || isWaiting) return;
    setEager(false);
    enter();
  });
  const type = (next: string) => {
    setText(next);
    setPlace(undefined);
    setEager(false);
  };
  const steer = (event: KeyboardEvent) => {
    // Until the row of an early Enter is known, the field stays.
    if (event.key === "Tab" && isEager) event.preventDefault();
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (event.isComposing || (by === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    if (by !== undefined) setPlace(Math.max(0, Math.min(rows.length - 1, at + by)));
    else if (isWaiting && typed !== "" && place === undefined) setEager(true);
    else enter();
  };
  return { text, rows, at, isWaiting, choose, type, steer };
}

/** A field that searches a list, of which one item or several are chosen, by the pointer or by keys. */
export function Picker(props: PickerProps) {
  const { label, chosen, isMulti = false } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { text, rows, at, isWaiting, choose, type, steer } = useRows(props);
  useEffect(() => {
    list.current?.querySelector("[data-current]")?.scrollIntoView({ block: "nearest" });
  }, [at, rows.length]);
  // After a press on a tab one types on; arrow keys go on among the tabs.
  useLayoutEffect(() => {
    if (document.activeElement?.matches("[role=tab]:not(:focus-visible)")) field.current?.focus();
  }, []);
  return (
    <div class="picker">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={rows.length > 0}
        aria-controls={`${id}-rows`}
        aria-activedescendant={rows[at] && `${id}-${at}`}
        aria-busy={isWaiting}
        autocomplete="off"
        spellcheck={false}
        placeholder="Search"
        value={text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={steer}
      />
      <div
        class="picker-rows"
        role="listbox"
        aria-label={label}
        aria-multiselectable={isMulti || undefined}
        id={`${id}-rows`}
        ref={list}
      >
        {rows.map((item, index) => (
          <Row
            key={item.value}
            id={`${id}-${index}`}
            item={item}
            isCurrent={index === at}
            isChosen={chosen.includes(item.value)}
            isMulti={isMulti}
            onChoose={() => choose(item)}
          />
        ))}
      </div>
      {rows.length === 0 && !isWaiting && <p class="caption">Nothing has this name</p>}
    </div>
  );
}

const missingFrom = (items: readonly Item[], chosen: readonly string[]): Item[] =>
  chosen
    .filter((one) => !items.some(({ value }) => value === one))
    .map((value) => ({ value, label: value }));

function Row(props: {
  id: string;
  item: Item;
  isCurrent: boolean;
  isChosen: boolean;
  isMulti: boolean;
  onChoose: () => void;
}) {
  const { value, label, note, count } = props.item;
  const tick = props.isChosen && <Icon name="done" />;
  const isNamed = value !== "" && value !== label && !label.includes(`“${value}”`);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys.
    <div
      id={props.id}
      role="option"
      tabIndex={-1}
      aria-selected={props.isChosen}
      data-current={props.isCurrent || undefined}
      onMouseDown={(event) => event.preventDefault()}
      onClick={props.onChoose}
    >
      {props.isMulti ? <span class="tick">{tick}</span> : tick}
      <bdi>{label === "" ? "(empty)" : label}</bdi>
      <span class="caption grow">{isNamed && <bdi>{value}</bdi>}</span>
      <span class="caption">{note}</span>
      {count !== undefined && <span class="caption">{compact(count)}</span>}
    </div>
  );
}

/** A chip with one choice or several, which opens the others. */
export function PickChip(
  props: Omit<PickerProps, "onDone"> & {
    /** The present choice in words. */
    text: string;
    onRemove?: (() => void) | undefined;
  },
) {
  const { text, onRemove, onChoose, ...picker } = props;
  const { label, isMulti } = picker;
  return (
    <Chip label={label} name={`${label}: ${text}`} text={text} onRemove={onRemove}>
      {(close) => (
        <Picker
          {...picker}
          onDone={close}
          onChoose={(value) => {
            if (!isMulti) close();
            onChoose(value);
          }}
        />
      )}
    </Chip>
  );
}

/** A list without a value, or with it where it had none. */
export const toggled = (values: readonly string[], value: string): string[] =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
