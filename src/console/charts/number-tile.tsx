import { number, percent } from "../state/format.ts";
import { Icon } from "../ui/icon.tsx";

/** One number, with its change against the period before. */
export function NumberTile(props: {
  label: string;
  value: number | null | undefined;
  before?: number | null | undefined;
  /** How the number is written; with thousands by default. */
  format?: (value: number | null | undefined) => string;
  /** Whether less is better, as with a bounce rate. */
  isLessBetter?: boolean;
}) {
  const { label, value, before, format = number } = props;
  return (
    <div class="number-tile">
      <p class="number-label">{label}</p>
      <p class="number-value">{format(value)}</p>
      <Change value={value} before={before} isLessBetter={props.isLessBetter} />
    </div>
  );
}

function Change(props: {
  value: number | null | undefined;
  before: number | null | undefined;
  isLessBetter: boolean | undefined;
}) {
  const { value, before } = props;
  // The line keeps its place without a comparison, so that tiles in a row have one height.
  if (value == null || before == null) return <p class="caption">&nbsp;</p>;
  if (before === 0) return <p class="caption">{value === 0 ? "as before" : "none before"}</p>;
  const change = (value - before) / before;
  if (Math.abs(change) < 0.0005) return <p class="caption">as before</p>;
  const isGood = change > 0 !== Boolean(props.isLessBetter);
  return (
    <p class={`caption change ${isGood ? "good" : "bad"}`}>
      <Icon name={change > 0 ? "up" : "fall"} />
      <span class="off-screen">{change > 0 ? "up by" : "down by"}</span>
      {percent(Math.abs(change))}
    </p>
  );
}
