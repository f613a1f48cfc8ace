import { counted, number, percent, withUnit } from "../state/format.ts";
import { colorOf, LINES_MAX } from "./series.ts";
import { Legend } from "./tooltip.tsx";

/** The people of a funnel, or of one value of its breakdown. */
export type FunnelLine = {
  /** Empty without a breakdown. */
  label: string;
  /** How many reached each step. */
  counts: readonly number[];
  /** Median seconds from the step before; null where it is not known. */
  medians: readonly (number | null)[];
};

type StepsProps = {
  title: string;
  steps: readonly string[];
  lines: readonly FunnelLine[];
  /** Called with the place of a line and the number of a step, from 1; below zero for those lost there. */
  onPick?: ((line: number, step: number) => void) | undefined;
};

const shareOf = (part: number, all: number) => (all === 0 ? null : part / all);

/**
 * The steps of a funnel as columns, whose stripes are the people lost there. Values of a breakdown stand next to each
 * other, with their numbers in a table below.
 */
export function FunnelSteps({ title, steps, lines, onPick }: StepsProps) {
  const [only, ...others] = lines;
  const isAlone = only !== undefined && others.length === 0;
  const shown = lines.slice(0, LINES_MAX);
  return (
    <div class="stack">
      {isAlone && <Headline {...only} />}
      {!isAlone && (
        <Legend
          drawn={shown.map(({ label }, place) => ({ label, place, from: place, data: [] }))}
        />
      )}
      <ol class="funnel" aria-label={title}>
        {steps.map((step, at) => (
          <li key={`${at}${step}`}>
            <span class="funnel-bars">
              {shown.map((line, place) => (
                <Column key={place} line={line} at={at} place={place} />
              ))}
            </span>
            <b>
              {at + 1}. <bdi>{step}</bdi>
            </b>
            {isAlone && <Reached line={only} at={at} onPick={onPick && ((n) => onPick(0, n))} />}
          </li>
        ))}
      </ol>
      {!isAlone && <Values {...{ title, steps, lines, onPick }} />}
    </div>
  );
}

/** The share that came to the last step. The median of the whole way is known for two steps alone. */
function Headline({ counts, medians }: FunnelLine) {
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  const median = counts.length === 2 ? medians[1] : null;
  return (
    <p>
      <b class="funnel-rate">{percent(shareOf(last, first))} convert</b>
      {` · ${number(last)} of ${number(first)}`}
      {median != null && ` · median ${withUnit(median, "seconds")}`}
    </p>
  );
}

/** A column as high as the share that came, with stripes for the share that was lost since the step before. */
function Column({ line, at, place }: { line: FunnelLine; at: number; place: number }) {
  const { counts, label } = line;
  const share = shareOf(counts[at] ?? 0, counts[0] ?? 0) ?? 0;
  const before = shareOf(counts[at - 1] ?? counts[0] ?? 0, counts[0] ?? 0) ?? 0;
  const style = { "--share": share, "--before": before, "--colour": `var(${colorOf(place)})` };
  return <span class="funnel-bar" style={style} title={`${label} ${percent(share)}`.trim()} />;
}

/** How many came to a step, how many were lost before, and how long it took. */
function Reached(props: {
  line: FunnelLine;
  at: number;
  onPick: ((step: number) => void) | undefined;
}) {
  const { line, at, onPick } = props;
  const { counts, medians } = line;
  const [count = 0, before = 0] = [counts[at], counts[at - 1]];
  const seconds = medians[at];
  return (
    <>
      <p>
        <Count count={count} onPick={onPick && (() => onPick(at + 1))} />
        {` · ${percent(shareOf(count, counts[0] ?? 0))}`}
      </p>
      {at > 0 && (
        <p class="caption">
          <Count count={before - count} onPick={onPick && (() => onPick(-at - 1))} />
          {` lost (${percent(shareOf(before - count, before))})`}
          {seconds != null && `, median ${withUnit(seconds, "seconds")}`}
        </p>
      )}
    </>
  );
}

/** The numbers of each value of the breakdown: a row for each, a column for each step. */
function Values({ title, steps, lines, onPick }: StepsProps) {
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */
    <section class="table-frame scroll" tabIndex={0} aria-label={`Numbers: ${title}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Value</th>
            {steps.map((step, at) => (
              <th scope="col" key={at}>
                {at + 1}. <bdi>{step}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, row) => (
            <tr key={row}>
              <th scope="row">{line.label}</th>
              {steps.map((_, at) => (
                <td key={at}>
                  <Reached line={line} at={at} onPick={onPick && ((n) => onPick(row, n))} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Count({ count, onPick }: { count: number; onPick: (() => void) | undefined }) {
  const text = counted(count, "person", "people");
  if (!onPick || count === 0) return <>{text}</>;
  return (
    <button type="button" class="link" onClick={onPick}>
      {text}
    </button>
  );
}
