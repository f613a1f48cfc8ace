import { useState } from "preact/hooks";
import { counted, percent } from "../state/format.ts";
import { flowOf, type Place, STEPS_SHOWN, type Stream, type Way } from "./flow.ts";

const paths = (count: number) => counted(count, "path");

/** A place in words: how many came there, and how many of them went no further. */
export function placeText({ name, value, ends }: Place): string {
  const came = `${name ?? "Rarer"}: ${paths(value)}`;
  return ends === undefined || name === undefined
    ? came
    : `${came}, ${ends} (${percent(ends / value)}) end here`;
}

/** The area of a stream; the widths are hundredths of the chart, the heights pixels. */
function areaOf({ from, to, value, top, end }: Stream, width: number): string {
  const height = (from.height / from.value) * value;
  const [left, right] = [(from.step - 1) * width, (to.step - 1) * width];
  const middle = (left + right) / 2;
  const there = `M${left} ${top}C${middle} ${top} ${middle} ${end} ${right} ${end}`;
  const back = `L${right} ${end + height}C${middle} ${end + height} ${middle} ${top + height} ${left} ${top + height}Z`;
  return there + back;
}

/**
 * Ways from place to place as a flow, as wide as the paths that went them. The pointer or the focus on a place lights
 * its ways. Paths that end at a place are its striped part.
 */
export function FlowChart(props: {
  title: string;
  ways: readonly Way[];
  height: number;
  /** The place that is chosen, by its id. */
  chosen: string | undefined;
  onChoose: (place: Place) => void;
}) {
  const { ways, height, chosen, onChoose } = props;
  const [lit, setLit] = useState<string>();
  const { places, streams } = flowOf(ways, height);
  const steps = Math.max(...places.map(({ step }) => step));
  const width = 100 / steps;
  const isLit = ({ from, to }: Stream) => [from.id, to.id].includes(lit ?? chosen ?? "");
  return (
    <section class="flow" style={{ height: `${height}px` }} aria-label={props.title}>
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {streams.map((stream) => (
          <path
            key={`${stream.from.id} ${stream.to.id}`}
            class={isLit(stream) ? "lit" : undefined}
            d={areaOf(stream, width)}
          >
            <title>
              {`${stream.from.name ?? "Rarer"} → ${stream.to.name ?? "rarer"}: ${paths(stream.value)}`}
            </title>
          </path>
        ))}
      </svg>
      {places.map((place) => (
        <button
          type="button"
          key={place.id}
          class={place.name === undefined ? "flow-place rare" : "flow-place"}
          title={placeText(place)}
          aria-label={`Step ${place.step}. ${placeText(place)}`}
          aria-pressed={place.id === chosen}
          disabled={place.name === undefined}
          style={{
            ...{ left: `${(place.step - 1) * width}%`, width: `${width}%`, top: `${place.top}px` },
            ...{ "--height": `${place.height}px`, "--ends": (place.ends ?? 0) / place.value },
          }}
          onClick={() => onChoose(place)}
          onPointerEnter={() => setLit(place.id)}
          onPointerLeave={() => setLit(undefined)}
          onFocus={() => setLit(place.id)}
          onBlur={() => setLit(undefined)}
        >
          <span class="flow-name">
            <bdi>{place.name ?? "Rarer"}</bdi> <span class="faint">{place.value}</span>
          </span>
        </button>
      ))}
    </section>
  );
}

/** Whether ways have more steps than are drawn. */
export const isCut = (ways: readonly Way[]): boolean =>
  ways.some(({ source }) => Number.parseInt(source, 10) >= STEPS_SHOWN);
