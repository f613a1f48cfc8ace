import { useLayoutEffect, useRef } from "preact/hooks";
import { bucket, intervalName, withUnit } from "../state/format.ts";
import { changeNote } from "./number-tile.tsx";
import { colorOf, type Drawn, LINES_MAX, type Pair, pairsOf, type Series } from "./series.ts";
import { SmallMark } from "./small-mark.tsx";

/** An interval in full: `Tue 24 Nov`, `week of 23 Nov`, `Tue 24 Nov 09:00`; anything but a time as it is. */
function spanName(column: string, interval: string | undefined): string {
  const name = bucket(column);
  if (name === column || /^(?:week|month)$/.test(interval ?? "")) {
    return name === column ? name : intervalName(column, interval);
  }
  const options = { weekday: "short", timeZone: "UTC" } as const;
  const weekday = new Intl.DateTimeFormat("en-GB", options);
  return `${weekday.format(new Date(`${column.slice(0, 10)}T00:00:00Z`))} ${name}`;
}

/** The change of a number since the period before, such as `+14.4%`; undefined where it is not known. */
function changeAt({ now, before }: Pair, column: number): string | undefined {
  const [value, old] = [now.data[column], before?.data[column]];
  if (value == null || old == null) return undefined;
  if (now.unit === "percent") return changeNote(value - old, now.unit);
  return old === 0 ? undefined : changeNote((100 * (value - old)) / Math.abs(old), now.unit);
}

type At = { columns: readonly string[]; series: readonly Series[]; column: number };

/** The time of a column, and of the same column in the period before: `Tue 24 Nov vs Tue 17 Nov`. */
export function headOf(
  { columns, series, column }: At,
  interval: string | undefined,
  isSoFar: boolean,
): string {
  const day = series.find(({ isBefore }) => isBefore)?.days?.[column];
  const before = day === undefined ? "" : ` vs ${spanName(day, interval)}`;
  return `${spanName(columns[column] ?? "", interval)}${isSoFar ? " so far" : ""}${before}`;
}

/** A point for screen readers, with the number of the period before. */
export function pointText({ series, column }: At, from: number): string {
  const pair = pairsOf(series).find(({ at, beforeAt }) => at === from || beforeAt === from);
  if (pair === undefined) return "";
  const { now, before } = pair;
  const said = [`${now.label}: ${withUnit(now.data[column], now.unit)}`];
  if (before) said.push(`period before ${withUnit(before.data[column], before.unit)}`);
  const change = changeAt(pair, column);
  return (from === pair.at ? said : said.toReversed()).concat(change ?? []).join(", ");
}

/** Pixels between the card and its point, and between the card and the edges of the window. */
const [GAP, EDGE] = [14, 8];

/**
 * The numbers of a column in a card next to its point, the greatest first. It turns to the other side at the edges of
 * the window. Screen readers get the point by {@link pointText}.
 */
export function Tooltip(
  props: At & {
    head: string;
    drawn: readonly Drawn[];
    /** The line that the pointer or a key has chosen. */
    chosen: Drawn | undefined;
    /** The point, in pixels of the window. */
    spot: { x: number; y: number };
    notes: readonly string[];
  },
) {
  const { series, column, head, drawn, chosen, spot, notes } = props;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = card.current;
    if (element === null) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    const right = spot.x + GAP;
    const left = right + width > innerWidth - EDGE ? spot.x - GAP - width : right;
    const lowest = innerHeight - EDGE - height;
    element.style.left = `${Math.max(EDGE, left)}px`;
    element.style.top = `${Math.max(EDGE, Math.min(lowest, spot.y + GAP))}px`;
  });
  const places = new Map(drawn.map(({ from, place }) => [from, place]));
  const pairs = pairsOf(series);
  const shown = pairs
    .slice(0, LINES_MAX)
    .toSorted((a, b) => (b.now.data[column] ?? -Infinity) - (a.now.data[column] ?? -Infinity));
  const more = pairs.length - shown.length;
  const isChosen = ({ at, beforeAt }: Pair) =>
    pairs.length > 1 && chosen !== undefined && [at, beforeAt].includes(chosen.from);
  return (
    <div class="tip" ref={card} aria-hidden="true">
      <p class="tip-head">{head}</p>
      <table>
        <tbody>
          {shown.map((pair) => (
            <tr key={pair.at}>
              <th scope="row">
                <span class={isChosen(pair) ? "tip-name chosen" : "tip-name"}>
                  <Dot place={places.get(pair.at) ?? 0} />
                  <span>{pair.now.label}</span>
                </span>
              </th>
              <td>
                {pair.now.isSmall && <SmallMark />}
                <b>{withUnit(pair.now.data[column], pair.now.unit)}</b>
              </td>
              {pair.before && (
                <>
                  <td>{withUnit(pair.before.data[column], pair.before.unit)}</td>
                  <td>{changeAt(pair, column)}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p>{more} more</p>}
      {notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

/** A dot in the colour of a line; paler for the period before. */
function Dot({ place, isBefore = false }: { place: number; isBefore?: boolean }) {
  const background = `var(${colorOf(place)})`;
  return <span class={isBefore ? "dot pale" : "dot"} style={{ background }} />;
}

/** The names of the lines with their colours. */
export function Legend({ drawn }: { drawn: readonly Drawn[] }) {
  const now = drawn.filter(({ isBefore }) => !isBefore);
  const before = drawn.find(({ isBefore }) => isBefore);
  return (
    <ul class="legend">
      {now.map(({ from, place, label, isSmall }) => (
        <li key={from}>
          <Dot place={place} />
          <span class="legend-name" title={label}>
            {label}
          </span>
          {isSmall && <SmallMark />}
        </li>
      ))}
      {before && (
        <li key="before">
          {now.length === 1 && <Dot place={before.place} isBefore />}
          {now.length === 1 ? "Period before" : "The line you point at shows its period before"}
        </li>
      )}
    </ul>
  );
}
