import { number, type Unit, withUnit } from "../state/format.ts";
import { Icon } from "../ui/icon.tsx";

/** One number, with its change against the period before. */
export function NumberTile(props: {
  /** Left out where the number stands below its name. */
  label?: string | undefined;
  value: number | null | undefined;
  before?: number | null | undefined;
  unit?: Unit | undefined;
  /** Whether less is better, as with a bounce rate. */
  isLessBetter?: boolean;
  onPick?: (() => void) | undefined;
}) {
  const { label, value, before, unit, onPick } = props;
  const text = withUnit(value, unit);
  return (
    <div class="number-tile">
      {label !== undefined && <p class="number-label">{label}</p>}
      <p class="number-value">
        {onPick ? (
          <button type="button" title="Show the persons" onClick={onPick}>
            {text}
          </button>
        ) : (
          text
        )}
      </p>
      <Change value={value} before={before} unit={unit} isLessBetter={props.isLessBetter} />
    </div>
  );
}

function Change(props: {
  value: number | null | undefined;
  before: number | null | undefined;
  unit: Unit | undefined;
  isLessBetter: boolean | undefined;
}) {
  const { value, before, unit } = props;
  // The line keeps its place without a comparison, so that tiles in a row have one height.
  if (value == null || before == null) return <p class="caption">&nbsp;</p>;
  const isShare = unit === "percent";
  if (before === 0 && !isShare) {
    return <p class="caption">{value === 0 ? "as before" : "none before"}</p>;
  }
  // A share changes by points: from 20 % to 30 % are ten, not half as much again.
  const change = isShare ? value - before : (100 * (value - before)) / before;
  const text = number(Math.round(Math.abs(change) * 10) / 10);
  if (text === "0") return <p class="caption">as before</p>;
  const isGood = change > 0 !== Boolean(props.isLessBetter);
  return (
    <p class="caption change">
      <span class={isGood ? "good" : "bad"}>
        <Icon name={change > 0 ? "up" : "fall"} />
        <span class="off-screen">{change > 0 ? "up by" : "down by"}</span>
        {text} {isShare ? "points" : "%"}
      </span>
      <span>from {withUnit(before, unit)}</span>
    </p>
  );
}
