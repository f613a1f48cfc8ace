import { type Unit, withUnit } from "../state/format.ts";

/** A row of a list of bars. */
export type Bar = {
  key: string;
  label: string;
  value: number;
  unit?: Unit | undefined;
  note?: string;
};

/** Labels with numbers, the greatest first, each on a bar as long as its number. */
export function BarList(props: {
  title: string;
  /** Name of the counted things, such as `Visitors`; left out where each label has it. */
  measure?: string | undefined;
  bars: readonly Bar[];
  /** The number of the longest bar, if other lists have the same scale. */
  greatest?: number;
  onPick?: ((bar: Bar) => void) | undefined;
}) {
  const values = props.bars.map(({ value }) => Math.abs(value));
  const greatest = Math.max(1, props.greatest ?? 0, ...values);
  const list = (
    <ol class="bar-list" aria-label={props.title}>
      {props.bars.map((bar) => (
        <li key={bar.key}>
          <span class="bar" style={{ width: `${(100 * Math.abs(bar.value)) / greatest}%` }} />
          {props.onPick ? (
            <button
              type="button"
              class="bar-label"
              title={bar.label}
              onClick={() => props.onPick?.(bar)}
            >
              {bar.label}
            </button>
          ) : (
            <span class="bar-label" title={bar.label}>
              {bar.label}
            </span>
          )}
          <span class="bar-value">
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
