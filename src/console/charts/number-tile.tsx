import { number, percent } from "../state/format.ts";
import { Icon } from "../ui/icon.tsx";

/** The unit of a number, if it has one. */
export type Unit = "percent" | "seconds" | undefined;

/** A number with its unit, such as `33.8 %` or `1 min 47 s`. */
export function withUnit(value: number | null | undefined, unit: Unit): string {
  if (value == null || unit === undefined) return number(value);
  if (unit === "percent") return percent(value / 100);
  const seconds = Math.round(value);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 60) return `${seconds} s`;
  if (hours < 1) return `${minutes} min ${seconds % 60} s`;
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** One number, with its change against the period before. */
export function NumberTile(props: {
  /** Left out where the number stands below its name. */
  label?: string | undefined;
  value: number | null | undefined;
  before?: number | null | undefined;
  unit?: Unit;
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
  unit: Unit;
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
