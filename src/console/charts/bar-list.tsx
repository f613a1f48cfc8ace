import { withUnit } from "../state/format.ts";
import type { Unit } from "../state/unit.ts";
import { SmallMark } from "./small-mark.tsx";

/** A row of a list of bars. */
export type Bar = {
  key: string;
  label: string;
  /** Null if it is not known. */
  value: number | null;
  unit?: Unit | undefined;
  note?: string | undefined;
  isSmall?: boolean;
  /** Without it the row leads nowhere. */
  onPick?: (() => void) | undefined;
};

/** Labels with numbers, the greatest first, each on a bar as long as its number. */
export function BarList(props: {
  title: string;
  /** Name of the counted things, such as `Visitors`; left out where each label has it. */
  measure?: string | undefined;
  bars: readonly Bar[];
  /** The number of the longest bar, if other lists have the same scale. */
  greatest?: number;
}) {
  const sizeOf = ({ value }: Bar) => Math.abs(value ?? 0);
  const sizes = props.bars.map(sizeOf);
  // Shares and times may all be less than 1.
  const greatest = Math.max(props.greatest ?? 0, ...sizes) || 1;
  const list = (
    <ol class="bar-list" aria-label={props.title}>
      {props.bars.map((bar) => (
        <li key={bar.key}>
          <span class="bar" style={{ width: `${(100 * sizeOf(bar)) / greatest}%` }} />
          {bar.onPick ? (
            <button type="button" class="bar-label" title={bar.label} onClick={bar.onPick}>
              {bar.label}
            </button>
          ) : (
            <span class="bar-label" title={bar.label}>
              {bar.label}
            </span>
          )}
          <span class="bar-value">
            {bar.isSmall && <SmallMark />}
            {withUnit(bar.value, bar.unit)}
            {bar.note && <span class="faint"> {bar.note}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
  if (props.measure === undefined) return list;
  return (
    <>
      <p class="caption bar-measure">{props.measure}</p>
      {list}
    </>
  );
}
