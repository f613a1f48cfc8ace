import { number, withUnit } from "../state/format.ts";
import type { Unit } from "../state/unit.ts";
import { Icon } from "../ui/icon.tsx";
import { SmallMark } from "./small-mark.tsx";

/** One number, with its change against the period before. */
export function NumberTile(props: {
  /** Left out where the number stands below its name. */
  label?: string | undefined;
  value: number | null | undefined;
  before?: number | null | undefined;
  /** When it was so, such as `16 Nov to 22 Nov`. */
  when?: string | undefined;
  /** Its change in percent, or in points of a share; null without one to compare with. */
  change?: number | null | undefined;
  unit?: Unit | undefined;
  isSmall?: boolean;
  /** Which way is welcome, which has the colour of good; without one a change has no colour. */
  welcome?: "more" | "less" | undefined;
  onPick?: (() => void) | undefined;
}) {
  const { label, value, before, change, unit, isSmall, onPick } = props;
  const text = withUnit(value, unit);
  return (
    <div class="number-tile">
      {label !== undefined && <p class="number-label">{label}</p>}
      <p class="number-value">
        {onPick ? (
          <button type="button" title="Show the people" onClick={onPick}>
            {text}
          </button>
        ) : (
          text
        )}{" "}
        {isSmall && <SmallMark />}
      </p>
      <Change value={value} before={before} unit={unit} change={change} welcome={props.welcome} />
      {before != null && props.when && <p class="caption">against {props.when}</p>}
    </div>
  );
}

type ChangeProps = {
  value: number | null | undefined;
  before: number | null | undefined;
  unit: Unit | undefined;
  change: number | null | undefined;
  welcome: "more" | "less" | undefined;
};

function Change({ value, before, unit, change, welcome }: ChangeProps) {
  // The line keeps its place without a comparison, so that tiles in a row have one height.
  if (value == null || before == null) return <p class="caption">&nbsp;</p>;
  if (change == null) return <p class="caption">{value === 0 ? "no change" : "no earlier data"}</p>;
  if (changeText(change, unit) === undefined) return <p class="caption">no change</p>;
  return (
    <p class="caption change">
      <ChangeMark change={change} unit={unit} welcome={welcome} />
      <span>from {withUnit(before, unit)}</span>
    </p>
  );
}

/** How much a number has changed, with an arrow; nothing if it is as before. */
export function ChangeMark({
  change,
  unit,
  welcome,
}: Pick<ChangeProps, "unit" | "welcome"> & { change: number }) {
  const text = changeText(change, unit);
  if (text === undefined) return null;
  const way = change > 0 ? "more" : "less";
  const colour = way === welcome ? "good" : "bad";
  return (
    <span class={welcome && colour}>
      <Icon name={change > 0 ? "up" : "fall"} />
      <span class="off-screen">{change > 0 ? "up by" : "down by"}</span>
      {text}
    </span>
  );
}

/** How much a number has changed, such as `14.4%`, or `2.5 points` of a share; undefined if it is as before. */
export function changeText(change: number, unit: Unit | undefined): string | undefined {
  const text = number(Math.round(Math.abs(change) * 10) / 10);
  // A share changes by points: from 20% to 30% are ten, not half as much again.
  return text === "0" ? undefined : `${text}${unit === "percent" ? " points" : "%"}`;
}

/** A change in few characters, such as `+14.4%`; undefined without one. */
export function changeNote(
  change: number | null | undefined,
  unit: Unit | undefined,
): string | undefined {
  const text = change == null ? undefined : changeText(change, unit);
  return text && `${(change ?? 0) > 0 ? "+" : "−"}${text}`;
}
