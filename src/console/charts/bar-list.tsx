import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { decimalsOf, roundPercent, withUnit } from "../state/format.ts";
import type { Unit } from "../state/unit.ts";
import { Icon } from "../ui/icon.tsx";
import { SmallMark } from "./small-mark.tsx";

/** A row of a list of bars. */
export type Bar = {
  /** Stays the same while the list changes, so that the row keeps the focus. */
  key: string;
  label: string;
  /** The flag or the sign before the label. */
  emblem?: ComponentChildren;
  /** Null if it is not known. */
  value: number | null;
  unit?: Unit | undefined;
  note?: string | undefined;
  /** Its part of the whole, from 0 to 1. */
  share?: number | undefined;
  isSmall?: boolean;
  /** The effect of a click, for the pointer. */
  hint?: string | undefined;
  /** Called for a click on the row, and with `isNot` if Ctrl or ⌘ is held. Without it the row is no button. */
  onPick?: ((isNot: boolean) => void) | undefined;
  /** Whether the row is chosen; undefined if it opens something. */
  isChosen?: boolean | undefined;
  /** Opens the people of the number, if the row itself has another effect. */
  onPeople?: (() => void) | undefined;
};

/** The last focus was in a row that is gone: it goes to the row in its place. */
function useFocusInPlace(bars: readonly Bar[]) {
  const list = useRef<HTMLOListElement>(null);
  const last = useRef<{ at: number; row: Element } | undefined>(undefined);
  // The new rows are there, and the page has not yet given the focus to its heading.
  useLayoutEffect(() => {
    const { at, row } = last.current ?? {};
    if (row === undefined || at === undefined || row.isConnected) return;
    last.current = undefined;
    const buttons = list.current?.querySelectorAll<HTMLElement>(".bar-row");
    const next = buttons?.[Math.min(at, buttons.length - 1)];
    if (document.activeElement === document.body) next?.focus();
  }, [bars]);
  const note = ({ target }: FocusEvent) => {
    const row = (target as Element).closest("li");
    const at = row ? [...(list.current?.children ?? [])].indexOf(row) : -1;
    last.current = row && at >= 0 ? { at, row } : undefined;
  };
  return { list, note };
}

/** Labels with numbers, the greatest first, each on a bar as long as its number. */
export function BarList(props: {
  title: string;
  /** Name of the counted things, such as `Visitors`; left out where each label has it. */
  measure?: string | undefined;
  bars: readonly Bar[];
  /** The number of the longest bar, if other lists have the same scale. */
  greatest?: number;
  /** A way to all rows, where only the first ones are shown. */
  more?: { rowsMax: number; onShow: () => void } | undefined;
}) {
  const { title, measure, more } = props;
  const hasMore = more !== undefined && props.bars.length > more.rowsMax;
  const bars = hasMore ? props.bars.slice(0, more.rowsMax) : props.bars;
  const { list, note } = useFocusInPlace(bars);
  const sizeOf = ({ value }: Bar) => Math.abs(value ?? 0);
  // Shares and times may all be less than 1.
  const greatest = Math.max(props.greatest ?? 0, ...bars.map(sizeOf)) || 1;
  const decimals = decimalsOf(bars.map(({ value }) => value));
  const hasPeople = bars.some(({ onPeople }) => onPeople);
  return (
    <div class={hasPeople ? "bars with-people" : "bars"}>
      {measure !== undefined && <p class="caption bar-measure">{measure}</p>}
      <ol class="bar-list" aria-label={title} ref={list} onFocusCapture={note}>
        {bars.map((bar) => (
          <li key={bar.key}>
            <span class="bar" style={{ width: `${(100 * sizeOf(bar)) / greatest}%` }} />
            <BarRow bar={bar} decimals={decimals} />
            {bar.onPeople && (
              <button
                type="button"
                class="bar-people"
                title="Show the people"
                aria-label={`Show the people: ${bar.label}`}
                onClick={bar.onPeople}
              >
                <Icon name="persons" />
              </button>
            )}
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" class="bar-more" onClick={more.onShow}>
          Details
        </button>
      )}
    </div>
  );
}

function BarRow(props: { bar: Bar; decimals: number }) {
  const { bar } = props;
  const { label, value, unit, note, isSmall, hint, onPick, isChosen } = bar;
  const content = (
    <>
      <span class="bar-label">
        {bar.emblem}
        <bdi>{label}</bdi>
      </span>
      {/* Another element: a share that comes later takes room to the left, and moves no number. */}
      <span class="bar-value" key={bar.share === undefined ? "number" : "share"}>
        {isSmall && <SmallMark />}
        {bar.share !== undefined && <span class="bar-share">{roundPercent(bar.share)}</span>}{" "}
        <span class="bar-number">{withUnit(value, unit, props.decimals)}</span>
        {note && <span class="faint"> {note}</span>}
      </span>
    </>
  );
  const title = hint === undefined ? label : `${label}\n${hint}`;
  if (!onPick) {
    return (
      <span class="bar-row" title={title}>
        {content}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="bar-row"
      title={title}
      aria-pressed={isChosen}
      onClick={({ metaKey, ctrlKey }) => onPick(metaKey || ctrlKey)}
    >
      {content}
    </button>
  );
}
